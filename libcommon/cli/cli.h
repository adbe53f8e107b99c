/* The frame that all five programs share: exit statuses, diagnostics, options,
   help and version, and an output that is checked when it is closed. */
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
    STATUS_NO = 1,      /* a valid negative answer; no match now */
    STATUS_TROUBLE = 2, /* usage, invalid input, write error, no memory */
    STATUS_NEVER = 3,   /* no match ever */
};

/* Largest line in bytes, in programs that answer line by line. */
enum { CLI_LINE_MAX = 64 << 20 };

/*
 * An option of a program. A table of options ends with {0}, and may include
 * other tables. Rows are {NAME, LETTER, PLACE, KINDS, HELP, PLACEHOLDER}. The
 * place is one of four macros:
 *
 *     CLI_AT(type, member)   the value is in a struct, which the program or a
 *                            line of a batch has
 *     CLI_VARIABLE(name)     the value is in a variable
 *     CLI_RETURNS(n)         cli_next() returns n (not 0); there is no value
 *     CLI_RETURNS_TEXT(n)    cli_next() returns n, and cli_value() the value
 *
 * The type of the member or variable is the form of the option: a bool, a
 * string, or a NULL-terminated list of strings. A command takes the options of
 * its kinds, which are bits with the same meaning in all tables, and options
 * without a kind. It takes an option of CLI_NAMED if it names it. A program may
 * add kinds from CLI_OWN_KINDS on, up to 1 << 25.
 */
struct cli_option {
    const char *name; /* without hyphens; NULL: the row includes a table */
    char letter;      /* '\0': none */
    int returned;     /* 0: cli_next() stores the value */
    void *variable;   /* NULL: a member has the value */
    size_t member;    /* its offset, or that of the included table's struct */
    enum { CLI_FLAG, CLI_TEXT, CLI_LIST } form;
    unsigned kinds;          /* follows the members that a place sets */
    const char *help;        /* or the title of the included table */
    const char *placeholder; /* of the value; a flag has none */
    const struct cli_option *table;
};
#define CLI_FORM_OF(value) \
    _Generic((value), bool: CLI_FLAG, char *: CLI_TEXT, \
             const char *: CLI_TEXT, char **: CLI_LIST)
#define CLI_AT(type, part) \
    .member = offsetof(type, part), .form = CLI_FORM_OF(((type *)NULL)->part)
#define CLI_VARIABLE(name) .variable = &(name), .form = CLI_FORM_OF(name)
#define CLI_RETURNS(n) .returned = (n), .form = CLI_FLAG
#define CLI_RETURNS_TEXT(n) .returned = (n), .form = CLI_TEXT
/* Include another table. `at`: the offset of its struct in this table's; 0 if
   its options are variables. */
#define CLI_INCLUDE(other, at, title)                     \
    {                                                     \
        .table = (other), .member = (at), .help = (title) \
    }

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
    CLI_EDITIONS = 1 << 26, /* this and all higher bits: documents.h */
    CLI_FORMS = 1 << 27,
    CLI_SETS = 1 << 28,  /* for answers that are sets */
    CLI_READS = 1 << 30, /* for commands that read documents */
};

struct complete;
struct rset;

/* A command of a program, for its help and its completions. */
struct cli_command {
    const char *group;       /* heading of its group: "Look at a set:" */
    const char *name;        /* "release" */
    const char *operands;    /* "JOB [PART]": a word in brackets is optional */
    const char *summary;     /* begins with a verb, has no full stop */
    const char *examples[4]; /* words after the name of the command; NULL: no
                                more */
    unsigned takes;          /* options, by their kinds */
    const char *named;       /* and by name, such as "owner grow"; NULL: none */
};

/* The text of an option in the help of some commands, such as "grow allocate"
   ("": of the program), if it differs. */
struct cli_meaning {
    const char *commands, *option, *text;
};

/* A program, for its help, version and completions. */
struct cli {
    const char *name;     /* "rset-match" */
    const char *synopsis; /* the usage line after the name */
    const char *summary;  /* one sentence */
    const char *about;    /* lines above the options, or NULL */
    const char *examples; /* lines of commands; or NULL */
    const char *footer;   /* lines below the options, or NULL */
    const char *common;   /* options without a letter that -h shows; or NULL */
    /* Returns command `i`, from 0 on, or NULL after the last one. NULL: the
       program has no commands. */
    const struct cli_command *(*command)(size_t i);
    const struct cli_meaning *meanings; /* ends with a row of NULL; or NULL */
    const char *files_with; /* with this option operands are files, not
                               commands; or NULL */
    /* Offers the words that a placeholder stands for (complete.h); or NULL. */
    void (*offer)(struct complete *c, const char *placeholder);
    /* Reads the set of a store for that; NULL in a program without --store,
       which so needs no SQLite. */
    struct rset *(*store_set)(const char *path);
};

/* Start the program and remember it for all functions below. */
void cli_init(const struct cli *cli);
const struct cli *cli_program(void);

/* Options of every program (-h, --help, -V, --version, -q, --quiet,
   --no-progress), included in a program's table with CLI_COMMON_OPTIONS. */
extern const struct cli_option cli_common_options[];
#define CLI_COMMON_OPTIONS CLI_INCLUDE(cli_common_options, 0, "Common options:")

/*
 * Begin to read options into a struct of zeros. Returns popt's context, for
 * poptFreeContext(). argv must exist as long. Answers --complete, which ends
 * the program.
 */
poptContext cli_options(int argc, const char **argv,
                        const struct cli_option *options, void *into,
                        unsigned flags);

/*
 * Read options up to the next one of CLI_RETURNS and return its number; 0 for
 * an operand, if the context asks for these; -1 when all are read; -2 with a
 * diag on a fault (cli_fault). Answers --help and --version, which end the
 * program.
 */
int cli_next(poptContext ctx, struct diag *d);

/*
 * Return the value of the option that cli_next() has returned, or the operand
 * if it returned 0: a new string for free(). Returns NULL if the option takes
 * no value.
 */
char *cli_value(poptContext ctx);

/* Return the option that cli_next() has returned; NULL for an operand. */
const struct cli_option *cli_last_option(void);

/* Read all options (without CLI_RETURNS). Returns 0, or -1 with a diag. */
int cli_read_options(poptContext ctx, struct diag *d);

/* Free the values in a struct, but not the struct. */
void cli_free_options(const struct cli_option *table, void *from);

/* Was --quiet given? If so, standard output is /dev/null as soon as all options
   are read, and cli_warn() writes nothing: the answer is the exit status. */
extern bool cli_quiet;

/*
 * Take the next operand, which must exist, and return the command with this
 * name. `help` prints help about the program or a command and ends the program.
 * An unknown name is a fault (cli_fault) that suggests similar names; then
 * returns NULL and leaves the operand in ctx.
 */
const struct cli_command *cli_command(poptContext ctx, struct diag *d);

/* Return the command that the command line begins with, or NULL. Options may
   be before it, and need not be read yet. */
const struct cli_command *cli_first_command(void);

/* Report a usage error in one line that points to --help, of the command if
   there is one. The status is 2. */
void cli_usage(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/*
 * Report a usage error that may be in a line of a batch. Returns -1 with a
 * diag, which cli_die_diag() reports as a usage error. If d is NULL, ends the
 * program. The functions below return 0 if there is no error, and otherwise do
 * the same.
 */
int cli_fault(struct diag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Check that the text of an option is one of up to three words (others NULL).
   Returns its number, from 0. */
int cli_word(const char *option, const char *text, const char *first,
             const char *second, const char *third, struct diag *d);

/* Check that at most one of two options is given. NULL: it is not given. */
int cli_exclude(const char *one, const char *other, struct diag *d);

/* Check that the text of an option is a list of these words with commas between
   them. `fault` begins the message about any other word. */
int cli_check_words(const char *option, const char *text,
                    const char *const *words, size_t n, const char *fault,
                    struct diag *d);

/* Report an error in one line and end with status 2. */
void cli_die(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));
void cli_die_diag(const struct diag *d) __attribute__((noreturn));
/* Report an error in the set or option `source` (NULL: none) and end. */
void cli_die_in(struct diag *d, const char *source) __attribute__((noreturn));

/*
 * Return the first given option of a table that has one of these kinds, as
 * "--name", valid until the next call; NULL if there is none. `from`: the
 * struct with the values.
 */
const char *cli_first_set(const struct cli_option *table, const void *from,
                          unsigned kinds);

/* Return the last option read among these names. `names` ends with NULL. */
const char *cli_last_set(const char *const *names);

/* Is a word in a list of words with blanks or commas between them? NULL: no. */
bool cli_has_word(const char *list, const char *word);

/* Return the first given option that the command does not take. */
const char *cli_first_untaken(const struct cli_option *table, const void *from,
                              const struct cli_command *command);
bool cli_takes(const struct cli_command *command, const struct cli_option *o);

/* A rule between two options of the program. cli_check_rules() reports the
   first rule that the words read last break (cli_fault). */
struct cli_rule {
    const char *option;
    enum { CLI_EXCLUDES, CLI_NEEDS } how;
    const char *other;
};
int cli_check_rules(const struct cli_rule *rules, size_t n, struct diag *d);

/* Print a negative answer, a warning or a notice in one line on stderr. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn_diag(const struct diag *d);

/* With --quiet print an error in a line of the input on standard error, because
   nobody sees the answer to this line. */
void cli_quiet_fault(const char *source, uint64_t number, const char *text);

/* Write out standard output, without closing it for its reader. Ends with
   status 2 and a message if anything could not be written. */
void cli_flush(void);

/* Write out standard output and end with `status`, or with 2 and a message if
   anything could not be written. */
void cli_exit(int status) __attribute__((noreturn));

#endif /* CLI_CLI_H */
