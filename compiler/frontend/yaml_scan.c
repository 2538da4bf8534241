/*
 * Facts about the whole file that are needed before its entries are read: its level,
 * where commands run, what mounts the project, what lists hosts.
 */
#include "compiler/frontend/yaml_scan.h"

#include "compiler/frontend/yaml_value.h"

static const struct yml_node *look(const struct yml *y, const struct yml_node *n,
				   enum yml_scope scope, const char *name)
{
	for (const struct yml_item *i = n && n->kind == YML_MAP ? n->items : NULL; i;
	     i = i->next) {
		const struct yml_key *k = yml_find(&y->keys, scope, i->key->text);

		if (k && strcmp(k->name, name) == 0)
			return i->value;
	}
	return NULL;
}

static void scan_mode(struct yml *y, const struct yml_node *n)
{
	const struct yml_node *sandbox = look(y, n, YML_S_FILE, "sandbox");
	const struct yml_node *execution = look(y, n, YML_S_FILE, "execution");
	const char *modes[] = {
		yml_meaning(y, look(y, sandbox, YML_S_SANDBOX, "mode"), YML_W_MODE),
		yml_meaning(y, look(y, sandbox, YML_S_SANDBOX, "type"),
			    YML_W_SANDBOX_TYPE),
		yml_meaning(y, look(y, sandbox, YML_S_SANDBOX, "executionMode"),
			    YML_W_EXECUTION_MODE),
		yml_meaning(y, look(y, execution, YML_S_EXECUTION, "mode"), YML_W_MODE),
		yml_meaning(y, look(y, n, YML_S_FILE, "executionMode"),
			    YML_W_EXECUTION_MODE),
	};

	for (size_t i = 0; i < POL_LEN(modes); i++)
		if (modes[i])
			y->mode = modes[i];
}

/* Does the mode of the file run commands in this runner, as first choice or always? */
bool yml_is_own(const struct yml *y, const char *runner)
{
	return y->mode && (strcmp(y->mode, runner) == 0 ||
			   (strcmp(y->mode, "prefer-container") == 0 &&
			    strcmp(runner, "container") == 0));
}

static void scan_mounts(struct yml *y, const struct yml_node *n)
{
	const struct yml_node *sandbox = look(y, n, YML_S_FILE, "sandbox");
	const struct yml_node *outer[] = {look(y, n, YML_S_FILE, "docker"),
					  look(y, sandbox, YML_S_SANDBOX, "docker")};
	const struct yml_node *dev[] = {
		look(y, n, YML_S_FILE, "devcontainer"),
		look(y, sandbox, YML_S_SANDBOX, "devcontainer")};

	y->mounted |= look(y, n, YML_S_FILE, "workspaceMount") ||
		      look(y, sandbox, YML_S_SANDBOX, "workspaceMount");
	for (size_t i = 0; i < POL_LEN(outer); i++) {
		const struct yml_node *over =
			look(y, dev[i], YML_S_DEVCONTAINER, "overrides");

		y->mounted |= yml_is_own(y, "container") &&
			      look(y, outer[i], YML_S_DOCKER, "workspaceMount");
		y->mounted |= yml_is_own(y, "devcontainer") &&
			      look(y, over, YML_S_OVERRIDES, "workspaceMount");
	}
}

static bool names_hosts(const struct yml *y, const struct yml_node *n,
			enum yml_scope scope)
{
	return look(y, n, scope, "allowedDomains") || look(y, n, scope, "allowedHosts");
}

/* Looks for a list of hosts, even an empty one, in every place from which the
 * policy's own network section takes hosts. */
static void scan_hosts(struct yml *y, const struct yml_node *n)
{
	const struct yml_node *sandbox = look(y, n, YML_S_FILE, "sandbox");
	const struct {
		const struct yml_node *n;
		enum yml_scope scope;
	} at[] = {{n, YML_S_FILE}, {sandbox, YML_S_SANDBOX}};

	for (size_t i = 0; i < POL_LEN(at); i++) {
		const struct yml_node *docker = look(y, at[i].n, at[i].scope, "docker");
		const struct yml_node *cloud = look(y, at[i].n, at[i].scope, "cloud");
		const struct yml_node *over =
			look(y, look(y, at[i].n, at[i].scope, "devcontainer"),
			     YML_S_DEVCONTAINER, "overrides");

		y->hosts |=
			names_hosts(y, at[i].n, at[i].scope) ||
			(yml_is_own(y, "container") &&
			 names_hosts(y, docker, YML_S_DOCKER)) ||
			(yml_is_own(y, "cloud") && names_hosts(y, cloud, YML_S_CLOUD)) ||
			(yml_is_own(y, "devcontainer") &&
			 names_hosts(y, over, YML_S_OVERRIDES));
	}
}

static void scan_level(struct yml *y, const struct yml_node *n)
{
	const struct yml_node *policy = look(y, n, YML_S_FILE, "policy");
	const struct yml_node *level = look(y, policy, YML_S_POLICY, "level");

	if (level && level->kind == YML_SCALAR)
		y->locks |= str_eqz(level->text, "managed") ||
			    str_eqz(level->text, "managed-file");
}

static void scan_part(struct yml *y, const struct yml_node *n,
		      void (*scan)(struct yml *, const struct yml_node *))
{
	if (n->kind != YML_LIST) {
		scan(y, n);
		return;
	}
	for (const struct yml_item *i = n->items; i; i = i->next)
		scan(y, i->value);
}

void yml_scan(struct yml *y, const struct yml_node *root)
{
	scan_part(y, root, scan_level);
	scan_part(y, root, scan_mode);
	scan_part(y, root, scan_mounts);
	scan_part(y, root, scan_hosts);
}
