# rset: GNU make, one file. `make help` lists what it does.

VERSION := 0.1.0

# --- settings of the user ------------------------------------------------
# In the environment or on the command line. The project's own needs are
# elsewhere, so nothing is lost when these are set.

CC ?= cc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
SAN ?=
# Objects of a sanitizer build do not mix with others.
O ?= $(if $(SAN),build-san,build)

prefix ?= /usr/local
bindir ?= $(prefix)/bin
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
bashdir ?= $(datadir)/bash-completion/completions
zshdir ?= $(datadir)/zsh/site-functions
fishdir ?= $(datadir)/fish/vendor_completions.d

# The module for Flux, and the subcommand of flux, are built and installed if
# pkg-config finds flux-core; FLUX=no leaves them out.
FLUX ?= $(shell $(PKG_CONFIG) --exists flux-core 2>/dev/null && echo yes)
ifeq ($(FLUX),yes)
flux_variable = $(shell $(PKG_CONFIG) --variable=$(1) flux-core)
FLUXMODDIR ?= $(call flux_variable,fluxmoddir)
FLUXCMDDIR ?= $(call flux_variable,fluxcmddir)
endif

# --- needs of the project ------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
        -Wpointer-arith -Wwrite-strings -Wvla -Wformat=2
sanitize = -fsanitize=$(SAN) -fno-sanitize-recover=all \
        -fno-omit-frame-pointer
# Names are hidden: the library is also in a module, where its names must not
# collide with those of flux-core.
need_cflags = -std=gnu11 -fvisibility=hidden $(WARN) \
        $(if $(SAN),$(sanitize),$(harden))
need_cppflags = -Ilibcommon -D_GNU_SOURCE -DRSET_VERSION='"$(VERSION)"'
need_ldflags = $(if $(SAN),,$(harden_link)) -Wl,--as-needed

# Equal sources give equal programs in any directory: debug info names it `.`,
# and objects are linked in the order of their names. Compilers take the name of
# the directory from PWD, where it may be another one, through a link.
anywhere = -fdebug-prefix-map=$(call quote,$(CURDIR)=.)
export PWD := $(CURDIR)

# These make it hard to attack a memory error. Flags of the user come later and
# win: -fno-stack-protector, -no-pie, -Wl,-z,lazy. libc can check sizes of
# buffers only if the compiler optimizes. A sanitizer checks more. A static
# program can't be a PIE. A module has the same objects: -fPIC.
harden = -fstack-protector-strong -fPIC $(if $(findstring _FORTIFY_SOURCE, \
        $(CC) $(CPPFLAGS) $(CFLAGS)),,$(if $(filter-out -O0, \
        $(lastword $(filter -O%,$(CC) $(CFLAGS)))),$(fortify)))
fortify = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
harden_link = $(if $(filter -static,$(CFLAGS) $(LDFLAGS)),,-pie) \
        -Wl,-z,relro,-z,now

# Each library with its oldest version, and what needs that version:
#   jansson 2.11    json_error_code
#   hwloc 2.1       HWLOC_OBJ_DIE, hwloc_topology_set_components
#   popt 1.16       no older one was tried
#   libyaml 0.1.4   it has a file for pkg-config
#   SQLite 3.37     sqlite3_changes64 (3.36: sqlite3_serialize is built in)
NEEDS := jansson/2.11 hwloc/2.1 popt/1.16 yaml-0.1/0.1.4 sqlite3/3.37
PKGS := $(patsubst %/,%,$(dir $(NEEDS)))

# pkg-config is asked once, and only when something is compiled, because `make
# deps` has to work without it.
pkg_missing = $(shell for p in $(PKGS); do \
        $(PKG_CONFIG) --exists $$p 2>/dev/null || echo $$p; done)
pkg_old = $(shell and=; printf '%s\n' $(NEEDS) | while IFS=/ read -r p v; do \
        $(PKG_CONFIG) --atleast-version=$$v $$p || { printf '%s' "$$and$$p \
        $$($(PKG_CONFIG) --modversion $$p): at least $$v is needed"; and='; '; \
        }; done)
pkg_check = $(if $(pkg_missing),$(error $(PKG_CONFIG) does not find \
        $(pkg_missing): "make deps" installs what the build needs))$(if \
        $(pkg_old),$(error $(PKG_CONFIG) finds $(pkg_old)))
pkg_cflags = $(eval pkg_cflags := $$(pkg_check)$$(shell \
        $(PKG_CONFIG) --cflags $(PKGS)))$(pkg_cflags)
pkg_libs = $(eval pkg_libs := $$(pkg_check)$$(shell \
        $(PKG_CONFIG) --libs $(PKGS)) -lm)$(pkg_libs)

# --- files ---------------------------------------------------------------

# $(call objects,GLOB): the objects of the sources that match.
objects = $(patsubst %.c,$(O)/%.o,$(sort $(wildcard $(1))))

LIB := $(O)/libcommon.a
LIB_OBJ := $(call objects,libcommon/*/*.c libcommon/*/*/*.c)
FLUX_DIRS := $(wildcard cmd/sched-rset cmd/flux-rset)
PROGRAMS := $(notdir $(filter-out $(FLUX_DIRS),$(wildcard cmd/*)))
CMD_OBJ := $(call objects,$(PROGRAMS:%=cmd/%/*.c))
FLUX_OBJ := $(if $(filter yes,$(FLUX)),$(call objects,$(FLUX_DIRS:%=%/*.c)))
UNIT_OBJ := $(call objects,test/unit/test_*.c)
FUZZ_OBJ := $(call objects,test/fuzz/fuzz_*.c)
REPLAY_OBJ := $(call objects,test/fuzz/replay.c)
BENCH_OBJ := $(call objects,test/bench/*.c)
MANAGER_OBJ := $(call objects,test/manager/*.c)
TRACER_OBJ := $(call objects,test/replay/*.c)
OBJ := $(LIB_OBJ) $(CMD_OBJ) $(UNIT_OBJ) $(FUZZ_OBJ) $(REPLAY_OBJ) \
       $(BENCH_OBJ) $(MANAGER_OBJ) $(TRACER_OBJ) $(FLUX_OBJ)

BIN := $(PROGRAMS:%=$(O)/%)
UNIT := $(UNIT_OBJ:.o=)
# Tests preload these. A sanitizer has an allocator of its own.
FAILING := $(if $(SAN),,$(patsubst %.c,$(O)/%.so,$(wildcard \
        test/unit/failing_*.c)))
FUZZERS := $(FUZZ_OBJ:.o=)
REPLAYS := $(subst /fuzz_,/replay_,$(FUZZERS))
BENCH := $(BENCH_OBJ:.o=)
# These drive `rset-alloc serve`, and use nothing of libcommon.
MANAGER := $(O)/test/manager/manager
TRACER := $(O)/test/replay/generate

# A broker without a sanitizer can't load a module with one. Tests use the same
# code as a client of the instance.
FLUX_MODULE := $(if $(SAN),,$(if $(FLUX_OBJ),$(O)/sched-rset.so))
FLUX_CLIENT := $(if $(FLUX_OBJ),$(O)/test/flux/sched-rset)
FLUX_COMMAND := $(if $(filter $(O)/cmd/flux-rset/%,$(FLUX_OBJ)),$(O)/flux-rset)
FLUX_FAILING := $(if $(SAN),,$(if $(FLUX_OBJ),$(O)/test/flux/failing_commit.so))
FLUX_ALL := $(FLUX_MODULE) $(FLUX_CLIENT) $(FLUX_COMMAND)

# All pages, even without flux-core: they refer to each other.
MAN := $(sort $(wildcard man/*.[1-8]))
# Installed files as VARIABLE/NAME, because directories may contain blanks, and
# the mode and the source of the files in each directory.
INSTALLED := $(PROGRAMS:%=bindir/%) \
    $(foreach page,$(notdir $(MAN)),mandir/man$(subst .,,$(suffix \
        $(page)))/$(page)) \
    $(PROGRAMS:%=bashdir/%) zshdir/_rset $(PROGRAMS:%=fishdir/%.fish) \
    $(FLUX_MODULE:$(O)/%=FLUXMODDIR/%) $(FLUX_COMMAND:$(O)/%=FLUXCMDDIR/%)
source_bindir = 755 $(O)/$(notdir $(1))
source_mandir = 644 man/$(notdir $(1))
source_bashdir = 644 completions/rset.bash
source_zshdir = 644 completions/_rset
source_fishdir = 644 completions/rset.fish
source_FLUXMODDIR = $(source_bindir)
source_FLUXCMDDIR = $(source_bindir)

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
.PHONY: all flux unit objects fuzzers benchers replayer help deps check check-flux demo \
        asan coverage soak fuzz bench bench-flux bench-full traces differ mutants \
        size lint format install uninstall dist package portable clean FORCE

# --- building ------------------------------------------------------------

all: $(BIN) $(FLUX_ALL)
unit: $(UNIT) $(FAILING) $(FLUX_FAILING) $(REPLAYS) $(MANAGER) $(TRACER)
objects: $(OBJ)
fuzzers: $(FUZZERS)
benchers: $(BENCH)
replayer: $(TRACER)

# A short line for each step; V=1 shows the commands.
Q := $(if $(V),,@)
say = @echo '  $(1)'

# $(call stamp,NAME): a file with the text $(NAME). It is written when the text
# changes, and everything that depends on it is made again.
# (GNU make 4.3 leaves the newline at the end of some files: hence strip.)
quote = '$(subst ','\'',$(1))'
define stamp
ifneq ($$(strip $$(file <$(O)/$(1))),$$(strip $$($(1))))
$(O)/$(1): FORCE
endif
$(O)/$(1):
	@mkdir -p $$(@D)
	@printf '%s\n' $$(call quote,$$($(1))) >$$@
endef

comma := ,
flags := $(strip $(CC) $(need_cppflags) $(CPPFLAGS) $(need_cflags) $(CFLAGS) \
        $(need_ldflags) $(LDFLAGS) $(LDLIBS) $(PKG_CONFIG))
members := $(LIB_OBJ) $(CMD_OBJ) $(FLUX_OBJ)
$(eval $(call stamp,flags))
$(eval $(call stamp,members))

$(O)/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) $(need_cppflags) -MMD -MP $(CPPFLAGS) $(pkg_cflags) \
	  $(need_cflags) $(anywhere) $(CFLAGS) -c -o $@ $<

$(LIB): $(LIB_OBJ) $(O)/members
	$(call say,AR $@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_OBJ)

# A program gets the objects it uses from the archive, and the libraries that
# these use: idset does not load hwloc.
define link
	$(call say,LD $@)
	$(Q)$(CC) $(need_cflags) $(anywhere) $(CFLAGS) $(1) \
	  $(filter-out $(if $(filter %.so,$@),-pie),$(need_ldflags)) $(LDFLAGS) \
	  -o $@ $(filter %.o,$^) $(filter %.a,$^) $(pkg_libs) \
	  $(flux_libs) $(LDLIBS)
endef

# A program consists of all files in its folder.
define program
$(O)/$(1): $(filter $(O)/cmd/$(1)/%,$(CMD_OBJ))
endef
$(foreach name,$(PROGRAMS),$(eval $(call program,$(name))))
$(BIN): $(LIB) $(O)/flags $(O)/members
	$(call link)

# Programs that are linked with flux-core hide the names of the library: both
# have idsets. Libraries are not searched in pkg-config's directory at run time.
$(FLUX_OBJ): need_cppflags += $(patsubst -I%,-isystem %,$(shell \
        $(PKG_CONFIG) --cflags flux-core))
$(FLUX_ALL): flux_libs = $(shell $(PKG_CONFIG) --libs flux-core) \
        -Wl,-rpath,$(call flux_variable,libdir)
$(FLUX_MODULE) $(FLUX_CLIENT): $(filter $(O)/cmd/sched-rset/%,$(FLUX_OBJ))
$(FLUX_COMMAND): $(filter $(O)/cmd/flux-rset/%,$(FLUX_OBJ))
$(FLUX_ALL): $(LIB) $(O)/flags $(O)/members
	@mkdir -p $(@D)
	$(call link,$(if $(filter %.so,$@),-shared -Wl$(comma)-z$(comma)defs))

$(UNIT) $(BENCH): $(O)/%: $(O)/%.o $(LIB) $(O)/flags
	$(call link)

$(O)/%.so: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) $(need_cppflags) $(CPPFLAGS) $(need_cflags) $(CFLAGS) -fPIC \
	  -fvisibility=default -shared -o $@ $<

$(FUZZERS): $(O)/%: $(O)/%.o $(LIB) $(O)/flags
	$(call link,-fsanitize=fuzzer)

$(TRACER): $(TRACER_OBJ)
$(MANAGER): $(MANAGER_OBJ)
$(MANAGER) $(TRACER): $(O)/flags
	$(call link)

# With any compiler, the checks of a fuzzer run on its seeds.
$(REPLAYS): $(O)/test/fuzz/replay_%: $(O)/test/fuzz/fuzz_%.o $(REPLAY_OBJ) \
        $(LIB) $(O)/flags
	$(call link)

-include $(OBJ:.o=.d)

# --- doing ---------------------------------------------------------------

# These install missing packages first, so that each is the only command that a
# new machine needs; INSTALL=no forbids it. The build runs in a make of its own,
# because pkg-config finds the libraries only then.
export INSTALL CC PKG_CONFIG
install_deps = @test/deps
build = +@$(MAKE) --no-print-directory $(if $(V),,-s) \
        $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

## all        build the programs (the default)
## flux       build the module for Flux and flux rset. FLUX=no leaves them out
##            of other targets; FLUXMODDIR, FLUXCMDDIR: where to install them
flux: $(FLUX_ALL)
	$(if $(FLUX_OBJ),,$(error $(PKG_CONFIG) does not find flux-core))

## check      install what is missing, and run all tests: N passed, N failed
##            (T='idset match': only these; RSET_BIN=DIR: programs in DIR;
##            RSET_SEED=N: other random games, as make soak plays them)
check:
ifdef RSET_BIN
	$(install_deps) check
else
	$(install_deps) build check
	$(build) all unit
endif
	@[ "$${RSET_SOAK-}" ] || export RSET_SEED="$${RSET_SEED:-1}"; \
		SAN='$(SAN)' test/run $(O) $(T)

## check-flux test the module in instances of Flux, up to 15 minutes
##            (T='reload': only the cases with this in their name)
## bench-flux measure the module beside the schedulers of Flux
ifeq ($(FLUX),yes)
check-flux:
	$(install_deps) build check soak
	$(build) flux unit
	$(build) SAN=address,undefined flux
	@RSET_BIN=$(abspath $(O)) bats $(if $(T),-f '$(T)') test/flux
bench-flux:
	$(install_deps) build
	$(build) flux
	@test/bench/run $(O) flux
else
check-flux bench-flux:
	@echo 'skipped: $@: pkg-config does not find flux-core'
endif

## demo       show the main job on this machine and on a cluster of 1000 nodes
demo:
	$(install_deps) build
	$(build) all
	@test/demo $(O)

## deps       install packages for build and tests (DEPS='lint fuzz bench')
deps:
	$(install_deps) $(or $(DEPS),build check)

## asan       run all tests with the sanitizers of addresses, leaks and
##            undefined behaviour
asan:
	$(build) SAN=address,undefined TEST_TIMEOUT=600 check

## coverage   run all tests in a build that counts lines, and print how many of
##            the lines of the library and the programs have run: at least 92 %
##            (T='idset': only these tests, without a bar); then `test/coverage
##            build-cov FILE...` prints the others
coverage:
	$(install_deps) build check
	$(build) O=$(O)-cov SAN= FLUX=no CC=gcc CFLAGS='-O0 -g' LDFLAGS= \
	  CPPFLAGS=--coverage all unit \
	  LDLIBS='-Wl,--wrap=_exit test/unit/coverage.c -lgcov'
	@find $(O)-cov -name '*.gcda' -delete
	@SAN= TEST_TIMEOUT=600 test/run $(O)-cov $(T); \
	  status=$$?; $(if $(T),BAR=0 )test/coverage $(O)-cov && exit $$status

## soak       run the random tests with new seeds, and stores with all faults,
##            for SOAK_SECONDS (600); RSET_LONG=1: a scheduler and its job
##            manager exchange a million messages each time
soak:
	$(install_deps) build check soak
	$(build) all unit
	@test/soak $(O)

## fuzz       run each fuzzer for FUZZ_SECONDS (60); T='shape': only this
fuzz:
	$(install_deps) build fuzz
	$(build) CC=clang O=$(O)-fuzz \
	  SAN=fuzzer-no-link,address,undefined fuzzers
	@test/fuzz/run $(O)-fuzz $(T)

## bench      measure the programs in ten minutes, beside peers if they are
##            installed (DEPS=bench); T='documents': only this
bench:
	$(install_deps) build $(DEPS)
	$(build) all benchers replayer
	@test/bench/run $(O) $(T)

## bench-full measure policies at many fills and for many requests, stores
##            after many operations, and the replay of 100,000 jobs
bench-full:
	$(install_deps) build $(DEPS)
	$(build) all benchers replayer
	@BENCH_FULL=1 test/bench/run $(O) policies store serve replay

## traces     compare schedules of traces (TRACES=DIR of *.swf files, or generated
##            ones; the first JOBS=N jobs), job for job, with a simulator that
##            counts processors only, and slowdowns with published ones
traces:
	$(install_deps) build
	$(build) all replayer
	@test/replay/traces $(O) '$(TRACES)' $(JOBS)

## differ     compare the answers of a few thousand commands with those of the
##            programs in OLD=DIR
differ:
	$(install_deps) build $(DEPS)
	$(build) FLUX=no all
	@test/differ $(OLD) $(O)

## mutants    change one place of the sources at a time, and list the changes that
##            no test notices (SEED, COUNT, FILES, RANGE=1-100, JOBS, RESULTS=FILE)
MUTANT_SETTINGS := SEED COUNT FILES RANGE LIMIT JOBS RESULTS
mutants:
	$(install_deps) build check
	@test/mutants $(O)-mutants $(foreach name,$(MUTANT_SETTINGS),$(if \
	  $($(name)),$(name)='$($(name))'))

## size       count the code, and the functions in a small allocation
size:
	$(install_deps) build soak
	$(build) O=$(O)-O0 CFLAGS='-O0 -g' FLUX=no all
	@test/size $(abspath $(O)-O0)

## lint       run compilers with warnings as errors, and a checker of each
##            language (T='shell man': only these)
lint:
	$(install_deps) build lint
	+@MAKE='$(MAKE)' test/lint $(O) $(T)

## format     format all C code with clang-format
format:
	$(install_deps) lint
	@test/lint --fix $(O) format

# $(call place,FILE): the path of one of INSTALLED, quoted for the shell.
directory = $(firstword $(subst /, ,$(1)))
place = $(call quote,$(DESTDIR)$($(directory))$(1:$(directory)%=%))

define put

	@printf '  INSTALL %s\n' $(call place,$(file))
	$(Q)install -D -m $(call source_$(call directory,$(file)),$(file)) \
	  $(call place,$(file))
endef

## install    install programs, man pages, completions below DESTDIR and prefix
##            (bindir, datadir, mandir, bashdir, zshdir, fishdir: other places)
install: all
	$(foreach file,$(INSTALLED),$(put))

## uninstall  remove the installed files
uninstall:
	rm -f $(foreach file,$(INSTALLED),$(call place,$(file)))

## dist       pack the committed tree as a tar.gz, the same bytes each time
dist: NAME = rset-$(VERSION)
dist:
	@mkdir -p $(O)
	git archive --prefix=$(NAME)/ -o $(O)/$(NAME).tar HEAD
	gzip -9nf $(O)/$(NAME).tar
	@echo $(O)/$(NAME).tar.gz

## package    build the Debian package of the committed tree, check it with
##            lintian, build the RPM package with the same files, and run the
##            tests in a clean chroot (DEB_BUILD_OPTIONS=nocheck: not the suite)
package:
	$(install_deps) build check package
	@test/package $(O)

## portable   run the tests in clean chroots of Debian (SUITES='bookworm trixie
##            sid') and with qemu (ARCHS='arm64 s390x riscv64'), by hand
portable:
	$(install_deps) package
	@SUITES='$(SUITES)' ARCHS='$(ARCHS)' test/portable $(O)
SUITES ?= bookworm trixie sid
ARCHS ?= arm64 s390x riscv64

## clean      remove all that was built
clean:
	rm -rf $(O) $(O)-san $(O)-cov $(O)-fuzz $(O)-lint $(O)-mutants $(O)-O0

help:
	@echo 'make TARGET [O=DIR] [SAN=address,undefined] [V=1]'
	@sed -n 's/^## /  /p' Makefile
