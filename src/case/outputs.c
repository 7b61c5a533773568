/* outputs.c - see outputs.h. */
#include "case/outputs.h"

#include "base/place.h"
#include "tensor/io.h"

static int save_npz(const struct ref_result *r, const char *path, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc; i++)
		rc = tensor_set_add_value(&set, r->outputs[i].name, r->outputs[i].value, e);
	if (!rc)
		rc = npz_save(&set, path, e);
	tensor_set_release(&set);
	return rc;
}

static int save_npy(const struct ref_result *r, const char *path, struct err *e)
{
	if (r->n != 1)
		return err_set(e, ERR_USAGE, "-o %s: the model has %zu outputs, a .npy file holds one; use .npz", path,
			       r->n);
	if (r->outputs[0].value->kind != VALUE_TENSOR)
		return err_set(e, ERR_UNSUPPORTED, "-o %s: output '%s' is not a tensor; use .npz or a folder", path,
			       r->outputs[0].name);
	return npy_save(r->outputs[0].value->tensor, path, e);
}

static int save_folder(const struct ref_result *r, const char *dir, struct err *e)
{
	int rc = place_make_folder(dir, e);

	for (size_t i = 0; i < r->n && !rc; i++) {
		const struct ref_output *o = &r->outputs[i];
		char path[PLACE_PATH];

		rc = place_path(path, e, "%s/output_%zu.pb", dir, i);
		if (!rc)
			rc = pb_save_value(o->value, o->name, path, e);
	}
	return rc;
}

int outputs_save(const struct ref_result *r, const char *path, struct err *e)
{
	if (place_has_suffix(path, ".npz"))
		return save_npz(r, path, e);
	if (place_has_suffix(path, ".npy"))
		return save_npy(r, path, e);
	return save_folder(r, path, e);
}
