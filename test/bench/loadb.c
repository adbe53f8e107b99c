/*
 * loadb FILE...: what jansson's json_loadb() costs for a file, and nothing
 * else: the measure that the reading of documents is held against. The tree
 * is not freed, since who is in a hurry does not.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static int load(const char *path)
{
    FILE *fp = fopen(path, "rb");
    json_error_t error;
    char *text = NULL;
    size_t size;

    if (!fp || fseek(fp, 0, SEEK_END) < 0)
        return -1;
    size = (size_t)ftell(fp);
    rewind(fp);
    text = malloc(size + 1);
    if (!text || fread(text, 1, size, fp) != size)
        return -1;
    fclose(fp);
    return json_loadb(text, size, 0, &error) ? 0 : -1;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (load(argv[i]) < 0) {
            fprintf(stderr, "loadb: %s: cannot load\n", argv[i]);
            return 2;
        }
    }
    return 0;
}
