/* zoo_model.c - see zoo_model.h. */
#include "case/zoo_model.h"

#include <unistd.h>

#include "base/near.h"
#include "base/place.h"
#include "judge/trial.h"
#include "model/write.h"

/* Weights that come with assay; those that are too large for that lie among what was fetched, once somebody has made
 * them. */
static int weights_path(const char *name, char *out, struct err *e)
{
	char data[PLACE_PATH], own[PLACE_PATH];
	int rc = place_data(data, e);

	if (!rc)
		rc = place_path(out, e, "%s/zoo/%s.npz", data, name);
	if (rc || !access(out, R_OK))
		return rc;
	rc = place_path(own, e, "zoo/%s.npz", name);
	return rc ? rc : place_deps(own, out, e);
}

int zoo_model_is_trained(const char *name)
{
	char path[PLACE_PATH];
	struct err e = ERR_INIT;

	return !weights_path(name, path, &e);
}

int zoo_model_make(const struct zoo_row *row, int opset, int64_t batch, uint64_t seed, int trained, struct model **out,
		   struct err *e)
{
	struct tensor_set weights = TENSOR_SET_INIT;
	char path[PLACE_PATH];
	int rc = trained ? weights_path(row->name, path, e) : 0;

	if (!rc && trained)
		rc = npz_load(path, &weights, e);
	if (rc)
		return rc;
	rc = zoo_build_at(row, opset, batch, seed, trained ? &weights : NULL, out, e);
	tensor_set_release(&weights);
	return rc && rc != ERR_USAGE && trained ? err_prefix(e, "'%s'", path) : rc;
}

int zoo_model_open_for(const char *name, int64_t items, uint64_t seed, struct buf *bytes, struct model **m,
		       struct err *e)
{
	const struct zoo_row *row = access(name, F_OK) ? zoo_find(name) : NULL;
	struct near n = NEAR(name);
	int rc;

	if (!row && access(name, F_OK) && near_offer_rows(&n, &zoo_rows->name, sizeof *zoo_rows)->best)
		return err_set(e, ERR_IO, "there is no file and no network '%s'%s", name, near_hint(&n));
	if (!row)
		return trial_read_model(name, bytes, m, e);
	rc = zoo_model_make(row, 0, items, seed, zoo_model_is_trained(name), m, e);
	return rc ? rc : model_serialize(*m, bytes, e);
}

int zoo_model_open(const char *name, uint64_t seed, struct buf *bytes, struct model **m, struct err *e)
{
	return zoo_model_open_for(name, 1, seed, bytes, m, e);
}
