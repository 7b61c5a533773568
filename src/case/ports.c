/* ports.c - see ports.h. */
#include "case/ports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"
#include "model/adapt.h"
#include "tensor/io.h"

/* ---- which one a file is for ------------------------------------------------------------------------------------- */

static int list_names(const struct graph_ports *p, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < p->n && at + 8 < size; i++) {
		int n = snprintf(out + at, size - at, "%s'%s'", i ? ", " : "", p->at[i]->name);

		at += n > 0 ? (size_t)n : 0;
	}
	return p->n != 0;
}

static int unknown_name(const struct graph_ports *p, const char *what, const char *name, struct err *e)
{
	char names[512];

	if (!list_names(p, names, sizeof names))
		return err_set(e, ERR_INPUT, "%s'%s': the model has no %ss", what, name, p->what);
	return err_set(e, ERR_INPUT, "%s'%s' is not an %s of the model; its %ss are %s", what, name, p->what, p->what,
		       names);
}

/* Position of the one called so; -1: none. */
static long find_port(const struct graph_ports *p, const char *name, size_t n)
{
	for (size_t i = 0; i < p->n; i++)
		if (strlen(p->at[i]->name) == n && !memcmp(p->at[i]->name, name, n))
			return (long)i;
	return -1;
}

/* The only one that a file without a name can be for; -1: there are several. */
static long only_port(const struct graph_ports *p, struct value *const *have)
{
	long found = -1;

	for (size_t i = 0; i < p->n; i++) {
		if ((p->defaults && p->at[i]->init) || have[i])
			continue;
		if (found >= 0)
			return -1;
		found = (long)i;
	}
	return found;
}

static int ambiguous(const struct graph_ports *p, const char *path, struct err *e)
{
	char names[512];

	list_names(p, names, sizeof names);
	return err_set(e, ERR_USAGE, "'%s': say which %s it is for, as %s NAME=%s; %ss are %s", path, p->what,
		       p->option, path, p->what, names);
}

/* Takes over v. */
static int set_port(const struct graph_ports *p, long i, struct value *v, const char *path, struct value **got,
		    struct err *e)
{
	int rc = adapt_value(&v, &p->at[i]->type, e);

	if (!rc)
		rc = p->check(p->at[i], v, e) ? err_prefix(e, "'%s'", path) : 0;
	if (!rc && got[i])
		rc = err_set(e, ERR_USAGE, "%s '%s' is given twice", p->what, p->at[i]->name);
	if (rc)
		value_unref(v);
	else
		got[i] = v;
	return rc;
}

static int set_tensor(const struct graph_ports *p, long i, struct tensor *take, const char *path, struct value **got,
		      struct err *e)
{
	struct value *v = value_tensor(take, e);

	return v ? set_port(p, i, v, path, got, e) : e->code;
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static int from_npy(const struct graph_ports *p, const char *path, long i, struct value **got, struct err *e)
{
	struct tensor *t;
	int rc;

	if (i < 0)
		return ambiguous(p, path, e);
	rc = npy_load(path, &t, e);
	return rc ? rc : set_tensor(p, i, t, path, got, e);
}

/* arr_<k> is what numpy calls arrays that were saved without names. */
static long port_of_member(const struct graph_ports *p, const char *name)
{
	long i = find_port(p, name, strlen(name));
	char *end;

	if (i >= 0 || strncmp(name, "arr_", 4))
		return i;
	i = strtol(name + 4, &end, 10);
	return *end || end == name + 4 || i < 0 || (size_t)i >= p->n ? -1 : i;
}

static int from_npz(const struct graph_ports *p, const char *path, long i, struct value **got, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = npz_load(path, &set, e);

	if (!rc && i >= 0) { /* NAME=FILE.npz: the member of that name, or the only one */
		struct tensor *t = tensor_set_get(&set, p->at[i]->name);

		if (!t && set.n == 1)
			t = set.at[0].tensor;
		rc = t ? set_tensor(p, i, tensor_ref(t), path, got, e)
		       : err_set(e, ERR_INPUT, "'%s' has no member '%s'", path, p->at[i]->name);
	}
	for (size_t k = 0; k < set.n && !rc && i < 0; k++) {
		long at = port_of_member(p, set.at[k].name);

		if (at < 0)
			rc = unknown_name(p, "member ", set.at[k].name, e), err_prefix(e, "%s", path);
		else
			rc = set_tensor(p, at, tensor_ref(set.at[k].tensor), path, got, e);
	}
	tensor_set_release(&set);
	return rc;
}

static int from_pb(const struct graph_ports *p, const char *path, long i, struct value **got, struct err *e)
{
	enum value_kind kind = VALUE_TENSOR;
	struct value *v;
	char *name;
	int rc;

	if (i >= 0)
		kind = p->at[i]->type.kind;
	rc = pb_load_value(path, kind, &v, &name, e);
	if (rc)
		return rc;
	if (i < 0) /* a TensorProto may say itself which one it is */
		i = find_port(p, name, strlen(name));
	mem_free(name);
	if (i >= 0)
		return set_port(p, i, v, path, got, e);
	value_unref(v);
	return ambiguous(p, path, e);
}

static int from_folder(const struct graph_ports *p, const char *dir, struct value **got, struct err *e)
{
	int found = 0, rc = 0;

	for (size_t i = 0; i < p->n && !rc; i++) {
		char path[PLACE_PATH];

		if (snprintf(path, sizeof path, "%s/%s_%zu.pb", dir, p->what, i) >= (int)sizeof path ||
		    access(path, F_OK))
			continue;
		found = 1;
		rc = from_pb(p, path, (long)i, got, e);
	}
	return rc || found ? rc : err_set(e, ERR_INPUT, "no %s_<n>.pb in folder '%s'", p->what, dir);
}

/* Position that NAME=FILE names, and its path; -1: FILE alone. */
static long named_port(const struct graph_ports *p, const char *item, const char **path)
{
	*path = item;
	for (size_t k = 0; k < p->n; k++) { /* names may have '=' in them */
		size_t n = strlen(p->at[k]->name);

		if (!strncmp(item, p->at[k]->name, n) && item[n] == '=') {
			*path = item + n + 1;
			return (long)k;
		}
	}
	return -1;
}

const char *ports_path(const struct graph_ports *p, const char *item)
{
	const char *path;

	named_port(p, item, &path);
	return path;
}

static int read_path(const struct graph_ports *p, const char *path, long named, struct value *const *have,
		     struct value **got, struct err *e)
{
	long i = named >= 0 ? named : only_port(p, have);

	if (named < 0 && place_is_folder(path))
		return from_folder(p, path, got, e);
	if (place_has_suffix(path, ".npy"))
		return from_npy(p, path, i, got, e);
	if (place_has_suffix(path, ".npz"))
		return from_npz(p, path, named, got, e);
	if (place_has_suffix(path, ".pb"))
		return from_pb(p, path, i, got, e);
	if (access(path, F_OK))
		return err_set(e, ERR_IO, "%s: cannot open '%s': %s", p->option, path, strerror(errno));
	return err_set(e, ERR_USAGE, "%s: '%s' is neither .npy, .npz, .pb nor a folder", p->option, path);
}

int ports_read(const struct graph_ports *p, const char *item, struct value *const *have, struct value **got,
	       struct err *e)
{
	const char *path;
	long named = named_port(p, item, &path);
	char name[256];

	if (named >= 0 || !strchr(item, '=') || !access(item, F_OK))
		return read_path(p, path, named, have, got, e);
	snprintf(name, sizeof name, "%.*s", (int)strcspn(item, "="), item);
	unknown_name(p, "", name, e);
	return err_prefix(e, "%s", p->option);
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

/* Of an output only the element type counts: many models declare sizes that are not those that come out. */
static int check_output(const struct wire *w, const struct value *v, struct err *e)
{
	char have[256];

	if (w->type.kind == VALUE_NONE || v->kind != VALUE_TENSOR || !w->type.dtype ||
	    w->type.dtype == v->tensor->dtype)
		return 0;
	return err_set(e, ERR_INPUT, "output '%s' is %s, that of the model is %s", w->name,
		       tensor_describe(v->tensor, have, sizeof have), dtype_name(w->type.dtype));
}

struct graph_ports ports_of_inputs(const struct graph *g)
{
	return (struct graph_ports){.what = "input",
				    .option = "--input",
				    .at = g->inputs.at,
				    .n = g->inputs.n,
				    .defaults = 1,
				    .check = adapt_check_input};
}

struct graph_ports ports_of_outputs(const struct graph *g)
{
	return (struct graph_ports){
		.what = "output", .option = "--expect", .at = g->outputs.at, .n = g->outputs.n, .check = check_output};
}
