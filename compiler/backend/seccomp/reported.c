/* The lists of the calls that the broker's and the trace filter report. */
#include "compiler/backend/seccomp/reported.h"

#include <string.h>
#include <sys/mman.h>

#include "compiler/base/vec.h"
#include "compiler/ir/texts.h"
#include "compiler/target/target.h"

struct broker_row {
	const char *name;
	uint8_t arg;
	uint32_t mask;
};

static const struct broker_row brokered[] = {
#define BROKER_CALL(name, arg, mask) { #name, arg, mask },
#include "runtime/bundle/broker_calls.def"
};

/*
 * Calls that take a path or a socket address, beside those of the broker.  What the
 * supervisor reads there explains why the view or Landlock refused the call.  Other
 * calls on descriptors are not traced, because no rule is about them.
 */
static const char *const traced[] = {
	"chdir",      "chroot",    "connect",    "execve",     "execveat",
	"getxattr",   "lgetxattr", "listxattr",  "llistxattr", "lstat",
	"newfstatat", "readlink",  "readlinkat", "sendmmsg",   "sendmsg",
	"sendto",     "stat",      "statfs",     "statx",
};

/* And a mapping that is to be executed, which a mount without exec refuses: a library, a module of an
 * interpreter. */
static const struct broker_row mapped = { "mmap", 2, PROT_EXEC };

static const struct broker_row *broker_row(const char *name)
{
	for (size_t i = 0; i < POL_LEN(brokered); i++)
		if (strcmp(name, brokered[i].name) == 0)
			return &brokered[i];
	return NULL;
}

static bool is_traced(const char *name)
{
	for (size_t i = 0; i < POL_LEN(traced); i++)
		if (strcmp(name, traced[i]) == 0)
			return true;
	return broker_row(name) != NULL || strcmp(name, mapped.name) == 0;
}

/* An open that writes nothing matters only where reading is decided by name. */
static bool counts_always(const struct ir *ir, const struct broker_row *row)
{
	return row->arg == BROKER_ALWAYS || row->arg == BROKER_STARTS ||
	       (row->mask == BROKER_WRITES && ir_opens_by_name(ir));
}

bool reported_find(const struct ir *ir, enum pb_filter_kind kind, uint32_t nr,
		   struct reported *ret)
{
	const struct target_call *call = target_call_by_nr(nr);
	const struct broker_row *row;

	if (!call)
		return false;
	*ret = (struct reported){ .verdict = PB_V_TRACE, .always = true };
	if (kind == PB_FILTER_TRACE && strcmp(call->name, mapped.name) != 0)
		return is_traced(call->name);
	row = kind == PB_FILTER_BROKER ? broker_row(call->name) : kind == PB_FILTER_TRACE ? &mapped : NULL;
	if (!row || (row->arg == BROKER_STARTS && !ir_starts_by_name(ir)))
		return false;
	if (kind == PB_FILTER_BROKER)
		ret->verdict = PB_V_BROKER;
	ret->always = counts_always(ir, row);
	if (!ret->always)
		ret->when = (struct ir_cond){ .op = IR_C_CMP,
					      .cmp = IR_NE,
					      .width = 32,
					      .arg = row->arg,
					      .mask = row->mask };
	return true;
}

bool reported_with(const struct reported *r, const uint64_t args[6])
{
	return r->always || (args[r->when.arg] & r->when.mask) != 0;
}
