/* A store in a directory of its own, which is removed at the end of the
   test. */
#ifndef TEST_STORE_FILE_H
#define TEST_STORE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char store_folder[] = "/tmp/rset-store.XXXXXX", store_file[64];

static void store_remove(void)
{
    static const char *const beside[] = {"", "-wal", "-shm", "-lease"};
    char name[80];

    for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
        snprintf(name, sizeof(name), "%s%s", store_file, beside[i]);
        unlink(name);
    }
}

static void store_end(void)
{
    store_remove();
    rmdir(store_folder);
}

static void store_begin(void)
{
    if (!mkdtemp(store_folder)) {
        printf("Bail out! %s: it can't be made\n", store_folder);
        exit(1);
    }
    snprintf(store_file, sizeof(store_file), "%s/store", store_folder);
    atexit(store_end);
}

#endif /* TEST_STORE_FILE_H */
