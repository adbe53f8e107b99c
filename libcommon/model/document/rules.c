/* The names and levels of all rules. rset-documents(5) describes them, and
   names their standards. */
#include "model/document/reader.h"

const char *const fault_level_names[FAULT_LEVELS] = {"refused", "warned",
                                                     "strict", "noted"};

#define R FAULT_REFUSED
#define W FAULT_WARNED
#define S FAULT_STRICT
#define N FAULT_NOTED

const struct fault_rule rules[RULES] = {
    [RULE_WRONG_TYPE] = {"wrong-type", R},
    [RULE_KEY_MISSING] = {"key-missing", R},
    [RULE_NO_DOCUMENT] = {"no-document", R},
    [RULE_VERSION] = {"version", R},
    [RULE_HALF_MISSING] = {"half-missing", R},
    [RULE_KEY_SLIP] = {"key-slip", W},
    [RULE_KEY_PLACE] = {"key-place", W},
    [RULE_RESERVED_KEY] = {"reserved-key", S},
    [RULE_RLITE_OBJECT] = {"rlite-object", W},
    [RULE_NULL] = {"null", W},
    [RULE_IDSET] = {"idset", R},
    [RULE_UNIT_TWICE] = {"unit-twice", R},
    [RULE_CORE_MISSING] = {"core-missing", W},
    [RULE_NODELIST_MISSING] = {"nodelist-missing", W},
    [RULE_HOSTLIST] = {"hostlist", R},
    [RULE_NODELIST_COUNT] = {"nodelist-count", R},
    [RULE_HOST_TWICE] = {"host-twice", W},
    [RULE_PROPERTY_NAME] = {"property-name", R},
    [RULE_PROPERTY_RANK] = {"property-rank", R},
    [RULE_TIME] = {"time", R},
    [RULE_TIMES_ORDER] = {"times-order", R},
    [RULE_TIME_ZERO] = {"time-zero", S},
    [RULE_TIME_PRECISION] = {"time-precision", S},
    [RULE_NSLOTS] = {"nslots", W},
    [RULE_WRITER] = {"writer", W},
    [RULE_GRAPH_TWICE] = {"graph-twice", R},
    [RULE_GRAPH_PLACE] = {"graph-place", R},
    [RULE_SHORTHAND] = {"shorthand", W},
    [RULE_HYPEREDGES] = {"hyperedges", R},
    [RULE_GRAPH_KEY_MISSING] = {"graph-key-missing", S},
    [RULE_EDGES_MISSING] = {"edges-missing", R},
    [RULE_NODES_OBJECT] = {"nodes-object", S},
    [RULE_INTEGER_ID] = {"integer-id", W},
    [RULE_VERTEX_ID_TWICE] = {"vertex-id-twice", R},
    [RULE_VERTEX_KEY_MISSING] = {"vertex-key-missing", S},
    [RULE_VERTEX_TYPE] = {"vertex-type", R},
    [RULE_NUMBER] = {"number", R},
    [RULE_NAME] = {"name", R},
    [RULE_DEFAULT_NAME] = {"default-name", R},
    [RULE_UUID_TWICE] = {"uuid-twice", W},
    [RULE_STATE] = {"state", R},
    [RULE_TAG] = {"tag", R},
    [RULE_TAGS_SHAPE] = {"tags-shape", R},
    [RULE_PROPERTIES_LIST] = {"properties-list", S},
    [RULE_PROPERTY_VALUE] = {"property-value", S},
    [RULE_PATH_TYPE] = {"path-type", S},
    [RULE_PATH_DIFFERS] = {"path-differs", W},
    [RULE_EDGE_WORDS] = {"edge-words", R},
    [RULE_EDGE_METADATA] = {"edge-metadata", S},
    [RULE_EDGE_DANGLING] = {"edge-dangling", R},
    [RULE_EDGE_SELF] = {"edge-self", R},
    [RULE_EDGE_DIFFERS] = {"edge-differs", R},
    [RULE_TWO_PARENTS] = {"two-parents", R},
    [RULE_TWO_ROOTS] = {"two-roots", R},
    [RULE_NO_ROOT] = {"no-root", R},
    [RULE_CYCLE] = {"cycle", R},
    [RULE_UNREACHABLE] = {"unreachable", R},
    [RULE_DEPTH] = {"depth", R},
    [RULE_SIBLING_TWICE] = {"sibling-twice", R},
    [RULE_RANK_DIFFERS] = {"rank-differs", R},
    [RULE_NODE_RANK_TWICE] = {"node-rank-twice", R},
    [RULE_HOST_NAME] = {"host-name", R},
    [RULE_GRAPH_ID] = {"graph-id", R},
    [RULE_HALVES_DISAGREE] = {"halves-disagree", R},
    [RULE_HOSTS_DISAGREE] = {"hosts-disagree", R},
    [RULE_RECORDS_BESIDE] = {"records-beside", R},
    [RULE_JOB] = {"job", R},
    [RULE_SHARED_UNITS] = {"shared-units", R},
    [RULE_SPAN] = {"span", R},
    [RULE_RECORD_RANK] = {"record-rank", R},
    [RULE_RECORD_ID] = {"record-id", R},
    [RULE_RECORD_HOLDS] = {"record-holds", R},
    [RULE_OVERSUBSCRIBED] = {"record-oversubscribed", R},
    [RULE_OVERRESERVED] = {"record-overreserved", R},
    [RULE_BELOW_EXCLUSIVE] = {"record-below-exclusive", R},
    [RULE_IMPLIED] = {"record-implied", S},
    [RULE_EXCLUSIVE_SHARED] = {"exclusive-shared", W},
    [RULE_EXCLUSIVE_PARTIAL] = {"exclusive-partial", W},
    [RULE_SHARED_MISSING] = {"shared-missing", W},
    [RULE_STALE_LOCK] = {"stale-lock", W},
    [RULE_WAITING] = {"waiting", N},
};

const struct fault_rule *fault_rules(size_t *n)
{
    *n = RULES;
    return rules;
}

/* Rules on records are the last ones in the table. */
bool rule_on_records(const struct fault_rule *rule)
{
    return rule >= &rules[RULE_JOB];
}
