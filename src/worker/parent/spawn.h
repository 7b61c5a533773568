/* spawn.h - one worker process: started apart from us, watched, and ended without leaving anything behind.
 *
 * The process is a session of its own under a supervisor (supervision.h), which sees to it that nothing it starts is
 * left when it is ended, or when we are.  It writes no core files, reaches no network, and works in a temporary folder
 * that is removed with it (folder.h; HOME and TMPDIR are there too).  What it prints goes to a file without a name and
 * of fixed size, which is rewound before each request: a flood fills it and then fails to write, and what is in it
 * belongs to the request at hand. */
#ifndef WORKER_PARENT_SPAWN_H
#define WORKER_PARENT_SPAWN_H

#include <sys/types.h>

#include "base/err.h"
#include "worker/backend.h"
#include "worker/parent/folder.h"
#include "worker/parent/supervision.h"
#include "worker/shm.h"

struct process {
	pid_t pid;   /* 0: none */
	int socket;  /* our end */
	int control; /* on which it is told to fork */
	int printed; /* what it prints */
	struct shm shm;
	struct folder folder;            /* its temporary one */
	struct supervision *supervision; /* shared with the process that it was forked from */
};

#define PROCESS_INIT                                       \
	{                                                  \
		0, -1, -1, -1, SHM_INIT, FOLDER_INIT, NULL \
	}

struct process_order {
	const char *program;                  /* looked up in PATH when it has no slash */
	char *const *args, *const *env;       /* lists that end with NULL, and may be NULL themselves */
	const struct backend_option *options; /* of HELLO: */
	size_t n_options;                     /* it may write to the folders, and beside the files, that these name */
	size_t memory;                        /* that it may take, for the kernel to know where it can be told */
};

/* Starts a program in an environment that has `env`, and of ours what environment.h lets through. */
int process_start(struct process *p, const struct process_order *o, struct err *e);

/* Another process like `from`, made by that one: see docs/protocol.md. */
int process_fork(const struct process *from, struct process *p, struct err *e);

/* 1 when the process ended by itself, with its wait status; then only process_end() is left to be called. */
int process_ended(const struct process *p, int *status);

/* Waits for it to end by itself, at most so long; as process_ended(). */
int process_wait(const struct process *p, double seconds, int *status);

/* Kills what still runs of it and all that it started, removes its folder.  Fine for one that was never started. */
void process_end(struct process *p);

/* Of one that died by SIGKILL: was that the kernel, for want of memory?  Asked once. */
int process_ran_out(const struct process *p);

/* Does it, with all that it started, take more memory or disk than that? */
int process_takes_memory(const struct process *p, size_t limit);
int process_takes_disk(const struct process *p, size_t limit);

/* Seconds since its start in which it wanted a processor and got none. */
double process_held_up(const struct process *p);

/* Forgets what was printed; the last of what was printed since, NUL-terminated. */
void process_rewind_output(const struct process *p);
void process_output_tail(const struct process *p, char *out, size_t size);

#endif
