/* mutants.c - see mutants.h.
 *
 * All changes are made by walking over the model in one order; the walk counts, and makes the one that was asked for.
 */
#include "support/mutants.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ops/op.h"
#include "support/mutants_walk.h"

#define LONG_DIM 1031

int walk_turn(struct walk *w, const char *format, ...)
{
	va_list args;

	if (w->made || w->left-- > 0)
		return 0;
	w->made = 1;
	va_start(args, format);
	vsnprintf(w->m->what, sizeof w->m->what, format, args);
	va_end(args);
	return 1;
}

/* ---- tensors that lead in ---------------------------------------------------------------------------------------- */

/* An input or a constant of the main graph. */
struct port {
	struct wire *wire;
	struct value **slot; /* NULL: a constant */
};

static struct tensor *port_tensor(const struct port *p)
{
	return !p->slot ? p->wire->init : *p->slot && (*p->slot)->kind == VALUE_TENSOR ? (*p->slot)->tensor : NULL;
}

static void port_set(struct walk *w, const struct port *p, struct tensor *take)
{
	BUG_ON(!take);
	if (!p->slot) {
		struct tensor *packed = tensor_pack(take, &w->e);

		tensor_unref(take);
		BUG_ON(!packed || graph_set_init(p->wire, packed, &w->e));
		return;
	}
	if (type_is_static(&p->wire->type))
		type_set(&p->wire->type, take->dtype, take->rank, take->dims);
	value_unref(*p->slot);
	*p->slot = value_tensor(take, &w->e);
	BUG_ON(!*p->slot);
}

/* The numbers of `from`, over and over, under other dimensions. */
static struct tensor *resized(struct walk *w, struct tensor *from, enum dtype t, int rank, const int64_t *dims)
{
	struct tensor *wide = tensor_widen(from, &w->e), *y = tensor_zeros(t, rank, dims, &w->e);
	size_t size = dtype_wide(t) == WIDE_C64 ? 2 * sizeof(double) : sizeof(double);

	BUG_ON(!wide || !y);
	for (size_t i = 0; i < y->count && wide->count && dtype_wide(t) == dtype_wide(wide->dtype); i++)
		if (dtype_wide(t) == WIDE_STR)
			BUG_ON(tensor_set_string(y, i, wide->s[i % wide->count].p, wide->s[i % wide->count].n, &w->e));
		else
			memcpy((char *)y->data + i * size, (char *)wide->data + i % wide->count * size, size);
	tensor_unref(wide);
	return y;
}

static void reshape(struct walk *w, const struct port *p, int rank, const int64_t *dims)
{
	struct tensor *t = port_tensor(p);

	port_set(w, p, resized(w, t, t->dtype, rank, dims));
}

/* One dimension another size: none, one, one more, long; and none of any number. */
static void change_dim(struct walk *w, const struct port *p, int d)
{
	static const int64_t sizes[] = {0, 1, -1, LONG_DIM, HUGE_DIM};
	const struct tensor *t = port_tensor(p);

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !w->made; i++) {
		int64_t dims[TENSOR_MAX_RANK], size = sizes[i] < 0 ? t->dims[d] + 1 : sizes[i];

		if (size == t->dims[d] || (size == HUGE_DIM && t->rank < 2))
			continue;
		memcpy(dims, t->dims, sizeof dims);
		dims[d] = size;
		for (int k = 0; k < t->rank && size >= LONG_DIM; k++)
			dims[k] = k == d ? size : size == HUGE_DIM ? 0 : t->dims[k] > 1 ? 2 : t->dims[k];
		if (walk_turn(w, "dimension %d of '%s' is %lld", d, p->wire->name, (long long)size))
			reshape(w, p, t->rank, dims);
	}
}

static void change_rank(struct walk *w, const struct port *p)
{
	const struct tensor *t = port_tensor(p);
	int64_t dims[TENSOR_MAX_RANK + 1], ones[TENSOR_MAX_RANK], empty[TENSOR_MAX_RANK] = {0};

	dims[0] = 1;
	memcpy(dims + 1, t->dims, sizeof t->dims);
	for (int i = 0; i < TENSOR_MAX_RANK; i++)
		ones[i] = 1;
	if (t->rank && walk_turn(w, "'%s' is a scalar", p->wire->name))
		reshape(w, p, 0, dims);
	else if (t->rank < TENSOR_MAX_RANK && walk_turn(w, "'%s' has one dimension more", p->wire->name))
		reshape(w, p, t->rank + 1, dims);
	else if (t->rank > 1 && walk_turn(w, "'%s' has one dimension less", p->wire->name))
		reshape(w, p, t->rank - 1, dims + 2);
	else if (walk_turn(w, "'%s' has all dimensions there can be", p->wire->name))
		reshape(w, p, TENSOR_MAX_RANK, ones);
	else if (walk_turn(w, "'%s' is empty in all dimensions there can be", p->wire->name))
		reshape(w, p, TENSOR_MAX_RANK, empty);
	else if (t->rank && walk_turn(w, "'%s' is empty in all its dimensions", p->wire->name))
		reshape(w, p, t->rank, empty);
}

static void fill(struct walk *w, const struct port *p, double f, int64_t i, int only_first)
{
	struct tensor *old = port_tensor(p), *t = resized(w, old, old->dtype, old->rank, old->dims);
	size_t n = only_first && t->count ? 1 : t->count;

	for (size_t k = 0; k < n; k++)
		if (dtype_wide(t->dtype) == WIDE_F64)
			t->f[k] = f;
		else if (dtype_wide(t->dtype) == WIDE_I64)
			t->i[k] = i;
	if (dtype_wide(t->dtype) == WIDE_I64)
		tensor_wrap_ints(t);
	port_set(w, p, t);
}

static void change_numbers(struct walk *w, const struct port *p)
{
	static const double floats[] = {NAN, INFINITY, -INFINITY, 0, 1e300, -1e300, 1e-300};
	static const int64_t ints[] = {INT64_MIN, INT64_MAX, 0, -1, INT64_C(1) << 31, 1, 100000};
	enum wide kind = dtype_wide(port_tensor(p)->dtype);

	for (size_t i = 0; i < sizeof ints / sizeof *ints && !w->made; i++)
		for (int first = 0; first < 2 && (kind == WIDE_F64 || kind == WIDE_I64); first++)
			if (kind == WIDE_F64 &&
			    walk_turn(w, "%s '%s' is %g", first ? "the first of" : "all of", p->wire->name, floats[i]))
				fill(w, p, floats[i], 0, first);
			else if (kind == WIDE_I64 && walk_turn(w, "%s '%s' is %lld", first ? "the first of" : "all of",
							       p->wire->name, (long long)ints[i]))
				fill(w, p, 0, ints[i], first);
}

static void change_type(struct walk *w, const struct port *p)
{
	static const enum dtype types[] = {DT_FLOAT, DT_DOUBLE, DT_INT64, DT_UINT8, DT_BOOL, DT_STRING, DT_COMPLEX64};
	struct tensor *t = port_tensor(p);

	for (size_t i = 0; i < sizeof types / sizeof *types && !w->made; i++)
		if (types[i] != t->dtype &&
		    walk_turn(w, "'%s' is of another type: %s", p->wire->name, dtype_name(types[i])))
			port_set(w, p, resized(w, t, types[i], t->rank, t->dims));
}

static void change_port(struct walk *w, const struct port *p)
{
	for (int d = 0; d < port_tensor(p)->rank && !w->made; d++)
		change_dim(w, p, d);
	if (!w->made)
		change_rank(w, p);
	if (!w->made)
		change_numbers(w, p);
	if (!w->made)
		change_type(w, p);
}

/* ---- all dimensions of one size, so that they still fit together ------------------------------------------------- */

#define MAX_PORTS 64

struct ports {
	struct port at[MAX_PORTS];
	size_t n;
};

static struct ports find_ports(struct mutant *m)
{
	struct graph *g = m->model->graph;
	struct ports p = {.n = 0};

	for (size_t i = 0; i < g->inputs.n && p.n < MAX_PORTS; i++)
		if (m->inputs[i])
			p.at[p.n++] = (struct port){g->inputs.at[i], &m->inputs[i]};
	for (size_t i = 0; i < g->wires.n && p.n < MAX_PORTS; i++)
		if (g->wires.at[i]->init)
			p.at[p.n++] = (struct port){g->wires.at[i], NULL};
	return p;
}

static void replace_size(struct walk *w, const struct ports *p, int64_t from, int64_t to)
{
	for (size_t i = 0; i < p->n; i++) {
		struct tensor *t = port_tensor(&p->at[i]);
		int64_t dims[TENSOR_MAX_RANK];
		int any = 0;

		for (int d = 0; t && d < t->rank; d++) {
			dims[d] = t->dims[d] == from ? to : t->dims[d];
			any |= t->dims[d] == from;
		}
		if (any)
			reshape(w, &p->at[i], t->rank, dims);
	}
}

static void change_sizes(struct walk *w, const struct ports *p)
{
	static const int64_t sizes[] = {0, 1, 7};

	for (int64_t from = 1; from <= 16 && !w->made; from++) {
		int any = 0;

		for (size_t i = 0; i < p->n; i++)
			for (int d = 0; port_tensor(&p->at[i]) && d < port_tensor(&p->at[i])->rank; d++)
				any |= port_tensor(&p->at[i])->dims[d] == from;
		for (size_t i = 0; any && i < sizeof sizes / sizeof *sizes; i++)
			if (from != sizes[i] &&
			    walk_turn(w, "all dimensions of %lld are %lld", (long long)from, (long long)sizes[i]))
				replace_size(w, p, from, sizes[i]);
	}
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static const int64_t odd_ints[] = {INT64_MIN, INT64_MAX, 0, -1, INT64_C(1) << 31, 1, 5};
static const double odd_floats[] = {NAN, INFINITY, -INFINITY, 0, -1, 3e38, 1e-45};

#define N_ODD (sizeof odd_ints / sizeof *odd_ints)
#define LONGEST_LIST 17

static void change_int(struct walk *w, struct node *n, const char *name)
{
	for (size_t i = 0; i < N_ODD; i++)
		if (walk_turn(w, "%s=%lld", name, (long long)odd_ints[i]))
			BUG_ON(node_set_int(n, name, odd_ints[i], &w->e));
}

static void change_float(struct walk *w, struct node *n, const char *name)
{
	for (size_t i = 0; i < N_ODD; i++)
		if (walk_turn(w, "%s=%g", name, odd_floats[i]))
			BUG_ON(node_set_float(n, name, odd_floats[i], &w->e));
}

/* Lists of every length around what the node has, of each odd number; and one that is odd in its last only. */
static void change_list(struct walk *w, struct node *n, const struct op_attr *a)
{
	const struct attr *had = node_attr(n, a->name);
	size_t length = had && had->type == a->type ? had->n : 2,
	       lengths[] = {length, length + 1, length - 1, LONGEST_LIST};
	int64_t ints[LONGEST_LIST + 1024];
	double floats[LONGEST_LIST + 1024];

	if (walk_turn(w, "%s=[]", a->name))
		BUG_ON(a->type == ATTR_INTS ? node_set_ints(n, a->name, ints, 0, &w->e)
					    : node_set_floats(n, a->name, floats, 0, &w->e));
	for (size_t k = 0; k < 2 * N_ODD * 4 && length <= 1024 && !w->made; k++) {
		size_t count = lengths[k % 4], odd = k / 4 % N_ODD, last = k / 4 / N_ODD;

		if (count > length + LONGEST_LIST || !walk_turn(w, "%s is a list of %zu, %s odd number %zu", a->name,
								count, last ? "the last" : "all", odd))
			continue;
		for (size_t i = 0; i < count; i++) {
			int keep = last && i + 1 < count, known = had && had->type == a->type && i < had->n;

			ints[i] = !keep ? odd_ints[odd] : known && a->type == ATTR_INTS ? had->ints[i] : 1;
			floats[i] = !keep ? odd_floats[odd] : known && a->type == ATTR_FLOATS ? had->floats[i] : 1;
		}
		BUG_ON(a->type == ATTR_INTS ? node_set_ints(n, a->name, ints, count, &w->e)
					    : node_set_floats(n, a->name, floats, count, &w->e));
	}
}

static void change_text(struct walk *w, struct node *n, const char *name)
{
	static const char *const texts[] = {
		"",       "?",           "SAME_UPPER",
		"linear", "ij,jk->ik->", "a...............................................................b"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (walk_turn(w, "%s=\"%.20s\"", name, texts[i]))
			BUG_ON(node_set_string(n, name, texts[i], &w->e));
}

static void change_texts(struct walk *w, struct node *n, const char *name)
{
	static const char *const texts[] = {"", "?", "Tanh", "Affine", "a", "b", "c", "d"};

	for (size_t count = 0; count <= sizeof texts / sizeof *texts; count++)
		if (walk_turn(w, "%s has %zu texts", name, count))
			BUG_ON(node_set_strings(n, name, texts, count, &w->e));
}

static void change_tensor(struct walk *w, struct node *n, const char *name)
{
	static const int64_t shapes[][2] = {{0, 0}, {1, 1}, {2, 3}};
	static const enum dtype types[] = {DT_FLOAT, DT_INT64, DT_STRING, DT_DOUBLE};

	for (size_t i = 0; i < 3 * 3 * 4 && !w->made; i++) {
		int rank = (int)(i % 3);

		if (walk_turn(w, "%s is a tensor of %s, rank %d, shape %zu", name, dtype_name(types[i / 9]), rank,
			      i / 3 % 3)) {
			struct tensor *t = tensor_zeros(types[i / 9], rank, shapes[i / 3 % 3], &w->e),
				      *packed = t ? tensor_pack(t, &w->e) : NULL;

			BUG_ON(!packed || node_set_tensor(n, name, packed, &w->e));
			tensor_unref(t);
		}
	}
}

static void change_attr(struct walk *w, struct node *n, const struct op_attr *a)
{
	if (node_has(n, a->name) && walk_turn(w, "%s is left out", a->name))
		node_remove_attr(n, a->name);
	switch (a->type) {
	case ATTR_INT:
		change_int(w, n, a->name);
		break;
	case ATTR_FLOAT:
		change_float(w, n, a->name);
		break;
	case ATTR_INTS:
	case ATTR_FLOATS:
		change_list(w, n, a);
		break;
	case ATTR_STRING:
		change_text(w, n, a->name);
		break;
	case ATTR_STRINGS:
		change_texts(w, n, a->name);
		break;
	case ATTR_TENSOR:
		change_tensor(w, n, a->name);
		break;
	case ATTR_GRAPH:
		change_body(w, n, a->name);
		break;
	case ATTR_TYPE:
		change_type_attr(w, n, a->name);
		break;
	default: /* no operator has others */
		break;
	}
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void change_node(struct walk *w, struct node *n)
{
	const struct op_row *row = ops_find(n->domain, n->op_type);

	for (int i = 0; i < n->n_in && !w->made; i++)
		if (n->in[i] && walk_turn(w, "input %d of '%s' is left out", i, n->name))
			n->in[i] = NULL;
	for (int i = n->n_in - 1; i >= 0 && !w->made; i--)
		if (walk_turn(w, "'%s' has %d inputs", n->name, i))
			n->n_in = i;
	for (int i = 1; i < n->n_in && !w->made; i++)
		if (n->in[0] && walk_turn(w, "input %d of '%s' is its first", i, n->name))
			n->in[i] = n->in[0];
	for (const struct op_attr *a = row ? row->op->attrs : NULL; a && a->name && !w->made; a++)
		change_attr(w, n, a);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* Types of what nodes make were those of the model as it was. */
static void forget_types(struct model *m)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->wires.n; i++)
			if (m->graphs.at[g]->wires.at[i]->producer)
				m->graphs.at[g]->wires.at[i]->type = (struct type)TYPE_INIT;
}

/* Constants become inputs, behind the others. */
static void free_constants(struct walk *w)
{
	struct graph *g = w->m->model->graph;

	for (size_t i = 0; i < g->wires.n; i++) {
		struct wire *c = g->wires.at[i];
		struct tensor *wide;

		if (!c->init || c->is_input)
			continue;
		wide = tensor_widen(c->init, &w->e);
		w->m->inputs = mem_resize(w->m->inputs, (w->m->n + 1) * sizeof *w->m->inputs);
		BUG_ON(!wide || !w->m->inputs || vec_push(&g->inputs, c));
		BUG_ON(!(w->m->inputs[w->m->n++] = value_tensor(wide, &w->e)));
		type_set(&c->type, c->init->dtype, c->init->rank, c->init->dims);
		c->init = NULL; /* the model keeps the reference */
		c->is_input = 1;
	}
}

static void open_sizes(struct mutant *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->model->graph->inputs.at[i]->type.kind == VALUE_TENSOR)
			m->model->graph->inputs.at[i]->type.rank = -1;
}

int mutant_make(const struct model *m, struct value *const *inputs, size_t k, enum mutant_style style,
		struct mutant *out)
{
	struct walk w = {.left = k, .m = out, .e = ERR_INIT};
	struct ports ports;

	*out = (struct mutant){.n = m->graph->inputs.n};
	BUG_ON(model_copy(m, &out->model, &w.e));
	BUG_ON(!(out->inputs = mem_array(out->n + 1, sizeof *out->inputs)));
	for (size_t i = 0; i < out->n; i++)
		out->inputs[i] = value_ref(inputs[i]);
	forget_types(out->model);
	if (style == MUTANT_ALL_INPUTS)
		free_constants(&w);
	ports = find_ports(out);
	for (size_t i = 0; i < ports.n && !w.made; i++)
		if (port_tensor(&ports.at[i]))
			change_port(&w, &ports.at[i]);
		else if (ports.at[i].slot)
			change_container(&w, ports.at[i].wire, ports.at[i].slot);
	if (!w.made)
		change_sizes(&w, &ports);
	for (size_t g = 0; g < out->model->graphs.n; g++)
		for (size_t i = 0; i < out->model->graphs.at[g]->nodes.n && !w.made; i++)
			change_node(&w, out->model->graphs.at[g]->nodes.at[i]);
	if (style != MUTANT_DECLARED)
		open_sizes(out);
	if (!w.made)
		mutant_release(out);
	return w.made;
}

void mutant_release(struct mutant *m)
{
	for (size_t i = 0; i < m->n; i++)
		value_unref(m->inputs[i]);
	mem_free(m->inputs);
	model_free(m->model);
	*m = (struct mutant){.model = NULL};
}
