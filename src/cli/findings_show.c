/* findings_show.c - assay findings show: a finding as a report that its library's maintainers can act on. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/plain.h"
#include "cli/findings.h"
#include "cli/findings_text.h"
#include "cli/show.h"
#include "cli/show_model.h"
#include "cli/terminal.h"
#include "report/came.h"
#include "report/evidence.h"
#include "report/text.h"
#include "tensor/io.h"

#define MAX_TEXT 16384
#define MAX_NODES 24  /* of a model that are listed */
#define MAX_TENSORS 8 /* of inputs or outputs that are shown */
#define MAX_PAIRS 5   /* of elements that differ */
#define INDENT 2
#define FIELD 9 /* columns of a name in front of a field */

struct show_page {
	FILE *out;
	size_t columns;
	const struct finding *f;
	struct store *store;
	json_t *evidence;
	int64_t relatives; /* other findings of the cluster */
};

static void heading(const struct show_page *p, const char *text)
{
	fprintf(p->out, "\n%s\n", text);
}

static void say(const struct show_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say_field(const struct show_page *p, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say(const struct show_page *p, const char *fmt, ...)
{
	char text[MAX_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	terminal_wrap(p->out, INDENT, 0, p->columns, text);
}

/* A name and, beside it, what is to be said of it. */
static void say_field(const struct show_page *p, const char *name, const char *fmt, ...)
{
	char text[MAX_TEXT];
	int n = snprintf(text, sizeof text, "%-*s", FIELD, name);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + n, sizeof text - (size_t)n, fmt, args);
	va_end(args);
	terminal_wrap(p->out, INDENT, FIELD, p->columns, text);
}

/* ---- what was run ------------------------------------------------------------------------------------------------ */

static int is_reduced(const struct finding *f)
{
	return f->reduced_model.n > 0;
}

/* A planted defect is known by its backend. */
static const char *culprit(const struct finding *f)
{
	return strcmp(f->library, "assay") != 0 ? f->library : f->backend;
}

static void show_title(const struct show_page *p)
{
	const struct finding *f = p->f;
	char text[MAX_TEXT], date[32];
	struct buf set; /* nodes that fail only together */

	buf_init(&set, MAX_TEXT);
	if (!*f->op)
		evidence_put_set(p->evidence, &set);
	snprintf(text, sizeof text, "Finding %lld: %s %s %s%s%s%s", (long long)f->id, culprit(f), f->version,
		 finding_does(f), *f->op || set.len ? " at " : "", PLAIN(f->op), set.data ? set.data : "");
	buf_release(&set);
	terminal_wrap(p->out, 0, 0, p->columns, text);
	snprintf(text, sizeof text, "recorded %s%s%s\nsignature %s", text_time(f->time, date),
		 *f->method ? " by assay " : "", f->method, *f->signature ? f->signature : "not made");
	terminal_wrap(p->out, 0, 0, p->columns, text);
	if (p->relatives) {
		snprintf(text, sizeof text, "cluster %d, with %lld other finding%s ('assay findings --cluster %d')",
			 f->cluster, (long long)p->relatives, PLURAL(p->relatives), f->cluster);
		terminal_wrap(p->out, 0, 0, p->columns, text);
	}
}

static void show_graph(const struct show_page *p)
{
	const struct bytes *b = is_reduced(p->f) ? &p->f->reduced_model : &p->f->model;
	struct err e = ERR_INIT;
	struct model *m;

	if (!b->n) {
		say_field(p, "model", "not kept");
		return;
	}
	if (model_parse(b->p, b->n, "", &m, &e)) {
		say_field(p, "model", "%zu bytes that are not a model for assay: %s", b->n, e.msg);
		return;
	}
	if (is_reduced(p->f) && (size_t)p->f->original_nodes != m->graph->nodes.n)
		say_field(p, "model", "%zu node%s, reduced from %d; opset %d", m->graph->nodes.n,
			  PLURAL(m->graph->nodes.n), p->f->original_nodes, model_opset(m, ""));
	else
		say_field(p, "model", "%zu node%s; opset %d", m->graph->nodes.n, PLURAL(m->graph->nodes.n),
			  model_opset(m, ""));
	show_model(p->out, m, MAX_NODES, 2 * INDENT, p->columns);
	model_free(m);
}

/* A tensor as `assay run` prints it, further to the right. */
static void show_tensor(const struct show_page *p, const char *name, struct tensor *t)
{
	const struct value v = {.kind = VALUE_TENSOR, .refs = 1, .tensor = t};
	size_t size = 0;
	char *text = NULL;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return;
	show_value(memory, name, &v, NULL, 0);
	if (!fclose(memory))
		terminal_wrap(p->out, 2 * INDENT, 0, p->columns, text);
	mem_free(text);
}

/* The tensors of an .npz in bytes, below a name for them. */
static void show_tensors(const struct show_page *p, const char *what, const struct bytes *b)
{
	struct tensor_set set = TENSOR_SET_INIT;
	struct err e = ERR_INIT;

	if (!b->n)
		return;
	if (npz_parse(b->p, b->n, &set, &e)) {
		say(p, "%s: %zu bytes that cannot be read: %s", what, b->n, e.msg);
		return;
	}
	if (set.n)
		say(p, "%s", what);
	for (size_t i = 0; i < set.n && i < MAX_TENSORS; i++)
		show_tensor(p, set.at[i].name, set.at[i].tensor);
	if (set.n > MAX_TENSORS)
		fprintf(p->out, "%*s… %zu tensors in all\n", 2 * INDENT, "", set.n);
	tensor_set_release(&set);
}

static void show_run(const struct show_page *p)
{
	const struct finding *f = p->f;

	heading(p, "What was run");
	say_field(p, "library", "%s %s, as '%s'", f->library, f->version, f->backend);
	say_field(p, "command", "%s", *f->command ? f->command : "not kept");
	say_field(p, "seed", "%llu", (unsigned long long)f->seed);
	show_graph(p);
	show_tensors(p, "inputs", is_reduced(f) ? &f->reduced_inputs : &f->inputs);
}

/* ---- what came out, what is right -------------------------------------------------------------------------------- */

/* Elements that differ, one a line; where none do, or nothing is right, all that the evidence has. */
static void put_elements(const json_t *came, const struct tensor_set *right, struct buf *b)
{
	const json_t *values = json_object_get(came, "values");
	size_t picked[CAME_PICKED], n = 0;
	struct err ignored = ERR_INIT;

	for (size_t i = 0; i < right->n && !n; i++) {
		int same = !strcmp(right->at[i].name, json_text_at(came, "name"));
		struct tensor *t = same ? tensor_widen(right->at[i].tensor, &ignored) : NULL;

		n = t ? came_pick(came, t, MAX_PAIRS, picked) : 0;
		for (size_t k = 0; k < n; k++) {
			buf_puts(b, "\n  ");
			came_put_pair(b, came, t, picked[k]);
		}
		tensor_unref(t);
	}
	if (n)
		return;
	buf_printf(b, "\n  [%s", json_integer_value(json_object_get(came, "first")) ? "… " : "");
	for (size_t k = 0; k < json_array_size(values); k++) {
		buf_puts(b, k ? " " : "");
		came_put(b, json_array_get(values, k));
	}
	buf_printf(b, "%s]", json_is_true(json_object_get(came, "more")) ? " …" : "");
}

/* What the library gave, as far as the evidence has it, beside what is right. */
static void show_came(const struct show_page *p, const json_t *came, const struct bytes *expected)
{
	struct tensor_set right = TENSOR_SET_INIT;
	struct err ignored = ERR_INIT;
	struct buf b;

	if (expected->n)
		npz_parse(expected->p, expected->n, &right, &ignored);
	buf_init(&b, MAX_TEXT);
	for (size_t i = 0; i < json_array_size(came); i++) {
		const json_t *one = json_array_get(came, i);

		buf_clear(&b);
		buf_printf(&b, "%s: %s", PLAIN(json_text_at(one, "name")), PLAIN(json_text_at(one, "type")));
		put_elements(one, &right, &b);
		if (!i)
			say(p, "what the library returned");
		terminal_wrap(p->out, 2 * INDENT, 0, p->columns, b.data && !b.failed ? b.data : "");
	}
	buf_release(&b);
	tensor_set_release(&right);
}

static void show_result(const struct show_page *p)
{
	const char *detail = *p->f->detail ? p->f->detail : verdict_name(p->f->verdict);

	heading(p, "What the library returned");
	if (is_reduced(p->f))
		findings_say_numbers(p->out, p->evidence, "reduced_numbers", p->columns);
	say(p, is_reduced(p->f) ? "in the model as it was found: %s" : "%s", detail);
	show_came(p, json_object_get(p->evidence, is_reduced(p->f) ? "reduced_came" : "came"),
		  is_reduced(p->f) ? &p->f->reduced_expected : &p->f->expected);
}

static void show_sides(const struct show_page *p)
{
	struct buf oracle;

	say(p,
	    "Two ways to compute the same inside one library must agree, up to what rounding of the inputs does to the "
	    "results; a: %s, b: %s.",
	    evidence_string(p->evidence, "a"), evidence_string(p->evidence, "b"));
	buf_init(&oracle, MAX_TEXT);
	evidence_put_oracle(p->evidence, &oracle);
	if (oracle.len)
		say(p, "Decided by %s.", oracle.data);
	buf_release(&oracle);
}

/* Which rule of ONNX the model breaks; "": none. */
static const char *broken_rule(const struct show_page *p)
{
	const json_t *small = json_object_get(json_object_get(p->evidence, "reduced_blame"), "rule");

	return json_text_at(small ? small : evidence_find(p->evidence, "rule"), "why");
}

static void show_truth(const struct show_page *p)
{
	static const char reference[] = "the reference computes every node in double precision, as the ONNX "
					"specification defines it";
	const struct finding *f = p->f;
	const struct bytes *expected = is_reduced(f) ? &f->reduced_expected : &f->expected;

	heading(p, "What is expected, and why");
	if (finding_is_call(f))
		show_sides(p);
	else if (f->verdict == VERDICT_OURS || f->verdict == VERDICT_UNPROVEN)
		say(p, "Nothing is said against the library: it was told this case by calls of its own, and %s.",
		    json_text_at(json_object_get(p->evidence, "proof"), "why"));
	else if (*broken_rule(p))
		say(p,
		    "The model is invalid: %s.  A library must refuse it: it gives no results, and its process goes "
		    "on.",
		    broken_rule(p));
	else if (f->verdict == VERDICT_ACCEPTED)
		say(p, "The model is invalid: %s, and refuses it.  A library must not give results for it.", reference);
	else if (f->verdict == VERDICT_FLAKY)
		say(p, "The same model with the same inputs must give the same result: in the same process, in a fresh "
		       "one, and with other contents of fresh memory.");
	else if (verdict_is_of_numbers(f->verdict))
		say(p,
		    "The expected numbers are known: %s.  Runs with random roundings in every node show how far "
		    "rounding "
		    "alone may move each element: its rounding noise.",
		    reference);
	else if (!expected->n)
		say(p, "The reference gives no results for the model.  A library may refuse it too, but its process "
		       "must go on.");
	else
		say(p, "The model is valid: %s, and runs it.", reference);
	show_tensors(p, f->gradient ? "expected outputs (of the forward run)" : "expected outputs", expected);
}

/* A library that reads no ONNX is blamed for one of its own calls. */
static void show_call(const struct show_page *p)
{
	const json_t *proof = json_object_get(p->evidence, "proof");

	if (!*json_text_at(proof, "call"))
		return;
	heading(p, "The call");
	say(p, "%s", json_text_at(proof, "call"));
	say(p, "call %lld of %lld that the case takes: %s",
	    (long long)json_integer_value(json_object_get(proof, "number")),
	    (long long)json_integer_value(json_object_get(proof, "calls")), json_text_at(proof, "why"));
}

static void show_distance(const struct show_page *p)
{
	char ratio[32];

	if (p->f->verdict != VERDICT_WRONG && p->f->verdict != VERDICT_NAN)
		return;
	heading(p, "How far beyond rounding");
	if (isinf(p->f->noise_ratio))
		say(p, "No rounding explains it.");
	else if (isnan(p->f->noise_ratio))
		say(p, "Not measured.");
	else if (p->f->noise_ratio <= JUDGE_LIMIT)
		say(p, "%s times the rounding noise, which rounding explains: another measure calls it wrong.",
		    terminal_ratio(p->f->noise_ratio, ratio, sizeof ratio));
	else
		say(p, "%s times the rounding noise; correct libraries stay below %g.",
		    terminal_ratio(p->f->noise_ratio, ratio, sizeof ratio), JUDGE_LIMIT);
}

/* ---- where, since when, how to see it ---------------------------------------------------------------------------- */

static void show_place(const struct show_page *p)
{
	const struct finding *f = p->f;

	heading(p, "Where");
	if (finding_is_call(f))
		say(p, "operation %s", PLAIN(f->op));
	else if (*f->op || *f->node)
		say(p, "node '%s'%s%s%s%s%s", PLAIN(f->node), *f->op ? ", operator " : "", PLAIN(f->op),
		    *f->parameter ? ", parameter '" : "", PLAIN(f->parameter), *f->parameter ? "'" : "");
	else if (json_array_size(evidence_find(p->evidence, "together")))
		findings_say_together(p->out, evidence_find(p->evidence, "together"), p->columns);
	else
		say(p, "No single node is blamed.");
	findings_say_evidence(p->out, p->evidence, p->columns);
	if (*evidence_string(p->evidence, "guilty"))
		say(p, "The library's own switch that is sufficient to make it right: %s",
		    evidence_string(p->evidence, "guilty"));
}

static void show_versions(const struct show_page *p)
{
	const struct finding *f = p->f;

	heading(p, "Since when");
	if (*f->since)
		say(p, "The first version that does so is %s %s.", f->library, f->since);
	if (*f->until)
		say(p, "It is right again from %s %s on.", f->library, f->until);
	if (finding_is_call(f))
		say(p, "Seen in %s %s.", f->library, f->version);
	else if (!*f->since && !*f->until)
		say(p, "Seen in %s %s; 'assay bisect %lld' finds the first version.", f->library, f->version,
		    (long long)f->id);
}

static void show_repro(const struct show_page *p)
{
	struct buf repro;

	buf_init(&repro, MAX_TEXT);
	finding_repro(p->f, p->store, &repro);
	heading(p, "See it yourself");
	say(p, "repro: %s", repro.data ? repro.data : "");
	buf_clear(&repro);
	finding_command(p->f, p->store, "findings export", &repro);
	say(p, "%s writes a folder for the library's maintainers: %sinputs, %sa program that shows it.",
	    repro.data ? repro.data : "", finding_is_call(p->f) ? "" : "model, ",
	    finding_is_call(p->f) ? "" : "expected outputs, ");
	buf_release(&repro);
}

static void show_page(const struct show_page *p)
{
	show_title(p);
	show_run(p);
	show_result(p);
	show_truth(p);
	show_call(p);
	show_distance(p);
	show_place(p);
	show_versions(p);
	show_repro(p);
}

/* ---- the subcommand ---------------------------------------------------------------------------------------------- */

struct relatives {
	const struct finding *f;
	int64_t n;
};

static int count_relative(const struct finding *f, void *arg)
{
	struct relatives *r = arg;

	r->n += r->f->cluster && f->cluster == r->f->cluster && f->id != r->f->id;
	return 0;
}

static int print_text(FILE *out, struct store *s, const struct finding *f, struct err *e)
{
	struct show_page p = {.out = out, .columns = terminal_columns(out), .f = f, .store = s};
	struct relatives r = {f, 0};
	int rc = store_each(s, NULL, count_relative, &r, e);

	if (rc)
		return rc;
	p.relatives = r.n;
	p.evidence = evidence_parse(f->evidence);
	show_page(&p);
	json_decref(p.evidence);
	return 0;
}

int findings_show(struct cli *c, const struct texts *words, void *options, struct err *e)
{
	const struct findings_options *o = options;
	struct store *s;
	struct finding f;
	int rc = findings_find(o, words, &s, &f, e);

	if (!rc)
		rc = o->json ? cli_print_json(c->out, finding_json(&f, s)) : print_text(c->out, s, &f, e);
	finding_release(&f);
	store_close(s);
	return rc;
}
