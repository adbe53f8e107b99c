#!/usr/bin/env bats
# The Makefile and its scripts: building, installing, finding missing packages.

load common

# Build a small tree in a directory of its own: programs of one file each, with
# the real names, and two files of the library.
setup_file() {
    [ -z "$RSET_INSTALLED" ] || return 0
    local tree=$BATS_FILE_TMPDIR/tree program
    mkdir -p "$tree"/libcommon/{base,set} "$tree/cmd"
    cd "$tree" || return 1
    echo 'static const int diag;' >libcommon/base/diag.c
    echo 'int idset(void);' >libcommon/set/idset.h
    printf '%s\n' '#include "set/idset.h"' 'int idset(void) { return 0; }' \
        >libcommon/set/idset.c
    for program in $(programs); do
        mkdir "cmd/$program"
        printf '%s\n' '#include "set/idset.h"' \
            'int main(void) { return idset(); }' >"cmd/$program/main.c"
    done
    ln -s "$TOP/Makefile" "$TOP/man" "$TOP/completions" .
    build all
}

setup() {
    [ -z "$RSET_INSTALLED" ] || skip 'not of installed programs'
    unset INSTALL # `make check` may have got INSTALL
    cd "$BATS_TEST_TMPDIR" || return 1
}

# Run make as a user does, not as a part of the make that runs the tests.
build() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u SAN -u CC -u PKG_CONFIG -u FLUX \
        -u CPPFLAGS -u LDFLAGS -u T make --no-print-directory -j"$(nproc)" \
        -C "${tree:-$BATS_FILE_TMPDIR/tree}" \
        O="$BATS_FILE_TMPDIR/build" CFLAGS=-O0 "$@"
}

# --- building ------------------------------------------------------------

@test "programs without --store do not load SQLite" {
    run -0 ldd "$RSET_BIN/rset-diff" "$RSET_BIN/rset-discover"
    [[ $output != *sqlite* ]]
}

@test "a second make builds nothing" {
    build -q all
}

@test "a changed header rebuilds the files that include it, and no others" {
    run -0 build -n -W libcommon/set/idset.h all
    [[ $output == *'CC libcommon/set/idset.c'* ]]
    [[ $output == *'LD '*'/idset'* ]]
    [[ $output != *'CC libcommon/base/diag.c'* ]]
}

@test "changed flags rebuild everything" {
    run -1 build -q all CFLAGS=-O1
    run -1 build -q all SAN=undefined
    run -0 build -n all LDFLAGS=-s
    [[ $output == *'LD '*'/idset'* ]]
}

@test "flags of the user do not replace those of the project" {
    run -0 build -n V=1 all CFLAGS=-O7 CPPFLAGS=-DUSERS LDFLAGS=-Lusers
    [[ $output == *'-Ilibcommon'*'-DUSERS'*'-std=gnu11'*'-O7 -c -o'* ]]
    [[ $output == *'-O7'*'-Wl,--as-needed -Lusers'*'-o '*'/idset'* ]]
}

# hardening PROGRAM: print the protections of a program, in words.
hardening() {
    readelf -hldW --dyn-syms "$1" | awk '
        /^ *Type: +DYN/ { pie = " pie" }
        /GNU_RELRO/ { relro = " relro" }
        /BIND_NOW|Flags:.* NOW/ { now = " now" }
        / __stack_chk_fail/ { stack = " stack" }
        / __[a-z]+_chk@/ { sizes = " sizes" }
        END { print pie relro now stack sizes }'
}

@test "programs are hardened" {
    needs readelf
    case " $(cat "$RSET_BIN/flags") " in
    *' -fno-stack-protector '* | *' -no-pie '* | *norelro* | *lazy*) ;;
    *_FORTIFY_SOURCE=*' -pie '*)
        for program in $(programs); do
            same "$(hardening "$RSET_BIN/$program")" \
                ' pie relro now stack sizes'
        done
        return
        ;;
    esac
    skip 'they were built with other flags'
}

@test "flags of the user win over the flags for hardening" {
    needs readelf
    mkdir -p cmd/idset libcommon/base
    echo 'extern const int diag; const int diag;' >libcommon/base/diag.c
    cat >cmd/idset/main.c <<'END'
#include <stdio.h>

int main(int argc, char **argv)
{
    char text[64];

    return argc > 1 && sprintf(text, "%s", argv[1]) > 9 ? puts(text) : 0;
}
END
    ln -s "$TOP/Makefile" .
    tree=$PWD
    for CC in gcc clang; do
        command -v $CC >/dev/null || continue
        one() {
            build O="$CC" CC="$CC -Werror" "$CC/idset" "$@" >out
            hardening $CC/idset
        }
        same "$(one CFLAGS=-O2)" ' pie relro now stack sizes'
        same "$(one CFLAGS=-O0)" ' pie relro now stack'
        same "$(one CFLAGS='-O2 -fno-stack-protector' \
            CPPFLAGS=-D_FORTIFY_SOURCE=1)" ' pie relro now sizes'
        same "$(one CFLAGS='-O2 -Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=3' \
            LDFLAGS=-Wl,-z,lazy,-z,norelro)" ' pie stack sizes'
        same "$(one CFLAGS='-O1 -fno-pie' LDFLAGS=-no-pie)" \
            ' relro now stack sizes'
    done
    run -0 build -n V=1 all CFLAGS=-O2 SAN=address
    [[ $output != *-stack-protector* && $output != *FORTIFY* ]]
    run -0 build -n V=1 all CFLAGS=-O2 LDFLAGS=-static
    [[ $output != *' -pie '* ]]
}

# The same programs with debug info in two directories, in one through a link,
# and with objects outside of it; the linker makes a build id of all bytes.
@test "equal sources in two directories give equal programs" {
    for tree in one 'longer/two'; do
        mkdir -p "$tree"
        cp -r "$BATS_FILE_TMPDIR/tree"/* "$tree"
        printf '%s\n' 'const char *where(void);' \
            'const char *where(void) { return __FILE__; }' \
            >"$tree/libcommon/base/where.c"
        printf '%s\n' '#include "set/idset.h"' 'const char *where(void);' \
            'int idset(void) { return *where(); }' \
            >"$tree/libcommon/set/idset.c"
    done
    ln -s longer/two link
    for CC in gcc clang; do
        command -v $CC >/dev/null || continue
        flags=("CC=$CC" CFLAGS='-O1 -g3' 'LDFLAGS=-Wl,--build-id')
        tree=$PWD/one build "${flags[@]}" O="build-$CC" all
        (cd link && tree=. build "${flags[@]}" O="$PWD/far/away/$CC" all)
        (cd longer/two && tree=. build "${flags[@]}" O="build-$CC" all)
        for program in $(programs); do
            cmp "one/build-$CC/$program" "longer/two/build-$CC/$program"
            cmp "one/build-$CC/$program" "link/far/away/$CC/$program"
            run -1 grep -aF "$PWD" "one/build-$CC/$program"
        done
    done
}

@test "a sanitizer build has a directory of its own" {
    run -0 env -u MAKEFLAGS -u O make -C "$TOP" -n all SAN=address
    [[ $output == *'-fsanitize=address'*' build-san/idset'* ]]
    [[ $output != *' build/'* ]]
}

@test "a missing library is named, with the command that installs it" {
    run -2 build O="$PWD/none" PKG_CONFIG=false all
    [[ $output == *'false does not find jansson'*'"make deps" installs'* ]]
    run -0 build PKG_CONFIG=false help
}

@test "a library that is too old is named, with the version that is needed" {
    cat >pkg-config <<'END'
#!/bin/sh
case $* in
--atleast-version=*\ jansson | --atleast-version=*\ $OLD) exit 1 ;;
--modversion\ *) echo 1.0 ;;
esac
END
    chmod +x pkg-config
    run -2 build O="$PWD/none" PKG_CONFIG="$PWD/pkg-config" all
    local jansson='jansson 1.0: at least 2.11 is needed'
    [[ $output == *": *** $PWD/pkg-config finds $jansson.  Stop."* ]]
    OLD=sqlite3 run -2 build O="$PWD/none" PKG_CONFIG="$PWD/pkg-config" all
    [[ $output == *"$jansson; sqlite3 1.0: at least 3.37 is needed.  Stop."* ]]
    run -0 build PKG_CONFIG="$PWD/pkg-config" help
    run -0 build O="$PWD/none" PKG_CONFIG="$PWD/pkg-config" -n clean
}

# oldest: print a line NAME VERSION for each library that the build needs.
oldest() {
    sed -n 's/^NEEDS := //p' "$TOP/Makefile" | tr ' /' '\n '
}

# recipe: print the recipe for Spack that is in README.
recipe() {
    sed -n '/^```python/,/^```/{ /^```/d; p; }' "$TOP/README.md"
}

@test "the recipe for Spack is Python" {
    needs python3
    recipe >recipe.py
    grep -qx 'class Rset(MakefilePackage):' recipe.py
    python3 -c 'import ast; ast.parse(open("recipe.py").read())'
}

@test "README and packages have the oldest version of each library" {
    same "$(sed -n 's/^BuildRequires: *pkgconfig(\(.*\)) >= /\1 /p' \
        "$TOP/rset.spec")" "$(oldest)"
    [ "$(oldest | wc -l)" = 5 ]
    recipe >recipe.py
    same "$(grep -o '"[a-z]*@[0-9.]*' recipe.py | tr -d '"' | tr @ ' ')" \
        "$(oldest | sed 's/^yaml-0.1/libyaml/; s/^sqlite3/sqlite/')"
    list=$(oldest | sed 's/^yaml-0.1/libyaml/; s/^sqlite3/SQLite/' |
        paste -sd, | sed 's/,/, /g; s/\(.*\),/\1 and/')
    [[ "$(paste -sd' ' "$TOP/README.md")" == *"at least $list"* ]]
}

# --- installing ----------------------------------------------------------

@test "install puts files in their places, uninstall removes all of them" {
    run -0 build install DESTDIR="$PWD/stage" prefix=/usr
    (cd "$TOP/cmd" && printf '%s\n' idset rset-*) >programs
    while read -r program; do
        "stage/usr/bin/$program" --version
        bash -n "stage/usr/share/bash-completion/completions/$program"
        [ -e "stage/usr/share/fish/vendor_completions.d/$program.fish" ]
        cmp "$TOP/man/$program.1" "stage/usr/share/man/man1/$program.1"
    done <programs
    same "$(cd stage/usr/share/man && printf '%s\n' man?/* | sort -t/ -k2)" \
        "$(cd "$TOP/man" && printf '%s\n' *.[1-8] |
            sed 's/.*\(.\)$/man\1\/&/' | sort -t/ -k2)"
    cmp "$TOP/completions/_rset" stage/usr/share/zsh/site-functions/_rset
    run -0 build uninstall DESTDIR="$PWD/stage" prefix=/usr
    run -0 find stage ! -type d
    same "$output" ''
}

@test "directories of an installation may contain blanks and quotes" {
    places=(DESTDIR="$PWD/a stage" prefix='/us r' bindir="/b in's"
        mandir='/m  an' bashdir='/ba sh' zshdir='/z sh' fishdir='/fi sh')
    run -0 build install "${places[@]}"
    same "$(cd 'a stage' && find . ! -type d -printf '%h\n' | sort -u)" \
        "./b in's
./ba sh
./fi sh
./m  an/man1
./m  an/man5
./m  an/man7
./z sh"
    cmp "$TOP/man/rset.7" 'a stage/m  an/man7/rset.7'
    "a stage/b in's/idset" --version
    run -0 build uninstall "${places[@]}"
    run -0 build install "${places[0]}" "${places[1]}"
    "a stage/us r/bin/idset" --version
    run -0 build uninstall "${places[0]}" "${places[1]}"
    same "$(find 'a stage' ! -type d)" ''
}

@test "make help and README name the directories of an installation" {
    sed -n 's/^source_\([A-Za-z]*\) .*/\1/p' "$TOP/Makefile" >variables
    [ "$(wc -l <variables)" -ge 7 ]
    build help >help
    for variable in DESTDIR prefix datadir $(<variables); do
        grep -qw "$variable" help
        grep -q "\`$variable\`" "$TOP/README.md"
    done
}

@test "with flux-core the module and flux rset are installed, too" {
    cp -r "$BATS_FILE_TMPDIR/tree" tree
    mkdir tree/cmd/{sched,flux}-rset
    cp tree/cmd/idset/main.c tree/cmd/sched-rset
    cp tree/cmd/idset/main.c tree/cmd/flux-rset
    cat >pkg-config <<'END'
#!/bin/sh
case $* in
--exists\ flux-core) ;;
--variable=*\ flux-core) echo "/flux/${1#--variable=}" ;;
*flux-core) ;;
*) exec pkg-config "$@" ;;
esac
END
    chmod +x pkg-config
    flux() {
        tree=$PWD/tree build O="$PWD/build" PKG_CONFIG="$PWD/pkg-config" \
            DESTDIR="$PWD/stage" prefix=/usr "$@" >/dev/null
    }
    installed() {
        (cd stage && find . -type f \( -path '*flux*' -o -name '*sched*' \)) |
            sort
    }

    flux install
    same_as "$(installed)" <<'END'
./flux/fluxcmddir/flux-rset
./flux/fluxmoddir/sched-rset.so
./usr/share/man/man1/flux-rset.1
./usr/share/man/man7/sched-rset.7
END
    flux uninstall
    same "$(find stage ! -type d)" ''
    flux install FLUXMODDIR=/modules FLUXCMDDIR=/commands
    [ -e stage/modules/sched-rset.so ]
    [ -e stage/commands/flux-rset ]
    rm -r stage
    # other pages refer to these
    flux install FLUX=no
    same "$(installed)" './usr/share/man/man1/flux-rset.1
./usr/share/man/man7/sched-rset.7'
}

@test "programs, NEWS and packages have the version of the Makefile" {
    cd "$TOP"
    version=$(sed -n 's/^VERSION := //p' Makefile)
    [[ $version == [0-9]*.[0-9]*.[0-9]* ]]
    same "$(sed -n 's/^\* .* release \([^ ]*\) .*/\1/p' NEWS | head -n 1)" \
        "$version"
    same "$(sed 's/^rset (\([^)-]*\).*/\1/;q' debian/changelog)" "$version"
    same "$(sed -n 's/^Version: *//p' rset.spec)" "$version"
    same "$(sed -n 's/^ *version("\(.*\)").*/\1/p' README.md)" "$version"
    for program in $(programs); do
        same "$("$RSET_BIN/$program" --version)" "$program $version"
    done
}

@test "dist makes the same bytes each time" {
    # a tree without git may be in a repository, like that of `make package`
    git -C "$TOP" ls-files --error-unmatch Makefile >/dev/null 2>&1 ||
        skip 'not a git repository'
    local tree=$TOP
    run -0 build dist O="$PWD/one"
    run -0 build dist O="$PWD/two"
    cmp one/rset-*.tar.gz two/rset-*.tar.gz
    run -0 tar -tzf one/rset-*.tar.gz
    [[ $output == rset-*/Makefile* ]]
}

# --- test/deps -----------------------------------------------------------

# A PATH with only the commands that the test puts there.
stub() { # NAME [BODY]
    mkdir -p stub
    printf '#!/bin/sh\n%s\n' "${2:-}" >"stub/$1"
    chmod +x "stub/$1"
}

# A Debian system without jq; apt-get installs it.
stub_debian() {
    ln -s "$(command -v env)" "$(command -v chmod)" .
    mkdir stub
    mv env chmod stub
    stub bats
    stub mandoc
    stub groff
    stub sqlite3
    stub pdsh
    stub python3
    stub id 'echo 0'
    stub apt-cache
    stub apt-get "echo \"\$@\" >>'$PWD/log'
        case \"\$*\" in
        *' install '*) echo >'$PWD/stub/jq'; chmod +x '$PWD/stub/jq' ;;
        esac"
}

deps() {
    PATH=$PWD/stub "$TOP/test/deps" "$@"
}

installs='-q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends'
installs+=' --no-upgrade jq'

@test "deps prints nothing if nothing is missing" {
    needs bats jq mandoc groff sqlite3 pdsh python3
    run -0 "$TOP/test/deps" build check
    same "$output" ''
}

@test "deps shows the command and runs it" {
    stub_debian
    run -0 deps check
    same "$output" \
        "+ env DEBIAN_FRONTEND=noninteractive apt-get $installs"
    same "$(cat log)" "$installs"
    run -0 deps check
    same "$output" ''
}

@test "deps updates the lists of packages if there are none" {
    stub_debian
    stub apt-cache 'exit 100'
    run -0 deps check
    same "$(cat log)" "-q -o DPkg::Lock::Timeout=120 update
$installs"
}

@test "deps uses sudo without a prompt" {
    stub_debian
    stub id 'echo 1000'
    refused "test/deps: missing: jq (not root, and sudo -n does not work);\
 Debian has them in the packages: jq" deps check
    stub sudo 'echo "sudo $*" >>log; shift; "$@"'
    ln -s "$(command -v true)" stub/true
    run -0 deps check
    same "$(cat log)" "sudo -n true
sudo -n env DEBIAN_FRONTEND=noninteractive apt-get $installs
$installs"
}

@test "deps only names what is missing with INSTALL=no" {
    stub_debian
    refused "test/deps: missing: jq (INSTALL=no);\
 Debian has them in the packages: jq" env INSTALL=no PATH="$PWD/stub" \
        "$TOP/test/deps" check
    [ ! -e log ]
}

@test "deps only names what is missing on a system without apt-get" {
    mkdir stub
    refused "test/deps: missing: bats, jq, mandoc, groff, sqlite3, pdsh,\
 python3 (this system has no apt-get); Debian has them in the packages: bats jq\
 mandoc groff-base sqlite3 pdsh python3" \
        deps check
}

@test "deps gives up if apt-get does not install the package" {
    stub_debian
    stub apt-get
    run -2 --separate-stderr deps check
    [[ $stderr == *'missing: jq (still, after 2 rounds of apt-get)'* ]]
}

@test "deps knows no other group" {
    refused 'test/deps: no group "all"' deps all
}

# --- test/coverage -------------------------------------------------------

@test "coverage has a bar only for a run of all tests" {
    mkdir -p lines/{libcommon,cmd}
    stub gcov "printf '%s\n' '-: 0:Source:cmd/a/a.c' '1: 1:a' '#####: 2:b'"
    local row all
    row="$(printf '%-36s      2      1  50.00 %%' cmd/a)"
    all="$(printf '%-36s      2      1  50.00 %%' all)"
    run -1 env GCOV=stub/gcov "$TOP/test/coverage" lines
    same "$output" "$row"$'\n'"$all"$'\n''missed: 92 %'
    run -0 env GCOV=stub/gcov BAR=0 "$TOP/test/coverage" lines
    same "$output" "$row"$'\n'"$all"
    run -0 build -n coverage build=:
    [[ $output == *'; test/coverage '* ]]
    run -0 build -n coverage build=: T=idset
    [[ $output == *'; BAR=0 test/coverage '* ]]
}

# --- test/lint -----------------------------------------------------------

@test "files of libcommon include only their own and higher layers" {
    run -0 "$TOP/test/lint" none layers
}

@test "lint finds an include of a lower layer" {
    mkdir -p test libcommon/base libcommon/set
    cp "$TOP/test/lint" test
    echo '#include "set/idset.h"' >libcommon/base/a.c
    echo '#include "base/a.h"' >libcommon/set/b.c
    run -1 test/lint none layers
    [[ $output == *'libcommon/base/a.c:1: base must not know set' ]]
}

@test "names are unique in a row, and every file has a head" {
    run -0 "$TOP/test/lint" none names heads
}

@test "lint finds two functions or structs of one name in a layer" {
    mkdir -p test libcommon/base libcommon/set
    cp "$TOP/test/lint" test
    printf '%s\n' 'static int twice(int a)' '{' '}' \
        'struct pair {' '};' 'HOLDS(holds_all)' '{' '}' >libcommon/base/a.c
    sed 's/^static int /int\n/' libcommon/base/a.c >libcommon/base/b.c
    printf 'void twice(int a,\n           int b);\n' >libcommon/base/c.c
    cp libcommon/base/a.c libcommon/set
    run -1 test/lint none names
    [ "$(grep -c libcommon/base/b.c: <<<"$output")" = 3 ]
    [ "$(grep -c 'also in' <<<"$output")" = 3 ]
    [[ $output == *'libcommon/base/b.c:2: base: twice: also in libcommon/base/a.c'* ]]
    [[ $output == *'base: struct pair: '*'base: holds_all: '* ]]
}

@test "lint finds a file without a comment at its head" {
    mkdir -p test libcommon/base
    cp "$TOP/test/lint" test
    printf '#include "base/c.h"\n\n/* What it is. */\n' >libcommon/base/a.c
    printf '#include "base/c.h"\n\n#include <a.h>\n/* f */\n' >libcommon/base/b.c
    # the head of a pair of files is in its header
    printf '#include "base/c.h"\n\n#include <a.h>\n' >libcommon/base/c.c
    printf '/* What it is. */\n' >libcommon/base/c.h
    run -1 test/lint none heads
    [[ $output == *'libcommon/base/b.c: no comment at its head' ]]
    [[ $output != *libcommon/base/[ac].* ]]
    printf '#define C\n' >libcommon/base/c.h
    run -1 test/lint none heads
    [[ $output == *'libcommon/base/c.h: no comment at its head'* ]]
}

# --- .ci/run -------------------------------------------------------------

@test ".ci/run runs lint and tests, and fails if either fails" {
    mkdir -p .ci test bin
    cp "$TOP/.ci/run" .ci
    printf '#!/bin/sh\necho "lint $*"\nexit ${LINT:-0}\n' >test/lint
    printf '#!/bin/sh\nexit ${DEPS:-0}\n' >test/deps
    cat >bin/make <<'END'
#!/bin/sh
case $1 in
package) [ "$DEB_BUILD_OPTIONS $PACKAGE" = 'nocheck 1' ] ;;
portable) [ "$2 $3 $PORTABLE" = 'SUITES=trixie ARCHS= 1' ] ;;
check) echo "$CHECK passed, 0 failed" && [ "$CHECK" = 1 ] ;;
check-flux) [ "$FLUX" = 1 ] ;;
esac
END
    chmod +x test/{lint,deps} bin/make
    PATH=$PWD/bin:$PATH
    for case in {0,1}\ {0,1}\ {0,1}\ {0,1}\ {0,1}; do
        read -r lint package portable check flux <<<"$case"
        LINT=$lint PACKAGE=$package PORTABLE=$portable CHECK=$check FLUX=$flux \
            run -$((lint || !package || !portable || !check || !flux)) .ci/run
        [[ ${lines[-2]} == 'lint build layers names heads'* ]]
        [ "${lines[-1]}" = "$check passed, 0 failed" ]
    done
    run -0 env DEPS=2 CHECK=1 FLUX=1 .ci/run
    [ "${lines[-2]}" = 'skip package and portable: their tools are missing' ]
}
