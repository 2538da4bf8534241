/* Writes programs and executes each at once: how many were still open for writing
 * elsewhere (ETXTBSY)?  ROUNDS SOURCE */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[1 << 20];

int main(int argc, char **argv)
{
	int from = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = from < 0 ? -1 : read(from, bytes, sizeof(bytes));
	int busy = 0, bad = 0;

	if (n <= 0)
		return 2;
	for (int i = 0, rounds = atoi(argv[1]); i < rounds; i++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			int fd = open("made", O_WRONLY | O_CREAT | O_TRUNC, 0755);

			if (fd < 0 || write(fd, bytes, (size_t)n) != n ||
			    close(fd) != 0)
				_exit(3);
			/* the descriptor of an open that writes nothing */
			fd = open("made", O_WRONLY);
			if (fd < 0 || close(fd) != 0)
				_exit(3);
			execl("./made", "made", (char *)NULL);
			_exit(errno == ETXTBSY ? 4 : 5);
		}
		(void)waitpid(pid, &status, 0);
		busy += WIFEXITED(status) && WEXITSTATUS(status) == 4;
		bad += !WIFEXITED(status) ||
		       (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 4);
		(void)unlink("made");
	}
	printf("busy %d bad %d\n", busy, bad);
	return busy || bad;
}
