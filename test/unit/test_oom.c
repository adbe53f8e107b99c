/*
 * If memory is exhausted a program ends with status 2 and one line, whichever
 * allocation failed: each run fails one allocation, or all from one on
 * (failing_malloc.c). libc may survive some failures, and then the answer must
 * be right. A file that is written is the old one or the new one.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random.h"
#include "tap.h"

enum { ARGS_MAX = 16, TEXT_MAX = 1 << 16 };

/* A `~` stands for a blank. */
static const char *const commands[] = {
    "idset 0-3,7 9 -x 2 @ids",
    "idset --from cpulist 0-8:2/4 -i 1-9 -X 3 --to mask",
    "idset -l --sort -H n[3,1] @hosts -e",
    "idset -H --multi r[0-1]n[0-3] -x r0n1",
    "idset --to json --complement 0-99 7 --split 3",
    "idset --contains 3-4 0-9",
    "rset-discover --hosts n[0-3] --cores 0-3 --property big:0-1 -o rv1",
    "rset-discover --hosts a --cores 0 --hosts b[1-2] --cores 0-1 -o tree",
    "rset-discover --hosts n[0-2] --memory 3GiB --sockets-per-node 2 --at 5",
    "rset-discover --hosts n[0-2] --nodes-per-rack 2 --name x${rack}-${host}",
    "rset-discover --synthetic pack:2~core:2~pu:2 -o jgf",
    "rset-discover --xml machine.xml",
    "rset-discover --from slurm slurm.json -o jgf",
    "rset-discover --xml machine.xml --types numa,core,gpu,nic -o jgf",
    "rset-discover -o hosts",
    "rset-discover serve --synthetic pack:2~core:2~pu:2",
    "rset-match records.json",
    "rset-match -o rv1 --dialect current records.json graph.json",
    "rset-match -o jgf power.json",
    "rset-match -n2 -c2 records.json -o short",
    "rset-match --shape slot=1-3/[core=1-2;gpu] all.json -o rv1",
    "rset-match --shape slot/[core;pdu=50] power.json -o jgf",
    "rset-match --find type=core~and~id>1 graph.json -o tree",
    "rset-match --find fed-by=power:/pdu0~or~path=power:/pdu0/* power.json",
    "rset-match --find free@9~and~not~tag=a=b held.json -o hosts",
    "rset-match --requires big all.json -o r",
    "rset-match --constraint {\"not\":[{\"ranks\":[\"0-1\"]}]} all.json",
    "rset-match --include n[0-1] --requires ^big --state up all.json",
    "rset-match --type node,gpu -o tree records.json",
    "rset-match --subtree /cluster0/n1 -o jgf all.json",
    "rset-match --jobspec job.yaml --now 5 all.json",
    "rset-match --batch asks all.json",
    "rset-match --count node,core,gpu all.json records.json",
    "rset-match --aggregate --zero -o json held.json --now 9",
    "rset-match --available held.json --now 9 -o short",
    "rset-match --validate graph.json",
    "rset-match --validate --strict -o json broken.json",
    "rset-match --explain -n99 records.json",
    "rset-match --explain -o json -N4 held.json",
    "rset-match no-such-file.json",
    "rset-match broken.json",
    "rset-alloc allocate 7 -n2 -c2 records.json",
    "rset-alloc allocate 7 -n1 -c1 -w R.json records.json",
    "rset-alloc allocate 7 --take power:/pdu0=9 --owner me power.json",
    "rset-alloc allocate 7 --R job.json all.json --at 20 --duration 5 --now 9",
    "rset-alloc allocate 7 --jobspec job.yaml --stage --now 5 held.json",
    "rset-alloc allocate 7 -N1 --in-place state.json",
    "rset-alloc grow 1 -n1 records.json",
    "rset-alloc commit 3 held.json",
    "rset-alloc abort 3 held.json",
    "rset-alloc release 1 records.json",
    "rset-alloc shrink 1 --give /cluster0/node0/core0=1 records.json",
    "rset-alloc release 1 --R job.json records.json",
    "rset-alloc extend 2 --expiration 9000 --now 5 records.json",
    "rset-alloc expire --now 9000 records.json",
    "rset-alloc allocated 1 records.json --held",
    "rset-alloc available --at 8 --now 5 held.json",
    "rset-alloc jobs --now 5 records.json",
    "rset-alloc status --now 5 held.json",
    "rset-alloc check held.json",
    "rset-alloc drain 0-1 records.json --reason fan",
    "rset-alloc undrain 3 held.json",
    "rset-alloc tag 0 a=b graph.json",
    "rset-alloc property n0 ^big all.json",
    "rset-alloc batch work records.json --now 5 --save state.json",
    "rset-diff all.json records.json",
    "rset-diff -o json graph.json power.json",
    "rset-diff --patch all.json records.json",
    "rset-diff --apply patch.json all.json",
    "rset-diff --union some.json others.json",
    "rset-diff --union power.json graph.json --key host",
    "rset-diff --union gathered --key host --remap",
    "rset-diff --xor records.json others.json",
    "rset-diff --intersect state.json all.json --in-place",
    "rset-diff --subtract -o tree held.json some.json",
    "rset-diff --rerank n[3,2,1,0] held.json",
    "rset-diff --attach /cluster0 graph.json part.json",
    "rset-diff --unlink /cluster0/n1 power.json",
    "rset-diff --verify all.json records.json",
    "rset-diff --audit all.json job.json job.json",
    "rset-diff --responses all.json some.json",
    "rset-discover --config config",
    "rset-discover --config racks",
    "rset-discover --config nodes -o tree",
    "rset-discover serve --config config --define-group a=2 --events log",
    "rset-discover serve --resources held.json --dialect current",
    "rset-alloc serve --now 5 --dialect current",
    "rset-alloc serve --now 5 --kvs kvs --log-level debug",
    "rset-alloc serve --now 5 --kvs kvs --resources all.json --policy low",
};
enum { NCOMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char setup[] =
    "PATH=$RSET_BIN:$PATH && cp \"$MACHINE\" machine.xml &&\n"
    "rset-discover --hosts 'n[0-3]' --cores 0-3 --gpus 0 --property big:0-1"
    " >all.json &&\n"
    "rset-discover --hosts 'n[0-1]' --cores 0-3 >some.json &&\n"
    "rset-discover --hosts 'n[2-3]' --ranks 2-3 --cores 0-1 >others.json &&\n"
    "rset-discover --synthetic 'pack:2 core:2 pu:1' -o jgf >graph.json &&\n"
    "rset-match --subtree \"$(rset-match -o hosts graph.json |\n"
    "    sed 's|^|/cluster0/|')/socket1\" graph.json >part.json &&\n"
    "rset-alloc allocate 1 -n2 -c2 all.json |\n"
    "rset-alloc allocate 2 -N1 --duration 1h --now 5 >records.json &&\n"
    "rset-alloc allocated 1 records.json >job.json &&\n"
    "rset-alloc allocate 3 -n1 --stage records.json |\n"
    "rset-alloc drain 3 --reason fan --now 4 | rset-alloc tag n0 a=b |\n"
    "rset-alloc allocate 4 -n1 --at 8 --duration 9 --now 5 >held.json &&\n"
    "cp records.json state.json &&\n"
    "rset-diff --patch all.json records.json >patch.json &&\n"
    "sed 's/0-3/3-0/' all.json >broken.json &&\n"
    "rset-match -o jgf all.json | sed -e 's|\"nodes\":\\[|&{\"id\":\"p\",\""
    "metadata\":{\"type\":\"pdu\",\"name\":\"pdu0\",\"size\":99}},|'"
    " -e 's|\"edges\":\\[|&{\"source\":\"p\",\"target\":\"1\",\"metadata\":"
    "{\"subsystem\":\"power\"}},|' >power.json &&\n"
    "sed 's/^/n7: /' others.json some.json >gathered &&\n"
    "cat >slurm.json <<'END' &&\n"
    "{\"nodes\":[{\"name\":\"n1\",\"sockets\":2,\"cores\":2,\"real_memory\":9,"
    "\"gres\":\"gpu:x:2(S:0),nic:2\",\"features\":\"a,b|c\",\"state\":\"idle\","
    "\"cpus\":4,\"specialized_cpus\":\"0\",\"reservation\":\"r\"}"
    ","
    "{\"name\":\"n2\",\"cores\":2,\"state\":[\"IDLE\",\"DRAIN\"],\"reason\":"
    "\"fan\"}],\"jobs\":[{\"job_id\":7,\"job_state\":\"RUNNING\",\"job_"
    "resources\""
    ":{\"allocated_nodes\":[{\"nodename\":\"n1\",\"memory_allocated\":3,"
    "\"sockets\":{\"1\":{\"cores\":{\"0\":\"allocated\"}}}}]},\"gres_detail\":["
    "\"gpu:1(IDX:1),shard:2(0/4,2/"
    "4)\"]},{\"job_id\":8,\"job_state\":[\"RUNNING\"],\"nodes\":"
    "\"n2\","
    "\"array_job_id\":6,\"array_task_id\":1,\"shared\":[\"none\"]}],"
    "\"reservations\":[{\"name\":\"s\",\"node_list\":\"n[1,3]\"}]}\nEND\n"
    "printf '0-2\\n5-6\\n' >ids && printf 'a[1-2]\\nb\\n' >hosts &&\n"
    "printf 'slot=2/core=1\\nnode=9/slot/core\\n' >asks &&\n"
    "printf '%s\\n' 'allocate 7 -n1' 'jobs' 'release 1' 'down n3' 'status'"
    " 'allocate 8 -N9' 'release 8' >work &&\n"
    "printf '%s\\n' 'version: 1' 'resources:' '- type: slot' '  count: 2'"
    " '  label: x' '  with:' '  - {type: core, count: 2}' 'tasks:'"
    " '- command: [a]' '  slot: x' '  count: {per_slot: 1}'"
    " 'attributes: {system: {duration: 60}}' >job.yaml &&\n"
    "echo '{config: [{hosts: \"n[0-3]\", cores: 0-1}], exclude: n3}' >config\n"
    "echo '{exclude: \"1\", resources: [{type: rack, name: x, with: [{type: "
    "node,"
    " count: 2, tags: [t], with: [{type: core}]}]}, {type: pdu, subsystem: "
    "power,"
    " size: 9, with: [{path: /cluster0/x}]}, {type: license}]}' >racks\n"
    "echo '{resources: [{type: node, count: 2, name: a, properties: {p: q},"
    " with: [{type: socket, with: [{type: core, ids: 3-4}]}]}]}' >nodes\n"
    "event() { echo '{\"timestamp\":1,\"name\":\"'$1'\",\"context\":{'$2'}}'; "
    "}\n"
    "event restart '\"ranks\":\"0-3\",\"nodelist\":\"n[1,0,2-3]\",\"online\":"
    "\"0-3\"' >log &&\n"
    "event drain '\"idset\":\"0-1,7\",\"nodelist\":\"n[1,5,9]\"' >>log &&\n"
    "printf '{\"topic\":\"resource.%s}\\n' "
    "'acquire\",\"matchtag\":1,\"flags\":["
    "\"streaming\"],\"payload\":{\"group\":\"default\"}'"
    " 'release\",\"matchtag\":2,\"payload\":{\"group\":\"default\",\"targets\":"
    "\"0\"}' 'acquire\",\"matchtag\":1,\"type\":\"response\",\"payload\":{"
    "\"type\":\"grow\",\"resources\":'\"$(cat all.json)\"',\"online\":\"0-3\","
    "\"offline\":\"\"}' 'acquire\",\"matchtag\":3,\"flags\":[\"streaming\"]'"
    " >lines &&\n"
    "event exclude '\"idset\":\"0\"' >>lines && echo bad >>lines\n"
    "say() { echo '{\"topic\":\"'$1'\"'${2:+',\"matchtag\":'$2}"
    "${3:+',\"payload\":{'$3'}'}'}'; }\n"
    "event() { say resource.acquire 1 \"\\\"type\\\":\\\"$1\\\",$2\"; }\n"
    "alloc() { say sched.alloc 0 '\"id\":'$1',\"priority\":9,\"userid\":5,"
    "\"jobspec\":{\"version\":1,\"resources\":[{\"type\":\"slot\",\"count\":"
    "'$2',\"label\":\"s\",\"with\":[{\"type\":\"core\",\"count\":2}]}],"
    "\"tasks\":[{\"command\":[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}"
    "],\"attributes\":{\"system\":{\"queue\":\"q\"}}}'; }\n"
    "{ event grow '\"resources\":'\"$(cat all.json)\"',\"online\":\"0-2\","
    "\"up\":\"0-2\",\"offline\":\"3\"'\n"
    "for tag in 1 2; do say job-manager.sched-hello $tag '\"id\":7,\"R\":'\"$("
    "cat job.json)\"\n"
    "echo '{\"topic\":\"job-manager.sched-hello\",\"matchtag\":'$tag',"
    "\"errnum\":61}' && say job-manager.sched-ready $((tag + 1)) "
    "'\"count\":0'; done\n"
    "alloc 8 1; alloc 9 7; alloc 10 99; say sched.prioritize '' "
    "'\"jobs\":[[9,3]]'\n"
    "event shrink '\"targets\":\"0\",\"shrink\":\"0\",\"down\":\"0\"'\n"
    "say sched.resource-status 4; say sched.stats-get 5; say sched.expiration "
    "6 '\"id\":8,\"expiration\":9'; say sched.cancel '' '\"id\":9'; say "
    "sched.free '' '\"id\":7'; say sched.free '' '\"id\":8'; say zebra 7; "
    "} >talk && mkdir kvs\n";

/* The result of a run. */
struct outcome {
    int status;   /* -1: a signal */
    size_t count; /* allocations, if it ended by itself */
    char out[TEXT_MAX], err[TEXT_MAX], file[TEXT_MAX];
};

static void read_all(const char *file, char text[TEXT_MAX])
{
    FILE *fp = fopen(file, "r");
    size_t len = fp ? fread(text, 1, TEXT_MAX - 1, fp) : 0;

    text[len] = '\0';
    if (fp)
        fclose(fp);
}

/* Which allocation fails, of ours or of popt, and do all later ones? */
struct loss {
    size_t at;
    bool lasts, of_popt;
};

static void become(const char *command, const char *shim, struct loss loss,
                   int report)
{
    static char words[1024], path[4096], number[32], fd[32];
    char *argv[ARGS_MAX] = {0}, *rest = words;
    int n = 0;

    snprintf(words, sizeof(words), "%s", command);
    while (n < ARGS_MAX - 1 && (argv[n] = strsep(&rest, " ")))
        for (char *p = argv[n++]; (p = strchr(p, '~'));)
            *p = ' ';
    snprintf(path, sizeof(path), "%s/%s", getenv("RSET_BIN"), argv[0]);
    snprintf(number, sizeof(number), "%zu", loss.at);
    snprintf(fd, sizeof(fd), "%d", report);
    setenv("OOM_AT", number, 1);
    setenv("OOM_FD", fd, 1);
    if (loss.lasts)
        setenv("OOM_LASTS", "1", 1);
    if (loss.of_popt)
        setenv("OOM_POPT", "1", 1);
    setenv("LD_PRELOAD", shim, 1);
    if (freopen(strstr(command, "alloc serve") ? "talk" : "lines", "r", stdin)
        && freopen("out", "w", stdout) && freopen("err", "w", stderr))
        execv(path, argv);
    _exit(126);
}

/* Restore the file that commands change. */
static void write_state(const char *text)
{
    FILE *fp = fopen("state.json", "w");

    fputs(text, fp);
    fclose(fp);
}

static void run(const char *command, const char *shim, struct loss loss,
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
        become(command, shim, loss, report[1]);
    close(report[1]);
    while (read(report[0], &n, sizeof(n)) == sizeof(n))
        if (n > o->count) /* allocations of the program, or of its child */
            o->count = n;
    close(report[0]);
    waitpid(pid, &status, 0);
    if (WIFEXITED(status))
        o->status = WEXITSTATUS(status);
    read_all("out", o->out);
    read_all("err", o->err);
    read_all("state.json", o->file);
}

/*
 * Does the last line, after the usual ones, report exhausted memory? popt may
 * have a line of its own before it.
 */
static bool is_out_of_memory(const struct outcome *o,
                             const struct outcome *want)
{
    static const char of_popt[] = "virtual memory exhausted.\n";
    const char *last = o->err, *end;
    size_t before, len = sizeof(of_popt) - 1;

    while ((end = strchr(last, '\n')) && end[1])
        last = end + 1;
    before = (size_t)(last - o->err);
    if (before >= len && !memcmp(last - len, of_popt, len))
        before -= len;
    return o->status == 2 && end && !strncmp(o->err, want->err, before)
           && (strstr(last, ": out of memory\n")
               || strstr(last, ": Cannot allocate memory\n"));
}

static bool is_right(const struct outcome *o, const struct outcome *want)
{
    return o->status == want->status && !strcmp(o->out, want->out)
           && !strcmp(o->err, want->err);
}

/*
 * Fail some of its allocations, or with `all` each in turn: ours, or popt's.
 */
static void sweep(const char *command, const char *shim, size_t runs, bool all,
                  bool of_popt)
{
    static struct outcome want, got;
    static char before[TEXT_MAX];
    size_t step, wrong = 0;

    read_all("state.json", before);
    run(command, shim, (struct loss){.of_popt = of_popt}, &want);
    write_state(before);
    if (!ok(want.status >= 0 && want.status < 4 && want.count > 0,
            "%s: there are allocations", command)) {
        printf("# status %d: %s\n", want.status, want.err);
        return;
    }
    step = all || want.count < runs ? 1 : want.count / runs;
    for (size_t k = 1; k <= want.count && wrong < 5; k += step) {
        struct loss loss = {k + random_below((uint32_t)step),
                            all ? k % 2 == 0 : random_below(2), of_popt};
        for (int i = 0; i <= all; i++, loss.lasts = !loss.lasts) {
            run(command, shim, loss, &got);
            if (strcmp(got.file, before) != 0)
                write_state(before);
            if ((is_out_of_memory(&got, &want) && !strcmp(got.file, before))
                || (is_right(&got, &want) && !strcmp(got.file, want.file)))
                continue;
            wrong++;
            printf("# OOM_AT=%zu%s%s: status %d: %s\n", loss.at,
                   loss.lasts ? " OOM_LASTS=1" : "",
                   of_popt ? " OOM_POPT=1" : "", got.status, got.err);
        }
    }
    ok(wrong == 0, "%s: out of memory at any of %zu%s", command, want.count,
       of_popt ? " of popt" : "");
}

int main(void)
{
    const char *bin = getenv("RSET_BIN"), *san = getenv("SAN");
    /* LD_PRELOAD splits at blanks, and the path of the build may have some. */
    static const char shim[] = "./shim.so";
    char path[PATH_MAX], machine[PATH_MAX], dir[] = "/tmp/test_oom.XXXXXX",
                                            undo[64];
    size_t runs = (size_t)random_start(6);

    if (!bin || (san && *san)) {
        printf("1..0 # skip the sanitizers have an allocator of their own\n");
        return 0;
    }
    snprintf(path, sizeof(path), "%s/test/unit/failing_malloc.so", bin);
    setenv("MACHINE", realpath("test/fixtures/hwloc-gpus.xml", machine), 1);
    setenv("HWLOC_COMPONENTS", "-gl", 0);
    /* Without memory for the rules of a zone libc silently uses UTC. So the
       times in a table are certainly right only in UTC. */
    setenv("TZ", "UTC0", 1);
    if (!mkdtemp(dir) || chdir(dir) < 0 || symlink(path, shim) < 0
        || system(setup) != 0) {
        ok(0, "documents to work on");
        return done_testing();
    }
    for (int i = 0; i < NCOMMANDS; i++)
        sweep(commands[i], shim, runs, getenv("RSET_SOAK"), false);
    for (int i = 0; i < NCOMMANDS; i += getenv("RSET_SOAK") ? 1 : 8)
        sweep(commands[i], shim, runs, true, true);
    ok(system("rm R.json && ls -A | grep -e R.json -e '^[.]rset'") != 0,
       "nothing is left beside a file that is written");
    snprintf(undo, sizeof(undo), "rm -r %s", dir);
    if (chdir("/") < 0 || system(undo) != 0)
        printf("# %s can't be removed\n", dir);
    return done_testing();
}
