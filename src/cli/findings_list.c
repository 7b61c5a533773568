/* findings_list.c - assay findings list: a line for each cluster, or for each finding, that fits the terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/vec.h"
#include "cli/findings.h"
#include "cli/terminal.h"
#include "report/usage.h"
#include "worker/parent/spec.h"

/* What a line of the table is made of. */
struct findings_line {
	int64_t id, cluster;
	enum verdict verdict;
	double ratio;
	size_t count; /* findings behind it */
	size_t use;   /* nodes of models that are its operation, with --usage */
	const char *backend, *op, *signature, *method;
	int nodes;
};

struct findings_listing {
	const struct findings_options *o;
	FILE *out;
	struct store *store;
	struct usage *usage; /* NULL: not asked for */
	struct arena arena;
	VEC(struct findings_line) lines;   /* one a finding, then one a cluster */
	json_t *json;                      /* NULL: not asked for */
	size_t findings, clusters, others; /* others: of the kind that was not asked for */
	struct err *e;
};

/* ---- gathering --------------------------------------------------------------------------------------------------- */

/* "ort" of "ort@1.20.1:O99", with what it says of the version. */
static const char *backend_text(struct findings_listing *l, const struct finding *f)
{
	const char *name = SHOWN_AS(f->backend);

	if (strchr(name, '@') || !*f->version)
		return arena_strdup(&l->arena, name);
	return arena_printf(&l->arena, "%s (%s)", name, f->version);
}

/* The blamed operator; else the operators that the signature has in its place, in brackets. */
static const char *op_text(struct findings_listing *l, const struct finding *f)
{
	const char *second = strchr(f->signature, '/');
	const char *gradient = f->gradient ? ", gradient" : "";

	if (*f->op)
		return arena_printf(&l->arena, "%s%s", f->op, gradient);
	if (!second)
		return arena_printf(&l->arena, "?%s", gradient);
	return arena_printf(&l->arena, "(%.*s)%s", (int)strcspn(second + 1, "/"), second + 1, gradient);
}

static int gather(const struct finding *f, void *arg)
{
	struct findings_listing *l = arg;
	struct findings_line line = {
		.id = f->id,
		.cluster = f->cluster ? f->cluster : f->id,
		.verdict = f->verdict,
		.ratio = f->noise_ratio,
		.count = 1,
		.nodes = f->nodes,
	};

	if (l->o->cluster && line.cluster != l->o->cluster)
		return 0;
	if (!l->o->filter.verdict && verdict_is_finding(f->verdict) == l->o->ours) {
		l->others++;
		return 0;
	}
	line.backend = backend_text(l, f);
	line.op = op_text(l, f);
	line.signature = arena_strdup(&l->arena, f->signature);
	line.method = arena_strdup(&l->arena, f->method);
	if (l->usage)
		line.use = usage_of_signature(l->usage, f->signature).nodes;
	if (!line.backend || !line.op || !line.signature || !line.method || vec_push(&l->lines, line))
		return err_nomem(l->e, "list of findings", 0);
	l->findings++;
	if (l->json)
		return json_array_append_new(l->json, finding_json(f, l->store)) ? err_nomem(l->e, "JSON", 0) : 0;
	return 0;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

/* The best example of each cluster first; without it (a filter left it out) the oldest. */
static int by_cluster(const void *a, const void *b)
{
	const struct findings_line *x = a, *y = b;

	if (x->cluster != y->cluster)
		return x->cluster < y->cluster ? -1 : 1;
	if ((x->id == x->cluster) != (y->id == y->cluster))
		return x->id == x->cluster ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Worst verdicts first as the table of verdicts has them, then by ratio. */
static int by_weight(const void *a, const void *b)
{
	const struct findings_line *x = a, *y = b;
	int x_counts = verdict_is_finding(x->verdict), y_counts = verdict_is_finding(y->verdict);

	if (x_counts != y_counts)
		return y_counts - x_counts;
	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	if (x->ratio > y->ratio || x->ratio < y->ratio)
		return x->ratio > y->ratio ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_id(const void *a, const void *b)
{
	const struct findings_line *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* What models use most first; without --usage all are alike. */
static int by_use(const void *a, const void *b)
{
	const struct findings_line *x = a, *y = b;

	return x->use != y->use ? (x->use > y->use ? -1 : 1) : by_weight(a, b);
}

/* Counts clusters, and leaves one line of each unless each finding is to have its own. */
static void make_clusters(struct findings_listing *l, int each)
{
	struct findings_line *at = l->lines.at;
	size_t n = 0, heads = 0;

	if (!l->lines.n)
		return;
	qsort(at, l->lines.n, sizeof *at, by_cluster);
	for (size_t i = 0; i < l->lines.n; i++) {
		int same = i && at[n - 1].cluster == at[i].cluster;

		heads += !same;
		if (same && !each)
			at[n - 1].count++;
		else
			at[n++] = at[i];
	}
	l->lines.n = n;
	l->clusters = heads;
	qsort(at, n, sizeof *at, l->usage ? by_use : each ? by_id : by_weight);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

/* Uses come last: they are a column only with --usage. */
enum {
	CELL_ID,
	CELL_COUNT,
	CELL_VERDICT,
	CELL_RATIO,
	CELL_NODES,
	CELL_OP,
	CELL_BACKEND,
	CELL_CLASS,
	CELL_USE,
	N_CELLS
};

/* The last part of a signature: the others have columns of their own. */
static const char *class_of(const char *signature)
{
	const char *last = strrchr(signature, '/');

	return last ? last + 1 : signature;
}

/* A refusal or a crash has no numbers that could be compared. */
static int has_ratio(const struct findings_line *line)
{
	return isfinite(line->ratio) || (!isnan(line->ratio) && verdict_is_of_numbers(line->verdict));
}

static int fill_cells(struct findings_listing *l, const struct findings_line *line, int each, size_t n,
		      const char **cell)
{
	char ratio[32];

	cell[CELL_ID] = arena_printf(&l->arena, "%lld", (long long)line->id);
	cell[CELL_COUNT] = each ? arena_printf(&l->arena, "%lld", (long long)line->cluster)
				: arena_printf(&l->arena, "%zu", line->count);
	cell[CELL_VERDICT] = verdict_name(line->verdict);
	cell[CELL_RATIO] =
		has_ratio(line) ? arena_strdup(&l->arena, terminal_ratio(line->ratio, ratio, sizeof ratio)) : "-";
	cell[CELL_NODES] = arena_printf(&l->arena, "%d", line->nodes);
	cell[CELL_OP] = line->op;
	cell[CELL_BACKEND] = line->backend;
	cell[CELL_CLASS] = class_of(line->signature);
	if (n > CELL_USE)
		cell[CELL_USE] = arena_printf(&l->arena, "%zu", line->use);
	for (size_t i = 0; i < n; i++)
		if (!cell[i])
			return err_nomem(l->e, "table", 0);
	return 0;
}

static int print_table(struct findings_listing *l, int each)
{
	const struct term_column columns[N_CELLS] = {
		[CELL_ID] = {"id", 1, 0},           [CELL_COUNT] = {each ? "cluster" : "findings", 1, 0},
		[CELL_VERDICT] = {"verdict", 0, 0}, [CELL_RATIO] = {"ratio", 1, 0},
		[CELL_NODES] = {"nodes", 1, 0},     [CELL_OP] = {"operator", 0, 6},
		[CELL_BACKEND] = {"backend", 0, 6}, [CELL_CLASS] = {"class", 0, 5},
		[CELL_USE] = {"uses", 1, 0},
	};
	size_t n = l->usage ? N_CELLS : CELL_USE;
	const char **cells = arena_array(&l->arena, l->lines.n * n, sizeof *cells);
	int rc = cells ? 0 : err_nomem(l->e, "table", 0);

	for (size_t i = 0; i < l->lines.n && !rc; i++)
		rc = fill_cells(l, &l->lines.at[i], each, n, cells + i * n);
	if (!rc)
		terminal_table(l->out, columns, n, cells, l->lines.n, terminal_columns(l->out));
	return rc;
}

/* What is not against a library is not hidden, either. */
static void print_others(const struct findings_listing *l)
{
	if (l->others && !l->o->ours)
		fprintf(l->out, "%zu more say nothing against a library; --ours lists them\n", l->others);
}

static int print_text(struct findings_listing *l, int each)
{
	FILE *out = l->out;
	char text[256];
	int rc;

	if (!l->lines.n) {
		fputs(l->o->ours ? "no defects of our own\n" : "no findings\n", out);
		print_others(l);
		return 0;
	}
	rc = print_table(l, each);
	if (rc)
		return rc;
	snprintf(text, sizeof text, "%zu finding%s in %zu cluster%s; 'assay findings show ID' shows one in full%s",
		 l->findings, PLURAL(l->findings), l->clusters, PLURAL(l->clusters), each ? "" : ", --all lists each");
	terminal_wrap(out, 0, 0, terminal_columns(out), text);
	print_others(l);
	return 0;
}

static int print_json(struct findings_listing *l)
{
	json_t *clusters = json_array();

	for (size_t i = 0; i < l->lines.n; i++) {
		const struct findings_line *line = &l->lines.at[i];
		json_t *row = json_pack("{s:I, s:I, s:s, s:o, s:o}", "cluster", (json_int_t)line->cluster, "findings",
					(json_int_t)line->count, "verdict", verdict_name(line->verdict), "signature",
					json_text(line->signature), "noise_ratio", json_number(line->ratio));

		if (l->usage)
			json_object_set_new(row, "uses", json_integer((json_int_t)line->use));
		json_array_append_new(clusters, row);
	}
	return cli_print_json(l->out, json_pack("{s:o, s:O, s:o}", "db", json_text(store_path(l->store)), "findings",
						l->json, "clusters", clusters));
}

int findings_list(struct cli *c, const struct texts *words, void *options, struct err *e)
{
	const struct findings_options *o = options;
	struct findings_listing l = {.o = o, .out = c->out, .e = e, .json = o->json ? json_array() : NULL};
	int each = (o->all || o->cluster) && !o->json, rc = 0;

	if (words->n)
		rc = err_set(e, ERR_USAGE, "findings list takes no '%s'; see 'assay help findings'", words->at[0]);
	if (!rc)
		rc = findings_open(o, &l.store, e);
	if (!rc && o->usage)
		rc = usage_load(o->usage, &l.usage, e);
	if (!rc)
		rc = store_each(l.store, &o->filter, gather, &l, e);
	if (!rc) {
		make_clusters(&l, each);
		rc = o->json ? print_json(&l) : print_text(&l, each);
	}
	store_close(l.store);
	usage_free(l.usage);
	json_decref(l.json);
	vec_release(&l.lines);
	arena_release(&l.arena);
	return rc;
}
