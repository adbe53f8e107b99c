/*
 * Lines come through a pipe in a few parts to the reader of lines, which
 * returns the text between their ends, whatever is wrong with earlier lines. A
 * provider of each edition answers them: each answer is a response, an object
 * on a line.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "cli/lines.h"
#include "long_list.h"
#include "mutate_json.h"
#include "protocol/provider.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EDITIONS = 2, PARTS = 15, PART_MAX = 4096 };

static void check_log(const char *text)
{
    check(*text && !strchr(text, '\n'));
}

/* --- the two ends of the reader ------------------------------------------- */

/* Each part is read by itself if the system has pipes of packets. */
static void open_input(const char *text, size_t size)
{
    size_t part = size / PARTS + 1;
    int fds[2];

    check(pipe2(fds, O_DIRECT) == 0 || pipe(fds) == 0);
    for (size_t at = 0; at < size; at += part) {
        size_t n = size - at < part ? size - at : part;
        check(write(fds[1], text + at, n) == (ssize_t)n);
    }
    close(fds[1]);
    dup2(fds[0], STDIN_FILENO);
    close(fds[0]);
}

/* Make standard output a file, and return the old one. */
static int open_output(void)
{
    int was = dup(STDOUT_FILENO), fd = memfd_create("output", 0);

    check(was >= 0 && fd >= 0);
    dup2(fd, STDOUT_FILENO);
    close(fd);
    return was;
}

static void check_response(const char *line, size_t len)
{
    json_t *json = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    const char *type = json_string_value(json_object_get(json, "type"));

    check(type && !strcmp(type, "response")
          && json_integer_value(json_object_get(json, "matchtag")) > 0);
    json_decref(json);
}

/* Return the text that was written, and restore standard output. */
static void close_output(int was)
{
    off_t size = lseek(STDOUT_FILENO, 0, SEEK_END);
    char *text = malloc((size_t)size + 1), *at = text, *end;

    check(text && pread(STDOUT_FILENO, text, (size_t)size, 0) == size);
    dup2(was, STDOUT_FILENO);
    close(was);
    for (; at < text + size; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text + size - at));
        check(end != NULL);
        check_response(at, (size_t)(end - at));
    }
    free(text);
}

/* --- lines ---------------------------------------------------------------- */

static struct rset *read_resources(void)
{
    static const char text[] =
        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-3\","
        "\"children\":{\"core\":\"0-1\"}},{\"rank\":\"5\",\"children\":{"
        "\"core\":\"0\"}}],\"nodelist\":[\"n[0-3,5]\"]},\"attributes\":{"
        "\"a\":1}}";
    struct diag d = {0};
    struct rset *rs = rset_read_text(text, sizeof(text) - 1, "set", TRUST_NONE,
                                     &d);

    check(rs != NULL);
    return rs;
}

static const enum dialect editions[EDITIONS] = {DIALECT_SEED, DIALECT_CURRENT};

struct service {
    struct rset *rs[EDITIONS];
    struct provider *providers[EDITIONS];
};

static void service_init(struct service *s, FILE *out)
{
    for (int i = 0; i < EDITIONS; i++) {
        struct provider_options o = {
            .dialect = editions[i], .out = out, .log = check_log};
        s->rs[i] = read_resources();
        s->providers[i] = provider_create(s->rs[i], &o);
    }
}

static void service_fini(struct service *s)
{
    for (int i = 0; i < EDITIONS; i++) {
        provider_destroy(s->providers[i]);
        rset_destroy(s->rs[i]);
    }
}

static void take_line(struct service *s, const char *line, size_t len)
{
    for (int i = 0; i < EDITIONS && len > 0; i++) {
        struct diag d = {0};
        check(provider_line(s->providers[i], line, len, &d) == 0 || d.text[0]);
    }
}

/* Compare all lines with those in the text. */
static void read_lines(struct lines *lines, const char *text, size_t size)
{
    struct service service;
    size_t at = 0;

    lines->skips = true;
    service_init(&service, lines->out);
    while (lines_next(lines)) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t len = end ? (size_t)(end - text) - at : size - at;
        check(lines->len == len && !memcmp(lines->text, text + at, len)
              && lines->text[len] == '\0');
        take_line(&service, lines->text, lines->len);
        at += len + (end != NULL);
    }
    check(at == size);
    service_fini(&service);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct lines lines;
    int was;

    check(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (size <= PARTS * PART_MAX && !has_long_list(text)) {
        fflush(stdout);
        was = open_output();
        open_input(text, size);
        lines_open(&lines, "-");
        read_lines(&lines, text, size);
        lines_close(&lines);
        lines_check(&lines);
        close_output(was);
    }
    free(text);
    return 0;
}
