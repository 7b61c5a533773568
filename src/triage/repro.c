/* repro.c - see repro.h.  Scripts are put together from repro.py and the library's part (libraries/repro), which are
 * part of the program. */
#include "triage/repro.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "libraries/libraries.h"
#include "worker/parent/spec.h"

#define MAX_SCRIPT ((size_t)64 << 20)
#define KEY_SIZE 32

extern const char repro_main[]; /* repro.py */

/* What is put into the templates. */
struct filling {
	const struct finding *f;
	const struct trial *t;
	const struct library_repro *library;
	struct worker_spec spec;
	struct proof proof; /* that one call is wrong: t is what it means */
	struct buf run;     /* the library's part */
	struct buf calls;   /* REPRO_CALLS: what it is told */
	char title[256];
};

void repro_release(struct repro *r)
{
	buf_release(&r->script);
}

/* A title stands in a string of the script: nothing in it may end that, or be read as an escape. */
static void make_harmless(char *s)
{
	int32_t c;

	for (size_t n = strlen(s), i = 0, step; i < n; i += step) {
		step = utf8_decode(s + i, n - i, &c);
		if (plain_is_unsafe(c))
			memset(s + i, '?', step);
		else if (c == '"' || c == '\\')
			s[i] = c == '"' ? '\'' : '/';
	}
}

void repro_title(const struct finding *f, char *out, size_t size)
{
	snprintf(out, size, "%s %s: %s%s%s%s", f->library, f->version, verdict_name(f->verdict),
		 f->gradient ? " gradient" : "", *f->op ? " of " : "", f->op);
	make_harmless(out);
}

/* ---- words of Python --------------------------------------------------------------------------------------------- */

/* A string in quotes: JSON's way is Python's as well. */
static void put_string(struct buf *out, const char *s)
{
	json_t *j = json_text(s);

	json_write(out, j, JSON_ENCODE_ANY);
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

/* What gradients are wanted of; an empty list: of nothing. */
static void put_wanted(const struct filling *x, struct buf *out)
{
	buf_puts(out, "[");
	for (size_t i = 0; x->f->gradient && i < x->t->n_grads; i++) {
		buf_puts(out, i ? ", " : "");
		put_string(out, x->t->grad_wires[i]->name);
	}
	buf_puts(out, "]");
}

/* Variables that the library reads, not those that lead to where it lies here. */
static void put_environment(const struct filling *x, struct buf *out)
{
	const char *between = "";

	buf_puts(out, "{");
	for (char **word = x->spec.env; word && *word; word++) {
		size_t n = strcspn(*word, "=");

		if (!strncmp(*word, "PYTHON", 6) || !strncmp(*word, "ASSAY_", 6) || !(*word)[n])
			continue;
		buf_printf(out, "%s\"%.*s\": ", between, (int)n, *word);
		put_string(out, *word + n + 1);
		between = ", ";
	}
	buf_puts(out, "}");
}

static void put_calls(const struct filling *x, struct buf *out)
{
	buf_printf(out, "def calls(inputs, constants):\n%s", x->calls.len ? x->calls.data : "    pass\n");
}

static void put_title(const struct filling *x, struct buf *out)
{
	buf_puts(out, x->title);
}

static void put_package(const struct filling *x, struct buf *out)
{
	buf_puts(out, x->library->needs ? x->library->needs : x->library->package);
}

static void put_import(const struct filling *x, struct buf *out)
{
	if (x->library->package)
		buf_printf(out, "import %s as library\n", x->library->package);
}

static void put_folder(const struct filling *x, struct buf *out)
{
	buf_puts(out, x->proof.result == PROOF_CALL ? REPRO_CALL_FOLDER : "");
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
} keys[] = {{"TITLE", put_title},   {"PACKAGE", put_package}, {"VERDICT", put_verdict},
	    {"RUN", put_run},       {"INPUTS", put_inputs},   {"OUTPUTS", put_outputs},
	    {"WANTED", put_wanted}, {"CALLS", put_calls},     {"ENVIRONMENT", put_environment},
	    {"FOLDER", put_folder}, {"IMPORT", put_import}};

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

/* ---- the script -------------------------------------------------------------------------------------------------- */

static int no_script(const struct filling *x, struct err *why)
{
	if (x->library->why_not)
		return err_set(why, ERR_UNSUPPORTED, "%s", x->library->why_not);
	return err_set(why, ERR_UNSUPPORTED, "backend '%s' has no Python package", x->spec.backend);
}

int repro_is_by_call(const struct finding *f)
{
	json_t *evidence = f->evidence ? json_loads(f->evidence, 0, NULL) : NULL;
	const char *by = json_text_at(json_object_get(evidence, "proof"), "by");
	/* a call that fails behind another one alone is right alone, and takes all of them to show */
	int is = (!*by || !strcmp(by, proof_name(PROOF_CALL))) && !json_object_get(evidence, "together");

	json_decref(evidence);
	return is;
}

/* The wrong call alone, or all calls of the case where there is no such one, or another proof. */
static int gather_calls(struct filling *x, struct trial *t, const char *folder, struct err *e)
{
	struct err none = ERR_INIT;
	int rc = repro_is_by_call(x->f) ? repro_prove(x->f, t, &x->spec, folder, &x->proof, &x->calls, &none)
					: ERR_UNSUPPORTED;

	if (!rc)
		x->t = &x->proof.meaning;
	return rc ? repro_record(x->f, t, &x->spec, folder, &x->calls, e) : 0;
}

/* What the library's part reads; ERR_UNSUPPORTED and ERR_USAGE say why it cannot be had. */
static int gather(struct filling *x, struct trial *t, const char *folder, struct err *e)
{
	switch (x->library->how) {
	case REPRO_NONE:
		return no_script(x, e);
	case REPRO_CALLS:
		return gather_calls(x, t, folder, e);
	default:
		return 0;
	}
}

static int fill(struct filling *x, struct repro *out, struct err *e)
{
	int rc;

	expand(x, x->library->text, &x->run);
	expand(x, repro_main, &out->script);
	rc = buf_check(&x->run, e);
	return rc ? rc : buf_check(&out->script, e);
}

int repro_make(const struct finding *f, const struct worker_spec *spec, struct trial *t, const char *folder,
	       struct repro *out, struct err *e)
{
	static const struct library_repro none;
	const struct library *library;
	struct filling x = {.f = f, .t = t};
	struct err why = ERR_INIT;
	int rc = spec ? spec_copy(spec, &x.spec, &why) : spec_make_found(f->backend, &x.spec, &why);

	*out = (struct repro){0};
	buf_init(&out->script, MAX_SCRIPT);
	buf_init(&x.run, MAX_SCRIPT);
	buf_init(&x.calls, MAX_SCRIPT);
	repro_title(f, x.title, sizeof x.title);
	if (!rc) {
		library = library_find(x.spec.backend);
		x.library = library ? &library->repro : &none;
		rc = gather(&x, t, folder, &why);
	}
	if (rc)
		snprintf(out->why, sizeof out->why, "%.500s", why.msg);
	rc = rc ? 0 : fill(&x, out, e);
	spec_release(&x.spec);
	proof_release(&x.proof);
	buf_release(&x.run);
	buf_release(&x.calls);
	if (rc)
		repro_release(out);
	return rc;
}
