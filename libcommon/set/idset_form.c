/*
 * The table of forms, and how sets are written in them.
 */
#include "set/idset_private.h"

#include <string.h>

#include "base/digits.h"
#include "set/range.h"

static void put_id(FILE *fp, uint32_t id)
{
    char text[DIGITS_MAX];

    fwrite_unlocked(text, 1, (size_t)(put_number(text, id) - text), fp);
}

int idset_write_list(const struct idset *set, const char *separator, size_t len,
                     FILE *fp)
{
    for (size_t i = 0; i < set->n && !ferror_unlocked(fp); i++) {
        uint64_t hi = set->run[i].hi;

        for (uint64_t id = set->run[i].lo; id <= hi && !ferror_unlocked(fp);
             id++) {
            bool first = i == 0 && id == set->run[i].lo;
            for (size_t k = 0; k < len && !first; k++)
                putc_unlocked(separator[k], fp);
            put_id(fp, (uint32_t)id);
        }
    }
    return ferror(fp) ? -1 : 0;
}

static void write_lines(const struct idset *set, FILE *fp)
{
    idset_write_list(set, "\n", 1, fp);
}

static void write_json(const struct idset *set, FILE *fp)
{
    putc('[', fp);
    idset_write_list(set, ",", 1, fp);
    putc(']', fp);
}

/* How many single ids from run i on stand at equal distances. */
static size_t series(const struct idset *set, size_t i)
{
    const struct idrange *run = set->run;
    size_t n = i;

    while (n < set->n && run[n].lo == run[n].hi
           && (n < i + 2
               || run[n].lo - run[n - 1].lo == run[i + 1].lo - run[i].lo))
        n++;
    return n - i;
}

/* Three ids or more at equal distances are a step, as with autostep 3. */
static void write_step(const struct idset *set, FILE *fp)
{
    size_t i = 0;

    while (i < set->n) {
        struct idrange r = set->run[i];
        size_t n = series(set, i);
        uint32_t step = 1;

        if (i)
            putc_unlocked(',', fp);
        if (n >= 3) {
            r.hi = set->run[i + n - 1].lo;
            step = set->run[i + 1].lo - r.lo;
        }
        put_id(fp, r.lo);
        if (r.hi > r.lo) {
            putc_unlocked('-', fp);
            put_id(fp, r.hi);
        }
        if (step > 1) {
            putc_unlocked('/', fp);
            put_id(fp, step);
        }
        i += n >= 3 ? n : 1;
    }
}

/* Does the range have exactly the ids of the set? */
static bool is_range(const struct idset *set, const struct range *r)
{
    uint64_t count = idset_count(set), n = r->min;
    struct diag d;

    if (range_check(r, &d) < 0)
        return false;
    if (r->op == '+' && r->operand == 1)
        return set->n == 1;
    for (uint64_t i = 0;; i++) {
        if (i == set->n || set->run[i].lo != n || set->run[i].hi != n)
            return false;
        if (!range_next(r, &n))
            return i + 1 == count;
    }
}

/* The operand by which the second id is made of the first; 0: none. */
static uint64_t find_operand(char op, uint64_t first, uint64_t second)
{
    uint64_t operand = 1, power = first;

    if (op == '+')
        return second - first;
    if (op == '*')
        return second % first ? 0 : second / first;
    if (first < 2)
        return 0;
    for (; power < second; operand++)
        power *= first;
    return power == second ? operand : 0;
}

static bool find_range(const struct idset *set, struct range *r)
{
    static const char ops[] = "+*^";
    uint64_t first = idset_first(set), last = idset_last(set);

    *r = (struct range){first, last, '+', 1};
    if (!set->n || first == 0)
        return false;
    if (first == last)
        return true;
    for (const char *op = ops; *op; op++) {
        r->op = *op;
        r->operand = find_operand(*op, first, idset_nth(set, 1));
        if (is_range(set, r))
            return true;
    }
    return false;
}

static void write_range(const struct idset *set, FILE *fp)
{
    struct range r;

    if (find_range(set, &r))
        range_write(&r, fp);
}

static const struct idset_form forms[] = {
    {"idset", false, idset_read_strict, NULL},
    {"list", false, idset_read_list, write_lines},
    {"cpulist", false, idset_read_cpulist, NULL},
    {"step", false, idset_read_step, write_step},
    {"mask", false, idset_read_mask, idset_write_mask},
    {"taskset", false, idset_read_mask, idset_write_taskset},
    {"json", true, idset_read_json, write_json},
    {"range", false, idset_read_range, write_range},
};

const struct idset_form *idset_form(const char *name)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

void idset_form_each(word_fn *next, void *arg)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        next(arg, forms[i].name);
}

bool idset_reader_is_whole(const struct idset_reader *how)
{
    return how->loose || (how->form && how->form->whole);
}

int idset_read(struct idset *set, const char *text, size_t len,
               const struct idset_reader *how, struct diag *d)
{
    struct id_scan s = {.scan = {text, text + len, text,
                                 how->many ? SCAN_WORDS : SCAN_WHOLE, how->line,
                                 d},
                        .max = how->max,
                        .loose = how->loose,
                        .set = set};

    if (how->form && how->form != &forms[0])
        return how->form->read(&s);
    if (!how->loose)
        return idset_read_strict(&s);
    return idset_read_loose(&s);
}

int idset_form_write(const struct idset_form *form, const struct idset *set,
                     FILE *fp, struct diag *d)
{
    struct range r;

    if (!form || !form->write)
        return idset_write(set, fp);
    if (form->write == write_range && !find_range(set, &r))
        return diag_set(d, "set is not the values of a range");
    form->write(set, fp);
    return ferror(fp) ? -1 : 0;
}
