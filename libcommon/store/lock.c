/*
 * Locks decide who may write to a store. They are on a file beside the store.
 * Writers lock its first byte, one after the other. A process with the lease
 * keeps this lock while it runs, and also locks the file with flock(2), so that
 * others see the lease at once and don't wait. A process that saves locks the
 * second byte. The kernel releases the locks when the process ends, however it
 * ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/memory.h"
#include "store/store_private.h"

/* Give the file the owner and the mode of the store, as SQLite does. */
static void make_like(int fd, const struct stat *store)
{
    struct stat st;

    if (fstat(fd, &st) < 0
        || (st.st_mode == store->st_mode && st.st_uid == store->st_uid
            && st.st_gid == store->st_gid))
        return;
    if (geteuid() == 0 && fchown(fd, store->st_uid, store->st_gid) < 0)
        return;
    fchmod(fd, store->st_mode & 0777); /* if this process owns it */
}

/* Open the lock file. If the store's name is a link, the file is beside the
   store itself. */
static int open_lock(struct store *s)
{
    char *file = realpath(s->file, NULL), *name;
    struct stat st;
    int fd;

    if (!file || stat(file, &st) < 0)
        store_fail(s, "%s", strerror(errno));
    if (st.st_nlink > 1) /* with its own log and locks */
        store_fail(s, "the file has another name, a hard link");
    xasprintf(&name, "%s-lease", file);
    fd = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
              st.st_mode & 0777);
    if (fd < 0)
        store_fail(s, "%s: %s", name, strerror(errno));
    make_like(fd, &st);
    free(name);
    free(file);
    return fd;
}

static void __attribute__((noreturn)) fail_leased(struct store *s)
{
    sqlite3_stmt *st;
    char since[64];
    time_t time;

    st = store_query(s, "SELECT pid, host, since FROM lease", "");
    if (!store_row(s, st))
        store_fail(s, "another process has the lease of the writer");
    time = (time_t)sqlite3_column_int64(st, 2);
    strftime(since, sizeof(since), "%Y-%m-%dT%H:%M:%S", localtime(&time));
    store_fail(s, "process %lld on %s has the lease of the writer since %s",
               (long long)sqlite3_column_int64(st, 0), column_text(st, 1),
               since);
}

static bool is_leased(const struct store *s)
{
    if (flock(s->lock, LOCK_SH | LOCK_NB) < 0)
        return true;
    flock(s->lock, LOCK_UN);
    return false;
}

enum { WRITER, SAVER };

/* Wait for one of the bytes. A process that saves needs no turn if there is a
   lease. */
static void wait_for_turn(struct store *s, off_t byte)
{
    struct flock turn = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    struct lock_wait w;
    int fault = 0;

    if (fcntl(s->lock, F_OFD_SETLK, &turn) == 0)
        return;
    lock_wait_begin(&w, s->options.wait);
    while (fcntl(s->lock, F_OFD_SETLKW, &turn) < 0) {
        fault = errno;
        if (fault != EINTR || (byte == WRITER && is_leased(s))
            || lock_wait_over(&w))
            break;
        fault = 0;
    }
    lock_wait_end(&w);
    if (fault && byte == WRITER && is_leased(s)) {
        if (s->mode == STORE_MARK)
            return;
        fail_leased(s);
    }
    if (fault == EINTR)
        store_fail(s, "others are %s; waited for %g s",
                   byte == WRITER ? "writing" : "saving", s->options.wait);
    if (fault)
        store_fail(s, "the lock of the writer: %s", strerror(fault));
}

void store_lock(struct store *s)
{
    bool saves = s->mode == STORE_MARK;

    s->lock = open_lock(s);
    if (!saves && is_leased(s))
        fail_leased(s);
    wait_for_turn(s, saves ? SAVER : WRITER);
}

void store_lock_lease(struct store *s)
{
    if (flock(s->lock, LOCK_EX) < 0)
        store_fail(s, "can't get the lease of the writer: %s", strerror(errno));
}

bool store_take_turn(struct store *s)
{
    bool leased = is_leased(s);

    if (!leased)
        wait_for_turn(s, WRITER);
    return !leased;
}

void store_end_turn(struct store *s)
{
    struct flock turn = {
        .l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = WRITER, .l_len = 1};

    fcntl(s->lock, F_OFD_SETLK, &turn);
}

void store_unlock(struct store *s)
{
    if (s->lock >= 0)
        close(s->lock);
    s->lock = -1;
}
