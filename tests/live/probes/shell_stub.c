/* Stands for every program of a generated line: "no" fails, "say" prints. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *name = argc ? strrchr(argv[0], '/') : NULL;

	name = name ? name + 1 : argc ? argv[0] : "";
	if (strcmp(name, "say") == 0)
		for (int i = 1; i < argc; i++)
			printf("%s%s", argv[i], i + 1 < argc ? " " : "\n");
	return strcmp(name, "no") == 0;
}
