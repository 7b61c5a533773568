/* oracle.c - the limit of the rounding oracle, calibrated on libraries that are taken for correct.
 *
 *   bench_oracle [--backends LIST] [--seeds N] [--filter TEXT] [--models] [--gradients] [--list]
 *
 * Every model of the ONNX backend tests runs with its own inputs, the floats among them scaled at random unless all are
 * whole, on every library that is installed; --models adds the networks of $ASSAY_DEPS/models and the light
 * ones of the ONNX package, whose weights are constants.  Cases that data/quirks.tsv knows a difference of are left
 * out.  Printed, as tables of Markdown: quantiles of the noise ratio by library, and how often each oracle calls two
 * correct answers (the library's, and the exact one rounded once) inconsistent.
 *
 * --gradients: instead, the gradients of all weights of the networks of support/nets.h, with four sites each. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "judge/trial.h"
#include "support/answers.h"
#include "support/bench.h"
#include "support/inputs.h"
#include "support/nets.h"
#include "worker/parent/quirks.h"

#define PATH_SIZE 4096
#define MAX_PARTIES 16

static struct {
	const char *backends, *filter;
	int seeds, models, gradients, list;
} options = {.backends =
		     "ort@1.31.1:O0,ort@1.31.1:O99,ort@1.17.0:O0,ort@1.17.0:O99,openvino:f32,tract,torch,tf,mxnet,jax",
	     .seeds = 2};

struct library {
	struct party party;
	char name[64];
	VEC(double) ratios;
	size_t cases, unsupported, known, beyond, process;
	size_t alarms[ANSWERS_ORACLES];
};

static struct library libraries[MAX_PARTIES];
static size_t n_libraries;
static struct quirks quirks;

/* ---- one case ---------------------------------------------------------------------------------------------------- */

/* A difference is known of this case, or of an operator in it. */
static int is_known(const struct library *l, const struct model *m, const char *name)
{
	const char *backend = l->party.spec.backend, *version = party_version(&l->party);

	if (quirks_for_case(&quirks, backend, version, name))
		return 1;
	for (size_t i = 0; i < m->graph->nodes.n; i++)
		for (size_t k = 0; k < quirks.n; k++)
			if (!strcmp(quirks.at[k].backend, backend) && !strcmp(quirks.at[k].cases, "-") &&
			    !strcmp(quirks.at[k].op, m->graph->nodes.at[i]->op_type) &&
			    quirks_covers(quirks.at[k].versions, version))
				return 1;
	return 0;
}

/* Float64 is left out: some libraries compute it in float32, and say so. */
static int has_doubles(const struct trial *t)
{
	for (size_t i = 0; i < t->truth.n; i++)
		if (t->truth.outputs[i].value->dtype == DT_DOUBLE)
			return 1;
	return 0;
}

/* Every oracle on the library's answer beside the exact one rounded once. */
static void ask_oracles(struct library *l, const struct trial *t, const struct outcome *o)
{
	struct value **b = mem_array(t->truth.n, sizeof *b);
	int answers[ANSWERS_ORACLES];

	answers_round(&t->truth, b);
	answers_ask(&t->truth, o->values, b, o->n, answers);
	for (int k = 0; oracle_rows[k].name; k++)
		l->alarms[k] += answers[k] != 0;
	answers_release(b, t->truth.n);
	mem_free(b);
}

static void note_ratios(struct library *l, const struct outcome *o)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < o->n; i++)
		if (o->judged[i].verdict != VERDICT_VACUOUS && vec_push(&l->ratios, o->judged[i].ratio)) {
			err_nomem(&e, "ratios", 0);
			bench_die(&e);
		}
}

static void judge(struct library *l, struct trial *t, const char *name)
{
	struct outcome o = {0};
	struct err e = ERR_INIT;

	if (is_known(l, t->model, name)) {
		l->known++;
		return;
	}
	if (trial_judge(t, &l->party, NULL, &o, &e)) {
		fprintf(stderr, "bench: %s on %s: %s\n", name, l->name, e.msg);
		return;
	}
	if (!o.values || o.verdict == VERDICT_VACUOUS) {
		l->unsupported += o.verdict == VERDICT_UNSUPPORTED || o.verdict == VERDICT_VACUOUS;
		l->process += verdict_is_finding(o.verdict);
	} else {
		l->cases++;
		l->beyond += verdict_is_finding(o.verdict);
		note_ratios(l, &o);
		ask_oracles(l, t, &o);
	}
	if (options.list && (verdict_is_finding(o.verdict) || o.ratio > 5))
		printf("%-18s %-50s %-9s %9.3g  %s\n", l->name, name, verdict_name(o.verdict), o.ratio, o.reason);
	outcome_release(&o);
}

/* `folder` NULL: the inputs are made up. */
static void try_model(const char *path, const char *folder, const char *name, uint64_t seed)
{
	struct model *m = NULL;
	struct value **in = NULL;
	struct err e = ERR_INIT;
	struct trial t = {0};
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = trial_read_model(path, &bytes, &m, &e);
	if (!rc)
		rc = folder ? bench_inputs_read(folder, m->graph, seed, &in, &e)
			    : bench_inputs_make(m->graph, seed, &in, &e);
	if (rc) {
		model_free(m);
		buf_release(&bytes);
	} else {
		rc = trial_init_bytes(&t, m, &bytes, in, seed, &e);
	}
	if (!rc)
		rc = trial_truth(&t, &e);
	for (size_t i = 0; i < n_libraries && !rc && !t.invalid && !has_doubles(&t); i++)
		judge(&libraries[i], &t, name);
	trial_release(&t);
}

/* ---- all cases --------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef VEC(char *) names;

static void list_folder(const char *folder, names *out)
{
	DIR *d = opendir(folder);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.' && (!options.filter || strstr(entry->d_name, options.filter)) &&
		    vec_push(out, mem_strdup(entry->d_name)))
			exit(3);
	if (d)
		closedir(d);
	if (out->n)
		qsort(out->at, out->n, sizeof *out->at, by_name);
}

static void free_names(names *list)
{
	for (size_t i = 0; i < list->n; i++)
		mem_free(list->at[i]);
	vec_release(list);
}

static void run_tests(const char *deps, const char *tree)
{
	char root[PATH_SIZE / 2], folder[PATH_SIZE - 64], path[PATH_SIZE];
	names list = VEC_INIT;

	snprintf(root, sizeof root, "%s/onnx-tests/%s", deps, tree);
	list_folder(root, &list);
	for (size_t i = 0; i < list.n; i++) {
		snprintf(folder, sizeof folder, "%s/%s", root, list.at[i]);
		snprintf(path, sizeof path, "%s/model.onnx", folder);
		for (int seed = 0; seed < options.seeds; seed++)
			try_model(path, folder, list.at[i], (uint64_t)seed);
		if (i % 100 == 0)
			fprintf(stderr, "%s: %zu of %zu\n", tree, i, list.n);
	}
	free_names(&list);
}

static void run_models(const char *deps, const char *folder)
{
	char root[PATH_SIZE / 2], path[PATH_SIZE];
	names list = VEC_INIT;

	snprintf(root, sizeof root, "%s/%s", deps, folder);
	list_folder(root, &list);
	for (size_t i = 0; i < list.n; i++) {
		if (!strstr(list.at[i], ".onnx"))
			continue;
		snprintf(path, sizeof path, "%s/%s", root, list.at[i]);
		fprintf(stderr, "%s\n", list.at[i]);
		try_model(path, NULL, list.at[i], 1);
	}
	free_names(&list);
}

/* ---- gradients --------------------------------------------------------------------------------------------------- */

static void judge_gradients(struct library *l, struct trial *t, const char *net, const char *line)
{
	struct outcome o = {0};
	struct err e = ERR_INIT;

	if (trial_judge_gradients(t, &l->party, NULL, &o, &e)) {
		fprintf(stderr, "bench: %s on %s: %s\n", net, l->name, e.msg);
		return;
	}
	l->unsupported += o.verdict == VERDICT_UNSUPPORTED;
	l->cases += o.grads != NULL;
	l->beyond += verdict_is_finding(o.verdict);
	if (o.judged)
		note_ratios(l, &o);
	if (options.list)
		printf("%-18s %-12s %-40.40s %-9s %9.3g  %s\n", l->name, net, line, verdict_name(o.verdict), o.ratio,
		       o.reason);
	outcome_release(&o);
}

static void run_gradients(void)
{
	static const char *const sites[] = {"MaxPool-13 f32[1,2,8,8] kernel_shape=[2,2] strides=[2,2]",
					    "Softmax-13 f32[3,4]", "Conv-13 f32[1,4,6,6] f32[4,2,3,3] f32[4] group=2",
					    "Elu-13 f32[3,4]"};

	for (const struct net *net = nets; net->name; net++)
		for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
			struct err e = ERR_INIT;
			struct model *m;
			struct trial t;

			net->build(sites[i], 1, &m);
			if (trial_init(&t, m, nets_inputs(m->graph, 3), 3, &e) || trial_seed_gradients(&t, &e))
				bench_die(&e);
			for (size_t k = 0; k < n_libraries; k++)
				judge_gradients(&libraries[k], &t, net->name, sites[i]);
			trial_release(&t);
		}
}

/* ---- report ------------------------------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const struct library *l, double q)
{
	size_t i = (size_t)(q * (double)(l->ratios.n - 1));

	return l->ratios.n ? l->ratios.at[i] : NAN;
}

static void print_ratios(void)
{
	printf("| library | cases | 50 %% | 90 %% | 99 %% | 99.9 %% | largest within | beyond %.0f | left out as known "
	       "| "
	       "crashed, hung, refused |\n|---|---|---|---|---|---|---|---|---|---|\n",
	       JUDGE_LIMIT);
	for (size_t i = 0; i < n_libraries; i++) {
		struct library *l = &libraries[i];
		size_t within;

		if (l->ratios.n)
			qsort(l->ratios.at, l->ratios.n, sizeof *l->ratios.at, by_value);
		for (within = l->ratios.n; within && !(l->ratios.at[within - 1] <= JUDGE_LIMIT);)
			within--;
		printf("| %s | %zu | %.3g | %.3g | %.3g | %.3g | %.3g | %zu | %zu | %zu |\n", l->name, l->cases,
		       quantile(l, 0.5), quantile(l, 0.9), quantile(l, 0.99), quantile(l, 0.999),
		       within ? l->ratios.at[within - 1] : 0, l->beyond, l->known, l->process);
	}
}

static void print_alarms(void)
{
	printf("\n| library |");
	for (int k = 0; oracle_rows[k].name; k++)
		printf(" %s |", oracle_rows[k].name);
	printf("\n|---|");
	for (int k = 0; oracle_rows[k].name; k++)
		printf("---|");
	printf("\n");
	for (size_t i = 0; i < n_libraries; i++) {
		printf("| %s |", libraries[i].name);
		for (int k = 0; oracle_rows[k].name; k++)
			printf(" %zu |", libraries[i].alarms[k]);
		printf("\n");
	}
}

/* ---- driver ------------------------------------------------------------------------------------------------------ */

static void open_libraries(void)
{
	char *copy = mem_strdup(options.backends), *at = copy, *next;
	struct err e = ERR_INIT;

	for (; at && n_libraries < MAX_PARTIES; at = next) {
		struct library *l = &libraries[n_libraries];
		struct worker_limits limits = {.run_seconds = 20};

		next = strchr(at, ',');
		if (next)
			*next++ = '\0';
		if (party_open(&l->party, at, &limits, &e)) {
			fprintf(stderr, "bench: %s left out: %s\n", at, e.msg);
			continue;
		}
		snprintf(l->name, sizeof l->name, "%s%s%s", at, strchr(at, '@') ? "" : " ",
			 strchr(at, '@') ? "" : party_version(&l->party));
		n_libraries++;
	}
	mem_free(copy);
}

static void read_arguments(int argc, char **argv)
{
	const struct bench_option rows[] = {
		{"--backends", .text = &options.backends},
		{"--filter", .text = &options.filter},
		{"--seeds", .number = &options.seeds},
		{"--models", .flag = &options.models},
		{"--gradients", .flag = &options.gradients},
		{"--list", .flag = &options.list},
		{0},
	};

	bench_options(argc, argv, rows,
		      "[--backends LIST] [--seeds N] [--filter TEXT] [--models] [--gradients] [--list]");
}

int main(int argc, char **argv)
{
	const char *deps = getenv("ASSAY_DEPS");
	double start = clock_now();
	struct err e = ERR_INIT;

	read_arguments(argc, argv);
	if (!deps)
		deps = ".deps";
	if (quirks_load("data/quirks.tsv", &quirks, &e))
		bench_die(&e);
	open_libraries();
	if (options.gradients)
		run_gradients();
	else
		run_tests(deps, "node");
	if (options.models) {
		run_models(deps, "models");
		run_models(deps, "onnx-tests/light");
	}
	print_ratios();
	if (!options.gradients)
		print_alarms();
	for (size_t i = 0; i < n_libraries; i++) {
		party_close(&libraries[i].party);
		vec_release(&libraries[i].ratios);
	}
	quirks_release(&quirks);
	fprintf(stderr, "%.0f s\n", clock_now() - start);
	return 0;
}
