/* dialect.c - see dialect.h. */
#include "libraries/dialect.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/role.h"

enum parameter_kind dialect_word_kind(const struct dialect *d, const struct backend_parameter *p)
{
	if (p->n_allowed && !p->is_input && strcmp(p->type, "type") != 0)
		return PARAMETER_WORD;
	for (const struct dialect_type *t = d->types; t->word; t++)
		if (!strncmp(p->type, t->word, strlen(t->word)))
			return t->kind;
	return PARAMETER_UNKNOWN;
}

enum parameter_kind dialect_kind(const struct dialect *d, const struct backend_operation *op,
				 const struct backend_parameter *p)
{
	return d->kind ? d->kind(d, op, p) : dialect_word_kind(d, p);
}

const struct role *dialect_role(const struct dialect *d, const char *operation, const char *parameter)
{
	char name[256];

	if (snprintf(name, sizeof name, "%s.%s", operation, parameter) >= (int)sizeof name)
		return NULL;
	for (const struct role *r = d->roles; r && r->pattern; r++)
		if (!fnmatch(r->pattern, name, 0))
			return r;
	return NULL;
}

/* ---- type texts -------------------------------------------------------------------------------------------------- */

static const char *star_of(const struct backend_parameter *p)
{
	return strstr(p->type, " * ");
}

const char *dialect_element(const struct backend_parameter *p)
{
	const char *star = star_of(p);

	return star ? star + 3 : p->type;
}

int dialect_is_counted_by(const struct backend_parameter *p, const char *name)
{
	const char *star = star_of(p);
	size_t n = strlen(name);

	return star && (size_t)(star - p->type) == n && !strncmp(p->type, name, n);
}

int64_t dialect_least(const struct backend_parameter *p)
{
	const char *bound = strstr(p->type, ">= ");

	return bound ? strtoll(bound + 3, NULL, 10) : INT64_MIN;
}

int64_t dialect_length(const struct backend_parameter *p)
{
	const char *bracket = strchr(p->type, '[');

	return bracket ? strtoll(bracket + 1, NULL, 10) : -1;
}
