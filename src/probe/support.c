/* support.c - see support.h. */
#include "probe/support.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "judge/session.h"
#include "ops/op.h"
#include "probe/lines.h"

void support_release(struct support *s)
{
	for (size_t i = 0; i < s->ops.n; i++)
		vec_release(&s->ops.at[i].variants);
	vec_release(&s->ops);
	arena_release(&s->arena);
}

const struct support_op *support_find(const struct support *s, const char *domain, const char *name)
{
	for (size_t i = 0; i < s->ops.n; i++)
		if (!strcmp(s->ops.at[i].name, name) && !strcmp(s->ops.at[i].domain, domain))
			return &s->ops.at[i];
	return NULL;
}

void support_count(const struct support_op *op, int *ok, int *tried)
{
	*ok = *tried = 0;
	for (int t = 0; t < DT_COUNT; t++) {
		*tried += op->dtypes[t] != NULL;
		*ok += op->dtypes[t] && !strcmp(op->dtypes[t], "ok");
	}
}

/* ---- trying one line --------------------------------------------------------------------------------------------- */

/* The result of a line as a word, or NULL when it is no valid case; report->message is set when it did not work. */
static int try_line(struct party *p, const char *line, const char **word, struct worker_report *report, struct err *e)
{
	struct err ignored = ERR_INIT;
	struct outcome o = {0};
	struct trial t = {0};
	struct op_case c;
	int rc;

	*word = NULL;
	report->message[0] = '\0';
	if (case_parse(line, PROBE_SEED, &c, &ignored))
		return ignored.code == ERR_MEMORY ? err_nomem(e, "a probe", 0) : 0;
	if (!probe_case_is_valid(&c)) {
		case_release(&c);
		return 0;
	}
	rc = trial_init(&t, c.model, c.inputs, PROBE_SEED, e); /* takes both */
	if (!rc)
		rc = party_run(p, &t, &o, e);
	if (!rc) {
		*word = worker_result_name(o.report.result);
		*report = o.report;
	}
	outcome_release(&o);
	trial_release(&t);
	return rc;
}

/* ---- all lines --------------------------------------------------------------------------------------------------- */

struct probe {
	struct party *party;
	struct support *s;
	struct worker_report report;
};

/* What the library said, in ASCII: it goes into JSON and into tables. */
static int keep_message(struct probe *p, const char **to, struct err *e)
{
	char *text = arena_strdup(&p->s->arena, p->report.message);

	for (char *c = text; c && *c; c++)
		if (*c & 0x80 || (unsigned char)*c < ' ')
			*c = *c == '\n' || *c == '\t' ? ' ' : '?';
	*to = text;
	return text ? 0 : err_nomem(e, "a probe", 0);
}

static int is_ok(const char *result)
{
	return result && !strcmp(result, "ok");
}

/* The line with each type that the operator takes and that is not known to work; as it stands it was tried before. */
static int try_types(struct probe *p, struct support_op *op, const char *line, struct err *e)
{
	const struct op_row *row = ops_find(op->domain, op->name);
	const char *as_it_stands = op->variants.n ? op->variants.at[op->variants.n - 1].result : NULL;
	int rc = 0;

	for (size_t i = 0; i < PROBE_TYPES && !rc; i++) {
		char other[PROBE_LINE];
		const char *word;

		if (!strstr(line, "f32") || !row || !(row->op->in[0].types & TM(probe_types[i].dtype)) ||
		    is_ok(op->dtypes[probe_types[i].dtype]) ||
		    !probe_line_with_type(line, probe_types[i].name, other, sizeof other))
			continue;
		if (probe_types[i].dtype == DT_FLOAT) {
			op->dtypes[DT_FLOAT] = as_it_stands;
			continue;
		}
		rc = try_line(p->party, other, &word, &p->report, e);
		op->dtypes[probe_types[i].dtype] = word;
		if (!rc && word && strcmp(word, "ok") && !*op->message)
			rc = keep_message(p, &op->message, e);
	}
	return rc;
}

/* Types were asked with a line that the library does not have, of a newer version say, or not at all, and here is one
 * that it has. */
static int asks_again(const struct support_op *op)
{
	int asked = 0;

	if (!op->variants.n || !is_ok(op->variants.at[op->variants.n - 1].result))
		return 0;
	for (int t = 0; t < DT_COUNT; t++)
		asked |= op->dtypes[t] != NULL;
	return !asked || (op->dtypes[DT_FLOAT] && !is_ok(op->dtypes[DT_FLOAT]));
}

static int try_variant(struct probe *p, struct support_op *op, const char *line, struct err *e)
{
	struct support_variant v = {arena_strdup(&p->s->arena, line), NULL, ""};
	int rc = v.line ? try_line(p->party, line, &v.result, &p->report, e) : err_nomem(e, "a probe", 0);

	if (rc || !v.result)
		return rc;
	if (strcmp(v.result, "ok"))
		rc = keep_message(p, &v.message, e);
	if (!rc && !*op->message)
		op->message = v.message;
	return rc || !vec_push(&op->variants, v) ? rc : err_nomem(e, "a probe", 0);
}

/* What was known of an operator before goes; one that is new is added. */
static int begin_op(struct support *s, const struct support_op *named, struct support_op **out, struct err *e)
{
	struct support_op *op = (struct support_op *)support_find(s, named->domain, named->name);

	if (!op && vec_push(&s->ops, *named))
		return err_nomem(e, "a probe", 0);
	op = op ? op : &s->ops.at[s->ops.n - 1];
	vec_release(&op->variants);
	memset(op->dtypes, 0, sizeof op->dtypes);
	op->message = "";
	*out = op;
	return 0;
}

static int probe_line(struct probe *p, struct support_op *op, const char *line, int is_first, struct err *e)
{
	int rc;

	if (!probe_is_listed(p->party, op->domain, op->name)) {
		op->message = "its worker does not name it";
		return 0;
	}
	rc = try_variant(p, op, line, e);
	return rc || !(is_first || asks_again(op)) ? rc : try_types(p, op, line, e);
}

/* Operators and lines that are over. */
struct probed {
	const struct support_request *q;
	const struct case_lines *lines;
	char *over; /* by line */
	size_t done;
};

static int begins_alike(const char *line, const char *other)
{
	size_t n = strcspn(line, "-");

	return !strncmp(line, other, n + 1);
}

/* All lines of the operator that line i has, which is the first of them. */
static int probe_op(struct probe *p, struct probed *d, size_t i, struct err *e)
{
	const struct case_line *all = d->lines->all.at;
	struct support_op named = {.message = ""}, *op = NULL;
	int rc = probe_line_operator(&p->s->arena, all[i].text, &named.domain, &named.name, e);

	if (!rc)
		rc = begin_op(p->s, &named, &op, e);
	if (rc)
		return err_prefix(e, "%s:%d", all[i].file, all[i].number);
	for (size_t k = i; k < d->lines->all.n; k++) {
		if (!begins_alike(all[i].text, all[k].text))
			continue;
		if (d->q->progress)
			d->q->progress(d->q->arg, d->done, d->lines->all.n, all[k].text);
		rc = probe_line(p, op, all[k].text, k == i, e);
		if (rc)
			return err_prefix(e, "%s:%d", all[k].file, all[k].number);
		d->over[k] = 1;
		d->done++;
	}
	return 0;
}

int support_probe(struct party *party, const struct case_lines *lines, const struct support_request *q,
		  struct support *out, struct err *e)
{
	struct probe p = {.party = party, .s = out};
	struct probed d = {.q = q, .lines = lines, .over = mem_array(lines->all.n + 1, 1)};
	int rc = d.over ? 0 : err_nomem(e, "a probe", 0);

	for (size_t i = 0; i < lines->all.n && !rc; i++) {
		if (d.over[i])
			continue;
		rc = probe_op(&p, &d, i, e);
		if (!rc && q->over)
			q->over(q->over_arg, out);
	}
	mem_free(d.over);
	return rc;
}
