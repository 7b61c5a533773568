/* save.c - what each backend gave, in files (declared in check.h): for measures that assay has not. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/place.h"
#include "methods/check/check.h"
#include "tensor/io.h"

/* All runs of one output one after the other along the first axis; NULL in *out: it is no tensor of numbers. */
static int stack_runs(const struct check_backend *b, size_t i, struct tensor **out, struct err *e)
{
	const struct tensor *first = check_output(b, 0, i);
	int64_t dims[TENSOR_MAX_RANK] = {1};
	size_t bytes;

	if (!first || !first->data || dtype_bits(first->dtype) % 8)
		return 0;
	memcpy(dims, first->dims, (size_t)first->rank * sizeof *dims);
	dims[0] *= (int64_t)b->n;
	bytes = dtype_packed_size(first->dtype, first->count);
	*out = tensor_new_packed(first->dtype, first->rank ? first->rank : 1, dims, e);
	for (size_t run = 0; *out && run < b->n; run++) {
		const struct tensor *y = check_output(b, run, i);

		if (!y || y->dtype != first->dtype || !tensor_same_shape(y, first)) {
			tensor_unref(*out);
			*out = NULL;
			return err_set(e, ERR_UNSUPPORTED, "--save-outputs: runs of %s have different shapes",
				       b->party.spec.name);
		}
		memcpy((char *)(*out)->data + run * bytes, y->data, bytes);
	}
	return *out ? 0 : e->code;
}

static int save_backend(const struct check_backend *b, const struct graph *g, const char *folder, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	char path[PLACE_PATH], name[256];
	int rc = 0;

	snprintf(name, sizeof name, "%s", b->party.spec.name);
	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '_';
	for (size_t i = 0; i < g->outputs.n && !rc; i++) {
		struct tensor *t = NULL;

		rc = stack_runs(b, i, &t, e);
		if (!rc && t)
			rc = tensor_set_add(&set, g->outputs.at[i]->name, t, e);
	}
	if (!rc)
		rc = place_path(path, e, "%s/%s.npz", folder, name);
	if (!rc)
		rc = npz_save(&set, path, e);
	tensor_set_release(&set);
	return rc;
}

int check_save_outputs(const struct check_result *r, const struct graph *g, const char *folder, struct err *e)
{
	int rc = place_make_folders(folder, e);

	for (size_t i = 0; i < r->n_backends && !rc; i++) {
		const struct check_backend *b = &r->backends[i];

		if (b->n && b->runs[b->n - 1].report.result == WORKER_OK)
			rc = save_backend(b, g, folder, e);
		else
			log_print(LOG_WARNING, "no outputs of %s are saved: it did not run to the end",
				  b->party.spec.name);
	}
	return rc;
}
