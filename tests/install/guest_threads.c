/* guest_threads.c - a program with threads, all of which use libassay for the first time at once.
 *
 *   guest_threads THREADS MODEL INPUT.npy [MODEL INPUT.npy]...
 *
 * Each thread runs every model on its input in all modes, and backwards.  It begins with another model than its
 * neighbour, and likes its arithmetic in another way.  Then all run on the tensors of the first thread.  One line for
 * each thread: a hash for each model.  Test and bench compare them with those of one thread alone. */
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "assay.h"

#define MAX_THREADS 64
#define MAX_MODELS 8

struct job {
	const char *model, *input;
};

struct thread {
	pthread_t id;
	int index;
	struct assay_tensor *x[MAX_MODELS];
	uint64_t hash[MAX_MODELS];
};

static struct job jobs[MAX_MODELS];
static int n_jobs, n_threads;
static struct thread threads[MAX_THREADS];
static pthread_barrier_t start, loaded, done;

static void die(const char *what, const struct assay_error *e)
{
	fprintf(stderr, "guest_threads: %s: %s\n", what, e->message);
	exit(2);
}

static void mix(uint64_t *h, const void *data, size_t n)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		*h = (*h ^ p[i]) * UINT64_C(0x100000001b3);
}

static void mix_tensor(uint64_t *h, const struct assay_tensor *t)
{
	for (size_t i = 0; i < assay_tensor_count(t); i++) {
		double x = assay_tensor_get(t, i);

		mix(h, &x, sizeof x);
	}
}

/* ---- how a host may like its arithmetic -------------------------------------------------------------------------- */

#define FLUSH 0x8040u /* of MXCSR: subnormal results are 0, subnormal operands as well */

static _Thread_local int traps; /* what is invalid traps: few processors for aarch64 can do that */

static void like(int index)
{
	if (index % 4 == 1)
		fesetround(FE_UPWARD);
	if (index % 4 == 2)
		traps = feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) >= 0;
#if defined(__SSE2__)
	if (index % 4 == 3)
		_mm_setcsr(_mm_getcsr() | FLUSH);
#endif
}

static void check_likes(int index)
{
	struct assay_error e = {0, "the library changed it"};
	int same = fegetround() == (index % 4 == 1 ? FE_UPWARD : FE_TONEAREST) && !fetestexcept(FE_ALL_EXCEPT);

#if defined(__SSE2__)
	same = same && (_mm_getcsr() & FLUSH) == (index % 4 == 3 ? FLUSH : 0);
#endif
	if (!same || (fegetexcept() != 0) != traps)
		die("arithmetic", &e);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Backwards from ones, when the input is of floats: dy/dx of the first output's sum. */
static void go_back(struct assay_reference *r, const struct assay_model *m, struct assay_tensor *x,
		    const struct assay_tensor *y, uint64_t *h)
{
	size_t n = assay_tensor_count(y), n_outputs = assay_model_output_count(m);
	struct assay_tensor *seeds[4] = {NULL}, *grad = NULL;
	const char *wanted = assay_model_input_name(m, 0);
	const struct assay_gradient of = {
		.inputs = &x, .n_inputs = 1, .seeds = seeds, .n_seeds = n_outputs, .wanted = &wanted, .n_wanted = 1};
	double *ones = malloc(n * sizeof *ones);
	struct assay_error e = {0, "too many outputs, or no memory"};

	if (!ones || n_outputs > 4)
		die("gradient", &e);
	for (size_t i = 0; i < n; i++)
		ones[i] = 1;
	if (assay_tensor_new(ASSAY_DOUBLE, assay_tensor_rank(y), assay_tensor_dims(y), ones, n * sizeof *ones, seeds,
			     &e) ||
	    assay_reference_gradient(r, &of, NULL, &grad, &e))
		die("gradient", &e);
	mix_tensor(h, grad);
	assay_tensor_free(grad);
	assay_tensor_free(seeds[0]);
	free(ones);
}

static void run_mode(struct assay_reference *r, struct assay_tensor *x, int mode, struct assay_result **out,
		     uint64_t *h)
{
	const struct assay_run_options o = {.mode = (enum assay_mode)mode, .seed = 7};
	struct assay_error e;

	if (assay_reference_run(r, &x, 1, &o, out, &e))
		die("run", &e);
	for (size_t i = 0; i < assay_result_count(*out); i++) {
		const struct assay_tensor *y = assay_result_tensor(*out, i);
		const float *noise = assay_result_noise(*out, i);

		mix_tensor(h, y);
		if (noise)
			mix(h, noise, assay_tensor_count(y) * sizeof *noise);
	}
}

static uint64_t run_model(const struct job *job, struct assay_tensor *x)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	struct assay_reference *r = NULL;
	struct assay_result *result;
	struct assay_model *m = NULL;
	struct assay_error e;

	if (assay_model_load(job->model, &m, &e) || assay_reference_open(m, &r, &e))
		die(job->model, &e);
	for (int mode = ASSAY_EXACT; mode <= ASSAY_NOISY; mode++) {
		result = NULL;
		run_mode(r, x, mode, &result, &h);
		if (mode == ASSAY_EXACT && assay_tensor_dtype(x) == ASSAY_FLOAT)
			go_back(r, m, x, assay_result_tensor(result, 0), &h);
		assay_result_free(result);
	}
	assay_reference_close(r);
	assay_model_free(m);
	return h;
}

static void *run_thread(void *arg)
{
	struct thread *t = arg;
	struct assay_error e;

	like(t->index);
	pthread_barrier_wait(&start);
	for (int i = 0; i < n_jobs; i++) {
		int k = (t->index + i) % n_jobs;

		if (assay_tensor_load(jobs[k].input, &t->x[k], &e))
			die(jobs[k].input, &e);
		t->hash[k] = run_model(&jobs[k], t->x[k]);
	}
	check_likes(t->index);
	pthread_barrier_wait(&loaded);
	for (int k = 0; k < n_jobs; k++)
		t->hash[k] += 3 * run_model(&jobs[k], threads[0].x[k]);
	pthread_barrier_wait(&done);
	for (int k = 0; k < n_jobs; k++)
		assay_tensor_free(t->x[k]);
	return NULL;
}

int main(int argc, char **argv)
{
	n_threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
	n_jobs = (argc - 2) / 2;
	if (n_threads < 1 || n_threads > MAX_THREADS || argc % 2 || n_jobs < 1 || n_jobs > MAX_MODELS) {
		fprintf(stderr, "usage: guest_threads THREADS MODEL INPUT.npy [MODEL INPUT.npy]...\n");
		return 2;
	}
	for (int i = 0; i < n_jobs; i++)
		jobs[i] = (struct job){argv[2 + 2 * i], argv[3 + 2 * i]};
	pthread_barrier_init(&start, NULL, (unsigned)n_threads);
	pthread_barrier_init(&loaded, NULL, (unsigned)n_threads);
	pthread_barrier_init(&done, NULL, (unsigned)n_threads);
	for (int i = 0; i < n_threads; i++) {
		threads[i].index = i;
		if (pthread_create(&threads[i].id, NULL, run_thread, &threads[i]))
			return 3;
	}
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i].id, NULL);
	for (int i = 0; i < n_threads; i++) {
		for (int k = 0; k < n_jobs; k++)
			printf("%016llx ", (unsigned long long)threads[i].hash[k]);
		printf("\n");
	}
	return 0;
}
