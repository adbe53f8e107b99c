/* Rules of queues as text: [QUEUE=]POLICY[:DEPTH], joined by commas. */
#include "schedule/queue_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/memory.h"
#include "base/near.h"

static const char *const policies[QUEUE_POLICIES] = {"fcfs", "easy",
                                                     "conservative"};

static void drop_rules(struct queue_rules *rules)
{
    for (size_t i = 0; i < rules->n; i++)
        free(rules->list[i].queue);
    free(rules->list);
    rules->list = NULL;
    rules->n = 0;
}

void queue_rules_fini(struct queue_rules *rules)
{
    drop_rules(rules);
    for (size_t i = 0; i < rules->nparents; i++) {
        free(rules->parents[i].queue);
        free(rules->parents[i].parent);
    }
    free(rules->parents);
    *rules = (struct queue_rules){0};
}

int queue_rules_adopt(struct queue_rules *rules, const char *queue,
                      const char *parent, struct diag *d)
{
    const char *home = queue_rules_home(rules, queue);

    if (!*queue || !*parent)
        return diag_set(d, "names of a queue and its parent are expected");
    if (!strcmp(queue, parent))
        return diag_set(d, "%s would be its own parent", quote_all(queue).text);
    if (strcmp(home, queue) != 0 && strcmp(home, parent) != 0)
        return diag_set(d, "%s has two parents", quote_all(queue).text);
    for (size_t i = 1; i < rules->n; i++)
        if (!strcmp(rules->list[i].queue, queue))
            return diag_set(d, "%s has a policy, but its jobs wait in %s",
                            quote_all(queue).text, quote_all(parent).text);
    for (size_t i = 0; i < rules->nparents; i++)
        if (!strcmp(rules->parents[i].parent, queue)
            || !strcmp(rules->parents[i].queue, parent))
            return diag_set(d, "%s is a parent, and has one",
                            quote_all(queue).text);
    VECTOR_ADD(rules->parents, rules->nparents,
               (struct queue_parent){xstrdup(queue), xstrdup(parent)});
    return 0;
}

const char *queue_rules_home(const struct queue_rules *rules, const char *queue)
{
    for (size_t i = 0; i < rules->nparents; i++)
        if (strcmp(rules->parents[i].queue, queue) == 0)
            return rules->parents[i].parent;
    return queue;
}

int queue_depth_read(const char *text, uint32_t least, uint32_t *depth,
                     struct diag *d)
{
    uint64_t n;

    if (!text_is_number(text, &n) || n < least || n > RESERVATIONS_MOST)
        return diag_set(d, "%s: expected a number from %u to %d",
                        quote_all(text).text, (unsigned)least,
                        RESERVATIONS_MOST);
    *depth = (uint32_t)n;
    return 0;
}

/* Add the rule of a text, which is changed. */
static int read_rule(struct queue_rules *rules, char *text, struct diag *d)
{
    char *equals = strrchr(text, '='), *word = equals ? equals + 1 : text,
         *colon = strchr(word, ':');
    struct queue_rule rule = {0}, *same;
    int policy;

    if (equals)
        *equals = '\0';
    if (colon)
        *colon = '\0';
    same = queue_rules_of(rules, equals ? text : NULL);
    if (equals && !*text)
        return diag_set(d, "a name is expected before \"=\"");
    if (equals ? same->queue != NULL : same->policy < QUEUE_POLICIES)
        return diag_set(d, "%s has two policies",
                        equals ? quote_all(text).text
                               : "a queue without a name");
    if ((policy = word_index(word, policies, QUEUE_POLICIES, d)) < 0)
        return -1;
    rule.policy = (enum queue_policy)policy;
    if (colon && rule.policy != QUEUE_CONSERVATIVE)
        return diag_set(d, "%s takes no number of reservations", word);
    if (colon && queue_depth_read(colon + 1, 1, &rule.depth, d) < 0)
        return -1;
    if (!equals) {
        rules->list[0] = rule;
        return 0;
    }
    rule.queue = xstrdup(text);
    VECTOR_ADD(rules->list, rules->n, rule);
    return 0;
}

int queue_rules_read(struct queue_rules *rules, const char *text,
                     struct diag *d)
{
    char *copy = xstrdup(text), *rest = copy, *part;
    int rc = 0;

    drop_rules(rules);
    VECTOR_ADD(rules->list, rules->n,
               (struct queue_rule){.policy = QUEUE_POLICIES});
    while (rc == 0 && (part = strsep(&rest, ",")))
        rc = read_rule(rules, part, d);
    if (rules->list[0].policy == QUEUE_POLICIES)
        rules->list[0].policy = QUEUE_FCFS;
    if (rc < 0)
        drop_rules(rules);
    free(copy);
    return rc;
}

struct queue_rule *queue_rules_of(const struct queue_rules *rules,
                                  const char *queue)
{
    for (size_t i = 1; i < rules->n && queue && *queue; i++)
        if (strcmp(rules->list[i].queue, queue) == 0)
            return &rules->list[i];
    return &rules->list[0];
}

bool queue_rules_have(const struct queue_rules *rules, enum queue_policy policy)
{
    return VECTOR_FIND(i, rules->n, rules->list[i].policy == policy) < rules->n;
}

char *queue_rules_text(const struct queue_rules *rules)
{
    char *text;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    for (size_t i = 0; i < rules->n; i++) {
        const struct queue_rule *rule = &rules->list[i];
        fprintf(fp, "%s%s%s%s", i > 0 ? "," : "",
                rule->queue ? rule->queue : "", rule->queue ? "=" : "",
                policies[rule->policy]);
        if (rule->depth > 0)
            fprintf(fp, ":%u", (unsigned)rule->depth);
    }
    return memory_take(fp, &text, true);
}
