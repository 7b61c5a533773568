/* samplers.c - the table of samplers. */
#include <string.h>

#include "methods/fuzz/maker.h"

#define SAMPLER(name) extern const struct sampler sampler_##name;
#include "methods/fuzz/samplers.def"
#undef SAMPLER

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
