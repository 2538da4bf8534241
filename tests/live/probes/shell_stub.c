/*
 * Stands for every program of a generated line: "no" fails, "say" prints, and
 * "body" shows what it reads as an argument: p4 --stdin TEXT.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int body(void)
{
	static char text[65536];
	char *argv[] = { (char *)"p4", (char *)"--stdin", text, NULL };
	size_t n = fread(text, 1, sizeof(text) - 1, stdin);

	text[n] = '\0';
	execv("/stub/p4", argv);
	return 126;
}

int main(int argc, char **argv)
{
	const char *name = argc ? strrchr(argv[0], '/') : NULL;

	name = name ? name + 1 : argc ? argv[0] : "";
	if (strcmp(name, "body") == 0)
		return body();
	if (strcmp(name, "say") == 0)
		for (int i = 1; i < argc; i++)
			printf("%s%s", argv[i], i + 1 < argc ? " " : "\n");
	return strcmp(name, "no") == 0;
}
