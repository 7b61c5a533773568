/* model_job.c - see model_job.h. */
#include "cli/model_job.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "case/planted.h"
#include "cli/tally_print.h"
#include "cli/terminal.h"
#include "judge/parties.h"
#include "store/record.h"

#define SUMMARY_COLUMNS 4

/* ---- tables at the end ------------------------------------------------------------------------------------------- */

static int add_line(struct model_job *j, const struct model_line *l, struct err *e)
{
	struct model_line own = *l;

	own.model = arena_strdup(&j->arena, l->model);
	own.backend = arena_strdup(&j->arena, l->backend);
	own.verdict = arena_strdup(&j->arena, l->verdict);
	own.note = arena_strdup(&j->arena, l->note);

	if (!own.model || !own.backend || !own.verdict || !own.note || vec_push(&j->lines, own))
		return err_nomem(e, "a summary", 0);
	return 0;
}

int model_job_note(struct model_job *j, const char *model, size_t i, enum verdict v, const char *note,
		   const struct tally *t, struct err *e)
{
	struct model_line l = {
		.model = model, .backend = j->specs.at[i].name, .verdict = verdict_name(v), .note = note};

	if (!t)
		return add_line(j, &l, e);
	l.judges = 1;
	l.tally = *t;
	if (!j->tallies && !(j->tallies = mem_array(j->specs.n + 1, sizeof *j->tallies)))
		return err_nomem(e, "counts", 0);
	tally_add(&j->tallies[i], t);
	return add_line(j, &l, e);
}

/* One line a model and backend. */
static void print_summary(const struct model_job *j)
{
	static const struct term_column columns[SUMMARY_COLUMNS] = {
		{"model", 0, 12}, {"backend", 0, 8}, {"verdict", 0, 0}, {"note", 0, 16}};
	const char **cells = mem_array(SUMMARY_COLUMNS * j->lines.n + 1, sizeof *cells);

	for (size_t i = 0; cells && i < j->lines.n; i++) {
		const struct model_line *l = &j->lines.at[i];

		cells[SUMMARY_COLUMNS * i] = l->model;
		cells[SUMMARY_COLUMNS * i + 1] = l->backend;
		cells[SUMMARY_COLUMNS * i + 2] = l->verdict;
		cells[SUMMARY_COLUMNS * i + 3] = l->note;
	}
	if (cells)
		terminal_table(j->out, columns, SUMMARY_COLUMNS, cells, j->lines.n, terminal_columns(j->out));
	mem_free(cells);
}

static int print_tallies(const struct model_job *j, int json, int status)
{
	struct tally_row *rows = j->tallies ? mem_array(j->specs.n + 1, sizeof *rows) : NULL;

	for (size_t i = 0; rows && i < j->specs.n; i++)
		rows[i] = (struct tally_row){j->specs.at[i].name, j->tallies[i]};
	if (rows)
		status = tally_print(json ? NULL : j->out, rows, j->specs.n, status);
	mem_free(rows);
	return status;
}

/* What was judged, for reports. */
static void keep_tallies(const struct model_job *j, double seconds)
{
	struct store_tally *all = mem_array(j->lines.n + 1, sizeof *all);
	struct store_run r = {.db = j->keeper.db,
			      .method = j->keeper.method,
			      .command = j->keeper.command,
			      .seed = j->seed,
			      .seconds = seconds,
			      .at = all};

	for (size_t i = 0; all && i < j->lines.n; i++) {
		const struct model_line *l = &j->lines.at[i];

		if (l->judges)
			all[r.n++] = (struct store_tally){.model = l->model,
							  .backend = l->backend,
							  .verdict = l->verdict,
							  .note = l->note,
							  .tally = l->tally};
	}
	if (all)
		store_record_run(&r);
	mem_free(all);
}

/* ---- all models -------------------------------------------------------------------------------------------------- */

static void print_list(const struct model_job *j)
{
	cli_print_json(j->out, json_incref(json_array_size(j->list) == 1 ? json_array_get(j->list, 0) : j->list));
}

int model_job_main(struct model_job *j, struct cli *c, const struct cli_option *options, model_job_run *run, void *arg,
		   const int *json)
{
	struct texts models = {0};
	struct err e = ERR_INIT;
	double start = clock_now();
	int rc, status;

	c->verdicts = c->networks = 1;
	c->notes = dataset_notes;
	rc = cli_parse(c, options, &models, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	j->out = c->out;
	j->json = *json;
	j->list = json_array();
	buf_init(&j->command, 65536);
	cli_command(c, NULL, &j->command);
	j->keeper.command = j->command.data ? j->command.data : "";
	if (!models.n)
		rc = err_set(&e, ERR_USAGE, "%s needs at least one model; see 'assay help %s'", c->verb, c->verb);
	if (!rc)
		rc = run(&models, arg, &e);
	status = rc ? cli_fail(&e) : j->findings ? CLI_FINDINGS : j->failed ? CLI_BAD_INPUT : CLI_OK;
	if (!rc && *json)
		print_list(j);
	else if (!rc && models.n > 1 && j->lines.n)
		print_summary(j);
	if (!rc)
		status = print_tallies(j, *json, status);
	if (!rc && keeper_check(&j->keeper, &e))
		status = cli_fail(&e);
	else if (!rc && !j->no_store)
		keep_tallies(j, clock_now() - start);
	parties_close(j->parties, j->specs.n);
	mem_free(j->tallies);
	vec_release(&j->lines);
	arena_release(&j->arena);
	json_decref(j->list);
	keeper_close(&j->keeper);
	quirks_release(&j->quirks);
	spec_list_release(&j->specs);
	buf_release(&j->command);
	vec_release(&models);
	return status;
}

/* Goes on behind a model that failed, unless assay itself did. */
static int pass_over(struct model_job *j, const char *model, int rc, struct err *e)
{
	const struct err why = *e;
	size_t n = strlen(model);
	int told = !strncmp(why.msg, model, n) && !strncmp(why.msg + n, ": ", 2); /* the line has the name already */
	const struct model_line l = {
		.model = model, .backend = "-", .verdict = "error", .note = why.msg + (told ? n + 2 : 0)};

	if (!rc || rc == ERR_MEMORY || rc == ERR_INTERNAL)
		return rc;
	cli_fail(&why);
	j->failed = 1;
	err_clear(e);
	json_array_append_new(j->list, json_pack("{s:o, s:s, s:o}", "model", json_text(model), "verdict", "error",
						 "error", json_text(why.msg)));
	return add_line(j, &l, e);
}

int model_job_each(struct model_job *j, const struct texts *models, const struct dataset_options *o, uint64_t seed,
		   model_job_fn *fn, void *arg, struct err *e)
{
	size_t told = 0; /* reports in the list */
	int rc = 0;

	j->seed = seed;
	for (size_t i = 0; i < models->n && !rc; i++) {
		struct dataset data = {0};
		struct trial t = {0};

		if (!split_has(&j->split, i))
			continue;
		rc = dataset_open(models->at[i], o, seed, &data, &t, e);
		if (!rc)
			rc = planted_check(j->specs.at, j->specs.n, models->at[i], t.model, e);
		if (!rc)
			cli_warn_of(t.model);
		if (!rc && !j->json)
			cli_tell_sizes(j->out, data.sizes, NULL);
		if (!rc)
			rc = fn(models->at[i], &t, &data, arg, e);
		progress_end(&j->bar);
		for (; !rc && told < json_array_size(j->list); told++)
			cli_tell_sizes(j->out, data.sizes, json_array_get(j->list, told));
		if (models->n > 1)
			rc = pass_over(j, models->at[i], rc, e);
		told = json_array_size(j->list);
		trial_release(&t);
		dataset_release(&data);
	}
	return rc;
}

void model_job_progress(const char *backend, size_t done, size_t total, void *arg)
{
	struct progress *p = arg;

	p->total = total;
	progress_step(p, done, backend);
}

struct check_data model_job_data(const struct dataset *d, const struct dataset_options *o)
{
	return (struct check_data){.runs = d->runs,
				   .n = d->n,
				   .batch = d->batch,
				   .labels = d->labels,
				   .labels_each = d->labels_each,
				   .targets = d->targets,
				   .expected = d->expected,
				   .expected_files = &o->expect};
}

int model_job_check(struct model_job *j, const struct worker_limits *limits, struct trial *t,
		    const struct check_data *data, const struct check_options *o, struct check_result *out,
		    struct err *e)
{
	struct check_options with_bar = *o;
	int rc = j->parties ? parties_open_closed(&j->specs, limits, j->parties, e)
			    : parties_open(&j->specs, limits, &j->parties, e);

	if (rc)
		return rc;
	progress_start(&j->bar, "inputs", data->n);
	with_bar.progress = model_job_progress;
	with_bar.progress_arg = &j->bar;
	return check_run(t, j->parties, j->specs.n, data, &with_bar, out, e);
}

void model_job_checked(struct model_job *j, struct check_result *r)
{
	if (j->parties)
		check_take_back(r, j->parties);
	check_result_release(r);
}
