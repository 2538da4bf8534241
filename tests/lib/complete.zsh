# What a real zsh makes of a line and a tab, at a terminal of its own:
#   zsh -f complete.zsh FOLDER LINE WANTED…    FOLDER has _PROGRAM; prints what is wrong
zmodload zsh/zpty || exit 2
folder=$1
shift
zpty shell "zsh -f -i"
zpty -w shell "PS1='>'; unset zle_bracketed_paste; fpath=($folder \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; echo REA''DY"

# WANTED: until it is there, for at most 20 seconds
await() {
	local i piece
	out=
	for i in {1..200}; do
		while zpty -r -t shell piece; do out+=$piece; done
		[[ $out != *$1* ]] || return 0
		sleep 0.1
	done
	return 1
}
await READY || print -r -- "zsh does not start: $out"
while (($# >= 2)); do
	zpty -w -n shell "$1"$'\t'
	await "$2" || print -r -- "of '$1' no '$2': ${(V)out}"
	zpty -w -n shell $'\x15'
	shift 2
done
zpty -d shell
