/*
 * The R of each job as a file ID.json in a folder, for other programs to read.
 * A file gets its name when it is complete and on disk. Many files are made
 * durable together. One process at a time uses the folder: it holds a lock on a
 * file there, which ends with the process, however that ends.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "protocol/scheduler_private.h"

/* Larger files are no R. */
enum { R_MAX = 1 << 30 };

/* A change to be made. */
struct kvs_change {
    int64_t id;
    char *R; /* NULL: remove it */
    int fd;  /* the file while it is written; -1: none */
};

struct kvs {
    char *path;
    int folder, lease;
    struct kvs_change *list;
    size_t n;
    struct map last; /* by id: the number of the job's last change, from 1 */
};

struct file_name {
    char text[JOB_DIGITS_MAX + 8];
};

static struct file_name file_of(int64_t id, const char *end)
{
    struct file_name name;

    snprintf(name.text, sizeof(name.text), "%lld%s", (long long)id, end);
    return name;
}

/* Lock the folder. The file .lease names the process that has it. */
static int take_lease(struct kvs *k, struct diag *d)
{
    char text[512] = "", host[256] = "", since[TIME_TEXT];

    k->lease = openat(k->folder, ".lease",
                      O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (k->lease >= 0 && flock(k->lease, LOCK_EX | LOCK_NB) == 0) {
        gethostname(host, sizeof(host) - 1);
        snprintf(text, sizeof(text), "process %ld on %s since %s",
                 (long)getpid(), host, time_text(time_now(), since));
        if (ftruncate(k->lease, 0) == 0
            && file_write(k->lease, text, strlen(text)) == 0)
            return 0;
    } else if (k->lease >= 0 && errno == EWOULDBLOCK
               && read(k->lease, text, sizeof(text) - 1) >= 0) {
        return diag_set(d, "another service uses it: %s", text);
    }
    return diag_set(d, ".lease: %s", strerror(errno));
}

struct kvs *kvs_open(const char *folder, struct diag *d)
{
    struct kvs *k = xcalloc(1, sizeof(*k));

    k->path = xstrdup(folder);
    k->lease = -1;
    k->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (k->folder < 0)
        diag_set(d, "%s", strerror(errno));
    else if (take_lease(k, d) == 0)
        return k;
    kvs_close(k);
    return NULL;
}

static void forget(struct kvs *k)
{
    for (size_t i = 0; i < k->n; i++) {
        free(k->list[i].R);
        if (k->list[i].fd >= 0)
            close(k->list[i].fd);
    }
    free(k->list);
    map_fini(&k->last);
    k->list = NULL;
    k->n = 0;
}

void kvs_close(struct kvs *k)
{
    if (!k)
        return;
    forget(k);
    if (k->lease >= 0)
        close(k->lease);
    if (k->folder >= 0)
        close(k->folder);
    free(k->path);
    free(k);
}

/* --- reading -------------------------------------------------------------- */

/* Return the last change of a job that is not written yet, or NULL. */
static const struct kvs_change *find_change(const struct kvs *k, int64_t id)
{
    const struct map_slot *slot = map_find(&k->last, &id, sizeof(id));

    return slot ? &k->list[slot->value.number - 1] : NULL;
}

char *kvs_read(struct kvs *k, int64_t id, char **path, struct diag *d)
{
    const struct kvs_change *change = find_change(k, id);
    struct file_name name = file_of(id, ".json");
    size_t len;

    xasprintf(path, "%s/%s", k->path, name.text);
    if (change)
        return change->R ? xstrdup(change->R) : NULL;
    if (faccessat(k->folder, name.text, F_OK, 0) < 0 && errno == ENOENT)
        return NULL;
    return file_read(*path, R_MAX, "an R", &len, d);
}

/* --- writing -------------------------------------------------------------- */

void kvs_put(struct kvs *k, int64_t id, const char *R)
{
    VECTOR_ADD(
        k->list, k->n,
        (struct kvs_change){.id = id, .R = R ? xstrdup(R) : NULL, .fd = -1});
    map_at(&k->last, &id, sizeof(id))->value.number = k->n;
}

void kvs_put_end(struct kvs *k, int64_t id, double end)
{
    struct diag d = {0};
    char *path, *text = kvs_read(k, id, &path, &d);
    json_t *R = text ? json_read(text, strlen(text), true, &d) : NULL,
           *execution = json_object_get(R, "execution");

    free(path);
    free(text);
    if (!R)
        return;
    if (end >= 0)
        json_object_set_new(execution, "expiration", time_to_json(end));
    else
        json_object_del(execution, "expiration");
    text = json_dumps(R, JSON_COMPACT);
    kvs_put(k, id, text);
    free(text);
    json_decref(R);
}

/* Parse a file name, ID.json (*whole) or ID.tmp, which an interrupted write
   left behind. Returns false for other names. */
static bool job_of_file(const char *name, int64_t *id, bool *whole)
{
    const char *dot = strrchr(name, '.');
    char digits[JOB_DIGITS_MAX];

    if (!dot || (size_t)(dot - name) >= sizeof(digits))
        return false;
    memcpy(digits, name, (size_t)(dot - name));
    digits[dot - name] = '\0';
    *whole = !strcmp(dot, ".json");
    return (*whole || !strcmp(dot, ".tmp")) && job_is_number(digits, id);
}

size_t kvs_remove_others(struct kvs *k, const struct map *jobs)
{
    DIR *dir = opendir(k->path);
    const struct dirent *entry;
    size_t removed = 0;

    while (dir && (entry = readdir(dir))) {
        struct file_name job;
        bool whole;
        int64_t id;
        if (!job_of_file(entry->d_name, &id, &whole))
            continue;
        job = file_of(id, "");
        if (!whole)
            unlinkat(k->folder, entry->d_name, 0);
        else if (!map_find(jobs, job.text, strlen(job.text))) {
            kvs_put(k, id, NULL);
            removed++;
        }
    }
    if (dir)
        closedir(dir);
    return removed;
}

/*
 * Make some changes. All files are written under other names before the first
 * fsync(), which then mostly puts the others on disk too. A file gets its name
 * when it is on disk.
 */
static int do_changes(struct kvs *k, size_t from, size_t to)
{
    int rc = 0;

    for (size_t i = from; i < to && rc == 0; i++) {
        struct kvs_change *c = &k->list[i];
        struct file_name tmp = file_of(c->id, ".tmp"),
                         name = file_of(c->id, ".json");
        if (find_change(k, c->id) != c)
            continue; /* a later change follows */
        if (!c->R) {
            if (unlinkat(k->folder, name.text, 0) < 0 && errno != ENOENT)
                rc = -1;
            continue;
        }
        c->fd = openat(k->folder, tmp.text,
                       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (c->fd < 0 || file_write(c->fd, c->R, strlen(c->R)) < 0
            || file_write(c->fd, "\n", 1) < 0)
            rc = -1;
    }
    for (size_t i = from; i < to && rc == 0; i++) {
        struct kvs_change *c = &k->list[i];
        struct file_name tmp = file_of(c->id, ".tmp"),
                         name = file_of(c->id, ".json");
        if (c->fd < 0)
            continue;
        rc = fsync(c->fd);
        if (close(c->fd) < 0)
            rc = -1;
        c->fd = -1;
        if (rc == 0)
            rc = renameat(k->folder, tmp.text, k->folder, name.text);
    }
    return rc;
}

/* Is the folder still at its path, with the file that is locked? */
static bool is_in_place(const struct kvs *k)
{
    struct stat is, was;
    char *lease;
    bool same;

    xasprintf(&lease, "%s/.lease", k->path);
    same = stat(lease, &is) == 0 && fstat(k->lease, &was) == 0
           && is.st_dev == was.st_dev && is.st_ino == was.st_ino;
    free(lease);
    return same;
}

int kvs_sync(struct kvs *k, struct diag *d)
{
    enum { TOGETHER = 64 };
    int rc = 0;

    for (size_t i = 0; i < k->n && rc == 0; i += TOGETHER)
        rc = do_changes(k, i, i + TOGETHER < k->n ? i + TOGETHER : k->n);
    if (rc == 0 && k->n > 0)
        rc = fsync(k->folder);
    if (rc < 0)
        diag_set(d, "%s", strerror(errno));
    else if (k->n > 0 && !is_in_place(k))
        rc = diag_set(d, "it, or .lease in it, was removed, renamed or "
                         "replaced while the service used it");
    forget(k);
    return rc;
}
