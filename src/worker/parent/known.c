/* known.c - the libraries that can be started by name, and what else people call them (declared in spec.h). */
#include <string.h>

#include "worker/parent/spec.h"

const struct spec_backend spec_backends[] = {
#define BACKEND(name, library, kind, options, environment, summary) \
	{name, library, kind, options, environment, summary},
#define OPTION_SET(backend, name, options, environment)
#define ALSO(also, backend)
#define FORMAT(suffix, backend, script)
#include "worker/backends.def"
#undef BACKEND
#undef OPTION_SET
#undef ALSO
#undef FORMAT
	{NULL, NULL, SPEC_INSIDE, NULL, NULL, NULL},
};

const struct spec_option_set spec_option_sets[] = {
#define BACKEND(name, library, kind, options, environment, summary)
#define OPTION_SET(backend, name, options, environment) {backend, name, options, environment},
#define ALSO(also, backend)
#define FORMAT(suffix, backend, script)
#include "worker/backends.def"
#undef BACKEND
#undef OPTION_SET
#undef ALSO
#undef FORMAT
	{NULL, NULL, NULL, NULL},
};

static const struct {
	const char *also, *backend;
} spec_also[] = {
#define BACKEND(name, library, kind, options, environment, summary) {library, name}, {summary, name},
#define OPTION_SET(backend, name, options, environment)
#define ALSO(also, backend) {also, backend},
#define FORMAT(suffix, backend, script)
#include "worker/backends.def"
#undef BACKEND
#undef OPTION_SET
#undef ALSO
#undef FORMAT
};

const struct spec_backend *spec_find(const char *name)
{
	for (const struct spec_backend *b = spec_backends; b->name; b++)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
}

int spec_is_library(const struct spec_backend *b)
{
	return b->kind == SPEC_PROGRAM || b->kind == SPEC_PYTHON || b->kind == SPEC_NODE || b->kind == SPEC_REWRITE;
}

const char *spec_hint(struct near *n)
{
	near_offer_rows(n, &spec_backends->name, sizeof *spec_backends);
	for (size_t i = 0; i < sizeof spec_also / sizeof *spec_also; i++)
		near_offer(n, spec_also[i].also, spec_also[i].backend);
	return near_hint(n);
}
