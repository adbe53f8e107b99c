# rset: GNU make, one file. `make help` lists the targets.

VERSION := 0.1.0

# --- what a user may set ------------------------------------------------
O ?= build
prefix ?= /usr/local
CC ?= cc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
SAN ?=

# --- what the project needs, whatever the user sets ---------------------
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
        -Wpointer-arith -Wwrite-strings -Wvla -Wformat=2 -Werror
override_cflags = -std=gnu11 $(WARN) $(if $(SAN),-fsanitize=$(SAN) \
        -fno-sanitize-recover=all -fno-omit-frame-pointer)
override_cppflags = -Ilibcommon -D_GNU_SOURCE \
        -DRSET_VERSION='"$(VERSION)"' -MMD -MP
PKGS := jansson hwloc popt yaml-0.1
pkg_cflags = $(shell $(PKG_CONFIG) --cflags $(PKGS))
pkg_libs = $(shell $(PKG_CONFIG) --libs $(PKGS)) -lm

PROGRAMS := rset-discover rset-match rset-alloc rset-diff idset
LIB := $(O)/libcommon.a
LIB_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard libcommon/*/*.c))
CMD_OBJ := $(PROGRAMS:%=$(O)/cmd/%.o)
UNIT := $(patsubst test/unit/%.c,$(O)/test/unit/%,$(wildcard test/unit/*.c))
BIN := $(PROGRAMS:%=$(O)/%)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all unit clean

all: $(BIN)
unit: $(UNIT)

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(override_cppflags) $(CPPFLAGS) $(pkg_cflags) \
	  $(override_cflags) $(CFLAGS) -c -o $@ $<

$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BIN): $(O)/%: $(O)/cmd/%.o $(LIB)
	$(CC) $(override_cflags) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed \
	  -o $@ $^ $(pkg_libs)

$(O)/test/unit/%: $(O)/test/unit/%.o $(LIB)
	$(CC) $(override_cflags) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed \
	  -o $@ $^ $(pkg_libs)

clean:
	rm -rf $(O)

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(UNIT:=.d)
