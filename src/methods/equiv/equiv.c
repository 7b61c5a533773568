/* equiv.c - see equiv.h: the registry of a library, and the pairs made of it.  run.c runs them. */
#include "methods/equiv/equiv.h"
#include "base/near.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "judge/explain.h"
#include "methods/equiv/form.h"

#define CALL_MEMORY ((size_t)2 << 30) /* more than a library itself takes, less than a huge result */
#define CALL_SECONDS 5.0              /* a call on tensors this small that takes longer, twice, hangs */

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

struct equiv_gathering {
	struct equiv *q;
	const struct equiv_options *o;
	VEC(struct equiv_pair) pairs;
	uint64_t seen; /* pairs of all parts of a split run */
	struct err *err;
};

/* A word of a list with commas between; either may be NULL. */
static int is_among(const char *list, const char *word)
{
	size_t n;

	for (; list && *list && word; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (strlen(word) == n && !strncmp(list, word, n))
			return 1;
	}
	return 0;
}

static int gather(const struct equiv_pair *p, void *arg)
{
	struct equiv_gathering *g = arg;

	if (g->o->api && fnmatch(g->o->api, p->name, 0))
		return 0;
	if (g->o->share > 0 && (double)(hash_text(p->name) % 10000) >= 100 * g->o->share)
		return 0;
	if (is_among(g->o->without, p->sets[0]) || is_among(g->o->without, p->sets[1]))
		return 0;
	if (!split_has(&g->o->split, g->seen++))
		return 0;
	return vec_push(&g->pairs, *p) ? err_nomem(g->err, "pairs", 0) : 0;
}

/* Operations that a rule is not true of, with reasons: data/equiv/<rule>-not.tsv. */
struct exemptions {
	const struct registry *r;
	char *marks; /* by operation */
};

static void exempt(char **fields, void *arg)
{
	struct exemptions *x = arg;

	for (size_t i = 0; i < x->r->n; i++)
		if (!fnmatch(fields[1], x->r->apis[i].op->name, 0))
			x->marks[i] = 1;
}

static int find_exemptions(struct equiv_gathering *g, const struct equiv_rule *rule, const char *folder,
			   struct exemptions *x)
{
	char path[4096];

	*x = (struct exemptions){&g->q->registry, arena_array(&g->q->arena, g->q->registry.n + 1, 1)};
	if (!x->marks)
		return err_nomem(g->err, "operations", g->q->registry.n);
	snprintf(path, sizeof path, "%s/%s-not.tsv", folder, rule->id);
	return access(path, F_OK) ? 0 : registry_lines(x->r, path, exempt, x, g->err);
}

void equiv_choose_sets(struct equiv_pair *p, const struct library *l, const struct library_pair *set)
{
	p->sets[0] = set->a;
	p->sets[1] = set->b;
	p->unlike_kernels = set->unlike_kernels;
	p->promised = library_promises(l, set);
	p->checked = library_checks(l, set);
	p->rearranged = library_rearranges(l, set);
	p->folds = library_folds(l, set);
	p->nan_steps = library_has_nan_steps(l, set);
	p->lower = set->kind == PAIR_LOWERED ? l->lower : DT_UNDEFINED;
}

/* Pairs of one option set lie side by side, so that workers are changed seldom. */
static int gather_set(struct equiv_gathering *g, const struct equiv_rule *rule, const struct library_pair *set,
		      const char *marks)
{
	const struct registry *r = &g->q->registry;
	int rc = 0, of_objects = set && library_needs_object(r->library, set);

	for (size_t i = 0; i < r->n && !rc; i++) {
		struct equiv_pair p = {.rule = rule, .name = r->apis[i].op->name, .api = &r->apis[i]};

		if (set)
			equiv_choose_sets(&p, r->library, set);
		if (!marks[i] && rule->every->applies(r, &r->apis[i]) && (!of_objects || form_makes(&r->apis[i])))
			rc = gather(&p, g);
	}
	return rc;
}

static int gather_registry(struct equiv_gathering *g, const struct equiv_rule *rule, const char *folder)
{
	const struct library *library = g->q->registry.library;
	const struct library_pair versions = {PAIR_VERSIONS, NULL, g->o->against, 1};
	const struct library_pair *set = library ? library->pairs : NULL;
	struct exemptions left_out;
	int rc = find_exemptions(g, rule, folder, &left_out);

	if (!rc && rule->every->sets == PAIR_NONE)
		return gather_set(g, rule, NULL, left_out.marks);
	if (!rc && rule->every->sets == PAIR_VERSIONS)
		return g->o->against && library ? gather_set(g, rule, &versions, left_out.marks) : 0;
	for (; !rc && set && set->kind != PAIR_NONE; set++)
		if (set->kind == rule->every->sets)
			rc = gather_set(g, rule, set, left_out.marks);
	return rc;
}

/* Calls are learned by making them: each is its own other side. */
static int gather_learning(struct equiv_gathering *g)
{
	static const struct rule_every once = {.applies = equiv_any, .other = equiv_same_call};
	static const struct equiv_rule learning = {0, "learning", "which calls are valid", &once};
	char *none = arena_array(&g->q->arena, g->q->registry.n + 1, 1);

	return none ? gather_set(g, &learning, NULL, none) : err_nomem(g->err, "operations", g->q->registry.n);
}

static int no_rule(const char *name, struct err *e)
{
	struct near n = NEAR(name);
	int last = 0;

	for (const struct equiv_rule *const *r = equiv_rules; *r; r++) {
		near_offer(&n, (*r)->id, (*r)->id);
		last = (*r)->number;
	}
	return err_set(e, ERR_USAGE,
		       "there is no rule '%s'%s; they have numbers 1 to %d, 'assay equiv --rules' lists them", name,
		       near_hint(&n), last);
}

static int gather_all(struct equiv_gathering *g, const char *folder)
{
	const struct equiv_rule *only = g->o->against ? &rule_versions : g->o->rule ? rule_find(g->o->rule) : NULL;
	int rc = 0;

	if (g->o->learn)
		return gather_learning(g);
	if (g->o->against && g->o->rule && rule_find(g->o->rule) != &rule_versions)
		return err_set(g->err, ERR_USAGE,
			       "--against compares versions or option sets: that is rule %d, and no other",
			       rule_versions.number);
	if (g->o->rule && !only)
		return no_rule(g->o->rule, g->err);
	for (size_t i = 0; equiv_rules[i] && !rc; i++) {
		const struct equiv_rule *rule = equiv_rules[i];

		if (only ? rule != only : rule->every && rule->every->spoil)
			continue;
		if (rule->every && !g->o->rows)
			rc = gather_registry(g, rule, folder);
		if (!rc)
			rc = equiv_rows(rule, g->q->registry.dialect->name, folder, &g->q->arena, gather, g, g->err);
	}
	return rc;
}

int equiv_gather(struct equiv *q, const char *folder, const struct equiv_options *o, struct err *e)
{
	struct equiv_gathering g = {.q = q, .o = o, .err = e};
	int rc = gather_all(&g, folder);

	q->pairs = g.pairs.at;
	q->n = g.pairs.n;
	if (!rc && (!(q->results = mem_array(q->n + 1, sizeof *q->results)) || !(q->busy = mem_zalloc(q->n + 1))))
		rc = err_nomem(e, "results", q->n * sizeof *q->results);
	return rc;
}

struct worker_limits equiv_limits(void)
{
	return (struct worker_limits){.run_seconds = clock_patience(CALL_SECONDS), .memory = CALL_MEMORY};
}

/* Some libraries compile a call first, and take long to open. */
struct worker_limits equiv_limits_of(const struct equiv *q, const struct equiv_options *o)
{
	const struct library *library = library_find(q->spec.backend);
	struct worker_limits limits = o->limits;

	if (library && library->patience)
		limits.run_seconds *= library->patience;
	return limits;
}

/* The other side is another version of the same library, whose calls are those of this one, or an option set. */
static int check_against(const struct worker_spec *spec, const char *against, struct err *e)
{
	struct worker_spec other;
	int rc;

	if (spec_find_set(spec->name, against, strlen(against)))
		return 0;
	if (!strchr(against, '@') || strchr(against, ':'))
		return err_set(e, ERR_USAGE,
			       "--against: '%s' is no name with a version, such as %s@1.2, and no option set of %s",
			       against, spec->backend, spec->backend);
	rc = spec_make(against, &other, e);
	if (rc)
		return rc;
	if (strcmp(other.backend, spec->backend) != 0)
		rc = err_set(e, ERR_USAGE, "--against: '%s' is not the library of '%s'", against, spec->name);
	spec_release(&other);
	return rc;
}

int equiv_open(struct equiv *q, const char *backend, const char *folder, const struct equiv_options *o, struct err *e)
{
	struct worker_limits limits;
	struct worker_report report;
	struct caller caller = {0};
	int rc;

	*q = (struct equiv){.arena = ARENA_INIT};
	rc = spec_make(backend, &q->spec, e);
	if (!rc && spec_is_reference(&q->spec))
		rc = err_set(e, ERR_USAGE, "the reference has no operations of its own: name a library");
	if (!rc && spec_option(&q->spec, PARTY_LOWERS)) /* two ways to compute the same may be rounded otherwise */
		rc = err_set(e, ERR_UNSUPPORTED, "%s computes in a lower precision: rules compare in that of the types",
			     q->spec.name);
	if (!rc && o->against)
		rc = check_against(&q->spec, o->against, e);
	if (!rc) {
		limits = equiv_limits_of(q, o);
		rc = worker_open(&q->spec, &limits, &caller.worker, &report, e);
	}
	if (!rc) {
		snprintf(q->version, sizeof q->version, "%s", worker_version(caller.worker));
		rc = registry_open(&q->registry, q->spec.backend, folder, &caller, e);
	}
	worker_close(caller.worker);
	caller_release(&caller);
	if (!rc)
		rc = equiv_gather(q, folder, o, e);
	if (rc)
		equiv_release(q);
	return rc;
}

void equiv_release(struct equiv *q)
{
	for (size_t i = 0; q->results && i < q->n; i++)
		equiv_result_release(&q->results[i]);
	mem_free(q->results);
	mem_free(q->busy);
	mem_free(q->pairs);
	registry_release(&q->registry);
	spec_release(&q->spec);
	arena_release(&q->arena);
	*q = (struct equiv){0};
}
