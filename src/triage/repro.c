/* repro.c - see repro.h.  Scripts are put together from the files in repro/, which are part of the program. */
#include "triage/repro.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "worker/spec.h"

#define MAX_SCRIPT ((size_t)4 << 20)
#define KEY_SIZE 32
#define WORD_SIZE 128

extern const char repro_main[];
#define REPRO(backend, id, package, native) extern const char repro_##id[];
#include "triage/repro.def"
#undef REPRO

static const struct library {
	const char *backend, *text, *package;
	int native;
} libraries[] = {
#define REPRO(backend, id, package, native) {backend, repro_##id, package, native},
#include "triage/repro.def"
#undef REPRO
};

/* What is put into the templates. */
struct filling {
	const struct finding *f;
	const struct trial *t;
	const struct library *library;
	struct worker_spec spec;
	struct buf run; /* the library's part */
	char title[256];
};

void repro_release(struct repro *r)
{
	buf_release(&r->script);
}

void repro_title(const struct finding *f, char *out, size_t size)
{
	snprintf(out, size, "%s %s: %s%s%s%s", f->library, f->version, verdict_name(f->verdict),
		 f->gradient ? " gradient" : "", *f->op ? " of " : "", f->op);
}

/* ---- words of Python --------------------------------------------------------------------------------------------- */

/* A string in quotes: JSON's way is Python's as well. */
static void put_string(struct buf *out, const char *s)
{
	json_t *j = json_string(s);
	char *text = j ? json_dumps(j, JSON_ENCODE_ANY) : NULL;

	buf_puts(out, text ? text : "\"?\"");
	mem_free(text);
	json_decref(j);
}

static void put_inputs(const struct filling *x, struct buf *out)
{
	const struct graph *g = x->t->model->graph;

	buf_puts(out, "[");
	for (size_t i = 0; i < g->inputs.n; i++) {
		buf_puts(out, i ? ", " : "");
		put_string(out, g->inputs.at[i]->name);
	}
	buf_puts(out, "]");
}

static void put_outputs(const struct filling *x, struct buf *out)
{
	const struct graph *g = x->t->model->graph;

	buf_puts(out, "{");
	for (size_t i = 0; i < g->outputs.n; i++) {
		buf_puts(out, i ? ", " : "");
		put_string(out, g->outputs.at[i]->name);
		buf_printf(out, ": \"%s\"", dtype_name(g->outputs.at[i]->type.dtype));
	}
	buf_puts(out, "}");
}

static void put_title(const struct filling *x, struct buf *out)
{
	buf_puts(out, x->title);
}

static void put_package(const struct filling *x, struct buf *out)
{
	buf_puts(out, x->library->package);
}

static void put_verdict(const struct filling *x, struct buf *out)
{
	buf_puts(out, verdict_name(x->f->verdict));
}

static void put_run(const struct filling *x, struct buf *out)
{
	buf_puts(out, x->run.data ? x->run.data : "");
}

static const struct {
	const char *key;
	void (*put)(const struct filling *x, struct buf *out);
} keys[] = {{"TITLE", put_title}, {"PACKAGE", put_package}, {"VERDICT", put_verdict},
	    {"RUN", put_run},     {"INPUTS", put_inputs},   {"OUTPUTS", put_outputs}};

/* @KEY@ from the table, or the backend's option of that name. */
static void put_key(const struct filling *x, const char *key, struct buf *out)
{
	const char *option = spec_option(&x->spec, key);

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(keys[i].key, key)) {
			keys[i].put(x, out);
			return;
		}
	buf_puts(out, option ? option : "");
}

static void expand(const struct filling *x, const char *text, struct buf *out)
{
	while (*text) {
		size_t n = strcspn(text, "@"), k = 0;
		char key[KEY_SIZE];

		buf_add(out, text, n);
		text += n;
		if (!*text)
			break;
		while (isalpha((unsigned char)text[1 + k]) && k + 1 < sizeof key) {
			key[k] = text[1 + k];
			k++;
		}
		key[k] = '\0';
		if (k && text[1 + k] == '@') {
			put_key(x, key, out);
			text += k + 2;
		} else {
			buf_puts(out, "@");
			text++;
		}
	}
}

/* ---- graphs as code ---------------------------------------------------------------------------------------------- */

/* The function of an operator: where it begins, and its length; NULL: there is none. */
static const char *find_function(const char *text, const char *op, size_t *length)
{
	char begin[WORD_SIZE];
	const char *at, *end;

	snprintf(begin, sizeof begin, "\ndef %s(", op);
	at = strstr(text, begin);
	if (!at)
		return NULL;
	at++;
	end = strstr(at, "\n\n\n");
	*length = end ? (size_t)(end - at) : strlen(at);
	return at;
}

/* True when the first line of a function names a parameter, and it may be used for this opset. */
static int takes(const char *function, const char *parameter)
{
	size_t n = strlen(parameter);
	const char *end = strchr(function, ')');

	for (const char *p = strstr(function, parameter); p && p < end; p = strstr(p + 1, parameter))
		if (!isalnum((unsigned char)p[-1]) && p[-1] != '_' && !isalnum((unsigned char)p[n]) && p[n] != '_')
			return 1;
	return 0;
}

static int is_new_enough(const char *function, int version)
{
	const char *since = strstr(function, "# since "), *line = strchr(function, '\n');

	return !since || since > line || version >= strtol(since + 8, NULL, 10);
}

/* Why a node cannot be told in the library's own words; 1 when it can. */
static int can_tell(const struct filling *x, const struct node *n, char *why, size_t size)
{
	size_t length;
	const char *function = find_function(x->library->text, n->op_type, &length);

	if (!function || *n->domain || !is_new_enough(function, n->opset)) {
		snprintf(why, size, "operator %s is not among those that are written down for %s", n->op_type,
			 x->library->package);
		return 0;
	}
	for (int i = 0; i < n->n_attrs; i++)
		if (!takes(function, n->attrs[i].name)) {
			snprintf(why, size, "attribute %s of %s is not among those that are written down for %s",
				 n->attrs[i].name, n->op_type, x->library->package);
			return 0;
		}
	return n->n_out == 1;
}

void repro_attribute(const struct attr *a, struct buf *out)
{
	buf_printf(out, "%s=", a->name);
	if (a->type == ATTR_INT)
		buf_printf(out, "%" PRId64, a->i);
	else if (a->type == ATTR_FLOAT)
		buf_printf(out, "%.9g", a->f);
	else if (a->type == ATTR_STRING)
		put_string(out, a->s.p);
	else if (a->type != ATTR_INTS && a->type != ATTR_FLOATS)
		buf_puts(out, "…"); /* never in a script: no function there takes such a one */
	else
		buf_puts(out, "[");
	for (size_t i = 0; a->type == ATTR_INTS && i < a->n; i++)
		buf_printf(out, "%s%" PRId64, i ? ", " : "", a->ints[i]);
	for (size_t i = 0; a->type == ATTR_FLOATS && i < a->n; i++)
		buf_printf(out, "%s%.9g", i ? ", " : "", a->floats[i]);
	if (a->type == ATTR_INTS || a->type == ATTR_FLOATS)
		buf_puts(out, "]");
}

static void put_node(const struct node *n, struct buf *out)
{
	const char *between = "";

	buf_printf(out, "    v%d = %s(", n->out[0]->id, n->op_type);
	for (int i = 0; i < n->n_in; i++) {
		if (n->in[i])
			buf_printf(out, "%sv%d", between, n->in[i]->id);
		else
			buf_printf(out, "%sNone", between);
		between = ", ";
	}
	for (int i = 0; i < n->n_attrs; i++) {
		buf_puts(out, between);
		repro_attribute(&n->attrs[i], out);
		between = ", ";
	}
	buf_puts(out, ")\n");
}

static void put_sources(const struct graph *g, struct buf *out)
{
	for (size_t i = 0; i < g->wires.n; i++) {
		const struct wire *w = g->wires.at[i];

		if (w->producer || (!w->is_input && !w->init))
			continue;
		buf_printf(out, "    v%d = to_library(%s[", w->id, w->is_input ? "inputs" : "constants");
		put_string(out, w->name);
		buf_puts(out, "])\n");
	}
}

/* run() for a graph, after the functions that it needs. */
static void put_graph(const struct filling *x, struct buf *out)
{
	const struct graph *g = x->t->model->graph;
	const char *text = x->library->text, *functions = strstr(text, "\n\n\ndef Relu(");
	struct map done = MAP_INIT;

	buf_add(out, text, functions ? (size_t)(functions - text) : strlen(text));
	for (size_t i = 0; i < g->nodes.n; i++) {
		size_t length;
		const char *function = find_function(text, g->nodes.at[i]->op_type, &length);

		if (!function || map_get(&done, g->nodes.at[i]->op_type))
			continue;
		map_put(&done, g->nodes.at[i]->op_type, out);
		buf_puts(out, "\n\n\n");
		buf_add(out, function, length);
	}
	map_release(&done);
	buf_puts(out, "\n\n\ndef run(inputs):\n"
		      "    with np.load(os.path.join(HERE, \"constants.npz\")) as f:\n"
		      "        constants = {name: f[name] for name in f.files}\n");
	put_sources(g, out);
	for (size_t i = 0; i < g->nodes.n; i++)
		put_node(g->nodes.at[i], out);
	buf_puts(out, "    return {");
	for (size_t i = 0; i < g->outputs.n; i++) {
		buf_puts(out, i ? ", " : "");
		put_string(out, g->outputs.at[i]->name);
		buf_printf(out, ": to_numpy(v%d)", g->outputs.at[i]->id);
	}
	buf_puts(out, "}\n");
}

/* ---- the script -------------------------------------------------------------------------------------------------- */

static const struct library *find_library(const char *backend)
{
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (!strcmp(libraries[i].backend, backend))
			return &libraries[i];
	return NULL;
}

/* 1 when a script can be written, else *why says why not. */
static int is_possible(const struct filling *x, char *why, size_t size)
{
	const struct graph *g = x->t->model->graph;

	if (!x->library) {
		snprintf(why, size, "backend '%s' has no Python package that takes this case", x->spec.backend);
		return 0;
	}
	if (x->f->gradient) {
		snprintf(why, size, "it is about gradients, which the script does not ask for");
		return 0;
	}
	for (size_t i = 0; x->library->native && i < g->nodes.n; i++)
		if (!can_tell(x, g->nodes.at[i], why, size))
			return 0;
	return 1;
}

int repro_make(const struct finding *f, const struct trial *t, struct repro *out, struct err *e)
{
	struct filling x = {.f = f, .t = t};
	struct err unknown = ERR_INIT;
	struct buf part;
	int rc;

	*out = (struct repro){0};
	buf_init(&out->script, MAX_SCRIPT);
	if (spec_make(f->backend, &x.spec, &unknown)) {
		snprintf(out->why, sizeof out->why, "%.250s", unknown.msg);
		return 0;
	}
	x.library = find_library(x.spec.backend);
	repro_title(f, x.title, sizeof x.title);
	buf_init(&x.run, MAX_SCRIPT);
	buf_init(&part, MAX_SCRIPT);
	if (is_possible(&x, out->why, sizeof out->why)) {
		if (x.library->native)
			put_graph(&x, &part);
		expand(&x, x.library->native ? (part.data ? part.data : "") : x.library->text, &x.run);
		expand(&x, repro_main, &out->script);
		out->constants = x.library->native;
	}
	rc = buf_check(&part, e);
	if (!rc)
		rc = buf_check(&x.run, e);
	if (!rc)
		rc = buf_check(&out->script, e);
	buf_release(&part);
	buf_release(&x.run);
	spec_release(&x.spec);
	if (rc)
		repro_release(out);
	return rc;
}
