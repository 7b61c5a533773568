/* spans.c - see spans.h; and the element types of versions (ops_types() of op.h). */
#include "ops/spans.h"

#include <stdio.h>
#include <string.h>

#include "ops/op.h"

int span_has(const char *operators, const char *domain, const char *op_type)
{
	char with_domain[128];
	const char *name = *domain ? with_domain : op_type;
	size_t n;

	if (*domain)
		snprintf(with_domain, sizeof with_domain, "%s:%s", domain, op_type);
	n = strlen(name);
	for (const char *at = strstr(operators, name); at; at = strstr(at + 1, name))
		if ((at == operators || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return 1;
	return 0;
}

/* A shorter name for what many rows have. */
#define T_HALF (TM(DT_FLOAT) | TM(DT_DOUBLE) | TM(DT_FLOAT16))

static const struct type_span {
	uint32_t types;
	int until;
	const char *operators;
} spans[] = {
#define TYPE_SPAN(...) {__VA_ARGS__},
#include "ops/type_spans.def"
#undef TYPE_SPAN
};

/* Rows stand in the order of `until`. */
uint32_t ops_types(const struct op_row *row, int version)
{
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
		if ((!spans[i].until || version < spans[i].until) &&
		    span_has(spans[i].operators, row->domain, row->name))
			return spans[i].types;
	return T_ANY;
}
