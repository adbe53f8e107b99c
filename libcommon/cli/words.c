/* Splitting a line into words: see words.h. */
#include "cli/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"

struct reader {
    const char *at, *end;
    char *to;
};

/* A character after a backslash; in double quotes most stay with it. */
static int read_escaped(struct reader *r, bool quoted, struct diag *d)
{
    if (++r->at == r->end)
        return diag_set(d, "the line ends with a backslash");
    if (quoted && !strchr("$`\"\\", *r->at))
        *r->to++ = '\\';
    *r->to++ = *r->at++;
    return 0;
}

/* What is in quotes; they are at the first of them. */
static int read_quoted(struct reader *r, struct diag *d)
{
    char mark = *r->at++;

    while (r->at < r->end && *r->at != mark) {
        if (mark == '"' && *r->at == '\\') {
            if (read_escaped(r, true, d) < 0)
                return -1;
            continue;
        }
        *r->to++ = *r->at++;
    }
    if (r->at == r->end)
        return diag_set(d, "a quote %c is not closed", mark);
    r->at++;
    return 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int read_word(struct reader *r, struct diag *d)
{
    int rc = 0;

    while (rc == 0 && r->at < r->end && !is_blank(*r->at)) {
        if (*r->at == '\'' || *r->at == '"')
            rc = read_quoted(r, d);
        else if (*r->at == '\\')
            rc = read_escaped(r, false, d);
        else
            *r->to++ = *r->at++;
    }
    *r->to++ = '\0';
    return rc;
}

int words_split(const char *line, size_t len, struct words *out, struct diag *d)
{
    struct reader r = {.at = line, .end = line + len};

    *out = (struct words){.text = xmalloc(len + 2),
                          .list = xcalloc(len / 2 + 3, sizeof(char *))};
    r.to = out->text;
    if (memchr(line, '\0', len))
        return diag_set(d, "the line has a NUL byte");
    for (;;) {
        while (r.at < r.end && is_blank(*r.at))
            r.at++;
        if (r.at == r.end || *r.at == '#')
            return 0;
        out->list[out->n++] = r.to;
        if (read_word(&r, d) < 0)
            return -1;
    }
}

poptContext words_options(struct words *words, const struct poptOption *options)
{
    words->ctx = poptGetContext(NULL, (int)words->n, words->list, options,
                                POPT_CONTEXT_KEEP_FIRST);
    if (!words->ctx)
        memory_exhausted();
    cli_near_options(options);
    return words->ctx;
}

void words_fini(struct words *words, const struct poptOption *options)
{
    if (words->ctx)
        poptFreeContext(words->ctx);
    cli_free_owned();
    cli_forget_options(options);
    free(words->list);
    free(words->text);
    *words = (struct words){0};
}
