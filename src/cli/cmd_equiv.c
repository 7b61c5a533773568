/* cmd_equiv.c - assay equiv: equivalence rules inside one library (EAGLE). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/place.h"
#include "cli/cli.h"
#include "cli/equiv_print.h"
#include "cli/equiv_status.h"
#include "cli/tally_print.h"
#include "methods/equiv/shown.h"
#include "store/record.h"
#include "worker/parent/spec.h"

int cmd_equiv(struct cli *c);

struct cmd_equiv_options {
	const char *backend, *db, *folder, *learn, *python;
	struct equiv_options equiv;
	int64_t seed, inputs, jobs;
	int json, list, rules, no_store, invalid;
};

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void print(struct cli *c, const struct equiv *q, const struct cmd_equiv_options *o)
{
	json_t *j;

	if (!o->json) {
		equiv_print_text(c->out, q, &o->equiv);
		return;
	}
	j = equiv_json(q, &o->equiv);
	cli_print_json(c->out, j);
}

static int print_counts(struct cli *c, const struct equiv *q, const struct cmd_equiv_options *o)
{
	const struct tally_row row = {q->spec.name, equiv_tally(q)};
	const struct equiv_totals totals = equiv_totals(q);
	const struct store_progress progress = equiv_progress(q, &totals);
	struct store_run record = {.db = o->db,
				   .progress = &progress,
				   .method = "equiv",
				   .seed = o->equiv.seed,
				   .seconds = q->seconds,
				   .open = o->equiv.journal && equiv_is_open(q)};
	struct buf command;

	buf_init(&command, 65536);
	cli_command(c, NULL, &command);
	record.command = command.data;
	if (!o->no_store)
		store_record_rows(&record, &row, 1);
	buf_release(&command);
	return tally_print(o->json ? NULL : c->out, &row, 1, totals.findings ? CLI_FINDINGS : CLI_OK);
}

static int run_pairs(struct cli *c, struct equiv *q, struct cmd_equiv_options *o, struct err *e)
{
	struct equiv_keeper k = {.keeper = {.db = o->db, .method = "equiv"}, .o = &o->equiv};
	struct equiv_status status;
	int rc = o->learn ? 0 : shown_choose(q, o->python, &o->equiv, e);

	if (rc)
		return rc;
	equiv_status_start(&status, q, &o->equiv);
	o->equiv.found = o->no_store ? NULL : equiv_keep;
	o->equiv.found_arg = &k;
	rc = equiv_run(q, &o->equiv, e);
	keeper_close(&k.keeper);
	equiv_status_end(&status);
	if (rc)
		return rc;
	print(c, q, o);
	if (o->learn)
		rc = registry_save(&q->registry, o->learn, e);
	if (!rc && o->folder)
		rc = equiv_save(q, o->folder, e);
	if (rc || o->learn)
		return rc ? rc : CLI_OK;
	rc = print_counts(c, q, o);
	return keeper_check(&k.keeper, e) ? e->code : rc;
}

static void print_rules(FILE *out)
{
	for (const struct equiv_rule *const *r = equiv_rules; *r; r++)
		fprintf(out, "%2d  %-12s  %s\n", (*r)->number, (*r)->id, (*r)->title);
}

/* A list of option sets that the backend does not all have would leave out less than was meant. */
static int check_sets(const char *backend, const char *list, struct err *e)
{
	size_t name = strcspn(backend, "@:="), n;

	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (!spec_find_set(backend, list, n))
			return err_set(e, ERR_USAGE, "--without: '%.*s' is not an option set of '%.*s'", (int)n, list,
				       (int)name, backend);
	}
	return 0;
}

static int check_options(struct cmd_equiv_options *o, const struct texts *rest, struct err *e)
{
	if (rest->n)
		return err_set(e, ERR_USAGE, "equiv takes no '%s'; see 'assay help equiv'", rest->at[0]);
	if (!o->backend && !o->rules)
		return err_set(e, ERR_USAGE,
			       "equiv needs a library, such as -b torch or -b ort; see 'assay help equiv'");
	if (o->inputs < 1 || o->jobs < 1 || o->jobs > 64)
		return err_set(e, ERR_USAGE, "--inputs and --jobs take numbers from 1");
	if (o->equiv.share > 100)
		return err_set(e, ERR_USAGE, "--share takes a percentage up to 100");
	if (o->equiv.without && o->backend && check_sets(o->backend, o->equiv.without, e))
		return ERR_USAGE;
	o->equiv.inputs = (size_t)o->inputs;
	o->equiv.jobs = (size_t)o->jobs;
	o->equiv.seed = (uint64_t)o->seed;
	o->equiv.learn = o->learn != NULL;
	if (o->invalid)
		o->equiv.rule = "invalid";
	return 0;
}

static int run(struct cli *c, const struct texts *rest, void *arg, struct err *e)
{
	char folder[PLACE_PATH], data[PLACE_PATH];
	struct cmd_equiv_options *o = arg;
	struct equiv q = {0};
	int rc = check_options(o, rest, e);

	if (!rc && o->rules) {
		print_rules(c->out);
		return CLI_OK;
	}
	if (!rc)
		rc = place_data(data, e);
	if (!rc)
		rc = place_path(folder, e, "%s/equiv", data);
	if (!rc)
		rc = equiv_open(&q, o->backend, folder, &o->equiv, e);
	if (!rc && !q.n && o->equiv.api && !o->list)
		log_print(LOG_WARNING,
			  "warning: no pair has a name like '%s'; 'assay equiv -b %s --list' lists the operations",
			  o->equiv.api, o->backend);
	if (!rc && o->list)
		equiv_print_list(c->out, &q);
	else if (!rc)
		rc = run_pairs(c, &q, o, e);
	equiv_release(&q);
	return rc;
}

int cmd_equiv(struct cli *c)
{
	struct cmd_equiv_options o = {.inputs = EQUIV_INPUTS,
				      .jobs = 1,
				      .equiv = {.atol = EQUIV_ATOL, .rtol = EQUIV_RTOL, .limits = equiv_limits()}};
	const struct cli_option options[] = {
		{'b', "backend", "NAME", CLI_STRING, &o.backend, "the library"},
		{0, "rule", "N", CLI_STRING, &o.equiv.rule, "one rule, by its number or name (default: all)"},
		{0, "api", "PATTERN", CLI_STRING, &o.equiv.api, "operations whose names match (default: all)"},
		{0, "share", "PERCENT", CLI_ABOVE0, &o.equiv.share, "that part of the names, by chance (default: all)"},
		{0, "against", "NAME", CLI_STRING, &o.equiv.against, "rule 27: another version, or option set (cuda)"},
		{0, "without", "SETS", CLI_STRING, &o.equiv.without, "leave out pairs of option sets: inductor,aot"},
		{0, "inputs", "N", CLI_INT, &o.inputs, "inputs of each pair (default: 400)"},
		{0, "atol", "X", CLI_FLOAT, &o.equiv.atol, "absolute tolerance (default: 0.01)"},
		{0, "rtol", "X", CLI_FLOAT, &o.equiv.rtol, "relative tolerance (default: 1e-5)"},
		{0, "seed", "N", CLI_INT, &o.seed, "of the inputs (default: 0)"},
		{0, "shard", "K/N", CLI_SPLIT, &o.equiv.split, "every N-th pair only, from the K-th on"},
		{0, "jobs", "N", CLI_INT, &o.jobs, "pairs side by side (default: 1)"},
		{0, "time", "TIME", CLI_TIME, &o.equiv.seconds, "shared by all pairs, in rounds (default: no end)"},
		{0, "resume", "FILE", CLI_STRING, &o.equiv.journal,
		 "write down finished pairs there, go on after them"},
		{0, "python", "PROGRAM", CLI_STRING, &o.python,
		 "has the library's package: runs the scripts of findings"},
		{0, "invalid", NULL, CLI_FLAG, &o.invalid,
		 "calls with an argument that is not legal: deaths and hangs"},
		{0, "plant", NULL, CLI_FLAG, &o.equiv.plant, "break one side of every pair, to see rules find it"},
		{0, "learn", "FILE", CLI_STRING, &o.learn, "find valid calls and write them down, instead"},
		{0, "list", NULL, CLI_FLAG, &o.list, "list the library's operations instead"},
		{0, "rules", NULL, CLI_FLAG, &o.rules, "list the rules instead"},
		{'o', "output", "DIR", CLI_STRING, &o.folder, "write repro.py and inputs.npz of each finding there"},
		{0, "db", "FILE", CLI_STRING, &o.db, "store for findings (default: assay.db)"},
		{0, "no-store", NULL, CLI_FLAG, &o.no_store, "do not record findings"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		{0},
	};

	return cli_main(c, options, run, &o);
}
