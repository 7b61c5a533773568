/* maker.c - nodes, constants and inputs of a model in the making (see maker.h). */
#include "ops/sample/maker.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* ---- chance ------------------------------------------------------------------------------------------------------ */

int make_chance(struct maker *m, double p)
{
	return rng_unit(&m->rng) < p;
}

int64_t make_between(struct maker *m, int64_t lo, int64_t hi)
{
	return lo < hi ? rng_between(&m->rng, lo, hi) : lo;
}

int64_t make_one_of(struct maker *m, const int64_t *list, size_t n)
{
	return list[rng_below(&m->rng, n)];
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

#define NAME 16
#define MAX_OUT 8        /* outputs of a node */
#define EMPTY 0.02       /* share of inputs of any shape that have an axis of 0 … */
#define EMPTY_ALONE 0.08 /* … of models of one operator, which is cheap to run */

/* "v12"; made by hand since each wire gets one, and snprintf() takes a fifth of the time that a model does. */
static const char *new_name(struct maker *m, char kind, char out[NAME])
{
	unsigned n = (unsigned)m->names++;
	char *at = out + NAME - 1;

	*at = '\0';
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	*--at = kind;
	return at;
}

double make_bound_of(const struct maker *m, const struct wire *w)
{
	return w && !w->graph->parent && (size_t)w->id < m->bounds.n ? m->bounds.at[w->id] : 0;
}

struct wire *make_set_bound(struct maker *m, struct wire *w, double bound)
{
	if (w && w->graph->parent)
		return m->b.rc ? NULL : w;
	while (!m->b.rc && w && m->bounds.n <= (size_t)w->id)
		if (vec_push(&m->bounds, 0))
			m->b.rc = err_nomem(m->b.err, "bounds", 0);
	if (!m->b.rc && w)
		m->bounds.at[w->id] = bound;
	return m->b.rc ? NULL : w;
}

double make_largest(const struct maker *m, enum dtype t)
{
	return fmin(dtype_max(t), m->whole > 0 ? m->whole : (double)INFINITY);
}

double make_lowest(const struct maker *m, enum dtype t)
{
	return fmax(dtype_lowest(t), m->whole > 0 ? -m->whole - 1 : (double)-INFINITY);
}

static struct value_range *find_range(const struct maker *m, const struct wire *w)
{
	for (size_t i = 0; i < m->ranges.n; i++)
		if (m->ranges.at[i].wire == w)
			return &m->ranges.at[i].range;
	return NULL;
}

struct value_range make_range_of(const struct maker *m, const struct wire *w)
{
	const struct value_range *own = find_range(m, w);
	struct value_range r = own ? *own : values_all;

	if (dtype_is_int(w->type.dtype)) {
		r.lo = fmax(r.lo, make_lowest(m, w->type.dtype));
		r.hi = fmin(r.hi, make_largest(m, w->type.dtype));
	}
	return r;
}

int make_narrow(struct maker *m, const struct wire *w, double lo, double hi)
{
	struct value_range was, *own = find_range(m, w);

	if (m->b.rc || (m->fill != FILL_ENDS && !m->special) || w->producer || w->init || w->graph->parent ||
	    w->type.dtype == DT_BOOL)
		return 0;
	was = make_range_of(m, w);
	lo = fmax(lo, was.lo);
	hi = fmin(hi, was.hi);
	if (lo > hi || hi < dtype_lowest(w->type.dtype))
		return 0;
	if (!own && vec_push(&m->ranges, ((struct input_range){.wire = w})))
		return 0;
	own = find_range(m, w);
	*own = (struct value_range){.lo = lo, .hi = hi};
	return 1;
}

void make_admit(struct maker *m, struct wire *w, int below)
{
	struct value_range *r = m->b.rc || !m->special || m->fill != FILL_ENDS ? NULL : find_range(m, w);

	if (!r)
		return;
	r->nan = r->above = 1;
	r->below = below;
	make_set_bound(m, w, (double)INFINITY);
}

void make_begin_some(struct maker *m, const char *op, struct wire *const *in, int n_in, int outs, unsigned present)
{
	char names[MAX_OUT][NAME];
	const char *list[MAX_OUT] = {NULL};
	const char *first = NULL;

	while (outs > 1 && !(present >> (outs - 1) & 1)) /* none at the end is just not there */
		outs--;
	for (int i = 0; i < outs && i < MAX_OUT; i++)
		if (present >> i & 1) {
			list[i] = new_name(m, 'v', names[i]);
			first = first ? first : list[i];
		}
	build_op_n(&m->b, op, first, in, n_in, list, outs < MAX_OUT ? outs : MAX_OUT);
}

void make_begin(struct maker *m, const char *op, struct wire *const *in, int n_in, int outs)
{
	make_begin_some(m, op, in, n_in, outs, ~0u);
}

void make_begin_cast(struct maker *m, struct wire *w, enum dtype t)
{
	make_begin(m, "Cast", &w, 1, 1);
	build_int(&m->b, "to", t);
}

/* Imports the operator's domain when no node before was of it. */
static int import_domain(struct maker *m)
{
	struct model *model = m->b.model;
	struct opset o = {m->row->domain, ops_opset_with(m->row->domain, m->opset)};

	if (model_opset(model, o.domain))
		return 0;
	return vec_push(&model->opsets, o) ? err_nomem(m->b.err, "opsets", 0) : 0;
}

void make_begin_row(struct maker *m, struct wire *const *in, int n_in, int outs)
{
	char names[MAX_OUT][NAME];
	const char *list[MAX_OUT];
	struct node_spec spec = {
		.op_type = m->row->name, .domain = m->row->domain, .in = in, .n_in = n_in, .out = list};

	spec.n_out = outs < MAX_OUT ? outs : MAX_OUT;
	for (int i = 0; i < spec.n_out; i++)
		list[i] = new_name(m, 'v', names[i]);
	spec.name = list[0];
	if (!m->b.rc)
		m->b.rc = import_domain(m);
	if (!m->b.rc)
		m->b.rc = graph_add_node(m->b.graph, m->b.graph->nodes.n, &spec, &m->b.last, m->b.err);
}

/* Unless a sampler says otherwise, a result is as large as the largest input. */
struct wire *make_done_open(struct maker *m)
{
	struct node *n = m->b.rc ? NULL : m->b.last;
	double bound = 0;

	if (!n)
		return NULL;
	make_older(m, n);
	if (!m->b.rc)
		m->b.rc = ops_infer_node(n, &m->tmp, m->b.err);
	for (int i = 0; i < n->n_in; i++)
		bound = fmax(bound, make_bound_of(m, n->in[i]));
	for (int i = 0; i < n->n_out && !m->b.rc; i++)
		make_set_bound(m, n->out[i], bound);
	return m->b.rc ? NULL : n->out[0];
}

struct wire *make_done(struct maker *m)
{
	struct wire *first = make_done_open(m);
	const struct node *n = m->b.last;

	for (int i = 0; !m->b.rc && i < n->n_out; i++)
		if (n->out[i] && !type_is_static(&n->out[i]->type))
			m->b.rc = err_set(m->b.err, ERR_INTERNAL, "the shape of an output of %s is not known",
					  n->op_type);
	return m->b.rc ? NULL : first;
}

struct wire *make_op1(struct maker *m, const char *op, struct wire *a)
{
	make_begin(m, op, &a, 1, 1);
	return make_done(m);
}

struct wire *make_op2(struct maker *m, const char *op, struct wire *a, struct wire *b)
{
	make_begin(m, op, (struct wire *[]){a, b}, 2, 1);
	return make_done(m);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

struct wire *make_const(struct maker *m, struct tensor *t, double bound)
{
	struct wire *w = NULL;
	char name[NAME];

	if (!t && !m->b.rc)
		m->b.rc = m->b.err->code;
	if (m->b.rc) {
		tensor_unref(t);
		return NULL;
	}
	m->b.rc = graph_add_init(m->b.graph, new_name(m, 'c', name), t, &w, m->b.err);
	return make_set_bound(m, w, bound);
}

struct wire *make_list(struct maker *m, enum dtype t, size_t n, const int64_t *x)
{
	struct tensor *list = m->b.rc ? NULL : tensor_new_packed(t, 1, (int64_t[]){(int64_t)n}, m->b.err);

	if (list && n)
		dtype_pack(t, x, n, list->data);
	return make_const(m, list, 0);
}

struct wire *make_ints(struct maker *m, size_t n, const int64_t *x)
{
	return make_list(m, DT_INT64, n, x);
}

#define NARROW 0.25 /* share of indices that are int32 */

enum dtype make_index_type(struct maker *m)
{
	return make_chance(m, NARROW) ? DT_INT32 : DT_INT64;
}

struct wire *make_indices(struct maker *m, size_t n, const int64_t *x)
{
	enum dtype t = make_index_type(m);

	for (size_t i = 0; i < n; i++)
		t = x[i] == (int32_t)x[i] ? t : DT_INT64;
	return make_list(m, t, n, x);
}

struct wire *make_index(struct maker *m, int64_t x)
{
	return make_scalar(m, make_index_type(m), (double)x);
}

/* The integer of the type that is next to x. */
static int64_t whole_of(enum dtype t, double x)
{
	if (x <= dtype_lowest(t))
		return dtype_is_unsigned(t) ? 0 : INT64_MIN >> (64 - dtype_bits(t));
	if (x >= dtype_max(t))
		return t == DT_BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - dtype_bits(t) + !dtype_is_unsigned(t)));
	return t == DT_UINT64 ? (int64_t)(uint64_t)x : (int64_t)x;
}

static void set_element(struct tensor *t, size_t i, double x)
{
	if (dtype_is_float(t->dtype))
		t->f[i] = dtype_round(t->dtype, x, 1);
	else
		t->i[i] = whole_of(t->dtype, x);
}

struct wire *make_scalar(struct maker *m, enum dtype t, double x)
{
	struct tensor *s = m->b.rc ? NULL : tensor_new_packed(t, 0, NULL, m->b.err);
	double f = dtype_is_float(t) ? dtype_round(t, x, 1) : 0;
	int64_t i = dtype_is_float(t) ? 0 : whole_of(t, x);

	if (s)
		dtype_pack(t, dtype_is_float(t) ? (void *)&f : (void *)&i, 1, s->data);
	return make_const(m, s, fabs(x));
}

struct wire *make_filled(struct maker *m, enum dtype t, int rank, const int64_t *dims, double x)
{
	struct tensor *all = m->b.rc ? NULL : tensor_new(t, rank, dims, m->b.err);

	for (size_t i = 0; all && i < all->count; i++)
		set_element(all, i, x);
	return make_const(m, all, fabs(x));
}

struct wire *make_random(struct maker *m, enum dtype t, int rank, const int64_t *dims, double lo, double hi)
{
	struct tensor *x = m->b.rc ? NULL : tensor_new(t, rank, dims, m->b.err);
	int whole = !dtype_is_float(t) || m->fill == FILL_EXACT;

	for (size_t i = 0; x && i < x->count; i++)
		set_element(x, i,
			    whole ? (double)make_between(m, (int64_t)ceil(lo), (int64_t)floor(hi))
				  : rng_uniform(&m->rng, lo, hi));
	return make_const(m, x, fmax(fabs(lo), fabs(hi)));
}

struct wire *make_weights(struct maker *m, enum dtype t, int rank, const int64_t *dims)
{
	double most = m->weight > 0 ? m->weight : 2;
	struct wire *w = make_random(m, t, rank, dims, dtype_is_unsigned(t) ? 0 : -most, most);

	return w && m->weights ? m->weights(m, w, m->weights_arg) : w;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static const int64_t five_shapes[5][4] = {{1, 3, 8, 8}, {2, 4, 6, 6}, {1, 8, 4, 4}, {1, 1, 7, 5}, {2, 3, 5, 9}};

/* The more axes, the shorter they are. */
static int64_t longest(int rank)
{
	return rank <= 4 ? 9 : rank == 5 ? 5 : rank == 6 ? 3 : 2;
}

static int draw_shape(struct maker *m, int64_t *dims)
{
	int rank = 4;

	if (!m->any_shape) {
		const int64_t *shape = five_shapes[make_between(m, 0, 4)];

		for (int i = 0; i < 4; i++)
			dims[i] = shape[i];
		return 4;
	}
	if (make_chance(m, 0.1)) { /* one long axis: whole vectors, and what is left of them */
		dims[0] = make_between(m, 1, 2);
		dims[1] = make_between(m, 15, 70);
		return 2;
	}
	if (make_chance(m, 0.3))
		rank = (int)make_between(m, 0, MAKE_MAX_RANK);
	for (int i = 0; i < rank; i++)
		dims[i] = make_chance(m, 0.15) ? 1 : make_between(m, 1, i ? longest(rank) : 3);
	if (rank && m->opset >= MAKE_EMPTY_OPSET && make_chance(m, m->alone ? EMPTY_ALONE : EMPTY))
		dims[make_between(m, 0, rank - 1)] = 0;
	return rank;
}

enum dtype make_type(struct maker *m, uint32_t types)
{
	enum dtype list[DT_COUNT];
	size_t n = 0;

	if ((types & TM(DT_FLOAT)) && make_chance(m, m->fill == FILL_ENDS ? 0.4 : 0.85))
		return DT_FLOAT;
	for (int t = 1; t < DT_COUNT; t++)
		if (types & TM(t))
			list[n++] = (enum dtype)t;
	return n ? list[rng_below(&m->rng, n)] : DT_FLOAT;
}

/* What the fuzzer fills inputs with. */
static double largest_input(const struct maker *m, enum dtype t)
{
	if (t == DT_BOOL)
		return 1;
	if (m->fill == FILL_ENDS)
		return dtype_is_float(t) ? (double)INFINITY : fmax(-make_lowest(m, t), make_largest(m, t));
	return m->fill == FILL_EDGE ? 100 : m->fill == FILL_EXACT || !dtype_is_float(t) ? 4 : 1;
}

struct wire *make_input(struct maker *m, uint32_t types)
{
	enum dtype t = make_type(m, types);
	int64_t dims[MAKE_MAX_RANK];
	int rank = draw_shape(m, dims);
	double bound = largest_input(m, t);
	struct wire *w;
	char name[NAME];

	/* Constants are folded by libraries: another way through them. */
	if (m->b.rc)
		return NULL;
	if (m->wide && m->fill != FILL_ENDS && m->b.graph->inputs.n && make_chance(m, 0.1))
		return make_random(m, t, rank, dims, dtype_is_unsigned(t) ? 0 : -bound, bound);
	w = build_input(&m->b, new_name(m, 'x', name), t, rank, dims);
	return make_set_bound(m, w, bound);
}

struct wire *make_input_as(struct maker *m, const struct wire *w, enum dtype t, int rank, const int64_t *dims)
{
	double bound = fmin(make_bound_of(m, w), largest_input(m, t));
	const struct value_range *was;
	struct value_range range;
	struct wire *as;
	char name[NAME];

	if (m->b.rc || !m->alone || w->producer || w->init || w->graph != m->b.graph || w->graph->parent)
		return NULL;
	was = find_range(m, w);
	range = was ? *was : values_all;
	as = build_input(&m->b, new_name(m, 'x', name), t, rank, dims);
	if (as && was && vec_push(&m->ranges, ((struct input_range){as, range})))
		m->b.rc = err_nomem(m->b.err, "ranges", 0);
	return make_set_bound(m, as, bound);
}

struct wire *make_flag(struct maker *m, int rank)
{
	return make_set_bound(m, make_body_input(m, DT_BOOL, rank, (int64_t[]){1}), 1);
}

struct wire *make_body_input(struct maker *m, enum dtype t, int rank, const int64_t *dims)
{
	char name[NAME];

	return build_input(&m->b, new_name(m, 'x', name), t, rank, dims);
}
