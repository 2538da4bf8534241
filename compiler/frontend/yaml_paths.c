/*
 * Directory trees in the configuration files of agents: which of them may be read and
 * written, the workspace, and mounts.
 */
#include "compiler/frontend/yaml_paths.h"

#include "compiler/frontend/yaml_value.h"

#define B (y->b)

void yml_name_project(struct yml *y, struct ast_value *v)
{
	static const struct str place = { "/workspace", 10 };

	for (; v && !y->mounted; v = v->next)
		if (v->kind == AST_V_STRING && str_starts(v->text, place) &&
		    (v->text.n == place.n || v->text.p[place.n] == '/'))
			v->text =
				str_cat(y->a, STR("${PROJECT_DIR}"),
					str_sub(v->text, place.n, v->text.n - place.n));
}

static struct ast_value *path_values(struct yml *y, const struct yml_node *n)
{
	struct ast_value *v = yml_values(y, YML_T_PATHS, n);

	yml_name_project(y, v);
	return v;
}

static const struct {
	enum ast_stmt_kind kind;
	enum ast_effect effect;
	unsigned ops;
} path_rules[] = {
	[YML_P_READ] = { AST_RULE, AST_ALLOW, AST_OP_READ },
	[YML_P_WRITE] = { AST_RULE, AST_ALLOW, AST_OP_WRITE },
	[YML_P_READ_WRITE] = { AST_RULE, AST_ALLOW, AST_OP_READ | AST_OP_WRITE },
	[YML_P_DENY_WRITE] = { AST_RULE, AST_DENY, AST_OP_WRITE },
	[YML_P_HIDE] = { AST_RULE, AST_HIDE, 0 },
	[YML_P_SCRATCH] = { AST_SCRATCH, AST_ALLOW, 0 },
};

static void add_paths(struct yml *y, enum yml_paths what, struct span at,
		      struct ast_value *v)
{
	if (v)
		yml_add_in(y, AST_SEC_FILE,
			   ast_stmt(B, (struct ast_stmt){
					       .kind = path_rules[what].kind,
					       .at = at,
					       .name_at = at,
					       .effect = path_rules[what].effect,
					       .ops = path_rules[what].ops,
					       .values = v }));
}

/*
 * The directory that a path of the file names: without a leading "./", a trailing '/',
 * or two stars at the end.
 */
static struct str directory(struct yml *y, struct str path)
{
	static const struct str project = { "${PROJECT_DIR}", 14 };

	if (str_ends(path, STR("/**")))
		path.n -= 3;
	while (path.n && path.p[path.n - 1] == '/')
		path.n--;
	if (str_eqz(path, "."))
		return project;
	if (str_starts(path, STR("./")))
		return str_cat(y->a, project, str_sub(path, 1, path.n - 1));
	return path;
}

/* Is the path one of those in `list`, or below one of them? */
static bool lies_in(struct yml *y, const struct yml_node *list, const struct yml_node *n)
{
	struct yml_item one;
	struct str path, top;

	if (!list || n->kind != YML_SCALAR)
		return false;
	path = directory(y, n->text);
	for (const struct yml_item *i = yml_list(list, &one); i; i = i->next) {
		if (i->value->kind != YML_SCALAR)
			continue;
		top = directory(y, i->value->text);
		if (!top.n || (str_starts(path, top) &&
			       (path.n == top.n || path.p[top.n] == '/')))
			return true;
	}
	return false;
}

static void one_path(struct yml *y, const struct yml_entry *e, const struct yml_node *n)
{
	bool anywhere = strcmp(e->key->name, "readAccess") == 0 &&
			n->kind == YML_SCALAR && str_eqz(n->text, "anywhere");

	/* "read only" removes write access that a larger tree has given */
	if (strcmp(e->key->name, "readOnly") == 0 &&
	    (lies_in(y, yml_part(e, "readWrite"), n) ||
	     lies_in(y, yml_part(e, "writeAccess"), n)))
		add_paths(y, YML_P_DENY_WRITE, n->at, path_values(y, n));
	add_paths(y, (enum yml_paths)e->key->arg, n->at,
		  anywhere ? AST_VALUE(B, AST_V_STRING, n->at, .text = STR("/"))
			   : path_values(y, n));
}

void yml_do_paths(struct yml *y, const struct yml_entry *e)
{
	struct yml_item one;

	for (const struct yml_item *i = yml_list(e->value, &one); i && !yml_stop(y);
	     i = i->next)
		one_path(y, e, i->value);
}

/* Adds one path of the workspace, or the whole workspace. */
static void add_workspace(struct yml *y, const struct yml_entry *only, struct span at,
			  const struct yml_node *n)
{
	bool read_only = false;

	if (only && !yml_bool(y, only->value, &read_only))
		return;
	add_paths(y, read_only ? YML_P_READ : YML_P_READ_WRITE, at,
		  n ? path_values(y, n)
		    : AST_VALUE(B, AST_V_STRING, at, .text = STR("${PROJECT_DIR}")));
}

void yml_do_workspace(struct yml *y, const struct yml_entry *e)
{
	bool ok;
	const struct yml_entry *all = yml_entries(y, e->value, YML_S_WORKSPACE, &ok);
	const struct yml_entry *paths = yml_get(all, "paths");
	const struct yml_entry *only = yml_get(all, "readOnly");
	struct yml_item one;

	if (ok && !paths)
		add_workspace(y, only, e->at, NULL);
	for (const struct yml_item *i = ok && paths ? yml_list(paths->value, &one) : NULL;
	     i && !yml_stop(y); i = i->next)
		add_workspace(y, only, i->value->at, i->value);
}

/* Adds a mount.  Defaults of `workspace`: the project, at /workspace, writable. */
static void add_mount(struct yml *y, struct span at, const struct yml_node *n,
		      bool workspace)
{
	bool ok, read_only = !workspace;
	const struct yml_entry *all =
		yml_entries(y, n, workspace ? YML_S_MOUNT : YML_S_EXTRAMOUNT, &ok);
	const struct yml_entry *host = yml_get(all, "hostPath");
	const struct yml_entry *to = yml_get(all, "containerPath");
	const struct yml_entry *only = yml_get(all, "readOnly");
	struct ast_value *from, *place;

	if (!ok || (only && !yml_bool(y, only->value, &read_only)))
		return;
	from = host ? yml_values(y, YML_T_TEXT, host->value)
		    : AST_VALUE(B, AST_V_STRING, at, .text = STR("${PROJECT_DIR}"));
	place = to ? yml_values(y, YML_T_TEXT, to->value)
		   : AST_VALUE(B, AST_V_STRING, at, .text = STR("/workspace"));
	if (!from || !place)
		return;
	from->next = place;
	yml_add_in(y, AST_SEC_FILE,
		   AST_STMT(B, AST_MOUNT, at, .name_at = at, .values = from,
			    .ops = AST_OP_READ | (read_only ? 0 : AST_OP_WRITE)));
}

void yml_do_workspace_mount(struct yml *y, const struct yml_entry *e)
{
	add_mount(y, e->at, e->value, true);
}

void yml_do_mounts(struct yml *y, const struct yml_entry *e)
{
	struct yml_item one;

	for (const struct yml_item *i = yml_list(e->value, &one); i && !yml_stop(y);
	     i = i->next)
		add_mount(y, i->value->at, i->value, false);
}
