/* survey.c - a model run by the reference: what each wire holds, then every chain of its nodes, counted.
 *
 * Nodes that depend on no input are no part of chains: they are constants of the nodes that read them. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "blame/cut.h"
#include "methods/extract/extract.h"
#include "tensor/stats.h"
#include "triage/traits.h"

#define MAX_KEY ((size_t)64 << 20)
#define MAX_WORD 64
#define STRING_BYTES 16 /* of a string, about */

/* What a wire held over all runs. */
struct wire_seen {
	struct type type; /* in the first run; kind VALUE_NONE: nothing was seen */
	size_t bytes;
	struct extract_range range;
};

struct chain_walk {
	struct extract *x;
	size_t model;
	const struct graph *g;
	unsigned char *kinds;   /* by wire id, as cut_kinds() has them */
	struct wire_seen *seen; /* by wire id */
	const char **heads;     /* by node index; NULL: no part of chains */
	struct node ***readers; /* by node index, up to NULL */
	int *numbers;           /* by wire id: number of what the chain at hand reads from outside, -1: none yet */
	struct wire **outside;  /* those wires, by number */
	size_t n_outside, chains;
	struct buf key;
	struct err *e;
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void note_tensor(struct wire_seen *s, const struct tensor *t)
{
	struct tensor_stats stats;
	struct extract_range r = {INFINITY, -INFINITY, 0, 0};

	tensor_stats(t, &stats);
	if (!isnan(stats.min))
		r = (struct extract_range){stats.min, stats.max, 0, 0};
	r.nan = stats.nan;
	r.infinite = stats.pos_inf + stats.neg_inf;
	extract_widen(&s->range, &r);
	if (s->type.kind != VALUE_NONE)
		return;
	type_set(&s->type, t->dtype, t->rank, t->dims);
	s->bytes = t->dtype == DT_STRING ? t->count * STRING_BYTES : dtype_packed_size(t->dtype, t->count);
}

static void note_value(struct wire_seen *s, const struct value *v)
{
	if (v->kind == VALUE_TENSOR) {
		note_tensor(s, v->tensor);
		return;
	}
	s->type.kind = v->kind;
	s->type.dtype = v->dtype;
	s->bytes = value_elements(v) * (v->dtype == DT_STRING ? STRING_BYTES : dtype_packed_size(v->dtype, 1));
}

static int observe(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		   void *arg)
{
	struct chain_walk *c = arg;

	(void)n, (void)out, (void)noise;
	note_value(&c->seen[w->id], v);
	return 0;
}

static int run_all(struct chain_walk *c, struct trial *t, const struct dataset *d, struct err *e)
{
	struct ref_options o = {.mode = REF_ROUNDED, .seed = t->seed, .observe = observe, .observe_arg = c};
	int rc = t->ref ? 0 : ref_open(t->model, &t->ref, e);

	for (size_t i = 0; i < c->g->wires.n && !rc; i++) {
		c->seen[i].range = (struct extract_range){INFINITY, -INFINITY, 0, 0};
		if (c->g->wires.at[i]->init)
			note_tensor(&c->seen[i], c->g->wires.at[i]->init);
	}
	for (size_t r = 0; r < d->n && !rc; r++) {
		struct ref_result result = {0};

		for (size_t i = 0; i < c->g->inputs.n; i++)
			if (d->runs[r][i])
				note_value(&c->seen[c->g->inputs.at[i]->id], d->runs[r][i]);
		rc = ref_run(t->ref, d->runs[r], c->g->inputs.n, &o, &result, e);
		ref_result_release(&result);
	}
	return rc;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static void put_type(struct chain_walk *c, const struct wire *w)
{
	buf_printf(&c->key, "%d:", c->numbers[w->id]);
	traits_type(&c->seen[w->id].type, &c->key);
}

/* A wire from outside gets the next number when it is read the first time. */
static void number_wire(struct chain_walk *c, struct wire *w)
{
	if (c->numbers[w->id] >= 0)
		return;
	c->numbers[w->id] = (int)c->n_outside;
	c->outside[c->n_outside++] = w;
}

struct reading {
	struct chain_walk *c;
	struct node *const *nodes;
	int before; /* nodes of the chain before the one that reads */
};

static void put_read(const struct reading *r, struct wire *w)
{
	for (int i = 0; w->producer && i < r->before; i++)
		if (r->nodes[i] == w->producer) {
			buf_printf(&r->c->key, "#%d.%d", i, w->producer_slot);
			return;
		}
	number_wire(r->c, w);
	put_type(r->c, w);
}

/* What an inner graph takes from outside stands behind the node's own inputs. */
static int put_capture(struct wire *w, void *arg)
{
	const struct reading *r = arg;
	const struct node *n = r->nodes[r->before];

	for (int i = 0; i < n->n_in; i++)
		if (n->in[i] == w)
			return 0;
	if (w->graph != r->c->g)
		return 0;
	buf_puts(&r->c->key, ",^");
	put_read(r, w);
	return 0;
}

/* Makes c->key and c->outside of a chain. */
static int make_key(struct chain_walk *c, struct node *const *nodes, int n)
{
	for (size_t i = 0; i < c->n_outside; i++)
		c->numbers[c->outside[i]->id] = -1;
	c->n_outside = 0;
	buf_clear(&c->key);
	for (int k = 0; k < n; k++) {
		struct reading r = {c, nodes, k};

		buf_printf(&c->key, "%s%s(", k ? "; " : "", c->heads[nodes[k]->index]);
		for (int i = 0; i < nodes[k]->n_in; i++) {
			buf_puts(&c->key, i ? "," : "");
			if (nodes[k]->in[i])
				put_read(&r, nodes[k]->in[i]);
			else
				buf_puts(&c->key, "-");
		}
		node_for_each_read(nodes[k], put_capture, &r);
		buf_puts(&c->key, ")");
	}
	return buf_check(&c->key, c->e);
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static struct extract_pattern *pattern_of(struct chain_walk *c, struct node *const *nodes, int n)
{
	if (make_key(c, nodes, n))
		return NULL;
	return extract_find(c->x, c->key.data, n, c->n_outside, c->e);
}

/* This chain is the smallest example so far. */
static int take_example(struct chain_walk *c, struct extract_pattern *p, struct node *const *nodes, size_t bytes)
{
	struct arena *a = &c->x->arena;
	char text[512];
	struct buf word;
	int rc = 0;

	p->model = c->model;
	p->bytes = bytes;
	for (int i = 0; i < p->n; i++)
		p->nodes[i] = nodes[i]->index;
	buf_init(&word, MAX_WORD);
	for (size_t i = 0; i < p->n_ports && !rc; i++) {
		const struct wire *w = c->outside[i];
		struct extract_port *port = &p->ports[i];

		buf_clear(&word);
		traits_type(&c->seen[w->id].type, &word);
		port->name = arena_strdup(a, w->name);
		port->type = arena_strdup(a, type_describe(&c->seen[w->id].type, c->g, text, sizeof text));
		port->word = arena_strdup(a, word.data ? word.data : "?");
		port->constant = c->kinds[w->id] == WIRE_CONSTANT;
		rc = port->name && port->type && port->word ? 0 : err_nomem(c->e, "an example", 0);
	}
	buf_release(&word);
	return rc;
}

/* Counts the chain whose key was made last. */
static int count_chain(struct chain_walk *c, struct extract_pattern *p, struct node *const *nodes)
{
	size_t bytes = 0;
	int rc = 0;

	for (size_t i = 0; i < c->n_outside; i++) {
		extract_widen(&p->ports[i].range, &c->seen[c->outside[i]->id].range);
		bytes += c->seen[c->outside[i]->id].bytes;
	}
	if (!p->count || bytes < p->bytes)
		rc = take_example(c, p, nodes, bytes);
	return rc ? rc : extract_count(p, c->model, c->e);
}

/* Counts nodes[0 … n-1] and all that go on behind it. */
static int walk_chains(struct chain_walk *c, struct node **nodes, int n, struct extract_pattern *prefix)
{
	struct extract_pattern *p;
	int rc = 0;

	if (c->chains++ >= EXTRACT_MAX_CHAINS) {
		c->x->models.at[c->model].chains_cut = 1;
		return 0;
	}
	p = pattern_of(c, nodes, n);
	if (p)
		rc = count_chain(c, p, nodes);
	if (p && !rc && n > 1 && !p->prefix) {
		p->prefix = prefix;
		p->suffix = pattern_of(c, nodes + 1, n - 1);
	}
	if (!p || (n > 1 && !p->suffix))
		return c->e->code;
	for (struct node **next = c->readers[nodes[n - 1]->index]; *next && n < c->x->o->chain && !rc; next++) {
		nodes[n] = *next;
		rc = walk_chains(c, nodes, n + 1, p);
	}
	return rc;
}

/* ---- who reads what a node makes --------------------------------------------------------------------------------- */

struct reader_count {
	const struct chain_walk *c;
	struct node *reader;
	size_t *n;   /* by node index */
	int writing; /* else they are counted only */
};

static int note_reader(struct wire *w, void *arg)
{
	const struct reader_count *r = arg;
	const struct node *from = w->graph == r->c->g ? w->producer : NULL;
	size_t k;

	if (!from || !r->c->heads[from->index])
		return 0;
	k = r->n[from->index]++;
	if (r->writing) {
		struct node **list = r->c->readers[from->index];

		if (k && list[k - 1] == r->reader)
			r->n[from->index]--;
		else
			list[k] = r->reader;
	}
	return 0;
}

static int find_readers(struct chain_walk *c, struct arena *a)
{
	struct reader_count r = {.c = c, .n = arena_array(a, c->g->nodes.n + 1, sizeof *r.n)};

	c->readers = arena_array(a, c->g->nodes.n + 1, sizeof *c->readers);
	for (r.writing = 0; r.n && c->readers && r.writing < 2; r.writing++) {
		for (size_t i = 0; i < c->g->nodes.n; i++) {
			r.reader = c->g->nodes.at[i];
			if (c->heads[i])
				node_for_each_read(r.reader, note_reader, &r);
		}
		for (size_t i = 0; i < c->g->nodes.n && !r.writing; i++) {
			c->readers[i] = arena_array(a, r.n[i] + 1, sizeof **c->readers);
			if (!c->readers[i])
				return err_nomem(c->e, "readers", r.n[i]);
			r.n[i] = 0;
		}
	}
	return r.n && c->readers ? 0 : err_nomem(c->e, "readers", c->g->nodes.n);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static int is_constant(const struct chain_walk *c, const struct node *n)
{
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && c->kinds[n->out[i]->id] != WIRE_CONSTANT)
			return 0;
	return 1;
}

static int make_heads(struct chain_walk *c, struct arena *a)
{
	for (size_t i = 0; i < c->g->nodes.n; i++)
		if (!is_constant(c, c->g->nodes.at[i]) && !(c->heads[i] = extract_head(a, c->g->nodes.at[i], c->e)))
			return c->e->code;
	return 0;
}

static int walk_model(struct chain_walk *c, struct trial *t, const struct dataset *d, struct arena *a)
{
	struct node *nodes[EXTRACT_MAX_CHAIN];
	size_t n = c->g->wires.n + 1;
	int rc;

	c->seen = arena_array(a, n, sizeof *c->seen);
	c->numbers = arena_array(a, n, sizeof *c->numbers);
	c->outside = arena_array(a, n, sizeof(struct wire *));
	c->heads = arena_array(a, c->g->nodes.n + 1, sizeof *c->heads);
	if (!c->seen || !c->numbers || !c->outside || !c->heads)
		return err_nomem(c->e, "a survey", n);
	memset(c->numbers, -1, n * sizeof *c->numbers);
	c->kinds = cut_kinds(t, c->e);
	rc = c->kinds ? run_all(c, t, d, c->e) : c->e->code;
	if (!rc)
		rc = make_heads(c, a);
	if (!rc)
		rc = find_readers(c, a);
	/* From the last node on, so that what is behind a chain's first node was counted before. */
	for (size_t i = c->g->nodes.n; i-- > 0 && !rc;) {
		nodes[0] = c->g->nodes.at[i];
		if (c->heads[i])
			rc = walk_chains(c, nodes, 1, NULL);
	}
	return rc;
}

int extract_survey(struct extract *x, size_t model, struct trial *t, const struct dataset *d, struct err *e)
{
	struct chain_walk c = {.x = x, .model = model, .g = t->model->graph, .e = e};
	struct arena a = ARENA_INIT;
	int rc;

	x->models.at[model].nodes = c.g->nodes.n;
	x->models.at[model].runs = d->n;
	buf_init(&c.key, MAX_KEY);
	rc = walk_model(&c, t, d, &a);
	buf_release(&c.key);
	mem_free(c.kinds);
	arena_release(&a);
	return rc;
}
