/* bundle.c - a finding as a folder that can be sent to a library's maintainers:
 *
 *     README.md        what, where, how far off, how to see it
 *     model.onnx, inputs.npz, expected.npz
 *     tolerance.npz    how far float rounding may be from that, element by element
 *     gradients.npz, seeds.npz    of a finding about gradients: the right ones of the sum of seed · output
 *     repro.py         shows it with the library's own package; where there can be none README.md says why
 *     call/            where the library was told the case by calls of its own and one of them is wrong: that call's
 *                      arguments (inputs.npz), what is right, and what it means (model.onnx); repro.py makes it
 *     constants.npz, graph.pb, model.tflite, model.param, model.bin
 *                      what a repro.py reads that cannot hand model.onnx to its library (REPRO_*)
 *     repro.sh         shows it with assay
 *     finding.json     what assay needs for that
 *
 * Of a call there are README.md, inputs.npz, repro.py and finding.json. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/place.h"
#include "base/plain.h"
#include "tensor/io.h"
#include "tensor/stats.h"
#include "triage/bundle.h"
#include "triage/repro.h"
#include "triage/triage.h"
#include "worker/parent/spec.h"

#define MAX_TEXT ((size_t)1 << 20)

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Names are a model's own, and stay on their line. */
static void put_wire(struct buf *out, const char *before, const struct wire *w)
{
	buf_puts(out, before);
	plain_name(out, w ? w->name : "-");
}

static void put_typed(struct buf *out, const char *before, const struct wire *w, const struct graph *g)
{
	char type[256];

	put_wire(out, before, w);
	buf_puts(out, ": ");
	plain_name(out, type_describe(&w->type, g, type, sizeof type));
	buf_puts(out, "\n");
}

static void describe_constants(const struct graph *g, struct buf *out)
{
	char type[256], values[256];

	for (size_t i = 0; i < g->wires.n; i++) {
		const struct wire *w = g->wires.at[i];

		if (!w->init || w->is_input)
			continue;
		tensor_preview(w->init, 3, values, sizeof values);
		put_wire(out, "const  ", w);
		buf_printf(out, ": %s = %s\n", type_describe(&w->type, g, type, sizeof type), values);
	}
}

static void describe_graph(const struct trial *t, struct buf *out)
{
	const struct graph *g = t->model->graph;

	buf_printf(out, "```\n");
	for (size_t i = 0; i < g->inputs.n; i++)
		put_typed(out, "input  ", g->inputs.at[i], g);
	describe_constants(g, out);
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];

		plain_name(out, n->op_type);
		buf_puts(out, "(");
		for (int k = 0; k < n->n_in; k++)
			put_wire(out, k ? ", " : "", n->in[k]);
		buf_printf(out, ") ->");
		for (int k = 0; k < n->n_out; k++)
			put_wire(out, " ", n->out[k]);
		for (int k = 0; k < n->n_attrs; k++) {
			buf_puts(out, k ? ", " : "  with ");
			repro_attribute(&n->attrs[k], out);
		}
		buf_printf(out, "\n");
	}
	for (size_t i = 0; i < g->outputs.n; i++)
		put_typed(out, "output ", g->outputs.at[i], g);
	buf_printf(out, "```\n\n");
}

/* Switches that make it right, when the reducer has found some. */
static void describe_switch(const struct finding *f, struct buf *out)
{
	json_t *evidence = f->evidence ? json_loads(f->evidence, 0, NULL) : NULL;
	const char *guilty = json_text_at(json_object_get(evidence, "reduce"), "guilty");

	if (*guilty)
		buf_printf(out, "- sufficient to change: %s (then the result is right; it need not be the cause)\n",
			   guilty);
	json_decref(evidence);
}

/* The call of the library that is wrong, where the library is told a case by calls of its own. */
static void describe_call(const struct finding *f, struct buf *out)
{
	json_t *evidence = f->evidence ? json_loads(f->evidence, 0, NULL) : NULL;
	const json_t *proof = json_object_get(evidence, "proof");

	if (*json_text_at(proof, "call"))
		buf_printf(out,
			   "## The call\n\nThe library was asked for the case below by calls of its own.  This one is "
			   "wrong:\n\n```\n%s\n```\n\n%s\n\n",
			   json_text_at(proof, "call"), json_text_at(proof, "why"));
	json_decref(evidence);
}

static void describe_facts(const struct finding *f, struct buf *out)
{
	buf_printf(out, "- library: %s %s, run as `%s`\n- verdict: %s%s\n", f->library, f->version, f->backend,
		   verdict_name(f->verdict), f->gradient ? " (gradient)" : "");
	if (f->verdict == VERDICT_WRONG && isfinite(f->noise_ratio))
		buf_printf(out, "- deviation: %.3g times what float rounding explains\n", f->noise_ratio);
	if (*f->op)
		buf_printf(out, "- operator: %s%s%s\n", f->op, *f->parameter ? ", parameter " : "", f->parameter);
	describe_switch(f, out);
	if (*f->since)
		buf_printf(out, "- first bad version: %s\n", f->since);
	if (*f->until)
		buf_printf(out, "- right again since: %s\n", f->until);
	buf_printf(out, "- found by: assay " ASSAY_VERSION "%s%s, seed %" PRIu64 "\n", *f->method ? " " : "", f->method,
		   f->seed);
	if (*f->detail)
		buf_printf(out, "\n%s\n", f->detail);
}

/* People read it on terminals: what data say in it obeys base/plain.h as all that is printed. */
static int write_plain(const char *folder, const char *name, const struct buf *text, struct err *e)
{
	struct buf plain;
	int rc = buf_check(text, e);

	buf_init(&plain, 8 * MAX_TEXT);
	plain_put(&plain, text->data, text->len);
	if (!rc)
		rc = buf_check(&plain, e);
	if (!rc)
		rc = bundle_file(folder, name, plain.data, plain.len, 0, e);
	buf_release(&plain);
	return rc;
}

/* A program that a bundle names is started only where the user names it, too. */
static void describe_replay(const struct finding *f, struct buf *out)
{
	if (!spec_names_file(f->backend)) {
		buf_puts(out, "`sh repro.sh` shows it with assay (`assay backends install` gets the\nlibrary).\n");
		return;
	}
	buf_puts(out,
		 "`sh repro.sh -b NAME` shows it with assay.  The library was a program or a file of the machine that "
		 "the finding was\nmade on, which is started only when you name it:\n\n```\nsh repro.sh");
	spec_type(f->backend, out);
	buf_puts(out, "\n```\n");
}

static int write_readme(const struct finding *f, const struct trial *t, const struct repro *r, const char *folder,
			struct err *e)
{
	struct buf b;
	char title[256];
	int rc;

	buf_init(&b, MAX_TEXT);
	repro_title(f, title, sizeof title);
	buf_printf(&b, "# %s\n\n", title);
	describe_facts(f, &b);
	buf_puts(&b, "\n");
	describe_call(f, &b);
	buf_puts(&b, "## The case\n\n");
	describe_graph(t, &b);
	buf_printf(&b,
		   "`%s` holds the exact %s, computed in double precision and rounded once;\n"
		   "`tolerance.npz` how far a correct library may be from it.\n\n## To see it\n\n",
		   f->gradient ? "gradients.npz" : "expected.npz",
		   f->gradient ? "gradients of the sum of `seeds.npz` times the outputs" : "result");
	if (r->script.len)
		buf_printf(&b, "`python3 repro.py` needs the library's own package and numpy only: exit status 1 when "
			       "the bug\nshows, 0 when not.  ");
	else if (!spec_names_file(f->backend))
		buf_printf(&b, "There is no `repro.py`: %s.  ", r->why);
	describe_replay(f, &b);
	rc = write_plain(folder, "README.md", &b, e);
	buf_release(&b);
	return rc;
}

static int write_json(const struct finding *f, const char *folder, struct err *e)
{
	struct buf text;
	char seed[32];
	json_t *j;
	int rc;

	snprintf(seed, sizeof seed, "%" PRIu64, f->seed);
	j = json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:b, s:s}", "method", json_text(f->method), "backend",
		      json_text(f->backend), "library", json_text(f->library), "version", json_text(f->version),
		      "verdict", verdict_name(f->verdict), "op", json_text(f->op), "signature", json_text(f->signature),
		      "gradient", f->gradient, "seed", seed);
	buf_init(&text, MAX_TEXT);
	j = json_document(j);
	json_write(&text, j, JSON_INDENT(1));
	rc = buf_check(&text, e);
	if (!rc)
		rc = bundle_file(folder, "finding.json", text.data, text.len, 0, e);
	buf_release(&text);
	json_decref(j);
	return rc;
}

static const char shell_script[] = "#!/bin/sh\n"
				   "# Runs the case with assay: exit status 1 when the finding shows, 0 when not.\n"
				   "# Where the library is a program of your own: -b NAME, as README.md says.\n"
				   "exec \"${ASSAY:-assay}\" replay \"$(dirname \"$0\")\" \"$@\"\n";

static int write_all(const struct finding *f, const struct worker_spec *spec, struct trial *t, const char *folder,
		     struct err *e)
{
	struct repro r = {0};
	int rc = trial_save(t, folder, e);

	if (!rc && !t->invalid)
		rc = f->gradient ? bundle_gradients(t, folder, e) : bundle_tolerance(t, folder, e);
	if (!rc)
		rc = repro_make(f, spec, t, folder, &r, e);
	if (!rc && r.script.len)
		rc = bundle_file(folder, "repro.py", r.script.data, r.script.len, 1, e);
	if (!rc)
		rc = bundle_file(folder, "repro.sh", shell_script, strlen(shell_script), 1, e);
	if (!rc)
		rc = write_json(f, folder, e);
	if (!rc)
		rc = write_readme(f, t, &r, folder, e);
	repro_release(&r);
	return rc;
}

/* ---- of a call --------------------------------------------------------------------------------------------------- */

static int write_call_readme(const struct finding *f, const json_t *evidence, const char *folder, struct err *e)
{
	char title[256];
	struct buf b;
	int rc;

	buf_init(&b, MAX_TEXT);
	repro_title(f, title, sizeof title);
	buf_printf(&b, "# %s\n\n", title);
	describe_facts(f, &b);
	buf_printf(&b, "\n## The calls\n\nTwo ways to compute the same, with the tensors of `inputs.npz`:\n\n```\n");
	buf_printf(&b, "a: %s\nb: %s\n```\n\n## To see it\n\n", json_text_at(evidence, "a"),
		   json_text_at(evidence, "b"));
	if (*json_text_at(evidence, "script"))
		buf_printf(&b, "`python3 repro.py` needs the library's own package and numpy only.  ");
	buf_printf(&b, "With assay: `%s`.\n", f->command);
	rc = write_plain(folder, "README.md", &b, e);
	buf_release(&b);
	return rc;
}

/* README.md, inputs.npz, finding.json and the script that the method made. */
static int write_call(const struct finding *f, const char *folder, struct err *e)
{
	json_t *evidence = json_loads(f->evidence, 0, NULL);
	const char *script = json_text_at(evidence, "script");
	int rc = place_make_folder(folder, e);

	if (!rc)
		rc = bundle_file(folder, "inputs.npz", f->inputs.p ? f->inputs.p : "", f->inputs.n, 0, e);
	if (!rc && *script)
		rc = bundle_file(folder, "repro.py", script, strlen(script), 1, e);
	if (!rc)
		rc = write_json(f, folder, e);
	if (!rc)
		rc = write_call_readme(f, evidence, folder, e);
	json_decref(evidence);
	return rc;
}

int bundle_write(const struct finding *f, const struct worker_spec *spec, const char *folder, struct err *e)
{
	int reduced = f->reduced_model.n > 0;
	const struct bytes *model = reduced ? &f->reduced_model : &f->model;
	const struct bytes *inputs = reduced ? &f->reduced_inputs : &f->inputs;
	struct trial t = {0};
	int rc;

	if (finding_is_call(f))
		return write_call(f, folder, e);
	rc = trial_from_bytes(model->p, model->n, inputs->p, inputs->n, f->seed, &t, e);
	if (rc)
		return rc;
	rc = f->gradient ? trial_truth_gradients(&t, e) : trial_truth(&t, e);
	if (rc == ERR_UNSUPPORTED) { /* a crash has no right answer to go with it */
		err_clear(e);
		rc = 0;
	}
	if (!rc)
		rc = write_all(f, spec, &t, folder, e);
	trial_release(&t);
	return rc;
}
