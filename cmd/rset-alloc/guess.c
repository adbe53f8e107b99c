/*
 * Guesses at what a wrong command line was meant to be. A file that stands
 * where a job or a host is expected would make the program wait for a set on
 * standard input, or change a set that nobody named; a missing file, a second
 * host or a number without its option would be read as another thing. Each
 * guess is refused, with the words that were probably meant.
 *
 *     rset-alloc release next.json          next.json is a file, but stands for
 *                                           a job
 *     rset-alloc nodes nxt.json             nxt.json: No such file or directory
 *     rset-alloc drain n1 n2                did you mean n1,n2?
 *     rset-alloc extend 7 1h                did you mean --duration 1h?
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "base/memory.h"
#include "base/time.h"
#include "cli/complete.h"
#include "cli/store.h"
#include "model/records/jobs.h"

/* Is a word the name of a file, and not called like a number? */
static bool is_file(const char *word)
{
    return complete_is_file(word) && strspn(word, "0123456789") < strlen(word);
}

int guess_document(const struct command *command, poptContext ctx,
                   struct diag *d)
{
    const char **args = poptGetArgs(ctx);

    if (!args || !args[0] || args[1])
        return false;
    if (strcmp(args[0], "-") != 0 && !is_file(args[0]))
        return false;
    if (command->operands == WHAT && strcmp(args[0], "-") != 0)
        return cli_fault(
            d,
            "%s: paths, ranks or hosts are expected before %s, which is a "
            "file",
            command->help.name, quote_all(args[0]).text);
    return command->operands == MAY_JOB || command->operands == MAY_WHAT
           || command->operands == JOB_OR_WHAT;
}

int guess_slip(const struct command *command, const char *word, const char *as,
               struct diag *d)
{
    if (!word || cli_store || access(word, F_OK) != 0)
        return 0;
    if (isatty(STDIN_FILENO))
        return cli_fault(d,
                         "%s: %s is a file, but stands for %s; the set would "
                         "be read from the terminal",
                         command->help.name, quote_all(word).text, as);
    cli_slip(word, as);
    return 0;
}

int guess_missing(const char *word, struct diag *d)
{
    static const char *const endings[] = {".json", ".jgf", ".R",   ".yaml",
                                          ".yml",  ".xml", ".txt", ".db"};
    const char *dot = word ? strrchr(word, '.') : NULL;
    bool named = dot && WORD_FIND(endings, dot) >= 0;

    if (!word || cli_store || access(word, F_OK) == 0 || strchr(word, ','))
        return 0;
    if (!named && (!strchr(word, '/') || alloc_names_paths(word)))
        return 0;
    return diag_set(d, "%s: %s", word, strerror(ENOENT));
}

/* Are both numbers or names that begin alike, as n1 and n2? */
static bool is_series(const char *one, const char *other)
{
    size_t len = strcspn(one, "[0123456789");

    return one[len] && strcspn(other, "[0123456789") == len && other[len]
           && !strncmp(one, other, len);
}

int guess_more(struct alloc_call *call, poptContext ctx)
{
    const struct command *command = call->command;
    enum operands kind = command->operands;
    const char **args = poptGetArgs(ctx), *word = args ? args[0] : NULL;
    const char *first = kind == JOBS                        ? call->job
                        : kind == COMMANDS || kind == TRACE ? NULL
                                                            : call->what;
    char *meant;
    double duration;
    struct diag d;

    if (!word
        || (!call->in_batch && (!strcmp(word, "-") || access(word, F_OK) == 0)))
        return 0;
    if (first && is_series(first, word))
        xasprintf(&meant, "%s,%s", first, word);
    else if (first && is_file(first) && !cli_store && !call->in_batch
             && !args[1])
        xasprintf(&meant, "%s %s", word, first);
    else if (command->help.takes & DURATION && !(command->help.takes & CLI_ASKS)
             && !duration_parse(word + (*word == '+'), 1, &duration, &d))
        xasprintf(&meant, "--duration %s", word);
    else if (kind == JOB_OR_WHAT
             && (cli_store || args[1] || strspn(word, "0123456789")))
        xasprintf(&meant, "--job %s%s%s", call->job ? call->job : "",
                  call->job ? "," : "", word);
    else
        return 0;
    cli_fault(&call->d, "%s: unexpected argument %s: did you mean %s?",
              command->help.name, quote_all(word).text, meant);
    free(meant);
    return -1;
}

void guess_documents(const struct command *command, const char *const *files)
{
    cli_usage("%s and %s: one document is expected%s", quote_all(files[0]).text,
              quote_all(files[1]).text,
              command->help.takes & REASON ? "; --reason takes the reason"
              : command->help.named && strstr(command->help.named, "targets")
                      && access(files[0], F_OK) < 0
                  ? "; --targets names hosts"
              : command->operands == WHAT
                  ? "; several hosts are one word, such as n1,n2"
                  : "");
}
