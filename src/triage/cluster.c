/* cluster.c - which findings are probably one defect.
 *
 * Findings with one signature belong together.  Signatures are joined when they tell of the same library and verdict
 * and the words (operators, attributes) of one's reduced case are all in the other's: what fails with few conditions
 * explains what fails with these and more.  A signature joins the cluster whose smallest case fits it best, by that
 * case and not by what joined it before: so {Relu} takes {Conv, Relu} in, but two unrelated cases never meet through a
 * third that happens to contain both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "triage/traits.h"
#include "triage/triage.h"

#define OP_NAME 160

/* A finding, as far as clusters look at it. */
struct entry {
	int64_t id, cluster;
	size_t group;
	int nodes, confirmed;
	double ratio;
};

/* The findings of one signature. */
struct cluster_group {
	const char *signature, *op;
	enum verdict verdict;
	int gradient;
	size_t index;
	struct entry best;
	struct words words;         /* of the best one's reduced case; empty: it has none */
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

static struct cluster_group *group_of(struct clustering *c, const struct finding *f)
{
	char own[32];
	const char *key = f->signature;
	struct cluster_group *g;

	if (!*key) { /* not signed: alone */
		snprintf(own, sizeof own, "#%lld", (long long)f->id);
		key = own;
	}
	g = map_get(&c->by_signature, key);
	if (g)
		return g;
	g = arena_zalloc(&c->arena, sizeof *g);
	if (!g)
		return NULL;
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

/* Operators and what their attributes say, over all nodes. */
static int add_words(struct words *w, const struct model *m, struct err *e)
{
	char op[OP_NAME], prefix[OP_NAME + 1];
	int rc = 0;

	for (size_t i = 0; i < m->graph->nodes.n && !rc; i++) {
		const struct node *n = m->graph->nodes.at[i];

		traits_op(n, op, sizeof op);
		words_add(w, "%s", op);
		snprintf(prefix, sizeof prefix, "%s.", op);
		rc = traits_add_attrs(w, n, prefix, e);
	}
	words_sort(w);
	return rc;
}

struct cluster_reading {
	struct cluster_group *group;
	struct err *e;
};

/* The words of a reduced case.  A model that cannot be read leaves the signature alone in its cluster. */
static int read_words(const struct finding *f, void *arg)
{
	struct cluster_reading *r = arg;
	struct err ignored = ERR_INIT;
	struct model *m;
	int rc;

	if (!f->reduced_model.n || model_parse(f->reduced_model.p, f->reduced_model.n, "", &m, &ignored))
		return 0;
	rc = add_words(&r->group->words, m, r->e);
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
	if (!head->words.n || !g->words.n || head->verdict != g->verdict || head->gradient != g->gradient ||
	    !same_library(head->signature, g->signature))
		return 0;
	if (*head->op && *g->op && strcmp(head->op, g->op) != 0)
		return 0;
	return words_within(&head->words, &g->words);
}

/* Cases with few words first: they are the ones to explain the others. */
static int by_words(const void *a, const void *b)
{
	const struct cluster_group *x = *(struct cluster_group *const *)a, *y = *(struct cluster_group *const *)b;

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
		struct cluster_reading r = {c->groups.at[i], e};

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
