/* usage.c - see usage.h. */
#include "report/usage.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "report/text.h"

#define MAX_INDEX ((size_t)1 << 30)
#define MAX_KEY 512
#define MAX_TYPE 64

struct usage {
	struct map by_key; /* "Conv f32" and, of any type, "Conv " → struct usage_count; "Conv f32\nmodel" → the same */
	struct arena arena;
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The count of a key, made when it is new; NULL: out of memory. */
static struct usage_count *count_at(struct usage *u, const char *key)
{
	struct usage_count *c = map_get(&u->by_key, key);

	if (c)
		return c;
	c = arena_zalloc(&u->arena, sizeof *c);
	return c && !map_put(&u->by_key, key, c) ? c : NULL;
}

/* Nodes of one model. */
static int add_use(struct usage *u, const char *key, const char *model, size_t nodes)
{
	struct usage_count *c = count_at(u, key), *of_model;
	char *both = arena_printf(&u->arena, "%s\n%s", key, model);

	of_model = both ? count_at(u, both) : NULL;
	if (!c || !of_model)
		return -1;
	c->models += !of_model->nodes;
	of_model->nodes += nodes;
	c->nodes += nodes;
	return 0;
}

/* "f32" of "f32.4d". */
static int type_length(const char *word)
{
	return (int)strcspn(word, ".,*");
}

static int add_case(struct usage *u, const json_t *c)
{
	const json_t *node = json_array_get(json_object_get(c, "nodes"), 0), *uses = json_object_get(c, "uses");
	const char *domain = json_text_at(node, "domain"), *op = json_text_at(node, "op");
	const char *word = json_text_at(json_array_get(json_object_get(c, "inputs"), 0), "word");
	char typed[MAX_KEY], any[MAX_KEY];
	int rc = 0;

	snprintf(any, sizeof any, "%s%s%s ", domain, *domain ? ":" : "", op);
	snprintf(typed, sizeof typed, "%s%s%s %.*s", domain, *domain ? ":" : "", op, type_length(word), word);
	for (size_t i = 0; i < json_array_size(uses) && !rc; i++) {
		const json_t *use = json_array_get(uses, i);
		json_int_t n = json_integer_value(json_object_get(use, "count"));

		if (n > 0)
			rc = add_use(u, any, json_text_at(use, "model"), (size_t)n);
		if (n > 0 && !rc && *word)
			rc = add_use(u, typed, json_text_at(use, "model"), (size_t)n);
	}
	return rc;
}

static int add_index(struct usage *u, const char *path, const json_t *index, struct err *e)
{
	const json_t *cases = json_object_get(index, "cases");

	if (strcmp(json_text_at(index, "schema"), JSON_SCHEMA) != 0 || !json_is_array(cases))
		return err_set(e, ERR_INPUT, "'%s' is not an index.json that 'assay extract' wrote", path);
	for (size_t i = 0; i < json_array_size(cases); i++)
		if (!strcmp(json_text_at(json_array_get(cases, i), "kind"), "operation") &&
		    add_case(u, json_array_get(cases, i)))
			return err_nomem(e, "usage", i);
	return 0;
}

int usage_load(const char *path, struct usage **out, struct err *e)
{
	struct usage *u = mem_zalloc(sizeof *u);
	json_t *index = NULL;
	int rc = u ? 0 : err_nomem(e, "usage", sizeof *u);

	if (!rc)
		rc = text_load_json(path, MAX_INDEX, &index, e);
	if (!rc)
		rc = add_index(u, path, index, e);
	json_decref(index);
	if (rc)
		usage_free(u);
	else
		*out = u;
	return rc;
}

void usage_free(struct usage *u)
{
	if (!u)
		return;
	map_release(&u->by_key);
	arena_release(&u->arena);
	mem_free(u);
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

struct usage_count usage_of(const struct usage *u, const char *op, const char *type)
{
	const struct usage_count *c;
	char key[MAX_KEY + MAX_TYPE];

	snprintf(key, sizeof key, "%s %s", op, type);
	c = map_get(&u->by_key, key);
	return c ? *c : (struct usage_count){0, 0};
}

/* The part of a signature between its k-th stroke and the next one. */
static const char *part(const char *signature, int k, size_t *n)
{
	while (k-- && *signature) {
		signature += strcspn(signature, "/");
		signature += *signature == '/';
	}
	*n = strcspn(signature, "/");
	return signature;
}

struct usage_count usage_of_signature(const struct usage *u, const char *signature)
{
	struct usage_count least = {0, 0};
	size_t n, n_class;
	const char *ops = part(signature, 1, &n), *class = part(signature, 3, &n_class), *end = ops + n;
	int one = !memchr(ops, '+', n), first = 1;
	/* The class begins with the types; an attribute there (name=value) means that there are none. */
	size_t word = strcspn(class, ",");
	int typed = one && n_class && !memchr(class, '=', word < n_class ? word : n_class);

	for (const char *p = ops; p < end; p++) {
		size_t length = strcspn(p, "+/");
		char op[MAX_KEY], type[MAX_TYPE] = "";
		struct usage_count c;

		snprintf(op, sizeof op, "%.*s", (int)(length < MAX_KEY ? length : MAX_KEY - 1), p);
		if (typed)
			snprintf(type, sizeof type, "%.*s", type_length(class), class);
		c = usage_of(u, op, type);
		if (first || c.nodes < least.nodes)
			least = c;
		first = 0;
		p += length;
	}
	return least;
}
