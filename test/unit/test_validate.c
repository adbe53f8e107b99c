/*
 * Validation: a table of broken documents with all that is to be said of
 * each, and the law: a document is refused by the reader exactly when there
 * is a fault of FAULT_REFUSED, for the table and for thousands of documents
 * that random changes have broken.
 */
#include <time.h>

#include "model/document.h"
#include "model/validate.h"
#include "random.h"
#include "tap.h"

/* --- documents ---------------------------------------------------------- */

#define R(lite, rest) "{\"version\":1,\"execution\":{\"R_lite\":" lite rest "}}"
#define LITE "[{\"rank\":\"0-1\",\"children\":{\"core\":\"0-3\"}}]"
#define HOSTS ",\"nodelist\":[\"a[0-1]\"]"
#define MARKS(marks)                                       \
    "{\"version\":1,\"execution\":{\"R_lite\":" LITE HOSTS \
    "},\"attributes\":{\"system\":{\"scheduler\":{" marks "}}}}"
#define CORES(rank, ids) \
    "\"R_lite\":[{\"rank\":\"" rank "\",\"children\":{\"core\":\"" ids "\"}}]"
#define GRAPH(nodes, edges) \
    "{\"graph\":{\"nodes\":[" nodes "],\"edges\":[" edges "]}}"
#define BOTH(lite, rest, nodes, edges)                                     \
    "{\"version\":1,\"execution\":{\"R_lite\":" lite rest                  \
    "},\"scheduling\":{\"graph\":{\"nodes\":[" nodes "],\"edges\":[" edges \
    "]}}}"
#define V(id, metadata) "{\"id\":\"" id "\",\"metadata\":{" metadata "}}"
#define E(source, target) \
    "{\"source\":\"" source "\",\"target\":\"" target "\"}"
#define POWER(source, target, word)                   \
    "{\"source\":\"" source "\",\"target\":\"" target \
    "\",\"metadata\":{\"subsystem\":\"power\",\"relationship\":\"" word "\"}}"
#define CLUSTER V("c", "\"type\":\"cluster\"")
#define NODE V("n", "\"type\":\"node\",\"id\":0,\"rank\":0")
#define CORE(id, n) V(id, "\"type\":\"core\",\"id\":" n)
#define HELD(id, records) V(id, "\"type\":\"memory\",\"size\":4," records)
#define JOB(job, size, rest) "{\"job\":" job ",\"size\":" size rest "}"

static const struct {
    const char *text;
    const char *faults; /* "rule where\n" for each */
} table[] = {
    {R(LITE, HOSTS), ""},
    {"[]", "wrong-type \n"},
    {"{}", "no-document \n"},
    {"{\"version\":1}", "half-missing \n"},
    {"{\"version\":2,\"execution\":{\"R_lite\":[],\"nodelist\":[]}}",
     "version version\n"},
    {"{\"execution\":{\"R_lite\":[],\"nodelist\":[]}}", "key-missing \n"},
    {"{\"version\":1,\"execution\":[]}", "wrong-type execution\n"},
    {"{\"version\":1,\"execution\":{}}",
     "key-missing execution\nnodelist-missing execution\n"},
    {"{\"version\":1,\"execution\":{\"R_lite\":[],\"nodelist\":[]},"
     "\"scheduling\":3,\"attributes\":\"x\"}",
     "wrong-type scheduling\nwrong-type attributes\n"},
    {"{\"version\":1,\"execution\":{\"R_lite\":[],\"nodelist\":[]},"
     "\"scheduling\":{\"writer\":\"x\"},\"attributes\":{\"system\":3,"
     "\"user\":1},\"more\":1}",
     "reserved-key scheduling.writer\nreserved-key attributes.user\n"
     "wrong-type attributes.system\nreserved-key more\n"},
    {R("{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}",
       ",\"nodelist\":[\"a\"]"),
     "rlite-object execution.R_lite\n"},
    {R("[{\"rank\":\"0-\",\"children\":{\"core\":\"3,1\"}},7,{}]", HOSTS),
     "idset execution.R_lite[0].rank\n"
     "idset execution.R_lite[0].children.core\n"
     "wrong-type execution.R_lite[1]\n"
     "key-missing execution.R_lite[2].rank\n"
     "key-missing execution.R_lite[2].children\n"},
    {R("[{\"rank\":\"0\",\"children\":"
       "{\"core\":\"0\",\"\":\"0\",\"a/b\":\"0\"}}]",
       ""),
     "reserved-key execution.R_lite[0].children.\n"
     "vertex-type execution.R_lite[0].children.\n"
     "reserved-key execution.R_lite[0].children.a/b\n"
     "vertex-type execution.R_lite[0].children.a/b\n"
     "nodelist-missing execution\n"},
    {R("[{\"rank\":\"0-1\",\"children\":{\"core\":\"0\"}},"
       "{\"rank\":\"1-2\",\"children\":{\"gpu\":\"0\",\"x\":\"0\"}}]",
       ",\"nodelist\":[\"a[1-7]\"]"),
     "core-missing execution.R_lite[1].children\n"
     "reserved-key execution.R_lite[1].children.x\n"
     "rank-twice execution.R_lite[1].rank\n"
     "nodelist-count execution.nodelist\n"},
    {R(LITE, ""), "nodelist-missing execution\n"},
    {R(LITE, ",\"nodelist\":[\"a\",7,\"b[\"]"),
     "wrong-type execution.nodelist[1]\nhostlist execution.nodelist[2]\n"},
    {R(LITE, ",\"nodelist\":[\"a[0-2]\"]"),
     "nodelist-count execution.nodelist\n"},
    {R(LITE, HOSTS ",\"properties\":{\"a|b\":\"0\",\"\":\"1\",\"c\":\"1,0\","
                   "\"d\":\"1-2\",\"e\":0}"),
     "property-name execution.properties\n"
     "property-name execution.properties\n"
     "idset execution.properties.c\nwrong-type execution.properties.e\n"
     "property-rank execution.properties.d\n"},
    {R(LITE, HOSTS ",\"nslots\":\"x\""),
     "nslots execution.nslots\nreserved-key execution.nslots\n"},
    {R(LITE, HOSTS ",\"nslots\":0"),
     "nslots execution.nslots\nreserved-key execution.nslots\n"},
    {R(LITE, HOSTS ",\"starttime\":-1,\"expiration\":\"x\",\"nslots\":2"),
     "time execution.starttime\ntime execution.expiration\n"
     "reserved-key execution.nslots\n"},
    {R(LITE, HOSTS ",\"starttime\":2,\"expiration\":2"),
     "times-order execution.expiration\n"},
    {R(LITE, HOSTS ",\"starttime\":0,\"expiration\":0.0"),
     "time-zero execution.starttime\ntime-zero execution.expiration\n"},

    {R("[{\"rank\":\"0\",\"children\":{\"core\":\"0\"},\"x\":1}]",
       ",\"nodelist\":[\"a\"]"),
     "reserved-key execution.R_lite[0].x\n"},

    /* graphs */
    {"{\"graph\":{}}", "graph-key-missing graph\ngraph-key-missing graph\n"},
    {"{\"graph\":{\"nodes\":[],\"edges\":[]},\"writer\":"
     "\"fluxion:jgf_shorthand\"}",
     "shorthand writer\n"},
    {"{\"graph\":[]}", "wrong-type graph\n"},
    {"{\"graphs\":[{\"nodes\":[],\"edges\":[]},{\"nodes\":7,\"edges\":[]}]}",
     "graph-twice graphs[1]\nwrong-type graphs[1].nodes\n"},
    {"{\"version\":1,\"graph\":{\"nodes\":[],\"edges\":[]},"
     "\"execution\":{\"R_lite\":[],\"nodelist\":[]}}",
     "graph-place \n"},
    {"{\"version\":1,\"scheduling\":{\"graph\":{\"nodes\":[],\"edges\":[]},"
     "\"writer\":\"fluxion:jgf_shorthand\"}}",
     "reserved-key scheduling.writer\nshorthand scheduling.writer\n"},
    {"{\"version\":1,\"scheduling\":{\"graph\":{\"nodes\":[],\"edges\":[]},"
     "\"writer\":5}}",
     "writer scheduling.writer\nreserved-key scheduling.writer\n"},
    {"{\"graph\":{\"nodes\":[],\"edges\":[],\"hyperedges\":[],\"x\":1}}",
     "hyperedges graph\nreserved-key graph.x\n"},
    {"{\"graph\":{\"nodes\":[" CLUSTER "," NODE "]}}",
     "graph-key-missing graph\nedges-missing graph\n"},
    {"{\"graph\":{\"nodes\":{\"a\":{},\"b\":7},\"edges\":3}}",
     "nodes-object graph.nodes\nkey-missing graph.nodes.a.metadata\n"
     "key-missing graph.nodes.b.metadata\nwrong-type graph.edges\n"},
    {GRAPH("{\"id\":7,\"metadata\":{\"type\":\"cluster\"}},7,{\"id\":[]}",
           "{\"source\":7,\"target\":null}"),
     "integer-id graph.nodes[0].id\nwrong-type graph.nodes[1]\n"
     "wrong-type graph.nodes[2].id\nkey-missing graph.nodes[2].metadata\n"
     "integer-id graph.edges[0].source\nwrong-type graph.edges[0].target\n"},
    {GRAPH(CLUSTER "," NODE "," CORE("n", "0"), E("c", "n")),
     "vertex-id-twice graph.nodes[2].id\n"},
    {GRAPH(V("c",
             "\"name\":\"a/b\",\"id\":-2,\"size\":1.5,"
             "\"rank\":4294967295,\"unit\":0,\"exclusive\":0,"
             "\"paths\":[],\"properties\":3,\"uuid\":4,"
             "\"status\":2,\"uniq_id\":\"x\",\"state\":\"x\",\"basename\":1"),
           ""),
     "key-missing graph.nodes[0].metadata\n"
     "wrong-type graph.nodes[0].metadata.uuid\n"
     "wrong-type graph.nodes[0].metadata.basename\n"
     "name graph.nodes[0].metadata.name\n"
     "number graph.nodes[0].metadata.id\n"
     "wrong-type graph.nodes[0].metadata.properties\n"
     "number graph.nodes[0].metadata.size\n"
     "wrong-type graph.nodes[0].metadata.unit\n"
     "number graph.nodes[0].metadata.rank\n"
     "wrong-type graph.nodes[0].metadata.exclusive\n"
     "wrong-type graph.nodes[0].metadata.paths\n"
     "state graph.nodes[0].metadata.status\n"
     "state graph.nodes[0].metadata.state\n"
     "number graph.nodes[0].metadata.uniq_id\n"},
    {GRAPH(V("c", "\"type\":\"\""), ""),
     "vertex-type graph.nodes[0].metadata.type\n"},
    {GRAPH(V("c", "\"type\":\"cluster\",\"basename\":\"a/b\""), ""),
     "default-name graph.nodes[0].metadata\n"},
    {GRAPH(V("c",
             "\"type\":\"cluster\",\"uuid\":\"u\",\"tags\":3,"
             "\"paths\":{\"containment\":\"/x\",\"power\":1}") "," V("n",
                                                                     "\"type\":"
                                                                     "\"node\","
                                                                     "\"uuid\":"
                                                                     "\"u\","
                                                                     "\"propert"
                                                                     "ies\":"
                                                                     "{\"a\":1}"
                                                                     ",\"name\""
                                                                     ":\"n\""),
           E("c", "n")),
     "path-type graph.nodes[0].metadata.paths.power\n"
     "tags-shape graph.nodes[0].metadata.tags\n"
     "uuid-twice graph.nodes[1].metadata.uuid\n"
     "property-value graph.nodes[1].metadata.properties.a\n"},
    {GRAPH(V("c", "\"type\":\"cluster\",\"id\":0,"
                  "\"paths\":{\"containment\":\"/x\"}"),
           ""),
     "path-differs graph.nodes[0].metadata.paths.containment\n"},
    {GRAPH(V("c", "\"type\":\"cluster\",\"properties\":[\"a\",3]"), ""),
     "properties-list graph.nodes[0].metadata.properties\n"
     "wrong-type graph.nodes[0].metadata.properties[1]\n"},
    {GRAPH(CLUSTER "," NODE, E("c", "n") "," E("n", "x") "," E("n", "n")),
     "edge-dangling graph.edges[1].target\nedge-self graph.edges[2]\n"},
    {GRAPH(CLUSTER "," NODE,
           "{\"source\":\"c\",\"target\":\"n\",\"metadata\":{\"subsystem\":1,"
           "\"relationship\":2}},{\"source\":\"c\",\"target\":\"n\","
           "\"metadata\":{\"name\":{}}}"),
     "edge-words graph.edges[0].metadata.subsystem\n"
     "edge-words graph.edges[0].metadata.relationship\n"
     "edge-words graph.edges[1].metadata.name\n"},
    {GRAPH(CLUSTER "," NODE,
           E("c", "n") "," POWER("c", "n", "a") "," POWER("c", "n", "b")),
     "edge-differs graph.edges[2]\n"},
    {GRAPH(CLUSTER "," NODE "," CORE("x", "0"),
           E("c", "n") "," E("n", "x") "," E("c", "x")),
     "two-parents graph.edges[2]\n"},
    {GRAPH(CLUSTER "," NODE "," CORE("x", "0"), E("c", "n")),
     "two-roots graph.nodes[2]\n"},
    {GRAPH(CLUSTER "," NODE, POWER("c", "n", "a")), "no-root graph\n"},
    {GRAPH(CLUSTER "," NODE "," CORE("x", "0") "," CORE("y", "1"),
           E("n", "x") "," E("x", "n") "," E("x", "y")),
     "cycle graph.nodes[1]\nunreachable graph.nodes[3]\n"},
    {GRAPH(CLUSTER "," NODE "," CORE("x", "0") "," CORE("y", "0"),
           E("c", "n") "," E("n", "x") "," E("n", "y")),
     "sibling-twice graph.nodes[3]\n"},
    {GRAPH(CLUSTER "," NODE "," V("x", "\"type\":\"core\",\"id\":0,\"rank\":1"),
           E("c", "n") "," E("n", "x")),
     "rank-differs graph.nodes[2].metadata.rank\n"},
    {GRAPH(CLUSTER "," NODE "," V("x", "\"type\":\"node\",\"id\":1,\"rank\":0"),
           E("c", "n") "," E("c", "x")),
     "node-rank-twice graph.nodes[2].metadata.rank\n"},
    {GRAPH(V("n", "\"type\":\"node\",\"name\":\"a b\",\"rank\":0"), ""),
     "host-name graph.nodes[0]\n"},

    /* both halves */
    {BOTH("[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}]",
          ",\"nodelist\":[\"node0\"]", CLUSTER "," NODE "," CORE("x", "0"),
          E("c", "n") "," E("n", "x")),
     ""},
    {BOTH(LITE, ",\"nodelist\":[\"x\",\"y\"],\"properties\":{\"p\":\"7\"}",
          CLUSTER "," NODE "," CORE("x", "0"), E("c", "n") "," E("n", "x")),
     "halves-disagree execution.R_lite\nhalves-disagree execution.R_lite\n"
     "hosts-disagree execution.nodelist\n"
     "property-rank execution.properties.p\n"},
    {BOTH("[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}]",
          ",\"nodelist\":[\"x\"]", CLUSTER "," NODE "," CORE("x", "0"),
          E("c", "n") "," E("n", "x")),
     "hosts-disagree execution.nodelist\n"},
    {BOTH("[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}]",
          ",\"nodelist\":[\"node0\"]",
          CLUSTER "," NODE "," V("x", "\"type\":\"core\""),
          E("c", "n") "," E("n", "x")),
     "graph-id scheduling.graph.nodes[2]\n"},

    /* records of a graph */
    {GRAPH(HELD("m", "\"allocations\":[7,{},{\"job\":-1,\"size\":0,"
                     "\"start\":3,\"end\":3}],\"shared\":{},"
                     "\"listed\":[\"\"],\"staged\":null"),
           ""),
     "wrong-type graph.nodes[0].metadata.allocations[0]\n"
     "job graph.nodes[0].metadata.allocations[1].job\n"
     "job graph.nodes[0].metadata.allocations[2].job\n"
     "number graph.nodes[0].metadata.allocations[2].size\n"
     "span graph.nodes[0].metadata.allocations[2]\n"
     "wrong-type graph.nodes[0].metadata.shared\n"
     "job graph.nodes[0].metadata.listed[0]\n"
     "job graph.nodes[0].metadata.staged\n"},
    {GRAPH(HELD("m", "\"allocations\":[" JOB("1", "3", ",\"end\":5") "," JOB(
                         "2", "4", ",\"start\":5") "]"),
           ""),
     ""},
    {GRAPH(HELD("m", "\"allocations\":[" JOB("1", "3", ",\"end\":6") "," JOB(
                         "2", "2", ",\"start\":5") "]"),
           ""),
     "record-oversubscribed graph.nodes[0].metadata.allocations\n"},
    {GRAPH(HELD("m", "\"allocations\":[" JOB("1", "9", "") "]"), ""),
     "record-oversubscribed graph.nodes[0].metadata.allocations\n"},
    {GRAPH(HELD("m",
                "\"allocations\":[" JOB("1", "3", "") "],"
                                                      "\"reservations\":[" JOB(
                                                          "2", "2", "") "]"),
           ""),
     "record-overreserved graph.nodes[0].metadata.reservations\n"},
    {GRAPH(HELD("m",
                "\"exclusive\":true,\"allocations\":[" JOB("1", "3", "") "]"),
           ""),
     "exclusive-partial graph.nodes[0].metadata.allocations\n"},
    {GRAPH(V("n", "\"type\":\"node\",\"allocations\":[" JOB(
                      "1", "1",
                      "") "],\"shared\":[2]") "," HELD("m",
                                                       "\"allocations\":[" JOB(
                                                           "1", "1",
                                                           "") "," JOB("2", "1",
                                                                       "") "]"),
           E("n", "m")),
     "record-implied graph.nodes[1].metadata.allocations\n"
     "record-below-exclusive graph.nodes[1].metadata.allocations\n"
     "exclusive-shared graph.nodes[0].metadata.shared\n"},
    {GRAPH(V("n",
             "\"type\":\"node\",\"allocations\":[" JOB(
                 "1", "1",
                 ",\"end\":9") "],\"shared\":[2]") "," HELD("m",
                                                            "\"allocations\":"
                                                            "[" JOB("2", "1",
                                                                    ",\"start\""
                                                                    ":9") "]"),
           E("n", "m")),
     ""},
    {GRAPH(CLUSTER "," V("n", "\"type\":\"node\",\"shared\":[1]") "," HELD(
               "m", "\"allocations\":[" JOB("1", "1", "") "]"),
           E("c", "n") "," E("n", "m")),
     "shared-missing graph.nodes[0].metadata.shared\n"},

    {GRAPH(CLUSTER "," HELD("m", "\"shared\":[{\"job\":1}],\"listed\":"
                                 "[2,{\"job\":3,\"size\":2}]"),
           E("c", "m")),
     "shared-units graph.nodes[1].metadata.shared[0]\n"},
    {GRAPH(HELD("m", "\"exclusive\":true,\"reservations\":[" JOB(
                         "1", "3", "") "],\"shared\":[2]"),
           ""),
     "exclusive-partial graph.nodes[0].metadata.reservations\n"
     "exclusive-partial graph.nodes[0].metadata.shared\n"},
    {GRAPH(
         V("n", "\"type\":\"node\",\"exclusive\":true,\"shared\":[1]") "," HELD(
             "m", "\"allocations\":[" JOB("1", "4", "") "]"),
         E("n", "m")),
     "exclusive-partial graph.nodes[0].metadata.shared\n"},
    {GRAPH(HELD("m", "\"allocations\":[" JOB("1", "3", "") "],\"staged\":2"),
           ""),
     "stale-lock graph.nodes[0].metadata.staged\n"},
    {GRAPH(HELD("m", "\"reservations\":[" JOB("2", "3", "") "],\"staged\":2"),
           ""),
     ""},
    {GRAPH(HELD("m", "\"allocations\":[{\"job\":1,\"owner\":{}}]"), ""),
     "job graph.nodes[0].metadata.allocations[0].owner\n"},
    {GRAPH(V("n", "\"type\":\"node\",\"allocations\":[" JOB(
                      "1", "1", "") "]") "," HELD("m", "\"shared\":[1,2]"),
           E("n", "m")),
     "exclusive-shared graph.nodes[1].metadata.shared\n"},
    /* what a job's R says it holds whole binds nobody who uses it */
    {GRAPH(
         V("n", "\"type\":\"node\",\"exclusive\":true,\"shared\":[1]") "," HELD(
             "m", "\"exclusive\":true,\"allocations\":[" JOB("1", "3", "") "]"),
         E("n", "m")),
     ""},

    /* records of a plain R */
    {MARKS("\"reservations\":[{\"job\":2,\"end\":5," CORES(
         "1", "0") ",\"holds\":\"1\"},{\"job\":3,\"start\":4," CORES("1",
                                                                     "1") "}]"),
     "record-below-exclusive attributes.system.scheduler.reservations[1]\n"},
    {MARKS("\"reservations\":[{\"job\":2,\"end\":5," CORES(
         "1", "0") ",\"holds\":\"1\"},{\"job\":3,\"start\":5," CORES("1",
                                                                     "1") "}]"),
     ""},
    {MARKS("\"shared\":[{\"job\":1," CORES("0", "0-1") "},{\"job\":3," CORES(
         "0", "2") "}],\"allocations\":[{\"job\":2," CORES("0", "1") "}]"),
     "exclusive-shared attributes.system.scheduler.shared[0]\n"},
    {MARKS("\"allocations\":[{\"job\":1,\"owner\":1.5," CORES("0", "0") "}]"),
     "job attributes.system.scheduler.allocations[0].owner\n"},
    {MARKS("\"exclusive\":\"0-1\",\"allocations\":[{\"job\":1," CORES(
         "0-1",
         "0") "},{\"job\":2,\"holds\":\"1\",\"start\":9," CORES("1",
                                                                "0") "}],"
                                                                     "\"shared"
                                                                     "\":[{"
                                                                     "\"job\":"
                                                                     "3,\"R_"
                                                                     "lite\":[{"
                                                                     "\"rank\":"
                                                                     "\"0\"}]}"
                                                                     "]"),
     "exclusive-partial attributes.system.scheduler.allocations[0]\n"
     "exclusive-partial attributes.system.scheduler.shared[0]\n"
     "record-below-exclusive attributes.system.scheduler.allocations[0]\n"},
    {MARKS("\"allocations\":[{\"job\":1," CORES(
         "0", "0-1") "},{\"job\":2,"
                     "\"holds\":\"1\"," CORES(
                         "1", "0") "}],\"staged\":[{\"job\":"
                                   "1," CORES(
                                       "0", "1-2") "},{\"job\":1,"
                                                   "\"R_lite\":[{"
                                                   "\"rank\":\"0\"}]"
                                                   "},"
                                                   "{\"job\":2,\"R_"
                                                   "lite\":[{"
                                                   "\"rank\":\"1\"}]"
                                                   "},{\"job\":"
                                                   "1," CORES(
                                                       "0", "0") "},{"
                                                                 "\"job\""
                                                                 ":3"
                                                                 "," CORES(
                                                                     "0",
                                                                     "0") "}]"),
     "stale-lock attributes.system.scheduler.staged[1]\n"
     "stale-lock attributes.system.scheduler.staged[4]\n"
     "stale-lock attributes.system.scheduler.staged[0]\n"},
    {MARKS("\"allocations\":[{\"job\":1," CORES(
         "0", "0-1") "},"
                     "{\"job\":2," CORES(
                         "0", "2-3") "},"
                                     "{\"job\":3,\"holds\":\"1\"," CORES(
                                         "1",
                                         "0") "}],"
                                              "\"tags\":[{\"tag\":\"t\",\"R_"
                                              "lite\":[{\"rank\":\"0\"}]}]"),
     ""},
    {MARKS("\"holds\":\"x\",\"allocations\":[{\"job\":1," CORES(
         "0", "0") "}],\"reservations\":[{\"job\":1,\"R_lite\":["
                   "{\"rank\":\"1\",\"children\":{\"core\":\"1\"}},"
                   "{\"rank\":\"1\",\"children\":{\"core\":\"1\"}}]}]"),
     "idset attributes.system.scheduler.holds\n"},
    {MARKS("\"allocations\":7,\"states\":[{\"state\":\"x\"}],"
           "\"tags\":[{\"tag\":\"\",\"R_lite\":[]}],\"exclusive\":\"0-2\","
           "\"shared\":[{\"R_lite\":[{\"rank\":\"1,0\"}],\"start\":\"x\"}]"),
     "record-rank attributes.system.scheduler.exclusive\n"
     "wrong-type attributes.system.scheduler.allocations\n"
     "job attributes.system.scheduler.shared[0].job\n"
     "time attributes.system.scheduler.shared[0].start\n"
     "idset attributes.system.scheduler.shared[0].R_lite[0].rank\n"
     "state attributes.system.scheduler.states[0].state\n"
     "key-missing attributes.system.scheduler.states[0].R_lite\n"
     "tag attributes.system.scheduler.tags[0].tag\n"},
    {MARKS("\"reservations\":[{\"job\":1," CORES(
         "1-2", "0") "},"
                     "{\"job\":1," CORES("1", "3-4") "}]"),
     "record-id attributes.system.scheduler.reservations[1]\n"
     "record-rank attributes.system.scheduler.reservations[0]\n"},
    {MARKS(
         "\"allocations\":[{\"job\":1,\"holds\":\"0-1\"," CORES("0", "0") "}]"),
     "record-holds attributes.system.scheduler.allocations[0].holds\n"},
    {MARKS("\"allocations\":[{\"job\":1,\"end\":5," CORES(
         "0", "0-2") "},"
                     "{\"job\":2,\"start\":4," CORES("0", "2") "}]"),
     "record-oversubscribed attributes.system.scheduler.allocations[1]\n"},
    {MARKS("\"allocations\":[{\"job\":1," CORES(
         "0", "0") "}],"
                   "\"reservations\":[{\"job\":2," CORES("0", "0") "}]"),
     "record-overreserved attributes.system.scheduler.reservations[0]\n"},
    {MARKS("\"allocations\":[{\"job\":1,\"R_lite\":[{\"rank\":\"0\"}]},"
           "{\"job\":2," CORES("0", "2") "},{\"job\":1," CORES(
               "0",
               "3") "}],"
                    "\"shared\":[{\"job\":2,\"R_lite\":[{\"rank\":\"0\"}]}]"),
     "record-below-exclusive attributes.system.scheduler.allocations[1]\n"
     "record-implied attributes.system.scheduler.allocations[2]\n"
     "exclusive-shared attributes.system.scheduler.shared[0]\n"},
    {MARKS("\"allocations\":[{\"job\":1,\"R_lite\":[{\"rank\":\"0\"}]},"
           "{\"job\":2,\"R_lite\":[{\"rank\":\"0-1\"}]}]"),
     "record-oversubscribed attributes.system.scheduler.allocations[1]\n"},
};
enum { DOCUMENTS = sizeof(table) / sizeof(table[0]) };

/* --- the law ------------------------------------------------------------ */

static bool must_refuse(const struct faults *faults)
{
    for (size_t i = 0; i < faults->n; i++)
        if (faults->list[i].level == FAULT_REFUSED)
            return true;
    return false;
}

static bool reader_refuses(const char *text, struct diag *d)
{
    struct stream *s = stream_open_text(text, strlen(text), "test", d);
    struct rset *rs = NULL;
    int rc = s ? rset_read(s, TRUST_NONE, &rs, d) : -1;

    rset_destroy(rs);
    stream_close(s);
    return rc != 1;
}

static int validate_text(const char *text, struct faults *faults)
{
    json_t *doc = json_loads(text, JSON_DECODE_ANY, NULL);
    struct diag d = {0};
    int rc = doc ? validate_document(doc, faults, &d) : -1;

    json_decref(doc);
    return rc;
}

static bool law_holds(const char *text)
{
    struct faults faults = {0};
    struct diag d = {0};
    bool refused = reader_refuses(text, &d), holds;
    char line[1024];

    holds = validate_text(text, &faults) == 0
            && refused == must_refuse(&faults);
    if (!holds) {
        printf("# %.6000s\n# the reader: %s\n", text,
               refused ? diag_format(&d, line, sizeof(line)) : "takes it");
        for (size_t i = 0; i < faults.n; i++)
            printf("# %s [%s]\n", faults.list[i].text, faults.list[i].rule);
    }
    faults_fini(&faults);
    return holds;
}

/* --- the table ---------------------------------------------------------- */

/* What only exchange forms leave out is not of interest here. */
static bool of_interest(const struct fault *f)
{
    return strcmp(f->rule, "vertex-key-missing")
           && strcmp(f->rule, "edge-metadata");
}

static char *faults_text(const struct faults *faults)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (size_t i = 0; fp && i < faults->n; i++)
        if (of_interest(&faults->list[i]))
            fprintf(fp, "%s %s\n", faults->list[i].rule, faults->list[i].where);
    if (fp)
        fclose(fp);
    return text;
}

static void test_table(void)
{
    for (size_t i = 0; i < DOCUMENTS; i++) {
        struct faults faults = {.strict = true};
        int rc = validate_text(table[i].text, &faults);
        char *text = faults_text(&faults);
        ok(rc == 0, "document %zu is checked", i);
        is(text, table[i].faults, "its faults: %.90s", table[i].text);
        ok(law_holds(table[i].text), "the reader is of the same mind");
        free(text);
        faults_fini(&faults);
    }
}

/* --- the rules ---------------------------------------------------------- */

static void test_rules(void)
{
    size_t n;
    const struct fault_rule *rules = fault_rules(&n);
    int good = 1, unique = 1;

    for (size_t i = 0; i < n; i++) {
        good &= rules[i].name && rules[i].standard && rules[i].text;
        for (size_t j = 0; j < i && good; j++)
            unique &= strcmp(rules[i].name, rules[j].name) != 0;
    }
    ok(n > 50 && good, "all of the %zu rules are told", n);
    ok(unique, "their names are unique");
    ok(!strcmp(fault_level_names[FAULT_STRICT], "strict"), "levels have names");
}

/* Every rule is broken by some document of the table. */
static void test_covered(void)
{
    size_t n, missing = 0;
    const struct fault_rule *rules = fault_rules(&n);

    for (size_t i = 0; i < n; i++) {
        char line[64];
        size_t j = 0;
        snprintf(line, sizeof(line), "%s ", rules[i].name);
        while (j < DOCUMENTS && !strstr(table[j].faults, line))
            j++;
        if (j == DOCUMENTS && strcmp(rules[i].name, "depth")
            && strcmp(rules[i].name, "vertex-key-missing")
            && strcmp(rules[i].name, "edge-metadata")) {
            printf("# %s is not in the table\n", rules[i].name);
            missing++;
        }
    }
    ok(missing == 0, "the table has all rules");
}

static void test_levels(void)
{
    struct faults faults = {0};
    const char *text = R(LITE, ",\"nslots\":1,\"starttime\":0");

    ok(validate_text(text, &faults) == 0 && faults.n == 1,
       "strict faults are not gathered if nobody asks");
    ok(faults_count(&faults, FAULT_WARNED) == 1
           && faults_count(&faults, FAULT_REFUSED) == 0,
       "faults are counted by level");
    faults_fini(&faults);
    ok(faults.n == 0, "an empty list is left");
}

static void test_text(void)
{
    struct faults faults = {0};

    validate_text(R(LITE, ",\"nodelist\":[\"a[0-2]\"]"), &faults);
    is(faults.list[0].text, "3 hosts for 2 ranks", "a text is the reader's");
    faults_fini(&faults);
    validate_text(GRAPH(CLUSTER "," HELD(
                            "m", "\"allocations\":[" JOB("1", "3", "") "," JOB(
                                     "\"b\"", "2", ",\"start\":5") "]"),
                        E("c", "m")),
                  &faults);
    is(faults.list[0].text, "5 units of 4 are allocated at 5, with job b",
       "what is too much is told with its time");
    faults_fini(&faults);
}

/* --- scale -------------------------------------------------------------- */

/* A chain, each in the one before, or all in the first. */
static char *big_graph(size_t n, bool chain, bool edges)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs("{\"graph\":{\"nodes\":[", fp);
    for (size_t i = 0; i < n; i++)
        fprintf(fp,
                "%s{\"id\":\"%zu\",\"metadata\":{\"type\":\"core\","
                "\"id\":%zu,\"allocations\":[{\"job\":%zu}]}}",
                i ? "," : "", i, i, i % 1000);
    fputs("],\"edges\":[", fp);
    for (size_t i = 1; edges && i < n; i++)
        fprintf(fp, "%s{\"source\":\"%zu\",\"target\":\"%zu\"}",
                i > 1 ? "," : "", chain ? i - 1 : 0, i);
    fputs("]}}", fp);
    fclose(fp);
    return text;
}

static size_t count_rule(const struct faults *faults, const char *rule)
{
    size_t n = 0;

    for (size_t i = 0; i < faults->n; i++)
        n += !strcmp(faults->list[i].rule, rule);
    return n;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void test_scale(void)
{
    enum { N = 100000 };
    struct faults faults = {0};
    char *flat = big_graph(N, false, true), *deep = big_graph(N, true, true);
    char *loose = big_graph(N, false, false);
    double start = seconds();

    ok(validate_text(flat, &faults) == 0
           && count_rule(&faults, "record-below-exclusive") > N / 2,
       "a wide graph");
    faults_fini(&faults);
    ok(validate_text(deep, &faults) == 0 && count_rule(&faults, "depth") == 1,
       "a deep graph");
    faults_fini(&faults);
    ok(validate_text(loose, &faults) == 0
           && count_rule(&faults, "two-roots") == N - 1,
       "a graph in pieces: all faults are counted");
    faults_fini(&faults);
    printf("# %.2f s\n", seconds() - start);
    free(flat);
    free(deep);
    free(loose);
}

/* --- random changes ----------------------------------------------------- */

static const char *const sound[] = {
    R(LITE, HOSTS ",\"properties\":{\"a\":\"0\",\"b=c\":\"0-1\"},"
                  "\"starttime\":5,\"expiration\":9"),
    "{\"version\":1,\"execution\":{\"R_lite\":["
    "{\"rank\":\"0,2\",\"children\":{\"core\":\"0-1\",\"gpu\":"
    "\"0\"}},"
    "{\"rank\":\"1\",\"children\":{\"core\":\"0-7\",\"x\":\"1\"}}],"
    "\"nodelist\":[\"a\",\"b[1-2]\"]},\"scheduling\":{\"writer\":"
    "\"y\"}"
    "}",
    MARKS("\"allocations\":[{\"job\":1,\"start\":1,\"end\":"
          "2," CORES("0", "0-1") "},{\"job\":\"b\",\"holds\":"
                                 "\"1\"," CORES(
                                     "1", "0") "}],\"reservations\":[{"
                                               "\"job\":3,\"start\":"
                                               "7," CORES("0",
                                                          "3") "}],\"shared\":["
                                                               "{\"job\":1,\"R_"
                                                               "lite\":"
                                                               "[{\"rank\":"
                                                               "\"0\"}]}],"
                                                               "\"staged\":"
                                                               "[{\"job\":4,"
                                                               "\"R_lite\":"
                                                               "[{\"rank\":"
                                                               "\"1\"}]}],"
                                                               "\"states\":"
                                                               "[{\"state\":"
                                                               "\"down\""
                                                               "," CORES(
                                                                   "1",
                                                                   "2-3") "}],"
                                                                          "\"ex"
                                                                          "clus"
                                                                          "ive"
                                                                          "\":"
                                                                          "\"1"
                                                                          "\","
                                                                          "\"ta"
                                                                          "gs\""
                                                                          ":[{"
                                                                          "\"ta"
                                                                          "g\":"
                                                                          "\"t"
                                                                          "\","
                                                                          "\"va"
                                                                          "lue"
                                                                          "\":"
                                                                          "3,"
                                                                          "\"R_"
                                                                          "lite"
                                                                          "\":["
                                                                          "{\"r"
                                                                          "ank"
                                                                          "\":"
                                                                          "\"0-"
                                                                          "1\"}"
                                                                          "]}"
                                                                          "]"),
    GRAPH(CLUSTER "," NODE "," CORE("x", "0") "," CORE("y", "1") "," V(
              "m", "\"type\":\"memory\",\"size\":8,\"unit\":"
                   "\"GB\","
                   "\"uuid\":\"u\",\"properties\":{\"p\":"
                   "\"\"},"
                   "\"state\":\"down\",\"status\":1,"
                   "\"exclusive\":true,"
                   "\"allocations\":[{\"job\":1,\"size\":8,"
                   "\"start\":1,"
                   "\"end\":4}],\"reservations\":[{\"job\":"
                   "\"b\","
                   "\"start\":4}],\"staged\":5,\"listed\":["
                   "1]") "," V("p", "\"type"
                                    "\":"
                                    "\"pdu\""
                                    ",\"name"
                                    "\":"
                                    "\"pdu1"
                                    "\""),
          E("c", "n") "," E("n", "x") "," E(
              "n", "y") ","
                        "{\"source\":\"m\",\"target\":\"n\",\"metadata\":"
                        "{\"name\":{\"containment\":\"in\"}}}," POWER(
                            "p", "n", "supplies_to")),
    "{\"graph\":{\"nodes\":{\"0\":{\"metadata\":{\"type\":\"node\","
    "\"rank\":3,\"name\":\"hal7\",\"paths\":{\"containment\":\"/"
    "hal7\"}}},"
    "\"1\":{\"metadata\":{\"type\":\"gpu\",\"paths\":"
    "{\"containment\":\"/hal7/gpu0\"}}}},"
    "\"edges\":[" E("0", "1") "]}}",
    BOTH("[{\"rank\":\"0-1\",\"children\":{\"core\":\"0\"}}]",
         ",\"nodelist\":[\"node[0-1]\"],\"properties\":{\"p\":"
         "\"1\"}",
         CLUSTER "," NODE "," CORE("x", "0") "," V(
             "o", "\"type\":\"node\",\"id\":1,\"rank\":1") "," CORE("y", "0"),
         E("c", "n") "," E("n", "x") "," E("c", "o") "," E("o", "y")),
};
enum { SOUND = sizeof(sound) / sizeof(sound[0]) };

/* The n-th value in a tree of JSON, counted down in *n; NULL: there are less.
 */
struct found {
    json_t *in; /* the list or object that holds it */
    char key[64];
    size_t index;
};

static bool find_value(json_t *value, long *n, struct found *found)
{
    const char *key;
    json_t *item;
    size_t i;

    json_object_foreach (value, key, item) {
        if ((*n)-- == 0) {
            found->in = value;
            snprintf(found->key, sizeof(found->key), "%s", key);
            return true;
        }
        if (find_value(item, n, found))
            return true;
    }
    json_array_foreach (value, i, item) {
        if ((*n)-- == 0) {
            *found = (struct found){.in = value, .index = i};
            return true;
        }
        if (find_value(item, n, found))
            return true;
    }
    return false;
}

static struct found random_place(json_t *doc)
{
    struct found found = {0}, none;
    long n = 1 << 20, size;

    find_value(doc, &n, &none);
    size = (1 << 20) - n;
    n = size ? (long)random_below((uint32_t)size) : 0;
    find_value(doc, &n, &found);
    return found;
}

static json_t *value_at(const struct found *f)
{
    return json_is_array(f->in) ? json_array_get(f->in, f->index)
                                : json_object_get(f->in, f->key);
}

static void put_at(const struct found *f, json_t *value)
{
    if (json_is_array(f->in))
        json_array_set_new(f->in, f->index, value);
    else
        json_object_set_new(f->in, f->key, value);
}

static json_t *random_value(void)
{
    static const char *const values[] = {
        "0",
        "1",
        "2",
        "-1",
        "-2",
        "1.5",
        "4294967295",
        "9e99",
        "null",
        "true",
        "{}",
        "[]",
        "\"\"",
        "\"0\"",
        "\"0-3\"",
        "\"1\"",
        "\"7\"",
        "\"a/b\"",
        "\"x\"",
        "\"n\"",
        "\"c\"",
        "\"in\"",
        "\"node\"",
        "\"core\"",
        "\"a b\"",
        "\"down\"",
        "\"power\"",
        "\"containment\"",
        "[\"a\"]",
        "[1]",
        "{\"containment\":\"/x\"}",
        "{\"rank\":\"1\"}",
        "\"fluxion:jgf_shorthand\"",
        "\"0-4294967294\"",
        "{\"core\":\"0\"}",
    };
    size_t n = sizeof(values) / sizeof(values[0]);

    return json_loads(values[random_below((uint32_t)n)], JSON_DECODE_ANY, NULL);
}

static const char *random_key(void)
{
    static const char *const keys[] = {
        "version", "execution",   "scheduling", "graph",        "graphs",
        "nodes",   "edges",       "attributes", "R_lite",       "nodelist",
        "rank",    "children",    "core",       "gpu",          "id",
        "type",    "name",        "basename",   "size",         "metadata",
        "source",  "target",      "subsystem",  "relationship", "hyperedges",
        "job",     "holds",       "exclusive",  "status",       "state",
        "shared",  "allocations", "starttime",  "paths",        "uuid",
        "unit",    "tags",        "start",      "end",          "properties",
        "system",  "scheduler",   "uniq_id",    "listed",       "staged",
        "writer",  "relation",
    };

    return keys[random_below(sizeof(keys) / sizeof(keys[0]))];
}

static void remove_at(const struct found *f)
{
    if (json_is_array(f->in))
        json_array_remove(f->in, f->index);
    else
        json_object_del(f->in, f->key);
}

/* Once more: behind it in a list, or under another key. */
static void double_at(const struct found *f)
{
    json_t *copy = json_deep_copy(value_at(f));

    if (json_is_array(f->in))
        json_array_insert_new(f->in, f->index, copy);
    else
        json_object_set_new(f->in, random_key(), copy);
}

static void change(json_t *doc)
{
    struct found f = random_place(doc), other = random_place(doc);

    if (!f.in || !other.in)
        return;
    switch (random_below(6)) {
    case 0:
        remove_at(&f);
        break;
    case 1:
        double_at(&f);
        break;
    case 2: /* what stands elsewhere in the document */
        put_at(&f, json_deep_copy(value_at(&other)));
        break;
    case 3:
        if (json_is_object(f.in))
            json_object_set_new(f.in, random_key(), random_value());
        break;
    default:
        put_at(&f, random_value());
        break;
    }
}

static void test_changes(void)
{
    long rounds = random_start(30000), broken = 0, refused = 0;

    for (long i = 0; i < rounds && broken < 5; i++) {
        json_t *doc = json_loads(sound[random_below(SOUND)], 0, NULL);
        struct diag d = {0};
        char *text;
        for (uint32_t n = 1 + random_below(2); n > 0; n--)
            change(doc);
        text = json_dumps(doc, JSON_COMPACT);
        broken += !text || !law_holds(text);
        refused += text && reader_refuses(text, &d);
        free(text);
        json_decref(doc);
    }
    ok(broken == 0, "%ld changed documents, %ld of them refused", rounds,
       refused);
}

static void test_sound(void)
{
    for (size_t i = 0; i < SOUND; i++) {
        struct faults faults = {0};
        struct diag d = {0};
        ok(!reader_refuses(sound[i], &d)
               && validate_text(sound[i], &faults) == 0
               && faults_count(&faults, FAULT_REFUSED) == 0,
           "a sound document: %.60s", sound[i]);
        faults_fini(&faults);
    }
}

/* rset(5) has a row for every rule, in the same words and order. */
static void test_manual(void)
{
    const char *dir = getenv("TEST_DIR");
    const struct fault_rule *rules;
    char path[4096], line[1024], want[1024];
    size_t n, at = 0;
    FILE *fp;

    rules = fault_rules(&n);
    snprintf(path, sizeof(path), "%s/../man/rset.5", dir ? dir : "test");
    if (!(fp = fopen(path, "r"))) {
        ok(1, "the manual has the rules # skip it is not here");
        return;
    }
    while (fgets(line, sizeof(line), fp) && at < n) {
        line[strcspn(line, "\n")] = '\0';
        snprintf(want, sizeof(want), ".It %s Ta %s Ta %s Ta %s", rules[at].name,
                 fault_level_names[rules[at].level], rules[at].standard,
                 rules[at].text);
        at += !strcmp(line, want);
    }
    fclose(fp);
    ok(at == n, "the manual has all %zu rules, %s", n,
       at < n ? rules[at].name : "in order");
}

int main(void)
{
    test_rules();
    test_table();
    test_covered();
    test_levels();
    test_text();
    test_sound();
    test_scale();
    test_changes();
    test_manual();
    return done_testing();
}
