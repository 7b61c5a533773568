/* list.c - TensorFlow's registry of operations, read from the bytes of its OpList message.
 *
 *     OpList   { op (1): OpDef }
 *     OpDef    { name (1), input_arg (2): ArgDef, output_arg (3): ArgDef, attr (4): AttrDef, summary (5),
 *                deprecation (8): { version (1) }, is_stateful (17) }
 *     ArgDef   { name (1), type (3), type_attr (4), number_attr (5), type_list_attr (6), is_ref (16) }
 *     AttrDef  { name (1), type (2), default_value (3), has_minimum (5), minimum (6), allowed_values (7) }
 *     AttrValue{ list (1), s (2), i (3), f (4), b (5), type (6), shape (7) } */
#include <stdlib.h>
#include <string.h>

#include "backends/tf/native.h"
#include "base/buf.h"
#include "tensor/proto_check.h"

#define TEXT_CAP ((size_t)1 << 16)

static int bad_list(struct err *e)
{
	return err_set(e, ERR_INPUT, "tensorflow's list of operations cannot be read");
}

static char *text_of(struct arena *a, const struct proto_field *f)
{
	return arena_strndup(a, (const char *)f->data, f->n);
}

static const char *type_text(uint64_t code)
{
	static const struct {
		unsigned code;
		const char *name;
	} others[] = {{7, "string"},  {20, "resource"}, {21, "variant"}, {11, "qint8"},
		      {12, "quint8"}, {13, "qint32"},   {15, "qint16"},  {16, "quint16"}};
	enum dtype t = tf_type_from_code((unsigned)code);

	if (t != DT_UNDEFINED)
		return dtype_name(t);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i].code == code)
			return others[i].name;
	return "unknown";
}

/* ---- values of attributes ---------------------------------------------------------------------------------------- */

static void put_scalar(struct buf *b, const struct proto_field *f)
{
	float x;
	uint32_t bits = (uint32_t)f->value;

	if (f->id == 2) {
		buf_add(b, f->data, f->n);
	} else if (f->id == 3) {
		buf_printf(b, "%lld", (long long)f->value);
	} else if (f->id == 4) {
		memcpy(&x, &bits, sizeof x);
		buf_printf(b, "%.9g", (double)x);
	} else if (f->id == 5) {
		buf_puts(b, f->value ? "true" : "false");
	} else if (f->id == 6) {
		buf_puts(b, type_text(f->value));
	} else if (f->id == 7) {
		buf_puts(b, "shape");
	}
}

/* One value of a packed list; 1: there was one. */
static int next_packed(struct proto_reader *r, struct proto_field *f)
{
	uint64_t value = 0;

	if (r->p == r->end)
		return 0;
	if (f->id == 4) {
		if (r->end - r->p < 4)
			return 0;
		memcpy(&value, r->p, 4);
		r->p += 4;
		f->value = value;
		return 1;
	}
	for (int shift = 0; r->p < r->end && shift < 64; shift += 7) {
		uint8_t byte = *r->p++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	f->value = value;
	return 1;
}

struct joined {
	struct buf *text;
	int n;
};

static int join(void *arg, const char *text)
{
	struct joined *j = arg;

	buf_printf(j->text, "%s%s", j->n++ ? ", " : "", text);
	return 0;
}

int tf_list_items(const struct proto_field *list, tf_item_fn *use, void *arg)
{
	struct proto_reader r, packed;
	struct proto_field f;
	struct buf b;
	int rc = 0;

	buf_init(&b, TEXT_CAP);
	proto_reader_init(&r, list->data, list->n);
	while (!rc && proto_next(&r, &f) == PROTO_FIELD) {
		if (f.id > 2 && f.id < 7 && f.type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) {
			proto_reader_init(&packed, f.data, f.n);
			while (!rc && next_packed(&packed, &f)) {
				buf_clear(&b);
				put_scalar(&b, &f);
				rc = use(arg, b.data ? b.data : "");
			}
			continue;
		}
		buf_clear(&b);
		put_scalar(&b, &f);
		rc = use(arg, b.data ? b.data : "");
	}
	buf_release(&b);
	return rc;
}

/* The text of an AttrValue. */
static char *value_text(struct arena *a, const struct proto_field *value)
{
	struct proto_reader r;
	struct proto_field f;
	struct buf b;
	char *text;

	buf_init(&b, TEXT_CAP);
	proto_reader_init(&r, value->data, value->n);
	while (proto_next(&r, &f) == PROTO_FIELD) {
		if (f.id == 1) {
			struct joined j = {&b, 0};

			buf_puts(&b, "[");
			tf_list_items(&f, join, &j);
			buf_puts(&b, "]");
		} else {
			put_scalar(&b, &f);
		}
	}
	text = arena_strdup(a, b.data ? b.data : "");
	buf_release(&b);
	return text;
}

/* ---- definitions ------------------------------------------------------------------------------------------------- */

struct allowed {
	struct arena *arena;
	struct backend_parameter *p;
	size_t room;
};

#define MAX_ALLOWED 256

static int add_allowed(void *arg, const char *text)
{
	struct allowed *a = arg;

	if (!a->p->allowed)
		a->p->allowed = arena_array(a->arena, MAX_ALLOWED, sizeof *a->p->allowed);
	if (!a->p->allowed)
		return ERR_MEMORY;
	if (a->p->n_allowed < MAX_ALLOWED)
		a->p->allowed[a->p->n_allowed++] = arena_strdup(a->arena, text);
	return 0;
}

static int read_attr(struct arena *arena, const struct proto_field *attr, struct backend_parameter *p)
{
	struct allowed a = {arena, p, 0};
	struct proto_reader r, inner;
	struct proto_field f, g;
	int64_t minimum = 0;
	int bounded = 0, rc = 0;

	proto_reader_init(&r, attr->data, attr->n);
	while (!rc && proto_next(&r, &f) == PROTO_FIELD) {
		if (f.id == 1)
			p->name = text_of(arena, &f);
		else if (f.id == 2)
			p->type = text_of(arena, &f);
		else if (f.id == 3)
			p->default_value = value_text(arena, &f);
		else if (f.id == 5)
			bounded = f.value != 0;
		else if (f.id == 6)
			minimum = (int64_t)f.value;
		else if (f.id == 7) {
			proto_reader_init(&inner, f.data, f.n);
			while (!rc && proto_next(&inner, &g) == PROTO_FIELD)
				if (g.id == 1)
					rc = tf_list_items(&g, add_allowed, &a);
		}
	}
	if (bounded && p->type)
		p->type = arena_printf(arena, "%s >= %lld", p->type, (long long)minimum);
	p->optional = p->default_value != NULL;
	return rc;
}

/* "T", "N * T", "float32" or "list(Tin)" */
static int read_input(struct arena *arena, const struct proto_field *arg, struct backend_parameter *p)
{
	const char *type = NULL, *number = NULL;
	struct proto_reader r;
	struct proto_field f;

	proto_reader_init(&r, arg->data, arg->n);
	while (proto_next(&r, &f) == PROTO_FIELD) {
		if (f.id == 1)
			p->name = text_of(arena, &f);
		else if (f.id == 3)
			type = type_text(f.value);
		else if (f.id == 4)
			type = text_of(arena, &f);
		else if (f.id == 5)
			number = text_of(arena, &f);
		else if (f.id == 6)
			type = arena_printf(arena, "list(%.*s)", (int)f.n, (const char *)f.data);
	}
	p->type = number ? arena_printf(arena, "%s * %s", number, type ? type : "")
			 : arena_strdup(arena, type ? type : "");
	p->is_input = 1;
	return p->name && p->type ? 0 : ERR_MEMORY;
}

/* Of an ArgDef. */
static char *name_of(struct arena *arena, const struct proto_field *arg)
{
	struct proto_reader r;
	struct proto_field f;

	proto_reader_init(&r, arg->data, arg->n);
	while (proto_next(&r, &f) == PROTO_FIELD)
		if (f.id == 1)
			return text_of(arena, &f);
	return arena_strdup(arena, "");
}

/* What no call can have: variables by reference come from a graph's own nodes, and handles and texts do not leave it.
 */
static const char *argument_unusable(const struct proto_field *arg, int is_output)
{
	static const char *const inside[] = {"string", "resource", "variant"};
	struct proto_reader r;
	struct proto_field f;

	proto_reader_init(&r, arg->data, arg->n);
	while (proto_next(&r, &f) == PROTO_FIELD) {
		if (f.id == 16 && f.value)
			return "it works on a variable by reference";
		for (size_t i = 0; f.id == 3 && is_output && i < sizeof inside / sizeof *inside; i++)
			if (!strcmp(type_text(f.value), inside[i]))
				return "it gives a handle or a text";
	}
	return NULL;
}

static const char *unusable(const struct proto_field *op)
{
	struct proto_reader r;
	struct proto_field f;
	const char *why = NULL;

	proto_reader_init(&r, op->data, op->n);
	while (!why && proto_next(&r, &f) == PROTO_FIELD) {
		if (f.id == 2 || f.id == 3)
			why = argument_unusable(&f, f.id == 3);
		else if (f.id == 8)
			why = "the library withdrew it";
	}
	return why;
}

static int read_definition(struct arena *arena, const struct proto_field *op, struct backend_operation *o)
{
	const char *why = unusable(op);
	struct proto_reader r;
	struct proto_field f;
	size_t n = 0, outputs = 0;
	int rc = 0;

	proto_reader_init(&r, op->data, op->n);
	while (proto_next(&r, &f) == PROTO_FIELD) {
		n += f.id == 2 || f.id == 4;
		outputs += f.id == 3;
	}
	o->parameters = arena_array(arena, n + 1, sizeof *o->parameters);
	o->output_names = arena_array(arena, outputs + 1, sizeof *o->output_names);
	if (!o->parameters || !o->output_names)
		return ERR_MEMORY;
	proto_reader_init(&r, op->data, op->n);
	while (!rc && proto_next(&r, &f) == PROTO_FIELD) {
		if (f.id == 1)
			o->name = text_of(arena, &f);
		else if (f.id == 2)
			rc = read_input(arena, &f, &o->parameters[o->n_parameters++]);
		else if (f.id == 3)
			rc = (o->output_names[o->n_outputs++] = name_of(arena, &f)) ? 0 : ERR_MEMORY;
		else if (f.id == 4)
			rc = read_attr(arena, &f, &o->parameters[o->n_parameters++]);
		else if (f.id == 5)
			o->doc = text_of(arena, &f);
		else if (f.id == 17)
			o->stateful = f.value != 0;
	}
	if (why)
		o->unusable = arena_strdup(arena, why);
	return rc || !o->name || (why && !o->unusable) ? ERR_MEMORY : 0;
}

static int name_begins(const struct proto_field *op, const char *prefix)
{
	size_t n = strlen(prefix);
	struct proto_reader r;
	struct proto_field f;

	proto_reader_init(&r, op->data, op->n);
	while (proto_next(&r, &f) == PROTO_FIELD)
		if (f.id == 1)
			return f.n >= n && !memcmp(f.data, prefix, n);
	return 0;
}

/* Operations that call Python back, which is not here: version 1 has them, its library being Python's module. */
static int needs_python(const struct proto_field *op)
{
	static const char *const names[] = {"PyFunc", "PyFuncStateless", "EagerPyFunc"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (name_begins(op, names[i]))
			return 1;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct backend_operation *)a)->name, ((const struct backend_operation *)b)->name);
}

/* All definitions whose names begin with `prefix`. */
static int read_list(struct tf *t, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
		     struct err *e)
{
	struct TF_Buffer *bytes = t->api.TF_GetAllOpList();
	struct backend_operation *ops;
	struct proto_reader r;
	struct proto_field f;
	size_t count = 0, done = 0;
	enum proto_step step;
	int rc = 0;

	if (!bytes)
		return bad_list(e);
	proto_reader_init(&r, bytes->data, bytes->length);
	while ((step = proto_next(&r, &f)) == PROTO_FIELD)
		count += f.id == 1 && name_begins(&f, prefix) && !needs_python(&f);
	ops = step == PROTO_BAD ? NULL : arena_array(arena, count + 1, sizeof *ops);
	rc = step == PROTO_BAD ? bad_list(e) : ops ? 0 : err_nomem(e, "operations", count * sizeof *ops);
	proto_reader_init(&r, bytes->data, bytes->length);
	while (!rc && proto_next(&r, &f) == PROTO_FIELD)
		if (f.id == 1 && name_begins(&f, prefix) && !needs_python(&f) &&
		    read_definition(arena, &f, &ops[done++]))
			rc = err_nomem(e, "operations", 0);
	t->api.TF_DeleteBuffer(bytes);
	if (rc)
		return rc;
	qsort(ops, done, sizeof *ops, by_name); /* the library's own order changes from run to run */
	*out = ops;
	*n = done;
	return 0;
}

int tf_native_list(void *ctx, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
		   struct err *e)
{
	int rc = read_list(ctx, prefix ? prefix : "", arena, out, n, e);

	return rc ? rc : tf_kernels_narrow(ctx, arena, *out, *n, e);
}

static int define(const struct backend_operation *o, struct arena *arena, struct tf_definition *out)
{
	out->inputs = arena_array(arena, o->n_parameters + 1, sizeof *out->inputs);
	out->is_list = arena_array(arena, o->n_parameters + 1, sizeof *out->is_list);
	if (!out->inputs || !out->is_list)
		return ERR_MEMORY;
	for (size_t i = 0; i < o->n_parameters; i++) {
		const struct backend_parameter *p = &o->parameters[i];

		if (!p->is_input)
			continue;
		out->is_list[out->n_inputs] = strstr(p->type, " * ") || !strncmp(p->type, "list(", 5);
		out->inputs[out->n_inputs++] = p->name;
	}
	return 0;
}

/* The library packs its whole list for everyone who asks (25 ms), so it is read once. */
static int read_definitions(struct tf *t, struct err *e)
{
	struct backend_operation *ops = NULL;
	struct tf_definition *all;
	size_t n = 0;
	int rc = read_list(t, "", &t->definitions_arena, &ops, &n, e);

	if (rc)
		return rc;
	all = arena_array(&t->definitions_arena, n + 1, sizeof *all);
	for (size_t i = 0; i < n; i++)
		if (!all || define(&ops[i], &t->definitions_arena, &all[i]) ||
		    map_put(&t->definitions, ops[i].name, &all[i]))
			return err_nomem(e, "definitions", n * sizeof *all);
	return 0;
}

int tf_definition(struct tf *t, const char *operation, const struct tf_definition **out, struct err *e)
{
	int rc = map_count(&t->definitions) ? 0 : read_definitions(t, e);

	if (rc)
		return rc;
	*out = map_get(&t->definitions, operation);
	return *out ? 0 : err_set(e, ERR_UNSUPPORTED, "tensorflow has no operation '%s'", operation);
}
