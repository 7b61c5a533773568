/* cmd_equiv.c - assay equiv: equivalence rules inside one library (EAGLE). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/place.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/equiv_print.h"
#include "store/store.h"

int cmd_equiv(struct cli *c);

struct cmd_equiv_options {
	const char *backend, *db, *folder, *learn;
	struct equiv_options equiv;
	int64_t seed, inputs, jobs;
	int json, list, rules, no_store;
};

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

static int keep_one(struct store *s, const struct equiv *q, size_t i, const struct equiv_finding *f,
		    const struct cmd_equiv_options *o, struct err *e)
{
	json_t *evidence =
		json_pack("{si, ss?, ss?, ss, ss, ss}", "rule", q->pairs[i].rule->number, "set_a", q->pairs[i].sets[0],
			  "set_b", q->pairs[i].sets[1], "a", f->a, "b", f->b, "script", f->script ? f->script : "");
	char *text = evidence ? json_dumps(evidence, 0) : NULL, signature[256];
	json_free_t give_back = NULL; /* jansson's own: the text is its memory */
	struct buf command;
	struct finding k = {.method = "equiv",
			    .backend = q->spec.name,
			    .library = q->spec.library,
			    .version = q->version,
			    .verdict = f->verdict,
			    .op = q->pairs[i].name,
			    .node = "",
			    .parameter = "",
			    .noise_ratio = f->ratio,
			    .signature = signature,
			    .detail = f->detail,
			    .evidence = text ? text : "{}",
			    .seed = o->equiv.seed,
			    .inputs = {f->inputs.data, f->inputs.len},
			    .since = "",
			    .until = ""};
	int rc;

	buf_init(&command, 65536);
	equiv_repro(q, i, &o->equiv, &command);
	k.command = command.data ? command.data : "";
	snprintf(signature, sizeof signature, "%s/%s/%s/rule %d%s%s", q->spec.library, q->pairs[i].name,
		 verdict_name(f->verdict), q->pairs[i].rule->number, q->pairs[i].sets[1] ? "/" : "",
		 q->pairs[i].sets[1] ? q->pairs[i].sets[1] : "");
	rc = store_add(s, &k, e);
	buf_release(&command);
	json_get_alloc_funcs(NULL, &give_back);
	give_back(text);
	json_decref(evidence);
	return rc;
}

static int keep_all(const struct equiv *q, const struct cmd_equiv_options *o, struct err *e)
{
	struct store *s = NULL;
	int rc = 0;

	for (size_t i = 0; i < EQUIV_KINDS * q->n && !rc; i++) {
		const struct equiv_finding *f = &q->results[i / EQUIV_KINDS].found[i % EQUIV_KINDS];

		if (!verdict_is_finding(f->verdict))
			continue;
		if (!s)
			rc = store_open(o->db ? o->db : "", 1, &s, e);
		if (!rc)
			rc = keep_one(s, q, i / EQUIV_KINDS, f, o, e);
	}
	store_close(s);
	return rc;
}

/* FOLDER/<number>/repro.py and inputs.npz of each finding. */
static int write_one(const struct equiv_finding *f, const char *folder, size_t number, struct err *e)
{
	char path[PLACE_PATH];
	int rc = place_path(path, e, "%s/%zu", folder, number);

	if (!rc && mkdir(path, 0777) && errno != EEXIST)
		rc = err_set(e, ERR_IO, "cannot make '%s': %s", path, strerror(errno));
	if (!rc && f->script && !(rc = place_path(path, e, "%s/%zu/repro.py", folder, number)))
		rc = buf_write_file(f->script, strlen(f->script), path, e);
	if (!rc && !(rc = place_path(path, e, "%s/%zu/inputs.npz", folder, number)))
		rc = buf_write_file(f->inputs.data ? f->inputs.data : "", f->inputs.len, path, e);
	return rc;
}

static int write_all(const struct equiv *q, const char *folder, struct err *e)
{
	size_t number = 0;
	int rc = 0;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return err_set(e, ERR_IO, "cannot make '%s': %s", folder, strerror(errno));
	for (size_t i = 0; i < EQUIV_KINDS * q->n && !rc; i++) {
		const struct equiv_finding *f = &q->results[i / EQUIV_KINDS].found[i % EQUIV_KINDS];

		if (verdict_is_finding(f->verdict))
			rc = write_one(f, folder, ++number, e);
	}
	return rc;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void step(size_t done, size_t total, const char *name, void *arg)
{
	struct progress *p = arg;

	p->total = total;
	progress_step(p, done, name);
}

static void print(struct cli *c, const struct equiv *q, const struct cmd_equiv_options *o)
{
	json_t *j;

	if (!o->json) {
		equiv_print_text(c->out, q, &o->equiv);
		return;
	}
	j = equiv_print_json(q, &o->equiv);
	json_dumpf(j, c->out, JSON_INDENT(1));
	fputc('\n', c->out);
	json_decref(j);
}

static int run_pairs(struct cli *c, struct equiv *q, struct cmd_equiv_options *o, int *findings, struct err *e)
{
	struct progress p;
	int rc;

	progress_start(&p, o->equiv.seconds > 0 ? "rounds of pairs" : "pairs", q->n);
	o->equiv.progress = step;
	o->equiv.progress_arg = &p;
	rc = equiv_run(q, &o->equiv, e);
	progress_end(&p);
	if (rc)
		return rc;
	print(c, q, o);
	*findings = equiv_totals(q).findings > 0;
	if (o->learn)
		rc = registry_save(&q->registry, o->learn, e);
	if (!rc && o->folder)
		rc = write_all(q, o->folder, e);
	return rc || o->no_store ? rc : keep_all(q, o, e);
}

static int run(struct cli *c, struct cmd_equiv_options *o, int *findings, struct err *e)
{
	char folder[PLACE_PATH], data[PLACE_PATH];
	struct equiv q = {0};
	int rc = place_data(data, e);

	if (!rc)
		rc = place_path(folder, e, "%s/equiv", data);
	if (!rc)
		rc = equiv_open(&q, o->backend, folder, &o->equiv, e);
	if (!rc && o->list)
		equiv_print_list(c->out, &q);
	else if (!rc)
		rc = run_pairs(c, &q, o, findings, e);
	equiv_release(&q);
	return rc;
}

static void print_rules(FILE *out)
{
	for (const struct equiv_rule *const *r = equiv_rules; *r; r++)
		fprintf(out, "%2d  %-12s  %s\n", (*r)->number, (*r)->id, (*r)->title);
}

static int check_options(struct cmd_equiv_options *o, const struct texts *rest, struct err *e)
{
	if (rest->n)
		return err_set(e, ERR_USAGE, "equiv takes no '%s'; see 'assay help equiv'", rest->at[0]);
	if (!o->backend && !o->rules)
		return err_set(e, ERR_USAGE, "equiv needs a library: -b tf, -b torch, -b mxnet, -b ort");
	if (o->inputs < 1 || o->jobs < 1 || o->jobs > 64 || o->equiv.seconds < 0)
		return err_set(e, ERR_USAGE, "--inputs and --jobs take numbers from 1, --time seconds");
	o->equiv.inputs = (size_t)o->inputs;
	o->equiv.jobs = (size_t)o->jobs;
	o->equiv.seed = (uint64_t)o->seed;
	o->equiv.learn = o->learn != NULL;
	return 0;
}

int cmd_equiv(struct cli *c)
{
	struct cmd_equiv_options o = {.inputs = EQUIV_INPUTS,
				      .jobs = 1,
				      .equiv = {.atol = EQUIV_ATOL,
						.rtol = EQUIV_RTOL,
						.limits = {.run_seconds = EQUIV_SECONDS, .memory = EQUIV_MEMORY}}};
	struct texts rest = {0};
	struct err e = ERR_INIT;
	int rc, findings = 0;
	const struct cli_option options[] = {
		{'b', "backend", "NAME", CLI_STRING, &o.backend, "the library"},
		{0, "rule", "N", CLI_STRING, &o.equiv.rule, "one rule, by its number or name (default: all)"},
		{0, "api", "PATTERN", CLI_STRING, &o.equiv.api, "operations whose names match (default: all)"},
		{0, "share", "PERCENT", CLI_FLOAT, &o.equiv.share, "that part of the names, by chance (default: all)"},
		{0, "inputs", "N", CLI_INT, &o.inputs, "inputs of each pair (default: 400)"},
		{0, "atol", "X", CLI_FLOAT, &o.equiv.atol, "absolute tolerance (default: 0.01)"},
		{0, "rtol", "X", CLI_FLOAT, &o.equiv.rtol, "relative tolerance (default: 1e-5)"},
		{0, "seed", "N", CLI_INT, &o.seed, "of the inputs (default: 0)"},
		{0, "jobs", "N", CLI_INT, &o.jobs, "pairs side by side (default: 1)"},
		{0, "time", "SECONDS", CLI_FLOAT, &o.equiv.seconds, "shared by all pairs, in rounds (default: no end)"},
		{0, "resume", "FILE", CLI_STRING, &o.equiv.journal,
		 "write down finished pairs there, go on after them"},
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

	rc = cli_parse(c, options, &rest, &e);
	if (rc)
		return cli_parse_status(rc, &e);
	rc = check_options(&o, &rest, &e);
	vec_release(&rest);
	if (!rc && o.rules) {
		print_rules(c->out);
		return CLI_OK;
	}
	if (!rc)
		rc = run(c, &o, &findings, &e);
	return rc ? cli_fail(&e) : findings ? CLI_FINDINGS : CLI_OK;
}
