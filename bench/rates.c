/* rates.c - the change rates that t1 and t2 of Audee's Algorithm 2 stand on (its Fig. 4), on the seven seed networks.
 *
 *     build/bench_rates [--networks LIST] [--backends LIST] [--inputs 5]
 *
 * A case is a network with a made-up input on a backend: a library (default: ort,torch), or the reference with a value
 * fault of 'assay faults' that the network has an operator for.  Its top-1 change rate is the largest R_L of all
 * layers, to the reference.  It is inconsistent when another class comes out than the reference gives, consistent when
 * the answer of a library is right (a fault that shows nowhere is no case); a wrong answer with the right class is a
 * third kind, which the paper does not tell apart.  Printed are the quartiles of each kind, and how many are on the
 * right side of t1 = 1000 and of t2 = 2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "blame/blame.h"
#include "case/inputs.h"
#include "case/zoo_model.h"
#include "faults/fault.h"
#include "judge/oracle.h"
#include "support/bench.h"

#define T1 1000.0
#define T2 2.0

enum kind { CONSISTENT, SAME_CLASS, INCONSISTENT, KINDS };

static const char *const kind_names[KINDS] = {"consistent", "wrong, same class", "inconsistent"};

struct rates {
	double *at;
	size_t n, size;
};

/* ---- one case ---------------------------------------------------------------------------------------------------- */

static struct trial make_case(const char *name, uint64_t seed)
{
	struct input_options in = {.seed = seed};
	struct value **inputs = NULL;
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct trial t;

	bench_must(zoo_model_make(zoo_find(name), 0, 1, 0, zoo_model_is_trained(name), &m, &e), &e);
	if (m->graph->inputs.at[0]->type.dtype == DT_INT64)
		in.random = (struct number_range){1, 1, 0, 999}; /* words of the seeds' vocabulary */
	bench_must(inputs_make(m->graph, &in, &inputs, NULL, &e), &e);
	bench_must(trial_init(&t, m, inputs, seed, &e), &e);
	return t;
}

static enum kind kind_of(const struct trial *t, const struct outcome *o)
{
	struct oracle_case c = {.a = o->values, .b = &t->truth.outputs[0].value, .n = 1};
	struct oracle_answer answer = {0};

	oracle_ask(oracle_find("audee")->oracle, &c, 0, &answer);
	if (answer.inconsistent)
		return INCONSISTENT;
	return verdict_is_finding(o->verdict) ? SAME_CLASS : CONSISTENT;
}

/* Adds the top-1 change rate; a case without numbers has none. */
static void measure(struct trial *t, struct party *p, struct rates *kinds)
{
	struct blame_request r = {.trial = t, .accused = p};
	struct blame_map map = {0};
	struct err e = ERR_INIT;
	struct outcome o = {0};
	enum kind kind;
	double top = 0;

	bench_must(trial_judge(t, p, NULL, &o, &e), &e);
	r.outcome = &o;
	if (o.values && !blame_map_make(&r, &map, &e)) {
		for (size_t i = 0; i < map.n; i++)
			top = map.at[i].rate > top ? map.at[i].rate : top;
		kind = kind_of(t, &o);
		if ((kind != CONSISTENT || strcmp(p->spec.backend, "fault") != 0) && vec_push(&kinds[kind], top))
			bench_must(err_nomem(&e, "rates", 0), &e);
	}
	blame_map_release(&map);
	outcome_release(&o);
}

/* ---- a network --------------------------------------------------------------------------------------------------- */

static void run_backend(const char *network, const char *backend, int inputs, struct rates *kinds)
{
	struct err e = ERR_INIT;
	struct party p;

	if (party_open(&p, backend, NULL, &e)) {
		fprintf(stderr, "%s is left out: %s\n", backend, e.msg);
		return;
	}
	for (int i = 0; i < inputs; i++) {
		struct trial t = make_case(network, (uint64_t)i);

		measure(&t, &p, kinds);
		trial_release(&t);
	}
	party_close(&p);
}

static int has_operator(const struct trial *t, const struct fault *f)
{
	const struct graph *g = t->model->graph;

	for (size_t i = 0; i < g->nodes.n; i++)
		if (fault_is_for(f, g->nodes.at[i]))
			return 1;
	return 0;
}

static void print_kind(const char *network, enum kind k, struct rates *r)
{
	size_t above = 0, below = 0;

	double median;

	if (!r->n)
		return;
	median = bench_median(r->at, r->n);
	for (size_t i = 0; i < r->n; i++) {
		above += r->at[i] > T1;
		below += r->at[i] < T2;
	}
	printf("| %s | %s | %zu | %.3g | %.3g | %.3g | %.3g | %.3g | %zu | %zu |\n", network, kind_names[k], r->n,
	       r->at[0], r->at[r->n / 4], median, r->at[3 * r->n / 4], r->at[r->n - 1], above, below);
	fflush(stdout);
}

static void run_network(const char *network, const char *backends, int inputs, struct rates *all)
{
	struct rates kinds[KINDS] = {{0}};
	struct trial t = make_case(network, 0);
	char list[256], *rest = list, *name;
	struct err e = ERR_INIT;

	snprintf(list, sizeof list, "%s", backends);
	while ((name = strsep(&rest, ",")))
		run_backend(network, name, inputs, kinds);
	for (const struct fault_row *row = fault_rows; row->name; row++) {
		char fault[80];

		snprintf(fault, sizeof fault, "fault:%s", row->name);
		if (row->fault->kind == FAULT_VALUE && row->fault->ops && has_operator(&t, row->fault))
			run_backend(network, fault, inputs, kinds);
	}
	for (int k = 0; k < KINDS; k++) {
		print_kind(network, (enum kind)k, &kinds[k]);
		for (size_t i = 0; i < kinds[k].n; i++)
			if (vec_push(&all[k], kinds[k].at[i]))
				bench_must(err_nomem(&e, "rates", 0), &e);
		vec_release(&kinds[k]);
	}
	trial_release(&t);
}

int main(int argc, char **argv)
{
	const char *networks = "lenet5,resnet20,simplernn,lstm,gru,mobilenetv2,vgg16", *backends = "ort,torch";
	int inputs = 5;
	const struct bench_option rows[] = {{.name = "--networks", .text = &networks},
					    {.name = "--backends", .text = &backends},
					    {.name = "--inputs", .number = &inputs},
					    {0}};
	struct rates all[KINDS] = {{0}};
	char list[256], *rest = list, *name;

	bench_options(argc, argv, rows, "[--networks LIST] [--backends LIST] [--inputs N]");
	printf("| network | kind | cases | least | 25 %% | median | 75 %% | most | above t1 | below t2 |\n");
	printf("|---|---|---|---|---|---|---|---|---|---|\n");
	snprintf(list, sizeof list, "%s", networks);
	while ((name = strsep(&rest, ","))) {
		if (!zoo_find(name)) {
			fprintf(stderr, "no network '%s'\n", name);
			return 2;
		}
		run_network(name, backends, inputs, all);
	}
	for (int k = 0; k < KINDS; k++) {
		print_kind("all", (enum kind)k, &all[k]);
		vec_release(&all[k]);
	}
	return 0;
}
