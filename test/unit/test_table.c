/* Tables: columns, widths, order, contents of cells, JSON. */
#include <stdlib.h>

#include "base/memory.h"
#include "tap.h"
#include "view/table.h"

enum { NAME, COUNT, WHEN, LEFT, LIST, JOB, WHY };

static const struct table_column columns[] = {
    [NAME] = {"name", CELL_NAME, false},
    [COUNT] = {"count", CELL_NUMBER, false},
    [WHEN] = {"when", CELL_TIME, false},
    [LEFT] = {"left", CELL_DURATION, true},
    [LIST] = {"list", CELL_LIST, true},
    [JOB] = {"job", CELL_JOB, true},
    [WHY] = {"why", CELL_PROSE, true},
    {0}};

/* Make rows in which each kind of cell has a value, and is empty. */
static struct table *make(void)
{
    struct table *t = table_create(columns);

    table_row(t);
    table_text(t, NAME, "node10");
    table_number(t, COUNT, 7);
    table_seconds(t, WHEN, 1.75e9 + 0.5);
    table_seconds(t, LEFT, 90061.5);
    table_list(t, LIST, "a,b", json_pack("[s,s]", "a", "b"));
    table_text(t, JOB, "17");
    table_text(t, WHY, "IB link\ndown");
    table_row(t);
    table_text(t, NAME, "");
    table_seconds(t, WHEN, -1);
    table_text(t, WHY, NULL);
    table_row(t);
    table_text(t, NAME, "node2");
    table_number(t, COUNT, -12);
    return t;
}

static void prints(const char *names, const char *sort, int width, bool bare,
                   const char *want)
{
    struct table *t = make();
    struct table_choice choice;
    struct diag d;
    char *text;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    if (table_choose(columns, names, sort, &choice, &d) == 0) {
        choice.width = width;
        choice.bare = bare;
        table_print(t, &choice, fp);
    }
    memory_close(fp);
    is(text, want, "%s by %s in %d columns", names ? names : "-",
       sort ? sort : "-", width);
    free(text);
}

static void refuses(const char *names, const char *sort, const char *want)
{
    struct table_choice choice;
    struct diag d;

    if (ok(table_choose(columns, names, sort, &choice, &d) < 0, "no"))
        is(diag_line(&d).text, want, "and why");
}

static void says_json(const char *names, const char *sort, const char *want)
{
    struct table *t = make();
    struct table_choice choice;
    struct diag d;
    json_t *rows;
    char *text;

    ok(table_choose(columns, names, sort, &choice, &d) == 0, "chosen");
    rows = table_json(t, &choice);
    text = json_dumps(rows, JSON_COMPACT);
    is(text, want, "JSON of %s", names);
    free(text);
    json_decref(rows);
}

/* Compare names in a column, and the column behind it. The second name may be
   NULL. */
static void shows(const char *name, const char *next, int width,
                  const char *want)
{
    struct table *t = table_create(columns);
    struct table_choice choice;
    struct diag d;
    char *text;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    table_row(t);
    table_text(t, NAME, name);
    table_number(t, COUNT, 1);
    if (next) {
        table_row(t);
        table_text(t, NAME, next);
        table_number(t, COUNT, 2);
    }
    ok(table_choose(columns, "name,count", NULL, &choice, &d) == 0, "chosen");
    choice.bare = true;
    choice.width = width;
    table_print(t, &choice, fp);
    memory_close(fp);
    is(text, want, "a cell in its column");
    free(text);
}

/* The column behind a name of any length begins at one place in all lines. */
static void lines_up(void)
{
    for (int n = 1; n < 140; n += 3) {
        char name[200], want[500];
        snprintf(name, sizeof(name), "%0*d", n, 7);
        snprintf(want, sizeof(want), "%s  1\n%-*s  2\n", name, n, "x");
        shows(name, "x", 0, want);
    }
}

/* Two characters, of two columns each. */
#define WIDE "\xe6\x97\xa5\xe6\x9c\xac"

int main(void)
{
    setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
    prints(NULL, NULL, 0, false,
           "NAME    COUNT  WHEN\n"
           "node10      7  2025-06-15T11:06:40\n"
           "-           -  -\n"
           "node2     -12  -\n");
    prints("left,why", NULL, 0, true,
           "1-01:01:01  IB link\\x0adown\n"
           "         -  -\n"
           "         -  -\n");
    prints("why,list,job,name", NULL, 0, true,
           "IB\\x20link\\x0adown  a,b  17  node10\n"
           "-                   -    -   -\n"
           "-                   -    -   node2\n");
    prints("name", "name", 0, true, "node2\nnode10\n-\n");
    prints("name", "-name", 0, true, "node10\nnode2\n-\n");
    prints("name", "count", 0, true, "node2\nnode10\n-\n");
    prints("name,count", "-when", 0, true,
           "node10    7\n-         -\nnode2   -12\n");
    prints("why,name", NULL, 22, true,
           "IB\\x20link\\x0+  node10\n"
           "-               -\n"
           "-               node2\n");
    prints("name,count,when", NULL, 34, true,
           "node10    7  2025-06-15T11:06:40\n"
           "-         -  -\n"
           "node2   -12  -\n");
    prints("name,count,when", NULL, 20, false,
           "NAME    COUNT +\n"
           "node10      7\n"
           "-           -\n"
           "node2     -12\n");
    prints("name,count", NULL, 3, false, "+ +\n+\n-\n+\n");
    shows(WIDE, NULL, 0, WIDE "  1\n");
    shows(WIDE WIDE WIDE WIDE, NULL, 16, WIDE WIDE WIDE "+  1\n");
    shows("e\xcc\x81", NULL, 0, "e\xcc\x81  1\n");
    shows("a\\ b\x1b[31m", NULL, 0, "a\\\\\\x20b\\x1b[31m  1\n");
    lines_up();

    refuses("", NULL,
            "--columns: there is no column \"\"; there are name, count, when, "
            "left, list, job, why");
    refuses("name,cuont", NULL,
            "--columns: there is no column \"cuont\"; near it: count");
    refuses(NULL, "-cuont",
            "--sort: there is no column \"cuont\"; near it: count");

    says_json("all", "-count",
              "[{\"name\":\"node10\",\"count\":7,\"when\":1750000000.5,"
              "\"left\":90061.5,\"list\":[\"a\",\"b\"],\"job\":17,"
              "\"why\":\"IB link\\ndown\"},"
              "{\"name\":\"node2\",\"count\":-12},{\"name\":\"\"}]");
    says_json("count", NULL, "[{\"count\":7},{},{\"count\":-12}]");
    return done_testing();
}
