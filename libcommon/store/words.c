/* Words: texts that many pools have, with ids from 1. */
#include <string.h>

#include "store/store_private.h"

int64_t word_id(struct store *s, const char *text)
{
    size_t known = s->words.count,
           i = map_number(&s->words, text, strlen(text));
    int64_t id = (int64_t)i + 1;

    if (i == known) {
        s->words.slots[i].value.pointer = (char *)text;
        store_do(s, "INSERT INTO word VALUES (?, ?)", "it", id, text);
    }
    return id;
}

const char *word_at(struct store *s, int64_t id)
{
    if (id < 1 || (uint64_t)id > s->words.count)
        store_corrupt(s, "a word");
    return s->words.slots[id - 1].value.pointer;
}

void words_read(struct store *s, struct rset *rs)
{
    sqlite3_stmt *st = store_query(s, "SELECT id, word FROM word ORDER BY id",
                                   "");

    while (store_row(s, st)) {
        const char *text = column_text(st, 1);
        if (sqlite3_column_int64(st, 0) != (int64_t)s->words.count + 1 || !text)
            store_corrupt(s, "a word");
        map_at(&s->words, text, strlen(text))->value.pointer = (char *)
            rset_string(rs, text);
    }
}
