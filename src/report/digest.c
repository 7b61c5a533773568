/* digest.c - see digest.h. */
#include "report/digest.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "report/finding.h"
#include "report/text.h"
#include "worker/parent/spec.h"

#define MAX_COMMAND 65536

int digest_next_verdict(int v)
{
	for (v++; v <= (int)VERDICT_ACCEPTED; v++)
		if (verdict_is_finding((enum verdict)v))
			return v;
	return -1;
}

const char *digest_op(const struct digest_cluster *c)
{
	return *c->best.op ? c->best.op : c->ops && *c->ops ? c->ops : "(unknown)";
}

const char *digest_ratio(double ratio, enum verdict v, char out[32])
{
	if (isfinite(ratio))
		return text_number(ratio, out);
	return verdict_is_of_numbers(v) ? "inf" : "";
}

struct digest_gathering {
	struct digest *d;
	const struct store *store;
	struct map by_key; /* of a cluster -> 1 + its index */
	struct err *e;
};

/* ---- findings into clusters -------------------------------------------------------------------------------------- */

/* Fields that are strings, so that copying them is a loop. */
static const size_t strings[] = {
	offsetof(struct finding, method),    offsetof(struct finding, backend),   offsetof(struct finding, library),
	offsetof(struct finding, version),   offsetof(struct finding, op),        offsetof(struct finding, node),
	offsetof(struct finding, parameter), offsetof(struct finding, signature), offsetof(struct finding, detail),
	offsetof(struct finding, evidence),  offsetof(struct finding, command),   offsetof(struct finding, since),
	offsetof(struct finding, until),
};

static int copy_finding(struct digest *d, const struct finding *f, struct finding *out)
{
	const struct bytes none = {NULL, 0};

	*out = *f;
	out->arena = NULL;
	out->model = out->inputs = out->expected = none;
	out->reduced_model = out->reduced_inputs = out->reduced_expected = none;
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
		const char **to = (const char **)((char *)out + strings[i]);

		*to = arena_strdup(&d->arena, *to ? *to : "");
		if (!*to)
			return -1;
	}
	return 0;
}

/* The example that stands for a cluster: the one that its number names, else the smallest and then the clearest. */
static int is_better(const struct finding *a, const struct finding *b)
{
	if (a->cluster && (a->id == a->cluster) != (b->id == b->cluster))
		return a->id == a->cluster;
	if (a->nodes != b->nodes)
		return a->nodes < b->nodes;
	return a->noise_ratio > b->noise_ratio;
}

/* The cluster of a finding; one that was not clustered yet goes by its signature, or stands alone. */
static struct digest_cluster *cluster_of(struct digest_gathering *g, const struct finding *f, int *fresh)
{
	const char *key;
	size_t found;

	if (f->cluster)
		key = arena_printf(&g->d->arena, "c%d", f->cluster);
	else if (*f->signature)
		key = arena_printf(&g->d->arena, "s%s", f->signature);
	else
		key = arena_printf(&g->d->arena, "f%lld", (long long)f->id);
	if (!key)
		return NULL;
	found = (size_t)map_get(&g->by_key, key);
	*fresh = !found;
	if (!found) {
		const struct digest_cluster empty = {.findings = VEC_INIT};

		if (vec_push(&g->d->clusters, empty) || map_put(&g->by_key, key, (void *)g->d->clusters.n))
			return NULL;
		found = g->d->clusters.n;
	}
	return &g->d->clusters.at[found - 1];
}

/* "Add+Mul" of "library/Add+Mul/wrong/…": where no single node is blamed the signature has the operators. */
static int copy_ops(struct digest *d, struct digest_cluster *c)
{
	const char *begin = strchr(c->best.signature, '/');
	size_t n = begin ? strcspn(begin + 1, "/") : 0;

	c->ops = arena_strndup(&d->arena, begin ? begin + 1 : "", n);
	return c->ops ? 0 : -1;
}

static const char *repro_of(struct digest_gathering *g, const struct finding *f)
{
	struct buf text;
	const char *own;

	buf_init(&text, MAX_COMMAND);
	finding_repro(f, g->store, &text);
	own = arena_strdup(&g->d->arena, text.data && !text.failed ? text.data : "");
	buf_release(&text);
	return own;
}

const char *digest_repro(const struct digest_cluster *c, int64_t id)
{
	for (size_t i = 0; i < c->findings.n; i++)
		if (c->findings.at[i].id == id)
			return c->findings.at[i].repro;
	return "";
}

static int add_finding(const struct finding *f, void *arg)
{
	struct digest_gathering *g = arg;
	struct digest *d = g->d;
	struct digest_finding row = {.id = f->id, .noise_ratio = f->noise_ratio, .nodes = f->nodes};
	struct digest_cluster *c;
	int fresh = 0;

	if (!verdict_is_finding(f->verdict) && f->verdict != VERDICT_FLAKY) /* a defect of our own */
		return 0;
	c = cluster_of(g, f, &fresh);
	row.backend = arena_strdup(&d->arena, f->backend);
	row.version = arena_strdup(&d->arena, f->version);
	row.method = arena_strdup(&d->arena, f->method);
	row.repro = repro_of(g, f);
	if (!row.repro || !c || !row.backend || !row.version || !row.method || vec_push(&c->findings, row))
		return err_nomem(g->e, "a report", 0);
	if ((fresh || is_better(f, &c->best)) && (copy_finding(d, f, &c->best) || copy_ops(d, c)))
		return err_nomem(g->e, "a report", 0);
	d->findings++;
	d->last = f->time > d->last ? f->time : d->last;
	return 0;
}

static int add_campaign(const struct campaign *c, void *arg)
{
	struct digest *d = ((struct digest_gathering *)arg)->d;

	d->campaigns++;
	d->cases += c->cases;
	d->seconds += c->seconds;
	return 0;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int by_weight(const void *x, const void *y)
{
	const struct finding *a = &((const struct digest_cluster *)x)->best,
			     *b = &((const struct digest_cluster *)y)->best;

	if (a->verdict != b->verdict)
		return a->verdict < b->verdict ? -1 : 1;
	if (a->noise_ratio != b->noise_ratio)
		return a->noise_ratio > b->noise_ratio ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static int by_use(const void *x, const void *y)
{
	size_t a = ((const struct digest_cluster *)x)->use.nodes, b = ((const struct digest_cluster *)y)->use.nodes;

	return a != b ? (a > b ? -1 : 1) : by_weight(x, y);
}

void digest_rank(struct digest *d, const struct usage *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < d->clusters.n; i++)
		d->clusters.at[i].use = usage_of_signature(u, d->clusters.at[i].best.signature);
	if (d->clusters.n)
		qsort(d->clusters.at, d->clusters.n, sizeof *d->clusters.at, by_use);
	d->ranked = 1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct ranked {
	const char *op;
	size_t n;
};

static int by_count(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	return a->n != b->n ? (a->n < b->n ? 1 : -1) : strcmp(a->op, b->op);
}

/* Libraries by name, operators by how many findings they have. */
static int list_names(struct digest *d, struct err *e)
{
	struct map libraries = MAP_INIT, ops = MAP_INIT;
	VEC(struct ranked) ranked = VEC_INIT;
	int failed = 0;

	for (size_t i = 0; i < d->clusters.n && !failed; i++) {
		const struct digest_cluster *c = &d->clusters.at[i];
		const char *op = digest_op(c), *library = c->best.library;

		if (!map_get(&libraries, library))
			failed |= map_put(&libraries, library, d) || vec_push(&d->libraries, library);
		if (!map_get(&ops, op)) {
			const struct ranked r = {op, digest_count(d, NULL, op, -1)};

			failed |= map_put(&ops, op, d) || vec_push(&ranked, r);
		}
	}
	if (d->libraries.n)
		qsort(d->libraries.at, d->libraries.n, sizeof *d->libraries.at, by_name);
	if (ranked.n)
		qsort(ranked.at, ranked.n, sizeof *ranked.at, by_count);
	for (size_t i = 0; i < ranked.n && !failed; i++)
		failed |= vec_push(&d->ops, ranked.at[i].op);
	vec_release(&ranked);
	map_release(&libraries);
	map_release(&ops);
	return failed ? err_nomem(e, "a report", 0) : 0;
}

size_t digest_count(const struct digest *d, const char *library, const char *op, int verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < d->clusters.n; i++) {
		const struct digest_cluster *c = &d->clusters.at[i];

		if ((!library || !strcmp(library, c->best.library)) && (!op || !strcmp(op, digest_op(c))) &&
		    (verdict < 0 || verdict == (int)c->best.verdict))
			n += c->findings.n;
	}
	return n;
}

/* ---- what was judged --------------------------------------------------------------------------------------------- */

static int add_tally(const struct store_tally *t, void *arg)
{
	struct digest_gathering *g = arg;
	struct arena *a = &g->d->arena;
	struct store_tally own = *t;

	own.method = arena_strdup(a, t->method);
	own.model = arena_strdup(a, t->model);
	own.backend = arena_strdup(a, t->backend);
	own.verdict = arena_strdup(a, t->verdict);
	own.note = arena_strdup(a, t->note);
	if (!own.method || !own.model || !own.backend || !own.verdict || !own.note || vec_push(&g->d->tallies, own))
		return err_nomem(g->e, "a report", 0);
	return 0;
}

struct tally_row *digest_rows(const struct digest *d, size_t *n)
{
	struct tally_row *rows = mem_array(d->tallies.n + 1, sizeof *rows);

	*n = 0;
	for (size_t i = 0; rows && i < d->tallies.n; i++) {
		const struct store_tally *t = &d->tallies.at[i];
		size_t k = 0;

		while (k < *n && strcmp(rows[k].backend, t->backend) != 0)
			k++;
		if (k == *n)
			rows[(*n)++] = (struct tally_row){.backend = t->backend};
		tally_add(&rows[k].tally, &t->tally);
	}
	return rows;
}

void digest_why_hollow(const struct store_tally *t, struct buf *out)
{
	const struct tally_row row = {SHOWN_AS(t->backend), t->tally};

	tally_warning(&row, out);
	if (*t->note)
		buf_printf(out, "; %s", t->note);
}

int digest_make(struct store *s, struct digest *out, struct err *e)
{
	struct digest d = {.arena = ARENA_INIT};
	struct digest_gathering g = {.d = &d, .store = s, .by_key = MAP_INIT, .e = e};
	const struct store_filter all = {0};
	int rc = store_each(s, &all, add_finding, &g, e);

	if (!rc)
		rc = store_each_campaign(s, add_campaign, &g, e);
	if (!rc)
		rc = store_each_tally(s, add_tally, &g, e);
	if (!rc && d.clusters.n)
		qsort(d.clusters.at, d.clusters.n, sizeof *d.clusters.at, by_weight);
	if (!rc)
		rc = list_names(&d, e);
	map_release(&g.by_key);
	if (rc)
		digest_release(&d);
	else
		*out = d;
	return rc;
}

void digest_release(struct digest *d)
{
	for (size_t i = 0; i < d->clusters.n; i++)
		vec_release(&d->clusters.at[i].findings);
	vec_release(&d->clusters);
	vec_release(&d->libraries);
	vec_release(&d->ops);
	vec_release(&d->tallies);
	arena_release(&d->arena);
}
