/* bundle_numbers.c - files of a bundle that hold tensors; see bundle.h. */
#include "triage/bundle.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/place.h"

int bundle_file(const char *folder, const char *name, const void *data, size_t n, int program, struct err *e)
{
	char path[PLACE_PATH];
	int rc = place_path(path, e, "%s/%s", folder, name);

	if (!rc)
		rc = buf_write_file(data, n, path, e);
	if (!rc && program && chmod(path, 0755))
		rc = err_set(e, ERR_IO, "cannot make '%s' executable: %s", path, strerror(errno));
	return rc;
}

int bundle_set(const char *folder, const char *name, const struct tensor_set *set, struct err *e)
{
	struct buf npz;
	int rc;

	buf_init(&npz, TENSOR_IO_MAX_FILE);
	rc = npz_write(set, &npz, e);
	if (!rc)
		rc = bundle_file(folder, name, npz.data, npz.len, 0, e);
	buf_release(&npz);
	return rc;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Near an infinity is nothing else. */
static double relative_to(double u, double x)
{
	return isfinite(x) ? u * fabs(x) : 0;
}

/* limit * max(noise, u |exact|), element by element, as the judge has it. */
static struct tensor *tolerance_of(const struct tensor *x, const float *noise, struct err *e)
{
	double u = dtype_roundoff(x->dtype);
	struct tensor *t = tensor_new(DT_DOUBLE, x->rank, x->dims, e), *packed;

	if (!t)
		return NULL;
	for (size_t i = 0; i < x->count; i++)
		t->f[i] = JUDGE_LIMIT * fmax(noise ? (double)noise[i] : 0, relative_to(u, tensor_get(x, i)));
	packed = tensor_pack(t, e);
	tensor_unref(t);
	return packed;
}

/* Adds a tensor that is the caller's to give; NULL: making it failed. */
static int add_tensor(struct tensor_set *set, const char *name, struct tensor *take, struct err *e)
{
	return take ? tensor_set_add(set, name, take, e) : e->code;
}

int bundle_tolerance(const struct trial *t, const char *folder, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = 0;

	for (size_t i = 0; i < t->truth.n && !rc; i++) {
		const struct ref_output *o = &t->truth.outputs[i];

		if (o->value->kind == VALUE_TENSOR && dtype_wide(o->value->tensor->dtype) != WIDE_STR)
			rc = add_tensor(&set, o->name, tolerance_of(o->value->tensor, o->noise, e), e);
	}
	if (!rc)
		rc = bundle_set(folder, "tolerance.npz", &set, e);
	tensor_set_release(&set);
	return rc;
}

/* The same for gradients, the right ones, and the seeds that they belong to. */
int bundle_gradients(const struct trial *t, const char *folder, struct err *e)
{
	struct tensor_set right = TENSOR_SET_INIT, slack = TENSOR_SET_INIT, seeds = TENSOR_SET_INIT;
	const struct graph *g = t->model->graph;
	int rc = 0;

	for (size_t i = 0; i < t->n_grads && !rc; i++) {
		const char *name = t->grad_wires[i]->name;

		rc = add_tensor(&right, name, tensor_pack(t->grads[i], e), e);
		if (!rc)
			rc = add_tensor(&slack, name, tolerance_of(t->grads[i], t->grad_noise[i], e), e);
	}
	for (size_t i = 0; i < g->outputs.n && !rc; i++)
		if (t->grad_seeds[i])
			rc = add_tensor(&seeds, g->outputs.at[i]->name, tensor_pack(t->grad_seeds[i], e), e);
	if (!rc)
		rc = bundle_set(folder, "gradients.npz", &right, e);
	if (!rc)
		rc = bundle_set(folder, "tolerance.npz", &slack, e);
	if (!rc)
		rc = bundle_set(folder, "seeds.npz", &seeds, e);
	tensor_set_release(&right);
	tensor_set_release(&slack);
	tensor_set_release(&seeds);
	return rc;
}
