#!/usr/bin/env bats
# interlock run: what can be wrong is found before the program starts; then it is the program.

load helper
load tool

prepare() { given_the_tool; }

# Every variable of the tables, with a value that is wrong for its type: `VARIABLE VALUE`.
wrong_values() {
	local long
	long=$(printf '%4100s' '' | tr ' ' x)
	declare -A wrong=([RATE]=0 [DURATION]=0s [COUNT]=0 [FACTOR]=0.5 [BOOLEAN]=maybe [WINDOW]=LARGE
		[STATE]=OPEN [PATH]=$long [REGISTRY]=a/b [KEY]=port [FAMILIES]=inet7 [BREAKERS]=0
		[ERRNO]=EAGAIN [STATUSES]=99 [PATTERNS]=10.0.0.0/99 [COMMANDS]=$long [LOG]=$long
		[LEVEL]=loud [FORMAT]=xml [DIRECTORY]=run)
	sed -n 's/^IL_SETTING(\([a-z_]*\), \([A-Z]*\),.*/\1 \2/p' "$ROOT/include/interlock/settings.def" |
		while read -r name type; do echo "INTERLOCK_${name^^} ${wrong[$type]}"; done
	sed -n 's/^IL_OPTION(\([A-Z_]*\), \([A-Z]*\),.*/\1 \2/p' "$ROOT/src/config/options.def" |
		while read -r name type; do echo "$name ${wrong[$type]}"; done
}

@test "tool: --help and --version everywhere" {
	for command in "" run status check doctor; do
		for option in --help -h; do
			tool $command $option
			[ "$status" -eq 0 ]
			[ -z "$errors" ]
			[[ $output == "usage: interlock${command:+ $command} [OPTION]"* ]]
			[[ $output == *"--help"* && $output == *"--version"* ]]
		done
		tool $command --version
		[ "$status" -eq 0 ]
		[ -z "$errors" ]
		[[ $output =~ ^interlock\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
	tool --help
	[[ $output == *" run "* && $output == *" status "* ]]
	tool run --help
	[[ $output == *"--registry NAME"* && $output == *"--log D"* && $output == *"--set SETTING=VALUE"* ]]
	tool status --help
	[[ $output == *"--registry NAME"* && $output == *"--json"* && $output == *"--runtime-dir D"* ]]
}

@test "tool: wrong usage is refused in a line that says what, what was perhaps meant, and where the help is" {
	refuses "interlock: which command?"
	refuses "interlock: 'stauts' is no command (did you mean status?)" stauts
	refuses "interlock: '--vresion' is no option (did you mean --version?)" --vresion
	refuses "interlock run: which program?" run
	refuses "interlock run: which program?" run --registry x --
	refuses "interlock run: '--regsitry=x' is no option (did you mean --registry?)" run --regsitry=x true
	refuses "interlock run: '-x' is no option" run -x true
	refuses "interlock run: option '--log' needs a value" run --log
	refuses "interlock run: option '--help' takes no value" run --help=me
	refuses "interlock run: --set takes SETTING=VALUE, not 'window_size'" run --set window_size true
	refuses "interlock run: --set takes SETTING=VALUE, not '=5'" run --set =5 true
	refuses "interlock run: 'windw_size' is no setting (did you mean window_size?)" run --set windw_size=5 true
	refuses "interlock run: 'INTERLOCK_LOG_LEVLE' is no setting (did you mean log_level?)" run --set INTERLOCK_LOG_LEVLE=5 true
	refuses "interlock status: option '--json' takes no value" status --json=5
	refuses "interlock status: 'payments' is too much" status payments
	refuses "(interlock status --help says more)" status payments
}

@test "tool: what cannot be written is an error: a full disk, a closed pipe, a closed stdout" {
	for arguments in --help --version "run --help" "status --json"; do
		for where in /dev/full pipe closed; do
			status=0
			case $where in
			# The pipe's reader has gone before the tool starts.
			pipe) { sleep 0.1; "$TOOL" $arguments 2>"$WORK/err"; echo $? >"$WORK/status"; } | : || :
				status=$(cat "$WORK/status") ;;
			closed) "$TOOL" $arguments >&- 2>"$WORK/err" || status=$? ;;
			*) "$TOOL" $arguments >$where 2>"$WORK/err" || status=$? ;;
			esac
			[ "$status" -eq 1 ]
			grep -q "interlock: cannot write to standard output: " "$WORK/err"
		done
	done
}

@test "tool: run becomes the program: its arguments, input, output, exit status and signals" {
	tool run sh -c 'printf "[%s]" "$0" "$@"; echo oops >&2; exit 42' "a b" "" '*' --help
	[ "$status" -eq 42 ]
	[ "$output" = "[a b][][*][--help]" ]
	[ "$errors" = oops ]
	[ "$(echo input | "$TOOL" run cat)" = input ]
	tool run -- printf %s --version
	[ "$output" = --version ]
	tool run sh -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
	status=0
	"$TOOL" run sh -c 'echo $$' >"$WORK/pid" &
	wait $!
	[ "$(cat "$WORK/pid")" = $! ]
	# Not a signal more is ignored in it.
	"$TOOL" run grep SigIgn /proc/self/status >"$WORK/with"
	grep SigIgn /proc/self/status | diff - "$WORK/with"
	"$TOOL" run sh -c 'ls /proc/self/fd' >"$WORK/with"
	sh -c 'ls /proc/self/fd' | diff - "$WORK/with"
}

@test "tool: run ends with 127 when the program is not found, 126 when it cannot be executed" {
	tool run no-such-program
	[ "$status" -eq 127 ]
	[ "$errors" = "interlock: cannot run 'no-such-program': No such file or directory" ]
	tool run /no/such/program
	[ "$status" -eq 127 ]
	tool run ""
	[ "$status" -eq 127 ]
	tool run /etc/passwd
	[ "$status" -eq 126 ]
	[ "$errors" = "interlock: cannot run '/etc/passwd': Permission denied" ]
	tool run /
	[ "$status" -eq 126 ]
	printf '#!/no/such/interpreter\n' >"$WORK/script"
	chmod +x "$WORK/script"
	tool run "$WORK/script"
	[ "$status" -eq 127 ]
}

@test "run loads the library into the program, and into its children" {
	tool run cat /proc/self/maps
	[[ $output == *"$SHIM"* ]]
	tool run sh -c 'cat /proc/self/maps; :'
	[[ $output == *"$SHIM"* ]]
	closed_port
	tool run --registry r curl -s "http://127.0.0.1:$PORT/"
	[ "$status" -eq 7 ]
	[ -s "$INTERLOCK_RUNTIME_DIR/r" ]
}

@test "tool: run appends to LD_PRELOAD and replaces nothing" {
	local show='printf %s "$LD_PRELOAD"'
	tool run sh -c "$show"
	[ "$output" = "$LIBRARY" ]
	LD_PRELOAD= tool run sh -c "$show"
	[ "$output" = "$LIBRARY" ]
	echo 'int other;' | "${CC:-cc}" -shared -fPIC -x c -o "$WORK/other.so" -
	LD_PRELOAD=$WORK/other.so tool run sh -c "$show"
	[ "$output" = "$WORK/other.so:$LIBRARY" ]
	[ -z "$errors" ]
	# Once is enough, whoever said it: twice, each call would count twice.
	tool run "$TOOL" run sh -c "$show"
	[ "$output" = "$LIBRARY" ]
	mkdir "$WORK/copy"
	cp "$SHIM" "$WORK/copy/libinterlock_preload.so"
	LD_PRELOAD="$WORK/copy/libinterlock_preload.so $WORK/other.so" tool run sh -c "$show"
	[ "$output" = "$WORK/copy/libinterlock_preload.so $WORK/other.so" ]
	# A copy that is not there any more protects nobody.
	status=0
	output=$(LD_PRELOAD=/gone/libinterlock_preload.so "$TOOL" run sh -c "$show" 2>/dev/null)
	[ "$output" = "/gone/libinterlock_preload.so:$LIBRARY" ]
}

@test "tool: run finds the library beside itself, in ../lib, or where the loader looks" {
	local show='printf %s "$LD_PRELOAD"'
	mkdir "$WORK/lib" "$WORK/elsewhere"
	mv "$LIBRARY" "$WORK/lib/"
	tool run sh -c "$show"
	[ "$output" = "$WORK/lib/libinterlock_preload.so" ]
	mv "$WORK/lib/libinterlock_preload.so" "$WORK/elsewhere/"
	LD_LIBRARY_PATH=$WORK/elsewhere tool run sh -c "$show"
	[ "$output" = "$WORK/elsewhere/libinterlock_preload.so" ]
	ln -s "$TOOL" "$WORK/link"
	mv "$WORK/elsewhere/libinterlock_preload.so" "$WORK/bin/"
	TOOL=$WORK/link tool run sh -c "$show"
	[ "$output" = "$LIBRARY" ]
}

@test "tool: run starts nothing when the library is missing or damaged, or its path cannot be preloaded" {
	rm "$LIBRARY"
	if ! ldconfig -p 2>/dev/null | grep -q libinterlock_preload; then
		refuses "interlock: cannot find libinterlock_preload.so: " run touch "$WORK/started"
	fi
	echo damaged >"$LIBRARY"
	refuses "interlock: cannot load the library: " run touch "$WORK/started"
	refuses "interlock: 'touch' was not started" run touch "$WORK/started"
	mkdir "$LIBRARY.d" && rm "$LIBRARY" && mv "$LIBRARY.d" "$LIBRARY"
	refuses "interlock: cannot load the library: " run touch "$WORK/started"
	mkdir "$WORK/a b"
	cp "$TOOL" "$WORK/a b/"
	ln -s "$SHIM" "$WORK/a b/libinterlock_preload.so"
	TOOL="$WORK/a b/interlock" refuses "a b/libinterlock_preload.so' cannot be preloaded: blanks" run touch "$WORK/started"
	[ ! -e "$WORK/started" ]
}

@test "tool: run refuses a program into which the loader would not put the library" {
	mkdir "$WORK/path"
	cp /bin/true "$WORK/path/narrow"
	printf '\001' | dd of="$WORK/path/narrow" bs=1 seek=4 conv=notrunc status=none
	refuses "narrow' is a program of another machine or word size (32 bit)" run "$WORK/path/narrow"
	PATH=/nonexistent:$WORK/path:$PATH refuses "$WORK/path/narrow' is a program of another" run narrow
}

@test "tool: the registry is called after the program or its script, unless somebody says otherwise" {
	printf '#!/bin/sh\nprintf %%s "$INTERLOCK_REGISTRY"\n' >"$WORK/nightly.sh"
	chmod +x "$WORK/nightly.sh"
	tool run "$WORK/nightly.sh"
	[ "$output" = nightly.sh ]
	tool run bash -eu "$WORK/nightly.sh"
	[ "$output" = nightly.sh ]
	tool run sh -c "$WORK/nightly.sh now"
	[ "$output" = nightly.sh ]
	tool run printenv INTERLOCK_REGISTRY
	[ "$output" = printenv ]
	tool run /usr/bin/python3 -c 'import os; print(os.environ["INTERLOCK_REGISTRY"])'
	[ "$output" = python3 ]
	INTERLOCK_REGISTRY=mine tool run "$WORK/nightly.sh"
	[ "$output" = mine ]
	INTERLOCK_REGISTRY= tool run "$WORK/nightly.sh"
	[ "$output" = nightly.sh ]
	INTERLOCK_REGISTRY=mine tool run --registry yours "$WORK/nightly.sh"
	[ "$output" = yours ]
	tool run --registry yours --set registry=ours "$WORK/nightly.sh"
	[ "$output" = ours ]
}

@test "tool: --log and --set become variables; the last word counts" {
	INTERLOCK_LOG=/other tool run --log stderr printenv INTERLOCK_LOG
	[ "$output" = stderr ]
	INTERLOCK_WINDOW_SIZE=7 tool run --set window_size=20 --set WINDOW_SIZE=30 printenv INTERLOCK_WINDOW_SIZE
	[ "$output" = 30 ]
	for name in http_failure_status HTTP_FAILURE_STATUS INTERLOCK_HTTP_FAILURE_STATUS; do
		tool run --set $name=500 printenv INTERLOCK_HTTP_FAILURE_STATUS
		[ "$output" = 500 ]
	done
	tool run --set interlock=off printenv INTERLOCK
	[ "$output" = off ]
	tool run --set 'ignore=*.internal:443,a=b' printenv INTERLOCK_IGNORE
	[ "$output" = '*.internal:443,a=b' ]
}

@test "a setting of run reaches the shim" {
	closed_port
	tool run --log "$WORK/log" --set log_level=debug --set log_format=json curl -s "http://127.0.0.1:$PORT/"
	grep -q '"outcome":"FAILURE"' "$WORK/log"
}

@test "tool: a wrong value of any setting is refused, from the environment and from --set" {
	local count=0
	while read -r variable value; do
		refuses "interlock: $variable '${value:0:80}" run --set "$variable=$value" touch "$WORK/started"
		refuses "interlock: 'touch' was not started" run --set "$variable=$value" touch "$WORK/started"
		export "$variable=$value"
		refuses "interlock: $variable '${value:0:80}" run touch "$WORK/started"
		unset "$variable"
		export INTERLOCK_RUNTIME_DIR=$WORK/run
		count=$((count + 1))
	done < <(wrong_values)
	[ "$count" -eq "$(cat "$ROOT/include/interlock/settings.def" "$ROOT/src/config/options.def" |
		grep -cE '^IL_(SETTING|OPTION)\(')" ]
	[ ! -e "$WORK/started" ]
}

@test "tool: settings that contradict each other are refused, and each wrong one is named" {
	refuses "INTERLOCK_MAX_CONCURRENT_PROBES '5' is not valid" run --set max_concurrent_probes=5 \
		--set permitted_calls_in_half_open=2 touch "$WORK/started"
	tool run --set window_size=0 --set log_level=loud --set key=x touch "$WORK/started"
	[ "$status" -eq 2 ]
	for variable in INTERLOCK_WINDOW_SIZE INTERLOCK_LOG_LEVEL INTERLOCK_KEY; do
		[ "$(grep -c "^interlock: $variable '" <<<"$errors")" -eq 1 ]
	done
	[ ! -e "$WORK/started" ]
}

@test "tool: settings are checked also where the library will be inert" {
	refuses "INTERLOCK_WINDOW_SIZE '0'" run --set interlock=off --set window_size=0 true
	refuses "INTERLOCK_WINDOW_SIZE '0'" run --set commands=curl --set window_size=0 true
	refuses "INTERLOCK_WINDOW_SIZE '0'" run --set ignore_commands=true --set interlock=off --set window_size=0 true
	tool run --set interlock=off --set commands=curl true
	[ "$status" -eq 0 ]
	[ -z "$errors" ]
}

@test "tool: a variable that nobody knows is named with the nearest one, and the program runs" {
	INTERLOCK_WINDOW_SIZ=5 tool run echo runs
	[ "$status" -eq 0 ]
	[ "$output" = runs ]
	[ "$errors" = "interlock: INTERLOCK_WINDOW_SIZ is no variable of interlock (did you mean INTERLOCK_WINDOW_SIZE?); ignored" ]
}

@test "tool: make install puts both where they find each other, DESTDIR in front" {
	local make=(env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" "SAN=${SAN:-}" PREFIX=/opt/il "DESTDIR=$WORK/root")
	[ "$OUT" = "$ROOT/build${SAN:+/san-${SAN//,/-}}" ] || skip "another build folder"
	"${make[@]}" install >"$WORK/out" 2>&1
	[ "$(cd "$WORK/root" && find . -type f | sort)" = "$(printf './opt/il/bin/interlock\n./opt/il/lib/libinterlock_preload.so')" ]
	TOOL=$WORK/root/opt/il/bin/interlock tool run printenv LD_PRELOAD
	[ "$output" = "$WORK/root/opt/il/lib/libinterlock_preload.so" ]
	"${make[@]}" uninstall
	[ -z "$(find "$WORK/root" -type f)" ]
}
