/* again.c - see again.h: variables to JSON and back, and what a call from a store may be. */
#include "methods/equiv/again.h"

#include <string.h>

#include "base/json.h"
#include "libraries/role.h"
#include "tensor/io.h"

#define MAX_TENSOR ((size_t)16 << 20) /* bytes of one in a store */

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static json_t *tensor_json(const struct value *v, const char *name)
{
	struct err ignored = ERR_INIT;
	struct buf bytes;
	json_t *j = NULL;

	buf_init(&bytes, MAX_TENSOR);
	if (!pb_write_value(v, name, &bytes, &ignored) && !bytes.failed)
		j = json_pack("{ss, so}", "name", name, "tensor", json_hex(bytes.data, bytes.len));
	buf_release(&bytes);
	return j;
}

json_t *again_write(const struct pair_run *r, const struct equiv_input *in)
{
	json_t *variables = json_array();

	for (size_t i = 0; i < in->in_a.n; i++) {
		const struct draw_binding *b = &in->in_a.at[i];
		json_t *one = b->tensor ? tensor_json(b->tensor, b->name)
					: json_pack("{ss, sI}", "name", b->name, "int", (json_int_t)b->i);

		if (!one || json_array_append_new(variables, one)) {
			json_decref(variables);
			return NULL;
		}
	}
	return json_pack("{sb, sf, sf, sb, so}", "row", !r->pair->api, "atol", r->o->atol, "rtol", r->o->rtol, "plant",
			 r->o->plant, "variables", variables);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int read_tensor(const json_t *text, struct value **out, struct err *e)
{
	struct buf bytes;
	int rc;

	buf_init(&bytes, MAX_TENSOR);
	rc = json_unhex(text, &bytes, e);
	if (!rc)
		rc = pb_parse_value(bytes.data ? bytes.data : "", bytes.len, VALUE_TENSOR, out, NULL, e);
	buf_release(&bytes);
	return rc;
}

int again_read(const json_t *again, struct arena *a, struct bindings *out, struct err *e)
{
	const json_t *list = json_object_get(again, "variables");
	int rc = 0;

	*out = (struct bindings){0};
	if (!json_is_array(list) || json_array_size(list) > DRAW_MAX)
		return err_set(e, ERR_INPUT, "its variables are not what assay writes");
	for (size_t i = 0; i < json_array_size(list) && !rc; i++) {
		const json_t *one = json_array_get(list, i), *number = json_object_get(one, "int");
		struct draw_binding *b = &out->at[i];

		*b = (struct draw_binding){.name = arena_strdup(a, json_text_at(one, "name")),
					   .i = json_integer_value(number)};
		if (!b->name)
			rc = err_nomem(e, "a variable", 0);
		else if (!json_is_integer(number))
			rc = read_tensor(json_object_get(one, "tensor"), &b->tensor, e);
		out->n += !rc;
	}
	if (rc) {
		err_prefix(e, "variables");
		bindings_release(out);
	}
	return rc;
}

/* ---- what may be called ------------------------------------------------------------------------------------------ */

/* A word is one that the registry or the parameter's role allows: texts name files in some libraries. */
static int is_word(const struct api *api, size_t i, const char *text)
{
	const struct backend_parameter *q = &api->op->parameters[i];
	const char *at = q->n_allowed || !api->roles[i] ? NULL : api->roles[i]->texts;
	size_t n = strlen(text);

	if (api->kinds[i] != PARAMETER_WORD && api->kinds[i] != PARAMETER_FORM)
		return 0;
	if (!strcmp(text, EQUIV_NO_WORD))
		return 1;
	for (size_t k = 0; k < q->n_allowed; k++)
		if (!strcmp(q->allowed[k], text))
			return 1;
	for (; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (strcspn(at, "|") == n && !strncmp(at, text, n))
			return 1;
	return 0;
}

static int is_argument(const struct api *api, const struct expr *x)
{
	for (size_t i = 0; i < api->op->n_parameters; i++) {
		if (strcmp(api->op->parameters[i].name, x->name) != 0 || api->kinds[i] <= PARAMETER_SKIP)
			continue;
		if (x->kind == EXPR_STRING)
			return is_word(api, i, x->text);
		for (size_t k = 0; k < x->n; k++)
			if (x->items[k]->kind == EXPR_CALL || x->items[k]->kind == EXPR_STRING)
				return 0;
		return x->kind != EXPR_CALL;
	}
	return 0;
}

int again_check(const struct api *api, const struct expr *call, struct err *e)
{
	if (api->why_not)
		return err_set(e, ERR_INPUT, "%s is not called: %s", api->op->name, api->why_not);
	if (call->kind != EXPR_CALL || strcmp(call->text, api->op->name) != 0)
		return err_set(e, ERR_INPUT, "it is not a call of %s", api->op->name);
	for (size_t i = 0; i < call->n; i++)
		if (!is_argument(api, call->items[i]))
			return err_set(e, ERR_INPUT, "%s: its argument '%s' is none that assay draws", api->op->name,
				       call->items[i]->name);
	return 0;
}
