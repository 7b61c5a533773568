/* cmd_swap.c - assay swap: operators change from one library to another one by one; which of them makes a difference,
 * and who is wrong.  With --train also: at which step of training do their ways part? */
#include <stdio.h>

#include "base/mem.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/model_job.h"
#include "cli/swap_print.h"
#include "judge/parties.h"
#include "judge/unjudged.h"

#define MOST_STEPS 100000 /* of --train */

int cmd_swap(struct cli *c);

struct cmd_swap_options {
	const char *backends, *optimizer, *loss;
	struct dataset_options data;
	struct swap_options swap;
	struct train_options train;
	struct worker_limits limits;
	int64_t seed, steps;
	int json, no_store, all, training_form;
};

/* What one run of the verb holds. */
struct cmd_swap_job {
	struct cmd_swap_options *o;
	struct model_job all;
	const struct dataset *data; /* of the model at hand */
	struct party *parties;      /* by all.specs: the base, and those under test */
};

/* ---- one model --------------------------------------------------------------------------------------------------- */

static int analyse(struct cmd_swap_job *j, struct trial *t, struct swap_keeper *k, struct swap_result *out,
		   struct kept **kept, struct err *e)
{
	struct swap_options o = j->o->swap;
	struct progress p;
	int rc;

	progress_start(&p, "operators", t->model->graph->nodes.n);
	o.progress = model_job_progress;
	o.progress_arg = &p;
	rc = swap_run(t, k->base, k->test, &o, out, e);
	progress_end(&p);
	j->all.findings |= !rc && swap_findings(out);
	return rc ? rc : swap_keep(k, out, kept, e);
}

/* Findings of a training, by operators of its two analyses. */
struct train_kept {
	struct kept *gradient, *update;
};

static int train(struct cmd_swap_job *j, struct trial *t, struct swap_keeper *k, const struct swap_result *before,
		 struct train_result *out, struct train_kept *kept, struct err *e)
{
	struct swap_options o = j->o->swap;
	struct train_request q = {
		.trial = t, .base = k->base, .test = k->test, .swap = &o, .train = &j->o->train, .before = before};
	const struct loss_plan plan = {j->o->train.loss, j->o->training_form};
	struct loss_batches batches = {0};
	struct trial with_loss = {0};
	struct progress p;
	int rc = q.train->loss ? loss_make(t, &plan, j->data, &with_loss, &batches, e) : 0;

	if (rc)
		return rc;
	if (q.train->loss) { /* the analysis before was of another network */
		q.trial = &with_loss;
		q.batches = &batches;
		q.before = NULL;
	}
	progress_start(&p, "steps", j->o->train.steps);
	o.progress = model_job_progress;
	o.progress_arg = &p;
	rc = swap_train(&q, out, e);
	progress_end(&p);
	trial_release(&with_loss);
	loss_batches_release(&batches);
	j->all.findings |= !rc && (swap_findings(&out->blame) || verdict_is_finding(out->verdict));
	if (!rc)
		rc = swap_keep(k, &out->blame, &kept->gradient, e);
	return rc ? rc : swap_keep(k, &out->update.blame, &kept->update, e);
}

/* The base library is counted once, with the first that is compared with it. */
static int note_pair(struct cmd_swap_job *j, const char *path, size_t test, const enum verdict verdicts[2],
		     const struct tally tallies[2], struct err *e)
{
	int rc = test == 1 ? model_job_note(&j->all, path, 0, verdicts[SWAP_BASE], "", &tallies[SWAP_BASE], e) : 0;

	return rc ? rc : model_job_note(&j->all, path, test, verdicts[SWAP_TEST], "", &tallies[SWAP_TEST], e);
}

static int keep_untold(struct cmd_swap_job *j, struct trial *t, struct party *const parties[2], struct swap_untold *u,
		       struct kept kept[2], struct err *e)
{
	int rc = 0;

	for (int i = SWAP_BASE; i <= SWAP_TEST && !rc; i++) {
		if (!verdict_is_finding(u->outcomes[i].verdict))
			continue;
		j->all.findings = 1;
		if (!j->o->no_store)
			rc = keep_case(&j->all.keeper, t, parties[i], &u->outcomes[i], &kept[i], e);
	}
	j->all.findings |= *u->differ != '\0';
	return rc;
}

/* The reference cannot run it. */
static int swap_untold(struct cmd_swap_job *j, const char *path, struct trial *t, size_t test, struct err *e)
{
	struct party *parties[2] = {&j->parties[0], &j->parties[test]};
	struct swap_untold u = {0};
	struct kept kept[2] = {{0}, {0}};
	struct swap_untold_report report = {
		.model = path, .parties = {parties[0], parties[1]}, .result = &u, .kept = kept};
	int rc = swap_untold_run(t, parties, &j->o->swap.judge, &u, e);
	const enum verdict verdicts[2] = {u.outcomes[SWAP_BASE].verdict, u.outcomes[SWAP_TEST].verdict};

	if (!rc)
		rc = keep_untold(j, t, parties, &u, kept, e);
	if (!rc)
		rc = note_pair(j, path, test, verdicts, u.tallies, e);
	if (!rc && j->o->json)
		json_array_append_new(j->all.list, swap_untold_json(&report));
	else if (!rc)
		swap_print_untold(j->all.out, &report);
	swap_untold_release(&u);
	return rc;
}

static int swap_pair(struct cmd_swap_job *j, const char *path, struct trial *t, size_t test, struct err *e)
{
	struct swap_keeper k = {.keeper = j->o->no_store ? NULL : &j->all.keeper,
				.base = &j->parties[0],
				.test = &j->parties[test],
				.kinds = {.first = 1}};
	struct kept *kept = NULL;
	struct train_kept train_kept = {0};
	struct train_result training = {0};
	struct swap_result result = {0};
	struct swap_report report = {
		.model = path, .base = k.base, .test = k.test, .result = &result, .show = j->o->all ? 0 : 10};
	int rc = analyse(j, t, &k, &result, &kept, e);
	const enum verdict verdicts[2] = {result.base_verdict, result.verdict};
	const struct tally tallies[2] = {swap_tally(&result, SWAP_BASE), swap_tally(&result, SWAP_TEST)};

	if (unjudged_status(rc) && t->untold) {
		err_clear(e);
		kinds_release(&k.kinds);
		return swap_untold(j, path, t, test, e);
	}
	if (!rc)
		rc = note_pair(j, path, test, verdicts, tallies, e);
	if (!rc && j->o->train.steps) {
		rc = train(j, t, &k, &result, &training, &train_kept, e);
		report.training = &training;
		report.train = &j->o->train;
	}
	report.kept = kept;
	report.train_kept = train_kept.gradient;
	report.update_kept = train_kept.update;
	if (!rc && j->o->json)
		json_array_append_new(j->all.list, swap_json(&report));
	else if (!rc)
		swap_print_text(j->all.out, &report);
	mem_free(kept);
	mem_free(train_kept.gradient);
	mem_free(train_kept.update);
	kinds_release(&k.kinds);
	train_result_release(&training);
	swap_result_release(&result);
	return rc;
}

static int swap_model(const char *path, struct trial *t, const struct dataset *data, void *arg, struct err *e)
{
	struct cmd_swap_job *j = arg;
	int rc = 0;

	j->data = data; /* the trial has its first run */
	for (size_t i = 1; i < j->all.specs.n && !rc; i++)
		rc = swap_pair(j, path, t, i, e);
	return rc;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int read_training(struct cmd_swap_options *o, struct err *e)
{
	if (o->steps < 0 || o->steps > MOST_STEPS)
		return err_set(e, ERR_USAGE, "--train takes 0 to %d steps", MOST_STEPS);
	if (o->train.rate < 0)
		return err_set(e, ERR_USAGE, "--lr takes a number above 0");
	o->train.steps = (size_t)o->steps;
	o->swap.gradients |= o->steps > 0;
	o->train.optimizer = optimizer_find(o->optimizer, e);
	if (!o->train.optimizer)
		return e->code;
	if (o->train.own && !o->steps)
		return err_set(e, ERR_USAGE, "--own-optimizer needs --train");
	if (o->training_form && !o->loss)
		return err_set(e, ERR_USAGE, "--training-form needs --loss");
	if (o->loss && !o->steps)
		return err_set(e, ERR_USAGE, "--loss needs --train");
	if (o->loss && !(o->train.loss = loss_find(o->loss, e)))
		return e->code;
	if (o->loss)
		o->data.limit = o->steps; /* runs are mini-batches */
	return 0;
}

static int run(const struct texts *models, void *arg, struct err *e)
{
	struct cmd_swap_job *j = arg;
	struct cmd_swap_options *o = j->o;
	int rc;

	o->data.inputs.seed = (uint64_t)o->seed;
	rc = read_training(o, e);
	if (!rc)
		rc = spec_make_list(o->backends, &j->all.specs, e);
	if (!rc && j->all.specs.n < 2)
		rc = err_set(e, ERR_USAGE, "swap needs two backends: -b BASE,LIBRARY");
	if (!rc)
		rc = quirks_load(NULL, &j->all.quirks, e);
	o->swap.judge.quirks = &j->all.quirks;
	j->all.keeper.method = "swap";
	j->all.no_store = o->no_store;
	j->all.keeper.judge = &o->swap.judge;
	if (!rc)
		rc = parties_open(&j->all.specs, &o->limits, &j->parties, e);
	if (!rc)
		rc = model_job_each(&j->all, models, &o->data, (uint64_t)o->seed, swap_model, j, e);
	parties_close(j->parties, j->all.specs.n);
	return rc;
}

int cmd_swap(struct cli *c)
{
	struct cmd_swap_options o = {.backends = "reference,ort", .optimizer = "sgd", .data = {.limit = 1}};
	struct cmd_swap_job j = {.o = &o};
	struct cli_word optimizer = CLI_NAMES(optimizer_rows, &o.optimizer), loss = CLI_NAMES(loss_rows, &o.loss);
	int status;
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.backends,
		 "the base library, then those under test (default: reference,ort)"},
		{'g', "gradients", NULL, CLI_FLAG, &o.swap.gradients, "compare gradients as well as outputs"},
		{0, "train", "N", CLI_COUNT, &o.steps, "train N steps on the library and on the reference"},
		{0, "optimizer", "NAME", CLI_WORD, &optimizer, "sgd, momentum or adam (default: sgd)"},
		{0, "own-optimizer", NULL, CLI_FLAG, &o.train.own,
		 "take the library's steps by its own optimizer, and judge them"},
		{0, "lr", "X", CLI_FLOAT, &o.train.rate, "learning rate (default: 0.01, adam 0.001)"},
		{0, "loss", "NAME", CLI_WORD, &loss,
		 "train on mse or cross-entropy (default: a random sum of outputs)"},
		{0, "data", "FILE", CLI_STRING, &o.data.data, "inputs; the first run is used, with --loss one a step"},
		{0, "labels", "FILE", CLI_STRING, &o.data.labels, "for --loss: the class of each item, .npy or .csv"},
		{0, "targets", "FILE", CLI_STRING, &o.data.targets,
		 "for --loss: what the output should be, .npy or .csv"},
		{'i', "input", "[NAME=]FILE", CLI_LIST, &o.data.inputs.files, "inputs; FILE is .npy, .npz or .pb"},
		{0, "dim", "NAME=SIZE", CLI_LIST, &o.data.inputs.dims, "size of an open dimension"},
		{0, "seed", "N", CLI_INT, &o.seed, "for made-up inputs, gradients and noise (default: 0)"},
		{0, "no-verify", NULL, CLI_FLAG, &o.swap.no_verify, "do not verify the blamed operators"},
		{0, "all", NULL, CLI_FLAG, &o.all, "print every operator, not only the first ten"},
		{0, "db", "FILE", CLI_STRING, &j.all.keeper.db, "store for findings (default: assay.db)"},
		{0, "no-store", NULL, CLI_FLAG, &o.no_store, "do not record findings"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		CLI_RARE,
		{0, "timeout", "SECONDS", CLI_ABOVE0, &o.limits.run_seconds,
		 "a run that takes longer is a hang (default: 30)"},
		{0, "shard", "K/N", CLI_SPLIT, &j.all.split, "only every N-th model, from the K-th on"},
		{0, "training-form", NULL, CLI_FLAG, &o.training_form,
		 "with --loss: normalize by the mini-batch; drop out, with the same masks everywhere"},
		{0, "preprocess", "LIST", CLI_STRING, &o.data.preprocess, "what to do to images; see below"},
		{0, "limit-c", "X", CLI_FLOAT, &o.swap.limit_c, "the paper's T_C, for outputs (default: 1.5e-4)"},
		{0, "limit-g", "X", CLI_FLOAT, &o.swap.limit_g, "the paper's T_G, for gradients (default: 1.5e-4)"},
		{0, "noise-limit", "X", CLI_FLOAT, &o.swap.judge.limit,
		 "largest noise ratio of a right answer (default: 20)"},
		{0},
	};

	status = model_job_main(&j.all, c, options, run, &j, &o.json);
	dataset_options_release(&o.data);
	return status;
}
