/* Words: texts that many pools have, with ids from 1. */
#include <string.h>

#include "base/memory.h"
#include "store/store_private.h"

static void add_word(struct store *s, const char *text)
{
    VECTOR_ADD(s->words, s->nwords, text);
    map_at(&s->word_ids, text, strlen(text))->value.number = s->nwords;
}

int64_t word_id(struct store *s, const char *text)
{
    const struct map_slot *slot = map_find(&s->word_ids, text, strlen(text));

    if (slot)
        return (int64_t)slot->value.number;
    add_word(s, text);
    store_do(s, "INSERT INTO word VALUES (?, ?)", "it", (int64_t)s->nwords,
             text);
    return (int64_t)s->nwords;
}

const char *word_at(struct store *s, int64_t id)
{
    if (id < 1 || (uint64_t)id > s->nwords)
        store_corrupt(s, "a word");
    return s->words[id - 1];
}

void words_read(struct store *s, struct rset *rs)
{
    sqlite3_stmt *st = store_query(s, "SELECT id, word FROM word ORDER BY id",
                                   "");

    while (store_row(s, st)) {
        const char *text = column_text(st, 1);
        if (sqlite3_column_int64(st, 0) != (int64_t)s->nwords + 1 || !text)
            store_corrupt(s, "a word");
        add_word(s, rset_string(rs, text));
    }
}
