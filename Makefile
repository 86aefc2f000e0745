# interlock. `make help` lists the targets; `make check` is what every change must pass.

VERSION  := 0.1.0
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
CC       := $(if $(filter default,$(origin CC)),gcc,$(CC))
comma    := ,

# One build folder a sanitizer set: objects of different sets never meet.
SAN      ?=
OUT      := build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
            $(if $(filter thread,$(SAN)),$(if $(findstring clang,$(CC)),,-Wno-tsan))

CFLAGS   ?= -O2 -gdwarf-4 # Debian 12's valgrind cannot read what clang writes by itself
CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE -DIL_VERSION='"$(VERSION)"' -U_FORTIFY_SOURCE
BASEFLAGS := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
             -Wpointer-arith -Wwrite-strings -Werror=implicit-function-declaration $(if $(CI),-Werror) -fPIC -fvisibility=hidden \
             -ftls-model=initial-exec -fno-stack-protector
COMPILE  = $(CC) $(CPPFLAGS) $(BASEFLAGS) $(CFLAGS) $(SANFLAGS) -MMD -MP
LINK     = $(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS)
SHARED   := -shared -Wl,-z,relro,-z,now,-z,nodelete,-z,noexecstack -Wl,--no-undefined

LAYERS   := base core config registry report engine
LIB_OBJ  := $(patsubst %.c,$(OUT)/%.o,$(wildcard $(LAYERS:%=src/%/*.c)))
SHIM_OBJ := $(patsubst %,$(OUT)/%.o,$(basename $(wildcard src/shim/*.c src/shim/*.S)))
TOOL_OBJ := $(patsubst %.c,$(OUT)/%.o,$(wildcard src/cli/*.c))
LIB      := $(OUT)/libinterlock.a
SHIM     := $(if $(SHIM_OBJ),$(OUT)/libinterlock_preload.so)
TOOL     := $(OUT)/interlock
TOOL_LIB := $(OUT)/libtool.a

CHECKS   := $(patsubst tests/%.c,$(OUT)/tests/%,$(wildcard tests/check_*.c))
PROGRAMS := $(patsubst tests/%.c,$(OUT)/tests/%,$(filter-out tests/check_%,$(wildcard tests/*.c)))
BENCHES  := $(patsubst %.c,$(OUT)/%,$(wildcard bench/*.c bench/clients/*.c))
FUZZERS  := $(patsubst %.c,$(OUT)/%,$(wildcard tests/fuzz/fuzz_*.c)) # by tests/fuzz.sh only
CLIENTS  := $(patsubst tests/bats/%.c,$(OUT)/tests/bats/%,$(wildcard tests/bats/*.c))
STORM_KIT := $(addprefix $(OUT)/tests/storms/,rig.o server.o look.o)
STORMS   := $(filter-out $(STORM_KIT:.o=),$(patsubst %.c,$(OUT)/%,$(wildcard tests/storms/*.c)))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all tests promises check check-all teeth mutants bench bench-quick demo lint format fuzz fuzzers \
        install uninstall dist clean help FORCE

all: $(LIB) $(SHIM) $(TOOL)          ## the shared object and the tools, under build/
fuzzers: $(FUZZERS)
tests: $(CHECKS) $(PROGRAMS) $(CLIENTS) $(STORMS)
promises: all $(CLIENTS) $(STORMS) $(OUT)/tests/state   # what runs with the shim


# Rebuilds everything when the compiler or its flags change.
FLAGS := $(CC) $(CPPFLAGS) $(BASEFLAGS) $(CFLAGS) $(SANFLAGS) $(LDFLAGS)
$(OUT)/flags: FORCE
	@mkdir -p $(@D); echo '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || echo '$(subst ','\'',$(FLAGS))' >$@

$(OUT)/%.o: %.c $(OUT)/flags
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<
$(OUT)/%.o: %.S $(OUT)/flags
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(LIB): $(LIB_OBJ)
	rm -f $@; ar rcs $@ $^
$(OUT)/libinterlock_preload.so: $(SHIM_OBJ) $(LIB) src/shim/exports.map
	$(LINK) $(SHARED) -Wl,--version-script=src/shim/exports.map -o $@ $(SHIM_OBJ) $(LIB) -ldl
$(TOOL_LIB): $(TOOL_OBJ)
	rm -f $@; ar rcs $@ $^
$(TOOL): $(OUT)/src/cli/main.o $(TOOL_LIB) $(LIB)
	$(LINK) -o $@ $^ $(shell pkg-config --libs jansson libelf) -ldl
$(CHECKS): $(OUT)/tests/%: $(OUT)/tests/%.o $(TOOL_LIB) $(LIB)
	$(LINK) -o $@ $^ $(shell pkg-config --libs check) -lpthread
$(PROGRAMS): $(OUT)/tests/%: $(OUT)/tests/%.o $(LIB)
	$(LINK) -o $@ $^ -lpthread
$(STORMS): $(OUT)/tests/storms/%: $(OUT)/tests/storms/%.o $(STORM_KIT) $(LIB)
	$(LINK) -o $@ $^ -lpthread
$(BENCHES): $(OUT)/bench/%: $(OUT)/bench/%.o $(LIB)
	$(LINK) -o $@ $^ -lpthread
$(FUZZERS): $(OUT)/tests/fuzz/%: $(OUT)/tests/fuzz/%.o $(LIB)
	$(LINK) -fsanitize=fuzzer -o $@ $^
$(CLIENTS): $(OUT)/tests/bats/%: $(OUT)/tests/bats/%.o
	$(LINK) -o $@ $^ -lpthread -ldl

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)

check: lint all tests                ## lint, then every test that fits in five minutes
	OUT=$(OUT) SAN=$(SAN) sh tests/run quick
check-all: all tests                 ## the long suites
	OUT=$(OUT) SAN=$(SAN) sh tests/run long
teeth: all tests                     ## the Bats promises under an empty preload: only `transparent` may pass
	OUT=$(OUT) sh tests/teeth
mutants: tests                       ## single changes to the core, each of which a test must notice
	OUT=$(OUT) sh tests/mutants.sh
demo: all tests                      ## an unmodified curl, protected
	OUT=$(OUT) /usr/bin/python3 scripts/timeline
lint:                                ## layers, exports, style
	sh scripts/lint
format:                              ## clang-format over the tree
	clang-format -i $(shell git ls-files '*.[ch]')

bench: $(BENCHES)                    ## how long things take; nothing is asserted
	@for bench in $(filter-out $(OUT)/bench/clients/%,$(BENCHES)); do $$bench || exit 1; done
bench-quick: all $(BENCHES)          ## real work with and without the shim, in two minutes
	OUT=$(OUT) /usr/bin/python3 bench/quick
fuzz:                                ## random inputs, FUZZ_SECONDS (10) a target; needs clang
	sh tests/fuzz.sh

install: all                         ## into $(DESTDIR)$(PREFIX)
	install -D -m 755 $(SHIM) $(DESTDIR)$(LIBDIR)/libinterlock_preload.so
	install -D -m 755 $(TOOL) $(DESTDIR)$(PREFIX)/bin/interlock
uninstall:                           ## removes what `install` put there
	rm -f $(DESTDIR)$(LIBDIR)/libinterlock_preload.so $(DESTDIR)$(PREFIX)/bin/interlock
dist:                                ## the committed tree as a tar archive
	git archive --prefix=interlock-$(VERSION)/ -o interlock-$(VERSION).tar.gz HEAD
clean:                               ## everything built
	rm -rf build
help:                                ## this list
	@awk -F' *## *' '/^[a-z -]+:.*## / { sub(/:.*/, "", $$1); printf "%-20s %s\n", $$1, $$2 }' Makefile
