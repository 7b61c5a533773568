/* matrix.c - see matrix.h. */
#include "probe/matrix.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "ops/op.h"

#define RUN_SECONDS 60.0

struct questioning {
	const struct matrix_request *q;
	struct matrix *m;
	struct party party;
	struct judge_options options;
};

void matrix_release(struct matrix_list *all)
{
	for (size_t i = 0; i < all->n; i++) {
		mem_free(all->at[i].rows);
		arena_release(&all->at[i].arena);
	}
	vec_release(all);
}

int matrix_takes(const struct op_row *row, enum dtype t)
{
	uint32_t types = row->op->in[0].name ? row->op->in[0].types : row->op->out[0].types;

	return t != DT_UNDEFINED && (types & TM(t)) != 0;
}

size_t matrix_count(const struct matrix *m, enum matrix_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < op_row_count; i++)
		for (int t = 0; m->rows[i].wanted && t < DT_COUNT; t++)
			n += m->rows[i].types[t].state == state && matrix_takes(&op_rows[i], (enum dtype)t);
	return n;
}

size_t matrix_findings(const struct matrix_list *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += matrix_count(&all->at[i], MATRIX_REFUSED) + matrix_count(&all->at[i], MATRIX_WRONG);
	return n;
}

/* ---- one case ---------------------------------------------------------------------------------------------------- */

static enum matrix_state state_of(enum verdict v)
{
	if (verdict_is_right(v))
		return MATRIX_RIGHT;
	if (v == VERDICT_UNSUPPORTED)
		return MATRIX_UNSUPPORTED;
	if (v == VERDICT_REJECTED)
		return MATRIX_REFUSED;
	return verdict_is_finding(v) ? MATRIX_WRONG : MATRIX_OPEN;
}

/* The text in ASCII: libraries write anything. */
static const char *plain(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text);

	for (char *c = copy; c && *c; c++)
		if (*c & 0x80 || (unsigned char)*c < ' ')
			*c = '?';
	return copy;
}

/* A case more in a cell; what is told of the cell is its worst. */
static int note(struct questioning *a, struct matrix_cell *cell, const char *line, enum verdict v, const char *reason,
		struct err *e)
{
	enum matrix_state state = state_of(v);

	cell->counts[state]++;
	if (state <= cell->state)
		return 0;
	cell->state = state;
	cell->verdict = verdict_name(v);
	cell->line = arena_strdup(&a->m->arena, line);
	cell->reason = plain(&a->m->arena, reason);
	return cell->line && cell->reason ? 0 : err_nomem(e, "a matrix", 0);
}

/* The type that a case is counted by. */
static enum dtype type_of(const struct op_case *c)
{
	const struct node *n = c->model->graph->nodes.n ? c->model->graph->nodes.at[0] : NULL;
	const struct wire *w = n && n->n_in ? n->in[0] : n && n->n_out ? n->out[0] : NULL;

	return w ? w->type.dtype : DT_UNDEFINED;
}

/* Judges a case, which is taken.  What is found must come again in a fresh worker.  A line with another type may be of
 * a version that does not take it yet: libraries may refuse that. */
static int judge(struct questioning *a, struct op_case *c, const char *line, int typed, struct matrix_cell *cell,
		 struct err *e)
{
	struct outcome o = {0};
	struct trial t = {0};
	int rc = trial_init(&t, c->model, c->inputs, PROBE_SEED, e);

	if (!rc)
		rc = trial_judge(&t, &a->party, &a->options, &o, e);
	if (typed && o.verdict == VERDICT_REJECTED)
		o.verdict = VERDICT_UNSUPPORTED;
	if (!rc && verdict_is_finding(o.verdict))
		rc = trial_confirm(&t, &a->party, &a->options, &o, e);
	if (!rc)
		rc = note(a, cell, line, o.verdict, o.reason, e);
	outcome_release(&o);
	trial_release(&t);
	return rc;
}

/* A line that is no valid case (with another type most are none) is not asked.  *right tells whether it came right. */
static int ask(struct questioning *a, struct matrix_row *row, const char *line, int typed, int *right, struct err *e)
{
	struct err ignored = ERR_INIT;
	struct matrix_cell *cell;
	struct op_case c;
	size_t before;
	int rc;

	*right = 0;
	if (case_parse(line, PROBE_SEED, &c, &ignored))
		return ignored.code == ERR_MEMORY ? err_nomem(e, "a matrix", 0) : 0;
	if (!probe_case_is_valid(&c)) {
		case_release(&c);
		return 0;
	}
	cell = &row->types[type_of(&c)];
	before = cell->counts[MATRIX_RIGHT];
	rc = judge(a, &c, line, typed, cell, e);
	*right = !rc && cell->counts[MATRIX_RIGHT] > before;
	return rc;
}

/* ---- all lines --------------------------------------------------------------------------------------------------- */

/* Types are asked with the first line, and once more with the first that is right. */
static int ask_types(struct questioning *a, const struct op_row *op, struct matrix_row *row, const char *line,
		     int right, struct err *e)
{
	int rc = 0, ignored;

	if (!strstr(line, "f32") || row->typed || (row->asked && !right))
		return 0;
	row->asked = 1;
	row->typed = right;
	for (size_t i = 0; i < PROBE_TYPES && !rc; i++) {
		char other[PROBE_LINE];

		if (probe_types[i].dtype != DT_FLOAT && matrix_takes(op, probe_types[i].dtype) &&
		    probe_line_with_type(line, probe_types[i].name, other, sizeof other))
			rc = ask(a, row, other, 1, &ignored, e);
	}
	return rc;
}

/* An operator that the worker does not name is not asked for, whatever its type. */
static int leave_out(struct questioning *a, const struct op_row *op, struct matrix_row *row, const char *line,
		     struct err *e)
{
	int rc = 0;

	for (int t = 0; t < DT_COUNT && !rc; t++)
		if (matrix_takes(op, (enum dtype)t) && row->types[t].state == MATRIX_NOT_ASKED)
			rc = note(a, &row->types[t], line, VERDICT_UNSUPPORTED, "its worker does not name it", e);
	return rc;
}

static int take_line(struct questioning *a, const char *line, struct err *e)
{
	const char *domain, *name;
	const struct op_row *op;
	struct matrix_row *row;
	int right, rc = probe_line_operator(&a->m->arena, line, &domain, &name, e);

	if (rc)
		return rc;
	op = ops_find(domain, name);
	row = op ? &a->m->rows[op - op_rows] : NULL;
	if (!row || !row->wanted)
		return 0;
	if (!probe_is_listed(&a->party, domain, name))
		return leave_out(a, op, row, line, e);
	rc = ask(a, row, line, 0, &right, e);
	return rc ? rc : ask_types(a, op, row, line, right, e);
}

static int take_lines(struct questioning *a, const struct case_lines *lines, struct err *e)
{
	struct progress p;
	char what[SPEC_SHOWN + 32];
	int rc = 0;

	snprintf(what, sizeof what, "operator cases on %s", SHOWN_AS(a->party.spec.name));
	progress_start(&p, what, lines->all.n);
	for (size_t i = 0; i < lines->all.n && !rc; i++) {
		const struct case_line *line = &lines->all.at[i];

		progress_step(&p, i, line->text);
		rc = take_line(a, line->text, e);
		if (rc)
			err_prefix(e, "%s:%d", line->file, line->number);
	}
	progress_end(&p);
	return rc;
}

static int describe(struct questioning *a, const struct worker_spec *spec, struct err *e)
{
	a->m->backend = arena_strdup(&a->m->arena, spec->name);
	a->m->version = arena_strdup(&a->m->arena, spec_is_reference(spec) ? "" : party_version(&a->party));
	a->m->rows = mem_array(op_row_count, sizeof *a->m->rows);
	if (!a->m->backend || !a->m->version || !a->m->rows)
		return err_nomem(e, "a matrix", 0);
	for (size_t i = 0; i < op_row_count; i++)
		a->m->rows[i].wanted = a->q->wish.wanted(&op_rows[i], a->q->wish.arg);
	return 0;
}

/* The lines, asked of one backend. */
static int ask_backend(struct questioning *a, const struct worker_spec *spec, const struct case_lines *lines,
		       struct err *e)
{
	const struct worker_limits limits = {.run_seconds = clock_patience(RUN_SECONDS)};
	int rc = party_open_spec(&a->party, spec, &limits, e);

	if (!rc)
		rc = describe(a, spec, e);
	if (!rc)
		rc = take_lines(a, lines, e);
	party_close(&a->party);
	return rc ? err_prefix(e, "%s", spec->name) : 0;
}

int matrix_make(const struct matrix_request *q, struct matrix_list *out, struct err *e)
{
	struct case_lines lines = {VEC_INIT, ARENA_INIT}, wanted = {VEC_INIT, ARENA_INIT};
	struct quirks quirks = {0};
	int rc = quirks_load(NULL, &quirks, e);

	if (!rc)
		rc = case_lines_read(q->probes, &lines, e);
	if (!rc)
		rc = probe_lines_wanted(&q->wish, &lines, &wanted, e);
	for (size_t i = 0; i < q->specs->n && !rc; i++) {
		struct questioning a = {.q = q, .options = {.quirks = &quirks}};
		struct matrix m = {.arena = ARENA_INIT};

		rc = vec_push(out, m) ? err_nomem(e, "a matrix", 0) : 0;
		a.m = rc ? NULL : &out->at[i];
		if (!rc)
			rc = ask_backend(&a, &q->specs->at[i], &wanted, e);
	}
	vec_release(&wanted.all);
	case_lines_release(&lines);
	quirks_release(&quirks);
	return rc;
}
