/* bench.c - see bench.h. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/stats.h"

int bench_missed;

_Noreturn void bench_die(const struct err *e)
{
	fprintf(stderr, "bench: %s\n", e->msg);
	exit(2);
}

void bench_must(int rc, const struct err *e)
{
	if (rc)
		bench_die(e);
}

static const struct bench_option *option_find(const struct bench_option *rows, const char *name)
{
	while (rows->name && strcmp(rows->name, name) != 0)
		rows++;
	return rows;
}

void bench_options(int argc, char **argv, const struct bench_option *rows, const char *usage)
{
	for (int i = 1; i < argc; i++) {
		const struct bench_option *o = option_find(rows, argv[i]);

		if (!o->name || (!o->flag && i + 1 == argc)) {
			fprintf(stderr, "usage: %s %s\n", argv[0], usage);
			exit(2);
		}
		if (o->flag)
			*o->flag = 1;
		else if (o->number)
			*o->number = (int)strtol(argv[++i], NULL, 10);
		else
			*o->text = argv[++i];
	}
}

static void print(const char *what, double value, const char *unit, double bar, int ok)
{
	printf("%-44s %10.3f %-3s  bar %8.3f  %s\n", what, value, unit, bar, ok ? "ok" : "MISSED");
	fflush(stdout); /* a long bench may be stopped before its end */
	bench_missed |= !ok;
}

void bench_at_most(const char *what, double value, const char *unit, double bar)
{
	print(what, value, unit, bar, value <= bar);
}

void bench_at_least(const char *what, double value, const char *unit, double bar)
{
	print(what, value, unit, bar, value >= bar);
}

static struct wire *add(struct graph *g, const char *op, struct wire *const *in, int n, const char *out,
			struct node **node)
{
	struct err e = ERR_INIT;

	if (graph_append_node(g, op, in, n, out, node, &e))
		bench_die(&e);
	return (*node)->out[0];
}

static struct wire *weights(struct graph *g, const char *name, int rank, const int64_t *dims, struct rng *rng)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_FLOAT, rank, dims, &e), *packed;
	struct wire *w;

	if (!t || tensor_fill_random(t, rng, 0.1, 0.5, &e) || !(packed = tensor_pack(t, &e)) ||
	    graph_add_init(g, name, packed, &w, &e))
		bench_die(&e);
	tensor_unref(t);
	return w;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double bench_median(double *at, size_t n)
{
	qsort(at, n, sizeof *at, by_size);
	return at[n / 2];
}

/* Conv BN Relu MaxPool Conv Sigmoid Add GlobalAveragePool Flatten Gemm on 1x3x32x32 */
struct model *bench_make_ten(void)
{
	struct err e = ERR_INIT;
	struct model *m;
	struct type t = TYPE_INIT;
	struct rng rng;
	struct node *n;
	struct wire *x, *y, *z;

	rng_init(&rng, 1);
	if (model_new(13, &m, &e))
		bench_die(&e);
	struct graph *g = m->graph;
	type_set(&t, DT_FLOAT, 4, (int64_t[]){1, 3, 32, 32});
	if (graph_add_input(g, "x", &t, &x, &e))
		bench_die(&e);
	y = add(g, "Conv", (struct wire *[]){x, weights(g, "w1", 4, (int64_t[]){8, 3, 3, 3}, &rng)}, 2, "conv1", &n);
	if (node_set_ints(n, "pads", (int64_t[]){1, 1, 1, 1}, 4, &e))
		bench_die(&e);
	y = add(g, "BatchNormalization",
		(struct wire *[]){y, weights(g, "s", 1, (int64_t[]){8}, &rng), weights(g, "b", 1, (int64_t[]){8}, &rng),
				  weights(g, "m", 1, (int64_t[]){8}, &rng), weights(g, "v", 1, (int64_t[]){8}, &rng)},
		5, "bn", &n);
	y = add(g, "Relu", &y, 1, "relu", &n);
	y = add(g, "MaxPool", &y, 1, "pool", &n);
	if (node_set_ints(n, "kernel_shape", (int64_t[]){2, 2}, 2, &e) ||
	    node_set_ints(n, "strides", (int64_t[]){2, 2}, 2, &e))
		bench_die(&e);
	z = add(g, "Conv", (struct wire *[]){y, weights(g, "w2", 4, (int64_t[]){8, 8, 3, 3}, &rng)}, 2, "conv2", &n);
	if (node_set_ints(n, "pads", (int64_t[]){1, 1, 1, 1}, 4, &e))
		bench_die(&e);
	z = add(g, "Sigmoid", &z, 1, "sigmoid", &n);
	y = add(g, "Add", (struct wire *[]){y, z}, 2, "add", &n);
	y = add(g, "GlobalAveragePool", &y, 1, "gap", &n);
	y = add(g, "Flatten", &y, 1, "flat", &n);
	y = add(g, "Gemm", (struct wire *[]){y, weights(g, "w3", 2, (int64_t[]){8, 10}, &rng)}, 2, "y", &n);
	if (graph_add_output(g, y, &e))
		bench_die(&e);
	return m;
}

struct tensor *bench_random_input(const struct wire *w)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_FLOAT, w->type.rank, w->type.dims, &e), *packed;
	struct rng rng;

	rng_init(&rng, 2);
	if (!t || tensor_fill_random(t, &rng, -1, 1, &e) || !(packed = tensor_pack(t, &e)))
		bench_die(&e);
	tensor_unref(t);
	return packed;
}
