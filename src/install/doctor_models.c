/* doctor_models.c - see doctor_models.h.
 *
 *   add    y[1,3,5,5] = x + b[1]
 *   conv   y[1,4,5,5] = Conv(x[1,3,5,5], w[4,3,3,3], c[4]), kernel 3x3, one row of zeros around it
 *
 * Elements all differ: equal ones would hide an exchanged axis.  The models are as plain as can be: the doctor looks
 * for libraries that are not well installed, not for their bugs. */
#include "install/doctor_models.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define OPSET 13

static const int64_t x_dims[] = {1, 3, 5, 5};

/* float32, elements sin(step · (i + 1)), packed. */
static struct tensor *waves(int rank, const int64_t *dims, double step, struct err *e)
{
	struct tensor *t = tensor_new_packed(DT_FLOAT, rank, dims, e);
	float *at = t ? t->data : NULL;

	for (size_t i = 0; t && i < t->count; i++)
		at[i] = (float)sin(step * (double)(i + 1));
	return t;
}

static int add_constant(struct graph *g, const char *name, int rank, const int64_t *dims, double step,
			struct wire **out, struct err *e)
{
	struct tensor *t = waves(rank, dims, step, e);

	return t ? graph_add_init(g, name, t, out, e) : e->code;
}

static int build_add(struct graph *g, struct wire *x, struct node **out, struct err *e)
{
	static const int64_t dims[] = {1};
	struct wire *in[] = {x, NULL};
	int rc = add_constant(g, "b", 1, dims, 1.1, &in[1], e);

	return rc ? rc : graph_append_node(g, "Add", in, 2, "y", out, e);
}

static int build_conv(struct graph *g, struct wire *x, struct node **out, struct err *e)
{
	static const int64_t w_dims[] = {4, 3, 3, 3}, c_dims[] = {4}, kernel[] = {3, 3}, pads[] = {1, 1, 1, 1};
	struct wire *in[] = {x, NULL, NULL};
	int rc = add_constant(g, "w", 4, w_dims, 0.7, &in[1], e);

	if (!rc)
		rc = add_constant(g, "c", 1, c_dims, 1.3, &in[2], e);
	if (!rc)
		rc = graph_append_node(g, "Conv", in, 3, "y", out, e);
	if (!rc)
		rc = node_set_ints(*out, "kernel_shape", kernel, 2, e);
	if (!rc)
		rc = node_set_ints(*out, "pads", pads, 4, e);
	return rc;
}

static const struct {
	const char *name;
	int64_t channels; /* of the output */
	int (*build)(struct graph *g, struct wire *x, struct node **out, struct err *e);
} builders[DOCTOR_CASES] = {{"add", 3, build_add}, {"conv", 4, build_conv}};

static int build_model(size_t i, struct model *m, struct err *e)
{
	const int64_t y_dims[] = {1, builders[i].channels, 5, 5};
	struct type type = TYPE_INIT;
	struct node *n = NULL;
	struct wire *x;
	int rc;

	type_set(&type, DT_FLOAT, 4, x_dims);
	rc = graph_add_input(m->graph, "x", &type, &x, e);
	if (!rc)
		rc = builders[i].build(m->graph, x, &n, e);
	if (rc)
		return rc;
	type_set(&n->out[0]->type, DT_FLOAT, 4, y_dims);
	return graph_add_output(m->graph, n->out[0], e);
}

static int make_case(size_t i, struct doctor_case *c, struct err *e)
{
	struct value **in = mem_array(1, sizeof *in);
	struct model *m = NULL;
	struct tensor *x;
	int rc = in ? model_new(OPSET, &m, e) : err_nomem(e, "an input", 0);

	c->name = builders[i].name;
	if (!rc)
		rc = build_model(i, m, e);
	if (!rc && !((x = waves(4, x_dims, 0.9, e)) && (in[0] = value_tensor(x, e))))
		rc = e->code;
	if (rc) {
		mem_free(in);
		model_free(m);
		return rc;
	}
	rc = trial_init(&c->trial, m, in, 0, e);
	return rc ? rc : trial_truth(&c->trial, e);
}

int doctor_cases_make(struct doctor_case out[DOCTOR_CASES], struct err *e)
{
	int rc = 0;

	memset(out, 0, DOCTOR_CASES * sizeof *out);
	for (size_t i = 0; !rc && i < DOCTOR_CASES; i++)
		rc = make_case(i, &out[i], e);
	if (rc)
		doctor_cases_release(out);
	return rc;
}

void doctor_cases_release(struct doctor_case cases[DOCTOR_CASES])
{
	for (size_t i = 0; i < DOCTOR_CASES; i++)
		trial_release(&cases[i].trial);
}
