/* The views in one line (view.h): the short form, hosts and ranks. */
#include "view/view.h"

#include "model/document/rlite.h"

int view_short(struct rset *rs, FILE *fp, struct diag *d)
{
    struct rlite lite = {0};
    int rc = rlite_project(&lite, rs, d);

    for (size_t i = 0; rc == 0 && i < lite.n; i++) {
        if (i)
            putc(' ', fp);
        fputs("rank", fp);
        idset_write_members(lite.list[i].ranks, fp);
        if (lite.list[i].children.n > 0)
            putc('/', fp);
        lite_children_print(&lite.list[i].children, fp);
    }
    if (rc == 0)
        putc('\n', fp);
    rlite_fini(&lite);
    return rc;
}

int view_hosts(struct rset *rs, FILE *fp, struct diag *d)
{
    if (!rs->hosts && rs->ranks && !idset_empty(rs->ranks))
        return diag_set(d, "the set has no nodelist");
    if (rs->hosts)
        hostlist_write(rs->hosts, fp);
    putc('\n', fp);
    return 0;
}

int view_ranks(struct rset *rs, FILE *fp, struct diag *d)
{
    (void)d;
    if (rs->ranks)
        idset_write(rs->ranks, fp);
    putc('\n', fp);
    return 0;
}
