/* known.c - see known.h.
 *
 * Refusals look alike when their messages do, as in the paper, and those that name a wire of the model when a node of
 * the same operator makes it: "output 'v2' is made by no node" has as many causes as there are nodes.  Wrong numbers
 * and crashes look alike when they are due to a node of an operator that was blamed before: such nodes are run alone,
 * fed with the reference's own tensors, which takes a run each.  Where none of them is guilty the operators at the
 * model's end stand for the structure.  An operator has more than one bug: of a node its element type and its
 * attributes count, too.  Models that are given another value for an input with a default are of one kind. */
#include "methods/fuzz/known.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "blame/blame.h"
#include "triage/reduction.h"
#include "triage/traits.h"

#define MAX_WORDS 160 /* letters of a message: what follows is about the model more than about the failure */

/* As a signature names a verdict. */
static const char *about(int gradient)
{
	return gradient ? "-gradient" : "";
}

static void op_key(const struct party *p, enum verdict v, int gradient, const char *op, char *out)
{
	snprintf(out, KNOWN_KEY, "%s|%s%s|%.200s", p->spec.name, verdict_name(v), about(gradient), op);
}

/* Adds the element type of a node's first input and its attributes that are no defaults, as far as they fit. */
static void add_traits(const struct node *n, char *key)
{
	struct words words = {0};
	struct buf text;
	struct err e = ERR_INIT; /* without memory the key says less */
	size_t used = strlen(key);

	buf_init(&text, KNOWN_KEY);
	if (n->n_in && n->in[0])
		words_add(&words, "%s", dtype_name(n->in[0]->type.dtype));
	if (!traits_add_attrs(&words, n, "", &e))
		words_join(&words, ",", &text);
	if (!text.failed && text.len)
		snprintf(key + used, KNOWN_KEY - used, "|%s", text.data);
	buf_release(&text);
	words_release(&words);
}

/* ---- a node alone ------------------------------------------------------------------------------------------------ */

/* A case on a library, and how it is judged. */
struct suspicion {
	struct trial *t;
	struct party *p;
	const struct judge_options *judge;
	int gradient; /* it is about the gradients */
};

/* *out: node n alone fails with the verdict that is expected.  It takes a run. */
static int is_guilty(const struct suspicion *s, const struct node *n, enum verdict expected, int *out, struct err *e)
{
	const struct blame_request r = {.trial = s->t, .accused = s->p, .gradient = s->gradient, .options = s->judge};
	enum verdict alone = VERDICT_VACUOUS;
	int rc = blame_verdict_alone(&r, n, &alone, e);

	*out = !rc && alone == expected;
	return rc;
}

/* The first node of an operator that was blamed before, and that fails in the same way alone. */
static int find_guilty(struct known *k, const struct suspicion *s, const struct outcome *o, char *key, int *found,
		       struct err *e)
{
	const struct graph *g = s->t->model->graph;
	char name[256]; /* as in a signature */
	int rc = 0;

	*found = 0;
	for (size_t i = 0; i < g->nodes.n && !rc && !*found; i++) {
		op_key(s->p, o->verdict, o->gradient, traits_op(g->nodes.at[i], name, sizeof name), key);
		if (map_get(&k->ops, key) && g->nodes.n == 1) /* it is alone, and was run */
			*found = 1;
		else if (map_get(&k->ops, key))
			rc = is_guilty(s, g->nodes.at[i], o->verdict, found, e);
		if (*found)
			add_traits(g->nodes.at[i], key);
	}
	return rc;
}

int known_quirk(struct trial *t, struct party *p, const struct judge_options *judge, struct outcome *o, struct err *e)
{
	const struct suspicion s = {.t = t, .p = p, .judge = judge};
	const struct graph *g = t->model->graph;
	int rc = 0, found = 0;

	if (!o->values || t->invalid || !verdict_is_finding(o->verdict))
		return 0;
	for (size_t i = 0; i < g->nodes.n && !rc && !found; i++)
		if (party_quirk(p, g->nodes.at[i], judge))
			rc = is_guilty(&s, g->nodes.at[i], VERDICT_UNSPECIFIED, &found, e);
	if (found)
		o->verdict = VERDICT_UNSPECIFIED;
	return rc;
}

/* ---- kinds of findings ------------------------------------------------------------------------------------------- */

/* Gradients are those of all outputs. */
const struct node *known_end(const struct trial *t, const struct outcome *o)
{
	const struct graph *g = t->model->graph;
	size_t worst = o->gradient ? 0 : o->worst;

	return worst < g->outputs.n ? g->outputs.at[worst]->producer : NULL;
}

static void structure_key(const struct trial *t, const struct party *p, const struct outcome *o, char *out)
{
	size_t n = (size_t)snprintf(out, KNOWN_KEY, "%s|%s%s|end", p->spec.name, verdict_name(o->verdict),
				    about(o->gradient));
	const struct node *last = known_end(t, o);

	for (int depth = 0; last && depth < 3 && n + 1 < KNOWN_KEY; depth++) {
		n += (size_t)snprintf(out + n, KNOWN_KEY - n, "|%s", last->op_type);
		last = last->n_in && last->in[0] ? last->in[0]->producer : NULL;
	}
}

void known_look(const struct trial *t, const struct party *p, const struct outcome *o, char *key)
{
	char words[MAX_WORDS];

	if (t->invalid) { /* the check that is missing */
		words_of(t->why.msg, words, sizeof words);
		snprintf(key, KNOWN_KEY, "%s|%s|%s", p->spec.name, verdict_name(o->verdict), words);
		return;
	}
	if (o->verdict != VERDICT_REJECTED) {
		structure_key(t, p, o, key);
		return;
	}
	outcome_words(o, words, sizeof words);
	snprintf(key, KNOWN_KEY, "%s|rejected|%s", p->spec.name, words);
}

const struct node *known_named_node(const struct graph *g, const char *message)
{
	char name[64];

	for (const char *p = message; *p;) {
		const struct wire *w;
		size_t n = 0;

		while (isalnum((unsigned char)p[n]) || p[n] == '_')
			n++;
		snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, p);
		w = *name ? graph_wire(g, name) : NULL;
		if (w && w->producer)
			return w->producer;
		p += n ? n : 1;
	}
	return NULL;
}

static void add_named_operator(const struct trial *t, const struct outcome *o, char *key)
{
	const struct node *n = known_named_node(t->model->graph, o->report.message);
	size_t used = strlen(key);

	if (n)
		snprintf(key + used, KNOWN_KEY - used, "|%.200s", n->op_type);
}

/* Whether an input with a default, an initializer of its name, is given another value. */
static int gives_default(const struct trial *t)
{
	const struct graph *g = t->model->graph;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (g->inputs.at[i]->init && t->inputs[i])
			return 1;
	return 0;
}

void known_look_closely(const struct trial *t, const struct party *p, const struct outcome *o, char *key)
{
	const struct node *end;

	known_look(t, p, o, key);
	if (t->invalid)
		return;
	if (o->verdict == VERDICT_REJECTED) {
		add_named_operator(t, o, key);
		return;
	}
	if (gives_default(t)) { /* what takes it for a constant is wrong whatever the operators are */
		snprintf(key, KNOWN_KEY, "%s|%s%s|default", p->spec.name, verdict_name(o->verdict), about(o->gradient));
		return;
	}
	end = known_end(t, o);
	if (end)
		add_traits(end, key);
}

static int make_key(struct known *k, struct trial *t, struct party *p, const struct outcome *o, char *key,
		    struct err *e)
{
	const struct suspicion s = {.t = t, .p = p, .judge = k->judge, .gradient = o->gradient};
	int found = 0, rc = 0;

	if (o->verdict != VERDICT_REJECTED && !t->invalid)
		rc = find_guilty(k, &s, o, key, &found, e);
	if (!rc && !found)
		known_look_closely(t, p, o, key);
	return rc;
}

static void pass(const struct known *k, const char *key, struct outcome *o)
{
	uintptr_t settled = (uintptr_t)map_get(&k->settled, key);

	if (settled)
		o->verdict = (enum verdict)settled;
}

void known_pass(const struct known *k, const struct trial *t, const struct party *p, struct outcome *o)
{
	char key[KNOWN_KEY];

	known_look_closely(t, p, o, key);
	pass(k, key, o);
}

int known_take(struct known *k, struct trial *t, struct party *p, struct outcome *o, uint64_t *look, int *take,
	       struct err *e)
{
	int rc = make_key(k, t, p, o, k->key, e);
	uint64_t now = rc ? 0 : hash_text(k->key);

	*take = !rc && *look == now;
	if (rc || *take)
		return rc;
	rc = kinds_take(&k->kinds, k->key, take, e);
	if (!rc && !*take)
		pass(k, k->key, o);
	*look = *take ? now : 0;
	return rc;
}

int known_settle(struct known *k, enum verdict v, struct err *e)
{
	uintptr_t settled = verdict_is_finding(v) ? 0 : (uintptr_t)v; /* the first verdict, agree, is never kept */

	return map_put(&k->settled, k->key, (void *)settled) ? err_nomem(e, "findings", 0) : 0;
}

int known_add(struct known *k, const struct party *p, enum verdict v, const char *signature, struct err *e)
{
	const char *op = strchr(signature, '/');
	char name[256], key[KNOWN_KEY];

	if (!op)
		return 0;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(op + 1, "/"), op + 1);
	op_key(p, v, strstr(signature, "-gradient/") != NULL, name, key);
	return map_put(&k->ops, key, k) ? err_nomem(e, "findings", 0) : 0;
}

void known_release(struct known *k)
{
	kinds_release(&k->kinds);
	map_release(&k->ops);
	map_release(&k->settled);
}
