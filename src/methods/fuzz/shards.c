/* shards.c - see shards.h.
 *
 * What all shards know is kept once a job, the base; what a shard covered since is beside it.  All shards of a job are
 * at the same round, or have made its case already, so that they come to a set round together. */
#include "methods/fuzz/shards.h"

#include "base/mem.h"
#include "base/vec.h"
#include "methods/fuzz/exchange.h"

#define STEP 8 /* set rounds are an eighth of all rounds so far apart … */
#define LAG 4  /* … and what was covered up to a quarter of them ago is known: as far may jobs be apart */

/* What a shard covered, that may not be in the base yet. */
struct own_item {
	int64_t index;
	struct coverage_item item;
};

struct own {
	VEC(struct own_item) items;
};

struct shards {
	int n, job, jobs;
	struct shard *all;                     /* by number; those of other jobs are empty */
	struct own *own;                       /* … */
	struct coverage *base;                 /* NULL: there is but one shard, and nobody to tell */
	struct fuzz_exchange *exchange, *made; /* made: to be freed */
	struct exchange_reader reader;
	int64_t index, end; /* the next case; the next set round */
	int stale;          /* the base has changed */
};

static int is_own(const struct shards *s, int64_t index)
{
	return (int)(index % s->n) % s->jobs == s->job;
}

static int open_shard(const struct shards *s, const struct corpus *c, enum fuzz_search kind, int max_spc,
		      struct shard *out, struct err *e)
{
	int rc = s->base ? coverage_beside(s->base, &out->seen, e) : coverage_new(c, max_spc, &out->seen, e);

	return rc ? rc : chooser_new(c, kind, s->n, &out->chooser, e);
}

static int open_all(struct shards *s, const struct corpus *c, const struct fuzz_options *o, int max_spc, struct err *e)
{
	int rc = 0;

	s->all = mem_array((size_t)s->n, sizeof *s->all);
	s->own = mem_array((size_t)s->n, sizeof *s->own);
	if (!s->all || !s->own)
		return err_nomem(e, "shards", (size_t)s->n);
	if (s->n > 1 || s->exchange)
		rc = coverage_new(c, max_spc, &s->base, e);
	if (!rc && s->n > 1 && !s->exchange) {
		rc = exchange_new(s->jobs, &s->made, e);
		s->exchange = s->made;
	}
	for (int i = s->job; i < s->n && !rc; i += s->jobs)
		rc = open_shard(s, c, o->search, max_spc, &s->all[i], e);
	return rc;
}

int shards_new(const struct corpus *c, const struct fuzz_options *o, int max_spc, struct shards **out, struct err *e)
{
	struct shards *s = mem_zalloc(sizeof *s);
	int rc;

	if (!s)
		return err_nomem(e, "shards", sizeof *s);
	*s = (struct shards){.n = o->shards > 0 ? o->shards : 1,
			     .job = o->job,
			     .jobs = o->jobs > 0 ? o->jobs : 1,
			     .exchange = o->exchange,
			     .index = o->job,
			     .end = 1};
	rc = open_all(s, c, o, max_spc, e);
	if (rc)
		shards_free(s);
	else
		*out = s;
	return rc;
}

void shards_free(struct shards *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->n; i++) {
		if (s->all) {
			coverage_free(s->all[i].seen);
			chooser_free(s->all[i].chooser);
		}
		if (s->own)
			vec_release(&s->own[i].items);
	}
	coverage_free(s->base);
	exchange_free(s->made);
	mem_free(s->all);
	mem_free(s->own);
	mem_free(s);
}

int64_t shards_index(const struct shards *s)
{
	return s->index;
}

struct shard *shards_of(struct shards *s, int64_t index)
{
	return &s->all[index % s->n];
}

/* ---- what shards know -------------------------------------------------------------------------------------------- */

/* Rounds before this one are known at a set round. */
static int64_t known_at(int64_t round)
{
	return round - (round / LAG > 1 ? round / LAG : 1);
}

static int64_t next_set_round(int64_t round)
{
	return round + (round / STEP > 1 ? round / STEP : 1);
}

static int must_merge(const struct shards *s)
{
	return s->base && s->index / s->n >= s->end;
}

int shards_are_ready(const struct shards *s)
{
	return !must_merge(s) || exchange_reached(s->exchange) >= known_at(s->end) * s->n;
}

/* A shard beside the base as it is now; what the base has from cases before `limit` is no longer its own. */
static int refresh_shard(struct shard *shard, struct own *own, int64_t limit, struct err *e)
{
	size_t left = 0;
	int rc = 0;

	coverage_restart(shard->seen);
	for (size_t i = 0; i < own->items.n && !rc; i++) {
		if (own->items.at[i].index < limit)
			continue;
		own->items.at[left++] = own->items.at[i];
		rc = coverage_add(shard->seen, &own->items.at[i].item, e);
	}
	own->items.n = left;
	coverage_news(shard->seen)->n = 0;
	shard->figures = coverage_of_set(shard->seen);
	return rc;
}

static int refresh(struct shards *s, int64_t limit, struct err *e)
{
	int rc = 0;

	for (int i = s->job; i < s->n && !rc; i += s->jobs)
		rc = refresh_shard(&s->all[i], &s->own[i], limit, e);
	s->stale = 0;
	return rc;
}

int shards_learn(struct shards *s, const char *notes, struct err *e)
{
	struct shard *first = &s->all[s->job];
	int rc = coverage_learn(s->base ? s->base : first->seen, notes, e);

	s->stale = s->base != NULL;
	if (!s->base)
		first->figures = coverage_of_set(first->seen);
	return rc;
}

int shards_begin(struct shards *s, struct err *e)
{
	int rc = 0;

	if (must_merge(s)) {
		int64_t limit = known_at(s->end) * s->n;

		rc = exchange_read(s->exchange, &s->reader, limit, s->base, e);
		if (!rc)
			rc = refresh(s, limit, e);
		s->end = next_set_round(s->end);
	} else if (s->stale) {
		rc = refresh(s, 0, e);
	}
	return rc;
}

/* Tells all jobs, this one among them, what was new. */
static int tell(struct shards *s, struct err *e)
{
	struct own *own = &s->own[s->index % s->n];
	struct coverage_news *news = coverage_news(shards_of(s, s->index)->seen);
	int rc = exchange_put(s->exchange, s->job, s->index, news, e);

	for (size_t i = 0; i < news->n && !rc; i++)
		if (vec_push(&own->items, ((struct own_item){s->index, news->at[i]})))
			rc = err_nomem(e, "shards", 0);
	news->n = 0;
	return rc;
}

int shards_end(struct shards *s, struct err *e)
{
	int rc = s->base ? tell(s, e) : 0;

	do
		s->index++;
	while (!is_own(s, s->index));
	if (!rc && s->base)
		exchange_reach(s->exchange, s->job, s->index);
	return rc;
}
