/* ops.c - the table of operators, and binding nodes to it. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "base/near.h"
#include "ops/attr.h"

#define OP(id, domain, name, ...) extern const struct op op_##id;
#include "ops/ops.def"
#undef OP

const struct op_row op_rows[] = {
#define OP(id, domain, name, ...) {#id, domain, name, {__VA_ARGS__}, &op_##id},
#include "ops/ops.def"
#undef OP
	{NULL, NULL, NULL, {0}, NULL},
};

const size_t op_row_count = sizeof op_rows / sizeof *op_rows - 1;

int op_is_drawn_from_cases(const struct op *op)
{
	return !op->samples && !op->drawn_with && !op->undrawn;
}

const char *ops_owner(const struct op_row *row)
{
	int of_onnx = !*row->domain || !strncmp(row->domain, "ai.onnx.", strlen("ai.onnx."));

	return row->op->owner || of_onnx ? row->op->owner : row->domain;
}

double noise_growth(double n)
{
	return n > 2 ? sqrt(log2(n)) : 1.0;
}

double noise_growth_in_order(double n)
{
	return sqrt(n) / 3;
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

#define SLOTS 1024 /* a power of two, several times the number of operators */

_Static_assert(sizeof op_rows / sizeof *op_rows < SLOTS / 2, "the table of names must have room");

static const struct op_row *slots[SLOTS];
static pthread_once_t indexed = PTHREAD_ONCE_INIT;

/* Where an operator is, or the free place where it would be. */
static const struct op_row **slot_of(const char *domain, const char *name)
{
	size_t i = (size_t)hash_text(name) % SLOTS;

	while (slots[i] && (strcmp(slots[i]->name, name) != 0 || strcmp(slots[i]->domain, domain) != 0))
		i = (i + 1) % SLOTS;
	return &slots[i];
}

static void index_rows(void)
{
	for (size_t i = 0; i < op_row_count; i++)
		*slot_of(op_rows[i].domain, op_rows[i].name) = &op_rows[i];
}

const struct op_row *ops_find(const char *domain, const char *name)
{
	pthread_once(&indexed, index_rows);
	return *slot_of(domain, name);
}

int ops_version(const struct op_row *row, int opset)
{
	int version = 0;

	if (!*row->domain && opset > OP_NEWEST_OPSET)
		return 0;
	for (size_t i = 0; i < sizeof row->versions / sizeof *row->versions && row->versions[i]; i++)
		if (row->versions[i] <= opset)
			version = row->versions[i];
	return version;
}

int ops_opset_with(const char *domain, int opset)
{
	static const struct {
		const char *domain;
		int opset, own; /* from this opset of ai.onnx on */
	} releases[] = {{"ai.onnx.ml", 21, 5}, {"ai.onnx.ml", 20, 4}, {"ai.onnx.ml", 16, 3}, {"ai.onnx.ml", 11, 2}};

	for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
		if (!strcmp(releases[i].domain, domain) && opset >= releases[i].opset)
			return releases[i].own;
	return *domain ? 1 : opset;
}

/* ---- signature --------------------------------------------------------------------------------------------------- */

/* Most and fewest arguments that a list of ports takes. */
static void arity(const struct op_port *ports, int *least, int *most)
{
	int i;

	*least = 0;
	for (i = 0; i < OP_MAX_PORTS && ports[i].name; i++)
		if (!(ports[i].flags & PORT_OPTIONAL))
			*least = i + 1;
	*most = i && (ports[i - 1].flags & PORT_VARIADIC) ? INT32_MAX : i;
}

static int check_arity(struct wire *const *args, const struct op_port *ports, int count, const char *what,
		       struct err *e)
{
	int least, most;

	arity(ports, &least, &most);
	if (count < least || count > most)
		return err_set(e, ERR_INPUT, "has %d %ss, wanted %s%d", count, what,
			       count < least ? "at least " : "at most ", count < least ? least : most);
	for (int i = 0; i < least; i++)
		if (!args[i] && !(ports[i].flags & (PORT_OPTIONAL | PORT_VARIADIC)))
			return err_set(e, ERR_INPUT, "required %s %d ('%s') is left out", what, i, ports[i].name);
	return 0;
}

/* A list may be short, but has no gaps. */
static int check_lists(const struct node *n, struct err *e)
{
	int last = 0;

	while (last + 1 < OP_MAX_PORTS && n->op->in[last + 1].name)
		last++;
	for (int i = last; i < n->n_in; i++)
		if (!n->in[i] && (n->op->in[last].flags & (PORT_VARIADIC | PORT_OPTIONAL)) == PORT_VARIADIC)
			return err_set(e, ERR_INPUT, "input %d, of the list '%s', is left out", i,
				       n->op->in[last].name);
	return 0;
}

static int check_attr(const struct node *n, const struct attr *a, struct err *e)
{
	const struct op_attr *row = attr_row(n->op, a->name, n->version);

	if (!row)
		return err_set(e, ERR_INPUT, "has no attribute '%s'", a->name);
	if (row->type != a->type)
		return err_set(e, ERR_INPUT, "attribute '%s' has the wrong type", a->name);
	if (!attr_is_of_version(n, a->name))
		return model_complain(n->graph->model, e, "node '%s' (%s): ONNX has no attribute '%s' in version %d",
				      n->name, n->op_type, a->name, n->version);
	return 0;
}

static int check_attrs(const struct node *n, struct err *e)
{
	for (int i = 0; i < n->n_attrs; i++) {
		int rc = check_attr(n, &n->attrs[i], e);

		if (rc)
			return rc;
	}
	for (const struct op_attr *row = n->op->attrs; row && row->name; row++)
		if (row->required && row == attr_row(n->op, row->name, n->version) && !node_attr(n, row->name))
			return err_set(e, ERR_INPUT, "required attribute '%s' is missing", row->name);
	return 0;
}

static int bound_version(const struct op_row *row, int opset)
{
	return row->op->flags & OP_EARLY && opset < row->versions[0] ? row->versions[0] : ops_version(row, opset);
}

int ops_bind_node(struct node *n, struct err *e)
{
	const struct op_row *row = ops_find(n->domain, n->op_type);
	int version = row ? bound_version(row, n->opset) : 0;
	int rc;

	n->op = version ? row->op : NULL;
	n->version = version;
	if (!n->op)
		return 0;
	rc = check_arity(n->in, n->op->in, n->n_in, "input", e);
	if (!rc)
		rc = check_lists(n, e);
	if (!rc)
		rc = check_arity(n->out, n->op->out, n->n_out, "output", e);
	if (!rc)
		rc = check_attrs(n, e);
	if (rc)
		return node_prefix(n, e);
	return 0;
}

int ops_bind(struct model *m, struct err *e)
{
	for (size_t g = 0; g < m->graphs.n; g++) {
		struct graph *graph = m->graphs.at[g];

		for (size_t i = 0; i < graph->nodes.n; i++) {
			int rc = ops_bind_node(graph->nodes.at[i], e);

			if (rc)
				return rc;
		}
	}
	return 0;
}

static int explain_unbound(const struct node *n, struct err *e)
{
	const struct op_row *row = ops_find(n->domain, n->op_type);
	const char *domain = *n->domain ? n->domain : "ai.onnx";

	if (!row)
		err_set(e, ERR_UNSUPPORTED, "node '%s': operator %s of domain '%s' is not known%s", n->name, n->op_type,
			domain, *n->domain ? "" : NEAR_HINT(n->op_type, op_rows));
	else
		err_set(e, ERR_UNSUPPORTED, "node '%s': opset %d of domain '%s' is not known for operator %s", n->name,
			n->opset, domain, n->op_type);
	return model_prefix(n->graph->model, e);
}

int ops_require_bound(const struct model *m, struct err *e)
{
	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t i = 0; i < m->graphs.at[g]->nodes.n; i++)
			if (!m->graphs.at[g]->nodes.at[i]->op)
				return explain_unbound(m->graphs.at[g]->nodes.at[i], e);
	return 0;
}
