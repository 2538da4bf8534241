# The ordinary user of the tests; sourced by the runners.
# shellcheck shell=bash

# NAME: an account for the tests: no password, no shell, no home; made once,
# kept.  False where there is none and none can be made.
have_user() {
	id "$1" >/dev/null 2>&1 && return 0
	[ "$(id -u)" -eq 0 ] || return 1
	command -v useradd >/dev/null || return 1
	useradd --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin \
		"$1" 2>/dev/null
	id "$1" >/dev/null 2>&1
}
