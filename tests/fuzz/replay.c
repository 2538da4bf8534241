/* Runs one fuzz target over files: the seeds and the findings of its corpus. */
#include "tests/fuzz/law.h"

static void one(const char *path)
{
	FILE *f = fopen(path, "re");
	uint8_t *bytes = NULL;
	size_t n = 0, cap = 0;

	if (!f) {
		perror(path);
		exit(2);
	}
	for (;;) {
		size_t got;

		if (n == cap) {
			cap = cap ? 2 * cap : 4096;
			bytes = realloc(bytes, cap);
			LAW(bytes);
		}
		got = fread(bytes + n, 1, cap - n, f);
		if (got == 0)
			break;
		n += got;
	}
	fclose(f);
	(void)LLVMFuzzerTestOneInput(bytes, n);
	free(bytes);
}

int main(int argc, char **argv)
{
	(void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		/* what dies is named by the last line */
		printf("%s\n", argv[i]);
		fflush(stdout);
		one(argv[i]);
	}
	return 0;
}
