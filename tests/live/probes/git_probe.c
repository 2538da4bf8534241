/* Stands for git in a test: tells by a file in the working directory that it was started, and
 * what of its environment a test looks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	FILE *f = fopen("git-was-started", "w");

	if (!f)
		return 1;
	fprintf(f, "%s %s\n", getenv("LD_LIBRARY_PATH") ? "LD" : "-", getenv("GIT_TRACE") ? "TRACE" : "-");
	fclose(f);
	/* what git's settings could start */
	execl("/bin/touch", "touch", "git-has-started", (char *)NULL);
	return 0;
}
