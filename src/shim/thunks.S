/*
 * What must not have a frame of its own, whatever the compiler's optimisation: each of these ends
 * in a jump, so that the function behind it sees the program as its caller.
 *
 *   dlopen   searches the RUNPATH of its caller. RTLD_DEEPBIND is taken away: with it a library
 *            would find libc's connect before ours.
 *   vfork    returns twice into the same frame.
 *   execl    and its like have any number of arguments on the stack.
 *   syscall  takes six arguments that only the number explains. Four numbers concern us.
 *
 * And the plain system calls that stand in for libc until it can be found (real.h).
 */
#ifndef __x86_64__
#error "thunks.S is written for x86-64"
#endif

#include <sys/syscall.h>

#define RTLD_DEEPBIND 8
#define ENOSYS 38

/* System calls that libc makes with other arguments than its caller's, and no system call at all. */
#define IL_NO_NUMBER  -1
#define IL_NO_POINTER -2
#define IL_RECV	      -3
#define IL_SEND	      -4

	.text

/* Offsets in struct il_real: OFFSET_connect, ... */
	.set offset, 0
#define IL_REAL(type, name, parameters, arguments, call) \
	.set OFFSET_##name, offset; .set offset, offset + 8
#define IL_VARIADIC(type, name, parameters, arguments, call) \
	.set OFFSET_##name, offset; .set offset, offset + 8
#define IL_THUNK(type, name, parameters, arguments, call) \
	.set OFFSET_##name, offset; .set offset, offset + 8
#include "shim/real.def"
#undef IL_REAL
#undef IL_VARIADIC
#undef IL_THUNK

/* Leaves the address of libc's function in %rax; every register that may hold an argument is kept. */
#define FIND(name) \
	cmpb	$0, il_real_is_bound(%rip); \
	leaq	il_real_table(%rip), %rax; \
	jne	1f; \
	call	bind; \
1:	movq	OFFSET_##name(%rax), %rax

#define FUNCTION(name) \
	.globl	name; \
	.type	name, @function; \
	.p2align 4; \
name:

/* Calls a function of ours and keeps every register that may hold an argument. */
#define KEEPING(name, function) \
name: \
	.cfi_startproc; \
	pushq	%rdi; .cfi_adjust_cfa_offset 8; \
	pushq	%rsi; .cfi_adjust_cfa_offset 8; \
	pushq	%rdx; .cfi_adjust_cfa_offset 8; \
	pushq	%rcx; .cfi_adjust_cfa_offset 8; \
	pushq	%r8; .cfi_adjust_cfa_offset 8; \
	pushq	%r9; .cfi_adjust_cfa_offset 8; \
	call	function; \
	popq	%r9; .cfi_adjust_cfa_offset -8; \
	popq	%r8; .cfi_adjust_cfa_offset -8; \
	popq	%rcx; .cfi_adjust_cfa_offset -8; \
	popq	%rdx; .cfi_adjust_cfa_offset -8; \
	popq	%rsi; .cfi_adjust_cfa_offset -8; \
	popq	%rdi; .cfi_adjust_cfa_offset -8; \
	ret; \
	.cfi_endproc; \
	.size	name, . - name

KEEPING(bind, il_real_bind)
KEEPING(execs, gate_execs)

FUNCTION(dlopen)
	.cfi_startproc
	andl	$~RTLD_DEEPBIND, %esi
	FIND(dlopen)
	jmp	*%rax
	.cfi_endproc
	.size	dlopen, . - dlopen

FUNCTION(vfork)
	.cfi_startproc
	FIND(vfork)
	jmp	*%rax
	.cfi_endproc
	.size	vfork, . - vfork

#define EXEC(name) \
FUNCTION(name) \
	.cfi_startproc; \
	call	execs; \
	FIND(name); \
	jmp	*%rax; \
	.cfi_endproc; \
	.size	name, . - name

EXEC(execl)
EXEC(execle)
EXEC(execlp)

FUNCTION(syscall)
	.cfi_startproc
	cmpq	$SYS_close, %rdi
	je	il_syscall_close
	cmpq	$SYS_connect, %rdi
	je	il_syscall_connect
	cmpq	$SYS_seccomp, %rdi
	je	il_syscall_seccomp
	cmpq	$SYS_pidfd_getfd, %rdi
	je	il_syscall_pidfd_getfd
	FIND(syscall)
	jmp	*%rax
	.cfi_endproc
	.size	syscall, . - syscall

/* Before our relocations errno cannot be reached either. */
raw:
	.cfi_startproc
	cmpl	$IL_RECV, %eax
	je	2f
	cmpl	$IL_SEND, %eax
	je	3f
	testl	%eax, %eax
	js	4f
1:	movq	%rcx, %r10
	syscall
	cmpq	$-4095, %rax
	jae	5f
	ret
2:	movl	$SYS_recvfrom, %eax
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	jmp	1b
3:	movl	$SYS_sendto, %eax
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	jmp	1b
4:	cmpl	$IL_NO_POINTER, %eax
	je	6f
	movq	$-ENOSYS, %rax
5:	movq	%rax, %rdi
	jmp	il_raw_failed
6:	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	raw, . - raw

#define RAW(name, number) \
il_raw_##name: \
	movl	$(number), %eax; \
	jmp	raw
#define IL_REAL(type, name, parameters, arguments, call)     RAW(name, call);
#define IL_VARIADIC(type, name, parameters, arguments, call) RAW(name, call);
#define IL_THUNK(type, name, parameters, arguments, call)    RAW(name, call);
#include "shim/real.def"
#undef IL_REAL
#undef IL_VARIADIC
#undef IL_THUNK

	.section .rodata
	.globl	il_raw_distances
	.hidden	il_raw_distances
	.p2align 2
il_raw_distances:
#define IL_REAL(type, name, parameters, arguments, call)     .long il_raw_##name - il_raw_distances;
#define IL_VARIADIC(type, name, parameters, arguments, call) .long il_raw_##name - il_raw_distances;
#define IL_THUNK(type, name, parameters, arguments, call)    .long il_raw_##name - il_raw_distances;
#include "shim/real.def"
	.size	il_raw_distances, . - il_raw_distances

	.hidden	il_real_is_bound
	.hidden	il_real_table
	.hidden	il_real_bind
	.hidden	il_raw_failed
	.hidden	gate_execs
	.hidden	il_syscall_close
	.hidden	il_syscall_connect
	.hidden	il_syscall_seccomp
	.hidden	il_syscall_pidfd_getfd
	.section .note.GNU-stack, "", @progbits
