# Whether what the run may not write is as it was (kept.py); sourced after live.sh.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/lib/live.sh

# TOP…: what they hold now.
kept_save() {
	kept_tops=("$@")
	python3 "$(dirname "${BASH_SOURCE[0]}")/kept.py" save "$WORK/.kept" "$@" || bad "the trees could not be read"
}

kept_compare() { # POLICY: what kept.py says of it
	python3 "$(dirname "${BASH_SOURCE[0]}")/kept.py" check "$WORK/.kept" "$BIN/file_oracle" --root "HOME=$HOME" \
		--root "PROJECT_DIR=$P" --root TMPDIR=/tmp --project "$WORK/$1.pol" -- "${kept_tops[@]}" 2>&1
}

# POLICY: everything that differs, the policy's rules let the run write.  Prints how much
# that is, and sets kept_differ.
kept_check() {
	local said
	said=$(kept_compare "$1") || bad "what may not be written differs: $said"
	kept_differ=$(sed -n 's/^[0-9]* names, \([0-9]*\) differ.*/\1/p' <<<"$said")
	[ -n "$kept_differ" ] || bad "nothing was compared: $said"
	printf '     %s\n' "$(tail -n 1 <<<"$said")"
}

# POLICY: the control: by these rules something was written that may not be.
kept_control() {
	local said
	said=$(kept_compare "$1") && bad "nothing that $1 denies was written: $said"
	[[ $said == FAIL* ]] || bad "it does not say what: $said"
	printf '     %s\n' "$(tail -n 1 <<<"$said")"
}
