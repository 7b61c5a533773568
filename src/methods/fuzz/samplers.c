/* samplers.c - see samplers.h. */
#include "methods/fuzz/samplers.h"

#include <string.h>

static const struct {
	const char *name;
	const struct sampler *sampler;
} rows[] = {
#define SAMPLER(name) {#name, &sampler_##name},
#include "methods/fuzz/samplers.def"
#undef SAMPLER
};

const struct sampler *sampler_find(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].sampler;
	return NULL;
}
