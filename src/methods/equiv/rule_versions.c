/* rule_versions.c - rule 27: one version of a library as another, or as an option set, such as a GPU, that the option
 * --against names; without it there are no such pairs.  Nobody says which of the two is right, nor that a call of one
 * is valid in the other. */
#include "methods/equiv/equiv.h"

static int applies(const struct registry *r, const struct api *api)
{
	(void)r;
	return !api->why_not && !api->random; /* another version draws other numbers from a seed */
}

static const struct rule_every every = {.applies = applies, .other = equiv_same_call, .sets = PAIR_VERSIONS};
const struct equiv_rule rule_versions = {27, "versions", "one version, or device, as another", &every};
