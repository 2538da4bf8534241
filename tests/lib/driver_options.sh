#!/usr/bin/env bash
# The options of a compiler's driver, as a listing: its help says of few whether the next word is
# their value, so each is tried.
#   driver_options.sh PROGRAM
set -u
program=$1
work=$(mktemp -d) && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT
# What no list of theirs has: single letters, and the long names of some.
unlisted=$(printf '%s\n' -{a..z} -{A..Z} --{prefix,for-linker,for-assembler,language,library-directory} \
	--{force-link,script,std,output,assert,dump,include-directory{,-after},define-macro,undefine-macro} \
	--{include-{prefix,with-prefix{,-after,-before}},sysroot,entry})

# At the end of the line those of gcc say that their value is missing.
gcc_options() {
	{
		gcc --help=separate | awk '$1 ~ /^-/ { sub(/[<=[].*/, "", $1); print $1 }'
		# those that only the driver reads
		printf '%s\n' -wrapper -specs --specs -Ttext -Tdata -Tbss -Xlinker -Xassembler -Xpreprocessor \
			--print-file-name --print-prog-name "$unlisted"
	} | sort -u | while IFS= read -r option; do
		case $("$program" "$option" 2>&1 >/dev/null </dev/null) in
		*missing*) printf '  %s VALUE\n' "$option" ;;
		*unrecognized*) ;;
		*) printf '  %s\n' "$option" ;;
		esac
	done
}

# clang looks for each word as a file that is no value, and tries nothing with -###.
clang_options() {
	local names
	names=$({
		"$program" --autocomplete=- | awk '{ print $1 }' |
			grep -vE '^-[fmWgO].|^--?(help|version|print|cc1|dump)|[=,]$|[:#]'
		printf '%s\n' -mllvm -mthread-model -arch -framework -filelist -force_load -install_name \
			-target "$unlisted"
	} | sort -u)
	# shellcheck disable=SC2046 # two words each
	"$program" '-###' $(awk '{ print $1, "file" $1 }' <<<"$names") >said 2>&1
	while IFS= read -r option; do
		if grep -qxF -e "clang: error: unknown argument: '$option'" said; then
			continue
		elif grep -qF -e "no such file or directory: 'file$option'" said; then
			printf '  %s\n' "$option"
		else
			printf '  %s VALUE\n' "$option"
		fi
	done <<<"$names"
}

case $program in
clang*) clang_options ;;
*) gcc_options ;;
esac
