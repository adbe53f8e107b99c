/* Reads streams of JSON (stream.h): fills a buffer, finds the end of a value,
   and passes these bytes to the parsers in json.c and json_plain.c. */
#include "base/stream.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"

enum { BLOCK = 1 << 16, TOKEN_MAX = 64 << 20 };

struct stream {
    int fd; /* -1: all bytes are in the buffer */
    bool eof;
    char *name;
    char *host;          /* host that wrote it; NULL: not given */
    unsigned long ndocs; /* number of documents begun */
    char *buf;
    size_t pos, end, size;  /* unread bytes are buf[pos..end) */
    struct text_place from; /* place of buf[counted] in the source */
    size_t counted;
    uint64_t nread; /* bytes read from the file */
};

struct stream *stream_open(const char *path, struct diag *d)
{
    struct stream *s = xcalloc(1, sizeof(*s));
    bool is_stdin = !strcmp(path, "-");

    s->name = xstrdup(is_stdin ? "stdin" : path);
    s->from = (struct text_place){1, 1};
    s->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0) {
        diag_set(d, "%s", strerror(errno));
        diag_source(d, "%s", path);
        stream_close(s); /* no buffer yet */
        return NULL;
    }
    return s;
}

struct stream *stream_open_text(const char *text, size_t len, const char *name)
{
    struct stream *s = xcalloc(1, sizeof(*s));

    s->name = xstrdup(name);
    s->from = (struct text_place){1, 1};
    s->fd = -1;
    s->eof = true;
    s->buf = (char *)text; /* never written to, because eof is set */
    s->end = len;
    return s;
}

struct stream *stream_open_part(const struct stream *whole, const char *text,
                                size_t len, struct text_place from)
{
    struct stream *s = stream_open_text(text, len, whole->name);

    s->ndocs = whole->ndocs;
    s->from = from;
    return s;
}

void stream_close(struct stream *s)
{
    if (!s)
        return;
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    free(s->name);
    free(s->host);
    if (s->fd >= 0)
        free(s->buf);
    free(s);
}

const uint64_t *stream_count(const struct stream *s)
{
    return &s->nread;
}

int stream_fault(const struct stream *s, struct diag *d)
{
    if (s->host)
        return diag_source(d, "%s (%s)", s->name, s->host);
    if (s->ndocs > 1 || (s->ndocs && !strcmp(s->name, "stdin")))
        return diag_source(d, "%s:%lu", s->name, s->ndocs);
    return diag_source(d, "%s", s->name);
}

/* Report a fault at buf[at]. */
static int fault_at(const struct stream *s, size_t at, struct diag *d)
{
    text_place_in(
        text_place_after(s->from, s->buf + s->counted, at - s->counted), d);
    return stream_fault(s, d);
}

struct text_place stream_place(struct stream *s)
{
    s->from = text_place_after(s->from, s->buf + s->counted,
                               s->pos - s->counted);
    s->counted = s->pos;
    return s->from;
}

static void drop_read(struct stream *s)
{
    if (s->pos == 0)
        return;
    stream_place(s);
    memmove(s->buf, s->buf + s->pos, s->end - s->pos);
    s->counted = 0;
    s->end -= s->pos;
    s->pos = 0;
}

/* Read more bytes behind the unread ones. Moves buf[pos] to buf[0]. Returns 1;
   0 at the end of the source; -1 with a diag. */
static int fill(struct stream *s, struct diag *d)
{
    ssize_t n;

    if (s->eof)
        return 0;
    drop_read(s);
    VECTOR_ROOM(s->buf, s->size, s->end + BLOCK);
    do
        n = read(s->fd, s->buf + s->end, s->size - s->end);
    while (n < 0 && errno == EINTR);
    if (n < 0) {
        diag_set(d, "%s", strerror(errno));
        return stream_fault(s, d);
    }
    s->end += (size_t)n;
    s->nread += (size_t)n;
    s->eof = n == 0;
    return n > 0;
}

static int truncated(struct stream *s, struct diag *d)
{
    diag_set(d, "input ends in the middle of a document");
    return fault_at(s, s->end, d);
}

/* Step over white space. Returns the byte that follows, 0 at the end. */
static int skip_blanks(struct stream *s, struct diag *d)
{
    for (;;) {
        for (; s->pos < s->end; s->pos++) {
            char c = s->buf[s->pos];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
                return c ? (unsigned char)c : 256;
        }
        int rc = fill(s, d);
        if (rc <= 0)
            return rc;
    }
}

int stream_peek(struct stream *s, struct diag *d)
{
    int c = skip_blanks(s, d);

    return c == 0 ? truncated(s, d) : c;
}

const char *stream_first_key(struct stream *s, size_t *len)
{
    struct diag unused;

    if (skip_blanks(s, &unused) != '{')
        return NULL;
    do {
        const char *p = s->buf + s->pos + 1, *end = s->buf + s->end, *quote;
        while (p < end && strchr(" \n\r\t", *p) && *p)
            p++;
        if (p < end && *p != '"')
            return NULL;
        quote = p < end ? memchr(p + 1, '"', (size_t)(end - p - 1)) : NULL;
        if (quote) {
            *len = (size_t)(quote - p - 1);
            return p + 1;
        }
    } while (s->end - s->pos < BLOCK && fill(s, &unused) > 0);
    return NULL;
}

static int unexpected(struct stream *s, const char *wanted, struct diag *d)
{
    diag_set(d, "%s: expected %s",
             json_quote_token(s->buf + s->pos, s->end - s->pos).text, wanted);
    return fault_at(s, s->pos, d);
}

/* Other formats that people have in files: the first bytes, and what to do. */
static const struct {
    const char *begin;
    size_t len;
    const char *what;
} others[] = {
#define OTHER(begin, what)             \
    {                                  \
        begin, sizeof(begin) - 1, what \
    }
    OTHER("\x1f\x8b", "compressed by gzip: gzip -dc"),
    OTHER("\x28\xb5\x2f\xfd", "compressed by zstd: zstd -dc"),
    OTHER("\xfd"
          "7zXZ",
          "compressed by xz: xz -dc"),
    OTHER("BZh", "compressed by bzip2: bzip2 -dc"),
    OTHER("\xef\xbb\xbf", "text behind a byte order mark: tail -c +4"),
    OTHER("\xff\xfe", "UTF-16: iconv -f UTF-16 -t UTF-8"),
    OTHER("\xfe\xff", "UTF-16: iconv -f UTF-16 -t UTF-8"),
    OTHER("{\0", "UTF-16: iconv -f UTF-16LE -t UTF-8"),
    OTHER("\0{", "UTF-16: iconv -f UTF-16BE -t UTF-8"),
    OTHER("SQLite format 3\0", "a store: rset-alloc reads it with --store"),
    OTHER("NodeName=", "text of Slurm: scontrol show node --json"),
    OTHER("JobId=", "text of Slurm: scontrol show job --json"),
    OTHER("ReservationName=",
          "text of Slurm: scontrol show reservations --json"),
    OTHER("PARTITION ", "text of Slurm: scontrol show node --json"),
    OTHER("NODELIST ", "text of Slurm: scontrol show node --json"),
    OTHER("JOBID ", "text of Slurm: squeue --json"),
    OTHER("<", "XML: rset-discover --xml reads XML of hwloc"),
#undef OTHER
};

const char *stream_other(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (len >= others[i].len
            && !memcmp(text, others[i].begin, others[i].len))
            return others[i].what;
    return NULL;
}

int stream_next(struct stream *s, struct diag *d)
{
    int c = skip_blanks(s, d);
    bool first = s->ndocs == 0;
    const char *what;

    if (c <= 0)
        return c;
    /* Refuse input that is something else by its first bytes. */
    for (size_t i = 0; first && i < sizeof(others) / sizeof(others[0]); i++)
        while (s->end - s->pos < others[i].len && !s->eof
               && s->buf[s->pos] == others[i].begin[0])
            if (fill(s, d) < 0)
                return -1;
    if (first && (what = stream_other(s->buf + s->pos, s->end - s->pos))) {
        diag_set(d, "expected JSON, and this is %s", what);
        return fault_at(s, s->pos, d);
    }
    s->ndocs++;
    return 1;
}

int stream_end(struct stream *s, struct diag *d)
{
    int c = skip_blanks(s, d);

    return c <= 0 ? c : unexpected(s, "the end of the text", d);
}

/* Return the length of the line at buf[pos], after reading all of it into the
   buffer; -1 with a diag. */
static ssize_t line_length(struct stream *s, struct diag *d)
{
    const char *end = NULL;
    size_t seen = 0;
    int rc = 1;

    while (rc > 0
           && !(end = memchr(s->buf + s->pos + seen, '\n',
                             s->end - s->pos - seen))) {
        seen = s->end - s->pos;
        if (seen > TOKEN_MAX) {
            diag_set(d, "a line of more than 64 MiB that is not a JSON object");
            return fault_at(s, s->pos, d);
        }
        rc = fill(s, d);
    }
    if (rc < 0)
        return -1;
    return end ? end - (s->buf + s->pos) : (ssize_t)seen;
}

int stream_gathered(struct stream *s, struct stream **line, struct diag *d)
{
    int c = skip_blanks(s, d);
    const char *p;
    size_t host = 0;
    ssize_t len;

    if (c <= 0 || c == '{')
        return c < 0 ? -1 : 0;
    if ((len = line_length(s, d)) < 0)
        return -1;
    p = s->buf + s->pos; /* a host's name and a colon, or no host */
    while (host < (size_t)len
           && (isalnum((unsigned char)p[host]) || memchr("-._", p[host], 3)))
        host++;
    if (host == 0 || host == (size_t)len || p[host++] != ':')
        return 0;
    s->pos += host;
    *line = stream_open_part(s, s->buf + s->pos, (size_t)len - host,
                             stream_place(s));
    (*line)->host = xstrndup(s->buf + s->pos - host, host - 1);
    s->pos += (size_t)len - host;
    s->ndocs++;
    return 1;
}

/* Classes of bytes for the scan. */
enum { PLAIN, QUOTE, OPEN, CLOSE, DELIMITER, NUL };
static const unsigned char byte_class[256] = {
    ['"'] = QUOTE,      ['{'] = OPEN,       ['['] = OPEN,
    ['}'] = CLOSE,      [']'] = CLOSE,      [','] = DELIMITER,
    [' '] = DELIMITER,  ['\n'] = DELIMITER, ['\r'] = DELIMITER,
    ['\t'] = DELIMITER, ['\0'] = NUL};

/* The state of a scan, which continues when more bytes are read. */
struct scan {
    size_t n;     /* bytes scanned, from buf[pos] */
    size_t token; /* start of the current string, number or word */
    unsigned depth;
    bool in_string, escaped;
    bool nul; /* found a NUL outside of strings, which ends the scan */
};

static size_t scan_string(struct scan *scan, const char *p, size_t i,
                          size_t end)
{
    i += scan->escaped;
    while (i < end && p[i] != '"')
        i += p[i] == '\\' ? 2 : 1;
    scan->escaped = i > end; /* the escaped byte is not in the buffer yet */
    if (scan->escaped)
        return end;
    if (i < end) {
        scan->in_string = false;
        i++;
    }
    return i;
}

/* Scan up to `end`. Returns true if the value ends there; then scan->n is its
   length. */
static bool scan_value(struct scan *scan, const char *p, size_t end)
{
    size_t i = scan->n;
    bool done = false;

    while (i < end && !done) {
        if (scan->in_string) {
            i = scan_string(scan, p, i, end);
            done = !scan->in_string && scan->depth == 0;
            scan->token = scan->in_string ? scan->token : i;
            continue;
        }
        if (byte_class[(unsigned char)p[i]] != PLAIN)
            scan->token = i + 1;
        switch (byte_class[(unsigned char)p[i]]) {
        case QUOTE:
        case OPEN:
            if (scan->depth == 0 && i > 0)
                done = true; /* a number or word ends here */
            else if (p[i] == '"')
                scan->in_string = true;
            else
                scan->depth++;
            break;
        case CLOSE:
            if (scan->depth == 0) {
                done = true;
                break;
            }
            if (--scan->depth == 0) {
                i++;
                done = true;
            }
            break;
        case DELIMITER:
            done = scan->depth == 0;
            break;
        case NUL:
            scan->nul = done = true;
            break;
        }
        i += !done;
    }
    scan->n = i;
    return done;
}

/* Return the length of the value at buf[pos], after reading all of it into the
   buffer; -1 with a diag. */
static ssize_t extent(struct stream *s, struct diag *d)
{
    struct scan scan = {0};

    if (stream_peek(s, d) < 0)
        return -1;
    while (!scan_value(&scan, s->buf + s->pos, s->end - s->pos)) {
        int rc = fill(s, d);
        if (rc < 0)
            return -1;
        if (rc == 0 && (scan.depth || scan.in_string))
            return truncated(s, d);
        if (rc == 0)
            break; /* a number or word at the end of the input */
        if (scan.n - scan.token > TOKEN_MAX) {
            diag_set(d, "a string, number or word of more than 64 MiB");
            return fault_at(s, s->pos + scan.token, d);
        }
    }
    if (scan.nul) {
        diag_set(d, "a NUL byte");
        return fault_at(s, s->pos + scan.n, d);
    }
    if (scan.n == 0)
        return unexpected(s, "a value", d);
    return (ssize_t)scan.n;
}

json_t *stream_value(struct stream *s, struct diag *d)
{
    json_t *value;
    size_t len, at;
    ssize_t n;

    if (stream_peek(s, d) < 0)
        return NULL;
    value = json_read_plain(s->buf + s->pos, s->end - s->pos, NULL, &len);
    if (!value) { /* it is unusual, wrong, or not all in the buffer */
        if ((n = extent(s, d)) < 0)
            return NULL;
        len = (size_t)n;
        value = json_read_part(s->buf + s->pos, len, true, &at, d);
    }
    if (value)
        s->pos += len;
    else
        fault_at(s, s->pos + at, d);
    return value;
}

const char *stream_ahead(const struct stream *s, size_t *len)
{
    *len = s->end - s->pos;
    return s->buf + s->pos;
}

int stream_text(struct stream *s, const char **text, size_t *len,
                struct diag *d)
{
    ssize_t n = extent(s, d);

    if (n < 0)
        return -1;
    *text = s->buf + s->pos;
    *len = (size_t)n;
    return 0;
}

void stream_skip(struct stream *s, size_t len)
{
    s->pos += len;
    if (len <= 2 * BLOCK || s->fd < 0)
        return;
    drop_read(s); /* shrink the buffer after a long value */
    s->size = s->end > 2 * BLOCK ? s->end : 2 * BLOCK;
    s->buf = xrealloc(s->buf, s->size);
}

int stream_enter(struct stream *s, struct stream_level *level,
                 const char *kinds, struct diag *d)
{
    int c = stream_peek(s, d);

    *level = (struct stream_level){0};
    if (c < 0)
        return -1;
    if (c > 255 || !strchr(kinds, c)) {
        json_t *value = stream_value(s, d);
        const char *found = json_container(value);
        if (value)
            diag_set(d, "%s%s expected %s",
                     found ? found : json_quote(value).text, found ? ";" : ":",
                     kinds[1]          ? "an object or a list"
                     : kinds[0] == '{' ? "an object"
                                       : "a list");
        json_decref(value);
        return -1;
    }
    level->object = c == '{';
    s->pos++;
    return 0;
}

void stream_leave(struct stream_level *level)
{
    map_fini(&level->keys);
}

/* Step over a comma to the next member. Returns 1; 0 at the closing bracket; -1
   with a diag. */
static int next_member(struct stream *s, struct stream_level *level, char close,
                       struct diag *d)
{
    int c = stream_peek(s, d);

    if (c < 0)
        return -1;
    if (c == close) {
        s->pos++;
        return 0;
    }
    if (level->started) {
        if (c != ',')
            return unexpected(s, close == '}' ? "',' or '}'" : "',' or ']'", d);
        s->pos++;
        if ((c = stream_peek(s, d)) < 0)
            return -1;
        if (c == close)
            return unexpected(s, "a value after ','", d);
    }
    level->started = true;
    return 1;
}

int stream_item(struct stream *s, struct stream_level *level, struct diag *d)
{
    return next_member(s, level, ']', d);
}

int stream_key(struct stream *s, struct stream_level *level, const char **key,
               struct diag *d)
{
    int rc = next_member(s, level, '}', d), c;
    struct text_place place;
    json_t *name = NULL;
    const char *text;
    size_t len, before;

    if (rc <= 0)
        return rc;
    if (s->buf[s->pos] != '"')
        return unexpected(s, "a key in quotes", d);
    place = stream_place(s);
    if ((text = json_read_string(s->buf + s->pos, s->end - s->pos, &len))) {
        s->pos += len + 2;
    } else if ((name = stream_value(s, d))) {
        text = json_string_value(name);
        len = strlen(text);
    } else {
        return -1;
    }
    before = level->keys.count;
    *key = map_at(&level->keys, text, len)->key;
    if (level->keys.count == before) {
        diag_set(d, "duplicate object key %s", quote(text, len).text);
        text_place_in(place, d);
        stream_fault(s, d);
    }
    json_decref(name);
    if (level->keys.count == before || (c = stream_peek(s, d)) < 0)
        return -1;
    if (c != ':')
        return unexpected(s, "':'", d);
    s->pos++;
    return 1;
}
