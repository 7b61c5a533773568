/* trial_files.c - cases as files and as bytes (declared in trial.h).
 *
 * A folder has model.onnx, inputs.npz and, where the right answer is known, expected.npz.  Members of a .npz are called
 * as the graph calls them; the items of a sequence or an optional are NAME.0, NAME.1, …, so that numpy can read them.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/place.h"
#include "judge/internal.h"
#include "judge/unjudged.h"
#include "model/adapt.h"
#include "ops/op.h"
#include "tensor/io.h"
#include "worker/parent/format.h"

#define NAME_SIZE 1024
#define MAX_DEPTH 8 /* of sequences in optionals and the like */

/* ---- out --------------------------------------------------------------------------------------------------------- */

int trial_inputs_npz(const struct trial *t, struct buf *out, struct err *e)
{
	const struct graph *g = t->model->graph;
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = 0;

	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		if (t->inputs[i])
			rc = tensor_set_add_value(&set, g->inputs.at[i]->name, t->inputs[i], e);
	if (!rc)
		rc = npz_write(&set, out, e);
	tensor_set_release(&set);
	return rc;
}

int trial_expected_npz(struct trial *t, struct buf *out, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = trial_truth(t, e);

	if (unjudged_status(rc)) { /* as of what is invalid: there are no right outputs */
		err_clear(e);
		rc = 0;
	}
	for (size_t i = 0; i < t->truth.n && !rc; i++)
		rc = tensor_set_add_value(&set, t->truth.outputs[i].name, t->truth.outputs[i].value, e);
	if (!rc)
		rc = npz_write(&set, out, e);
	tensor_set_release(&set);
	return rc;
}

static int write_in(const char *folder, const char *name, const struct buf *bytes, struct err *e)
{
	char path[PLACE_PATH];
	int rc = place_path(path, e, "%s/%s", folder, name);

	return rc ? rc : buf_write_file(bytes->data, bytes->len, path, e);
}

int trial_save(struct trial *t, const char *folder, struct err *e)
{
	struct buf npz;
	int rc = place_make_folder(folder, e);

	if (rc)
		return rc;
	buf_init(&npz, TENSOR_IO_MAX_FILE);
	rc = write_in(folder, "model.onnx", &t->bytes, e);
	if (!rc)
		rc = trial_inputs_npz(t, &npz, e);
	if (!rc)
		rc = write_in(folder, "inputs.npz", &npz, e);
	if (!rc && t->truth.outputs) {
		buf_clear(&npz);
		rc = trial_expected_npz(t, &npz, e);
		if (!rc)
			rc = write_in(folder, "expected.npz", &npz, e);
	}
	buf_release(&npz);
	return rc;
}

/* ---- in ---------------------------------------------------------------------------------------------------------- */

static int value_from_set(const struct tensor_set *set, const char *name, const struct type *t, int depth,
			  struct value **out, struct err *e);

/* NAME.0, NAME.1, … as far as they go. */
static int items_from_set(const struct tensor_set *set, const char *name, const struct type *t, int depth,
			  struct value **out, struct err *e)
{
	VEC(struct value *) items = VEC_INIT;
	struct value *item = NULL;
	char member[NAME_SIZE];
	int rc = 0;

	for (size_t i = 0; !rc && (i == 0 || item); i++) {
		snprintf(member, sizeof member, "%s.%zu", name, i);
		rc = value_from_set(set, member, t->elem, depth + 1, &item, e);
		if (!rc && item && vec_push(&items, item)) {
			value_unref(item);
			rc = err_nomem(e, "a sequence", 0);
		}
	}
	if (!rc && t->kind == VALUE_SEQUENCE)
		*out = value_sequence(t->elem->dtype, items.at, items.n, e);
	else if (!rc && items.n <= 1)
		*out = value_optional(items.n ? items.at[0] : NULL, e);
	else if (!rc)
		rc = err_set(e, ERR_INPUT, "'%s' has %zu items, an optional has one or none", name, items.n);
	if (rc)
		for (size_t i = 0; i < items.n; i++)
			value_unref(items.at[i]);
	else
		rc = *out ? 0 : e->code;
	vec_release(&items);
	return rc;
}

/* *out is NULL when the set has nothing of that name. */
static int value_from_set(const struct tensor_set *set, const char *name, const struct type *t, int depth,
			  struct value **out, struct err *e)
{
	struct tensor *x = tensor_set_get(set, name);
	int rc;

	*out = NULL;
	if (t && (t->kind == VALUE_SEQUENCE || t->kind == VALUE_OPTIONAL) && t->elem && depth < MAX_DEPTH) {
		char first[NAME_SIZE];

		snprintf(first, sizeof first, "%s.0", name);
		if (depth &&
		    !tensor_set_get(set, first)) /* no further item; an empty one inside has no name to go by */
			return 0;
		return items_from_set(set, name, t, depth, out, e);
	}
	if (!x)
		return 0;
	*out = value_tensor(tensor_ref(x), e);
	rc = *out ? 0 : e->code;
	if (!rc && t && (rc = adapt_value(out, t, e))) {
		value_unref(*out);
		*out = NULL;
	}
	return rc;
}

/* Takes model and bytes, also when it fails. */
static int init_with_set(struct model *m, struct buf *bytes, const struct tensor_set *set, uint64_t seed,
			 struct trial *out, struct err *e)
{
	const struct graph *g = m->graph;
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	int rc = in ? 0 : err_nomem(e, "inputs", g->inputs.n * sizeof *in);

	for (size_t i = 0; i < g->inputs.n && !rc; i++)
		rc = value_from_set(set, g->inputs.at[i]->name, &g->inputs.at[i]->type, 0, &in[i], e);
	if (!rc)
		return trial_init_bytes(out, m, bytes, in, seed, e);
	for (size_t i = 0; in && i < g->inputs.n; i++)
		value_unref(in[i]);
	mem_free(in);
	buf_release(bytes);
	model_free(m);
	return rc;
}

int trial_from_bytes(const void *model, size_t n, const void *npz, size_t n_npz, uint64_t seed, struct trial *out,
		     struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	struct model *m = NULL;
	struct buf bytes;
	int rc;

	buf_init(&bytes, MODEL_MAX_FILE);
	rc = buf_add(&bytes, model, n) ? buf_check(&bytes, e) : model_parse(model, n, "", &m, e);
	if (!rc)
		rc = npz_parse(npz, n_npz, &set, e);
	if (!rc) {
		rc = init_with_set(m, &bytes, &set, seed, out, e);
	} else {
		model_free(m);
		buf_release(&bytes);
	}
	tensor_set_release(&set);
	return rc;
}

/* Puts data from further files into the message.  What gets too large for one stays as it is: libraries read the file
 * themselves. */
static int put_together(struct model *m, const char *path, struct buf *bytes, struct err *e)
{
	char whole[PLACE_PATH];
	struct buf all;
	int rc;

	if (!realpath(path, whole))
		return err_set(e, ERR_IO, "cannot find '%s'", path);
	m->file = arena_strdup(&m->arena, whole);
	if (!m->file)
		return err_nomem(e, "a path", 0);
	buf_init(&all, MODEL_MAX_FILE);
	rc = model_serialize(m, &all, e);
	if (rc) {
		buf_release(&all);
		m->too_large = rc == ERR_LIMIT;
		if (m->too_large)
			err_clear(e);
		return rc == ERR_LIMIT ? 0 : rc;
	}
	buf_release(bytes);
	*bytes = all;
	return 0;
}

int trial_read_model(const char *path, struct buf *bytes, struct model **m, struct err *e)
{
	struct err first = ERR_INIT;
	int foreign = format_is_known(path);
	int rc = foreign ? format_read(path, bytes, e) : buf_read_file(bytes, path, MODEL_MAX_FILE, e);

	if (rc)
		return rc;
	if (foreign) {
		rc = model_parse(bytes->data, bytes->len, path, m, e);
		if (rc)
			return rc;
	} else if (model_parse(bytes->data, bytes->len, "", m, &first)) { /* broken, or with data in other files */
		rc = model_load(path, m, e);
		if (rc)
			return rc;
		rc = put_together(*m, path, bytes, e);
	}
	if (!rc && !((*m)->path = arena_strdup(&(*m)->arena, path))) /* for messages */
		rc = err_nomem(e, "a path", 0);
	if (rc) {
		model_free(*m);
		*m = NULL;
		return rc;
	}
	/* what the library thinks of a node that breaks the rules is its own affair */
	if (!ops_bind(*m, &first))
		ops_infer(*m, &first);
	return 0;
}

int trial_load(const char *folder, uint64_t seed, struct trial *out, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	char file[PLACE_PATH];
	struct model *m = NULL;
	struct buf bytes;
	int rc = place_path(file, e, "%s/inputs.npz", folder);

	buf_init(&bytes, MODEL_MAX_FILE);
	if (!rc)
		rc = npz_load(file, &set, e);
	if (!rc)
		rc = place_path(file, e, "%s/model.onnx", folder);
	if (!rc)
		rc = trial_read_model(file, &bytes, &m, e);
	if (!rc)
		rc = init_with_set(m, &bytes, &set, seed, out, e);
	else
		buf_release(&bytes);
	tensor_set_release(&set);
	return rc;
}
