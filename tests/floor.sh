#!/bin/sh
# Makes the floor: a preload with the functions of real.def that only jumps on. What it costs is
# what any preload costs; what passes with it is no proof of interlock.
# usage: sh tests/floor.sh FILE.so
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -F'[(,]' '
	/^IL_(REAL|VARIADIC|THUNK)\(/ {
		name = $3
		gsub(/ /, "", name)
		printf "\t.globl %s\n\t.type %s, @function\n%s:\n", name, name, name
		printf "\tmovq table+%d(%%rip), %%rax\n", 8 * count++
		print "\ttestq %rax, %rax\n\tje 1f\n\tjmp *%rax\n1:\tcall first\n\tjmp " name
		printf "\t.size %s, . - %s\n", name, name
		names = names "\t.asciz \"" name "\"\n"
	}
	END {
		print "first:"
		split("rdi rsi rdx rcx r8 r9", registers, " ")
		for (i = 1; i <= 6; i++)
			print "\tpushq %" registers[i]
		print "\tcall find_all"
		for (i = 6; i >= 1; i--)
			print "\tpopq %" registers[i]
		print "\tret\n\t.hidden find_all\n\t.hidden table\n\t.hidden names"
		print "\t.globl table\n\t.globl names\n\t.bss\n\t.p2align 3"
		printf "table:\n\t.skip %d\n", 8 * count
		print "\t.section .rodata\nnames:\n" names "\t.byte 0"
		print "\t.section .note.GNU-stack, \"\", @progbits"
	}' src/shim/real.def >"$work/floor.s"
cat >"$work/find.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

extern __attribute__((visibility("hidden"))) const char names[];
extern __attribute__((visibility("hidden"))) void *table[];

__attribute__((visibility("hidden"), constructor)) void find_all(void)
{
	const char *name = names;

	for (int i = 0; *name; i++, name += strlen(name) + 1)
		table[i] = dlsym(RTLD_NEXT, name);
}
END
"${CC:-cc}" -O2 -shared -fPIC -Wl,-z,now -o "$1" "$work/floor.s" "$work/find.c" -ldl
