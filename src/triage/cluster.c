/* cluster.c - which findings are probably one defect.
 *
 * Findings that name their cause (cause.h) never belong to those that name another.  Refusals of one cause belong
 * together: their words or their place tell them apart, and what a pass of the optimizer spoils may have any operator
 * at its end.  Of other findings a cause says too little, for one switch turns on many passes and one pass knows many
 * operators: those of one cause belong together when they blame one operator, or when no operator is blamed alone and
 * most of their operators are the same.
 *
 * Findings that first failed in different versions (bisect) are different defects, whatever else is the same.
 *
 * Of the findings that name no cause, those with one signature belong together.  Signatures are joined when they
 * tell of the same library and kind and the words (operators, attributes) of one's reduced case are all in the other's:
 * what fails with few conditions explains what fails with these and more.  A signature joins the cluster whose smallest
 * case fits it best, by that case and not by what joined it before: so {Relu} takes {Conv, Relu} in, but two unrelated
 * cases never meet through a third that happens to contain both.  Numbers of attributes do not count, and of a case
 * that is not computed at all no value does: LRN with size 3 and with size 5 is one condition.  Refusals that say the
 * same of the same operator belong together whatever stands around it, and a pass of the optimizer that fails is never
 * explained by an operator that is refused.
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
	const char *cause; /* with library and kind; "": none is named */
	const char *since; /* the first version that fails, "" while it is not known; of a head: also by who joined */
	enum verdict verdict;
	int gradient;
	size_t index;
	struct entry best;
	struct words words;         /* of the best one's reduced case; empty: it has none */
	struct words ops;           /* the same, operators alone */
	char complaint[32];         /* of a refusal: what it ends with */
	int in_pass;                /* of a refusal: a pass of the optimizer failed */
	struct cluster_group *head; /* the group whose cluster it belongs to; itself when it begins one */
	struct entry *found;        /* of a head: the best of the cluster … */
	int64_t oldest;             /* … and the smallest id in it */
};

struct clustering {
	struct store *store;
	struct err *e;
	struct arena arena;
	struct map by_key;
	VEC(struct cluster_group *) groups;
	VEC(struct entry) entries;
};

static void release(struct clustering *c)
{
	for (size_t i = 0; i < c->groups.n; i++) {
		words_release(&c->groups.at[i]->words);
		words_release(&c->groups.at[i]->ops);
	}
	vec_release(&c->groups);
	vec_release(&c->entries);
	map_release(&c->by_key);
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

/* The cause with its library and kind; nothing where the finding names none. */
static void put_cause(const struct finding *f, struct buf *out)
{
	size_t before;

	if (!*f->signature)
		return;
	buf_printf(out, "%s/%s%s/", f->library,
		   verdict_name(cause_same_kind(f->verdict, VERDICT_WRONG) ? VERDICT_WRONG : f->verdict),
		   f->gradient ? "-gradient" : "");
	before = out->len;
	cause_put(f, out);
	if (out->len == before)
		buf_clear(out);
}

/* What the findings of one group have in common. */
static void put_key(const struct finding *f, const char *cause, struct buf *key)
{
	if (!*f->signature) /* not signed: alone */
		buf_printf(key, "#%lld", (long long)f->id);
	else if (*cause && f->verdict == VERDICT_REJECTED)
		buf_puts(key, cause);
	else
		buf_printf(key, "%s\n%s", cause, f->signature);
	buf_printf(key, "\n%s", f->since);
}

static struct cluster_group *new_group(struct clustering *c, const struct finding *f, const char *cause)
{
	struct cluster_group *g = arena_zalloc(&c->arena, sizeof *g);

	if (!g)
		return NULL;
	g->cause = arena_strdup(&c->arena, cause);
	g->signature = arena_strdup(&c->arena, f->signature);
	g->op = arena_strdup(&c->arena, f->op);
	g->since = arena_strdup(&c->arena, f->since);
	g->verdict = f->verdict;
	g->gradient = f->gradient;
	g->index = c->groups.n;
	return g->cause && g->signature && g->op && g->since && !vec_push(&c->groups, g) ? g : NULL;
}

static struct cluster_group *group_of(struct clustering *c, const struct finding *f)
{
	struct cluster_group *g = NULL;
	struct buf cause, key;
	const char *kept;

	buf_init(&cause, MAX_KEY);
	buf_init(&key, MAX_KEY);
	put_cause(f, &cause);
	put_key(f, cause.len ? cause.data : "", &key);
	if (!cause.failed && !key.failed) {
		g = map_get(&c->by_key, key.data);
		kept = g ? NULL : arena_strdup(&c->arena, key.data);
		if (kept)
			g = new_group(c, f, cause.len ? cause.data : "");
		if (kept && g && map_put(&c->by_key, kept, g))
			g = NULL;
	}
	buf_release(&cause);
	buf_release(&key);
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
		words_add(&g->ops, "%s", op);
		snprintf(prefix, sizeof prefix, "%s.", op);
		rc = traits_add_attrs(&full, n, prefix, e);
	}
	for (size_t i = 0; i < full.n; i++)
		add_word(&g->words, full.at[i], any_value);
	g->words.failed |= full.failed;
	words_sort(&g->words);
	words_sort(&g->ops);
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

static int is_blamed_apart(const struct cluster_group *a, const struct cluster_group *b)
{
	return *a->op && *b->op && strcmp(a->op, b->op) != 0;
}

/* More than half of the operators of both are in both; or one has no more than those of the other. */
static int have_like_operators(const struct words *a, const struct words *b)
{
	size_t common = 0;

	for (size_t i = 0; i < a->n; i++)
		common += (size_t)words_has(b, a->at[i]);
	return common && (2 * common > a->n + b->n - common || common == a->n || common == b->n);
}

/* Of two groups of one cause: whether they are about the same operators. */
static int is_same_cause(const struct cluster_group *head, const struct cluster_group *g)
{
	if (strcmp(head->cause, g->cause) != 0)
		return 0;
	if (g->verdict == VERDICT_REJECTED)
		return 1;
	return !is_blamed_apart(head, g) && (!strcmp(head->signature, g->signature) || (*head->op && *g->op) ||
					     have_like_operators(&head->ops, &g->ops));
}

/* Whether the case of `head` explains the one of g. */
static int explains(const struct cluster_group *head, const struct cluster_group *g)
{
	if (*head->since && *g->since && strcmp(head->since, g->since) != 0)
		return 0;
	if (*head->cause && *g->cause)
		return is_same_cause(head, g);
	if (*g->cause)
		return 0;
	if (*g->signature && !strcmp(head->signature, g->signature))
		return 1;
	if (!head->words.n || !g->words.n || !cause_same_kind(head->verdict, g->verdict) ||
	    head->gradient != g->gradient || !same_library(head->signature, g->signature))
		return 0;
	if (*head->op && *head->complaint && !strcmp(head->op, g->op) && !strcmp(head->complaint, g->complaint))
		return 1;
	if (is_blamed_apart(head, g) || head->in_pass != g->in_pass)
		return 0;
	return words_within(&head->words, &g->words);
}

/* Known causes first, then cases with few words: they are the ones to explain the others. */
static int by_words(const void *a, const void *b)
{
	const struct cluster_group *x = *(struct cluster_group *const *)a, *y = *(struct cluster_group *const *)b;

	if (!*x->cause != !*y->cause)
		return *x->cause ? -1 : 1;
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
		if (!*g->head->since)
			g->head->since = g->since;
		heads += g->head == g;
		g->found = &g->best;
	}
	for (size_t i = 0; i < n; i++)
		if (is_better(&sorted[i]->best, sorted[i]->head->found))
			sorted[i]->head->found = &sorted[i]->best;
	return heads;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Whom each cluster is owed to: the part of the store that has its oldest finding. */
static void count_parts(struct clustering *c, struct cluster_part *parts, size_t n_parts)
{
	for (size_t i = 0; i < c->entries.n; i++) {
		struct cluster_group *head = c->groups.at[c->entries.at[i].group]->head;

		if (!head->oldest || c->entries.at[i].id < head->oldest)
			head->oldest = c->entries.at[i].id;
	}
	for (size_t i = 0; i < c->groups.n; i++) {
		const struct cluster_group *g = c->groups.at[i];
		size_t k = n_parts && g->head == g && parts[0].after < g->oldest ? n_parts : 0;

		while (k && parts[k - 1].after >= g->oldest)
			k--;
		if (k)
			parts[k - 1].clusters++;
	}
}

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

int cluster_parts(struct store *s, struct cluster_part *parts, size_t n_parts, size_t *n_clusters, struct err *e)
{
	struct clustering c = {.store = s, .e = e};
	int rc = store_each(s, NULL, gather, &c, e);

	if (!rc)
		rc = make_clusters(&c, n_clusters, e);
	for (size_t i = 0; i < n_parts; i++)
		parts[i].clusters = 0;
	if (!rc)
		count_parts(&c, parts, n_parts);
	release(&c);
	return rc;
}

int cluster_all(struct store *s, size_t *n_clusters, struct err *e)
{
	return cluster_parts(s, NULL, 0, n_clusters, e);
}
