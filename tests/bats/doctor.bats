#!/usr/bin/env bats
# interlock doctor: says beforehand what would stand in the way, and what to do about it.

load helper
load tool

prepare() {
	given_the_tool
	unset INTERLOCK
	cd "$WORK" || return 1
}

# build FILE [FLAG...]: a small program.
build() {
	local file=$1
	shift
	echo 'int main(void) { return 0; }' | gcc -x c - -x none -o "$file" "$@"
}

# The program cannot be protected: a PROBLEM about this subject that says so, and what to do.
cannot() {
	local subject=$1 said=$2
	shift 2
	tool doctor "$@"
	[ "$status" -eq 1 ] && grep -qE "^PROBLEM +$subject +.*$said" "$WORK/out" &&
		grep -q '^ *-> .' "$WORK/out" && [[ $output == *"cannot be protected as things are" ]] && return 0
	echo "$status: $output $errors"
	return 1
}

# It can, and this is said.
can() {
	local said=$1
	shift
	tool doctor "$@"
	[ "$status" -eq 0 ] && grep -qE "$said" "$WORK/out" && ! grep -q ^PROBLEM "$WORK/out" &&
		[[ $output == *"can be protected" ]] && return 0
	echo "$status: $output $errors"
	return 1
}

@test "tool: doctor: a program that can be protected, with all that was looked at" {
	can "^ok +program +'/usr/bin/curl': 64 bit, dynamically linked, glibc" curl
	grep -qE "^ok +settings +valid" "$WORK/out"
	grep -qE "^ok +registry +$INTERLOCK_RUNTIME_DIR, [0-9]+ MiB free" "$WORK/out"
	grep -qE "^ok +library +'$LIBRARY', and '/.*/ld-linux.*' takes it" "$WORK/out"
	grep -qE "^ok +functions +through interlock:.* connect .* getaddrinfo .* poll " "$WORK/out"
	[ -z "$errors" ]
	[ -z "$(ls -A "$INTERLOCK_RUNTIME_DIR")" ]
}

@test "tool: doctor: the program itself is not run" {
	printf '#!/bin/sh\ntouch %s/ran\n' "$WORK" >script
	chmod +x script
	can "'./script' is a script that '/bin/sh' runs" ./script
	build program
	can "'./program': 64 bit" -- ./program
	[ ! -e ran ]
}

@test "tool: doctor: scripts are followed to the program that runs them" {
	printf '#!/usr/bin/env bash\n' >script
	chmod +x script
	can "'./script' is a script that '.*/bash' runs" ./script
	printf '#!/usr/bin/nobody -x\n' >script
	cannot program "is a script for '/usr/bin/nobody', which is not there" ./script
	printf '#!/usr/bin/env nobody\n' >script
	cannot program "is a script for 'nobody', which is not there" ./script
}

@test "tool: doctor: what is not there, not executable, or neither program nor script" {
	cannot program "'nobody': not found" nobody
	cannot program "'./nobody': No such file" ./nobody
	echo text >text
	cannot program "'./text': Permission denied" ./text
	chmod +x text
	cannot program "neither a program nor a script" ./text
	head -c 100 /bin/true >text
	cannot program "." ./text
	head -c 4096 /bin/true >text
	tool doctor ./text
	[ "$status" -le 1 ]
}

@test "tool: doctor: static, Go, another libc, another word size" {
	build static -static
	cannot program "linked statically" ./static
	cat >note.s <<-'S'
		.section .note.go.buildid, "a", @note
		.long 4, 4, 4
		.asciz "Go\0"
		.long 0
		.section .note.GNU-stack, "", @progbits
	S
	build go note.s
	cannot program "written in Go" ./go
	build musl -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1
	cannot program "another libc .*ld-musl" ./musl
	echo '.globl _start; _start: nop' | as --32 - -o small.o
	ld -m elf_i386 -pie --dynamic-linker /lib/ld-linux.so.2 small.o -o small
	cannot program "another machine or word size \(32 bit\)" ./small
	[[ $output == *"-m32"* ]]
}

@test "tool: doctor: set-user-id and capabilities" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to give a file away"
	build other
	chown 1 other
	chmod u+s other
	cannot rights "the loader ignores LD_PRELOAD" ./other
	build own
	chmod u+s own
	can "^note +rights .*for other users" ./own
	build able
	/usr/bin/python3 -c 'import os, struct
os.setxattr("able", "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0))'
	can "^note +rights .*has capabilities" ./able
}

@test "tool: doctor: programs that start others, and ways past the library" {
	build sudo
	can "^note +environment .*an environment of its own making" ./sudo
	echo 'int io_uring_queue_init(void) { return 0; }' | gcc -x c - -shared -fPIC -o liburing.so
	echo 'int io_uring_queue_init(void); int main(void) { return io_uring_queue_init(); }' |
		gcc -x c - -o ring -L. -luring -Wl,-rpath,'$ORIGIN'
	can "^note +functions .*ring uses io_uring_queue_init: io_uring" ./ring
	can "^note +functions .*nothing that it is linked with connects" ./ring
}

@test "tool: doctor: a library that it needs is missing" {
	echo 'int f(void) { return 0; }' | gcc -x c - -shared -fPIC -o libgone.so
	echo 'int f(void); int main(void) { return f(); }' | gcc -x c - -o needs -L. -lgone
	rm libgone.so
	cannot libraries "libgone.so" ./needs
}

@test "tool: doctor: the library is missing, or none" {
	rm "$LIBRARY"
	cannot library "no library that can be loaded" curl
	echo text >"$LIBRARY"
	cannot library "no library that can be loaded" curl
}

@test "tool: doctor: settings that are wrong, unknown, or switch it off" {
	INTERLOCK_WINDOW_SIZE=0 cannot settings "INTERLOCK_WINDOW_SIZE '0'" curl
	INTERLOCK=off cannot settings "INTERLOCK=off" curl
	INTERLOCK_COMMANDS=wget cannot settings "leaves this program out" curl
	INTERLOCK_LOG_LEVLE=debug can "^note +settings .*did you mean INTERLOCK_LOG_LEVEL" curl
}

@test "tool: doctor: the control file and the runtime directory" {
	export INTERLOCK_CONTROL=$WORK/control
	can "^note +control file .*No such file" curl
	echo '*:* METRICS_ONLY' >control
	can "^ok +control file .*1 rule" curl
	echo '*:* nonsense' >control
	can "^note +control file .*control:1: " curl
	echo '*:* METRICS_ONLY' >control
	chmod 666 control
	can "^note +control file .*may write to it; refused" curl
	! grep -q "^ok +control file" "$WORK/out"
	unset INTERLOCK_CONTROL
	INTERLOCK_RUNTIME_DIR=/proc/nowhere can "^note +registry .*/proc/nowhere" curl
	grep -q -- "-> mend it, or set INTERLOCK_RUNTIME_DIR" "$WORK/out"
}

@test "tool: doctor: a runtime directory without space" {
	unshare -m true 2>/dev/null || skip "no mount namespace to be had"
	unshare -m sh -c 'mount -t tmpfs -o size=8k,mode=700 tmpfs "$0" && exec "$@"' \
		"$INTERLOCK_RUNTIME_DIR" "$TOOL" doctor curl >"$WORK/out" 3>&-
	grep -qE "^note +registry .*$INTERLOCK_RUNTIME_DIR" "$WORK/out"
	grep -q -- "-> mend it, or set INTERLOCK_RUNTIME_DIR" "$WORK/out"
}

@test "tool: doctor: wrong usage" {
	refuses "interlock doctor: which program?" doctor
	refuses "interlock doctor: '--jsn' is no option" doctor --jsn curl
}
