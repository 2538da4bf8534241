# One non-recursive makefile.  VARIANT=dev|rel|san|tsan; binaries under
# build/<variant>/bin.  `make help` lists the targets.  While a part of the
# tree does not compile, ONLY="compiler/base compiler/sets" restricts the build
# to these folders and BUILD=/some/where keeps it apart.
VARIANT ?= dev
BUILD   ?= build/$(VARIANT)
# One name for a folder of the tree, however it was given: a .d file names its object by it,
# and an object that a header made old is built again only if both names are equal.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))
V       ?= 0
Q       := $(if $(filter 0,$(V)),@,)
CC      := $(or $(POL_CC),gcc)
PREFIX  ?= /usr/local
VERSION := 0.1.0

WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes \
        -Wmissing-prototypes -Wswitch-enum -Wformat=2
CFLAGS_dev := -O1 -g -Werror
CFLAGS_rel := -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong
CFLAGS_san := -O1 -g -Werror -fsanitize=address,undefined \
              -fno-sanitize-recover=all -fno-omit-frame-pointer -DPOL_SAN=1
# faults: polrun and polinit, whose every system call a test may make to fail
# (runtime/base/fault.h); the callers' names are read off the stack.
CFLAGS_faults := -O1 -g -Werror -DPOL_FAULTS=1 -fno-inline -fno-omit-frame-pointer \
              -fno-optimize-sibling-calls
# cov counts lines (gcov); fuzz is clang's libFuzzer with its sanitizers (without one that
# calls NULL + 0 an overflow).
CFLAGS_cov := -O0 -g --coverage
CFLAGS_fuzz := -O1 -g -w -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow \
              -fno-sanitize-recover=all -fno-omit-frame-pointer -DPOL_SAN=1
# tsan is for programs with threads on libpol (tests/run/libpol.sh).
CFLAGS_tsan := -O1 -g -Werror -fsanitize=thread -fno-omit-frame-pointer -DPOL_SAN=1
ifeq ($(filter $(VARIANT),dev rel san tsan faults cov fuzz),)
$(error VARIANT is dev, rel, san, tsan, faults, cov or fuzz)
endif
ifeq ($(VARIANT),fuzz)
CC := clang
endif

# No program holds a path of this folder, in its debug information neither: an
# installed one takes nothing from here (tests/run/install.sh).
BASE := -DPOL_VERSION='"$(VERSION)"' -std=gnu11 -D_GNU_SOURCE -I. -I$(BUILD)/gen -fPIE \
        -ffile-prefix-map=$(abspath $(BUILD))=build -ffile-prefix-map=$(CURDIR)=.
CFLAGS_ALL = $(BASE) $(CFLAGS_$(VARIANT)) $(EXTRA_CFLAGS)
comma := ,
LDFLAGS_rel := -Wl,-z,relro,-z,now
LDFLAGS_san := -fsanitize=address,undefined
LDFLAGS_tsan := -fsanitize=thread
LDFLAGS_cov := --coverage
LDFLAGS_fuzz := -fsanitize=address,undefined
LDFLAGS_faults := $(addprefix -Wl$(comma)--wrap=,$(shell awk -F', *' \
                    '/^X/ {print $$3} /^H/ {gsub(/[H()]/, ""); print}' runtime/base/fault.def))
# The sandboxed programs are static (they start in half the time and need no
# file of the view); gcc refuses -static with ASan, so the san variant is not.
STATIC := $(if $(filter san tsan cov fuzz,$(VARIANT)),-pie,-static-pie)

POL_LIBS    := -lsodium -lpcre2-8
POLC_LIBS   := -lseccomp -lsodium -ljson-c -lyaml -lpcre2-8 -lidn2
POLRUN_LIBS := -lsodium -lcap -lpcre2-8
POLGATE_LIBS := -levent_core
POLQUERY_LIBS := -lsodium -ljson-c -lpcre2-8

FOLDERS := compiler/base compiler/source compiler/diag compiler/ast \
           compiler/frontend compiler/format compiler/sema compiler/ir compiler/eval \
           compiler/sets compiler/record compiler/lower compiler/analysis compiler/target \
           compiler/backend compiler/backend/common compiler/backend/rules \
           compiler/backend/seccomp compiler/backend/landlock compiler/backend/mounts \
           compiler/backend/matcher compiler/backend/commands compiler/backend/limits \
           compiler/backend/nft compiler/emit compiler/bundle compiler/cli \
           runtime/base runtime/line/shell runtime/line runtime/bundle runtime/decide \
           runtime/libpol runtime/traffic runtime/egress runtime/sandbox runtime/broker runtime/supervise runtime/state runtime/stage runtime/entry runtime/approvals \
           runtime/query runtime/hooks runtime/polquery runtime/polrun
ONLY ?= $(FOLDERS)
MAINS := compiler/cli/main.c compiler/cli/ready.c runtime/polrun/polrun.c runtime/polquery/polquery.c \
         runtime/sandbox/polinit.c runtime/sandbox/polnft.c runtime/egress/polgate.c \
         runtime/egress/gate_no_nss.c compiler/backend/nft/polnft_record.c \
         runtime/egress/polinject.c

SRC_COMPILER := $(filter-out $(MAINS),$(foreach d,$(filter compiler/%,$(ONLY)),$(wildcard $(d)/*.c)))
# libpol is what decides; polrun, polquery and polc are linked with its objects.
POL_FOLDERS  := runtime/base runtime/line/shell runtime/line runtime/bundle runtime/decide \
                runtime/libpol
SRC_POL      := $(foreach d,$(filter $(POL_FOLDERS),$(ONLY)),$(wildcard $(d)/*.c))
SRC_RUNTIME  := $(filter-out $(MAINS),$(foreach d,$(filter-out $(POL_FOLDERS),\
                $(filter runtime/%,$(ONLY))),$(wildcard $(d)/*.c)))
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
OBJ_GEN := $(if $(filter compiler/frontend,$(ONLY)),$(if $(wildcard grammar/policy.y),\
           $(BUILD)/obj/gen/policy.tab.o $(BUILD)/obj/gen/policy.lex.o))
OBJ_COMPILER := $(call obj,$(SRC_COMPILER)) $(OBJ_GEN)
OBJ_RUNTIME  := $(call obj,$(SRC_RUNTIME))
OBJ_POL      := $(call obj,$(SRC_POL))
$(OBJ_POL): PIC := -fPIC -fvisibility=hidden
# std/base's commands.bin, for the programs whose start counts (runtime/bundle/common_bytes.h).
COMMON   := $(if $(filter dev rel san,$(VARIANT)),$(if $(filter compiler/cli,$(ONLY)),$(BUILD)/obj/gen/common.o))
# The same facts for polc itself, made by a program of its own (compiler/lower/ready_block.h).
READY    := $(if $(COMMON),$(BUILD)/obj/gen/ready.o)
LIB_COMPILER := $(BUILD)/lib/libcompiler.a
# In this order: the first needs the second.
LIB_RUNTIME  := $(BUILD)/lib/libruntime.a $(BUILD)/lib/libpolparts.a
POL_SONAME   := libpol.so.0
LIBPOL       := $(addprefix $(BUILD)/lib/,libpol.a $(POL_SONAME) libpol.so pol.pc)

BINS := $(BUILD)/bin/polc $(BUILD)/bin/polrun $(BUILD)/bin/polinit $(BUILD)/bin/polnft \
        $(BUILD)/bin/polnft-record $(BUILD)/bin/polgate $(BUILD)/bin/polinject $(BUILD)/bin/polquery
UNIT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c tests/prop/prop_*.c tests/conformance/conf_*.c))
TABLE      := $(BUILD)/tests/conformance/table
OBJ_TABLE  := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/conformance/table*.c))
ORACLE     := $(BUILD)/tests/conformance/file_oracle $(BUILD)/tests/conformance/net_oracle $(BUILD)/tests/conformance/gate_oracle \
              $(BUILD)/tests/conformance/shell_oracle $(BUILD)/tests/conformance/shell_reader \
              $(BUILD)/tests/conformance/http_reader $(BUILD)/tests/conformance/inject_made
# What the run against the shells has beside them; the mutants can do without each production.
MUTANTS    := $(patsubst %.c,$(BUILD)/obj/mutants/%.o,tests/conformance/shell_reader.c runtime/line/lang_printf.c $(wildcard runtime/line/shell/*.c runtime/line/var*.c))
SHELL_TEST := $(addprefix $(BUILD)/tests/conformance/,shell_zygote.so shell_stub shell_mutants)
TEST_LIB   := $(call obj,$(wildcard tests/lib/*.c))
FUZZ       := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/tests/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
PROBES     := $(patsubst tests/live/probes/%.c,$(BUILD)/tests/probes/%,$(wildcard tests/live/probes/*.c))

.PHONY: prop-tests oracles shell-tests soak laws check-libpol manual schema check-schema all help test conformance conformance-files conformance-readings conformance-shell check-unit check-golden check-lint check-live check-vm check-table golden \
        golden-update bench step-mutants faults fuzz fuzz-targets coverage clean install format
.SECONDARY:
.DELETE_ON_ERROR:

# A goal by its absolute name is the same file.
$(CURDIR)/build/%: build/% ;

all: $(BINS) $(LIBPOL)

help:
	@sed -n 's/^## //p' Makefile

## all            polc, polrun, polinit, polquery under build/$(VARIANT)/bin
## test           every test of this variant (./dev test: those of the day, in two variants)
## check-unit     unit, property and conformance tests
## check-schema   ajv and polc agree on every golden in YAML
## check-libpol   libpol: examples, exports, threads (ThreadSanitizer)
## check-golden   goldens; CASE=area/name runs one
## golden-update  rewrites goldens and shows the difference
## check-table    the table of semantics 3 in its three worlds; identical bundles
## check-live     tests that need the kernel, as root and as an ordinary user
## conformance    the long comparisons, of which the suite runs a slice a day; POL_SLICE=0 to 27: that slice
## conformance-files  files against the kernel, on random policies: RUNS= SEED=
## conformance-readings  ambiguous words before each place of the tables that runs something: RUNS= SEED=
## conformance-shell  shell text against bash and dash: RUNS= SEED=
## check-vm       the live tests on Debian's own kernel, in qemu (root); T= BOOT=
## laws           laws L1-L5 and L8 on fresh seeds: SEEDS= (3000) FROM=
## check-lint     layers, codes, headers, shell, format
## step-mutants   switches off each set-up step and expects a test to fail
## manual         manual pages and completions under build/$(VARIANT)
## schema         grammar/editors/policy.schema.json, from the table of YAML's keys
## faults         each system call of a run fails with each errno; T= one function
## fuzz           libFuzzer on T= (all) for SECS= (60) each; findings to build/fuzz/found
## coverage       lines and branches that units, goldens and corpora reach
## bench          timings beside peers (never part of a test)
## soak           200,000 connections through the egress gateway, then 5,000 at once (root, minutes; RUNS=, HELD=)
## install        into $(DESTDIR)$(PREFIX)

STDLIB_FILES := $(wildcard stdlib-policies/*.pol stdlib-policies/*/*.pol stdlib-policies/*/*/*.pol)

# --- generated code -----------------------------------------------------------
$(BUILD)/gen/policy.tab.c $(BUILD)/gen/policy.tab.h &: grammar/policy.y
	@mkdir -p $(@D)
	$(Q)bison -Wall -Werror -d -o $(BUILD)/gen/policy.tab.c $<
$(BUILD)/gen/policy.lex.c $(BUILD)/gen/policy.lex.h &: grammar/policy.l
	@mkdir -p $(@D)
	$(Q)flex --header-file=$(BUILD)/gen/policy.lex.h -o $(BUILD)/gen/policy.lex.c $<
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/gen/policy.tab.h $(BUILD)/gen/policy.lex.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Wall -Wno-unused-function -MMD -MP -c $< -o $@
# The names that the floor keeps, for `polc exposure` and for a HOME that a run may write.
$(BUILD)/gen/kept_names.def: stdlib-policies/names.tsv
	@mkdir -p $(@D)
	$(Q)awk -F'\t' '/^#/ || NF != 6 { next } \
		$$4 != "-" { d = sub(/\/$$/, "", $$2); \
			printf "KEPT(%s, %s, \"/%s%s\")\n", $$4, toupper($$1), $$2, d ? "/**/*" : "" } \
		$$3 == "told" { sub(/\/$$/, "", $$2); printf "KEPT_TOLD(\"%s\")\n", $$2 } \
		$$3 == "host" { i = match($$2, /\/[^\/]*$$/); \
			printf "KEPT_HOST(\"%s\", \"/%s\")\n", i ? "/" substr($$2, 1, i - 1) : "", i ? substr($$2, i + 1) : $$2 }' \
		$< >$@
$(call obj,compiler/analysis/exposure.c runtime/sandbox/view_protect.c runtime/polrun/new_names.c \
	runtime/state/left_item.c): | $(BUILD)/gen/kept_names.def
$(BUILD)/obj/tests/prop/%.o $(BUILD)/obj/tests/unit/%.o: | $(BUILD)/gen/kept_names.def

$(call obj,$(wildcard compiler/frontend/*.c)): | $(BUILD)/gen/policy.tab.h $(BUILD)/gen/policy.lex.h

# --- objects, libraries, programs ---------------------------------------------
$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(PIC) $(WARN) $(STDLIB) -MMD -MP -c $< -o $@
# The tests' own name of it; a program looks below its prefix.
$(BUILD)/obj/tests/%.o: STDLIB := -DPOL_STDLIB_DIR='"$(CURDIR)/stdlib-policies"'

# polc and the tests' programs find the standard library where an installed one
# finds it: in ../share/pol of their own folder (compiler/sema/library.h).
STDLIB_LINKS := $(addsuffix /share/pol/stdlib-policies,$(BUILD) $(BUILD)/tests)
$(STDLIB_LINKS):
	@mkdir -p $(@D)
	@ln -srfn stdlib-policies $@
# The tests' programs find polnft-record where an installed polc does (runtime/base/own.h).
TEST_RECORD := $(BUILD)/tests/libexec/pol/polnft-record
$(TEST_RECORD): | $(BUILD)/bin/polnft-record
	@mkdir -p $(@D)
	@ln -srfn $(BUILD)/bin/polnft-record $@
$(LIB_COMPILER): $(OBJ_COMPILER) | $(STDLIB_LINKS)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)ar rcsD $@ $^
$(BUILD)/lib/libruntime.a: $(OBJ_RUNTIME)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)ar rcsD $@ $^
$(BUILD)/lib/libpolparts.a: $(OBJ_POL)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)ar rcsD $@ $^

# The same objects for other programs, where only pol_* has a name.
$(BUILD)/lib/libpol.a: $(OBJ_POL)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)ld -r -o $(BUILD)/lib/pol.o $^
	$(Q)objcopy --localize-hidden $(BUILD)/lib/pol.o
	$(Q)ar rcsD $@ $(BUILD)/lib/pol.o
$(BUILD)/lib/$(POL_SONAME): $(OBJ_POL) runtime/libpol/pol.map
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(LDFLAGS_$(VARIANT)) -Wl,-soname,$(POL_SONAME) \
		-Wl,--version-script=runtime/libpol/pol.map -Wl,-z,relro,-z,now \
		$(if $(filter fuzz,$(VARIANT)),,-Wl,--no-undefined) -o $@ $(OBJ_POL) $(POL_LIBS)
$(BUILD)/lib/libpol.so: $(BUILD)/lib/$(POL_SONAME)
	@ln -sfn $(POL_SONAME) $@
$(BUILD)/lib/pol.pc: runtime/libpol/pol.pc.in Makefile
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@LIBS@|$(POL_LIBS)|' $< >$@

# Where each symbol comes from (tests/run/libpol.sh).
MAP = -Wl,-Map=$(BUILD)/map/$(@F).map
$(BUILD)/bin/polc: $(call obj,compiler/cli/main.c) $(READY) $(LIB_COMPILER) $(LIB_RUNTIME)
	@mkdir -p $(@D) $(BUILD)/map
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) $(MAP) -o $@ $^ $(POLC_LIBS)
# What std/base says of programs, before there is a polc.
$(BUILD)/tools/ready: $(call obj,compiler/cli/ready.c) $(LIB_COMPILER) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ $(POLC_LIBS)
$(BUILD)/gen/ready.bin: $(BUILD)/tools/ready $(STDLIB_FILES) | $(STDLIB_LINKS)
	@mkdir -p $(@D)
	$(Q)$< $@ >$(@D)/ready.key
$(BUILD)/gen/ready.S: $(BUILD)/gen/ready.bin runtime/bundle/common.S.in
	$(Q)sed -e 's|@FILE@|$<|' -e "s|@DIGEST@|$$(cat $(@D)/ready.key)|" -e 's|bundle_common|facts_ready|' \
		-e 's|common_bytes.h|compiler/lower/ready_block.h|' runtime/bundle/common.S.in >$@
$(BUILD)/obj/gen/ready.o: $(BUILD)/gen/ready.S
	@mkdir -p $(@D)
	$(Q)$(CC) -c $< -o $@
# What polc makes of a policy that says nothing; in the place of common_bytes.o.
$(BUILD)/gen/common.bin: $(BUILD)/bin/polc $(STDLIB_FILES) | $(STDLIB_LINKS)
	@mkdir -p $(@D)
	$(Q)echo 'policy common { level user }' >$(@D)/common.pol
	$(Q)$< compile $(@D)/common.pol -o $(@D)/common.polb >$(@D)/common.log 2>&1 || { cat $(@D)/common.log; exit 1; }
	$(Q)tar xOf $(@D)/common.polb commands.bin >$@
$(BUILD)/gen/common.S: $(BUILD)/gen/common.bin runtime/bundle/common.S.in
	$(Q)sed -e 's|@FILE@|$<|' -e "s|@DIGEST@|$$(b2sum -l 256 <$< | cut -d' ' -f1)|" runtime/bundle/common.S.in >$@
$(BUILD)/obj/gen/common.o: $(BUILD)/gen/common.S
	@mkdir -p $(@D)
	$(Q)$(CC) -c $< -o $@
$(BUILD)/bin/polrun: $(call obj,runtime/polrun/polrun.c) $(COMMON) $(LIB_RUNTIME)
	@mkdir -p $(@D) $(BUILD)/map
	$(Q)$(CC) $(STATIC) $(LDFLAGS_$(VARIANT)) $(MAP) -o $@ $^ $(POLRUN_LIBS)
$(BUILD)/bin/polinit: $(call obj,runtime/sandbox/polinit.c) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STATIC) $(LDFLAGS_$(VARIANT)) -o $@ $^ $(POLRUN_LIBS)
$(BUILD)/bin/polquery: $(call obj,runtime/polquery/polquery.c) $(COMMON) $(LIB_RUNTIME)
	@mkdir -p $(@D) $(BUILD)/map
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) $(MAP) -o $@ $^ $(POLQUERY_LIBS)
$(BUILD)/bin/polnft: $(call obj,runtime/sandbox/polnft.c) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ -lnftables
# Static as well: it starts beside the sandbox and faster than that.
$(BUILD)/bin/polgate: $(call obj,runtime/egress/polgate.c runtime/egress/gate_no_nss.c) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STATIC) $(LDFLAGS_$(VARIANT)) -o $@ $^ $(POLGATE_LIBS)
$(BUILD)/bin/polnft-record: $(call obj,compiler/backend/nft/polnft_record.c) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ -lnftables
$(BUILD)/bin/polinject: $(call obj,runtime/egress/polinject.c) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ -lssl -lcrypto

$(BUILD)/tests/unit/% $(BUILD)/tests/prop/% $(BUILD)/tests/conformance/%: $(BUILD)/obj/tests/unit/%.o
$(UNIT_TESTS): $(BUILD)/%: $(BUILD)/obj/%.o $(TEST_LIB) $(LIB_COMPILER) $(LIB_RUNTIME) | $(TEST_RECORD)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $(filter %.o,$^) -Wl,--start-group $(LIB_COMPILER) $(LIB_RUNTIME) -Wl,--end-group $(POLC_LIBS) $(POLGATE_LIBS) -lcap -lcmocka $(LIBS_$(@F))
# Its diagrams are BuDDy's.
LIBS_prop_boxes := -lbdd -lm
$(BUILD)/tests/unit/test_bundle_common: $(COMMON)
$(BUILD)/tests/unit/test_lower_ready: $(READY)
# Can do without each comparison of diff (tests/run/diff-mutants.sh).
DIFF_OFF := $(patsubst %.c,$(BUILD)/obj/diff-off/%.o,$(wildcard compiler/analysis/diff*.c))
$(BUILD)/obj/diff-off/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(WARN) -DPOL_TEST_DIFF -MMD -MP -c $< -o $@
$(BUILD)/tests/prop/pairs_off: $(BUILD)/obj/diff-off/tests/prop/prop_pairs.o $(DIFF_OFF) $(TEST_LIB) $(LIB_COMPILER) $(LIB_RUNTIME) | $(TEST_RECORD)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $(filter %.o,$^) -Wl,--start-group $(LIB_COMPILER) $(LIB_RUNTIME) -Wl,--end-group $(POLC_LIBS) $(POLGATE_LIBS) -lcap -lcmocka
$(TABLE): $(OBJ_TABLE) $(LIB_COMPILER) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $(OBJ_TABLE) -Wl,--start-group $(LIB_COMPILER) $(LIB_RUNTIME) -Wl,--end-group $(POLC_LIBS) -lcap
$(ORACLE): $(BUILD)/%: $(BUILD)/obj/%.o $(LIB_COMPILER) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $< -Wl,--start-group $(LIB_COMPILER) $(LIB_RUNTIME) -Wl,--end-group $(POLC_LIBS) -lcap
$(BUILD)/obj/mutants/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(WARN) -DPOL_TEST_SHELL -MMD -MP -c $< -o $@
$(BUILD)/tests/conformance/shell_mutants: $(MUTANTS)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^
# Loaded into shells, and run among them: the same in every variant.
$(BUILD)/tests/conformance/shell_zygote.so: tests/conformance/shell_zygote.c
	@mkdir -p $(@D)
	$(Q)gcc $(filter-out -fPIE,$(BASE)) -O1 $(WARN) -Werror -shared -fPIC -o $@ $<
$(BUILD)/tests/conformance/shell_stub: tests/conformance/shell_stub.c
	@mkdir -p $(@D)
	$(Q)gcc $(filter-out -fPIE,$(BASE)) -O1 $(WARN) -Werror -ffreestanding -fno-builtin -fno-pie \
		-fno-stack-protector -static -nostdlib -no-pie -Wl,-z,noseparate-code -o $@ $<
# The asker without a run, for the variant faults (tests/faults/askers.py).
$(BUILD)/tests/faults/asker: $(call obj,tests/faults/asker.c) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STATIC) $(LDFLAGS_$(VARIANT)) -o $@ $^ $(POLRUN_LIBS)
# libpol's own objects alone, so that the variant tsan needs nothing else.
$(BUILD)/tests/libpol/same: $(call obj,tests/libpol/same.c) $(BUILD)/lib/libpolparts.a
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ $(POL_LIBS) -lpthread
# Beside the rel build only; as the runtime's own programs, without a loader.
$(BUILD)/tests/bench/open: $(call obj,tests/bench/open.c) $(COMMON) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STATIC) $(LDFLAGS_$(VARIANT)) -o $@ $^ $(POLRUN_LIBS)
$(BUILD)/tests/bench/files: $(call obj,tests/bench/files.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STATIC) $(LDFLAGS_$(VARIANT)) -o $@ $^
$(BUILD)/tests/bench/shell: $(call obj,tests/bench/shell.c) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^
# Each peer of decisions whose library is installed; one in C++.
PEERS := $(if $(shell pkg-config --exists re2 2>/dev/null && command -v g++),re2) \
         $(if $(shell pkg-config --exists libhs 2>/dev/null && echo yes),hyperscan)
$(BUILD)/obj/tests/bench/peer_re2.o: tests/bench/peer_re2.cc tests/bench/peers.h
	@mkdir -p $(@D)
	$(Q)g++ -std=c++17 -I. -O2 -g -fPIE -Wall -Wextra -c $< -o $@
$(BUILD)/tests/bench/decide: $(call obj,tests/bench/decide.c tests/bench/peers.c) \
         $(PEERS:%=$(BUILD)/obj/tests/bench/peer_%.o) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(if $(filter re2,$(PEERS)),g++,$(CC)) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ -lsodium -lcap \
		-lpcre2-8 $(if $(filter re2,$(PEERS)),-lre2) $(if $(filter hyperscan,$(PEERS)),-lhs)
$(BUILD)/tests/bench/build: $(call obj,tests/bench/build.c) $(LIB_COMPILER) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $< -Wl,--start-group $(LIB_COMPILER) $(LIB_RUNTIME) \
		-Wl,--end-group $(POLC_LIBS) -lcap
$(BUILD)/tests/bench/include: $(call obj,tests/bench/include.c) $(LIB_COMPILER) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $< -Wl,--start-group $(LIB_COMPILER) $(LIB_RUNTIME) \
		-Wl,--end-group $(POLC_LIBS) -lcap $(if $(wildcard /usr/include/fa.h),-lfa)
$(BUILD)/tests/bench/big: $(call obj,tests/bench/big.c) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ -lsodium -lcap -lpcre2-8
$(BUILD)/tests/bench/command: $(call obj,tests/bench/command.c) $(TEST_LIB) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ -lpcre2-8
$(BUILD)/tests/bench/gate: $(call obj,tests/bench/gate.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STATIC) $(LDFLAGS_$(VARIANT)) -o $@ $^
# A fuzz target is driven by libFuzzer or, in every other variant, by files.
$(FUZZ): $(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(TEST_LIB) $(LIB_COMPILER) $(LIB_RUNTIME) \
         $(if $(filter fuzz,$(VARIANT)),,$(call obj,tests/fuzz/replay.c))
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) $(if $(filter fuzz,$(VARIANT)),-fsanitize=fuzzer) \
		-o $@ $(filter %.o,$^) -Wl,--start-group $(LIB_COMPILER) $(LIB_RUNTIME) \
		-Wl,--end-group $(POLC_LIBS) -lcap
$(BUILD)/tests/bench/nft: $(call obj,tests/bench/nft.c) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ -lnftables -lnftnl -lmnl
$(BUILD)/tests/probes/gate_host: runtime/egress/gate.h runtime/bundle/format.h tests/unit/egress_fixture.h
$(BUILD)/tests/probes/hostile_probe: runtime/bundle/broker_calls.def tests/lib/hostile_args.h
# Probes run inside the sandbox, where only the system trees are: static.  They make calls of which no answer is of
# interest; Ubuntu's compiler warns of those as it does with -D_FORTIFY_SOURCE.
$(BUILD)/tests/probes/%: tests/live/probes/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) -O1 -g $(WARN) -Wno-unused-result -Werror -static -o $@ $<

# The JSON Schema of policies in YAML, from the table of their keys.
SCHEMA := $(BUILD)/tools/yaml-schema
$(SCHEMA): $(call obj,grammar/editors/schema.c) $(LIB_COMPILER) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $^ $(POLC_LIBS)
schema: $(SCHEMA)
	$< >grammar/editors/policy.schema.json.new
	mv grammar/editors/policy.schema.json.new grammar/editors/policy.schema.json

# Manual pages and completions, from the tables of options: doc/man makes them.
MANUAL := $(BUILD)/tools/manual
SHELLS := bash zsh fish
MAN    := $(addprefix $(BUILD)/man/,polc.1 polrun.1 polquery.1 pol.5)
COMPLETIONS := $(foreach p,polc polrun polquery,$(addprefix $(BUILD)/completions/$p.,$(SHELLS)))
$(MANUAL): $(call obj,$(wildcard doc/man/*.c)) $(LIB_COMPILER) $(LIB_RUNTIME)
	@mkdir -p $(@D)
	$(Q)$(CC) -pie $(LDFLAGS_$(VARIANT)) -o $@ $(filter %.o,$^) -Wl,--start-group $(LIB_COMPILER) $(LIB_RUNTIME) \
		-Wl,--end-group $(POLC_LIBS) -lcap
$(BUILD)/man/%.1: doc/man/%.1.in $(MANUAL)
	@mkdir -p $(@D)
	$(Q)$(MANUAL) man $* <$< >$@
$(BUILD)/man/%.5: doc/man/%.5
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(COMPLETIONS): $(MANUAL)
	@mkdir -p $(@D)
	$(Q)$(MANUAL) $(subst .,,$(suffix $@)) $(basename $(@F)) >$@
manual: $(MAN) $(COMPLETIONS)

# --- tests ----------------------------------------------------------------------
unit-tests: $(UNIT_TESTS) $(TABLE) $(ORACLE) $(SHELL_TEST) $(SCHEMA) $(FUZZ) $(BUILD)/tests/libpol/same manual
fuzz-targets: $(FUZZ)
prop-tests: $(filter $(BUILD)/tests/prop/%,$(UNIT_TESTS))
oracles: $(ORACLE)
shell-tests: $(ORACLE) $(SHELL_TEST)
probes: $(PROBES)
test:
	@VARIANT=$(VARIANT) tests/run/everything.sh --all
check-unit: all unit-tests
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) tests/run/unit.sh $(T)
check-libpol: all unit-tests
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) tests/run/libpol.sh
check-schema: all $(SCHEMA)
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) tests/run/schema.sh
check-golden: all
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) tests/run/golden.sh $(CASE)
golden-update: all
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) UPDATE=1 tests/run/golden.sh $(CASE)
check-table: all unit-tests probes
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) tests/run/table.sh
check-live: all probes $(ORACLE)
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) tests/run/live.sh $(T)
conformance:
	@tests/run/everything.sh --conformance
soak: all probes
	@BUILD=$(abspath $(BUILD)) RUNS=$(or $(RUNS),200000) HELD=$(or $(HELD),5000) tests/run/soak.sh
conformance-files: all probes $(ORACLE)
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) RUNS=$(RUNS) SEED=$(SEED) tests/run/kernel.sh
conformance-shell: all $(ORACLE) $(SHELL_TEST)
	@BUILD=$(abspath $(BUILD)) RUNS=$(or $(RUNS),10000) SEED=$(SEED) tests/run/shell.sh
laws: all unit-tests
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) tests/run/seeds.sh --laws $(or $(SEEDS),3000) $(FROM)
conformance-readings: all
	@BUILD=$(abspath $(BUILD)) RUNS=$(or $(RUNS),500000) SEED=$(SEED) python3 tests/conformance/readings.py
check-lint:
	@BUILD=$(abspath $(BUILD)) tests/run/lint.sh
check-vm: all unit-tests probes
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) T=$(T) tests/vm/run.sh $(BOOT)
fuzz:
	@tests/run/fuzz.sh "$(T)" "$(or $(SECS),60)"
coverage:
	@tests/run/coverage.sh
faults: all
	@BUILD=$(abspath $(BUILD)) tests/run/faults.sh all $(T)
step-mutants: all probes
	@VARIANT=$(VARIANT) BUILD=$(abspath $(BUILD)) tests/run/step-mutants.sh
bench:
	@BUILD=$(abspath build/rel) tests/bench/run.sh $(RUNS)

install: all manual
	install -D -m 0755 $(BUILD)/bin/polc $(DESTDIR)$(PREFIX)/bin/polc
	install -D -m 0755 $(BUILD)/bin/polrun $(DESTDIR)$(PREFIX)/bin/polrun
	install -D -m 0755 $(BUILD)/bin/polquery $(DESTDIR)$(PREFIX)/bin/polquery
	install -D -m 0755 $(BUILD)/bin/polinit $(DESTDIR)$(PREFIX)/libexec/pol/polinit
	install -D -m 0755 $(BUILD)/bin/polnft $(DESTDIR)$(PREFIX)/libexec/pol/polnft
	install -D -m 0755 $(BUILD)/bin/polnft-record $(DESTDIR)$(PREFIX)/libexec/pol/polnft-record
	install -D -m 0755 $(BUILD)/bin/polgate $(DESTDIR)$(PREFIX)/libexec/pol/polgate
	install -D -m 0755 $(BUILD)/bin/polinject $(DESTDIR)$(PREFIX)/libexec/pol/polinject
	install -D -m 0644 runtime/libpol/pol.h $(DESTDIR)$(PREFIX)/include/pol.h
	install -D -m 0755 $(BUILD)/lib/$(POL_SONAME) $(DESTDIR)$(PREFIX)/lib/$(POL_SONAME)
	ln -sfn $(POL_SONAME) $(DESTDIR)$(PREFIX)/lib/libpol.so
	install -m 0644 $(BUILD)/lib/libpol.a $(DESTDIR)$(PREFIX)/lib/libpol.a
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	sed -e 's|^prefix=.*|prefix=$(PREFIX)|' $(BUILD)/lib/pol.pc \
		>$(DESTDIR)$(PREFIX)/lib/pkgconfig/pol.pc
	chmod 0644 $(DESTDIR)$(PREFIX)/lib/pkgconfig/pol.pc
	install -d $(DESTDIR)$(PREFIX)/share/pol
	rm -rf $(DESTDIR)$(PREFIX)/share/pol/stdlib-policies
	for f in $(patsubst stdlib-policies/%,%,$(STDLIB_FILES)); do \
		install -D -m 0644 stdlib-policies/$$f \
			$(DESTDIR)$(PREFIX)/share/pol/stdlib-policies/$$f || exit 1; \
	done
	install -m 0644 grammar/editors/policy.schema.json $(DESTDIR)$(PREFIX)/share/pol/
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 0644 $(filter %.1,$(MAN)) $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 0644 $(filter %.5,$(MAN)) $(DESTDIR)$(PREFIX)/share/man/man5/
	for p in polc polrun polquery; do \
		install -D -m 0644 $(BUILD)/completions/$$p.bash \
			$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$p && \
		install -D -m 0644 $(BUILD)/completions/$$p.zsh \
			$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_$$p && \
		install -D -m 0644 $(BUILD)/completions/$$p.fish \
			$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$p.fish || exit 1; \
	done

clean:
	rm -rf build

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
