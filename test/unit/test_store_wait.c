/*
 * Waiting at a store: a reader of a store at rest does not block others. It
 * waits for a writer that stopped while it read the log, but no longer than
 * --wait.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "sets.h"
#include "store/store.h"
#include "store_file.h"
#include "tap.h"

/* Bytes of the index that SQLite locks (its file format, the WAL-index). */
enum { WRITING = 120, READING = 123, OPEN = 128 };
enum { INDEX_SIZE = 32768 };

static void __attribute__((noreturn)) fail(struct diag *d)
{
    const struct diag_line line = diag_line(d);

    printf("# %s\n", line.text);
    fflush(stdout);
    _exit(strstr(line.text, " writing; waited for 0.2 s") ? 2 : 3);
}

static const struct store_options options = {
    .fail = fail, .wait = 0.2, .keep = 10};

static int open_index(void)
{
    char name[80];

    snprintf(name, sizeof(name), "%s-shm", store_file);
    return open(name, O_RDWR);
}

static bool lock(int fd, int command, short type, int from, int len)
{
    struct flock l = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = from, .l_len = len};

    return fcntl(fd, command, &l) == 0
           && (command != F_GETLK || l.l_type == F_UNLCK);
}

/* Start a child, wait until it has stopped or ended, and return its pid. */
static pid_t start(int (*child)(void), int *status)
{
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0)
        _exit(child());
    waitpid(pid, status, WUNTRACED);
    return pid;
}

/* Run a child, and return its exit status. */
static int ask_child(int (*child)(void))
{
    int status;

    start(child, &status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* No byte is locked that a writer locks when it opens a store. */
static int all_free(void)
{
    int fd = open_index();

    return lock(fd, F_GETLK, F_WRLCK, WRITING, READING - WRITING)
           && lock(fd, F_GETLK, F_WRLCK, OPEN, 1);
}

/* Open the store, read it, and close it. */
static int read_store(void)
{
    struct store *s = store_open(store_file, STORE_READ, &options);

    rset_destroy(store_read(s));
    store_close(s);
    return 0;
}

static int write_store(void)
{
    struct store *s = store_open(store_file, STORE_WRITE, &options);
    struct rset *rs = store_read(s);

    store_record(s, &(struct operation){.time = 1, .command = "test"});
    store_sync(s);
    rset_destroy(rs);
    store_close(s);
    return 0;
}

/* Stop when the store is open, and read it then. */
static int read_slowly(void)
{
    struct store *s = store_open(store_file, STORE_READ, &options);

    raise(SIGSTOP);
    rset_destroy(store_read(s));
    store_close(s);
    return 0;
}

/* Stop while holding the locks of a writer that reads the log of a store at
   rest. */
static int stop_in_log(void)
{
    int fd = open_index();

    if (ftruncate(fd, 0) == 0 && ftruncate(fd, INDEX_SIZE) == 0
        && lock(fd, F_SETLK, F_RDLCK, OPEN, 1)
        && lock(fd, F_SETLK, F_WRLCK, WRITING, READING - WRITING))
        raise(SIGSTOP);
    return 0;
}

int main(void)
{
    struct rset *rs = read_set(
        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0\","
        "\"children\":{\"core\":\"0-3\"}}],\"starttime\":0,\"expiration\":0,"
        "\"nodelist\":[\"n0\"]}}");
    int status;
    pid_t pid;

    store_begin();
    store_create(store_file, rs, &options);
    rset_destroy(rs);
    ok(ask_child(write_store) == 0, "a store with a log, at rest");

    pid = start(read_slowly, &status);
    ok(WIFSTOPPED(status), "a reader has stopped");
    ok(ask_child(all_free), "it blocks nobody");
    ok(ask_child(write_store) == 0 && ask_child(read_store) == 0,
       "others write and read meanwhile");
    kill(pid, SIGCONT);
    waitpid(pid, &status, 0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "and it continues");

    pid = start(stop_in_log, &status);
    ok(WIFSTOPPED(status), "a writer has stopped while it read the log");
    ok(ask_child(read_store) == 2, "a reader waits as long as --wait");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    ok(ask_child(read_store) == 0, "when it is gone nobody waits");
    return done_testing();
}
