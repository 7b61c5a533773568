/* serve_key.c - see backend_call_key() in backend.h. */
#include <inttypes.h>

#include "base/buf.h"
#include "worker/backend.h"

static void put_value(struct buf *out, const struct value *v)
{
	const struct tensor *t = v && v->kind == VALUE_TENSOR ? v->tensor : NULL;

	buf_printf(out, "%d[", t ? (int)t->dtype : -1);
	for (int i = 0; t && i < t->rank; i++)
		buf_printf(out, "%" PRId64 ",", t->dims[i]);
	buf_puts(out, "]");
}

static void put_item(struct buf *out, const struct backend_argument *a, size_t i)
{
	switch (a->kind) {
	case ARG_INTS:
		buf_printf(out, "%" PRId64 ",", a->ints[i]);
		break;
	case ARG_FLOATS:
		buf_printf(out, "%a,", a->floats[i]);
		break;
	case ARG_STRINGS:
		buf_printf(out, "'%s',", a->strings[i]);
		break;
	default:
		put_value(out, a->tensors[i]);
	}
}

static void put_argument(struct buf *out, const struct backend_argument *a)
{
	buf_printf(out, "|%s=%d:", a->name ? a->name : "", (int)a->kind);
	switch (a->kind) {
	case ARG_NONE:
		break;
	case ARG_TENSOR:
		put_value(out, a->tensor);
		break;
	case ARG_FLOAT:
		buf_printf(out, "%a", a->f);
		break;
	case ARG_STRING:
		buf_puts(out, a->s);
		break;
	case ARG_INT:
	case ARG_BOOL:
	case ARG_DTYPE:
		buf_printf(out, "%" PRId64, a->i);
		break;
	default:
		for (size_t i = 0; i < a->n; i++)
			put_item(out, a, i);
	}
}

void backend_call_key(const char *operation, const struct backend_argument *args, size_t n, struct buf *out)
{
	buf_puts(out, operation);
	for (size_t i = 0; i < n; i++)
		put_argument(out, &args[i]);
}
