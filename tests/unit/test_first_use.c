/* test_first_use.c - threads that all use the library for the first time at once get the same bits as one alone.
 *
 * What a process finds out once it finds out on first use, so each try is a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "reference/reference.h"
#include "zoo/zoo.h"

#define N_THREADS 8
#define N_PROCESSES 64

struct runner {
	pthread_t thread;
	pthread_barrier_t *start;
	const char *network;
	uint64_t hash; /* of all outputs and their noise; 0: it failed */
};

static uint64_t hash_outputs(const struct ref_result *r)
{
	uint64_t h = HASH_BEGIN;

	for (size_t i = 0; i < r->n; i++) {
		const struct tensor *t = r->outputs[i].value->tensor;

		h = hash_bytes(h, t->f, t->count * sizeof *t->f);
		h = hash_bytes(h, r->outputs[i].noise, t->count * sizeof *r->outputs[i].noise);
	}
	return h;
}

static struct tensor *make_input(const struct wire *w, struct err *e)
{
	struct tensor *t = tensor_new(w->type.dtype, w->type.rank, w->type.dims, e);

	for (size_t i = 0; t && i < t->count; i++)
		t->f[i] = (double)(i * 37 % 101) / 101;
	return t;
}

static uint64_t run_network(const char *network)
{
	struct ref_options noisy = {.mode = REF_NOISY, .seed = 7};
	struct value *inputs[1] = {NULL};
	struct ref_result out = {0};
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct ref *ref = NULL;
	struct tensor *x;
	uint64_t hash = 0;
	int rc = zoo_build(zoo_find(network), 2, 3, NULL, &m, &e);

	x = rc ? NULL : make_input(m->graph->inputs.at[0], &e);
	inputs[0] = x ? value_tensor(x, &e) : NULL;
	if (inputs[0] && !ref_open(m, &ref, &e) && !ref_run(ref, inputs, 1, &noisy, &out, &e))
		hash = hash_outputs(&out);
	else
		fprintf(stderr, "%s: %s\n", network, e.msg);
	ref_result_release(&out);
	ref_close(ref);
	value_unref(inputs[0]);
	model_free(m);
	return hash;
}

static void *run_thread(void *arg)
{
	struct runner *r = arg;

	pthread_barrier_wait(r->start);
	r->hash = run_network(r->network);
	return NULL;
}

/* Two networks, side by side, in a process that has done nothing before; hashes go to the parent. */
static void run_process(const char *const networks[2], unsigned n, int fd)
{
	struct runner runners[N_THREADS] = {{.hash = 0}};
	pthread_barrier_t start;
	uint64_t hashes[N_THREADS];

	pthread_barrier_init(&start, NULL, n);
	for (unsigned i = 0; i < n; i++) {
		runners[i].start = &start;
		runners[i].network = networks[i % 2];
		if (pthread_create(&runners[i].thread, NULL, run_thread, &runners[i]))
			_exit(3);
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(runners[i].thread, NULL);
		hashes[i] = runners[i].hash;
	}
	_exit(write(fd, hashes, n * sizeof *hashes) == (ssize_t)(n * sizeof *hashes) ? 0 : 2);
}

static void start_process(const char *const networks[2], unsigned n, uint64_t *hashes)
{
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		run_process(networks, n, fds[1]);
	close(fds[1]);
	assert_int_equal(read(fds[0], hashes, n * sizeof *hashes), n * sizeof *hashes);
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
}

static void first_uses_at_once_give_the_same_bits(void **state)
{
	static const char *const networks[2] = {"lenet5", "transformer"}, *const swapped[2] = {"transformer", "lenet5"};
	uint64_t alone[2], hashes[N_THREADS];

	(void)state;
	start_process(networks, 1, &alone[0]);
	start_process(swapped, 1, &alone[1]);
	for (int i = 0; i < N_PROCESSES; i++) {
		start_process(networks, N_THREADS, hashes);
		for (int k = 0; k < N_THREADS; k++) {
			assert_true(hashes[k] != 0);
			assert_true(hashes[k] == alone[k % 2]);
		}
	}
}

/* The library leaves its host's environment alone. */
static void environment_stays(void **state)
{
	extern char **environ;
	char **before = environ;
	size_t n = 0;

	(void)state;
	while (environ[n])
		n++;
	assert_true(run_network("lenet5") != 0);
	assert_ptr_equal(environ, before);
	for (size_t i = 0; i < n; i++)
		assert_non_null(environ[i]);
	assert_null(environ[n]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_uses_at_once_give_the_same_bits),
		cmocka_unit_test(environment_stays), /* last: it uses the library in this process */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
