/* keep.c - see keep.h.
 *
 * A search meets the same defect again and again.  The first few failures of a kind (backend, verdict, level, and at
 * network level the edit that led to it) are confirmed, recorded, reduced and localized; the others are only counted.
 */
#include "methods/search/keep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/place.h"

#define PER_SIGNATURE 2
#define BLAME_SECONDS 10
#define REDUCE_SECONDS 10
#define MAX_KIND 1024

void search_keep_init(struct search_keeper *k)
{
	k->keeper.method = "search";
	k->keeper.judge = &k->judge;
	k->keeper.per_signature = PER_SIGNATURE;
	k->keeper.reduce_seconds = clock_patience(REDUCE_SECONDS);
	k->findings = json_array();
}

void search_keep_release(struct search_keeper *k)
{
	json_decref(k->findings);
	keeper_close(&k->keeper);
	kinds_release(&k->kinds);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

/* The last edit without node and value: "Conv : strides". */
static void edit_kind(const char *edits, char *out, size_t size)
{
	const char *last = strrchr(edits, ';');
	size_t n = 0;
	int quoted = 0;

	for (const char *p = last ? last + 2 : edits; *p && *p != '=' && n + 1 < size; p++) {
		quoted ^= *p == '\'';
		if (!quoted && *p != '\'')
			out[n++] = *p;
	}
	out[n] = '\0';
}

/* Counts the failure; *take: few of its kind were looked into. */
static int is_new(struct search_keeper *k, const struct search_failure *f, int *take, struct err *e)
{
	char kind[MAX_KIND], edit[256];

	edit_kind(f->edits, edit, sizeof edit);
	snprintf(kind, sizeof kind, "%.300s|%s|%s|%s", f->party->spec.name, verdict_name(f->outcome->verdict),
		 search_level_names[f->level], edit);
	return kinds_take(&k->kinds, kind, take, e);
}

/* ---- one failure ------------------------------------------------------------------------------------------------- */

static int write_case(struct search_keeper *k, const struct search_failure *f, struct err *e)
{
	char path[PLACE_PATH];
	int rc = place_make_folders(k->folder, e);

	if (!rc)
		rc = place_path(path, e, "%s/%04zu-%s-%s", k->folder, ++k->files, f->party->spec.backend,
				verdict_name(f->outcome->verdict));
	return rc ? rc : trial_save(f->trial, path, e);
}

/* Down to layer and parameter by Algorithm 2 where there are numbers, else by running nodes alone.  A failure without
 * blame is a failure still. */
static int localize(const struct search_keeper *k, const struct search_failure *f, const struct blame_causal *causal,
		    struct blame *out, size_t *map_layers, struct err *e)
{
	struct blame_request r = {.trial = f->trial,
				  .accused = f->party,
				  .outcome = f->outcome,
				  .options = &k->judge,
				  .blamers = f->outcome->values ? "causal" : "isolated",
				  .causal = causal,
				  .seconds = clock_patience(BLAME_SECONDS)};
	struct blame_map map = {0};
	struct err trouble = ERR_INIT;
	int rc;

	*map_layers = 0;
	if (k->no_localize || !verdict_is_finding(f->outcome->verdict) || f->trial->invalid)
		return 0;
	rc = blame_run(&r, out, &trouble);
	if (!rc && f->outcome->values)
		rc = blame_map_make(&r, &map, &trouble);
	for (size_t i = 0; i < map.n; i++)
		*map_layers += (size_t)map.at[i].above;
	blame_map_release(&map);
	if (rc != ERR_MEMORY && rc != ERR_INTERNAL)
		return 0;
	*e = trouble;
	return rc;
}

/* What happens to a process, and what is invalid, has no numbers to follow: the edits that it takes are the source. */
static int find_smallest(const struct search_keeper *k, const struct search_failure *f, char said[SEARCH_SAID],
			 struct err *e)
{
	enum verdict v = f->outcome->verdict;

	*said = '\0';
	if (k->no_localize || !verdict_is_finding(v) || (f->outcome->values && v != VERDICT_ACCEPTED))
		return 0;
	return search_smallest(f, &k->judge, clock_patience(BLAME_SECONDS), said, e);
}

/* What the reduced case comes down to may be a difference that is known.  Who refuses a layer alone says that it cannot
 * do this, as others can; who takes every layer alone and refuses them together has no such excuse. */
static enum search_class class_of(const struct search_keeper *k, const struct search_failure *f,
				  const struct kept *kept, const struct blame *blame)
{
	struct finding found;
	struct err ignored = ERR_INIT;
	enum search_class class = f->class;

	if (f->outcome->verdict == VERDICT_REJECTED)
		return blame->n > 1 && isnan(blame->at[0].noise_ratio) ? SEARCH_BUG : SEARCH_DIFFERENCE;
	if (!kept->id || store_get(k->keeper.store, kept->id, &found, &ignored))
		return class;
	if (found.nodes == 1 && found.verdict != VERDICT_CRASH &&
	    quirks_for_op(k->quirks, f->party->spec.backend, party_version(f->party), found.op, NULL, NULL))
		class = SEARCH_DIFFERENCE;
	finding_release(&found);
	return class;
}

/* Without a store: only what comes again counts there, too. */
static int confirm(const struct search_keeper *k, const struct search_failure *f, struct err *e)
{
	return verdict_is_finding(f->outcome->verdict) ? trial_confirm(f->trial, f->party, &k->judge, f->outcome, e)
						       : 0;
}

static void count_kept(struct search_keeper *k, enum verdict v, const struct kept *kept)
{
	k->stored += kept->id != 0;
	k->confirmed += verdict_is_finding(v);
	k->flaky += v == VERDICT_FLAKY;
	if (!kept->fresh)
		return;
	k->fresh++;
	k->last_at = clock_now();
	snprintf(k->last, sizeof k->last, "%s", kept->signature);
}

/* Written, confirmed and recorded.  *told: there is something to say of it; of a signature that the store knows well
 * there is no more to say, and what does not repeat is no finding. */
static int record(struct search_keeper *k, const struct search_failure *f, struct kept *kept, int *told, struct err *e)
{
	size_t lost = k->keeper.lost;
	int rc = k->folder ? write_case(k, f, e) : 0;

	if (!rc)
		rc = k->no_store ? confirm(k, f, e) : keep_case(&k->keeper, f->trial, f->party, f->outcome, kept, e);
	if (!rc)
		count_kept(k, f->outcome->verdict, kept);
	*told = !rc && (k->no_store || kept->id || lost != k->keeper.lost) && f->outcome->verdict != VERDICT_FLAKY;
	return rc;
}

/* A layer that a replaced value makes fail otherwise: a finding of its own, whose source is known. */
static int keep_replaced(struct search_keeper *k, const struct search_failure *from, struct trial *t, const char *said,
			 struct err *e)
{
	struct search_failure f = *from;
	struct outcome o = {0};
	struct kept kept = {0};
	struct blame none = {0};
	int take = 0, told = 0, rc = trial_judge(t, from->party, &k->judge, &o, e);

	f.trial = t;
	f.outcome = &o;
	f.edits = said;
	f.class = SEARCH_BUG;
	f.evidence = "a value that Algorithm 2 put in place of another one of the blamed layer";
	if (!rc && verdict_is_finding(o.verdict))
		rc = is_new(k, &f, &take, e);
	k->seen += (size_t)take;
	if (!rc && take)
		rc = record(k, &f, &kept, &told, e);
	if (!rc && told)
		json_array_append_new(k->findings, search_finding_json(k->model, &f, &kept,
								       class_of(k, &f, &kept, &none), &none, 0, said));
	outcome_release(&o);
	return rc;
}

static int tell(struct search_keeper *k, const struct search_failure *f, const struct kept *kept, struct err *e)
{
	struct blame_causal causal = k->causal;
	struct search_replaced replaced;
	struct blame blame = {0};
	char smallest[SEARCH_SAID];
	size_t map_layers = 0;
	int rc;

	search_replaced_begin(&replaced, k->layers, &causal);
	rc = localize(k, f, &causal, &blame, &map_layers, e);
	if (!rc)
		rc = find_smallest(k, f, smallest, e);
	if (!rc)
		json_array_append_new(k->findings, search_finding_json(k->model, f, kept, class_of(k, f, kept, &blame),
								       &blame, map_layers, smallest));
	for (size_t i = 0; i < replaced.n && !rc; i++)
		rc = keep_replaced(k, f, &replaced.at[i], replaced.said[i], e);
	search_replaced_release(&replaced);
	blame_release(&blame);
	return rc;
}

int search_keep(struct search_keeper *k, const struct search_failure *f, struct err *e)
{
	struct kept kept = {0};
	int take = 0, told = 0, rc = is_new(k, f, &take, e);

	k->seen++;
	if (!rc && take)
		rc = record(k, f, &kept, &told, e);
	return rc || !told ? rc : tell(k, f, &kept, e);
}
