/* search.c - see search.h: Algorithm 1, level after level. */
#include "methods/search/search.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "methods/search/internal.h"
#include "methods/search/novelty.h"
#include "ops/op.h"

const char *const search_level_names[SEARCH_LEVELS + 1] = {"network", "input", "weight", "both"};

#define MAX_BASES 32
#define SCALE_STEP 0.5
#define MAX_DISTANT 8 /* cases that only a distance reports: the reference is asked about the first few of a level */

/* Bases of the other levels: the seed, and sound variants of it by chance, as in the paper. */
struct bases {
	struct trial at[MAX_BASES];
	size_t n, wanted, seen;
	int has_logits;
};

/* One level on one base. */
struct hunt {
	struct variation variation;
	const struct search_options *o;
	struct rivals *rivals;
	struct search_counts counts;
	struct individual origin;
	struct bases *bases;      /* network level: what is sound may become one of them */
	struct individual **pool; /* [size]: parents first, then their children */
	size_t n, size, parents;
	size_t done, total, generation, distant, best;
	struct novelty novelty;
	struct rng rng;
};

/* ---- fitness and selection --------------------------------------------------------------------------------------- */

static int is_wanted(const struct search_options *o, unsigned fitness)
{
	return (o->fitness & fitness) != 0;
}

/* By rank, so that both kinds count alike whatever their units: the share of the pool that is less fit. */
static void rank_pool(struct hunt *h)
{
	for (size_t i = 0; i < h->n; i++) {
		struct individual *x = h->pool[i];
		struct rng chance = rng_split(&h->rng, (uint64_t)h->done * h->size + i);

		x->fitness = x->spread < 0 ? -1 : 0;
		for (size_t k = 0; k < h->n && x->spread >= 0; k++) {
			const struct individual *y = h->pool[k];

			if (is_wanted(h->o, SEARCH_INCONSISTENCY))
				x->fitness += y->closeness < x->closeness;
			if (is_wanted(h->o, SEARCH_DISTANCE))
				x->fitness += y->distance < x->distance;
			if (is_wanted(h->o, SEARCH_NAN))
				x->fitness += y->spread < x->spread;
		}
		if (h->o->fitness == SEARCH_RANDOM && x->spread >= 0)
			x->fitness = rng_unit(&chance);
		if (is_wanted(h->o, SEARCH_COVERAGE)) /* of what is new the latest, as TensorFuzz prefers */
			x->fitness = x->covers ? (double)x->number : -1;
	}
}

/* Mutants will be about as far from their parents as the fittest is from its own; closer, when none was fitter. */
static void choose_scale(struct hunt *h)
{
	const struct individual *best = h->n ? h->pool[0] : NULL;

	if (!best || h->o->fitness == SEARCH_RANDOM || is_wanted(h->o, SEARCH_COVERAGE) || best->fitness < 0)
		return;
	h->variation.scale = best->number != h->best ? best->scale : h->variation.scale - SCALE_STEP;
	h->variation.has_scale = h->variation.scale >= SCALE_FINEST; /* else all over again */
	h->best = best->number;
}

/* The m fittest to the front, in order; the others go. */
static void select_parents(struct hunt *h)
{
	size_t kept = 0;

	rank_pool(h);
	for (size_t i = 1; i < h->n; i++) { /* stable: the same seed gives the same order */
		struct individual *x = h->pool[i];
		size_t k = i;

		for (; k && h->pool[k - 1]->fitness < x->fitness; k--)
			h->pool[k] = h->pool[k - 1];
		h->pool[k] = x;
	}
	choose_scale(h);
	while (kept < h->n && kept < h->parents && h->pool[kept]->fitness >= 0)
		kept++;
	for (size_t i = kept; i < h->n; i++) {
		individual_release(h->pool[i]);
		mem_free(h->pool[i]);
	}
	h->n = kept;
}

/* ---- a generation ------------------------------------------------------------------------------------------------ */

/* Each case draws from a stream of its own, by its number. */
static int breed(struct hunt *h, size_t number, struct individual *out, struct err *e)
{
	struct rng rng = rng_split(&h->rng, number);
	const struct individual *a = &h->origin, *b = &h->origin;
	int first = !h->n; /* nobody to be a parent: a mutant of the base */

	if (!first) {
		size_t i = (size_t)rng_below(&rng, h->n), k = (size_t)rng_below(&rng, h->n);

		a = h->pool[i < k ? i : k];
		b = rng_below(&rng, 2) || is_wanted(h->o, SEARCH_COVERAGE) ? a : h->pool[rng_below(&rng, h->n)];
	}
	return variation_child(&h->variation, a, b, &rng, first, out, e);
}

/* Fills the pool up to n (of the first generation, one is the base itself). */
static int breed_all(struct hunt *h, struct individual **fresh, size_t *n_fresh, struct err *e)
{
	size_t room = h->size - h->n, left = h->total - h->done;
	int rc = 0;

	*n_fresh = 0;
	while (*n_fresh < room && *n_fresh < left && !rc) {
		struct individual *x = mem_zalloc(sizeof *x);
		size_t number = h->done + *n_fresh;

		if (!x)
			return err_nomem(e, "a case", sizeof *x);
		x->has_logits = h->origin.has_logits;
		x->number = number;
		rc = number ? breed(h, number, x, e) : variation_base(&h->variation, x, e);
		if (rc)
			mem_free(x);
		else
			fresh[(*n_fresh)++] = x;
	}
	return rc;
}

int search_is_over(const struct search_options *o)
{
	return (o->deadline > 0 && clock_now() >= o->deadline) || (o->stop && *o->stop);
}

static int is_over(const struct hunt *h)
{
	const struct search_options *o = h->o;

	return search_is_over(o) || (o->until & SEARCH_NAN && h->counts.first_nan) ||
	       (o->until & SEARCH_INCONSISTENCY && h->counts.first_inconsistent);
}

/* `judged`: the reference was asked about the case. */
static void count_backends(const struct hunt *h, const struct individual *x, int judged)
{
	for (size_t i = 0; h->o->tallies && i < x->n_outcomes; i++) {
		const struct outcome *o = &x->outcomes[i];
		enum verdict v = o->verdict;

		if (o->values && !judged)
			v = report_was_compared(x, i) ? VERDICT_AGREE : VERDICT_UNJUDGED;
		tally_note(&h->o->tallies[i], o->values != NULL, v);
	}
}

/* How far mutation has driven the libraries apart.  The first case is the base itself. */
static void note_distance(struct search_counts *c, const struct individual *x, unsigned saw)
{
	double d = isfinite(x->distance) ? x->distance : -1;

	if (c->cases == 1) {
		c->base_distance = c->most_distance = d;
		c->inconsistent_distance = -1;
	}
	c->most_distance = fmax(c->most_distance, d);
	if (saw & SEARCH_SAW_INCONSISTENT && c->inconsistent_distance < 0)
		c->inconsistent_distance = d;
}

/* What an oracle reported is looked into, and is no parent: its children would report the same. */
static int sort_out(struct hunt *h, struct individual *x, struct err *e)
{
	struct search_failure f = {.level = h->variation.level,
				   .generation = h->generation,
				   .number = h->done,
				   .variation = &h->variation};
	unsigned saw = report_look(x, h->rivals);
	int reported, rc = 0;

	h->counts.cases++;
	note_distance(&h->counts, x, saw);
	h->counts.evaluations += x->n_outcomes;
	h->counts.invalid += (size_t)x->invalid;
	reported = saw != SEARCH_SAW_DISTANCE ? saw != 0 : h->distant++ < MAX_DISTANT;
	if (reported)
		progress_phase("judging case", h->done + 1, h->total, search_level_names[h->variation.level]);
	if (reported)
		rc = report_judge(x, h->rivals, h->o, saw, &f, &h->counts, e);
	count_backends(h, x, reported && !h->o->no_judge);
	x->failed = (saw & ~(unsigned)SEARCH_SAW_DISTANCE) != 0;
	h->done++;
	if (h->o->progress)
		h->o->progress(h->variation.level, h->done, h->total, h->o->arg);
	return rc;
}

static int note_coverage(struct hunt *h, struct individual *x, struct err *e)
{
	const struct tensor *t = is_wanted(h->o, SEARCH_COVERAGE) && !x->failed ? report_activations(x) : NULL;

	return t ? novelty_note(&h->novelty, t, &x->covers, e) : 0;
}

/* Every sound variant so far is a base with the same chance. */
static int offer_base(struct hunt *h, const struct individual *x, struct err *e)
{
	struct bases *bases = h->bases;
	struct rng rng = rng_split(&h->rng, ~(uint64_t)x->number);
	struct trial copy;
	size_t at;
	int rc;

	if (!bases || !*x->edits || bases->wanted < 2)
		return 0;
	at = 1 + (size_t)rng_below(&rng, ++bases->seen);
	if (bases->n < bases->wanted)
		at = bases->n;
	else if (at >= bases->wanted)
		return 0;
	rc = trial_copy(&x->trial, &copy, e);
	if (rc)
		return rc;
	trial_release(&bases->at[at]);
	bases->at[at] = copy;
	bases->n += at == bases->n;
	return 0;
}

static int generation(struct hunt *h, struct err *e)
{
	struct individual **fresh = mem_array(h->size + 1, sizeof *fresh);
	size_t n = 0;
	int rc = fresh ? breed_all(h, fresh, &n, e) : err_nomem(e, "a population", 0);

	progress_phase("running case", h->done + 1, h->total, search_level_names[h->variation.level]);
	if (!rc)
		rc = rivals_run(h->rivals, fresh, n, h->variation.level == SEARCH_INPUT, h->o, e);
	for (size_t i = 0; i < n; i++) {
		struct individual *x = fresh[i];

		if (!rc && !is_over(h))
			rc = sort_out(h, x, e);
		else
			x->failed = 1;
		if (!rc)
			rc = note_coverage(h, x, e);
		for (size_t k = 0; k < x->n_outcomes; k++)
			outcome_release(&x->outcomes[k]);
		x->n_outcomes = 0;
		if (!x->failed && !rc)
			rc = offer_base(h, x, e);
		if (!x->failed && !rc) {
			h->pool[h->n++] = x;
			continue;
		}
		individual_release(x);
		mem_free(x);
	}
	mem_free(fresh);
	h->generation++;
	return rc;
}

/* ---- a level ----------------------------------------------------------------------------------------------------- */

static int hunt_open(struct hunt *h, struct err *e)
{
	const struct search_options *o = h->o;
	int rc;

	h->size = o->population ? o->population : SEARCH_POPULATION;
	h->parents = o->parents ? o->parents : SEARCH_PARENTS;
	h->total = o->cases ? o->cases : SEARCH_CASES;
	if (h->parents >= h->size)
		return err_set(e, ERR_USAGE, "a population of %zu needs fewer than %zu parents", h->size, h->size);
	h->variation.options = o;
	h->variation.crossover = o->crossover > 0 ? o->crossover : SEARCH_CROSSOVER;
	h->variation.mutation = o->mutation > 0 ? o->mutation : SEARCH_MUTATION;
	rc = trial_copy(h->variation.base, &h->origin.trial, e);
	h->pool = rc ? NULL : mem_array(2 * h->size + 1, sizeof *h->pool);
	return rc ? rc : h->pool ? 0 : err_nomem(e, "a population", 0);
}

static void hunt_close(struct hunt *h)
{
	for (size_t i = 0; i < h->n; i++) {
		individual_release(h->pool[i]);
		mem_free(h->pool[i]);
	}
	mem_free(h->pool);
	individual_release(&h->origin);
	novelty_release(&h->novelty);
}

/* One base more. */
static void add_counts(struct search_counts *sum, const struct search_counts *c)
{
	if (!sum->networks++) {
		sum->first_nan = c->first_nan;
		sum->first_inconsistent = c->first_inconsistent;
		sum->base_distance = c->base_distance;
		sum->most_distance = c->most_distance;
		sum->inconsistent_distance = c->inconsistent_distance;
	}
	sum->networks_nan += c->first_nan != 0;
	sum->networks_inconsistent += c->first_inconsistent != 0;
	sum->cases += c->cases;
	sum->evaluations += c->evaluations;
	sum->invalid += c->invalid;
	sum->crash += c->crash;
	sum->nan += c->nan;
	sum->inconsistent += c->inconsistent;
	sum->distance += c->distance;
	sum->refused += c->refused;
	sum->accepted += c->accepted;
	for (int i = 0; i <= SEARCH_BUG; i++)
		sum->by_class[i] += c->by_class[i];
	sum->seconds += c->seconds;
}

static int run_level(enum search_level level, size_t base, struct bases *bases, struct rivals *rivals,
		     const struct search_options *o, struct search_result *r, struct err *e)
{
	struct hunt h = {.o = o, .rivals = rivals, .bases = level == SEARCH_NETWORK ? bases : NULL};
	double start = clock_now();
	struct rng root;
	int rc;

	h.variation.base = &bases->at[base];
	h.variation.level = level;
	h.origin.has_logits = bases->has_logits;
	rng_init(&root, o->seed);
	h.rng = rng_split(&root, base * SEARCH_LEVELS + (uint64_t)level);
	if (!variation_has_genes(h.variation.base, level))
		return 0;
	rc = hunt_open(&h, e);
	while (!rc && h.done < h.total && !is_over(&h)) {
		rc = generation(&h, e);
		select_parents(&h);
	}
	r->out_of_time |= search_is_over(o);
	h.counts.seconds = clock_now() - start;
	add_counts(&r->levels[level], &h.counts);
	hunt_close(&h);
	return rc;
}

/* The seed with the layer before the decision as an output of its own. */
static int open_seed(const struct trial *seed, struct bases *bases, struct err *e)
{
	size_t n = seed->model->graph->inputs.n;
	struct value **in = mem_array(n + 1, sizeof *in);
	struct model *m = NULL;
	int rc = in ? model_copy(seed->model, &m, e) : err_nomem(e, "inputs", 0);

	bases->has_logits = 0;
	if (!rc)
		rc = ops_bind(m, e);
	if (!rc)
		rc = ops_infer(m, e);
	if (!rc)
		rc = search_expose_logits(m, &bases->has_logits, e);
	if (rc) {
		model_free(m);
		mem_free(in);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		in[i] = value_ref(seed->inputs[i]);
	rc = trial_init(&bases->at[0], m, in, seed->seed, e);
	bases->n = !rc;
	return rc;
}

static int tell_bases(struct bases *bases, const struct search_options *o, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; o->base && i < bases->n && !rc; i++)
		rc = o->base(&bases->at[i], i, o->arg, e);
	return rc;
}

int search_run(const struct trial *seed, struct rivals *rivals, const struct search_options *o,
	       struct search_result *out, struct err *e)
{
	struct search_result r = {0};
	struct bases *bases = mem_zalloc(sizeof *bases);
	unsigned levels = o->levels ? o->levels : (1u << SEARCH_LEVELS) - 1;
	int rc = bases ? open_seed(seed, bases, e) : err_nomem(e, "networks", sizeof *bases);

	if (bases)
		bases->wanted = o->bases ? o->bases : SEARCH_BASES;
	if (bases && bases->wanted > MAX_BASES)
		bases->wanted = MAX_BASES;
	for (int level = 0; level < SEARCH_LEVELS && !rc; level++) {
		for (size_t base = 0; base < (level == SEARCH_NETWORK ? 1 : bases->n) && !rc; base++)
			if (levels & 1u << level)
				rc = run_level((enum search_level)level, base, bases, rivals, o, &r, e);
		if (level == SEARCH_NETWORK && !rc) /* there are no more of them */
			rc = tell_bases(bases, o, e);
	}
	r.bases = bases ? bases->n : 0;
	for (size_t i = 0; i < r.bases; i++)
		trial_release(&bases->at[i]);
	mem_free(bases);
	if (!rc)
		*out = r;
	return rc;
}
