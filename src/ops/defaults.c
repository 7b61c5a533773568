/* defaults.c - see defaults.h. */
#include "ops/defaults.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *op, *attr;
	int since;
	const char *value;
} defaults[] = {
#define DEFAULT(op, attr, since, value) {op, attr, since, value},
#include "ops/defaults.def"
#undef DEFAULT
};

#define N_DEFAULTS (sizeof defaults / sizeof *defaults)

const char *attr_default(const struct node *n, const char *name)
{
	int version = n->version ? n->version : n->opset;
	const char *found = NULL;

	for (size_t i = 0; i < N_DEFAULTS; i++)
		if (!strcmp(defaults[i].attr, name) && version >= defaults[i].since &&
		    (!strcmp(defaults[i].op, "*") || !strcmp(defaults[i].op, n->op_type)))
			found = defaults[i].value;
	return found;
}

/* Attributes are float32 in files, and so are the defaults. */
static int same_float(double x, const char *text)
{
	return (float)x == strtof(text, NULL);
}

static int same_string(const struct bytes *s, const char *text)
{
	return s->n == strlen(text) && !memcmp(s->p, text, s->n);
}

int attr_is_default(const struct node *n, const struct attr *a)
{
	const char *text = attr_default(n, a->name);
	int same = text != NULL;

	if (!text)
		return 0;
	if (a->type == ATTR_INT)
		return a->i == strtoll(text, NULL, 10);
	if (a->type == ATTR_FLOAT)
		return same_float(a->f, text);
	if (a->type == ATTR_STRING)
		return same_string(&a->s, text);
	if (a->type != ATTR_INTS && a->type != ATTR_FLOATS)
		return 0;
	for (size_t i = 0; i < a->n && same; i++)
		same = a->type == ATTR_INTS ? a->ints[i] == strtoll(text, NULL, 10) : same_float(a->floats[i], text);
	return same;
}
