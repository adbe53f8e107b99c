/*
 * The frame of all programs (cli.h): options through popt, messages on standard
 * error, and the one way out, which checks the output.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/near.h"

static const struct cli *program;
static const struct poptOption *program_options;
static void (*undo_last)(void);
static volatile poptContext context; /* the first, reachable to the end */

/* While a line is answered faults don't end the program. */
static struct {
    bool set;
    jmp_buf env;
    char text[1024];
} trap;

enum { OPT_HELP = 0x10000, OPT_VERSION };

struct poptOption cli_common_options[] = {
    {"help", 'h', POPT_ARG_NONE, NULL, OPT_HELP, "show this help and exit",
     NULL},
    {"version", 'V', POPT_ARG_NONE, NULL, OPT_VERSION,
     "show the version and exit", NULL},
    POPT_TABLEEND};

/* Nothing more goes out: half a line must not look like a whole one. */
static void no_memory(void)
{
    static const char text[] = ": out of memory\n";

    if (undo_last)
        undo_last();
    if (write(STDERR_FILENO, program->name, strlen(program->name)) >= 0)
        (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(STATUS_TROUBLE);
}

void cli_undo(void (*undo)(void))
{
    undo_last = undo;
}

/*
 * No file may take the place of standard input, output or error that is
 * closed: it is open, and can't be read, or written, as before.
 */
static void keep_closed(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void cli_init(const struct cli *cli)
{
    program = cli;
    memory_set_handler(no_memory);
    keep_closed();
}

static void message(const struct diag *d, const char *tail)
{
    char line[1024];

    fprintf(stderr, "%s: %s%s\n", program->name,
            diag_format(d, line, sizeof(line)), tail);
}

#define FORMAT(buf, fmt)                      \
    do {                                      \
        va_list ap;                           \
        va_start(ap, fmt);                    \
        vsnprintf(buf, sizeof(buf), fmt, ap); \
        va_end(ap);                           \
    } while (0)

const char *cli_try(void (*answer)(void *arg), void *arg)
{
    const char *fault = NULL;

    trap.set = true;
    if (setjmp(trap.env) == 0)
        answer(arg);
    else
        fault = trap.text;
    trap.set = false;
    return fault;
}

static struct owned {
    void *p;
    void (*destroy)(void *p);
} * owned;
static size_t nowned;

void *cli_own(void *p, void (*destroy)(void *p))
{
    VECTOR_GROW(owned, nowned);
    owned[nowned++] = (struct owned){p, destroy};
    return p;
}

void cli_free_owned(void)
{
    while (nowned > 0) {
        nowned--;
        owned[nowned].destroy(owned[nowned].p);
    }
    free(owned);
    owned = NULL;
}

void cli_own_text(poptContext ctx, enum poptCallbackReason reason,
                  const struct poptOption *option, const char *text, void *data)
{
    (void)ctx, (void)reason, (void)text, (void)data;
    if ((option->argInfo & POPT_ARG_MASK) == POPT_ARG_STRING)
        cli_own(*(char **)option->arg, free);
}

static bool is_given(const struct poptOption *o)
{
    bool flag = (o->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE;

    return flag ? *(int *)o->arg != 0 : *(void **)o->arg != NULL;
}

const char *cli_given(const struct poptOption *table, unsigned kinds)
{
    static char name[40];

    for (const struct poptOption *o = table; o->arg; o++) {
        if (!o->longName || !((unsigned)o->val & kinds) || !is_given(o))
            continue;
        snprintf(name, sizeof(name), "--%s", o->longName);
        return name;
    }
    return NULL;
}

static void forget_list(char ***list)
{
    for (size_t i = 0; *list && (*list)[i]; i++)
        free((*list)[i]);
    free(*list);
    *list = NULL;
}

void cli_forget_options(const struct poptOption *table)
{
    for (const struct poptOption *o = table; o->arg; o++) {
        switch (o->argInfo & POPT_ARG_MASK) {
        case POPT_ARG_INCLUDE_TABLE:
            cli_forget_options(o->arg);
            break;
        case POPT_ARG_NONE:
            *(int *)o->arg = 0;
            break;
        case POPT_ARG_STRING:
            *(char **)o->arg = NULL;
            break;
        case POPT_ARG_ARGV:
            forget_list(o->arg);
            break;
        }
    }
}

/* With a text into the trap, if there is one; else with a message. */
__attribute__((noreturn)) static void
end(const char *text, const struct diag *d, const char *tail)
{
    if (trap.set) {
        snprintf(trap.text, sizeof(trap.text), "%s", text);
        longjmp(trap.env, 1);
    }
    message(d, tail);
    exit(STATUS_TROUBLE);
}

void cli_usage(const char *fmt, ...)
{
    struct diag d = {0};
    char tail[80];

    FORMAT(d.text, fmt);
    snprintf(tail, sizeof(tail), " (try '%s --help')", program->name);
    end(d.text, &d, tail);
}

bool cli_second_word(const char *option, const char *text, const char *first,
                     const char *second)
{
    if (strcmp(text, first) != 0 && strcmp(text, second) != 0)
        cli_usage("%s: %s: expected %s or %s", option,
                  quote(text, strlen(text)).text, first, second);
    return strcmp(text, first) != 0;
}

void cli_exclude(const char *one, const char *other)
{
    if (one && other)
        cli_usage("%s and %s exclude each other", one, other);
}

void cli_check_types(const char *option, const char *text)
{
    size_t len = strlen(text);

    if (!len || *text == ',' || text[len - 1] == ',' || strstr(text, ",,"))
        cli_usage("%s: %s: expected TYPE[,TYPE...]", option,
                  quote(text, len).text);
}

void cli_die(const char *fmt, ...)
{
    struct diag d = {0};

    FORMAT(d.text, fmt);
    end(d.text, &d, "");
}

void cli_die_diag(const struct diag *d)
{
    char line[1024];

    end(diag_format(d, line, sizeof(line)), d, "");
}

void cli_die_in(struct diag *d, const char *source)
{
    if (source)
        diag_source(d, "%s", source);
    cli_die_diag(d);
}

void cli_warn(const char *fmt, ...)
{
    struct diag d = {0};

    FORMAT(d.text, fmt);
    message(&d, "");
}

void cli_warn_diag(const struct diag *d)
{
    message(d, "");
}

static struct {
    const char *source;
    uint64_t number;
} at_line;

void cli_at_line(const char *source, uint64_t number)
{
    at_line.source = source;
    at_line.number = number;
}

void cli_log_diag(struct diag *d)
{
    if (at_line.source)
        diag_source(d, "%s:%llu", at_line.source,
                    (unsigned long long)at_line.number);
    cli_warn_diag(d);
}

void cli_log(const char *text)
{
    struct diag d;

    diag_set(&d, "%s", text);
    cli_log_diag(&d);
}

static void output_failed(void)
{
    cli_die("standard output: %s", errno ? strerror(errno) : "write error");
}

/* To close a copy tells what some file systems say in the end only. */
void cli_flush(void)
{
    int failed = ferror(stdout), fd;

    if (!failed)
        errno = 0; /* otherwise it is that of the write that failed */
    if (fflush(stdout) != 0 || failed || (fd = dup(STDOUT_FILENO)) < 0
        || close(fd) < 0)
        output_failed();
}

void cli_exit(int status)
{
    int failed = ferror(stdout);

    if (!failed)
        errno = 0;
    if (fclose(stdout) != 0 || failed)
        output_failed();
    exit(status);
}

/* popt's table of options, without the usage line that it puts before it. */
static void print_options(poptContext ctx)
{
    char *text, *table;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    poptPrintHelp(ctx, fp, 0);
    memory_close(fp);
    table = strchrnul(text, '\n');
    fputs(table + strspn(table, "\n"), stdout);
    free(text);
}

static void help(poptContext ctx)
{
    printf("usage: %s %s\n\n%s\n\n", program->name, program->synopsis,
           program->summary);
    print_options(ctx);
    if (program->footer)
        printf("\n%s", program->footer);
    cli_exit(STATUS_OK);
}

poptContext cli_options(int argc, const char **argv,
                        const struct poptOption *options, unsigned flags)
{
    poptContext made = poptGetContext(program->name, argc, argv, options,
                                      flags);

    if (!made)
        memory_exhausted();
    program_options = options;
    if (!context)
        context = made;
    return made;
}

static void near_options(struct near *near, const struct poptOption *table)
{
    char name[40];

    for (const struct poptOption *o = table; o->arg || o->longName; o++) {
        if ((o->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE)
            near_options(near, o->arg);
        else if (o->longName) {
            snprintf(name, sizeof(name), "--%s", o->longName);
            near_try(near, name);
        }
    }
}

static void bad_option(poptContext ctx, int rc)
{
    const char *option = poptBadOption(ctx, POPT_BADOPTION_NOALIAS);
    struct near near = {.word = option, .len = strcspn(option, "=")};

    if (rc == POPT_ERROR_BADOPT && program_options && near.len > 3)
        near_options(&near, program_options);
    cli_usage("%s: %s%s", option, poptStrerror(rc), near.text);
}

int cli_next(poptContext ctx)
{
    int rc = poptGetNextOpt(ctx);

    if (rc == OPT_HELP)
        help(ctx);
    if (rc == OPT_VERSION) {
        printf("%s %s\n", program->name, RSET_VERSION);
        cli_exit(STATUS_OK);
    }
    if (rc < -1)
        bad_option(ctx, rc);
    return rc;
}
