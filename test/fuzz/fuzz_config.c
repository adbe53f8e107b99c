/*
 * A configuration with any list of pools or of hosts is refused with a text and
 * its place, or gives a set that is read back as the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "long_list.h"
#include "mutate_json.h"
#include "read_back.h"
#include "source/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rset *no_machine(bool whole, struct diag *d)
{
    (void)whole;
    diag_set(d, "no resources");
    return NULL;
}

/* The input becomes the value of a key, so that no file is read. */
static void check_config(const char *key, const char *value, size_t len)
{
    struct config config = {0};
    struct diag d = {0};
    char *text;
    int rc;

    xasprintf(&text, "{\"%s\":%.*s\n}", key, (int)len, value);
    rc = config_read_text("c", text, strlen(text), no_machine, &config, &d);
    free(text);
    if (rc < 0) {
        check(!config.rs && !config.exclude);
        check(d.text[0] && d.source[0] && d.where[0]);
        return;
    }
    if (rset_pools(config.rs) < 20000
        || config.rs->document.halves == HALF_EXECUTION)
        check_form(config.rs, FORM_AS_READ);
    if (rset_pools(config.rs) < 20000)
        check_form(config.rs, FORM_JGF);
    config_fini(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size);

    check_config("resources", (const char *)data, size);
    if (!has_long_list(text))
        check_config("config", (const char *)data, size);
    free(text);
    return 0;
}
