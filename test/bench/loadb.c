/*
 * loadb [-d] FILE...: measure jansson's json_loadb() for each file, with -d
 * also json_dumpb() of the value. The benchmarks of documents compare with it.
 * Like a program in a hurry it does not free the tree.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *slurp(const char *path, size_t *size)
{
    FILE *fp = fopen(path, "rb");
    char *text;

    if (!fp || fseek(fp, 0, SEEK_END) < 0)
        return NULL;
    *size = (size_t)ftell(fp);
    rewind(fp);
    text = malloc(*size + 1);
    if (text && fread(text, 1, *size, fp) != *size)
        return NULL;
    fclose(fp);
    return text;
}

/* Measure one file. The output is as long as the input, which has no white
   space. */
static int cost(const char *path, bool dump)
{
    size_t size;
    char *text = slurp(path, &size);
    json_error_t error;
    json_t *value = text ? json_loadb(text, size, 0, &error) : NULL;

    if (!value)
        return -1;
    return dump && json_dumpb(value, text, size, JSON_COMPACT) > size ? -1 : 0;
}

int main(int argc, char **argv)
{
    bool dump = argc > 1 && !strcmp(argv[1], "-d");

    for (int i = 1 + dump; i < argc; i++) {
        if (cost(argv[i], dump) < 0) {
            fprintf(stderr, "loadb: %s: cannot load\n", argv[i]);
            return 2;
        }
    }
    return 0;
}
