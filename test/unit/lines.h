/* Lines of text that are compared without their order. */
#ifndef TEST_LINES_H
#define TEST_LINES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lines {
    char *line[1000];
    size_t n;
};

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Join the sorted lines, each followed by `end`, to a new text. Frees the
   lines. */
static char *join(struct lines *l, const char *end)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    qsort(l->line, l->n, sizeof(*l->line), compare_lines);
    for (size_t i = 0; i < l->n; i++) {
        fprintf(fp, "%s%s", l->line[i], end);
        free(l->line[i]);
    }
    fclose(fp);
    return text;
}

#endif /* TEST_LINES_H */
