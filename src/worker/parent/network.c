/* network.c - see network.h: a filter on system calls, which needs no privileges and cannot be taken off again. */
#include "worker/parent/network.h"

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

int network_cut(void)
{
	struct sock_filter rules[] = {
		/* Other interfaces of the kernel number their calls otherwise: none of them. */
		LOAD(arch),
		JUMP(BPF_JEQ, NATIVE, 1, 0),
		REFUSE(ENOSYS),
		LOAD(nr),
		JUMP(BPF_JGE, X32_CALLS, 1, 0),
		JUMP(BPF_JEQ, SYS_io_uring_setup, 0, 1), /* it can make sockets behind our back */
		REFUSE(ENOSYS),
		JUMP(BPF_JEQ, SYS_socket, 1, 0),
		RETURN(SECCOMP_RET_ALLOW),
		LOAD(args[0]), /* the low half, little endian: the address family */
		JUMP(BPF_JEQ, AF_UNIX, 0, 1),
		RETURN(SECCOMP_RET_ALLOW),
		REFUSE(EACCES),
	};
	struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}
