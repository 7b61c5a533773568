/* tally.c - see tally.h. */
#include "base/tally.h"
#include "base/buf.h"

#include <string.h>

/* ---- counting ---------------------------------------------------------------------------------------------------- */

void tally_note(struct tally *t, int ran, enum verdict v)
{
	t->given++;
	t->ran += (size_t)(ran != 0);
	switch (v) {
	case VERDICT_UNSUPPORTED:
		t->unsupported++;
		break;
	case VERDICT_VACUOUS:
		t->vacuous++;
		break;
	case VERDICT_UNJUDGED:
	case VERDICT_UNSPECIFIED:
	case VERDICT_UNPROVEN:
	case VERDICT_OURS:
		t->unjudged++;
		break;
	case VERDICT_EXPLAINED:
		t->explained++;
		t->judged++;
		break;
	default:
		t->judged++;
	}
}

void tally_add(struct tally *t, const struct tally *more)
{
#define X(name, heading) t->name += more->name;
	TALLY_MAP(X)
#undef X
	t->explained += more->explained;
}

int tally_is_hollow(const struct tally *t)
{
	return !t->judged;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

static void put_row(const struct tally_row *row, size_t width, struct buf *out)
{
	buf_printf(out, "%-*s", (int)width, row->backend);
#define X(name, heading) buf_printf(out, "  %*zu", (int)(strlen(heading) > 6 ? strlen(heading) : 6), row->tally.name);
	TALLY_MAP(X)
#undef X
	buf_puts(out, "\n");
}

void tally_text(const struct tally_row *rows, size_t n, struct buf *out)
{
	size_t width = strlen("backend");
	struct tally all = {0};

	for (size_t i = 0; i < n; i++) {
		width = strlen(rows[i].backend) > width ? strlen(rows[i].backend) : width;
		tally_add(&all, &rows[i].tally);
	}
	buf_printf(out, "%-*s", (int)width, "backend");
#define X(name, heading) buf_printf(out, "  %6s", heading);
	TALLY_MAP(X)
#undef X
	buf_puts(out, "\n");
	for (size_t i = 0; i < n; i++)
		put_row(&rows[i], width, out);
	for (size_t i = 0; i < n; i++)
		if (rows[i].tally.explained)
			buf_printf(out,
				   "explained: %zu of the cases that %s was judged on: a lower precision, or one "
				   "quantization step, makes the difference\n",
				   rows[i].tally.explained, rows[i].backend);
	if (all.vacuous)
		buf_puts(out,
			 "vacuous: it agrees, but that proves little: there are no elements, all are equal, or chance "
			 "or rounding alone decides them\n");
	if (all.unjudged)
		buf_puts(out, "unjudged: there is nothing to judge it by\n");
}

void tally_warning(const struct tally_row *row, struct buf *out)
{
	const struct tally *t = &row->tally;

	buf_printf(out, "%s was judged on nothing: %zu case%s given", row->backend, t->given, PLURAL(t->given));
	if (t->given && !t->ran)
		buf_puts(out, ", none ran");
	if (t->unsupported)
		buf_printf(out, ", %zu unsupported", t->unsupported);
	if (t->vacuous)
		buf_printf(out, ", %zu vacuous", t->vacuous);
	if (t->unjudged)
		buf_printf(out, ", %zu unjudged", t->unjudged);
}

/* ---- for programs ------------------------------------------------------------------------------------------------ */

json_t *tally_json(const struct tally *t)
{
	json_t *j = json_object();

#define X(name, heading) json_object_set_new(j, #name, json_integer((json_int_t)t->name));
	TALLY_MAP(X)
#undef X
	json_object_set_new(j, "explained", json_integer((json_int_t)t->explained));
	json_object_set_new(j, "judged_on_nothing", json_boolean(tally_is_hollow(t)));
	return j;
}

json_t *tally_rows_json(const struct tally_row *rows, size_t n)
{
	json_t *j = json_object();

	for (size_t i = 0; i < n; i++) {
		json_t *name = json_text(rows[i].backend);

		json_object_set_new(j, json_string_value(name), tally_json(&rows[i].tally));
		json_decref(name);
	}
	return j;
}

void tally_add_json(struct tally *t, const json_t *from)
{
#define X(name, heading) t->name += (size_t)json_integer_value(json_object_get(from, #name));
	TALLY_MAP(X)
#undef X
	t->explained += (size_t)json_integer_value(json_object_get(from, "explained"));
}
