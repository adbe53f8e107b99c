/*
 * Random numbers for tests, the same on every machine for the same seed.
 * RSET_SEED=N repeats a run; RSET_SOAK=1 makes it twenty times as long.
 */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t random_state;

/* Choose the seed, print it, and return the number of rounds. */
__attribute__((unused)) static long random_start(long rounds)
{
    const char *seed = getenv("RSET_SEED");
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    random_state = (uint64_t)now.tv_sec * 1000003 + (uint64_t)now.tv_nsec;
    if (seed)
        random_state = strtoull(seed, NULL, 10);
    printf("# RSET_SEED=%" PRIu64 "\n", random_state);
    return getenv("RSET_SOAK") ? rounds * 20 : rounds;
}

/* Return a number below n. */
__attribute__((unused)) static uint32_t random_below(uint32_t n)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) >> 32) % n;
}

#endif /* TEST_RANDOM_H */
