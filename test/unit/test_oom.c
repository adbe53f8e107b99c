/*
 * Where memory runs out a program ends with status 2 and one line, whichever
 * allocation it was: each run fails one of them (failing_malloc.c). Only what
 * libc can do without may be lost, and then the answer is the right one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random.h"
#include "tap.h"

enum { ARGS_MAX = 16, TEXT_MAX = 1 << 16 };

/* A `~` stands for a blank. */
static const char *const commands[] = {
    "idset 0-3,7 9 -x 2 @ids",
    "idset -H --multi r[0-1]n[0-3] -x r0n1",
    "rset-discover --hosts n[0-3] --cores 0-3 --property big:0-1 -o rv1",
    "rset-discover --synthetic pack:2~core:2~pu:2 -o jgf",
    "rset-match records.json",
    "rset-match -n2 -c2 records.json -o short",
    "rset-match --find type=core~and~id>1 graph.json -o tree",
    "rset-match --requires big all.json -o r",
    "rset-match --jobspec job.yaml --now 5 all.json",
    "rset-match --batch asks all.json",
    "rset-match --validate graph.json",
    "rset-match --explain -n99 records.json",
    "rset-alloc allocate 7 -n2 -c2 records.json",
    "rset-alloc allocate 7 -n1 -c1 -w R.json records.json",
    "rset-alloc release 1 records.json",
    "rset-alloc jobs --now 5 records.json",
    "rset-alloc drain 0-1 records.json --reason fan",
    "rset-alloc tag 0-3 a=b graph.json",
    "rset-diff all.json records.json",
    "rset-diff --patch all.json records.json",
    "rset-diff --union some.json others.json",
    "rset-diff --verify all.json records.json",
};
enum { NCOMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char setup[] =
    "PATH=$RSET_BIN:$PATH\n"
    "rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0 --property big:0-1"
    " >all.json &&\n"
    "rset-discover --hosts 'n[0-1]' --cores 0-3 >some.json &&\n"
    "rset-discover --hosts 'n[2-3]' --ranks 2-3 --cores 0-1 >others.json &&\n"
    "rset-discover --synthetic 'pack:2 core:2 pu:1' -o jgf >graph.json &&\n"
    "rset-alloc allocate 1 -n2 -c2 all.json |\n"
    "rset-alloc allocate 2 -N1 --duration 1h --now 5 >records.json &&\n"
    "printf '0-2\\n5-6\\n' >ids &&\n"
    "printf 'slot=2/core=1\\nnode=9/slot/core\\n' >asks &&\n"
    "printf '%s\\n' 'version: 1' 'resources:' '- type: slot' '  count: 2'"
    " '  label: x' '  with:' '  - {type: core, count: 2}' 'tasks:'"
    " '- command: [a]' '  slot: x' '  count: {per_slot: 1}'"
    " 'attributes: {system: {duration: 60}}' >job.yaml\n";

/* What a run came to. */
struct outcome {
    int status;   /* -1: a signal */
    size_t count; /* of allocations, if it came to its end */
    bool failed;  /* one of them */
    char out[TEXT_MAX], err[TEXT_MAX];
};

static void read_all(const char *file, char text[TEXT_MAX])
{
    FILE *fp = fopen(file, "r");
    size_t len = fp ? fread(text, 1, TEXT_MAX - 1, fp) : 0;

    text[len] = '\0';
    if (fp)
        fclose(fp);
}

static void become(const char *command, const char *shim, size_t at, int report)
{
    static char words[1024], path[4096], number[32], fd[32];
    char *argv[ARGS_MAX] = {0}, *rest = words;
    int n = 0;

    snprintf(words, sizeof(words), "%s", command);
    while (n < ARGS_MAX - 1 && (argv[n] = strsep(&rest, " ")))
        for (char *p = argv[n++]; (p = strchr(p, '~'));)
            *p = ' ';
    snprintf(path, sizeof(path), "%s/%s", getenv("RSET_BIN"), argv[0]);
    snprintf(number, sizeof(number), "%zu", at);
    snprintf(fd, sizeof(fd), "%d", report);
    setenv("OOM_AT", number, 1);
    setenv("OOM_FD", fd, 1);
    setenv("LD_PRELOAD", shim, 1);
    if (freopen("out", "w", stdout) && freopen("err", "w", stderr))
        execv(path, argv);
    _exit(126);
}

/* Run a command with the allocation `at` lost. */
static void run(const char *command, const char *shim, size_t at,
                struct outcome *o)
{
    int report[2], status = 0;
    size_t n;
    pid_t pid;

    *o = (struct outcome){.status = -1};
    fflush(stdout);
    if (pipe(report) < 0 || (pid = fork()) < 0)
        return;
    if (pid == 0)
        become(command, shim, at, report[1]);
    close(report[1]);
    while (read(report[0], &n, sizeof(n)) == sizeof(n)) {
        if (n == SIZE_MAX)
            o->failed = true;
        else
            o->count = n;
    }
    close(report[0]);
    waitpid(pid, &status, 0);
    if (WIFEXITED(status))
        o->status = WEXITSTATUS(status);
    read_all("out", o->out);
    read_all("err", o->err);
}

/* Does it say one line that memory ran out, and that with status 2? */
static bool is_out_of_memory(const struct outcome *o)
{
    const char *end = strchr(o->err, '\n');

    return o->status == 2 && end && !end[1]
           && (strstr(o->err, ": out of memory\n")
               || strstr(o->err, ": Cannot allocate memory\n"));
}

static bool is_right(const struct outcome *o, const struct outcome *want)
{
    return o->status == want->status && !strcmp(o->out, want->out)
           && !strcmp(o->err, want->err);
}

/* Lose some of its allocations, or with `all` each in its turn. */
static void sweep(const char *command, const char *shim, long runs, bool all)
{
    static struct outcome want, got;
    size_t step, wrong = 0;

    run(command, shim, 0, &want);
    if (!ok(want.status >= 0 && want.status < 4 && want.count > 0,
            "%s: there are allocations", command)) {
        printf("# status %d: %s\n", want.status, want.err);
        return;
    }
    step = all || want.count < (size_t)runs ? 1 : want.count / (size_t)runs;
    for (size_t k = 1; k <= want.count && wrong < 5; k += step) {
        size_t at = k + random_below((uint32_t)step);
        run(command, shim, at, &got);
        if (is_out_of_memory(&got) || is_right(&got, &want))
            continue;
        wrong++;
        printf("# OOM_AT=%zu: status %d: %s\n", at, got.status, got.err);
    }
    ok(wrong == 0, "%s: out of memory at any of %zu", command, want.count);
}

int main(void)
{
    const char *bin = getenv("RSET_BIN"), *san = getenv("SAN");
    char shim[4096], dir[] = "/tmp/test_oom.XXXXXX", undo[64];
    long runs = random_start(16);

    if (!bin || (san && *san)) {
        printf("1..0 # skip the sanitizers have an allocator of their own\n");
        return 0;
    }
    snprintf(shim, sizeof(shim), "%s/test/unit/failing_malloc.so", bin);
    setenv("HWLOC_COMPONENTS", "-gl", 0);
    if (!mkdtemp(dir) || chdir(dir) < 0 || system(setup) != 0) {
        ok(0, "documents to work on");
        return done_testing();
    }
    for (int i = 0; i < NCOMMANDS; i++)
        sweep(commands[i], shim, runs, getenv("RSET_SOAK"));
    ok(system("rm R.json && ls | grep R.json") != 0,
       "nothing is left beside a file that is written");
    snprintf(undo, sizeof(undo), "rm -r %s", dir);
    if (chdir("/") < 0 || system(undo) != 0)
        printf("# %s can't be removed\n", dir);
    return done_testing();
}
