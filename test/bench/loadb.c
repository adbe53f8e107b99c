/*
 * loadb [-d] FILE...: what jansson's json_loadb() costs for each file, with
 * -d and json_dumpb() of what was read, and nothing else: the measure that
 * the reading and writing of documents is held against. The tree is not
 * freed, since who is in a hurry does not.
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

/* What is written is as long as what was read, which has no white space. */
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
