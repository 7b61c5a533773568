/* fault_worker.c - a worker that misbehaves on command, for test_worker and bench/worker_faults.c.
 *
 *   fault_worker       a backend behind the real loop; INVOKE of an operation of faults[] below does what its name says
 *   fault_worker raw   speaks the protocol by hand; INVOKE of an operation of lies[] in fault_lies.c answers with
 *                      that lie
 *
 * RUN gives the first input back under whatever name is asked for.  With the option run=FAULT it does that fault first;
 * run=flaky gives NaN every other time, run=first the first time, run=poison unless allocations are filled with a
 * pattern; run=unset another large number each time.  Models are bytes that end in 'm'; with the option model=any they
 * are all there is.  One that begins with 'p' is told of on the standard error.  With unload=die a process dies of
 * UNLOAD. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "support/fault_worker.h"
#include "worker/backend.h"

/* ---- faults ------------------------------------------------------------------------------------------------------ */

void fault_put(int fd, const void *p, size_t n)
{
	const char *at = p;

	while (n) {
		ssize_t done = write(fd, at, n);

		if (done <= 0)
			return;
		at += done;
		n -= (size_t)done;
	}
}

static _Noreturn void wait_for_ever(void)
{
	for (;;)
		pause();
}

static void die_by(int sig)
{
	signal(sig, SIG_DFL); /* sanitizers have their own ideas */
	raise(sig);
}

static int do_segfault(struct err *e)
{
	(void)e;
	die_by(SIGSEGV);
	return 0;
}

static int do_abort(struct err *e)
{
	(void)e;
	fprintf(stderr, "about to abort\n");
	die_by(SIGABRT);
	return 0;
}

static int do_exit(struct err *e)
{
	(void)e;
	_exit(3);
}

static int do_hang(struct err *e)
{
	(void)e;
	wait_for_ever();
}

static int do_late(struct err *e)
{
	(void)e;
	sleep(3);
	return 0;
}

static int do_flood(struct err *e)
{
	char line[4096];

	(void)e;
	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\n';
	for (int i = 0; i < 4096; i++)
		fault_put(STDERR_FILENO, line, sizeof line);
	return 0;
}

static int do_flood_and_abort(struct err *e)
{
	do_flood(e);
	return do_abort(e);
}

static int do_garbage(struct err *e)
{
	(void)e;
	for (int i = 0; i < 64; i++)
		fault_put(SOCKET, "garbage.", 8);
	wait_for_ever();
}

static int do_half(struct err *e)
{
	const unsigned char head[] = {0, 4, 0, 0, 8, 1, 16};

	(void)e;
	fault_put(SOCKET, head, sizeof head);
	die_by(SIGKILL);
	return 0;
}

static int do_close(struct err *e)
{
	(void)e;
	close(SOCKET);
	wait_for_ever();
}

static int do_allocate(struct err *e)
{
	const size_t n = (size_t)8 << 20;
	char *p;

	while ((p = mem_alloc(n)))
		memset(p, 1, n);
	return err_nomem(e, "more", n);
}

/* Dies while a child of its own still holds the socket. */
static int do_orphan(struct err *e)
{
	(void)e;
	if (!fork())
		wait_for_ever();
	_exit(5);
}

static int do_litter(struct err *e)
{
	int fd;

	(void)e;
	mkdir("a", 0700);
	mkdir("a/b", 0700);
	fd = open("a/b/file", O_CREAT | O_WRONLY, 0600);
	if (fd >= 0)
		close(fd);
	if (symlink("/", "a/link"))
		return ERR_IO;
	return 0;
}

static int do_connect(struct err *e)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd >= 0)
		return 0;
	return err_set(e, ERR_INPUT, "socket: %s", strerror(errno));
}

static int do_unix_socket(struct err *e)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0)
		return err_set(e, ERR_INPUT, "socket: %s", strerror(errno));
	close(fd);
	return 0;
}

static int do_descriptors(struct err *e)
{
	for (int fd = MEMORY + 1; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return err_set(e, ERR_INPUT, "descriptor %d is open", fd);
	return 0;
}

static int do_unsupported(struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED, "not here");
}

static int do_rejected(struct err *e)
{
	return err_set(e, ERR_INPUT, "not this one");
}

static int do_memory(struct err *e)
{
	return err_set(e, ERR_MEMORY, "the library has no memory");
}

static int do_failed(struct err *e)
{
	return err_set(e, ERR_IO, "it failed");
}

static int do_mistake(struct err *e)
{
	return err_set(e, ERR_INTERNAL, "no handle was made");
}

static int do_limit(struct err *e)
{
	return err_set(e, ERR_LIMIT, "a tensor of rank 99");
}

static int do_nothing(struct err *e)
{
	(void)e;
	return 0;
}

static const struct {
	const char *name;
	int (*act)(struct err *e);
} faults[] = {
	{"ok", do_nothing},
	{"segfault", do_segfault},
	{"abort", do_abort},
	{"exit", do_exit},
	{"hang", do_hang},
	{"late", do_late},
	{"flood", do_flood},
	{"flood-abort", do_flood_and_abort},
	{"garbage", do_garbage},
	{"half", do_half},
	{"close", do_close},
	{"allocate", do_allocate},
	{"memory-children", fault_memory_of_children},
	{"memory-unnamed", fault_memory_without_name},
	{"memory-many", fault_memory_of_many},
	{"shared-once", fault_shared_once},
	{"fill-folder", fault_fill_folder},
	{"fill-removed", fault_fill_removed},
	{"write-around", fault_write_around},
	{"environment", fault_look_at_environment},
	{"orphan", do_orphan},
	{"children", fault_start_children},
	{"brood", fault_start_brood},
	{"leave-group", fault_leave_group},
	{"signals", fault_signal_others},
	{"litter", do_litter},
	{"connect", do_connect},
	{"unix", do_unix_socket},
	{"descriptors", do_descriptors},
	{"unsupported", do_unsupported},
	{"rejected", do_rejected},
	{"memory", do_memory},
	{"failed", do_failed},
	{"mistake", do_mistake},
	{"limit", do_limit},
};

/* ---- the backend ------------------------------------------------------------------------------------------------- */

/* What RUN does besides. */
static const char *run_option = "";
static int runs;

static int fault_open(const char *folder, const struct backend_options *o, void **ctx, const char **version,
		      struct err *e)
{
	const char *start = backend_option(o, "start", "");

	if (!strcmp(start, "abort"))
		return do_abort(e);
	if (!strcmp(start, "hang"))
		return do_hang(e);
	if (!strcmp(start, "refuse"))
		return err_set(e, ERR_INPUT, "no library in '%s'", folder);
	run_option = mem_strdup(backend_option(o, "run", ""));
	*ctx = NULL;
	*version = getenv("ASSAY_TEST_VERSION") ? getenv("ASSAY_TEST_VERSION") : "1.2.3";
	return run_option ? 0 : err_nomem(e, "an option", 0);
}

static int fault_load(void *ctx, const struct backend_model *m, void **session, struct err *e)
{
	int any = !strcmp(backend_option(&m->options, "model", ""), "any");

	(void)ctx;
	if (m->n && *(const char *)m->bytes == 'p')
		fprintf(stderr, "a model\n");
	*session = mem_zalloc(1);
	if (*session)
		*(char *)*session = !strcmp(backend_option(&m->options, "unload", ""), "die");
	return *session && m->n && (any || ((const char *)m->bytes)[m->n - 1] == 'm')
		       ? 0
		       : err_set(e, ERR_INPUT, "no model");
}

static void fault_unload(void *ctx, void *session)
{
	(void)ctx;
	if (*(char *)session)
		raise(SIGKILL);
	mem_free(session);
}

static size_t fault_outputs(void *session, const char *const **names)
{
	static const char *const all[] = {"y"};

	(void)session;
	*names = all;
	return 1;
}

static int act_on(const char *name, struct err *e)
{
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (!strcmp(faults[i].name, name))
			return faults[i].act(e);
	return 0;
}

/* The number of the run, and 1. */
static struct value *number_of_run(struct err *e)
{
	const int64_t two = 2;
	struct tensor *made = tensor_zeros(DT_FLOAT, 1, &two, e), *packed = NULL;

	if (made) {
		made->f[0] = runs;
		made->f[1] = 1;
		packed = tensor_pack(made, e);
	}
	tensor_unref(made);
	return packed ? value_tensor(packed, e) : NULL;
}

/* The first input, or, when it is time to be wrong, NaN or other numbers in its shape. */
static struct value *answer_with(struct value *x, struct err *e)
{
	int unset = !strcmp(run_option, "unset");
	int wrong = unset || (!strcmp(run_option, "flaky") && runs % 2) || (!strcmp(run_option, "first") && !runs) ||
		    (!strcmp(run_option, "spoilt") && runs) ||
		    (!strcmp(run_option, "poison") && !getenv("MALLOC_PERTURB_"));
	struct tensor *made = wrong ? tensor_zeros(x->tensor->dtype, x->tensor->rank, x->tensor->dims, e) : NULL;
	struct tensor *packed;

	for (size_t i = 0; made && i < made->count; i++)
		made->f[i] = unset ? 1e6 * (double)(runs + 1) + (double)getpid() : (double)NAN;
	packed = made ? tensor_pack(made, e) : NULL;
	tensor_unref(made);
	return wrong ? packed ? value_tensor(packed, e) : NULL : value_ref(x);
}

static int fault_run(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e)
{
	int drifts = !strcmp(run_option, "nan-drifts");
	int rc = q->in.n || drifts ? act_on(run_option, e) : err_set(e, ERR_INPUT, "no input");

	(void)ctx;
	(void)session;
	for (size_t i = 0; i < q->wanted.n && !rc; i++)
		if (!(out[i] = drifts ? number_of_run(e) : answer_with(q->in.at[0].value, e)))
			return ERR_MEMORY;
	runs++;
	return rc;
}

static int fault_backward(void *ctx, void *session, const struct backend_gradient *q, struct tensor **grads,
			  struct err *e)
{
	(void)ctx;
	(void)session;
	if (!q->seeds.n)
		return err_set(e, ERR_INPUT, "no seed");
	for (size_t i = 0; i < q->wanted.n; i++)
		grads[i] = tensor_ref(q->seeds.at[0].value->tensor);
	return 0;
}

/* Outputs are the tensors among the arguments, and one number: a sum over all others, so that a test sees each. */
static int echo(const struct backend_argument *args, size_t n, struct value **out, size_t *n_out, struct err *e)
{
	struct tensor *sum;
	double total = 0;

	for (size_t i = 0; i < n; i++) {
		const struct backend_argument *a = &args[i];

		if (a->kind == ARG_TENSOR)
			out[(*n_out)++] = value_ref(a->tensor);
		total += a->kind == ARG_INT || a->kind == ARG_BOOL || a->kind == ARG_DTYPE ? (double)a->i : a->f;
		for (size_t k = 0; k < a->n; k++)
			total += a->kind == ARG_INTS      ? (double)a->ints[k]
				 : a->kind == ARG_FLOATS  ? a->floats[k]
				 : a->kind == ARG_STRINGS ? (double)strlen(a->strings[k])
							  : tensor_get(a->tensors[k]->tensor, 0);
		if (a->kind == ARG_STRING)
			total += (double)strlen(a->s);
		if (a->kind == ARG_STRINGS && !a->n)
			total += 1000; /* not the same as nothing */
	}
	sum = tensor_scalar_f(DT_DOUBLE, total, e);
	out[*n_out] = sum ? value_tensor(sum, e) : NULL;
	*n_out += 1;
	return sum ? 0 : ERR_MEMORY;
}

static int fault_invoke(void *ctx, const struct backend_call *c, struct backend_answer *out, struct err *e)
{
	size_t i = 0, count = sizeof faults / sizeof *faults;
	int rc;

	(void)ctx;
	while (i < count && strcmp(faults[i].name, c->operation) != 0)
		i++;
	if (i == count)
		return err_set(e, ERR_UNSUPPORTED, "no fault '%s'", c->operation);
	rc = faults[i].act(e);
	if (rc)
		return rc;
	out->out = mem_array(c->n_args + 1, sizeof(struct value *));
	out->grads = mem_array(1, sizeof(struct tensor *));
	return echo(c->args, c->n_args, out->out, &out->n_out, e);
}

#define LONG_NAME 200000 /* above what a message begins with */

static int fault_list(void *ctx, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
		      struct err *e)
{
	size_t count = sizeof faults / sizeof *faults;
	int is_long = !strcmp(prefix, "long-name");

	(void)ctx;
	(void)e;
	if (is_long)
		prefix = "ok";
	*out = arena_array(arena, count, sizeof **out);
	*n = 0;
	for (size_t i = 0; i < count; i++)
		if (!strncmp(faults[i].name, prefix, strlen(prefix))) {
			struct backend_operation *op = &(*out)[(*n)++];

			op->name = is_long ? arena_printf(arena, "%0*d", LONG_NAME, 0)
					   : arena_strdup(arena, faults[i].name);
			op->parameters = arena_array(arena, 1, sizeof *op->parameters);
			op->n_parameters = 1;
			op->n_outputs = 2;
			op->parameters[0].name = "x";
			op->parameters[0].type = "tensor";
			op->parameters[0].is_input = 1;
		}
	return 0;
}

static const char *const *fault_operators(void *ctx)
{
	static const char *const names[] = {"Identity", NULL};

	(void)ctx;
	return names;
}

static const struct backend backend_fault = {
	.api = BACKEND_API,
	.name = "fault",
	.library = "faulty",
	.open = fault_open,
	.load = fault_load,
	.unload = fault_unload,
	.outputs = fault_outputs,
	.run = fault_run,
	.backward = fault_backward,
	.invoke = fault_invoke,
	.list = fault_list,
	.operators = fault_operators,
};

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "raw"))
		return fault_serve_lies();
	return worker_serve(&backend_fault);
}
