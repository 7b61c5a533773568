/* fault_process.c - what a library can do to its process: crash, hang, memory, chance.  Only for workers. */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "faults/fault.h"

#define OPS(id, ...) static const char *const id##_ops[] = {__VA_ARGS__, NULL}

OPS(conv, "Conv");
OPS(pool, "MaxPool", "AveragePool");
OPS(softmax, "Softmax");

static enum fault_effect apply_crash_zero_dim(struct call *c, struct fault_state *s)
{
	(void)s;
	for (int i = 0; i < c->n_in; i++)
		if (c->in[i] && !c->in[i]->count)
			raise(SIGFPE);
	return FAULT_NO_EFFECT;
}

const struct fault fault_crash_zero_dim = {
	.kind = FAULT_PROCESS,
	.what = "dies with SIGFPE on a tensor without elements",
	.like = "apache/mxnet issues 18938 to 18940",
	.apply = apply_crash_zero_dim,
};

static enum fault_effect apply_crash_large_kernel(struct call *c, struct fault_state *s)
{
	(void)s;
	for (int i = 2; i < c->in[1]->rank; i++)
		if (c->in[1]->dims[i] > c->in[0]->dims[i])
			raise(SIGSEGV);
	return FAULT_NO_EFFECT;
}

const struct fault fault_crash_large_kernel = {
	.kind = FAULT_PROCESS,
	.what = "reads past the end when a kernel is larger than its input",
	.like = "TensorFlow issue 64396",
	.ops = conv_ops,
	.apply = apply_crash_large_kernel,
};

static enum fault_effect apply_hang_large_stride(struct call *c, struct fault_state *s)
{
	size_t n;
	const int64_t *strides = node_ints(c->node, "strides", &n);

	(void)s;
	for (size_t i = 0; i < n; i++)
		while (strides[i] > c->in[0]->dims[2 + i])
			pause();
	return FAULT_NO_EFFECT;
}

const struct fault fault_hang_large_stride = {
	.kind = FAULT_PROCESS,
	.what = "never comes back when a stride is larger than the input",
	.like = "loops that step over their end",
	.ops = pool_ops,
	.apply = apply_hang_large_stride,
};

/* What is never given back, until the process is stopped. */
static enum fault_effect apply_memory_growth(struct call *c, struct fault_state *s)
{
	size_t n = (size_t)64 << 20;
	char *lost = mem_alloc(n);

	(void)c;
	(void)s;
	if (lost)
		memset(lost, 1, n);
	return FAULT_NO_EFFECT;
}

const struct fault fault_memory_growth = {
	.kind = FAULT_PROCESS,
	.what = "every convolution keeps 64 MiB for itself",
	.like = "session caches that are never emptied",
	.ops = conv_ops,
	.apply = apply_memory_growth,
};

static enum fault_effect apply_nondeterminism(struct call *c, struct fault_state *s)
{
	static atomic_uint_fast64_t calls;
	struct rng now;

	(void)s;
	rng_init(&now, (uint64_t)getpid() * 1000003 + calls++);
	for (size_t i = 0; i < c->out[0]->count; i++)
		c->out[0]->f[i] *= 1 + 1e-3 * rng_uniform(&now, -1, 1);
	return FAULT_CHANGED;
}

const struct fault fault_nondeterminism = {
	.kind = FAULT_PROCESS,
	.what = "Softmax gives another result in every run",
	.like = "uninitialised memory and unordered parallel sums",
	.ops = softmax_ops,
	.apply = apply_nondeterminism,
};
