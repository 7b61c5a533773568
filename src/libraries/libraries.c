/* libraries.c - see libraries.h. */
#include "libraries/libraries.h"

#include <string.h>

const struct library *const library_list[] = {
#define LIBRARY(id) &library_##id,
#include "libraries/libraries.def"
#undef LIBRARY
	NULL,
};

/* What follows '-' is a device, '@' a version, '=' a local build, ':' options. */
const struct library *library_find(const char *backend)
{
	size_t n = strcspn(backend, "-@=:");

	for (const struct library *const *l = library_list; *l; l++)
		if (strlen((*l)->name) == n && !strncmp((*l)->name, backend, n))
			return *l;
	return NULL;
}

const struct dialect *library_dialect(const char *backend)
{
	const struct library *l = library_find(backend);

	return l ? l->dialect : &dialect_onnx;
}

static int names_side_b(const char *words, const struct library_pair *pair)
{
	for (const char *at = words; at && *at && pair->b;) {
		size_t n = strcspn(at, " ");

		if (strlen(pair->b) == n && !strncmp(at, pair->b, n))
			return 1;
		at += n + (at[n] == ' ');
	}
	return 0;
}

int library_promises(const struct library *l, const struct library_pair *pair)
{
	return names_side_b(l->promised, pair);
}

int library_checks(const struct library *l, const struct library_pair *pair)
{
	return names_side_b(l->checked, pair);
}

int library_rearranges(const struct library *l, const struct library_pair *pair)
{
	return names_side_b(l->rearranged, pair);
}

int library_folds(const struct library *l, const struct library_pair *pair)
{
	return names_side_b(l->folds, pair);
}

int library_has_nan_steps(const struct library *l, const struct library_pair *pair)
{
	return names_side_b(l->nan_steps, pair);
}

int library_needs_object(const struct library *l, const struct library_pair *pair)
{
	return names_side_b(l->of_objects, pair);
}
