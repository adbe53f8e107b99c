/* Makes a store: fills a database in memory, then writes it to a file. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/time.h"
#include "store/store_private.h"

static void fill(struct store *s, struct rset *rs, double now)
{
    char version[128];

    if (sqlite3_open_v2(":memory:", &s->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)
        != SQLITE_OK)
        store_fail_db(s);
    /* a commit writes whole pages, so they are half as large as usual */
    snprintf(version, sizeof(version),
             "PRAGMA page_size = 2048; PRAGMA application_id = %d; "
             "PRAGMA user_version = %d; BEGIN;",
             STORE_ID, STORE_VERSION);
    store_run(s, version);
    store_run(s, store_schema);
    s->marks = 1;
    store_replace(s, rs);
    facts_write(s, rs);
    types_write(s, rs->usage);
    address_index(s, rs);
    images_begin(s, now);
    jobs_write(s, rs);
    images_write(s, rs->usage);
    targets_write(s, rs, true);
    store_run(s, "DELETE FROM old_facts; DELETE FROM old_job;"
                 "UPDATE store SET states_saved = 0; COMMIT; VACUUM;");
}

static int sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

    if (fd < 0)
        return -1;
    rc = fsync(fd);
    close(fd);
    return rc;
}

/*
 * Open a file without a name. It gets its name when it is complete and on disk,
 * so that nobody sees a part of it, and nothing is left behind if that fails.
 * Some file systems have no such files: there it has the temporary name *name.
 */
static int open_nameless(const char *file, const char *folder, char **name)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    mode_t mask = umask(0);

    umask(mask);
    if (fd >= 0) {
        xasprintf(name, "/proc/self/fd/%d", fd);
        return fd;
    }
    if (errno != EOPNOTSUPP && errno != EISDIR)
        return -1;
    xasprintf(name, "%s.XXXXXX", file);
    fd = mkostemp(*name, O_CLOEXEC);
    if (fd >= 0)
        fchmod(fd, 0666 & ~mask);
    return fd;
}

/* Write bytes to a new file, and free them. Never replaces a file. */
static void write_file(struct store *s, unsigned char *bytes, size_t len)
{
    char *path = xstrdup(s->file), *folder = dirname(path), *name = NULL;
    int fd = open_nameless(s->file, folder, &name), fault = 0;

    if (fd < 0 || file_write(fd, bytes, len) < 0 || fsync(fd) < 0
        || linkat(AT_FDCWD, name, AT_FDCWD, s->file, AT_SYMLINK_FOLLOW) < 0)
        fault = errno;
    else if (sync_folder(folder) < 0 && (fault = errno))
        unlink(s->file);
    if (fd >= 0 && strncmp(name, "/proc/", 6) != 0)
        unlink(name);
    if (fd >= 0)
        close(fd);
    free(path);
    free(name);
    sqlite3_free(bytes);
    if (fault == EEXIST)
        store_fail(s, "the file exists already");
    if (fault)
        store_fail(s, "%s", strerror(fault));
}

/* Bytes of the header that say whether a database has a log. One in memory has
   none; the file gets one. */
enum { HEADER_VERSIONS = 18, VERSION_LOG = 2 };

void store_create(const char *file, struct rset *rs,
                  const struct store_options *options)
{
    struct store *s = store_new(file, STORE_WRITE, options);
    unsigned char *bytes;
    sqlite3_int64 len;
    char *log;

    /* A log left behind would be taken for the log of the new store. */
    xasprintf(&log, "%s-wal", file);
    if (access(file, F_OK) == 0)
        store_fail(s, "the file exists already");
    if (access(log, F_OK) == 0)
        store_fail(s, "a removed store has left its log: remove %s", log);
    free(log);

    fill(s, rs, time_now());
    bytes = sqlite3_serialize(s->db, "main", &len, 0);
    if (!bytes)
        memory_exhausted();
    bytes[HEADER_VERSIONS] = bytes[HEADER_VERSIONS + 1] = VERSION_LOG;
    write_file(s, bytes, (size_t)len);
    store_close(s);
}
