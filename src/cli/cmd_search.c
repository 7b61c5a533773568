/* cmd_search.c - assay search: a genetic search over networks, inputs and weights (Audee). */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/search_print.h"
#include "cli/search_status.h"
#include "cli/stop.h"
#include "cli/tally_print.h"
#include "methods/search/campaign.h"
#include "store/record.h"

int cmd_search(struct cli *c);

static const char notes[] =
	"models:\n"
	"  Files, or names of the zoo; without any the seven seed networks of the paper.\n"
	"levels:\n"
	"  network  change parameters; add, remove or replace layers (data/layers.yaml)\n"
	"  input, weight, both  change numbers, of the network itself and of valid variants of it (--bases)\n"
	"fitness:\n"
	"  inconsistency (distance of two libraries before the decision, against its margin), nan (spread of the\n"
	"  values there), both, distance (as in the paper, against nothing), coverage (values there that are far from\n"
	"  all before: TensorFuzz, to compare with), or none: by chance\n"
	"Ctrl-C stops after the current case; --resume continues with the model that was not done.\n";

struct cmd_search_options {
	struct cli_word levels, fitness, until;
	int64_t seed, jobs, cases, population, parents, bases, keep, amplify;
	int json;
	struct search_campaign campaign;
};

/* ---- words ------------------------------------------------------------------------------------------------------- */

static const char *const fitness_words[] = {"inconsistency", "nan", "both", "none", "distance", "coverage", NULL};
static const char *const until_words[] = {"inconsistency", "nan", "both", "none", NULL}; /* a distance never ends */
static const unsigned fitness_bits[] = {SEARCH_INCONSISTENCY, SEARCH_NAN,      SEARCH_INCONSISTENCY | SEARCH_NAN,
					SEARCH_RANDOM,        SEARCH_DISTANCE, SEARCH_COVERAGE};

static int is_rate(double x)
{
	return x >= 0 && x <= 1;
}

static int check_numbers(const struct cmd_search_options *o, struct err *e)
{
	const int64_t numbers[] = {o->jobs,  o->cases, o->population,     o->parents,
				   o->bases, o->keep,  o->campaign.items, o->amplify};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i] < 0 || numbers[i] > 1000000)
			return err_set(e, ERR_USAGE, "numbers of cases, jobs and the like are 0 to 1000000");
	if (o->campaign.items && !o->campaign.data)
		return err_set(e, ERR_USAGE, "--items needs --data");
	if (!is_rate(o->campaign.search.crossover) || !is_rate(o->campaign.search.mutation))
		return err_set(e, ERR_USAGE, "--crossover and --mutation take 0 to 1");
	return 0;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

struct screen {
	FILE *out;
	int json;
	struct search_status status;
};

static void show_progress(const struct search_campaign *c, enum search_level level, size_t done, size_t total)
{
	struct screen *s = c->arg;

	search_status_case(&s->status, level, done, total);
}

static void show_model(const struct search_campaign *c, const struct search_model_report *r, size_t from)
{
	struct screen *s = c->arg;

	search_status_clear(&s->status);
	if (s->json)
		return;
	search_print_model(s->out, r);
	for (size_t i = from; i < json_array_size(c->keeper.findings); i++)
		search_print_finding(s->out, json_array_get(c->keeper.findings, i));
}

static json_t *campaign_json(const struct search_campaign *c)
{
	json_t *backends = json_array();

	for (size_t i = 0; i < c->specs->n; i++)
		json_array_append_new(backends, json_string(c->specs->at[i].name));
	return json_pack("{s:o, s:I, s:O, s:O, s:I, s:I, s:f}", "backends", backends, "seed",
			 (json_int_t)c->search.seed, "models", c->models, "findings", c->keeper.findings, "failures",
			 (json_int_t)c->keeper.seen, "stored", (json_int_t)c->keeper.stored, "seconds", c->seconds);
}

static int print_counts(const struct screen *s, const struct search_campaign *c, int status)
{
	const struct store_progress progress = search_campaign_progress(c);
	struct tally_row *rows = mem_array(c->specs->n + 1, sizeof *rows);

	for (size_t i = 0; rows && i < c->specs->n; i++)
		rows[i] = (struct tally_row){c->specs->at[i].name, search_campaign_tally(c, i)};
	if (rows)
		status = tally_print(s->json ? NULL : s->out, rows, c->specs->n, status);
	if (rows && c->stored.id)
		store_record_rows(&(struct store_run){.db = c->keeper.keeper.db,
						      .campaign = c->stored.id,
						      .seconds = c->seconds,
						      .progress = &progress},
				  rows, c->specs->n);
	mem_free(rows);
	return status;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int read_options(struct cmd_search_options *o, struct err *e)
{
	struct search_options *s = &o->campaign.search;
	int rc = check_numbers(o, e);

	s->levels = o->levels.chosen;
	s->fitness = fitness_bits[o->fitness.at];
	s->until = fitness_bits[o->until.at];
	s->stop = &stop_asked;
	s->seed = (uint64_t)o->seed;
	s->cases = (size_t)o->cases;
	s->population = (size_t)o->population;
	s->parents = (size_t)o->parents;
	s->bases = (size_t)o->bases;
	o->campaign.jobs = (size_t)o->jobs;
	o->campaign.keeper.kinds.first = (size_t)o->keep;
	o->campaign.keeper.causal.steps = (size_t)o->amplify;
	return rc;
}

static int run(struct cli *c, const struct texts *names, void *arg, struct err *e)
{
	struct cmd_search_options *o = arg;
	struct search_campaign *s = &o->campaign;
	struct screen screen = {.out = c->out, .json = o->json};
	struct spec_list specs = VEC_INIT;
	struct buf command, key;
	int rc = read_options(o, e);

	buf_init(&command, 65536);
	buf_init(&key, 65536);
	cli_command(c, NULL, &command);
	cli_command(c, "--resume --time=", &key); /* a run that goes on, for longer or not, is the same campaign */
	s->keeper.keeper.command = command.data ? command.data : "";
	s->key = key.data ? key.data : "";
	s->progress = show_progress;
	s->done = show_model;
	s->arg = &screen;
	s->specs = &specs;
	if (!rc)
		rc = spec_make_list(s->backends, &specs, e);
	stop_on(SIGINT);
	stop_on(SIGTERM);
	search_status_start(&screen.status, s);
	if (!rc)
		rc = search_campaign_run(s, names, e);
	search_status_end(&screen.status);
	if (!rc && o->json)
		rc = cli_print_json(c->out, campaign_json(s));
	else if (!rc)
		fprintf(c->out, "%zu failure%s, %zu finding%s recorded\n", s->keeper.seen, PLURAL(s->keeper.seen),
			s->keeper.stored, PLURAL(s->keeper.stored));
	if (!rc && (s->keeper.confirmed || json_array_size(s->keeper.findings)))
		rc = CLI_FINDINGS;
	if (rc >= 0)
		rc = print_counts(&screen, s, rc);
	if (rc >= 0 && keeper_check(&s->keeper.keeper, e))
		rc = e->code;
	search_campaign_release(s);
	spec_list_release(&specs);
	buf_release(&command);
	buf_release(&key);
	return rc;
}

int cmd_search(struct cli *c)
{
	struct cmd_search_options o = {
		.campaign = {.backends = "reference,ort"},
		.levels = {.words = search_level_names},
		.fitness = {.words = fitness_words, .at = 2},
		.until = {.words = until_words, .at = 3},
	};
	int status;
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.campaign.backends, "backends (default: reference,ort)"},
		{0, "level", "LIST", CLI_WORDS, &o.levels, "network, input, weight, both (default: all)"},
		{0, "fitness", "WORD", CLI_WORD, &o.fitness,
		 "what to raise: inconsistency, nan, both (default), distance, coverage, none"},
		{0, "cases", "N", CLI_COUNT, &o.cases, "cases of each level on each base network (default: 100)"},
		{0, "until", "WORD", CLI_WORD, &o.until, "end a level with its first nan, inconsistency, or both"},
		{0, "data", "FILE", CLI_STRING, &o.campaign.data,
		 "inputs in place of made-up ones, as 'check' takes them"},
		{0, "items", "N", CLI_COUNT, &o.campaign.items,
		 "run N items of the data at once (default: the model's batch)"},
		{0, "dim", "NAME=SIZE", CLI_LIST, &o.campaign.dims, "size of an open dimension"},
		{0, "seed", "N", CLI_INT, &o.seed, "for everything drawn (default: 0)"},
		{0, "time", "TIME", CLI_TIME, &o.campaign.limit,
		 "stop after this time: 90s, 5m, 1h (default: no limit)"},
		{'j', "jobs", "N", CLI_COUNT, &o.jobs, "backends that run at a time (default: all)"},
		{'o', "output", "DIR", CLI_STRING, &o.campaign.keeper.folder,
		 "write each failure that was looked into as a folder"},
		{0, "resume", NULL, CLI_FLAG, &o.campaign.resume, "continue where the same command was interrupted"},
		{0, "no-localize", NULL, CLI_FLAG, &o.campaign.keeper.no_localize,
		 "only verdicts: do not look for the guilty node"},
		{0, "db", "FILE", CLI_STRING, &o.campaign.keeper.keeper.db, "store for findings (default: assay.db)"},
		{0, "no-store", NULL, CLI_FLAG, &o.campaign.keeper.no_store, "do not record findings"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		CLI_RARE,
		{0, "shard", "K/N", CLI_SPLIT, &o.campaign.split, "only every N-th model, from the K-th on"},
		{0, "preprocess", "LIST", CLI_STRING, &o.campaign.preprocess,
		 "what to do to images, as 'check' takes it"},
		{0, "nan-layers", NULL, CLI_FLAG, &o.campaign.search.nan_layers,
		 "look for NaN in every layer; makes each an output, so less is fused"},
		{0, "gradients", NULL, CLI_FLAG, &o.campaign.search.gradients,
		 "half of the numbers follow the reference's gradient towards another class"},
		{0, "bases", "N", CLI_INT, &o.bases, "networks whose numbers are searched (default: 2)"},
		{0, "save-bases", "DIR", CLI_STRING, &o.campaign.bases, "write these networks, with their inputs"},
		{0, "population", "N", CLI_COUNT, &o.population, "size of a generation, n (default: 12)"},
		{0, "parents", "N", CLI_COUNT, &o.parents, "the fittest m, which have children (default: 3)"},
		{0, "crossover", "X", CLI_FLOAT, &o.campaign.search.crossover, "rate r1 (default: 0.5)"},
		{0, "mutation", "X", CLI_FLOAT, &o.campaign.search.mutation, "rate r2 (default: 0.8)"},
		{0, "t1", "X", CLI_FLOAT, &o.campaign.keeper.causal.inconsistent,
		 "localize layers whose change rate is above X (default: 1000)"},
		{0, "t2", "X", CLI_FLOAT, &o.campaign.keeper.causal.consistent,
		 "a difference is gone below this change rate (default: when rounding explains it)"},
		{0, "amplify", "N", CLI_INT, &o.amplify, "steps that try to bring a difference back (default: 6)"},
		{0, "layers", "FILE", CLI_STRING, &o.campaign.layers,
		 "layer parameters and their values (default: data/layers.yaml)"},
		{0, "noise-limit", "X", CLI_FLOAT, &o.campaign.search.judge.limit,
		 "largest noise ratio of a right answer (default: 20)"},
		{0, "no-judge", NULL, CLI_FLAG, &o.campaign.search.no_judge,
		 "do not ask the reference: only the paper's counts"},
		{0, "keep", "N", CLI_COUNT, &o.keep, "failures of one kind to look into (default: 2)"},
		{0},
	};

	c->verdicts = c->networks = 1;
	c->notes = notes;
	status = cli_main(c, options, run, &o);
	vec_release(&o.campaign.dims);
	return status;
}
