/* calls.c - see calls.h. */
#include "proof/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/place.h"
#include "tensor/io.h"

#define MAX_RECORD ((size_t)64 << 20)
#define MAX_VALUES 1000000

void calls_release(struct calls *c)
{
	for (size_t i = 0; i < c->values.n; i++)
		tensor_unref(c->values.at[i].tensor);
	vec_release(&c->values);
	vec_release(&c->calls);
	arena_release(&c->arena);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* "v12" → 12 */
static int number_of(const char *name, size_t *out)
{
	char *end;

	if (name[0] != 'v' || name[1] < '0' || name[1] > '9')
		return 0;
	*out = strtoul(name + 1, &end, 10);
	return !*end && *out < MAX_VALUES;
}

struct tensor *calls_value(const struct calls *c, const char *name)
{
	size_t number;

	return number_of(name, &number) && number < c->values.n ? c->values.at[number].tensor : NULL;
}

/* What .npy files lack is in them as float32 or int8: the record says what it was. */
static int as_type(struct tensor **t, enum dtype dtype, struct err *e)
{
	struct tensor *wide, *packed = NULL;

	if ((*t)->dtype == dtype)
		return 0;
	wide = tensor_widen(*t, e);
	if (wide) {
		wide->dtype = dtype;
		packed = tensor_pack(wide, e);
	}
	tensor_unref(wide);
	if (!packed)
		return e->code;
	tensor_unref(*t);
	*t = packed;
	return 0;
}

static int load_value(struct calls *c, const char *folder, size_t number, const char *type, struct err *e)
{
	enum dtype dtype = dtype_from_name(type);
	const struct recorded_value none = {NULL};
	char path[PLACE_PATH];
	struct tensor *t = NULL;
	int rc = place_path(path, e, "%s/v%zu.npy", folder, number);

	while (!rc && c->values.n <= number)
		rc = vec_push(&c->values, none) ? err_nomem(e, "values", 0) : 0;
	if (rc || access(path, R_OK)) /* a value of no kind that files hold: a sequence, say */
		return rc;
	rc = npy_load(path, &t, e);
	if (!rc && dtype != DT_UNDEFINED)
		rc = as_type(&t, dtype, e);
	if (rc) {
		tensor_unref(t);
		return rc;
	}
	tensor_unref(c->values.at[number].tensor);
	c->values.at[number].tensor = t;
	return 0;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static const char *text_of(const struct expr *x, size_t i)
{
	return i < x->n && x->items[i]->kind == EXPR_STRING ? x->items[i]->text : "";
}

static struct recorded_call *last_call(struct calls *c)
{
	return c->calls.n ? &c->calls.at[c->calls.n - 1] : NULL;
}

static int add_result(struct calls *c, size_t number, struct err *e)
{
	struct recorded_call *call = last_call(c);

	if (!call || call->n_results == CALLS_MAX_RESULTS)
		return err_set(e, ERR_INPUT, "v%zu is the result of no operation", number);
	call->results[call->n_results++] = number;
	return 0;
}

/* v3 = op("name", …) */
static int read_op(struct calls *c, size_t number, const struct expr *x, const char *line, struct err *e)
{
	struct recorded_call call = {.name = text_of(x, 0),
				     .line = arena_strdup(&c->arena, line),
				     .number = number,
				     .expr = x,
				     .results = {number},
				     .n_results = 1};

	return !call.line || vec_push(&c->calls, call) ? err_nomem(e, "calls", 0) : 0;
}

/* v5 = v3[1]: the results of the last operation are a list. */
static int read_part(struct calls *c, size_t number, size_t of, size_t index, struct err *e)
{
	struct recorded_call *call = last_call(c);

	if (!call || (index == 0 && call->results[0] != of))
		return err_set(e, ERR_INPUT, "v%zu is a part of no operation's result", number);
	if (index == 0)
		call->n_results = 0;
	return add_result(c, number, e);
}

static int read_assignment(struct calls *c, const char *folder, const char *line, struct err *e)
{
	size_t number, of, index;
	struct expr *x;
	int used = 0, rc;

	if (sscanf(line, "v%zu = v%zu[%zu]", &number, &of, &index) == 3)
		return read_part(c, number, of, index, e);
	if (sscanf(line, "v%zu = %n", &number, &used) < 1 || !used)
		return err_set(e, ERR_INPUT, "'%.80s' is not a line of a record", line);
	if (!strncmp(line + used, "take(", 5)) { /* the indexing in it is no expression */
		const char *type = strrchr(line, ',');
		char word[32] = "";

		if (type)
			sscanf(type, ", \"%31[^\"]", word);
		return load_value(c, folder, number, word, e);
	}
	rc = expr_parse(line + used, &c->arena, &x, e);
	return rc ? rc : read_op(c, number, x, line, e);
}

/* made(v3, "float32") */
static int read_made(struct calls *c, const char *folder, const char *line, struct err *e)
{
	struct recorded_call *call = last_call(c);
	char type[32] = "";
	size_t number;

	if (sscanf(line, "made(v%zu, \"%31[^\"]", &number, type) < 1)
		return err_set(e, ERR_INPUT, "'%.80s' is not a line of a record", line);
	if (call)
		call->done = 1;
	return load_value(c, folder, number, type, e);
}

static int read_line(struct calls *c, const char *folder, const char *line, struct err *e)
{
	while (*line == ' ')
		line++;
	if (!strncmp(line, "made(", 5))
		return read_made(c, folder, line, e);
	return *line == 'v' ? read_assignment(c, folder, line, e) : 0; /* give() and the like say nothing new */
}

int calls_read(const char *folder, struct calls *out, struct err *e)
{
	struct calls c = {.arena = ARENA_INIT};
	char path[PLACE_PATH];
	struct buf text;
	int rc = place_path(path, e, "%s/calls.py", folder);

	buf_init(&text, MAX_RECORD);
	if (!rc && !access(path, F_OK))
		rc = buf_read_file(&text, path, MAX_RECORD, e);
	for (char *line = text.data, *next; !rc && line && *line; line = next) {
		next = strchr(line, '\n');
		if (!next) /* cut off in the middle: the process died while it wrote */
			break;
		*next++ = '\0';
		rc = read_line(&c, folder, line, e);
	}
	buf_release(&text);
	if (rc)
		calls_release(&c);
	else
		*out = c;
	return rc;
}

int calls_is_for_scripts(const struct expr *argument)
{
	return !strncmp(argument->name, "build_", 6);
}
