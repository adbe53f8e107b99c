#!/usr/bin/env bats
# Stores of schemas 3 to 5: commands that read leave them alone, commands that
# write migrate them. store-crash.bats kills these.

# shellcheck disable=SC2030,SC2031 # a test is no subshell
load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    needs sqlite3 jq
}

# make_old: a store of schema 3 with the set old.json.
make_old() {
    sqlite3 s.db <"$TEST_DIR/fixtures/store-3.sql" >mode
    jq -c . >old.json <<'END'
{"version": 1,
 "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0-1"}}],
  "nodelist": ["n[0-1]"]},
 "attributes": {"system": {"scheduler": {
  "allocations": [{"job": 1,
    "R_lite": [{"rank": "0", "children": {"core": "0-1"}}],
    "holds": "0", "owner": "ann"}],
  "reservations": [{"job": 2,
    "R_lite": [{"rank": "1", "children": {"core": "0"}}],
    "owner": "bob", "start": 5000000000, "end": 5000000100}],
  "states": [{"state": "down", "R_lite": [{"rank": "1"}]}],
  "tags": [{"tag": "drained", "value": {"reason": "fan", "time": 1002},
    "R_lite": [{"rank": "1"}]}]}}}}
END
}

# make_4: a store of schema 4 with the set old.json. Job 9 had a core of n1 when
# the set was saved, and has ended; job 5 waits.
make_4() {
    make_old
    sqlite3 s.db <<'END'
CREATE TABLE queued (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL,
  queue TEXT, priority INTEGER NOT NULL, request TEXT NOT NULL,
  duration REAL, submitted REAL NOT NULL, estimate REAL, reason TEXT NOT NULL);
INSERT INTO queued VALUES (5, 7, 'q', 16, '{"core": 9}', 60, 1000, NULL, 'busy');
CREATE VIEW pending AS
  SELECT CAST(id AS TEXT) AS job, CAST(owner AS TEXT) AS owner, queue,
    priority, request, duration, submitted, estimate, reason
  FROM queued;
INSERT INTO old_job VALUES (0, '9', 3);
INSERT INTO old_term VALUES (0, 7, 3, 'ann', NULL, NULL, NULL, 0, 0);
INSERT INTO old_grants VALUES (0, 99, 3, 0, 7, 1, 1, 0, -3, 1, 1, '/core');
PRAGMA user_version = 4;
END
}

# make_5: the same store of schema 5, in which records have the names of jobs.
make_5() {
    make_4
    sqlite3 s.db <<'END'
DROP VIEW jobs; DROP VIEW holdings;
ALTER TABLE job RENAME TO named; ALTER TABLE old_job RENAME TO old_named;
ALTER TABLE term RENAME TO a; ALTER TABLE grants RENAME TO b;
ALTER TABLE old_term RENAME TO c; ALTER TABLE old_grants RENAME TO d;
CREATE TABLE term (job TEXT NOT NULL, id INTEGER NOT NULL,
  owner TEXT, queue TEXT, start REAL, end REAL, nslots INTEGER NOT NULL,
  reserved INTEGER NOT NULL, PRIMARY KEY (job, id)) WITHOUT ROWID;
INSERT INTO term SELECT name, a.id, owner, queue, start, end, nslots, reserved
  FROM a JOIN named ON named.id = job;
CREATE TABLE grants (job TEXT NOT NULL, id INTEGER NOT NULL,
  came INTEGER NOT NULL, kind INTEGER NOT NULL, term INTEGER,
  units INTEGER NOT NULL, lot INTEGER NOT NULL, up INTEGER NOT NULL,
  pool INTEGER NOT NULL, at INTEGER NOT NULL, n INTEGER NOT NULL,
  path TEXT NOT NULL, PRIMARY KEY (job, id)) WITHOUT ROWID;
INSERT INTO grants SELECT name, b.id, job, kind, term, units, lot, up, pool, at,
  n, path FROM b JOIN named ON named.id = job;
CREATE TABLE old_job (mark INTEGER, name TEXT,
  PRIMARY KEY (name, mark)) WITHOUT ROWID;
INSERT INTO old_job SELECT mark, name FROM old_named;
CREATE TABLE old_term AS SELECT mark, '9' AS job, id, owner, queue, start, end,
  nslots, reserved FROM c;
CREATE TABLE old_grants AS SELECT mark, '9' AS job, id, 3 AS came, kind, term,
  units, lot, up, pool, at, n, path FROM d;
DROP TABLE a; DROP TABLE b; DROP TABLE c; DROP TABLE d; DROP TABLE named;
DROP TABLE old_named;
CREATE VIEW jobs AS SELECT job FROM grants;
CREATE VIEW holdings AS SELECT job FROM grants;
PRAGMA user_version = 5;
END
}

# schema: print the number of the schema.
schema() {
    sqlite3 -readonly s.db 'PRAGMA user_version'
}

# statements: print the statements of the schema, without blanks.
statements() {
    sqlite3 -readonly s.db .schema | tr -d ' \n' | tr ';' '\n' | sort
}

# read_old COMMAND...: run each command that only reads, by way of COMMAND.
read_old() {
    "$@" rset-match --store s.db | diff - old.json
    "$@" rset-alloc jobs -o json --store s.db |
        diff - <(rset-alloc jobs -o json old.json)
    "$@" rset-alloc status --now 1 --store s.db |
        diff - <(rset-alloc status --now 1 old.json)
    "$@" rset-alloc allocated 2 --store s.db |
        diff - <(rset-alloc allocated 2 old.json)
    same "$("$@" rset-match --available --count core --store s.db)" 0
    same "$("$@" rset-alloc history -o json --store s.db |
        jq -c 'map([.revision, .user, .command, .job, .what])')" \
        '[[1,"eva","allocate",1,null],[2,"eva","allocate",2,null],[3,"eva","drain",null,"n1"]]'
    "$@" rset-alloc check --store s.db
    run -1 "$@" rset-alloc jobs --job-state pending --store s.db
    same "$output" 'rset-alloc: s.db: no job passes --job-state pending'
}

@test "commands that only read, read schema 3 as it is" {
    make_old
    cp s.db copy
    read_old env
    cmp s.db copy
    same "$(schema)" 3
    # a file, and a directory, that may only be read
    [ "$(id -u)" != 0 ] || setpriv --bounding-set \
        -dac_override,-dac_read_search true || skip 'root may write to it'
    plain() {
        [ "$(id -u)" = 0 ] || { "$@"; return; }
        setpriv --bounding-set -dac_override,-dac_read_search "$@"
    }
    chmod a-w s.db*
    read_old plain
    mkdir locked
    cp s.db* old.json locked
    chmod a-w locked locked/*
    cmp s.db copy
    cd locked
    read_old plain
    chmod u+w .
}

# old_writes COMMAND...: a store of schema 3 is migrated by the command, and
# then as if a document with the same records had been changed.
old_writes() {
    rm -f s.db*
    make_old
    rset-alloc "$@" --store s.db >out
    same "$(schema)" 6
    rset-alloc "$@" old.json >new.json
    rset-match --store s.db | diff - new.json
    rset-alloc check --store s.db
    rset-alloc save --changed --store s.db >changes 2>err
    same "$(sqlite3 -readonly s.db 'SELECT count(*) FROM pending')" 0
    statements | diff - latest
}

@test "each command that writes brings schema 3 to the latest" {
    rset-discover --hosts n0 --cores 0 | rset-alloc load --store s.db
    statements >latest
    old_writes release 2
    old_writes undrain n1
    old_writes extend 2 --expiration 5000000200
    old_writes tag n0 blue
    # a command that fails or changes nothing does not
    rm s.db*
    make_old
    run -1 rset-alloc release 9 --store s.db
    run -3 rset-alloc allocate 9 -N9 --store s.db
    same "$(schema)" 3
    rset-alloc save --changed --store s.db >changes
    same "$(schema)" 6
    same "$(jq '.changes | length' changes)" 3
    rset-match --store s.db | cmp - old.json
    rm s.db*
    make_old
    rset-alloc batch /dev/null --store s.db
    same "$(schema)" 6
    rset-match --store s.db | cmp - old.json
}

# migrates_all: the store s.db is read as it is, and its first writer migrates all.
migrates_all() {
    cp s.db copy
    rset-match --store s.db | diff - old.json
    rset-alloc check --store s.db
    rset-alloc jobs -o json --job-state pending --store s.db >waiting
    same "$(jq -c 'map([.job, .reason])' waiting)" '[[5,"busy"]]'
    cmp s.db copy
    rset-alloc release 1 --store s.db
    same "$(schema)" 6
    rset-alloc check --store s.db
    rset-alloc release 1 old.json >new.json
    rset-match --store s.db | diff - new.json
    rset-alloc jobs -o json --job-state pending --store s.db | cmp - waiting
    rset-alloc save --changed --store s.db >changes
    same "$(jq -c '.changes[] | [.at[3], (.from, .to | arrays | map(.job))]' \
        changes | head -2)" '["allocations",[1,9]]
["reservations",[2]]'
}

@test "schemas 4 and 5 are read as they are, and migrated with jobs that wait and old values" {
    local make
    for make in make_4 make_5; do
        rm -f s.db*
        $make
        migrates_all
    done
}

@test "a service brings schema 3 to the latest" {
    make_old
    rset-discover --hosts 'n[0-1]' --cores 0-1 >r.json
    rset-alloc serve --store s.db --resources r.json >out 2>err <<'END'
{"topic":"job-manager.sched-hello","matchtag":1,"payload":{"id":1,"priority":16,"userid":5,"t_submit":1}}
{"topic":"job-manager.sched-hello","matchtag":1,"errnum":61}
{"topic":"job-manager.sched-ready","matchtag":2,"payload":{"count":0}}
END
    same "$(schema)" 6
    same "$(rset-alloc jobs -o json --store s.db | jq -c 'map([.job, .owner])')" \
        '[[1,"ann"]]'
}

@test "two writers migrate a store once" {
    local pids=() pid
    make_old
    for command in 'release 1' 'undrain n1' 'tag n0 blue' 'tag n1 red'; do
        # shellcheck disable=SC2086 # words
        rset-alloc $command --store s.db 3>&- &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid"
    done
    same "$(schema)" 6
    rset-alloc check --store s.db
    same "$(rset-alloc history -o json --store s.db | jq length)" 7
}

@test "beside an older program with the lease, save leaves the schema alone" {
    make_old
    rset-alloc jobs --store s.db >listed
    flock s.db-lease -c true # made by a writer
    flock s.db-lease rset-alloc save --store s.db >saved
    same "$(schema)" 3
    cmp saved old.json
    rm s.db*
    make_5
    rset-alloc jobs --store s.db >listed
    flock s.db-lease -c true
    flock s.db-lease rset-alloc save --store s.db | cmp - old.json
    same "$(sqlite3 -readonly s.db \
        'SELECT count(*) FROM old_term JOIN old_grants')" 0
    same "$(schema)" 5
}
