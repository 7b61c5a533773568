/* later.c - see later.h. */
#include "methods/fuzz/later.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "methods/fuzz/known.h"

void flight_release(struct flight *f, size_t n)
{
	trial_release(&f->trial);
	for (size_t i = 0; f->outcomes && i < n; i++)
		outcome_release(&f->outcomes[i]);
	mem_free(f->outcomes);
	f->outcomes = NULL;
	buf_release(&f->notes);
}

#define GRACE 0.1     /* of a campaign's time … */
#define GRACE_LEAST 5 /* … and at least so many seconds */

double later_grace(double seconds)
{
	return fmax(clock_patience(GRACE_LEAST), GRACE * seconds);
}

#define SHARE_LEAST 0.1 /* of the time of a short campaign */

double later_share(double seconds)
{
	double grace = seconds > 0 ? later_grace(seconds) / seconds : 0;

	return fmax(LATER_SHARE - (1 - LATER_SHARE) * grace, SHARE_LEAST);
}

#define SEEN 2            /* for each that it looks like what was looked into counts as 2^SEEN times as large … */
#define MOST_SEEN 3       /* … up to so many */
#define BESIDE 4          /* what is done about a case whatever its size takes as long as so many nodes */
#define FIRST_WEIGHT 10   /* what is thought of a library before a case was done: so many nodes … */
#define FIRST_SECONDS 1.0 /* … take so long */

#define REDUCE_SECONDS 6
#define REDUCE_LEAST 0.25
#define FEW 8 /* that wait: as many more halve the time of each */

double later_patience(const struct later *l)
{
	double seconds = l->seconds > 0 ? REDUCE_SECONDS / (1 + (double)l->waiting.n / FEW) : REDUCE_SECONDS;

	return clock_patience(fmax(seconds, REDUCE_LEAST));
}

int later_is_pressed(const struct later *l)
{
	return l->seconds > 0 && l->waiting.n >= FEW;
}

/* Seconds that a case is likely to take. */
static double cost_of(const struct later *l, size_t nodes)
{
	return (double)(nodes + BESIDE) * (l->spent + FIRST_SECONDS) / (double)(l->weight + FIRST_WEIGHT);
}

void later_done(struct later *l, size_t nodes)
{
	l->weight += nodes + BESIDE;
}

int later_is_due(const struct later *l, double now, size_t nodes)
{
	return l->spent + (l->seconds > 0 ? cost_of(l, nodes) : 0) <= later_share(l->seconds) * (now - l->begin);
}

int later_choose(struct later *l, const struct trial *t, const struct party *p, const struct outcome *o, int *waits,
		 struct err *e)
{
	char key[KNOWN_KEY];
	int take = 0, rc;

	known_look_closely(t, p, o, key);
	rc = kinds_take(&l->looks, key, &take, e);
	*waits |= take;
	return rc;
}

int later_add(struct later *l, struct flight *f, struct outcome *outcomes, size_t n, struct err *e)
{
	struct flight moved = *f;

	moved.outcomes = mem_array(n + 1, sizeof *moved.outcomes);
	if (!moved.outcomes || vec_push(&l->waiting, moved)) {
		mem_free(moved.outcomes);
		return err_nomem(e, "findings that wait", n * sizeof *outcomes);
	}
	memcpy(moved.outcomes, outcomes, n * sizeof *outcomes);
	memset(outcomes, 0, n * sizeof *outcomes);
	*f = (struct flight){0};
	return 0;
}

static size_t nodes_of(const struct flight *f)
{
	return f->trial.model->graph->nodes.n;
}

/* The key of the n-th that looked so and was looked into. */
static uint64_t seen_key(uint64_t roughly, unsigned n)
{
	return roughly + n * UINT64_C(0x9E3779B97F4A7C15);
}

static unsigned times_seen(const struct later *l, uint64_t roughly)
{
	unsigned n = 0;

	while (n < MOST_SEEN && keys_have(&l->done, seen_key(roughly, n)))
		n++;
	return n;
}

static size_t size_of(const struct later *l, const struct flight *f)
{
	return nodes_of(f) << SEEN * times_seen(l, f->roughly);
}

static size_t smallest(const struct later *l)
{
	size_t best = 0;

	for (size_t i = 1; i < l->waiting.n; i++)
		if (size_of(l, &l->waiting.at[i]) < size_of(l, &l->waiting.at[best]))
			best = i;
	return best;
}

/* The last of the largest. */
static size_t largest(const struct later *l)
{
	size_t best = 0;

	for (size_t i = 1; i < l->waiting.n; i++)
		if (size_of(l, &l->waiting.at[i]) >= size_of(l, &l->waiting.at[best]))
			best = i;
	return best;
}

size_t later_least(const struct later *l)
{
	return nodes_of(&l->waiting.at[smallest(l)]);
}

int later_is_next(const struct later *l, const struct flight *f)
{
	return !l->waiting.n || size_of(l, f) <= size_of(l, &l->waiting.at[smallest(l)]);
}

int later_has_room(const struct later *l, const struct flight *f)
{
	return l->waiting.n < LATER_MOST || size_of(l, f) < size_of(l, &l->waiting.at[largest(l)]);
}

static struct flight take_out(struct later *l, size_t i)
{
	struct flight f = l->waiting.at[i];

	l->waiting.n--;
	memmove(&l->waiting.at[i], &l->waiting.at[i + 1], (l->waiting.n - i) * sizeof f);
	return f;
}

int later_note(struct later *l, const struct flight *f, struct err *e)
{
	uint64_t key = seen_key(f->roughly, times_seen(l, f->roughly));

	return keys_add(&l->done, key) ? err_nomem(e, "findings that wait", 0) : 0;
}

int later_take(struct later *l, struct flight *out, struct err *e)
{
	size_t i = smallest(l);
	int rc = later_note(l, &l->waiting.at[i], e);

	if (!rc)
		*out = take_out(l, i);
	return rc;
}

int later_is_crowded(const struct later *l)
{
	return l->waiting.n > LATER_MOST;
}

struct flight later_give_way(struct later *l)
{
	return take_out(l, largest(l));
}

int64_t later_first(const struct later *l, int64_t next)
{
	return l->waiting.n && l->waiting.at[0].record.index < next ? l->waiting.at[0].record.index : next;
}

void later_release(struct later *l, size_t n)
{
	for (size_t i = 0; i < l->waiting.n; i++)
		flight_release(&l->waiting.at[i], n);
	vec_release(&l->waiting);
	kinds_release(&l->looks);
	keys_release(&l->done);
}
