/*
 * wall_probe r|w FILE OUT [PROCESSES [TEXT]]: tries FILE for as long as it lives,
 * to read it (r) or to append TEXT to it (w), in PROCESSES processes at once (1).
 * What it could do goes to OUT, a line for each process: how often, and the
 * microseconds from the first to the last time.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Once: 1 done, 0 refused.  Without a text it reads. */
static int attempt(const char *file, const char *text)
{
	char c;
	int fd = open(file, text ? O_WRONLY | O_APPEND : O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = text ? write(fd, text, strlen(text)) : read(fd, &c, 1);
	(void)close(fd);
	return n > 0;
}

static void work(const char *file, const char *out, const char *text)
{
	char line[80];
	uint64_t first = 0, count = 0;
	int fd = -1;

	for (;;) {
		if (!attempt(file, text))
			continue;
		if (!first)
			first = now_ns();
		if (fd < 0)
			fd = open(out, O_WRONLY | O_APPEND | O_CREAT, 0644);
		/* each line replaces the one before for whoever reads the last */
		(void)snprintf(line, sizeof(line), "%d %llu %llu\n", (int)getpid(),
			       (unsigned long long)++count,
			       (unsigned long long)(now_ns() - first) / 1000);
		if (write(fd, line, strlen(line)) < 0)
			_exit(1);
	}
}

int main(int argc, char **argv)
{
	int n = argc > 4 ? atoi(argv[4]) : 1;
	const char *text = argc > 5 ? argv[5] : "#";

	if (argc < 4)
		return 2;
	if (argv[1][0] != 'w')
		text = NULL;
	/* the control, and the sign that it has begun */
	printf("%s\n", attempt(argv[2], text) ? "open" : "refused");
	(void)fflush(stdout);
	for (int i = 1; i < n; i++)
		if (fork() == 0)
			work(argv[2], argv[3], text);
	work(argv[2], argv[3], text);
	return 0;
}
