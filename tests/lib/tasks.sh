# Runs groups of tests, several at a time; sourced by tests/run/everything.sh.
# A task is a runner with VARIANT, BUILD and perhaps POL_SLICE and POL_SHARD.  What it prints is
# shown when it has ended, so that tasks do not mix.  The tasks of a variant wait for its build.
# shellcheck shell=bash disable=SC2154
task_variant=() task_group=() task_slice=() task_shard=() task_command=()
declare -A task_of=() build_done=()
# one more than there are processors: a live test sleeps a third of its time
tasks_jobs=${POL_TEST_JOBS:-$(($(nproc) + 1))}
tasks_logs=$(mktemp -d) || exit 1

tasks_stop() {
	local pid
	for pid in "${!task_of[@]}"; do kill -- "-$pid" 2>/dev/null; done
	rm -rf "$tasks_logs"
}
trap tasks_stop EXIT
trap 'exit 130' INT TERM

task_add() { # VARIANT GROUP SLICE SHARD COMMAND…
	task_variant+=("$1") task_group+=("$2") task_slice+=("$3") task_shard+=("$4")
	shift 4
	task_command+=("$*")
}

task_name() { printf '%s %s%s' "${task_variant[$1]}" "${task_group[$1]}" "${task_shard[$1]:+ ${task_shard[$1]}}"; }

# MESSAGE: a failure of the run as a whole
task_fail() {
	printf 'FAIL %s\n' "$1" | tee -a "$tasks_logs/run"
	count_fail
}

# INDEX: as the runner it is, which does not come back
task_exec() {
	local words
	export VARIANT=${task_variant[$1]} BUILD=$PWD/build/${task_variant[$1]}
	[ -z "${task_slice[$1]}" ] || export POL_SLICE=${task_slice[$1]}
	[ -z "${task_shard[$1]}" ] || export POL_SHARD=${task_shard[$1]}
	read -ra words <<<"${task_command[$1]}"
	exec "tests/run/${words[0]}" "${words[@]:1}"
}

build_exec() { # VARIANT: what its tasks need
	local i name targets=("${build_targets[@]}")
	if [ "$1" != dev ] && [ "${build_less:-}" = yes ]; then
		targets=(all probes)
		for i in "${!task_group[@]}"; do
			[ "${task_variant[i]}" = "$1" ] || continue
			case ${task_group[i]} in
			golden | commands) ;;
			live) targets+=(oracles) ;;
			seeds) targets+=(prop-tests) ;;
			shell) targets+=(shell-tests) ;;
			fuzz) targets+=(fuzz-targets) ;;
			unit | prop)
				while read -r name; do
					targets+=("$(names_program "$name")")
				done < <(POL_TEST_LIST=1 task_exec "$i")
				;;
			*) targets+=(unit-tests) ;;
			esac
		done
	fi
	exec make -s -j"$(nproc)" VARIANT="$1" "${targets[@]//BUILD/build/$1}"
}

# KEY COMMAND…: behind, in a process group of its own; KEY.time gets its seconds of wall, user, system
task_begin() {
	local key=$1
	shift
	set -m
	(
		trap - EXIT INT TERM
		TIMEFORMAT='%R %U %S'
		# within braces: else bash becomes the command, and nobody is left to take the time
		{ time { ("$@") >"$tasks_logs/$key" 2>&1 </dev/null; }; } 2>"$tasks_logs/$key.time"
	) &
	set +m
	task_of[$!]=$key
}

build_end() { # VARIANT STATUS
	build_done[$1]=yes
	[ "$2" -ne 0 ] || return 0
	build_done[$1]=no
	printf '== build (%s)\n' "$1"
	cat "$tasks_logs/build-$1"
	task_fail "build of the variant $1: $(grep -m 1 -i 'error' "$tasks_logs/build-$1")"
}

task_end() { # INDEX STATUS
	local log=$tasks_logs/$1 said=$tasks_logs/$1.sum
	printf '== %s\n' "$(task_name "$1")"
	cat "$log"
	count_add_line "$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)" "$2" \
		"$(task_name "$1")" >"$said"
	tee -a "$log" <"$said"
}

# Sets `next`: the first of `queue` whose build is there.
task_next() {
	local i
	for i in "${!queue[@]}"; do
		case ${build_done[${task_variant[${queue[i]}]}]:-} in
		yes)
			next=${queue[i]}
			unset "queue[i]"
			return 0
			;;
		no) unset "queue[i]" ;;
		esac
	done
	return 1
}

# The first variant's build has the machine for itself; the other's goes on beside tests.
tasks_run() {
	local i pid status key next builds=() queue=("${!task_group[@]}")
	for i in "${!task_group[@]}"; do
		[[ " ${builds[*]} " == *" ${task_variant[i]} "* ]] || builds+=("${task_variant[i]}")
	done
	while :; do
		while [ "${#task_of[@]}" -lt "$tasks_jobs" ]; do
			if ((${#builds[@]} > 0 && (${#build_done[@]} > 0 || ${#task_of[@]} == 0))); then
				task_begin "build-${builds[0]}" build_exec "${builds[0]}"
				builds=("${builds[@]:1}")
			elif task_next; then
				task_begin "$next" task_exec "$next"
			else
				break
			fi
		done
		[ "${#task_of[@]}" -gt 0 ] || break
		wait -n -p pid "${!task_of[@]}"
		status=$?
		key=${task_of[$pid]}
		unset "task_of[$pid]"
		if [[ $key == build-* ]]; then
			build_end "${key#build-}" "$status"
		else
			task_end "$key" "$status"
		fi
	done
}

# What each group took, in the order in which they began; parts of one group in one line.
tasks_times() {
	local i f
	printf '== seconds\n'
	{
		for f in "$tasks_logs"/build-*.time; do
			i=${f##*/build-}
			printf '%s build\t%s\n' "${i%.time}" "$(tail -n 1 "$f")"
		done
		for i in "${!task_group[@]}"; do
			[ ! -e "$tasks_logs/$i.time" ] || printf '%s %s\t%s\n' "${task_variant[i]}" "${task_group[i]}" \
				"$(tail -n 1 "$tasks_logs/$i.time")"
		done
	} | awk -F'\t' -v all="$SECONDS" -v jobs="$tasks_jobs" '
		{ split($2, t, " ")
		  if (!($1 in wall)) order[++n] = $1
		  wall[$1] += t[1]; cpu[$1] += t[2] + t[3]; parts[$1]++; used += t[2] + t[3] }
		END {
			for (i = 1; i <= n; i++)
				printf("%-22s %6.0f  of processors %6.0f%s\n", order[i], wall[order[i]],
					cpu[order[i]], (parts[order[i]] > 1 ? "  (" parts[order[i]] " parts)" : ""))
			printf "%-22s %6d  of processors %6.0f  (%d at a time)\n", "all", all, used, jobs
		}'
}

# Each failure once more: its first lines, and the line that repeats it.
tasks_failed() {
	local i
	printf '== failed\n'
	[ ! -e "$tasks_logs/run" ] || cat "$tasks_logs/run"
	for i in "${!task_group[@]}"; do
		[ -e "$tasks_logs/$i" ] || continue
		awk -v name="$(task_name "$i")" -v again="VARIANT=${task_variant[i]} ./dev test ${task_group[i]}" '
			function end() { if (open && !told) print "     again: " again; open = 0 }
			/^FAIL/ { end(); open = 1; told = 0; left = 9; sub(/^FAIL:? */, "FAIL (" name ") ") }
			/^(ok|skip|--|==|note)( |$)|^[0-9]+ passed, / { end() }
			/^ +again: / { if (open) print; told = 1; next }
			open && left-- > 0 { print substr($0, 1, 400) }
			END { end() }' "$tasks_logs/$i"
	done
}

# A line each: VARIANT GROUP, and the names of what is run where the runner tells them.
tasks_list() {
	local i
	for i in "${!task_group[@]}"; do
		case ${task_command[i]} in
		unit.sh* | live.sh*) (POL_TEST_LIST=1 task_exec "$i") | sed "s/^/${task_variant[i]} ${task_group[i]} /" ;;
		*) printf '%s %s\n' "${task_variant[i]}" "${task_group[i]}" ;;
		esac
	done
}
