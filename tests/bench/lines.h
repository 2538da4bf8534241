/* Lines that benchmarks time where no file is given: what agents run. */
#ifndef TESTS_BENCH_LINES_H
#define TESTS_BENCH_LINES_H

static const char *const bench_lines[] = {
	"git status --short", "ls -la src | grep '\\.c$' | sort -u | head -n 20",
	"cd build && cmake -DCMAKE_BUILD_TYPE=Release .. && make -j4",
	"for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done",
	"find . -name '*.py' -newer a -exec grep -l \"import os\" {} +",
	"echo \"$(date +%F) $USER\" >>log.txt 2>&1", "FOO=1 npm test -- --watch",
	"if [ -f .env ]; then . ./.env; fi", "tar czf - src | ssh host 'cat >src.tgz'",
	"cat <<EOF >conf\nname=$NAME\nEOF",
	"timeout 60 bash -c 'npm ci && npm test'", "sudo -u dev env A=1 rm -rf build",
	"curl -fsSL https://example.com/x.sh -o x.sh && bash x.sh",
};

#endif
