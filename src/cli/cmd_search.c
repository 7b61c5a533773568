/* cmd_search.c - assay search: a genetic search over networks, inputs and weights (Audee). */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/place.h"
#include "base/progress.h"
#include "case/inputs.h"
#include "case/zoo_model.h"
#include "cli/cli.h"
#include "cli/search_print.h"
#include "methods/search/keep.h"
#include "ops/attr.h"
#include "triage/subject.h"

int cmd_search(struct cli *c);

static volatile sig_atomic_t stop;

static const char notes[] =
	"models:\n"
	"  Files, or names of the zoo; without any the seven seed networks of the paper.\n"
	"levels:\n"
	"  network  parameters, and layers more, less or others, as data/layers.yaml says\n"
	"  input, weight, both  numbers, on the network itself and on sound variants of it (--bases)\n"
	"fitness:\n"
	"  inconsistency (distance of two libraries before the decision, against its margin), nan (spread of the\n"
	"  values there), both, distance (as in the paper, against nothing), or none: by chance\n"
	"Ctrl-C ends with the case at hand; --resume goes on with the model that was not done.\n";

struct options {
	const char *backends, *levels, *fitness, *until, *layers, *time, *db, *output;
	struct texts dims;
	int64_t seed, jobs, cases, population, parents, bases, keep;
	struct search_options search;
	int json, no_store, no_localize, resume;
};

/* What one run of the verb holds. */
struct job {
	struct options *o;
	struct spec_list specs;
	struct crew *crew;
	struct layers *layers;
	struct quirks quirks;
	struct search_keeper keeper;
	struct campaign campaign;
	struct progress progress;
	FILE *out;
	json_t *models;      /* reports of those that are done */
	json_t *nan_sources; /* of the model at hand: operator → cases */
	double start;
};

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static void catch_signals(void)
{
	struct sigaction catch = {.sa_handler = on_signal};

	sigemptyset(&catch.sa_mask);
	sigaction(SIGINT, &catch, NULL);
	sigaction(SIGTERM, &catch, NULL);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static int level_of(const char *word, size_t n)
{
	for (int i = 0; i < SEARCH_LEVELS; i++)
		if (strlen(search_level_names[i]) == n && !strncmp(search_level_names[i], word, n))
			return i;
	return -1;
}

static int read_levels(const char *list, unsigned *out, struct err *e)
{
	for (const char *p = list; p && *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		int level = level_of(p, n);

		if (level < 0)
			return err_set(e, ERR_USAGE, "no level '%.*s': there are network, input, weight and both",
				       (int)n, p);
		*out |= 1u << level;
		p += n;
	}
	return 0;
}

static int read_fitness(const char *what, const char *word, unsigned *out, struct err *e)
{
	static const struct {
		const char *word;
		unsigned fitness;
	} words[] = {{"inconsistency", SEARCH_INCONSISTENCY},
		     {"nan", SEARCH_NAN},
		     {"distance", SEARCH_DISTANCE},
		     {"both", SEARCH_INCONSISTENCY | SEARCH_NAN},
		     {"none", SEARCH_RANDOM}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i].word, word)) {
			*out = words[i].fitness;
			return 0;
		}
	return err_set(e, ERR_USAGE, "%s takes inconsistency, nan, both, distance or none, not '%s'", what, word);
}

static int check_numbers(const struct options *o, struct err *e)
{
	const int64_t numbers[] = {o->jobs, o->cases, o->population, o->parents, o->bases, o->keep};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i] < 0 || numbers[i] > 1000000)
			return err_set(e, ERR_USAGE, "numbers of cases, jobs and the like are 0 to 1000000");
	if (o->search.crossover < 0 || o->search.crossover > 1 || o->search.mutation < 0 || o->search.mutation > 1)
		return err_set(e, ERR_USAGE, "--crossover and --mutation take 0 to 1");
	return 0;
}

/* ---- seeds ------------------------------------------------------------------------------------------------------- */

/* Words of a text may be any that the table of an embedding has. */
static void index_range(const struct graph *g, struct number_range *out)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		if (!*n->domain && !strcmp(n->op_type, "Gather") && n->n_in == 2 && n->in[0] && n->in[0]->init &&
		    n->in[1] && n->in[1]->is_input && n->in[0]->init->rank && !attr_int(n, "axis"))
			*out = (struct number_range){1, 1, 0, (double)(n->in[0]->init->dims[0] - 1)};
	}
}

static int make_seed(const struct options *o, const char *name, struct trial *out, struct err *e)
{
	struct input_options in = {.dims = o->dims, .seed = (uint64_t)o->seed};
	struct value **inputs = NULL;
	struct model *m = NULL;
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = zoo_model_open(name, (uint64_t)o->seed, &bytes, &m, e);
	if (!rc) {
		index_range(m->graph, &in.random);
		rc = inputs_make(m->graph, &in, &inputs, e);
		if (rc)
			rc = err_prefix(e, "%s", name);
	}
	if (!rc)
		return trial_init_bytes(out, m, &bytes, inputs, (uint64_t)o->seed, e);
	model_free(m);
	buf_release(&bytes);
	return rc;
}

/* ---- one model --------------------------------------------------------------------------------------------------- */

static int on_failure(const struct search_failure *f, void *arg, struct err *e)
{
	struct job *j = arg;

	return search_keep(&j->keeper, f, e);
}

static void on_nan_source(const char *op, void *arg)
{
	struct job *j = arg;
	json_int_t n = json_integer_value(json_object_get(j->nan_sources, op));

	json_object_set_new(j->nan_sources, op, json_integer(n + 1));
}

static void on_progress(enum search_level level, size_t done, size_t total, void *arg)
{
	struct job *j = arg;
	char now[512];

	snprintf(now, sizeof now, "%s, %s level, %zu failures", j->keeper.model, search_level_names[level],
		 j->keeper.seen);
	j->progress.total = total;
	progress_step(&j->progress, done, now);
}

static void print_findings(const struct job *j, size_t from)
{
	for (size_t i = from; i < json_array_size(j->keeper.findings); i++)
		search_print_finding(j->out, json_array_get(j->keeper.findings, i));
}

static int search_model(struct job *j, const char *name, struct err *e)
{
	size_t from = json_array_size(j->keeper.findings);
	struct search_result result = {0};
	struct search_model_report report = {.model = name, .result = &result};
	struct trial seed = {0};
	int rc = make_seed(j->o, name, &seed, e);

	if (rc)
		return rc;
	j->keeper.model = name;
	report.nan_sources = j->nan_sources = json_object();
	progress_start(&j->progress, "cases", 0);
	rc = search_run(&seed, j->crew, &j->o->search, &result, e);
	progress_end(&j->progress);
	if (rc == ERR_INPUT)
		rc = err_prefix(e, "%s", name);
	report.nodes = seed.model->graph->nodes.n;
	if (!rc) {
		json_array_append_new(j->models, search_model_json(&report));
		for (int i = 0; i < SEARCH_LEVELS; i++)
			j->campaign.cases += (int64_t)result.levels[i].cases;
		if (!j->o->json) {
			search_print_model(j->out, &report);
			print_findings(j, from);
		}
	}
	json_decref(j->nan_sources);
	trial_release(&seed);
	return rc;
}

/* ---- campaigns --------------------------------------------------------------------------------------------------- */

/* A run that was interrupted goes on behind the models it had done. */
static int open_campaign(struct job *j, size_t *done, struct err *e)
{
	const struct options *o = j->o;
	json_t *state;
	int rc = search_keep_open(&j->keeper, e);

	if (!rc)
		rc = store_campaign_open(j->keeper.store, "search", j->keeper.command, o->backends, (uint64_t)o->seed,
					 o->resume, &j->campaign, e);
	if (rc)
		return rc;
	j->keeper.campaign = j->campaign.id;
	state = json_loadb(j->campaign.state.p ? j->campaign.state.p : "", j->campaign.state.n, 0, NULL);
	if (json_is_array(json_object_get(state, "models")))
		json_array_extend(j->models, json_object_get(state, "models"));
	if (json_is_array(json_object_get(state, "findings")))
		json_array_extend(j->keeper.findings, json_object_get(state, "findings"));
	*done = json_array_size(j->models);
	json_decref(state);
	return 0;
}

static int save_campaign(struct job *j, int done, double since, struct err *e)
{
	json_t *state = json_pack("{s:O, s:O}", "models", j->models, "findings", j->keeper.findings);
	char *text = state ? json_dumps(state, JSON_COMPACT) : NULL;
	int rc = text ? 0 : err_nomem(e, "a campaign", 0);

	if (!rc) {
		struct campaign c = j->campaign;

		c.state = (struct bytes){text, strlen(text)};
		c.done = done;
		c.seconds = j->campaign.seconds + clock_now() - since;
		rc = store_campaign_save(j->keeper.store, &c, e);
	}
	mem_free(text);
	json_decref(state);
	return rc;
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int load_data(struct job *j, struct err *e)
{
	char path[PLACE_PATH];
	int rc = place_data_file(j->o->layers, "layers.yaml", path, e);

	if (!rc)
		rc = layers_load(path, &j->layers, e);
	if (!rc)
		rc = place_data_file(NULL, "quirks.tsv", path, e);
	return rc ? rc : quirks_load(path, &j->quirks, e);
}

static int prepare(struct job *j, struct err *e)
{
	struct options *o = j->o;
	double seconds = 0;
	int rc = check_numbers(o, e);

	if (!rc)
		rc = read_levels(o->levels, &o->search.levels, e);
	if (!rc)
		rc = read_fitness("--fitness", o->fitness, &o->search.fitness, e);
	if (!rc)
		rc = read_fitness("--until", o->until, &o->search.until, e);
	if (!rc && o->search.until & SEARCH_DISTANCE)
		rc = err_set(e, ERR_USAGE, "--until takes nan, inconsistency or both: a distance is never reached");
	if (!rc && o->time)
		rc = subject_seconds(o->time, &seconds, e);
	if (!rc)
		rc = load_data(j, e);
	if (!rc)
		rc = spec_make_list(o->backends, &j->specs, e);
	if (!rc)
		rc = crew_open(&j->specs, (size_t)o->jobs, &j->crew, e);
	if (rc)
		return rc;
	o->search.deadline = seconds > 0 ? clock_now() + seconds : 0;
	o->search.stop = &stop;
	o->search.seed = (uint64_t)o->seed;
	o->search.cases = (size_t)o->cases;
	o->search.population = (size_t)o->population;
	o->search.parents = (size_t)o->parents;
	o->search.bases = (size_t)o->bases;
	o->search.judge.quirks = j->keeper.quirks = &j->quirks;
	o->search.layers = j->layers;
	o->search.failure = on_failure;
	o->search.nan_source = on_nan_source;
	o->search.progress = on_progress;
	o->search.arg = j;
	j->keeper.judge = o->search.judge;
	return 0;
}

static int run(struct job *j, const struct texts *names, struct err *e)
{
	size_t done = 0, n = 0;
	int rc = prepare(j, e);

	j->start = clock_now();
	catch_signals();
	if (!rc && !j->o->no_store)
		rc = open_campaign(j, &done, e);
	for (size_t i = 0; i < names->n && !rc; i++) {
		if (n++ < done)
			continue;
		if (j->o->search.deadline > 0 && clock_now() >= j->o->search.deadline)
			break; /* --resume goes on from here */
		rc = search_model(j, names->at[i], e);
		if (stop)
			break; /* the same */
		if (!rc && !j->o->no_store)
			rc = save_campaign(j, i + 1 == names->n, j->start, e);
	}
	return rc;
}

static void print_json(const struct job *j)
{
	json_t *backends = json_array(), *root;

	for (size_t i = 0; i < j->specs.n; i++)
		json_array_append_new(backends, json_string(j->specs.at[i].name));
	root = json_pack("{s:o, s:I, s:O, s:O, s:I, s:I, s:f}", "backends", backends, "seed", (json_int_t)j->o->seed,
			 "models", j->models, "findings", j->keeper.findings, "failures", (json_int_t)j->keeper.seen,
			 "stored", (json_int_t)j->keeper.stored, "seconds", clock_now() - j->start);
	json_dumpf(root, j->out, JSON_INDENT(1));
	fputc('\n', j->out);
	json_decref(root);
}

static int run_and_print(struct job *j, struct texts *names)
{
	struct err e = ERR_INIT;
	struct texts seeds = {0};
	const char *at[64];
	int rc;

	for (const struct zoo_row *row = zoo_rows; !names->n && row->name; row++)
		if (row->network->seed_of_papers)
			at[seeds.n++] = row->name;
	seeds.at = at;
	rc = run(j, names->n ? names : &seeds, &e);
	if (rc)
		return cli_fail(&e);
	if (j->o->json)
		print_json(j);
	else
		fprintf(j->out, "%zu failures, %zu findings recorded\n", j->keeper.seen, j->keeper.stored);
	return j->keeper.confirmed || json_array_size(j->keeper.findings) ? CLI_FINDINGS : CLI_OK;
}

int cmd_search(struct cli *c)
{
	struct options o = {.backends = "reference,ort", .fitness = "both", .until = "none"};
	struct job j = {.o = &o, .out = c->out};
	struct texts names = {0};
	struct err e = ERR_INIT;
	struct buf command;
	int rc, status;
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.backends, "backends (default: reference,ort)"},
		{0, "level", "LIST", CLI_STRING, &o.levels, "network, input, weight, both (default: all)"},
		{0, "fitness", "WORD", CLI_STRING, &o.fitness, "what the search is drawn to (default: both)"},
		{0, "cases", "N", CLI_INT, &o.cases, "cases of each level on each base (default: 100)"},
		{0, "bases", "N", CLI_INT, &o.bases, "networks whose numbers are searched (default: 2)"},
		{0, "population", "N", CLI_INT, &o.population, "n (default: 12)"},
		{0, "parents", "N", CLI_INT, &o.parents, "m, the fittest that have children (default: 3)"},
		{0, "crossover", "X", CLI_FLOAT, &o.search.crossover, "r1 (default: 0.5)"},
		{0, "mutation", "X", CLI_FLOAT, &o.search.mutation, "r2 (default: 0.8)"},
		{0, "layers", "FILE", CLI_STRING, &o.layers, "parameters and their values (default: data/layers.yaml)"},
		{0, "until", "WORD", CLI_STRING, &o.until, "nan, inconsistency, both: a level ends with the first"},
		{0, "dim", "NAME=SIZE", CLI_LIST, &o.dims, "size of an open dimension"},
		{0, "seed", "N", CLI_INT, &o.seed, "of everything drawn (default: 0)"},
		{0, "time", "TIME", CLI_STRING, &o.time, "most time, such as 90s, 5m or 1h (default: no limit)"},
		{'j', "jobs", "N", CLI_INT, &o.jobs, "backends that work at a time (default: all)"},
		{0, "noise-limit", "X", CLI_FLOAT, &o.search.judge.limit, "largest noise ratio of a right answer"},
		{0, "no-judge", NULL, CLI_FLAG, &o.search.no_judge, "without the reference: only counts of the paper"},
		{0, "no-localize", NULL, CLI_FLAG, &o.no_localize, "verdicts only"},
		{0, "keep", "N", CLI_INT, &o.keep, "failures of one kind that are looked into (default: 2)"},
		{'o', "output", "DIR", CLI_STRING, &o.output, "write each of these as a folder"},
		{0, "db", "FILE", CLI_STRING, &o.db, "store for findings (default: assay.db)"},
		{0, "no-store", NULL, CLI_FLAG, &o.no_store, "do not record findings"},
		{0, "resume", NULL, CLI_FLAG, &o.resume, "go on where the same command was interrupted"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		{0},
	};

	c->notes = notes;
	rc = cli_parse(c, options, &names, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	buf_init(&command, 65536);
	cli_command(c, "--resume", &command); /* a run that goes on is the same campaign */
	j.models = json_array();
	j.keeper = (struct search_keeper){.db = o.db,
					  .folder = o.output,
					  .no_store = o.no_store,
					  .no_localize = o.no_localize,
					  .per_kind = (size_t)o.keep,
					  .command = command.data ? command.data : "",
					  .findings = json_array()};
	status = run_and_print(&j, &names);
	crew_close(j.crew);
	search_keep_release(&j.keeper);
	campaign_release(&j.campaign);
	json_decref(j.models);
	layers_free(j.layers);
	quirks_release(&j.quirks);
	spec_list_release(&j.specs);
	buf_release(&command);
	vec_release(&o.dims);
	vec_release(&names);
	return status;
}
