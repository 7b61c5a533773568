/* faults.c - how good the tool is at finding what is known to be there: every fault of the catalogue, planted into one
 * node in the middle of networks of four kinds.
 *
 *   bench_faults [--clean N] [--only FAULT] [--no-blame] [--no-reduce] [--no-lower | --only-lower] [--list]
 * [--markdown]
 *
 * For every oracle: detected or not, where one library has the fault (the rounded reference with it) and the other has
 * not; false alarms on two correct ones (the rounded reference, and the exact one rounded once) over N clean cases,
 * 10000 by default.  Then: rank of the true node for assay's blame, CRADLE's map and Audee's search; nodes left after
 * reduction.
 *
 * At last the same faults in networks that are computed in bfloat16, and in networks with int8 between their nodes,
 * where what such a network is off by is explained, and a fault must not be (--only-lower: nothing else).
 *
 * A fault counts as visible where it changes an output of the exact reference by more than VISIBLE units of rounding
 * noise: correct libraries were seen at 4.4.  One that changes nothing (a clipped value that is not there, a class that
 * stays) is nobody's to find. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "blame/blame.h"
#include "support/answers.h"
#include "support/bench.h"
#include "support/lower.h"
#include "support/plants.h"
#include "triage/triage.h"

#define VISIBLE 5.0

static struct {
	int clean, no_blame, no_reduce, no_lower, only_lower, list, markdown;
	const char *only;
} options = {.clean = 10000};

/* ---- tallies ----------------------------------------------------------------------------------------------------- */

struct count {
	size_t hits, of;
};

static struct {
	struct count oracle[ANSWERS_ORACLES][2]; /* values, gradients */
	struct count alarms[ANSWERS_ORACLES];
	size_t planted, applied, visible, pairs[3]; /* by kind */
	struct count process;
	struct count stands;             /* wrong values that are still findings after doubt */
	struct count first[3], third[3]; /* blamers: ours, map, causal */
	size_t nodes[4096], n_reduced;   /* left after reduction */
	double reduce_seconds;
} tally;

static const struct {
	const char *name, *blamers; /* as blame_run() takes them */
} localizers[] = {{"assay", NULL}, {"CRADLE's map", "map"}, {"Audee's search", "causal"}};

static double percent(const struct count *c)
{
	return c->of ? 100.0 * (double)c->hits / (double)c->of : 0;
}

static void add(struct count *c, int hit)
{
	c->hits += hit != 0;
	c->of++;
}

/* ---- detection --------------------------------------------------------------------------------------------------- */

static void list(const char *fault, const char *net, double visible, const int *answers)
{
	if (!options.list)
		return;
	printf("%-22s %-12s %10.3g ", fault, net, visible);
	for (int k = 0; oracle_rows[k].name; k++)
		printf(" %s:%s", oracle_rows[k].name, answers[k] ? "yes" : "no");
	printf("\n");
}

static int detect_value(struct trial *t, const struct fault_row *row, const char *net)
{
	struct ref_result clean, faulty, exact;
	struct value *a[4], *b[4];
	int answers[ANSWERS_ORACLES];
	size_t applied;
	double visible;

	plant_run(t, REF_ROUNDED, NULL, NULL, &clean);
	plant_run(t, REF_ROUNDED, row->fault, &applied, &faulty);
	plant_run(t, REF_EXACT, row->fault, NULL, &exact);
	visible = plant_ratio(t, &exact);
	answers_round(&faulty, a);
	answers_round(&clean, b);
	answers_ask(&t->truth, a, b, clean.n, answers);
	tally.applied += applied > 0;
	if (visible > VISIBLE) {
		tally.visible++;
		for (int k = 0; oracle_rows[k].name; k++)
			add(&tally.oracle[k][0], answers[k]);
	}
	list(row->name, net, visible, answers);
	answers_release(a, clean.n);
	answers_release(b, clean.n);
	ref_result_release(&clean);
	ref_result_release(&faulty);
	ref_result_release(&exact);
	return visible > VISIBLE && answers[0];
}

static int detect_gradient(struct trial *t, const struct fault_row *row, const char *net)
{
	struct ref_result truth = {.n = 0};
	struct value **v[3];
	struct err e = ERR_INIT;
	int answers[ANSWERS_ORACLES];
	double visible = 0;
	size_t applied;

	bench_must(trial_seed_gradients(t, &e), &e);
	bench_must(trial_truth_gradients(t, &e), &e);
	truth.n = t->n_grads;
	truth.outputs = mem_array(truth.n, sizeof *truth.outputs);
	for (int i = 0; i < 3; i++)
		v[i] = mem_array(truth.n, sizeof **v);
	for (size_t i = 0; i < truth.n; i++)
		truth.outputs[i] = (struct ref_output){t->grad_wires[i]->name,
						       value_tensor(tensor_ref(t->grads[i]), &e), t->grad_noise[i]};
	plant_gradients(t, REF_ROUNDED, row->fault, &applied, v[0]);
	plant_gradients(t, REF_ROUNDED, NULL, NULL, v[1]);
	plant_gradients(t, REF_EXACT, row->fault, NULL, v[2]);
	for (size_t i = 0; i < truth.n; i++) {
		struct judgement j;

		judge_value(truth.outputs[i].value, truth.outputs[i].noise, v[2][i], JUDGE_LIMIT, &j);
		visible = fmax(visible, j.ratio);
	}
	answers_ask(&truth, v[0], v[1], truth.n, answers);
	tally.applied += applied > 0;
	if (visible > VISIBLE) {
		tally.visible++;
		for (int k = 0; oracle_rows[k].name; k++)
			add(&tally.oracle[k][1], answers[k]);
	}
	list(row->name, net, visible, answers);
	for (size_t i = 0; i < truth.n; i++)
		value_unref(truth.outputs[i].value);
	for (int i = 0; i < 3; i++) {
		answers_release(v[i], truth.n);
		mem_free(v[i]);
	}
	mem_free(truth.outputs);
	return visible > VISIBLE && answers[0];
}

static struct party open_fault(const char *fault)
{
	struct worker_limits limits = {.run_seconds = 2, .memory = (size_t)400 << 20};
	struct err e = ERR_INIT;
	struct party p;
	char name[128];

	snprintf(name, sizeof name, "fault:%s@" NETS_SITE, fault);
	bench_must(party_open(&p, name, &limits, &e), &e);
	return p;
}

/* What a library does to its process: found when the verdict is not one of agreement, within ten runs. */
static int detect_process(struct trial *t, const struct fault_row *row, const char *net, struct party *p)
{
	struct outcome o = {0};
	struct err e = ERR_INIT;
	int found = 0;

	for (int i = 0; i < 10 && !found; i++) {
		outcome_release(&o);
		bench_must(trial_judge(t, p, NULL, &o, &e), &e);
		found = verdict_is_finding(o.verdict);
	}
	if (o.verdict == VERDICT_WRONG) /* chance: it is wrong in another way each time, and must be told so */
		bench_must(trial_confirm(t, p, NULL, &o, &e), &e);
	tally.applied++;
	add(&tally.process, found && (o.verdict != VERDICT_WRONG || o.unstable));
	if (options.list)
		printf("%-22s %-12s %s (%s)\n", row->name, net, verdict_name(o.verdict), o.reason);
	outcome_release(&o);
	return found;
}

/* ---- localization and reduction ---------------------------------------------------------------------------------- */

static int rank_of_site(const struct blame *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->at[i].node->name, NETS_SITE))
			return b->at[i].rank;
	return 0;
}

static void locate(struct trial *t, struct party *p, const struct outcome *o, int gradient, const char *fault)
{
	for (size_t i = 0; i < sizeof localizers / sizeof *localizers; i++) {
		struct blame_request r = {.trial = t,
					  .accused = p,
					  .outcome = o,
					  .gradient = gradient,
					  .blamers = localizers[i].blamers,
					  .seconds = 20};
		struct blame b = {0};
		struct err e = ERR_INIT;
		int rc = gradient && i ? 0 : blame_run(&r, &b, &e), rank = rc ? 0 : rank_of_site(&b);

		if (gradient && i) /* the papers have no localizer of gradients */
			continue;
		if (rc)
			fprintf(stderr, "bench: %s: %s: %s\n", fault, localizers[i].name, e.msg);
		add(&tally.first[i], rank == 1);
		add(&tally.third[i], rank >= 1 && rank <= 3);
		if (options.list)
			printf("  %s: rank %d of %zu\n", localizers[i].name, rank, b.n);
		blame_release(&b);
	}
}

static void reduce(struct trial *t, struct party *p, const struct outcome *o, int gradient, const char *fault)
{
	struct reduce_options r = {.seconds = 10, .gradient = gradient};
	struct reduce_result out = {0};
	struct err e = ERR_INIT;

	if (reduce_trial(t, p, o, NULL, &r, &out, &e)) {
		fprintf(stderr, "bench: %s: reduce: %s\n", fault, e.msg);
		return;
	}
	if (tally.n_reduced < sizeof tally.nodes / sizeof *tally.nodes)
		tally.nodes[tally.n_reduced++] = out.nodes_after;
	tally.reduce_seconds += out.seconds;
	if (options.list)
		printf("  reduced from %zu to %zu nodes in %.2f s\n", out.nodes_before, out.nodes_after, out.seconds);
	reduce_result_release(&out);
}

static void follow_up(struct trial *t, const struct fault_row *row)
{
	int gradient = row->fault->kind == FAULT_GRADIENT;
	struct party p = open_fault(row->name);
	struct outcome o = {0};
	struct err e = ERR_INIT;

	bench_must(gradient ? trial_judge_gradients(t, &p, NULL, &o, &e) : trial_judge(t, &p, NULL, &o, &e), &e);
	if (!gradient) {
		bench_must(trial_doubt(t, NULL, DOUBT_FULL, &o, &e), &e);
		bench_must(trial_explain(t, &p, NULL, &o, &e), &e);
		add(&tally.stands, verdict_is_finding(o.verdict));
	}
	if (!options.no_blame)
		locate(t, &p, &o, gradient, row->name);
	if (!options.no_reduce)
		reduce(t, &p, &o, gradient, row->name);
	outcome_release(&o);
	party_close(&p);
}

/* ---- driver ------------------------------------------------------------------------------------------------------ */

static void plant(const struct fault_example *x, const struct net *net)
{
	const struct fault_row *row = fault_find(x->fault);
	struct trial t = plant_trial(net, x->line, 3);
	int found;

	if (t.model->graph->nodes.n < 30) {
		struct err e = ERR_INIT;

		err_set(&e, ERR_INTERNAL, "%s has %zu nodes only", net->name, t.model->graph->nodes.n);
		bench_die(&e);
	}
	tally.planted++;
	tally.pairs[row->fault->kind]++;
	if (row->fault->kind == FAULT_PROCESS) {
		struct party p = open_fault(row->name);

		detect_process(&t, row, net->name, &p);
		party_close(&p);
	} else {
		found = row->fault->kind == FAULT_GRADIENT ? detect_gradient(&t, row, net->name)
							   : detect_value(&t, row, net->name);
		if (found)
			follow_up(&t, row);
	}
	trial_release(&t);
}

/* Clean cases: the networks with every site, on inputs of their own. */
static void clean_cases(void)
{
	size_t sites = 0, n_nets = 0, done = 0;

	while (fault_examples[sites].fault)
		sites++;
	while (nets[n_nets].name)
		n_nets++;
	for (size_t i = 0; i < sites * n_nets && done < (size_t)options.clean; i++) {
		size_t each = ((size_t)options.clean + sites * n_nets - 1) / (sites * n_nets);

		for (size_t k = 0; k < each && done < (size_t)options.clean; k++, done++) {
			struct trial t = plant_trial(&nets[i % n_nets], fault_examples[i / n_nets].line, 100 + k);
			struct ref_result rounded;
			struct value *a[4], *b[4];
			int answers[ANSWERS_ORACLES];

			plant_run(&t, REF_ROUNDED, NULL, NULL, &rounded);
			answers_round(&rounded, a);
			answers_round(&t.truth, b);
			answers_ask(&t.truth, a, b, rounded.n, answers);
			for (int o = 0; oracle_rows[o].name; o++)
				add(&tally.alarms[o], answers[o]);
			if (answers[0] && options.list)
				printf("false alarm: %s in %s, seed %zu: %.3g\n", fault_examples[i / n_nets].line,
				       nets[i % n_nets].name, 100 + k, plant_ratio(&t, &rounded));
			answers_release(a, rounded.n);
			answers_release(b, rounded.n);
			ref_result_release(&rounded);
			trial_release(&t);
		}
	}
}

/* ---- report ------------------------------------------------------------------------------------------------------ */

static void print_oracles(void)
{
	printf("%zu plants of %s in networks of 4 kinds; at work in %zu, visible in %zu\n\n", tally.planted,
	       options.only ? options.only : "all faults", tally.applied, tally.visible);
	printf("| oracle | wrong values found | wrong gradients found | false alarms |\n|---|---|---|---|\n");
	for (int k = 0; oracle_rows[k].name; k++) {
		const struct count *v = &tally.oracle[k][0], *g = &tally.oracle[k][1], *f = &tally.alarms[k];

		printf("| %s | %zu of %zu (%.1f %%) | ", oracle_rows[k].name, v->hits, v->of, percent(v));
		if (oracle_rows[k].oracle->gradients)
			printf("%zu of %zu (%.1f %%)", g->hits, g->of, percent(g));
		else
			printf("does not look");
		printf(" | %zu of %zu |\n", f->hits, f->of);
	}
	printf("\nprocesses (crash, hang, memory, chance): %zu of %zu found\n", tally.process.hits, tally.process.of);
}

static void print_localizers(void)
{
	printf("\n| localizer | true node first | among the first three |\n|---|---|---|\n");
	for (size_t i = 0; i < sizeof localizers / sizeof *localizers; i++)
		printf("| %s | %zu of %zu (%.1f %%) | %.1f %% |\n", localizers[i].name, tally.first[i].hits,
		       tally.first[i].of, percent(&tally.first[i]), percent(&tally.third[i]));
}

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static void print_reduction(void)
{
	size_t n = tally.n_reduced, small = 0;

	if (!n)
		return;
	qsort(tally.nodes, n, sizeof *tally.nodes, by_size);
	while (small < n && tally.nodes[small] <= 3)
		small++;
	printf("\nreduced: %zu cases, %.1f %% to three nodes or fewer; median %zu, largest %zu; %.2f s on average\n", n,
	       100.0 * (double)small / (double)n, tally.nodes[n / 2], tally.nodes[n - 1],
	       tally.reduce_seconds / (double)n);
}

static void lower(void)
{
	struct lower_tally all[2] = {{.name = "bfloat16"}, {.name = "int8"}};

	lower_faults(options.only, options.list, options.clean, &all[0], &all[1]);
	printf("\n| networks in | planted | open | visible | found | clean | explained | false alarms "
	       "|\n|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < 2; i++)
		printf("| %s | %zu | %zu | %zu | %zu (%.1f %%) | %zu | %zu | %zu |\n", all[i].name, all[i].planted,
		       all[i].open, all[i].visible, all[i].found,
		       percent(&(struct count){all[i].found, all[i].visible}), all[i].clean, all[i].explained,
		       all[i].alarms);
	printf("\n");
	for (size_t i = 0; i < 2 && !options.markdown; i++) {
		bench_at_least(all[i].name, percent(&(struct count){all[i].found, all[i].visible}), "% found", 95);
		bench_at_most(all[i].name, (double)all[i].alarms, " false alarms", 0);
	}
}

static void check_bars(void)
{
	struct count both = {tally.oracle[0][0].hits + tally.oracle[0][1].hits,
			     tally.oracle[0][0].of + tally.oracle[0][1].of};

	printf("\n");
	bench_at_least("rounding oracle: visible faults found", percent(&both), "%", 95);
	bench_at_most("rounding oracle: false alarms", (double)tally.alarms[0].hits, "", 0);
	if (tally.stands.of)
		bench_at_least("wrong values that stand in doubt", percent(&tally.stands), "%", 95);
	if (tally.process.of)
		bench_at_least("process faults found", percent(&tally.process), "%", 100);
	if (!options.no_blame)
		bench_at_least("true node first", percent(&tally.first[0]), "%", 95);
}

static void read_arguments(int argc, char **argv)
{
	const struct bench_option rows[] = {
		{"--clean", .number = &options.clean},
		{"--only", .text = &options.only},
		{"--no-blame", .flag = &options.no_blame},
		{"--no-reduce", .flag = &options.no_reduce},
		{"--no-lower", .flag = &options.no_lower},
		{"--only-lower", .flag = &options.only_lower},
		{"--list", .flag = &options.list},
		{"--markdown", .flag = &options.markdown},
		{0},
	};

	bench_options(argc, argv, rows,
		      "[--clean N] [--only FAULT] [--no-blame] [--no-reduce] [--no-lower | --only-lower] [--list] "
		      "[--markdown]");
}

int main(int argc, char **argv)
{
	double start = clock_now();

	read_arguments(argc, argv);
	if (options.only_lower) {
		lower();
		return bench_missed;
	}
	for (const struct fault_example *x = fault_examples; x->fault; x++)
		for (const struct net *net = nets; net->name && (!options.only || !strcmp(options.only, x->fault));
		     net++)
			plant(x, net);
	if (!options.only)
		clean_cases();
	print_oracles();
	if (!options.no_blame)
		print_localizers();
	print_reduction();
	if (!options.markdown)
		check_bars();
	if (!options.no_lower)
		lower();
	fprintf(stderr, "%.0f s\n", clock_now() - start);
	return bench_missed;
}
