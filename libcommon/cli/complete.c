/* Completion (complete.h). The placeholders in help texts say what a word can
   be: `FILE`, `node|parent`, `TYPE[,TYPE...]`. */
#include "cli/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/show.h"
#include "cli/help.h"
#include "cli/walk.h"
#include "base/digits.h"
#include "base/near.h"

/* Kinds of words for a placeholder, besides those that the program offers. */
enum { FILES = 1, FOLDERS = 2, LIST = 4, OR_FILE = 8, IN_OPTIONS = 16 };
static const struct {
    const char *name;
    unsigned is; /* LIST: separated by commas; OR_FILE: or @FILE; IN_OPTIONS:
                    options, not operands */
} placeholders[] = {
    {"FILE", FILES},          {"INVENTORY", FILES},
    {"PATCH", FILES},         {"EXPECTED", FILES},
    {"COMMANDS", FILES},      {"TRACE", FILES},
    {"DIR", FOLDERS},         {"SET", OR_FILE},
    {"UNIVERSE", OR_FILE},    {"TARGETS", LIST | OR_FILE},
    {"WHAT", LIST | OR_FILE}, {"JOBS", LIST},
    {"REQUEST", IN_OPTIONS},  {"PART", IN_OPTIONS},
    {"OPTION", IN_OPTIONS},   {"COMMAND", IN_OPTIONS},
};

/* Return the bits of a placeholder; 0 if it is not in the table. */
static unsigned sorts_of(const char *name)
{
    int i = WORD_FIND(placeholders, name);

    return i < 0 ? 0 : placeholders[i].is;
}

/* --- for the programs ----------------------------------------------------- */

void complete_offer(const struct complete *c, const char *word,
                    const char *meaning)
{
    if (strncmp(word, c->word, strlen(c->word)) != 0 || !show_is_plain(word))
        return;
    if (c->list)
        fprintf(c->list, " %s", word);
    else
        printf("%s%s\t%s\n", c->before, word, meaning ? meaning : "");
}

void complete_word(void *c, const char *word)
{
    complete_offer(c, word, NULL);
}

const char *complete_option_value(const struct complete *c, const char *name)
{
    struct walk w = {.table = c->table};

    for (size_t i = 0; i < c->n; i++) {
        enum walk_kind kind = walk_word(&w, c->words[i]);
        const char *eq = strchr(c->words[i], '=');
        if (i != c->at && w.option && !strcmp(w.option->name, name)
            && (kind == WORD_VALUE || eq || w.option->form == CLI_FLAG))
            return kind == WORD_VALUE ? c->words[i] : eq ? eq + 1 : "";
    }
    return NULL;
}

bool complete_is_file(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

const char *complete_document(const struct complete *c)
{
    struct walk w = {.table = c->table};
    const char *found = NULL;

    for (size_t i = 0; i < c->n; i++)
        if (walk_word(&w, c->words[i]) == WORD_OPERAND && i != c->at
            && w.noperands > (c->command != NULL)
            && complete_is_file(c->words[i]))
            found = c->words[i];
    return found;
}

/* --- options and commands ------------------------------------------------- */

static void offer_options(const struct complete *c,
                          const struct cli_option *table)
{
    char name[40];

    for (const struct cli_option *o = table; !walk_is_end(o); o++) {
        if (o->table)
            offer_options(c, o->table);
        if (o->table || (c->command && !cli_takes(c->command, o)))
            continue;
        snprintf(name, sizeof(name), "-%c", o->letter);
        if (o->letter)
            complete_offer(c, name, help_meaning(c->command, o));
        snprintf(name, sizeof(name), "--%s%s", o->name,
                 o->form == CLI_FLAG ? "" : "=");
        complete_offer(c, name, help_meaning(c->command, o));
    }
}

/* --- placeholders --------------------------------------------------------- */

/* Return the next alternative of `KIND|word|word`, or NULL after the last. An
   alternative such as TYPE=MODE is cut at the sign. */
static char *next_kind(char **rest)
{
    char *kind = strsep(rest, "|");

    if (kind && strpbrk(kind, "=:"))
        *kind = '\0';
    if (kind && !strncmp(kind, "[-]", 3))
        kind += 3;
    if (kind)
        kind[strcspn(kind, "[.,")] = '\0';
    return kind;
}

/* Move the first n bytes of the word to the part that stays. */
static void keep_before(struct complete *c, size_t n)
{
    char *longer;

    xasprintf(&longer, "%s%.*s", c->before, (int)n, c->word);
    free(c->before);
    c->before = longer;
    c->word += n;
}

/* Print the first line, which says what the shell adds. */
static void print_first_line(struct complete *c, const char *text)
{
    unsigned is = strchr(text, ',') ? LIST : 0;
    char *copy = xstrdup(text), *rest = copy, *kind;
    const char *comma;

    while ((kind = next_kind(&rest)))
        is |= sorts_of(kind);
    free(copy);
    if (!strncmp(text, "[-]", 3) && *c->word == '-')
        keep_before(c, 1);
    if (is & OR_FILE && *c->word == '@') {
        keep_before(c, 1);
        is = FILES;
    }
    if (is & LIST && (comma = strrchr(c->word, ',')))
        keep_before(c, (size_t)(comma + 1 - c->word));
    if (is & (FILES | FOLDERS))
        printf("%s\t%s\n", is & FILES ? "files" : "folders", c->before);
    else
        puts("words");
}

static void offer_kinds(struct complete *c, const char *text)
{
    char *copy = xstrdup(text), *rest = copy, *kind;

    print_first_line(c, text);
    while ((kind = next_kind(&rest))) {
        if (*kind >= 'a' && *kind <= 'z')
            complete_offer(c, kind, NULL);
        else if (!strcmp(kind, "TIME"))
            complete_offer(c, "now", NULL);
        else if (*kind && cli_program()->offer)
            cli_program()->offer(c, kind);
    }
    free(copy);
}

/* Offer words for operand n of `JOB [PART] [FILE]`. If an operand is optional,
   the next one is possible too. The last one may be repeated. */
static void offer_operand(struct complete *c, const char *operands, size_t n)
{
    char *copy = xstrdup(operands), *rest = copy, *word, kinds[80] = "";

    while ((word = strsep(&rest, " "))) {
        bool optional = *word == '[', again = strstr(word, "...") != NULL;
        word += optional;
        word[strcspn(word, "[.=]")] = '\0';
        if (!*word || sorts_of(word) & IN_OPTIONS || (n > 0 && !again && n--))
            continue;
        snprintf(kinds + strlen(kinds), sizeof(kinds) - strlen(kinds), "%s%s",
                 *kinds ? "|" : "", word);
        if (!optional)
            break;
    }
    free(copy);
    offer_kinds(c, kinds);
}

/* --- the line ------------------------------------------------------------- */

static void complete_operand(struct complete *c, size_t n, const char *first)
{
    const struct cli *cli = cli_program();
    const struct cli_command *command;
    bool free_of_command = !cli->command
                           || (cli->files_with
                               && complete_option_value(c, cli->files_with));

    if (c->command && n > 0) {
        offer_operand(c, c->command->operands, n - 1);
    } else if (free_of_command) {
        offer_operand(c, cli->synopsis, n);
    } else if (n == 0 || (n == 1 && !strcmp(first, "help"))) {
        puts("words");
        for (size_t i = 0; cli->command && (command = cli->command(i)); i++)
            complete_offer(c, command->name, command->summary);
        if (n == 0)
            complete_offer(c, "help", "explain a command");
    }
}

static void complete_line(struct complete *c)
{
    struct walk w = {.table = c->table};
    const char *first = "", *eq;

    for (size_t i = 0; i < c->at; i++)
        if (walk_word(&w, c->words[i]) == WORD_OPERAND && w.noperands == 1)
            first = c->words[i];
    c->word = c->words[c->at];
    eq = strchr(c->word, '=');
    if (!w.waits && !w.ended && *c->word == '-') {
        if (strncmp(c->word, "--", 2) != 0 || !eq) {
            puts("words");
            offer_options(c, c->table);
            return;
        }
        walk_word(&w, c->word);
        keep_before(c, (size_t)(eq + 1 - c->word));
        w.waits = true;
    }
    if (!w.waits)
        complete_operand(c, w.noperands, first);
    else if (w.option && w.option->placeholder)
        offer_kinds(c, w.option->placeholder);
}

void complete_answer(int argc, const char **argv,
                     const struct cli_option *table)
{
    struct complete c = {.table = table, .words = argv + 3};
    uint64_t at;

    c.n = argc > 3 ? (size_t)argc - 3 : 0;
    if (c.n == 0 || !text_is_number(argv[2], &at) || at >= c.n)
        cli_usage("--complete: expected the number of a word after it");
    c.at = (size_t)at;
    c.command = walk_command(table, c.words, c.n);
    c.before = xstrdup("");
    complete_line(&c);
    free(c.before);
    cli_exit(STATUS_OK);
}
