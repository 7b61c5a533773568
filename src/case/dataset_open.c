/* dataset_open.c - a model, its data, and a case of both (declared in dataset.h). */
#include "base/log.h"
#include "base/mem.h"
#include "case/dataset.h"
#include "case/zoo_model.h"

static struct value **first_inputs(const struct dataset *d)
{
	struct value **in = mem_array(d->n_inputs + 1, sizeof *in);

	for (size_t i = 0; in && d->n && i < d->n_inputs; i++)
		in[i] = value_ref(d->runs[0][i]);
	return in;
}

int dataset_open(const char *name, const struct dataset_options *o, uint64_t seed, struct dataset *data,
		 struct trial *t, struct err *e)
{
	struct value **in = NULL;
	struct model *m = NULL;
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = zoo_model_open(name, seed, &bytes, &m, e);
	if (!rc)
		rc = dataset_make(m->graph, o, data, e);
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
