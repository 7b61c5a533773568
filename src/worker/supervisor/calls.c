/* calls.c - see calls.h: a filter on system calls, which needs no privileges and cannot be taken off again. */
#include "worker/supervisor/calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "name this machine's architecture as linux/audit.h does"
#endif
#define X32_CALLS 0x40000000 /* system calls of x86-64's other interface start here; none elsewhere */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define JUMP(how, k, yes, no) BPF_JUMP(BPF_JMP | (how) | BPF_K, k, yes, no)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))

/* The next n instructions are for one call alone. */
#define FOR(call, n) JUMP(BPF_JEQ, call, 0, n)
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define LOW(pid) ((unsigned)(pid)) /* arguments are compared by their low halves, little endian */

int calls_restrict(pid_t supervisor)
{
	struct sock_filter rules[] = {
		/* Other interfaces of the kernel number their calls otherwise: none of them. */
		LOAD(arch),
		JUMP(BPF_JEQ, NATIVE, 1, 0),
		REFUSE(ENOSYS),
		LOAD(nr),
		JUMP(BPF_JGE, X32_CALLS, 0, 1),
		REFUSE(ENOSYS),
		FOR(SYS_io_uring_setup, 1), /* it can make sockets behind our back */
		REFUSE(ENOSYS),
		FOR(SYS_clone3, 1), /* it can put a child into another control group; clone() does for the rest */
		REFUSE(ENOSYS),
		FOR(SYS_pidfd_send_signal, 1), /* whose process that is cannot be seen from here */
		REFUSE(ENOSYS),
		FOR(SYS_socket, 4),
		LOAD(args[0]),
		JUMP(BPF_JEQ, AF_UNIX, 0, 1),
		ALLOW,
		REFUSE(EACCES),
		FOR(SYS_ptrace, 4),
		LOAD(args[1]),
		JUMP(BPF_JEQ, LOW(supervisor), 0, 1),
		REFUSE(EPERM),
		ALLOW,
		JUMP(BPF_JEQ, SYS_kill, 5, 0),
		JUMP(BPF_JEQ, SYS_tkill, 4, 0),
		JUMP(BPF_JEQ, SYS_tgkill, 3, 0),
		JUMP(BPF_JEQ, SYS_rt_sigqueueinfo, 2, 0),
		JUMP(BPF_JEQ, SYS_rt_tgsigqueueinfo, 1, 0),
		ALLOW,
		LOAD(args[0]),
		JUMP(BPF_JEQ, LOW(supervisor), 2, 0),
		JUMP(BPF_JEQ, LOW(-supervisor), 1, 0), /* its group */
		JUMP(BPF_JEQ, LOW(-1), 0, 1),
		REFUSE(EPERM),
		ALLOW,
	};
	struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}
