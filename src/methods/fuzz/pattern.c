/* pattern.c - see pattern.h: the steps of patterns, read and checked, and nodes drawn from them. */
#include "methods/fuzz/pattern.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "methods/fuzz/corpus_file.h"

#define MAX_ARGS 12
#define MAX_DEPTH 12 /* rules that call one another */
#define MOSTLY 0.8   /* or(): the usual */

static int is_choice(const char *name)
{
	return !strcmp(name, "or") || !strcmp(name, "any");
}

static const struct pattern_rule *find_rule(const struct pattern_rule *r, const char *name)
{
	for (; r && strcmp(r->name, name) != 0; r = r->next)
		;
	return r;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int is_operator(const struct expr *x)
{
	return x->kind == EXPR_CALL && isupper((unsigned char)*x->text);
}

/* The oldest opset that has the operator; 0: none that models have. */
static int first_opset(const struct op_row *row)
{
	for (int opset = FUZZ_MIN_OPSET; opset <= OP_NEWEST_OPSET; opset++)
		if (ops_version(row, opset))
			return opset;
	return 0;
}

static int check_call(const struct expr *x, struct pattern_rule *to, struct err *e)
{
	const struct op_row *row = is_operator(x) ? ops_find("", x->text) : NULL;
	const struct pattern_part *part = is_operator(x) ? NULL : pattern_part_find(x->text);
	const struct pattern_rule *rule = row || part ? NULL : find_rule(to->next, x->text);
	int first = row ? first_opset(row) : rule ? rule->since : 0;

	if (is_operator(x) && !first)
		return err_set(e, ERR_INPUT, "there is no operator '%s'", x->text);
	if (part && (size_t)part->n != x->n)
		return err_set(e, ERR_INPUT, "%s() takes %d arguments", x->text, part->n);
	if (!row && !part && !rule && !is_choice(x->text))
		return err_set(e, ERR_INPUT, "there is no part '%s'", x->text);
	if (x->n > MAX_ARGS)
		return err_set(e, ERR_INPUT, "%s has more than %d arguments", x->text, MAX_ARGS);
	if (x->kind == EXPR_CALL && is_choice(x->text) && !x->n)
		return err_set(e, ERR_INPUT, "%s() has nothing to choose from", x->text);
	to->since = first > to->since ? first : to->since;
	return 0;
}

static int check(const struct expr *x, struct pattern_rule *to, struct err *e)
{
	int rc = x->kind == EXPR_CALL ? check_call(x, to, e) : 0;

	if (!rc && x->kind == EXPR_LIST && x->n > PATTERN_INTS)
		rc = err_set(e, ERR_INPUT, "a list has more than %d elements", PATTERN_INTS);
	for (size_t i = 0; i < x->n && !rc; i++)
		rc = check(x->items[i], to, e);
	return rc;
}

/* "t = Conv(x)": the name and where the expression begins. */
static const char *step_name(const char *text, struct arena *a, const char **name)
{
	size_t n;

	text += strspn(text, " ");
	for (n = 0; islower((unsigned char)text[n]); n++)
		;
	*name = "";
	if (!n || text[n + strspn(text + n, " ")] != '=')
		return text;
	*name = arena_strndup(a, text, n);
	text += n;
	return text + strspn(text, " ") + 1;
}

static int read_step(const char *text, struct arena *a, struct pattern_rule *out, struct err *e)
{
	const char *at = step_name(text, a, &out->names[out->n]);

	if (!out->names[out->n])
		return err_nomem(e, "a pattern", 0);
	return expr_parse(at + strspn(at, " "), a, &out->steps[out->n], e);
}

int pattern_read(const char *name, const char *text, const struct pattern_rule *rules, struct arena *a,
		 struct pattern_rule *out, struct err *e)
{
	struct pattern_rule r = {.name = name, .since = FUZZ_MIN_OPSET, .next = rules};

	for (const char *at = text; *at; at += *at == ';') {
		size_t size = strcspn(at, ";");
		const char *step = arena_strndup(a, at, size);
		int rc = step ? 0 : err_nomem(e, "a pattern", 0);

		if (!rc && r.n == PATTERN_STEPS)
			rc = err_set(e, ERR_INPUT, "a pattern has at most %d steps", PATTERN_STEPS);
		if (!rc)
			rc = read_step(step, a, &r, e);
		if (!rc)
			rc = check(r.steps[r.n], &r, e);
		if (rc)
			return rc;
		r.n++;
		at += size;
	}
	if (!r.n || *r.names[r.n - 1])
		return err_set(e, ERR_INPUT, "a pattern ends with what it makes");
	*out = r;
	return 0;
}

#define LIMIT 8 /* of what leads in, where the file says nothing */

int pattern_block(const struct block_op *f, const struct pattern_rule *rules, struct arena *a, struct fuzz_op *out,
		  struct err *e)
{
	struct pattern *p = arena_zalloc(a, sizeof *p);
	const char *name = arena_strdup(a, f->name);
	int rc = p && name ? pattern_read(name, f->pattern, rules, a, &p->steps, e) : err_nomem(e, "a pattern", 0);

	if (rc)
		return rc;
	p->rules = rules;
	p->rank_low = f->rank > 0 ? f->rank : 1;
	p->rank_high = f->rank_max > 0 ? f->rank_max : f->rank > 0 ? f->rank : 4;
	if (p->rank_high < p->rank_low || p->rank_high > MAKE_MAX_RANK)
		return err_set(e, ERR_INPUT, "ranks must be 1 to %d, in order", MAKE_MAX_RANK);
	p->limit = f->limit > 0 ? f->limit : LIMIT;
	p->sampler = (struct sampler){.summary = "a pattern that is written down",
				      .types = MAKE_PLAIN,
				      .make = pattern_make,
				      .since = f->since > p->steps.since ? f->since : p->steps.since,
				      .special = f->special};
	*out = (struct fuzz_op){
		.sampler = &p->sampler, .pattern = p, .types = T_F32, .in_low = 1, .in_high = 1, .out_high = FUZZ_OUT};
	return 0;
}

/* What pattern_all() asks. */
struct pattern_question {
	const struct pattern_rule *rules;
	int (*fn)(const struct op_row *row, void *arg);
	void *arg;
};

static int all_of_rule(const struct pattern_rule *r, const struct pattern_question *q);

/* Rules call those before them only, so that this ends. */
static int all_of(const struct expr *x, const struct pattern_question *q)
{
	const struct pattern_rule *rule = x->kind == EXPR_CALL ? find_rule(q->rules, x->text) : NULL;

	if (is_operator(x) && !q->fn(ops_find("", x->text), q->arg))
		return 0;
	if (rule && !is_operator(x) && !all_of_rule(rule, q))
		return 0;
	for (size_t i = 0; i < x->n; i++)
		if (!all_of(x->items[i], q))
			return 0;
	return 1;
}

static int all_of_rule(const struct pattern_rule *r, const struct pattern_question *q)
{
	for (int i = 0; i < r->n; i++)
		if (!all_of(r->steps[i], q))
			return 0;
	return 1;
}

int pattern_all(const struct pattern *p, int (*fn)(const struct op_row *row, void *arg), void *arg)
{
	return all_of_rule(&p->steps, &(struct pattern_question){p->rules, fn, arg});
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* What names stand for. */
struct pattern_scope {
	const char *names[PATTERN_STEPS + 2];
	struct pattern_value values[PATTERN_STEPS + 2];
	int n;
};

static struct pattern_value draw(struct pattern_run *q, const struct pattern_scope *s, const struct expr *x);

static struct pattern_value misfit(struct pattern_run *q, const char *what, const char *about)
{
	if (!q->m->b.rc)
		q->m->b.rc = err_set(q->m->b.err, ERR_INPUT, "%s '%s'", what, about);
	return (struct pattern_value){.kind = PATTERN_NONE};
}

enum dtype pattern_type(struct pattern_run *q, const struct pattern_value *v)
{
	enum dtype t = v->kind == PATTERN_NUMBER && v->f > 0 && v->f < DT_COUNT ? (enum dtype)v->f : DT_UNDEFINED;

	if (dtype_wide(t) == WIDE_F64 || dtype_wide(t) == WIDE_I64)
		return t;
	misfit(q, "a part is given no type of numbers but", dtype_name(t));
	return DT_UNDEFINED;
}

static struct pattern_value variable(struct pattern_run *q, const struct pattern_scope *s, const char *name)
{
	for (int i = s->n; i-- > 0;)
		if (!strcmp(s->names[i], name))
			return s->values[i];
	return misfit(q, "there is no variable", name);
}

/* 2⁶³ - 1, "to the end", is no double. */
static int64_t whole(double x)
{
	return x >= 0x1p63 ? INT64_MAX : (int64_t)x;
}

static struct pattern_value draw_list(struct pattern_run *q, const struct pattern_scope *s, const struct expr *x)
{
	struct pattern_value v = {.kind = PATTERN_LIST};

	for (size_t i = 0; i < x->n && !q->m->b.rc; i++)
		v.list[v.n++] = whole(draw(q, s, x->items[i]).f);
	return v;
}

static struct pattern_value draw_sum(struct pattern_run *q, const struct pattern_scope *s, const struct expr *x)
{
	double a = draw(q, s, x->items[0]).f, b = draw(q, s, x->items[1]).f;

	return (struct pattern_value){.kind = PATTERN_NUMBER,
				      .f = *x->text == '+'   ? a + b
					   : *x->text == '-' ? a - b
							     : a * b};
}

static struct pattern_value choose(struct pattern_run *q, const struct pattern_scope *s, const struct expr *x)
{
	struct maker *m = q->m;
	int any = !strcmp(x->text, "any"), last = (int)x->n - 1;
	int64_t at = any ? make_between(m, 0, last) : last && !make_chance(m, MOSTLY) ? make_between(m, 1, last) : 0;

	return draw(q, s, x->items[at]);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* The values of a call's arguments. */
struct pattern_args {
	struct pattern_value at[MAX_ARGS];
	int n;
};

/* Whether it is drawn after the wires, since it must fit to the first of them. */
static int is_late(const struct expr *x)
{
	return x->kind == EXPR_INT || x->kind == EXPR_FLOAT ||
	       (x->kind == EXPR_CALL && (is_choice(x->text) || !strcmp(x->text, "n") || !strcmp(x->text, "c")));
}

static void draw_args(struct pattern_run *q, const struct pattern_scope *s, const struct expr *x,
		      struct pattern_args *out)
{
	struct wire *was = q->like, *like = NULL;

	out->n = (int)x->n;
	for (int late = 0; late < 2; late++)
		for (int i = 0; i < out->n && !q->m->b.rc; i++) {
			if (is_late(x->items[i]) != late)
				continue;
			q->like = like ? like : was;
			out->at[i] = draw(q, s, x->items[i]);
			if (!q->m->b.rc && !like && out->at[i].kind == PATTERN_WIRE &&
			    out->at[i].w->type.dtype != DT_BOOL)
				like = out->at[i].w;
		}
	q->like = was;
	for (int i = 0; i < out->n && like; i++) /* numbers take the type of what they stand beside */
		if (out->at[i].kind == PATTERN_NUMBER && !*x->items[i]->name)
			out->at[i].w = like;
}

static struct wire *as_wire(struct pattern_run *q, const struct pattern_value *v)
{
	const struct wire *like = v->w ? v->w : q->like;

	switch (v->kind) {
	case PATTERN_WIRE:
		return v->w;
	case PATTERN_NUMBER:
		return make_scalar(q->m, like->type.dtype, v->f);
	case PATTERN_FLAG:
		return make_scalar(q->m, DT_BOOL, v->f);
	case PATTERN_LIST:
		return make_ints(q->m, (size_t)v->n, v->list);
	default:
		return NULL;
	}
}

/* The wire itself is read by nobody then. */
static void set_tensor(struct maker *m, const char *name, const struct wire *w)
{
	if (!m->b.rc)
		m->b.rc = node_set_tensor(m->b.last, name, tensor_ref(w->init), m->b.err);
	m->has_unused = 1;
}

/* The shape of a result that no inference tells: it hangs on values. */
static void set_shape(struct pattern_run *q, const struct pattern_value *list)
{
	const struct node *n = q->m->b.rc ? NULL : q->m->b.last;

	if (n && (list->kind != PATTERN_LIST || !n->n_out)) {
		misfit(q, "there is no shape for", n->op_type);
	} else if (n) {
		struct type *t = &n->out[0]->type;

		*t = (struct type){.kind = VALUE_TENSOR, .rank = list->n};
		memcpy(t->dims, list->list, (size_t)list->n * sizeof *t->dims);
	}
}

static void set_attr(struct pattern_run *q, const char *name, const struct pattern_value *v)
{
	struct build *b = &q->m->b;

	if (v->kind == PATTERN_NUMBER && v->is_float)
		build_float(b, name, v->f);
	else if (v->kind == PATTERN_NUMBER || v->kind == PATTERN_FLAG)
		build_int(b, name, (int64_t)v->f);
	else if (v->kind == PATTERN_LIST)
		build_ints(b, name, v->list, (size_t)v->n);
	else if (v->kind == PATTERN_TEXT)
		build_string(b, name, v->text);
	else if (v->kind == PATTERN_WIRE && v->w->init)
		set_tensor(q->m, name, v->w);
	else
		misfit(q, "there is no value for attribute", name);
}

static struct pattern_value make_node(struct pattern_run *q, const struct pattern_scope *s, const struct expr *x)
{
	struct wire *in[MAX_ARGS];
	struct pattern_args args;
	int n = 0, outs = 1;

	draw_args(q, s, x, &args);
	for (int i = 0; i < args.n && !q->m->b.rc; i++) {
		if (!*x->items[i]->name)
			in[n++] = as_wire(q, &args.at[i]);
		else if (!strcmp(x->items[i]->name, "outs"))
			outs = (int)args.at[i].f;
	}
	if (q->m->b.rc)
		return (struct pattern_value){.kind = PATTERN_NONE};
	make_begin(q->m, x->text, in, n, outs);
	for (int i = 0; i < args.n && !q->m->b.rc; i++) {
		const char *name = x->items[i]->name;

		if (!strcmp(name, "as"))
			set_shape(q, &args.at[i]);
		else if (*name && strcmp(name, "outs") != 0)
			set_attr(q, name, &args.at[i]);
	}
	return (struct pattern_value){.kind = PATTERN_WIRE, .w = make_done(q->m)};
}

static struct pattern_value run_rule(struct pattern_run *q, const struct pattern_rule *r, struct pattern_scope *s)
{
	struct pattern_value v = {.kind = PATTERN_NONE};

	if (q->depth++ >= MAX_DEPTH)
		return misfit(q, "parts call one another too deep:", r->name);
	for (int i = 0; i < r->n && !q->m->b.rc; i++) {
		v = draw(q, s, r->steps[i]);
		s->names[s->n] = r->names[i];
		s->values[s->n++] = v;
	}
	q->depth--;
	return v;
}

static struct pattern_value call(struct pattern_run *q, const struct pattern_scope *s, const struct expr *x)
{
	static const char *const letters[] = {"x", "y"};
	const struct pattern_part *part = pattern_part_find(x->text);
	const struct pattern_rule *rule = find_rule(q->rules, x->text);
	struct pattern_scope inner = {.n = 0};
	struct pattern_args args = {.n = 0};

	draw_args(q, s, x, &args);
	if (q->m->b.rc)
		return (struct pattern_value){.kind = PATTERN_NONE};
	if (part)
		return part->draw(q, args.at);
	for (; inner.n < args.n && inner.n < 2; inner.n++) {
		inner.names[inner.n] = letters[inner.n];
		inner.values[inner.n] = args.at[inner.n];
	}
	return run_rule(q, rule, &inner);
}

static struct pattern_value draw(struct pattern_run *q, const struct pattern_scope *s, const struct expr *x)
{
	switch (x->kind) {
	case EXPR_CALL:
		return is_operator(x) ? make_node(q, s, x) : is_choice(x->text) ? choose(q, s, x) : call(q, s, x);
	case EXPR_VARIABLE:
		return variable(q, s, x->text);
	case EXPR_INT:
	case EXPR_DTYPE:
		return (struct pattern_value){.kind = PATTERN_NUMBER, .f = (double)x->i};
	case EXPR_FLOAT:
		return (struct pattern_value){.kind = PATTERN_NUMBER, .f = x->f, .is_float = 1};
	case EXPR_BOOL:
		return (struct pattern_value){.kind = PATTERN_FLAG, .f = (double)x->i};
	case EXPR_STRING:
		return (struct pattern_value){.kind = PATTERN_TEXT, .text = x->text};
	case EXPR_LIST:
		return draw_list(q, s, x);
	case EXPR_SUM:
		return draw_sum(q, s, x);
	case EXPR_NONE:
		break;
	}
	return (struct pattern_value){.kind = PATTERN_NONE};
}

/* Integers always: what becomes of a sum that is too large is not said. */
static struct wire *calm(struct maker *m, struct wire *w, double limit)
{
	return m->b.rc || (m->any && dtype_is_float(w->type.dtype)) ? w : make_calm(m, w, limit);
}

/* What leads in, as the pattern wants it: x of a rank, and y of x's shape. */
static void prepare(struct maker *m, const struct pattern *p, struct wire *const *in, int n, struct pattern_scope *s)
{
	struct wire *x = in[0], *y = n > 1 ? in[1] : NULL;

	if (x->type.rank < p->rank_low || x->type.rank > p->rank_high)
		x = make_rank(m, x, (int)make_between(m, p->rank_low, p->rank_high));
	x = calm(m, x, p->limit);
	*s = (struct pattern_scope){.n = 1, .names = {"x", "y"}, .values = {{.kind = PATTERN_WIRE, .w = x}}};
	if (m->b.rc || !y)
		return;
	y = make_match(m, y, x->type.rank, x->type.dims);
	y = calm(m, y, p->limit);
	s->values[s->n++] = (struct pattern_value){.kind = PATTERN_WIRE, .w = y};
}

static double largest(const struct maker *m, enum dtype t)
{
	return dtype_is_float(t) ? (double)INFINITY : fmax(-make_lowest(m, t), make_largest(m, t));
}

/* How large the result may be nobody tells: what comes next puts a Clip before what must not have large numbers. */
struct wire *pattern_make(struct maker *m, struct wire *const *in, int n)
{
	const struct pattern *p = m->arg;
	struct pattern_run q = {.m = m, .rules = p->rules};
	struct pattern_scope s;
	struct pattern_value v;

	prepare(m, p, in, n, &s);
	if (m->b.rc)
		return NULL;
	q.like = s.values[0].w;
	v = run_rule(&q, &p->steps, &s);
	if (m->b.rc)
		return NULL;
	if (v.kind != PATTERN_WIRE)
		misfit(&q, "no wire comes out of", p->steps.name);
	return m->b.rc ? NULL : make_set_bound(m, v.w, largest(m, v.w->type.dtype));
}
