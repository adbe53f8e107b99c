/*
 * The main of a fuzzer without libFuzzer: it runs the check on each file in a
 * directory of seeds, once. So `make check` runs all fuzzers with any compiler,
 * and an input that once broke something stays a test.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>

#include "../unit/tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Return the file in a block of exactly its size, so that sanitizers notice a
 * read beyond its end. NULL: it can't be read. The caller frees it.
 */
static uint8_t *read_seed(const char *path, size_t *size)
{
    FILE *fp = fopen(path, "rb");
    uint8_t *data = NULL;
    long end;

    if (!fp)
        return NULL;
    if (fseek(fp, 0, SEEK_END) == 0 && (end = ftell(fp)) >= 0) {
        rewind(fp);
        *size = (size_t)end;
        data = malloc(*size ? *size : 1);
        if (data && fread(data, 1, *size, fp) != *size) {
            free(data);
            data = NULL;
        }
    }
    fclose(fp);
    return data;
}

/* The name comes first: it is the last word if the check aborts. */
static int replay(const char *directory, const char *name)
{
    char path[4096];
    uint8_t *data;
    size_t size;

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    printf("# %s\n", path);
    fflush(stdout);
    data = read_seed(path, &size);
    if (!data)
        return 0;
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    struct dirent **names = NULL;
    int n, seeds = 0, good = 1;

    if (argc != 2)
        return 2;
    n = scandir(argv[1], &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.') {
            good = replay(argv[1], names[i]->d_name) && good;
            seeds++;
        }
        free(names[i]);
    }
    free(names);
    ok(good && seeds > 0, "%d seeds of %s", seeds, argv[1]);
    return done_testing();
}
