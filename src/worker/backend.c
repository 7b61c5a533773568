/* backend.c - requests to a backend and its answers; see backend.h. */
#include "worker/backend.h"

#include <dlfcn.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"

#define LIBRARY_PATH 4096

const char *backend_option(const struct backend_options *o, const char *name, const char *otherwise)
{
	for (size_t i = 0; o && i < o->n; i++)
		if (!strcmp(o->at[i].name, name))
			return o->at[i].value;
	return otherwise;
}

int64_t backend_option_int(const struct backend_options *o, const char *name, int64_t otherwise)
{
	const char *text = backend_option(o, name, NULL);
	char *end;
	long long n = text ? strtoll(text, &end, 10) : 0;

	return text && end != text && !*end ? n : otherwise;
}

const struct named_value *backend_value(const struct backend_values *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->at[i].name, name))
			return &v->at[i];
	return NULL;
}

void backend_answer_free(struct backend_answer *a)
{
	for (size_t i = 0; a->out && i < a->n_out; i++)
		value_unref(a->out[i]);
	for (size_t i = 0; a->grads && i < a->n_grads; i++)
		tensor_unref(a->grads[i]);
	mem_free(a->out);
	mem_free(a->grads);
	*a = (struct backend_answer){0};
}

double backend_head(uint32_t heads, size_t k)
{
	uint32_t mixed = (uint32_t)((uint64_t)k + heads) * UINT32_C(2654435761);

	return heads ? (2.0 * (mixed >> 28) - 15) / 16 : 1;
}

struct tensor *backend_heads(uint32_t heads, enum dtype t, int rank, const int64_t *dims, struct err *e)
{
	struct tensor *wide = tensor_zeros(t, rank, dims, e), *packed;

	for (size_t k = 0; wide && k < wide->count; k++)
		wide->f[k] = backend_head(heads, k);
	packed = wide ? tensor_pack(wide, e) : NULL;
	tensor_unref(wide);
	return packed;
}

/* ---- keys of calls ----------------------------------------------------------------------------------------------- */

static void put_value(struct buf *out, const struct value *v)
{
	const struct tensor *t = v && v->kind == VALUE_TENSOR ? v->tensor : NULL;

	buf_printf(out, "%d[", t ? (int)t->dtype : -1);
	for (int i = 0; t && i < t->rank; i++)
		buf_printf(out, "%" PRId64 ",", t->dims[i]);
	buf_puts(out, "]");
}

static void put_item(struct buf *out, const struct backend_argument *a, size_t i)
{
	switch (a->kind) {
	case ARG_INTS:
		buf_printf(out, "%" PRId64 ",", a->ints[i]);
		break;
	case ARG_FLOATS:
		buf_printf(out, "%a,", a->floats[i]);
		break;
	case ARG_STRINGS:
		buf_printf(out, "'%s',", a->strings[i]);
		break;
	default:
		put_value(out, a->tensors[i]);
	}
}

static void put_argument(struct buf *out, const struct backend_argument *a)
{
	buf_printf(out, "|%s=%d:", a->name ? a->name : "", (int)a->kind);
	switch (a->kind) {
	case ARG_NONE:
		break;
	case ARG_TENSOR:
		put_value(out, a->tensor);
		break;
	case ARG_FLOAT:
		buf_printf(out, "%a", a->f);
		break;
	case ARG_STRING:
		buf_puts(out, a->s);
		break;
	case ARG_INT:
	case ARG_BOOL:
	case ARG_DTYPE:
		buf_printf(out, "%" PRId64, a->i);
		break;
	default:
		for (size_t i = 0; i < a->n; i++)
			put_item(out, a, i);
	}
}

void backend_call_key(const struct backend_call *c, struct buf *out)
{
	buf_puts(out, c->operation);
	for (size_t i = 0; i < c->n_args; i++)
		put_argument(out, &c->args[i]);
}

/* The first file that fits a pattern. */
static int first_match(const char *pattern, char *out, size_t size)
{
	glob_t found;
	int n = -1;

	if (!glob(pattern, 0, NULL, &found)) {
		n = snprintf(out, size, "%s", found.gl_pathv[0]);
		globfree(&found);
	}
	return n > 0 && (size_t)n < size;
}

int backend_find_library(const char *folder, const char *file, char *out, size_t size, struct err *e)
{
	static const char *const places[] = {"/lib", ""};
	char pattern[LIBRARY_PATH];

	if (strlen(folder) + strlen(file) + 16 > (size < sizeof pattern ? size : sizeof pattern))
		return err_set(e, ERR_LIMIT, "the path '%s' is too long", folder);
	if (*folder && !place_is_folder(folder)) {
		snprintf(out, size, "%s", folder);
		return 0;
	}
	for (int i = 0; i < 2; i++) {
		snprintf(out, size, "%s%s/%s", folder, places[i], file);
		snprintf(pattern, sizeof pattern, "%s%s/%s.*", folder, places[i], file);
		if (!access(out, F_OK) || first_match(pattern, out, size))
			return 0;
	}
	snprintf(out, size, "%s/lib/%s", folder, file);
	return 0;
}

int backend_cannot_open(const char *path, struct err *e)
{
	const char *why = dlerror();
	size_t n = strlen(path);

	if (!why)
		return err_set(e, ERR_IO, "cannot open '%s'", path);
	if (!strncmp(why, path, n) && why[n] == ':')
		return err_set(e, ERR_IO, "'%s'%s", path, why + n);
	return err_set(e, ERR_IO, "cannot open '%s': %s", path, why);
}
