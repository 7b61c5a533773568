/* fuzz_speed.c - how fast assay fuzz is beside ONNX Runtime alone, on the same cases.
 *
 *     build/bench_fuzz_speed [blocks [models]]       (default: 4 blocks, some ten nodes a model; 2000 models)
 *
 *   make       a model with its inputs: at most 100 microseconds of this process
 *   alone      ONNX Runtime in this process loads, runs and forgets each model: nothing is judged, and neither making
 *              models nor opening the library counts
 *   campaign   as `assay fuzz --no-store` does it, with all of that, the reference and the judge: at least 450 a
 *              second, and 80 % of alone.  The library has a process of its own, so it takes two free processors
 *   large      400 models of 15 blocks, which took the paper 4.5 hours: at most 30 seconds
 *
 * bench/fuzz-peer runs this beside another fuzzer. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "backends/ort/ort.h"
#include "base/clock.h"
#include "base/mem.h"
#include "methods/fuzz/campaign.h"
#include "support/bench.h"
#include "worker/parent/spec.h"

#define SEED 1

struct speed {
	struct corpus corpus;
	struct worker_spec spec;
	struct ort *ort;
	int blocks, models;
	double make, alone, campaign; /* seconds */
	size_t nodes;
};

/* With the shards that a campaign has: its cases. */
static struct fuzz_options options_of(int blocks)
{
	return (struct fuzz_options){.seed = SEED, .blocks = blocks, .shards = FUZZ_SHARDS};
}

/* Of this thread: what others do meanwhile does not count. */
static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Loads, runs, closes. */
static double run_alone(struct ort *ort, const struct fuzz_case *c, const struct buf *bytes, struct err *e)
{
	const struct graph *g = c->model->graph;
	struct named_value *in = mem_array(g->inputs.n + 1, sizeof *in);
	const char **out = mem_array(g->outputs.n + 1, sizeof *out);
	struct backend_run run = {{in, 0}, {out, g->outputs.n}};
	struct value **values = mem_array(g->outputs.n + 1, sizeof *values);
	struct ort_session *s = NULL;
	double start;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (c->inputs[i]) /* else it has its default */
			in[run.in.n++] = (struct named_value){g->inputs.at[i]->name, c->inputs[i]};
	for (size_t i = 0; i < g->outputs.n; i++)
		out[i] = g->outputs.at[i]->name;
	start = clock_now();
	if (!ort_session_open(ort, &(struct backend_model){.bytes = bytes->data, .n = bytes->len},
			      &(struct ort_session_options){.level = 99, .threads = 1}, &s, e)) {
		if (!ort_session_run(s, &run, values, e))
			for (size_t i = 0; i < g->outputs.n; i++)
				value_unref(values[i]);
		ort_session_close(s);
	}
	start = clock_now() - start;
	err_clear(e);
	mem_free(in);
	mem_free(out);
	mem_free(values);
	return start;
}

/* In a loop of its own, as in a campaign, where libraries run in other processes: what ONNX Runtime has freed in this
 * one would be tidied up by our next allocation, a quarter of the figure. */
static void measure_make(struct speed *s)
{
	struct fuzz_options o = options_of(s->blocks);
	struct fuzzer *f;
	struct err e = ERR_INIT;

	if (fuzzer_new(&s->corpus, &o, &f, &e))
		bench_die(&e);
	for (int i = 0; i < s->models; i++) {
		struct fuzz_case c = {0};
		double start = cpu_now();

		if (fuzzer_next(f, &c, &e))
			bench_die(&e);
		s->make += cpu_now() - start;
		s->nodes += c.model->graph->nodes.n;
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
}

static void measure_alone(struct speed *s)
{
	struct fuzz_options o = options_of(s->blocks);
	struct fuzzer *f;
	struct err e = ERR_INIT;

	if (fuzzer_new(&s->corpus, &o, &f, &e))
		bench_die(&e);
	for (int i = 0; i < s->models; i++) {
		struct fuzz_case c = {0};
		struct buf bytes;

		if (fuzzer_next(f, &c, &e))
			bench_die(&e);
		buf_init(&bytes, MODEL_MAX_FILE);
		if (model_serialize(c.model, &bytes, &e))
			bench_die(&e);
		s->alone += run_alone(s->ort, &c, &bytes, &e);
		buf_release(&bytes);
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
}

static double measure_campaign(struct speed *s, int blocks, int models)
{
	struct campaign_options o = {.fuzz = options_of(blocks),
				     .corpus = &s->corpus,
				     .specs = &s->spec,
				     .n_specs = 1,
				     .command = "",
				     .jobs = 1,
				     .models = models};
	struct fuzz_stats stats;
	struct err e = ERR_INIT;

	if (campaign_run(&o, &stats, &e))
		bench_die(&e);
	return stats.seconds;
}

int main(int argc, char **argv)
{
	struct speed s = {.blocks = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 4,
			  .models = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 2000};
	struct err e = ERR_INIT;
	char path[4096];
	double n;

	if (s.blocks < 1 || s.blocks > FUZZ_MAX_NODES || s.models < 1) {
		fprintf(stderr, "usage: bench_fuzz_speed [blocks [models]]\n");
		return 2;
	}
	if (corpus_load("data/blocks-paper.yaml", 0, &s.corpus, &e) || spec_make("ort", &s.spec, &e))
		bench_die(&e);
	snprintf(path, sizeof path, "%s/lib/libonnxruntime.so", s.spec.folder);
	if (ort_open(path, &s.ort, &e))
		bench_die(&e);
	n = (double)s.models;
	measure_make(&s);
	s.campaign = measure_campaign(&s, s.blocks, s.models);
	measure_alone(&s);
	printf("onnxruntime %s, %d models of %d blocks, %.1f nodes a model\n", ort_version(s.ort), s.models, s.blocks,
	       (double)s.nodes / n);
	bench_at_most("making a model", 1e6 * s.make / n, "us", 100);
	printf("%-44s %10.3f /s\n", "ONNX Runtime alone", n / s.alone);
	bench_at_least("assay fuzz", n / s.campaign, "/s", 450);
	bench_at_least("assay fuzz of ONNX Runtime alone", 100 * s.alone / s.campaign, "%", 80);
	bench_at_most("400 models of 15 blocks", measure_campaign(&s, 15, 400), "s", 30);
	ort_close(s.ort);
	spec_release(&s.spec);
	corpus_release(&s.corpus);
	return bench_missed;
}
