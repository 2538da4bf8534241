/* Decides the shell lines that it is given, and prints why. */
#include <pol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char cwd[POL_PATH_MAX], home[POL_PATH_MAX], project[POL_PATH_MAX];

/* The directories behind ${HOME} and ${PROJECT_DIR}, without symbolic links. */
static int find_place(void)
{
	const char *h = getenv("HOME");

	if (!getcwd(cwd, sizeof(cwd)) || !h || pol_physical(h, home) < 0)
		return -1;
	return pol_project(cwd, home, project);
}

/* What an agent would do with the answer: run the line, ask somebody, or not. */
static int decide(struct pol_ctx *ctx, const char *line)
{
	struct pol_request q = { .size = sizeof(q), .kind = POL_COMMAND,
				 .scope = POL_HOST, .line = line,
				 .line_n = strlen(line), .cwd = cwd, .home = home,
				 .project = project, .tmpdir = "/tmp" };
	struct pol_decision d = { .size = sizeof(d) };
	struct pol_error err = { .size = sizeof(err) };
	char why[8192];
	size_t n = 0;

	if (pol_decide(ctx, &q, &d, &err) < 0) {
		fprintf(stderr, "decide: %s\n", err.text);
		return 2; /* no decision, and therefore no yes */
	}
	if (pol_explain(ctx, POL_TEXT, why, sizeof(why), &n) < 0)
		(void)snprintf(why, sizeof(why), "(why: %zu bytes, too many to show)\n", n);
	fputs(why, stdout);
	return d.effect == POL_ALLOW ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct pol_error err = { .size = sizeof(err) };
	struct pol_bundle *bundle;
	struct pol_ctx *ctx;
	size_t longest = 0;
	int worst = 0, i;

	if (argc < 3) {
		fprintf(stderr, "usage: decide BUNDLE LINE…\n");
		return 2;
	}
	if (find_place() < 0) {
		fprintf(stderr, "decide: no working directory, no HOME or no such one\n");
		return 2;
	}
	for (i = 2; i < argc; i++)
		longest = strlen(argv[i]) > longest ? strlen(argv[i]) : longest;
	if (pol_open(argv[1], NULL, &bundle, &err) < 0) {
		fprintf(stderr, "decide: %s\n", err.text);
		return 2;
	}
	if (pol_ctx_new(bundle, longest, &ctx, &err) < 0) {
		fprintf(stderr, "decide: %s\n", err.text);
		pol_close(bundle);
		return 2;
	}
	for (i = 2; i < argc; i++) {
		int r = decide(ctx, argv[i]);

		worst = r > worst ? r : worst;
	}
	pol_ctx_free(ctx);
	pol_close(bundle);
	return worst;
}
