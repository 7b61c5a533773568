/* dataset_open.c - a model, its data, and a case of both (declared in dataset.h). */
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/place.h"
#include "case/dataset.h"
#include "case/zoo_model.h"

static struct value **first_inputs(const struct dataset *d)
{
	struct value **in = mem_array(d->n_inputs + 1, sizeof *in);

	for (size_t i = 0; in && d->n && i < d->n_inputs; i++)
		in[i] = value_ref(d->runs[0][i]);
	return in;
}

/* What a case's folder has beside its model; "" when that is nothing. */
static int find_own_data(const char *folder, const char *name, char out[PLACE_PATH], struct err *e)
{
	int rc = place_path(out, e, "%s/%s", folder, name);

	if (!rc && access(out, R_OK))
		*out = '\0';
	return rc;
}

/* A folder is a case: its own inputs are taken where no others are given. */
static int make_data(const char *name, const struct graph *g, const struct dataset_options *o, struct dataset *data,
		     struct err *e)
{
	char sets[PLACE_PATH] = "", npz[PLACE_PATH] = "";
	const char *file = npz;
	struct dataset_options own = *o;
	int rc = 0;

	if (!o->data && !o->inputs.files.n && o->random <= 0 && g->inputs.n && place_is_folder(name)) {
		rc = find_own_data(name, "test_data_set_0", sets, e);
		if (!rc)
			rc = find_own_data(name, "inputs.npz", npz, e);
	}
	if (*sets)
		own.data = name;
	else if (*npz)
		own.inputs.files = (struct texts){.at = &file, .n = 1};
	return rc ? rc : dataset_make(g, &own, data, e);
}

static int read_model(const char *name, int64_t items, uint64_t seed, struct buf *bytes, struct model **m,
		      struct err *e)
{
	char path[PLACE_PATH];
	int rc;

	if (!place_is_folder(name))
		return zoo_model_open_for(name, items ? items : 1, seed, bytes, m, e);
	rc = place_path(path, e, "%s/model.onnx", name);
	if (!rc && access(path, F_OK))
		rc = err_set(e, ERR_INPUT, "'%s' is a folder without a model.onnx", name);
	return rc ? rc : zoo_model_open(path, seed, bytes, m, e);
}

int dataset_open(const char *name, const struct dataset_options *o, uint64_t seed, struct dataset *data,
		 struct trial *t, struct err *e)
{
	struct value **in = NULL;
	struct model *m = NULL;
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = read_model(name, o->items, seed, &bytes, &m, e);
	if (!rc)
		rc = make_data(name, m->graph, o, data, e);
	if (!rc && !(in = first_inputs(data)))
		rc = err_nomem(e, "inputs", data->n_inputs);
	if (rc) {
		model_free(m);
		buf_release(&bytes);
		return rc;
	}
	if (data->left_out)
		log_print(LOG_WARNING, "%zu items fill no whole batch of %zu and are left out", data->left_out,
			  data->batch);
	return trial_init_bytes(t, m, &bytes, in, seed, e);
}
