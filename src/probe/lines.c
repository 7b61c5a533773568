/* lines.c - see lines.h. */
#include "probe/lines.h"

#include <stdio.h>
#include <string.h>

const struct probe_type probe_types[PROBE_TYPES] = {
	{"f32", DT_FLOAT},  {"f64", DT_DOUBLE}, {"f16", DT_FLOAT16}, {"bf16", DT_BFLOAT16}, {"i8", DT_INT8},
	{"i16", DT_INT16},  {"i32", DT_INT32},  {"i64", DT_INT64},   {"u8", DT_UINT8},      {"u16", DT_UINT16},
	{"u32", DT_UINT32}, {"u64", DT_UINT64}, {"bool", DT_BOOL},
};

int probe_line_with_type(const char *line, const char *type, char *out, size_t size)
{
	size_t at = 0;

	while (*line) {
		int here = !strncmp(line, "f32[", 4) || !strncmp(line, "f32{", 4);
		int n = snprintf(out + at, size - at, "%.*s", here ? (int)strlen(type) : 1, here ? type : line);

		at += (size_t)n;
		if (at >= size)
			return 0;
		line += here ? 3 : 1;
	}
	return 1;
}

int probe_line_operator(struct arena *a, const char *line, const char **domain, const char **name, struct err *e)
{
	size_t n = strcspn(line, " "), end;
	const char *colon = memchr(line, ':', n);
	const char *start = colon ? colon + 1 : line;

	for (end = n; end && line[end] != '-'; end--)
		;
	if (line + end <= start)
		return err_set(e, ERR_INPUT, "'%.60s' does not begin with an operator and its opset", line);
	*domain = arena_strndup(a, line, colon ? (size_t)(colon - line) : 0);
	*name = arena_strndup(a, start, (size_t)(line + end - start));
	return *domain && *name ? 0 : err_nomem(e, "a probe", 0);
}

/* A line that names no operator is, so that it is told. */
static int is_wanted(const struct probe_wish *wish, const char *line)
{
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;
	const char *domain, *name;
	const struct op_row *row = NULL;
	int named;

	if (!wish)
		return 1;
	named = !probe_line_operator(&a, line, &domain, &name, &ignored);
	if (named)
		row = ops_find(domain, name);
	arena_release(&a);
	return !named || (row && wish->wanted(row, wish->arg));
}

int probe_lines_wanted(const struct probe_wish *wish, const struct case_lines *from, struct case_lines *out,
		       struct err *e)
{
	for (size_t i = 0; i < from->all.n; i++)
		if (is_wanted(wish, from->all.at[i].text) && vec_push(&out->all, from->all.at[i])) {
			vec_release(&out->all);
			return err_nomem(e, "a probe", 0);
		}
	return 0;
}

int probe_case_is_valid(struct op_case *c)
{
	struct err ignored = ERR_INIT;

	return !ops_bind(c->model, &ignored) && !ops_require_bound(c->model, &ignored) &&
	       !ops_infer(c->model, &ignored);
}

int probe_is_listed(const struct party *p, const char *domain, const char *name)
{
	const char *const *names = p->worker ? worker_operators(p->worker) : NULL;
	char full[256];

	snprintf(full, sizeof full, "%s%s%s", domain, *domain ? ":" : "", name);
	for (const char *const *n = names; n && *n; n++)
		if (!strcmp(*n, full))
			return 1;
	return !names || !*names;
}
