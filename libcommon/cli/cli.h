/*
 * What all five programs share: exit statuses, diagnostics, help and
 * version, and an output that is checked when it is closed.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Exit statuses, the same in every program. */
enum {
    STATUS_OK = 0,      /* done; yes; same; matched */
    STATUS_NO = 1,      /* a valid answer that is no; no match now */
    STATUS_TROUBLE = 2, /* usage, invalid input, write error, no memory */
    STATUS_NEVER = 3,   /* no match ever */
};

/* A line of what is answered line by line has at most these bytes. */
enum { CLI_LINE_MAX = 64 << 20 };

/*
 * Options are in tables of popt's, of which two fields are different. `arg` is
 * where the value goes: the offset of a member in a struct that the program, or
 * a line of a batch, has of its own, as CLI_AT() makes it. The member is a bool
 * (POPT_ARG_NONE), a text (POPT_ARG_STRING) or a terminated list of texts
 * (POPT_ARG_ARGV). `val` has the kinds of the option: bits, the same in all
 * tables. A program has others from CLI_OWN_KINDS on, up to 1 << 25. All
 * commands take options of no kind, and those of CLI_ALWAYS; those of
 * CLI_NAMED, if the command names them.
 */
#define CLI_AT(type, member) ((void *)offsetof(type, member))
/* cli_next() returns the `val` of the option, cli_value() has its text. */
#define CLI_TOLD ((void *)-1)
/* Another table, whose struct begins at an offset in that of this one. */
#define CLI_INCLUDE(table, at, title)                              \
    {                                                              \
        NULL, '\0', POPT_ARG_INCLUDE_TABLE, table, at, title, NULL \
    }
/* Such an offset: the options of that table are variables. */
enum { CLI_APART = -1 };

enum {
    CLI_NOW = 1 << 0, /* times (clock.h) */
    CLI_AT_TIME = 1 << 1,
    CLI_TERMS = 1 << 2,
    CLI_EXPIRATION = 1 << 3,
    CLI_DURATION = 1 << 4,
    CLI_ASKS = 1 << 5, /* requests (request_options.h) */
    CLI_BOUNDS = 1 << 6,
    CLI_SEMANTICS = 1 << 7,
    CLI_TABLES = 1 << 8, /* tables (table.h) */
    CLI_NAMED = 1 << 9,
    CLI_OWN_KINDS = 1 << 10,
    CLI_SHARED = 1 << 26, /* these, and those above it, are of documents.h */
    CLI_EDITIONS = 1 << 26,
    CLI_FORMS = 1 << 27,
    CLI_SETS = 1 << 28, /* of answers that are sets */
    CLI_ALWAYS = 1 << 29,
    CLI_READS = 1 << 30, /* of what reads documents */
};

struct complete;

/* A command of a program, for its help and its completions. */
struct cli_command {
    const char *group;       /* heading of its group: "Look at a set:" */
    const char *name;        /* "release" */
    const char *operands;    /* "JOB [PART]": a word in brackets is optional */
    const char *summary;     /* begins with a verb, has no full stop */
    const char *examples[2]; /* words after the name of the command */
    unsigned takes;          /* options, by their kinds */
    const char *named;       /* and by name, "owner grow"; NULL: none */
};

/* What an option means to one command, if that differs. */
struct cli_meaning {
    const char *command, *option, *text;
};

/* A program, for its help, version and completions. */
struct cli {
    const char *name;     /* "rset-match" */
    const char *synopsis; /* what follows the name in the usage line */
    const char *summary;  /* one sentence */
    const char *about;    /* lines above the options, or NULL */
    const char *footer;   /* lines below the options, or NULL */
    /* Returns its commands, from 0 on, then NULL. Or NULL: it has none. */
    const struct cli_command *(*command)(size_t i);
    const struct cli_meaning *meanings; /* ends with a row of NULL; or NULL */
    const char *files_with; /* the option without which operands are commands */
    /* Offers what a word can be that help calls so (complete.h), or NULL. */
    void (*offer)(struct complete *c, const char *placeholder);
};

/* Start: remember the program for all that follows. */
void cli_init(const struct cli *cli);
const struct cli *cli_program(void);

/*
 * The options that every program has (-h, --help, -V, --version, -q, --quiet),
 * for inclusion in a program's table with CLI_COMMON_OPTIONS.
 */
extern struct poptOption cli_common_options[];
#define CLI_COMMON_OPTIONS \
    CLI_INCLUDE(cli_common_options, CLI_APART, "Common options:")

/*
 * Begin to read options into a struct that has none yet. Returns popt's
 * context, for poptFreeContext(); argv has to last as long. Answers --complete,
 * which ends the program.
 */
poptContext cli_options(int argc, const char **argv,
                        const struct poptOption *options, void *into,
                        unsigned flags);

/*
 * Read options up to one of CLI_TOLD and return its `val`; -1 when all are
 * read; -2: a fault (cli_fault). --help and --version are answered here (the
 * program ends).
 */
int cli_next(poptContext ctx, struct diag *d);

/*
 * Return the value of the option that cli_next() has returned, or the operand
 * if that was 0: a new string for free(). NULL: the option takes no value.
 */
char *cli_value(poptContext ctx);

/* The option that cli_next() has returned; NULL: an operand. */
const struct poptOption *cli_option(void);

/* Read all options of a table that has none of CLI_TOLD. */
int cli_read_options(poptContext ctx, struct diag *d);

/* Free the options that were read into a struct, but not the struct. */
void cli_free_options(const struct poptOption *table, void *from);

/*
 * Was --quiet given? Then standard output is /dev/null once all options are
 * read, and cli_warn() writes nothing: the status is the answer.
 */
extern bool cli_quiet;

/*
 * The command that the next operand names, which is taken; `help` tells of the
 * program, or of a command, and ends it. NULL: it is no command, which is a
 * fault (cli_fault) that names what is near, and stays in ctx. There has to be
 * an operand.
 */
const struct cli_command *cli_command(poptContext ctx, struct diag *d);

/* A usage error: one line that points to --help; ends with status 2. */
void cli_usage(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/*
 * A usage error of what may be a line of a batch: returns -1 with a diag that
 * cli_die_diag() tells as one. With NULL for the diag it ends the program; so
 * it does in the functions below, which return 0 if all is well.
 */
int cli_fault(struct diag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The text of an option is one of three words (third NULL: of two): returns
 * which, from 0.
 */
int cli_word(const char *option, const char *text, const char *first,
             const char *second, const char *third, struct diag *d);

/* Two options of which one at most may be given; NULL: it is not. */
int cli_exclude(const char *one, const char *other, struct diag *d);

/* The text of an option is TYPE[,TYPE...]. */
int cli_check_types(const char *option, const char *text, struct diag *d);

/*
 * The text of an option is some of these words with commas between them, or
 * `fault` says what is wrong with another one.
 */
int cli_check_words(const char *option, const char *text,
                    const char *const *words, size_t n, const char *fault,
                    struct diag *d);

/* Trouble: one line, status 2. */
void cli_die(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));
void cli_die_diag(const struct diag *d) __attribute__((noreturn));
/* The same of a fault in what has this name (NULL: none): a set, an option. */
void cli_die_in(struct diag *d, const char *source) __attribute__((noreturn));

/*
 * The first option of a table that is of one of these kinds and was given, as
 * "--name", until it is asked again; NULL: there is none. The options were read
 * into a struct.
 */
const char *cli_given(const struct poptOption *table, const void *from,
                      unsigned kinds);

/* The last option that was read of these names, a terminated list. */
const char *cli_last_given(const char *const *names);

/* The first option that was given and that the command does not take. */
const char *cli_given_beside(const struct poptOption *table, const void *from,
                             const struct cli_command *command);
bool cli_takes(const struct cli_command *command, const struct poptOption *o);

/*
 * Which options of the program exclude each other, or need another one: the
 * first rule that is broken is a fault (cli_fault).
 */
struct cli_rule {
    const char *option;
    enum { CLI_EXCLUDES, CLI_NEEDS } how;
    const char *other;
};
int cli_check_rules(const void *from, const struct cli_rule *rules, size_t n,
                    struct diag *d);

/* A no, a warning or a message: one line on standard error. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn_diag(const struct diag *d);

/*
 * The same of a line of what is read (NULL: of none): it names that line, the
 * one that was told of last.
 */
void cli_at_line(const char *source, uint64_t number);
void cli_log(const char *text);
void cli_log_diag(struct diag *d);

/* With --quiet trouble in a line is told here: nobody sees the answer to it. */
void cli_quiet_fault(const char *source, uint64_t number, const char *text);

/*
 * All that was written to standard output goes out, and whoever reads it does
 * not see its end yet. Ends with status 2 and a message if anything did not
 * arrive.
 */
void cli_flush(void);

/*
 * Close standard output and end: with `status`, or with 2 and a message if
 * anything that was written did not arrive.
 */
void cli_exit(int status) __attribute__((noreturn));

#endif /* CLI_CLI_H */
