/* The commands by name, and how a command line or a line of a batch is read. */
#ifndef RSET_ALLOC_COMMANDS_H
#define RSET_ALLOC_COMMANDS_H

#include "alloc.h"

/* What comes after the command, before the document. */
enum operands {
    NOTHING,
    JOB,
    MAY_JOB,
    JOB_IN_BATCH, /* it may come where no document can */
    WHAT,
    MAY_WHAT,
    WHAT_WORD,
    COMMANDS
};

/* In `takes`, which are options otherwise: all that it does is in records. */
enum { RECORDS = 1 << 30 };

struct command {
    const char *name;
    enum operands operands;
    unsigned takes; /* options: see commands.c */
    enum answer_kind answer;
    alloc_fn run; /* NULL: it does not work on a set that was read */
};

/*
 * Read a command, all options and its operands into a call; documents are left
 * in ctx. A usage error ends, and leaves in ctx what is no command.
 */
void command_read(poptContext ctx, struct alloc_call *call);

#endif /* RSET_ALLOC_COMMANDS_H */
