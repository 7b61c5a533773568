/* inputs.c - inputs from files (see inputs.h). */
#include "case/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"
#include "model/adapt.h"
#include "tensor/io.h"

/* ---- which input a file is for ----------------------------------------------------------------------------------- */

static int list_inputs(const struct graph *g, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < g->inputs.n && at + 8 < size; i++) {
		int n = snprintf(out + at, size - at, "%s'%s'", i ? ", " : "", g->inputs.at[i]->name);

		at += n > 0 ? (size_t)n : 0;
	}
	return g->inputs.n != 0;
}

static int unknown_input(const struct graph *g, const char *what, const char *name, struct err *e)
{
	char names[512];

	if (!list_inputs(g, names, sizeof names))
		return err_set(e, ERR_INPUT, "%s'%s': the model takes no inputs", what, name);
	return err_set(e, ERR_INPUT, "%s'%s' is no input of the model; its inputs are %s", what, name, names);
}

/* Position of the input called so; -1: none. */
static long find_input(const struct graph *g, const char *name, size_t n)
{
	for (size_t i = 0; i < g->inputs.n; i++)
		if (strlen(g->inputs.at[i]->name) == n && !memcmp(g->inputs.at[i]->name, name, n))
			return (long)i;
	return -1;
}

/* The only input that a file without a name can be for; -1: there are several. */
static long only_input(const struct graph *g, struct value *const *in)
{
	long found = -1;

	for (size_t i = 0; i < g->inputs.n; i++) {
		if (g->inputs.at[i]->init || in[i])
			continue;
		if (found >= 0)
			return -1;
		found = (long)i;
	}
	return found;
}

static int ambiguous(const struct graph *g, const char *path, struct err *e)
{
	char names[512];

	list_inputs(g, names, sizeof names);
	return err_set(e, ERR_USAGE, "'%s': say which input it is for, as --input NAME=%s; inputs are %s", path, path,
		       names);
}

/* Takes over v. */
static int set_input(const struct graph *g, long i, struct value *v, struct value **in, struct err *e)
{
	int rc = adapt_value(&v, &g->inputs.at[i]->type, e);

	if (!rc && in[i])
		rc = err_set(e, ERR_USAGE, "input '%s' is given twice", g->inputs.at[i]->name);
	if (rc)
		value_unref(v);
	else
		in[i] = v;
	return rc;
}

static int set_tensor(const struct graph *g, long i, struct tensor *take, struct value **in, struct err *e)
{
	struct value *v = value_tensor(take, e);

	return v ? set_input(g, i, v, in, e) : e->code;
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static int from_npy(const struct graph *g, const char *path, long i, struct value **in, struct err *e)
{
	struct tensor *t;
	int rc;

	if (i < 0)
		i = only_input(g, in);
	if (i < 0)
		return ambiguous(g, path, e);
	rc = npy_load(path, &t, e);
	return rc ? rc : set_tensor(g, i, t, in, e);
}

/* arr_<k> is what numpy calls arrays that were saved without names. */
static long input_of_member(const struct graph *g, const char *name)
{
	long i = find_input(g, name, strlen(name));
	char *end;

	if (i >= 0 || strncmp(name, "arr_", 4))
		return i;
	i = strtol(name + 4, &end, 10);
	return *end || end == name + 4 || i < 0 || (size_t)i >= g->inputs.n ? -1 : i;
}

static int from_npz(const struct graph *g, const char *path, long i, struct value **in, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = npz_load(path, &set, e);

	if (!rc && i >= 0) { /* NAME=FILE.npz: the member of that name, or the only one */
		struct tensor *t = tensor_set_get(&set, g->inputs.at[i]->name);

		if (!t && set.n == 1)
			t = set.at[0].tensor;
		rc = t ? set_tensor(g, i, tensor_ref(t), in, e)
		       : err_set(e, ERR_INPUT, "'%s' has no member '%s'", path, g->inputs.at[i]->name);
	}
	for (size_t k = 0; k < set.n && !rc && i < 0; k++) {
		long at = input_of_member(g, set.at[k].name);

		if (at < 0)
			rc = unknown_input(g, "member ", set.at[k].name, e), err_prefix(e, "%s", path);
		else
			rc = set_tensor(g, at, tensor_ref(set.at[k].tensor), in, e);
	}
	tensor_set_release(&set);
	return rc;
}

static int from_pb(const struct graph *g, const char *path, long i, struct value **in, struct err *e)
{
	enum value_kind kind = VALUE_TENSOR;
	struct value *v;
	char *name;
	int rc;

	if (i < 0)
		i = only_input(g, in);
	if (i >= 0)
		kind = g->inputs.at[i]->type.kind;
	rc = pb_load_value(path, kind, &v, &name, e);
	if (rc)
		return rc;
	if (i < 0) /* a TensorProto may say itself which input it is */
		i = find_input(g, name, strlen(name));
	mem_free(name);
	if (i >= 0)
		return set_input(g, i, v, in, e);
	value_unref(v);
	return ambiguous(g, path, e);
}

static int from_folder(const struct graph *g, const char *dir, struct value **in, struct err *e)
{
	int found = 0, rc = 0;

	for (size_t i = 0; i < g->inputs.n && !rc; i++) {
		char path[PLACE_PATH];

		if (snprintf(path, sizeof path, "%s/input_%zu.pb", dir, i) >= (int)sizeof path || access(path, F_OK))
			continue;
		found = 1;
		rc = from_pb(g, path, (long)i, in, e);
	}
	return rc || found ? rc : err_set(e, ERR_INPUT, "no input_<n>.pb in folder '%s'", dir);
}

static int from_file(const struct graph *g, const char *item, struct value **in, struct err *e)
{
	const char *path = item;
	long i = -1;

	for (size_t k = 0; k < g->inputs.n && i < 0; k++) { /* names may have '=' in them */
		size_t n = strlen(g->inputs.at[k]->name);

		if (!strncmp(item, g->inputs.at[k]->name, n) && item[n] == '=') {
			i = (long)k;
			path = item + n + 1;
		}
	}
	if (i < 0 && strchr(item, '=') && access(item, F_OK)) {
		char name[256];

		snprintf(name, sizeof name, "%.*s", (int)strcspn(item, "="), item);
		return unknown_input(g, "--input: ", name, e);
	}
	if (i < 0 && place_is_folder(path))
		return from_folder(g, path, in, e);
	if (place_has_suffix(path, ".npy"))
		return from_npy(g, path, i, in, e);
	if (place_has_suffix(path, ".npz"))
		return from_npz(g, path, i, in, e);
	if (place_has_suffix(path, ".pb"))
		return from_pb(g, path, i, in, e);
	return err_set(e, ERR_USAGE, "--input: '%s' is neither .npy, .npz, .pb nor a folder", path);
}

int inputs_from_files(const struct graph *g, const struct texts *files, struct value **in, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < files->n && !rc; i++)
		rc = from_file(g, files->at[i], in, e);
	return rc;
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

void inputs_free(struct value **in, size_t n)
{
	for (size_t i = 0; in && i < n; i++)
		value_unref(in[i]);
	mem_free(in);
}

int inputs_make(const struct graph *g, const struct input_options *o, struct value ***out, struct err *e)
{
	struct value **in = mem_array(g->inputs.n, sizeof *in);
	int rc = in ? inputs_from_files(g, &o->files, in, e) : err_nomem(e, "inputs", g->inputs.n * sizeof *in);

	for (size_t i = 0; i < g->inputs.n && !rc && o->files.n && !o->random.given; i++)
		if (!in[i] && !g->inputs.at[i]->init)
			rc = err_set(e, ERR_USAGE, "no --input gives '%s'; --random would make it up",
				     g->inputs.at[i]->name);
	if (!rc)
		rc = inputs_make_up(g, o, in, e);
	if (rc) {
		inputs_free(in, g->inputs.n);
		return rc;
	}
	*out = in;
	return 0;
}
