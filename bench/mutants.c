/* mutants.c - models changed by chance that mostly are models still, for bench/attack.
 *
 *     build/bench_mutants FOLDER COUNT SEED [MODEL…]
 *
 * Writes COUNT models into FOLDER, 0.onnx and on, and how often each change was made to standard output.  Each is made
 * of a line of data/cases, of a graph as `assay fuzz` makes them, of an operator on sequences or with graphs inside, of
 * a small network of the zoo or of one of the models given, and has one to three changes (bench/support/change.h). What
 * numbers of inputs decide on is written into the models, as whoever runs them makes up the inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "methods/fuzz/fuzz.h"
#include "model/case_file.h"
#include "support/bench.h"
#include "support/change.h"
#include "support/containers.h"
#include "zoo/zoo.h"

#define MAX_FILE ((size_t)16 << 20)
#define MAX_WEIGHTS 20000 /* of a network */
#define MAX_CHANGES 3
#define BLOCKS "data/blocks-large.yaml"

static const int sizes[] = {1, 3, 8}; /* blocks of graphs */

#define SIZES (sizeof sizes / sizeof *sizes)

struct seeds {
	struct case_lines lines;
	struct corpus corpus;
	struct fuzzer *fuzzers[SIZES];
	VEC(struct model *) networks; /* of the zoo, and those given */
};

/* ---- models to change -------------------------------------------------------------------------------------------- */

static size_t weights_of(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->graph->wires.n; i++)
		n += m->graph->wires.at[i]->init ? m->graph->wires.at[i]->init->count : 0;
	return n;
}

static uint32_t types_of(struct fuzz_op *op, void *arg)
{
	return fuzz_op_types(op, *(int *)arg);
}

static void seeds_open(struct seeds *s, uint64_t seed, char **files, int n_files)
{
	struct err e = ERR_INIT;
	int opset = OP_NEWEST_OPSET;
	struct model *m;

	bench_must(case_lines_read("data/cases", &s->lines, &e), &e);
	bench_must(corpus_load(BLOCKS, 1, &s->corpus, &e), &e);
	bench_must(corpus_filter(&s->corpus, types_of, &opset, &e), &e);
	for (size_t i = 0; i < SIZES; i++) {
		const struct fuzz_options o = {.seed = seed + i, .blocks = sizes[i], .opset = opset, .special = i == 1};

		bench_must(fuzzer_new(&s->corpus, &o, &s->fuzzers[i], &e), &e);
	}
	for (const struct zoo_row *row = zoo_rows; row->name; row++) {
		bench_must(zoo_build(row, 1, seed, NULL, &m, &e), &e);
		if (weights_of(m) <= MAX_WEIGHTS)
			bench_must(vec_push(&s->networks, m), &e);
		else
			model_free(m);
	}
	for (int i = 0; i < n_files; i++) {
		bench_must(model_load(files[i], &m, &e), &e);
		bench_must(vec_push(&s->networks, m), &e);
	}
}

static void seeds_close(struct seeds *s)
{
	for (size_t i = 0; i < s->networks.n; i++)
		model_free(s->networks.at[i]);
	vec_release(&s->networks);
	for (size_t i = 0; i < SIZES; i++)
		fuzzer_free(s->fuzzers[i]);
	corpus_release(&s->corpus);
	case_lines_release(&s->lines);
}

/* Inputs that are no floats become constants. */
static int fix_inputs(struct model *m, struct value *const *inputs, struct err *e)
{
	for (size_t i = m->graph->inputs.n; i-- > 0;) {
		struct wire *w = m->graph->inputs.at[i];
		struct tensor *t = inputs[i] ? inputs[i]->tensor : NULL, *packed;

		if (!t || dtype_is_float(t->dtype))
			continue;
		packed = tensor_pack(t, e);
		if (!packed || graph_set_init(w, packed, e))
			return e->code;
	}
	return 0;
}

/* An operator that lines cannot say, in the version of the nodes around it. */
static struct model *draw_container(struct rng *r)
{
	for (;;) {
		const struct op_row *row = &op_rows[rng_below(r, op_row_count)];
		struct container_case c;
		struct model *m;

		if (!container_wanted(row->op) ||
		    !container_make(row, ops_version(row, CONTAINER_OPSET), rng_below(r, 24), &c))
			continue;
		for (size_t i = 0; i < c.model->graph->nodes.n; i++)
			c.model->graph->nodes.at[i]->opset = CONTAINER_OPSET;
		m = c.model;
		c.model = NULL;
		container_release(&c);
		return m;
	}
}

/* Each a copy of its own, with types inferred as far as they can be. */
static struct model *draw_seed(struct seeds *s, struct rng *r)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	uint64_t kind = rng_below(r, 10);

	if (kind < 4) {
		struct op_case c = {0};

		bench_must(case_parse(s->lines.all.at[rng_below(r, s->lines.all.n)].text, rng_u64(r), &c, &e), &e);
		bench_must(fix_inputs(c.model, c.inputs, &e), &e);
		bench_must(model_copy(c.model, &m, &e), &e);
		case_release(&c);
	} else if (kind < 8) {
		struct fuzz_case c = {0};

		bench_must(fuzzer_next(s->fuzzers[rng_below(r, SIZES)], &c, &e), &e);
		bench_must(fix_inputs(c.model, c.inputs, &e), &e);
		bench_must(model_copy(c.model, &m, &e), &e);
		fuzz_case_release(&c);
	} else if (kind < 9) {
		m = draw_container(r);
	} else {
		bench_must(model_copy(s->networks.at[rng_below(r, s->networks.n)], &m, &e), &e);
	}
	if (ops_bind(m, &e) || ops_infer(m, &e))
		err_clear(&e);
	return m;
}

/* ---- mutants ----------------------------------------------------------------------------------------------------- */

static void count(const char *name, size_t *made)
{
	size_t k = 0;

	for (const struct change *c = change_values; c->name; c++, k++)
		made[k] += !strcmp(c->name, name);
	for (const struct change *c = change_edges; c->name; c++, k++)
		made[k] += !strcmp(c->name, name);
}

/* Whether inference, which sees it as a file would have it, finds nothing wrong. */
static int is_accepted(struct model *m)
{
	struct err e = ERR_INIT;

	change_forget_types(m);
	return !ops_bind(m, &e) && !ops_infer(m, &e);
}

/* One more change.  Of those that inference refuses every second is taken back: what runs can go wrong in more ways. */
static struct model *change(struct model *m, struct rng *r, size_t *made)
{
	for (;;) {
		struct err e = ERR_INIT;
		struct model *next;
		const char *name;

		bench_must(model_copy(m, &next, &e), &e);
		name = change_once(next, r);
		if (is_accepted(next) || !name || rng_below(r, 2)) {
			count(name ? name : "", made);
			model_free(m);
			return next;
		}
		model_free(next);
	}
}

/* 0: it cannot be written. */
static int write_mutant(struct seeds *s, struct rng *r, const char *path, size_t *made)
{
	struct model *m = draw_seed(s, r);
	struct err e = ERR_INIT;
	struct buf b;
	int rc;

	for (int i = 0; i < MAX_CHANGES && (!i || rng_below(r, 5) < 2); i++)
		m = change(m, r, made);
	change_forget_types(m);
	buf_init(&b, MAX_FILE);
	rc = model_serialize(m, &b, &e);
	if (!rc)
		bench_must(buf_write_file(b.data, b.len, path, &e), &e);
	buf_release(&b);
	model_free(m);
	return !rc;
}

int main(int argc, char **argv)
{
	struct seeds s = {0};
	size_t made[64] = {0}, k = 0;
	struct rng r;
	long n;

	if (argc < 4) {
		fprintf(stderr, "usage: bench_mutants FOLDER COUNT SEED [MODEL...]\n");
		return 2;
	}
	n = strtol(argv[2], NULL, 10);
	rng_init(&r, strtoull(argv[3], NULL, 10));
	seeds_open(&s, r.seed, argv + 4, argc - 4);
	for (long i = 0; i < n;) {
		char path[4096];

		snprintf(path, sizeof path, "%s/%ld.onnx", argv[1], i);
		i += write_mutant(&s, &r, path, made);
	}
	seeds_close(&s);
	for (const struct change *c = change_values; c->name; c++, k++)
		printf("%s %zu\n", c->name, made[k]);
	for (const struct change *c = change_edges; c->name; c++, k++)
		printf("%s %zu\n", c->name, made[k]);
	return 0;
}
