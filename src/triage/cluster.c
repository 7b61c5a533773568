/* cluster.c - which findings are probably one defect.
 *
 * Findings that name their cause (cause.h) belong to those that name the same, and never to those that name another:
 * the case that a pass of the optimizer spoils, or that a check in the library refuses, may have any operator at its
 * end.
 *
 * Of the others, findings with one signature belong together.  Signatures are joined when they tell of the same library
 * and kind and the words (operators, attributes) of one's reduced case are all in the other's: what fails with few
 * conditions explains what fails with these and more.  A signature joins the cluster whose smallest case fits it best,
 * by that case and not by what joined it before: so {Relu} takes {Conv, Relu} in, but two unrelated cases never meet
 * through a third that happens to contain both.  Numbers of attributes do not count, and of a case that is not computed
 * at all no value does: LRN with size 3 and with size 5 is one condition.  Refusals that say the same of the same
 * operator belong together whatever stands around it, and a pass of the optimizer that fails is never explained by an
 * operator that is refused.
 *
 * bench_clusters measures all this on findings whose causes were looked up by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "triage/cause.h"
#include "triage/traits.h"
#include "triage/triage.h"

#define OP_NAME 160
#define MAX_KEY 65536

/* A finding, as far as clusters look at it. */
struct entry {
	int64_t id, cluster;
	size_t group;
	int nodes, confirmed;
	double ratio;
};

/* The findings of one signature, or of one cause. */
struct cluster_group {
	const char *signature, *op;
	enum verdict verdict;
	int gradient, by_cause;
	size_t index;
	struct entry best;
	struct words words;         /* of the best one's reduced case; empty: it has none */
	char complaint[32];         /* of a refusal: what it ends with */
	int in_pass;                /* of a refusal: a pass of the optimizer failed */
	struct cluster_group *head; /* the group whose cluster it belongs to; itself when it begins one */
	struct entry *found;        /* of a head: the best of the cluster */
};

struct clustering {
	struct store *store;
	struct err *e;
	struct arena arena;
	struct map by_signature;
	VEC(struct cluster_group *) groups;
	VEC(struct entry) entries;
};

static void release(struct clustering *c)
{
	for (size_t i = 0; i < c->groups.n; i++)
		words_release(&c->groups.at[i]->words);
	vec_release(&c->groups);
	vec_release(&c->entries);
	map_release(&c->by_signature);
	arena_release(&c->arena);
}

/* Confirmed before flaky, few nodes before many, a large ratio before a small one, then the older. */
static int is_better(const struct entry *a, const struct entry *b)
{
	if (a->confirmed != b->confirmed)
		return a->confirmed;
	if (a->nodes != b->nodes)
		return a->nodes < b->nodes;
	if (a->ratio > b->ratio || a->ratio < b->ratio)
		return a->ratio > b->ratio;
	return a->id < b->id;
}

/* ---- gathering --------------------------------------------------------------------------------------------------- */

/* What the findings of one group have in common. */
static int put_key(const struct finding *f, struct buf *key)
{
	size_t before;

	if (!*f->signature) { /* not signed: alone */
		buf_printf(key, "#%lld", (long long)f->id);
		return 0;
	}
	buf_printf(key, "%s/%s%s/", f->library,
		   verdict_name(cause_same_kind(f->verdict, VERDICT_WRONG) ? VERDICT_WRONG : f->verdict),
		   f->gradient ? "-gradient" : "");
	before = key->len;
	cause_put(f, key);
	if (key->len > before)
		return 1;
	buf_clear(key);
	buf_puts(key, f->signature);
	return 0;
}

static struct cluster_group *group_of(struct clustering *c, const struct finding *f)
{
	struct cluster_group *g;
	const char *key;
	struct buf text;
	int by_cause;

	buf_init(&text, MAX_KEY);
	by_cause = put_key(f, &text);
	key = text.data ? arena_strdup(&c->arena, text.data) : NULL;
	buf_release(&text);
	g = key ? map_get(&c->by_signature, key) : NULL;
	if (g || !key)
		return g;
	g = arena_zalloc(&c->arena, sizeof *g);
	if (!g)
		return NULL;
	g->by_cause = by_cause;
	g->signature = arena_strdup(&c->arena, f->signature);
	g->op = arena_strdup(&c->arena, f->op);
	g->verdict = f->verdict;
	g->gradient = f->gradient;
	g->index = c->groups.n;
	if (!g->signature || !g->op || map_put(&c->by_signature, key, g) || vec_push(&c->groups, g))
		return NULL;
	return g;
}

static int gather(const struct finding *f, void *arg)
{
	struct clustering *c = arg;
	struct cluster_group *g = group_of(c, f);
	struct entry entry = {
		.id = f->id,
		.cluster = f->cluster,
		.nodes = f->nodes,
		.confirmed = verdict_is_finding(f->verdict),
		.ratio = isnan(f->noise_ratio) ? 0 : f->noise_ratio,
	};

	if (!g)
		return err_nomem(c->e, "clusters", 0);
	entry.group = g->index;
	if (!g->best.id || is_better(&entry, &g->best))
		g->best = entry;
	return vec_push(&c->entries, entry) ? err_nomem(c->e, "clusters", 0) : 0;
}

/* "LRN.size=n" as "LRN.size", and "Resize.mode=cubic" as it is, unless no value counts. */
static void add_word(struct words *w, const char *word, int any_value)
{
	static const char *const numbers[] = {"0", "1", "-1", "n", "-n", "mixed"};
	const char *value = strchr(word, '=');
	int is_number = 0;

	for (size_t i = 0; value && i < sizeof numbers / sizeof *numbers; i++)
		is_number |= !strcmp(value + 1, numbers[i]);
	words_add(w, "%.*s", value && (is_number || any_value) ? (int)(value - word) : (int)strlen(word), word);
}

/* Operators and what their attributes say, over all nodes. */
static int add_words(struct cluster_group *g, const struct model *m, struct err *e)
{
	struct words full = {0};
	char op[OP_NAME], prefix[OP_NAME + 1];
	int rc = 0, any_value = !cause_same_kind(g->verdict, VERDICT_WRONG);

	for (size_t i = 0; i < m->graph->nodes.n && !rc; i++) {
		const struct node *n = m->graph->nodes.at[i];

		traits_op(n, op, sizeof op);
		words_add(&full, "%s", op);
		snprintf(prefix, sizeof prefix, "%s.", op);
		rc = traits_add_attrs(&full, n, prefix, e);
	}
	for (size_t i = 0; i < full.n; i++)
		add_word(&g->words, full.at[i], any_value);
	g->words.failed |= full.failed;
	words_sort(&g->words);
	words_release(&full);
	return rc;
}

struct cluster_reading {
	struct cluster_group *group;
	struct arena *arena;
	struct err *e;
};

/* A refusal names the operator that it is about; blame goes by which nodes must be there. */
static int read_op(const struct cluster_reading *r, const struct finding *f, const struct model *m)
{
	const struct node *named = cause_named_node(f, m->graph);
	char op[OP_NAME];

	cause_complaint(f, r->group->complaint, sizeof r->group->complaint);
	r->group->in_pass = cause_in_pass(f);
	if (named)
		r->group->op = arena_strdup(r->arena, traits_op(named, op, sizeof op));
	return r->group->op ? 0 : err_nomem(r->e, "clusters", 0);
}

/* The words of a reduced case.  A model that cannot be read leaves the signature alone in its cluster. */
static int read_words(const struct finding *f, void *arg)
{
	struct cluster_reading *r = arg;
	struct err ignored = ERR_INIT;
	struct model *m;
	int rc;

	if (!f->reduced_model.n || model_parse(f->reduced_model.p, f->reduced_model.n, "", &m, &ignored))
		return 0;
	rc = add_words(r->group, m, r->e);
	if (!rc)
		rc = read_op(r, f, m);
	model_free(m);
	return rc;
}

/* ---- joining ----------------------------------------------------------------------------------------------------- */

static int same_library(const char *a, const char *b)
{
	size_t n = strcspn(a, "/");

	return n == strcspn(b, "/") && !memcmp(a, b, n);
}

/* Whether the case of `head` explains the one of g. */
static int explains(const struct cluster_group *head, const struct cluster_group *g)
{
	if (!g->by_cause && *g->signature && !strcmp(head->signature, g->signature))
		return 1;
	if (g->by_cause || !head->words.n || !g->words.n || !cause_same_kind(head->verdict, g->verdict) ||
	    head->gradient != g->gradient || !same_library(head->signature, g->signature))
		return 0;
	if (*head->op && *head->complaint && !strcmp(head->op, g->op) && !strcmp(head->complaint, g->complaint))
		return 1;
	if ((*head->op && *g->op && strcmp(head->op, g->op) != 0) || head->in_pass != g->in_pass)
		return 0;
	return words_within(&head->words, &g->words);
}

/* Known causes first, then cases with few words: they are the ones to explain the others. */
static int by_words(const void *a, const void *b)
{
	const struct cluster_group *x = *(struct cluster_group *const *)a, *y = *(struct cluster_group *const *)b;

	if (x->by_cause != y->by_cause)
		return x->by_cause ? -1 : 1;
	if (x->words.n != y->words.n)
		return x->words.n < y->words.n ? -1 : 1;
	return x->best.id < y->best.id ? -1 : x->best.id > y->best.id;
}

static size_t join(struct cluster_group **sorted, size_t n)
{
	size_t heads = 0;

	for (size_t i = 0; i < n; i++) {
		struct cluster_group *g = sorted[i];

		g->head = g;
		for (size_t k = 0; k < i; k++) /* later heads have more words: they fit better */
			if (sorted[k]->head == sorted[k] && explains(sorted[k], g) &&
			    (g->head == g || sorted[k]->words.n > g->head->words.n))
				g->head = sorted[k];
		heads += g->head == g;
		g->found = &g->best;
	}
	for (size_t i = 0; i < n; i++)
		if (is_better(&sorted[i]->best, sorted[i]->head->found))
			sorted[i]->head->found = &sorted[i]->best;
	return heads;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int write_changes(struct clustering *c, struct cluster_group *const *groups, struct err *e)
{
	VEC(struct store_cluster) changes = VEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < c->entries.n && !rc; i++) {
		const struct entry *entry = &c->entries.at[i];
		struct store_cluster change = {entry->id, groups[entry->group]->head->found->id};

		if (change.cluster != entry->cluster && vec_push(&changes, change))
			rc = err_nomem(e, "clusters", 0);
	}
	if (!rc && changes.n)
		rc = store_set_clusters(c->store, changes.at, changes.n, e);
	vec_release(&changes);
	return rc;
}

static int make_clusters(struct clustering *c, size_t *n_clusters, struct err *e)
{
	size_t n = c->groups.n, heads;
	struct cluster_group **sorted = mem_array(n ? n : 1, sizeof *sorted);
	int rc = 0;

	if (!sorted)
		return err_nomem(e, "clusters", n * sizeof *sorted);
	for (size_t i = 0; i < n && !rc; i++) {
		const struct store_filter best = {.id = c->groups.at[i]->best.id, .with_bytes = STORE_REDUCED_BYTES};
		struct cluster_reading r = {c->groups.at[i], &c->arena, e};

		rc = store_each(c->store, &best, read_words, &r, e);
		sorted[i] = c->groups.at[i];
	}
	if (!rc) {
		qsort(sorted, n, sizeof *sorted, by_words);
		heads = join(sorted, n);
		rc = write_changes(c, c->groups.at, e);
		if (!rc && n_clusters)
			*n_clusters = heads;
	}
	mem_free(sorted);
	return rc;
}

int cluster_all(struct store *s, size_t *n_clusters, struct err *e)
{
	struct clustering c = {.store = s, .e = e};
	int rc = store_each(s, NULL, gather, &c, e);

	if (!rc)
		rc = make_clusters(&c, n_clusters, e);
	release(&c);
	return rc;
}
