/* older.c - nodes as older opsets have them (see make_done() of maker.h).
 *
 * Samplers write nodes as the newest opsets do.  What an older version of the operator says in another way is turned
 * round here, for all of them: parameters that were attributes before they were inputs, attributes that were not there
 * yet, axes that counted from the front only.  What an older version cannot do at all is the sampler's to know. */
#include <string.h>

#include "ops/attr.h"
#include "ops/sample/maker.h"

#define LAST_MOVED 20   /* from this opset on all of these parameters are inputs */
#define ALL_TYPES 14    /* from this opset on Add, Less and Pad take all integers */
#define FROM_THE_END 11 /* from this opset on all axes may count from the end */

/* Inputs that were attributes; ops/attr_spans.def says until when. */
static const struct moved {
	const char *op;
	int port;
	const char *attr;
} moved[] = {
	{"Clip", 1, "min"},          {"Clip", 2, "max"},
	{"DFT", 2, "axis"},          {"Dropout", 1, "ratio"},
	{"Pad", 1, "pads"},          {"Pad", 2, "value"},
	{"ReduceL1", 1, "axes"},     {"ReduceL2", 1, "axes"},
	{"ReduceLogSum", 1, "axes"}, {"ReduceLogSumExp", 1, "axes"},
	{"ReduceMax", 1, "axes"},    {"ReduceMean", 1, "axes"},
	{"ReduceMin", 1, "axes"},    {"ReduceProd", 1, "axes"},
	{"ReduceSum", 1, "axes"},    {"ReduceSumSquare", 1, "axes"},
	{"Slice", 1, "starts"},      {"Slice", 2, "ends"},
	{"Slice", 3, "axes"},        {"Split", 1, "split"},
	{"Squeeze", 1, "axes"},      {"TopK", 1, "k"},
	{"Unsqueeze", 1, "axes"},    {"Upsample", 1, "scales"},
};

/* Operators whose axis counted from the end in their first version already. */
static const char *const from_either_end[] = {"Gather", "LpNormalization", "OneHot", "TopK"};

int make_takes(const struct maker *m, const char *op, enum dtype t)
{
	const struct op_row *row = m->opset >= ALL_TYPES || dtype_is_float(t) ? NULL : ops_find("", op);

	return !row || (ops_types(row, ops_version(row, m->opset)) & TM(t)) != 0;
}

static int set_attr(struct maker *m, struct node *n, const struct op_attr *a, const struct tensor *x)
{
	if (a->type == ATTR_INTS)
		return node_set_ints(n, a->name, x->i, x->count, m->b.err);
	if (a->type == ATTR_FLOATS)
		return node_set_floats(n, a->name, x->f, x->count, m->b.err);
	if (a->type == ATTR_INT)
		return node_set_int(n, a->name, x->i[0], m->b.err);
	return node_set_float(n, a->name, (double)(float)tensor_get(x, 0), m->b.err);
}

static int move_input(struct maker *m, struct node *n, const struct op *op, const struct moved *of)
{
	const struct op_attr *a = attr_row(op, of->attr, n->version);
	const struct tensor *init = n->in[of->port]->init;
	struct tensor *x;
	int rc;

	if (!a || !init)
		return err_set(m->b.err, ERR_INTERNAL, "%s of %s is not a constant, which opset %d needs", of->attr,
			       n->op_type, m->opset);
	x = tensor_widen((struct tensor *)init, m->b.err);
	rc = x ? set_attr(m, n, a, x) : m->b.err->code;
	tensor_unref(x);
	n->in[of->port] = NULL;
	m->has_unused = 1;
	return rc;
}

static void move_inputs(struct maker *m, struct node *n, const struct op *op)
{
	for (size_t i = 0; i < sizeof moved / sizeof *moved && !m->b.rc; i++)
		if (moved[i].port < n->n_in && n->in[moved[i].port] && !strcmp(moved[i].op, n->op_type) &&
		    attr_is_of_version(n, moved[i].attr))
			m->b.rc = move_input(m, n, op, &moved[i]);
	while (n->n_in > 1 && !n->in[n->n_in - 1])
		n->n_in--;
}

static void drop_attrs(struct node *n)
{
	for (int i = n->n_attrs; i-- > 0;)
		if (!attr_is_of_version(n, n->attrs[i].name))
			node_remove_attr(n, n->attrs[i].name);
}

static int counts_from_either_end(const struct node *n)
{
	for (size_t i = 0; i < sizeof from_either_end / sizeof *from_either_end; i++)
		if (!strcmp(from_either_end[i], n->op_type))
			return 1;
	return !n->n_in || !n->in[0];
}

static void count_from_front(struct node *n)
{
	int rank = counts_from_either_end(n) ? 0 : n->in[0]->type.rank;

	for (int i = 0; i < n->n_attrs && rank > 0; i++) {
		struct attr *a = &n->attrs[i];

		if (a->type == ATTR_INT && !strcmp(a->name, "axis") && a->i < 0)
			a->i += rank;
		if (a->type != ATTR_INTS || strcmp(a->name, "axes") != 0)
			continue;
		for (size_t k = 0; k < a->n; k++) /* of Unsqueeze they count in what comes out */
			if (a->ints[k] < 0)
				a->ints[k] += rank + (strcmp(n->op_type, "Unsqueeze") ? 0 : (int)a->n);
	}
}

void make_older(struct maker *m, struct node *n)
{
	const struct op_row *row = m->opset < LAST_MOVED && !*n->domain ? ops_find("", n->op_type) : NULL;

	n->version = row ? ops_version(row, n->opset) : 0;
	if (!n->version)
		return;
	move_inputs(m, n, row->op);
	drop_attrs(n);
	if (m->opset < FROM_THE_END)
		count_from_front(n);
}
