/*
 * The inside of find expressions: a tree of criteria, read by find_parse.c
 * and find_value.c, bound to a set by find_bind.c and find_names.c, asked by
 * find_pool.c and find_held.c.
 */
#ifndef REQUEST_FIND_PRIVATE_H
#define REQUEST_FIND_PRIVATE_H

#include "base/arena.h"
#include "base/map.h"
#include "request/find.h"

enum find_op { OP_ALONE, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE };

/* What a criterion asks of, in the order of the table in find_value.c. */
enum find_about {
    ABOUT_TYPE,
    ABOUT_BASENAME,
    ABOUT_NAME,
    ABOUT_ID,
    ABOUT_UUID,
    ABOUT_PATH,
    ABOUT_RANK,
    ABOUT_HOST,
    ABOUT_SIZE,
    ABOUT_UNIT,
    ABOUT_PROPERTY,
    ABOUT_TAG,
    ABOUT_STATE,
    ABOUT_STATUS,
    ABOUT_SUBSYSTEM,
    ABOUT_ALLOCATED,
    ABOUT_RESERVED,
    ABOUT_SHARED,
    ABOUT_STAGED,
    ABOUT_START,
    ABOUT_END,
    ABOUT_FREE,
    ABOUT_EXCLUSIVE,
    FIND_KEYS
};

/* Of a basename the ids that make a name of it that is asked for. */
struct find_members {
    const char *basename;
    struct idset *ids;
};

struct criterion {
    struct criterion *next;
    const struct find_key *key;
    enum find_about about;
    enum find_op op;

    /* The value. */
    const char *text;
    const char **words; /* the elements of a list */
    size_t nwords;
    struct idset *ids; /* all numbers that satisfy the criterion */
    struct hostlist *hosts;
    int64_t number; /* to compare with */
    const char *unit;
    bool timed;
    double time;
    bool below; /* a path: all below it */

    /* What it comes to in the set at hand; NULL where it needs nothing. */
    struct idset *targets; /* ranks of the targets that satisfy it, or its
                              opposite with != (id: as it is) */
    struct idset *names;   /* numbers of names in the set's book */
    struct find_members *members;
    size_t nmembers;
    struct vertex **list; /* vertices, by address */
    size_t nlist;
};

/* What a key may have: no value, < <= > >=, @TIME, the empty text. */
enum { KEY_ALONE = 1, KEY_ORDER = 2, KEY_TIME = 4, KEY_EMPTY = 8 };

/* One key of the language. */
struct find_key {
    const char *name;
    /* Read the value of a criterion; NULL: it takes none. */
    int (*read)(struct find *f, struct criterion *c, struct diag *d);
    bool (*holds)(const struct find *f, const struct criterion *c,
                  const struct vertex *v);
    unsigned flags;
};
extern const struct find_key find_keys[FIND_KEYS];

enum expr_kind { EXPR_CRITERION, EXPR_NOT, EXPR_AND, EXPR_OR };

struct expr {
    struct expr *next, *child;
    const struct criterion *criterion;
    enum expr_kind kind;
};

struct find {
    struct arena arena; /* expressions, criteria, texts */
    struct expr *top;
    struct criterion *criteria;
    double now;

    struct rset *rs; /* the set at hand */
    struct map book; /* names of its single vertices: a number + 1, 0 for
                        what can't be in a hostlist */
};

/* Forget what came of the set at hand. */
void find_unbind(struct find *f);

/* Does a number satisfy the criterion? One below 0 is none. */
bool find_number(const struct criterion *c, int64_t number);

/* = or !=, for what every pool has. */
static inline bool find_verdict(const struct criterion *c, bool same)
{
    return c->op == OP_NE ? !same : same;
}

/* Is a text in the list of a criterion? */
bool find_has_word(const struct criterion *c, const char *word, size_t len);

/* The nearest execution target at or above v; NULL if there is none. */
const struct vertex *find_target(const struct vertex *v);
int64_t find_rank(const struct vertex *v);

/* Names (find_names.c): -1 when memory ran out. */
int find_bind_targets(struct find *f, struct criterion *c);
int find_bind_names(struct find *f);
/* The ids that a name needs behind this basename to be asked for. */
const struct idset *find_member_ids(struct criterion *c, const char *basename);

#define FIND_HOLDS(name)                                       \
    bool name(const struct find *f, const struct criterion *c, \
              const struct vertex *v)

FIND_HOLDS(find_holds_type);
FIND_HOLDS(find_holds_basename);
FIND_HOLDS(find_holds_name);
FIND_HOLDS(find_holds_id);
FIND_HOLDS(find_holds_uuid);
FIND_HOLDS(find_holds_path);
FIND_HOLDS(find_holds_rank);
FIND_HOLDS(find_holds_host);
FIND_HOLDS(find_holds_size);
FIND_HOLDS(find_holds_unit);
FIND_HOLDS(find_holds_property);
FIND_HOLDS(find_holds_tag);
FIND_HOLDS(find_holds_state);
FIND_HOLDS(find_holds_status);
FIND_HOLDS(find_holds_subsystem);
FIND_HOLDS(find_holds_exclusive);
FIND_HOLDS(find_holds_claim);
FIND_HOLDS(find_holds_shared);
FIND_HOLDS(find_holds_staged);
FIND_HOLDS(find_holds_free);

#endif /* REQUEST_FIND_PRIVATE_H */
