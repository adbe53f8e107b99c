/* The game: a number of messages, between which the scheduler ends and
   begins. */
#include "manager.h"

#include <dirent.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/random.h"

struct options options = {
    .messages = 10000, .nodes = 10, .cores = 6, .gpus = 2, .in_flight = 24};

uint32_t below(uint32_t n)
{
    return random_below(n);
}

bool once_in(uint32_t n)
{
    return random_below(n) == 0;
}

static const char *groups;

static const struct {
    const char *name;
    uint32_t *number; /* one of these three gets the value */
    const char **text;
    bool *flag;
} known[] = {{"messages", &options.messages, NULL, NULL},
             {"nodes", &options.nodes, NULL, NULL},
             {"cores", &options.cores, NULL, NULL},
             {"gpus", &options.gpus, NULL, NULL},
             {"in-flight", &options.in_flight, NULL, NULL},
             {"limit", &options.limit, NULL, NULL},
             {"restarts", &options.restarts, NULL, NULL},
             {"terms", &options.terms, NULL, NULL},
             {"kills", &options.kills, NULL, NULL},
             {"dialect", NULL, &options.dialect, NULL},
             {"kvs", NULL, &options.kvs, NULL},
             {"store", NULL, &options.store, NULL},
             {"resources", NULL, &options.resources, NULL},
             {"groups", NULL, &groups, NULL},
             {"trace", NULL, &options.trace, NULL},
             {"auto", NULL, NULL, &options.automatic},
             {"joined", NULL, NULL, &options.joined},
             {"backfill", NULL, NULL, &options.backfill},
             {"lockstep", NULL, NULL, &options.lockstep},
             {"clock", NULL, NULL, &options.clock}};

enum { KNOWN = sizeof(known) / sizeof(*known) };

static void usage(void)
{
    fprintf(stderr, "usage: manager [OPTION...] -- COMMAND [ARGUMENT...]\n");
    for (size_t i = 0; i < KNOWN; i++)
        fprintf(stderr, "  --%s%s\n", known[i].name,
                known[i].flag ? "" : "=...");
    exit(2);
}

static void take_option(size_t i)
{
    if (known[i].number)
        *known[i].number = (uint32_t)strtoul(optarg, NULL, 10);
    else if (known[i].text)
        *known[i].text = optarg;
    else
        *known[i].flag = true;
}

static void take_groups(char *names)
{
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
        if (options.ngroups < GROUPS_MAX)
            options.groups[options.ngroups++] = name;
}

static void read_options(int argc, char **argv)
{
    struct option list[KNOWN + 1] = {{NULL, 0, NULL, 0}};
    static char names[256] = "default";
    int option;

    for (size_t i = 0; i < KNOWN; i++)
        list[i] = (struct option){
            known[i].name, known[i].flag ? no_argument : required_argument,
            NULL, (int)i};
    while ((option = getopt_long(argc, argv, "+", list, NULL)) != -1) {
        if (option == '?')
            usage();
        take_option((size_t)option);
    }
    if (groups)
        snprintf(names, sizeof(names), "%s", groups);
    take_groups(names);
    if (options.dialect && !strcmp(options.dialect, "current"))
        options.edition = CURRENT;
    options.command = argv + optind;
    if (optind == argc || options.nodes < options.ngroups * 2
        || options.nodes >= NODES_MAX || options.cores < 1 || options.cores > 60
        || options.gpus > 60)
        usage();
}

/* End the scheduler now and then, so that all planned ends take place. */
static void maybe_restart(uint32_t left)
{
    uint32_t *const ends[] = {[BY_END] = &options.restarts,
                              [BY_TERM] = &options.terms,
                              [BY_KILL] = &options.kills};
    uint32_t all = options.restarts + options.terms + options.kills;
    uint32_t nth;

    if (all == 0 || below(left) >= all)
        return;
    nth = below(all);
    for (enum ending how = BY_END; how <= BY_KILL; how++) {
        if (nth < *ends[how]) {
            (*ends[how])--;
            session_end(how);
            session_begin();
            return;
        }
        nth -= *ends[how];
    }
}

/* Return the number of messages that remain, without pings. */
static uint32_t messages_left(void)
{
    long made = (long)child.sent - tally.pings;

    return made < options.messages ? options.messages - (uint32_t)made : 0;
}

/* Check that the scheduler keeps nothing about jobs that are gone. */
static void check_empty(void)
{
    DIR *dir = options.kvs ? opendir(options.kvs) : NULL;
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            fail("%s/%s is there yet", options.kvs, entry->d_name);
    if (dir)
        closedir(dir);
}

int main(int argc, char **argv)
{
    uint32_t left;

    signal(SIGPIPE, SIG_IGN);
    read_options(argc, argv);
    options.messages = (uint32_t)random_start(options.messages);
    book_init();
    if (options.resources) {
        say_resources(all_ranks());
        said_to(options.resources);
    }
    session_begin();
    while ((left = messages_left())) {
        move();
        maybe_restart(left);
    }
    whole_machine();
    session_end(BY_END);
    check_empty();
    if (jobs[WAITING].n + jobs[HOLDING].n + jobs[FREEING].n)
        fail("jobs are left");
    printf("%" PRIu64 " messages and pings, %" PRIu64
           " answers: %ld granted, %ld freed, "
           "%ld denied, %ld cancelled, %ld notes, %ld raised, %ld released\n",
           child.sent, child.heard, tally.grants, tally.frees, tally.denials,
           tally.cancels, tally.notes, tally.raises, tally.releases);
    return tally.grants == 0;
}
