/* Requests: the options of flux run, counts, files, and the command line. */
#include "request/request.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/request_options.h"
#include "tap.h"
#include "request_text.h"

#define BIG UINT64_C(2147483648)

/* --- options of the library --------------------------------------------- */

static const struct options {
    struct request_options opts; /* -N -n -c -g -x */
    const char *shape, *error;
} options[] = {
    {{0, 0, 0, 0, false}, "slot/core", NULL},
    {{0, 3, 0, 0, false}, "slot=3/core", NULL},
    {{0, 3, 4, 0, false}, "slot=3/core=4", NULL},
    {{0, 3, 4, 2, false}, "slot=3/[core=4;gpu=2]", NULL},
    {{0, 0, 0, 1, false}, "slot/[core;gpu]", NULL},
    {{2, 0, 0, 0, false}, "node=2{x}/slot/core", NULL},
    {{2, 0, 4, 1, false}, "node=2{x}/slot/[core=4;gpu]", NULL},
    {{2, 0, 0, 0, true}, "node=2{x}/slot/core", NULL},
    {{2, 2, 0, 0, false}, "node=2/slot/core", NULL},
    {{2, 5, 4, 0, false}, "node=2/slot=3/core=4", NULL},
    {{2, 6, 0, 1, true}, "node=2{x}/slot=3/[core;gpu]", NULL},
    {{1, 1, 0, 0, false}, "node/slot/core", NULL},
    {{BIG - 1, BIG - 1, BIG - 1, BIG - 1, true},
     "node=2147483647{x}/slot/[core=2147483647;gpu=2147483647]",
     NULL},
    {{2, BIG - 1, 1, 0, false}, "node=2/slot=1073741824/core", NULL},
    {{0, 0, 0, 0, true}, NULL, "exclusive nodes need a number of nodes"},
    {{3, 2, 0, 0, false}, NULL, "2 slots cannot be on 3 nodes"},
    {{2, 1, 0, 0, false}, NULL, "1 slot cannot be on 2 nodes"},
    {{BIG, 0, 0, 0, false}, NULL, "2147483648 nodes: at most 2147483647"},
    {{0, BIG, 0, 0, false}, NULL, "2147483648 slots: at most 2147483647"},
    {{0, 0, BIG, 0, false},
     NULL,
     "2147483648 cores per slot: at most 2147483647"},
    {{0, 0, 0, UINT64_MAX, false},
     NULL,
     "18446744073709551615 gpus per slot: at most 2147483647"},
};

static void test_options(const struct options *t)
{
    struct diag d = {0};
    struct request *req = request_from_options(&t->opts, &d);
    char *shape = req ? request_shape(req) : NULL;

    is(shape, t->shape, "options: %s", t->shape ? t->shape : t->error);
    if (!req)
        is(d.text, t->error, "... with its fault");
    free(shape);
    request_destroy(req);
}

/* --- counts ------------------------------------------------------------- */

static const struct count {
    const char *text;
    uint64_t fixed, min, limit, largest;
} counts[] = {
    {"4", 4, 4, 100, 4},
    {"4", 4, 4, 3, 0},
    {"4-4", 4, 4, 4, 4},
    {"2-6:2", 0, 2, 5, 4},
    {"2-6:2", 0, 2, 100, 6},
    {"2-6:2", 0, 2, 1, 0},
    {"3+", 0, 3, UINT64_MAX - 1, UINT64_MAX - 1},
    {"1+:2:*", 0, 1, 1000, 512},
    {"2+:2:^", 0, 2, 300, 256},
    {"2,5-6", 0, 2, 4, 2},
    {"2,5-6", 0, 2, 5, 5},
    {"2,5-6", 0, 2, UINT64_MAX, 6},
    {"2,5-6", 0, 2, 1, 0},
    {"1,3-4,2147483647", 0, 1, 2147483646, 4},
};

static void test_count(const struct count *t)
{
    struct diag d = {0};
    char shape[64];
    struct request *req;
    const struct request_count *count;

    snprintf(shape, sizeof(shape), "a=%s", t->text);
    req = request_from_shape(shape, &d);
    if (!ok(req != NULL, "count %s", t->text))
        return;
    count = &req->resources->count;
    ok(request_count_fixed(count) == t->fixed, "... fixed");
    ok(request_count_min(count) == t->min, "... least");
    ok(request_count_largest(count, t->limit) == t->largest,
       "... largest up to %llu", (unsigned long long)t->limit);
    request_destroy(req);
}

/* --- files -------------------------------------------------------------- */

#define JOB                                                                  \
    "{version: 1, resources: [{type: slot, count: 2, label: default, with: " \
    "[{type: core, count: 1}]}], tasks: [{command: [a], slot: default, "     \
    "count: {per_slot: 1}}], attributes: {}}"

static char path[] = "/tmp/test_request.XXXXXX";

static void put_file(const char *text, size_t len)
{
    FILE *fp = fopen(path, "w");

    if (!fp || fwrite(text, 1, len, fp) != len || fclose(fp) != 0)
        perror(path);
}

/* The error starts with "FILE", which stands for the name of the file. */
static void test_file(const char *text, size_t len, const char *shape,
                      const char *error)
{
    struct diag d = {0};
    char want[1024], *got;
    struct request *req;

    put_file(text, len);
    req = request_from_file(path, &d);
    got = req ? request_shape(req) : NULL;
    is(got, shape, "a file: %s", shape ? shape : error);
    snprintf(want, sizeof(want), "%s: %s", path, error ? error : "");
    if (!req)
        is(diag_line(&d).text, want, "... with its fault");
    free(got);
    request_destroy(req);
}

static void test_large_file(void)
{
    size_t len = 200000;
    char *text = malloc(len);

    memset(text, '\n', len);
    memcpy(text + len - sizeof(JOB) + 1, JOB, sizeof(JOB) - 1);
    test_file(text, len, "slot=2/core", NULL);
    memset(text, ' ', len);
    text[len - 1] = '"';
    test_file(text, len, NULL,
              "line 1, column 200001: found unexpected end of stream while "
              "scanning a quoted scalar");
    free(text);
}

static void test_no_file(const char *name, const char *error)
{
    struct diag d = {0};
    struct request *req = request_from_file(name, &d);

    ok(req == NULL, "%s is not read", name);
    is(diag_line(&d).text, error, "... with its fault");
}

static void test_files(void)
{
    close(mkstemp(path));
    test_file(JOB, sizeof(JOB) - 1, "slot=2/core", NULL);
    test_file("", 0, NULL, "no jobspec: the input is empty");
    test_file("\0\0", 2, NULL, "line 1, column 1: a NUL byte");
    test_file("{\"a\":\0}", 7, NULL,
              "line 1, column 8: input ends in the middle of a document");
    test_file("a: [", 4, NULL,
              "line 2, column 1: did not find expected node content while "
              "parsing a flow node");
    test_large_file();
    test_no_file("/nonexistent", "/nonexistent: No such file or directory");
    test_no_file("/", "/: Is a directory");
    unlink(path);
}

/* --- the command line --------------------------------------------------- */

static const struct command {
    const char *args[8];
    const char *shape, *error;
} commands[] = {
    {{NULL}, "none", NULL},
    {{"operand"}, "none", NULL},
    {{"-N2"}, "node=2{x}/slot/core", NULL},
    {{"-N2", "-n4", "-c3", "-g1", "-x"}, "node=2{x}/slot=2/[core=3;gpu]", NULL},
    {{"--nodes=2", "--nslots=4", "--cores-per-slot=3", "--gpus-per-slot=0"},
     "node=2/slot=2/core=3",
     NULL},
    {{"-xN", "2"}, "node=2{x}/slot/core", NULL},
    {{"--shape", "slot=2/core"}, "slot=2/core", NULL},
    {{"--jobspec=-"}, "slot=2/core", NULL},
    {{"-N0"}, NULL, "-N: \"0\" is not a number from 1 to 2147483647"},
    {{"-n", ""}, NULL, "-n: \"\" is not a number from 1 to 2147483647"},
    {{"-n", "010"}, NULL, "-n: \"010\" is not a number from 1 to 2147483647"},
    {{"-c", " 1"}, NULL, "-c: \" 1\" is not a number from 1 to 2147483647"},
    {{"-c0x1"}, NULL, "-c: \"0x1\" is not a number from 1 to 2147483647"},
    {{"-g-1"}, NULL, "-g: \"-1\" is not a number from 0 to 2147483647"},
    {{"-n2147483648"},
     NULL,
     "-n: \"2147483648\" is not a number from 1 to 2147483647"},
    {{"-n18446744073709551617"},
     NULL,
     "-n: \"18446744073709551617\" is not a number from 1 to 2147483647"},
    {{"-x"}, NULL, "-x needs -N"},
    {{"-x", "-n2"}, NULL, "-x needs -N"},
    {{"-N3", "-n2"}, NULL, "2 slots cannot be on 3 nodes"},
    {{"-n2", "--shape", "a"}, NULL, "-n and --shape exclude each other"},
    {{"--jobspec=a", "--shape", "a"},
     NULL,
     "--shape and --jobspec exclude each other"},
    {{"-x", "--jobspec=a"}, NULL, "-x and --jobspec exclude each other"},
    {{"--shape", "node=2/slot"},
     NULL,
     "--shape: offset 7: \"slot\": a slot needs \"/\" and its contents"},
    {{"--shape", ""},
     NULL,
     "--shape: offset 0: the shape ends where a resource type is expected"},
    {{"--jobspec", "/nonexistent"},
     NULL,
     "/nonexistent: No such file or directory"},
};

/* A program that prints the shape of its request. */
static void program(const char *const *args)
{
    static const struct cli cli = {.name = "prog"};
    static struct cli_request_options given;
    static const struct cli_option table[] = {CLI_REQUEST_OPTIONS(0), {0}};
    const char *argv[10] = {"prog"};
    int argc = 1;
    poptContext ctx;
    struct request *req;
    struct diag d = {0};
    char *shape;

    while (argc < 9 && args[argc - 1]) {
        argv[argc] = args[argc - 1];
        argc++;
    }
    cli_init(&cli);
    ctx = cli_options(argc, argv, table, &given, 0);
    if (cli_read_options(ctx, &d) < 0 || cli_request(&given, &req, &d) < 0)
        cli_die_diag(&d);
    shape = req ? request_shape(req) : NULL;
    printf("%s\n", shape ? shape : "none");
    free(shape);
    request_destroy(req);
    poptFreeContext(ctx);
    cli_exit(STATUS_OK);
}

/* Run it with a jobspec as standard input; return its output and status. */
static int run(const char *const *args, char *output, size_t size)
{
    int in[2], out[2], status;
    size_t len = 0;
    ssize_t n;

    fflush(stdout);
    if (pipe(in) < 0 || pipe(out) < 0 || write(in[1], JOB, sizeof(JOB) - 1) < 0)
        return -1;
    if (fork() == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(out[1], 2);
        close(in[1]);
        program(args);
    }
    close(in[0]);
    close(in[1]);
    close(out[1]);
    while ((n = read(out[0], output + len, size - 1 - len)) > 0)
        len += (size_t)n;
    output[len] = '\0';
    close(out[0]);
    wait(&status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_command(const struct command *t)
{
    char got[2048], want[512];
    int status = run(t->args, got, sizeof(got));

    got[strcspn(got, "\n")] = '\0';
    if (t->shape)
        snprintf(want, sizeof(want), "%s", t->shape);
    else
        snprintf(want, sizeof(want), "prog: %s", t->error);
    if (t->error && strstr(got, " (try"))
        *strstr(got, " (try") = '\0';
    is(got, want, "options: %s", want);
    ok(status == (t->shape ? STATUS_OK : STATUS_TROUBLE), "... the status");
}

int main(void)
{
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        test_options(&options[i]);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        test_count(&counts[i]);
    test_files();
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        test_command(&commands[i]);
    return done_testing();
}
