/* record.c - a case on a worker that writes down what it tells its library (declared in proof.h). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/place.h"
#include "libraries/libraries.h"
#include "proof/proof.h"

#define RECORD_SECONDS 300 /* of a run whose calls are compiled and written down one by one */

int proof_is_needed(const struct worker_spec *spec)
{
	const struct library *l = library_find(spec->backend);

	return l && l->calls.bound;
}

static int set_eager(const char *option, struct worker_spec *spec, struct err *e)
{
	char name[32];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(option, "="), option);
	return spec_set_option(spec, name, option + strlen(name) + 1, e);
}

static int set_options(const struct proof_recording *r, struct worker_spec *spec, struct err *e)
{
	const struct library *l = library_find(spec->backend);
	int rc = spec_set_option(spec, "record", r->folder, e);

	if (!rc && r->values)
		rc = spec_set_option(spec, "values", "1", e);
	if (!rc && r->values && l && l->calls.eager)
		rc = set_eager(l->calls.eager, spec, e);
	return rc;
}

int proof_open(const struct proof_recording *r, struct party *p, struct err *e)
{
	const struct worker_limits limits = {.run_seconds = RECORD_SECONDS};
	struct worker_spec copy = {0};
	int rc = spec_copy(r->spec, &copy, e);

	if (rc)
		return rc;
	rc = set_options(r, &copy, e);
	if (!rc)
		rc = party_open_spec(p, &copy, r->values ? &limits : NULL, e);
	spec_release(&copy);
	return rc;
}

int proof_record(const struct proof_recording *r, struct outcome *o, struct err *e)
{
	struct party p = {0};
	int rc = proof_open(r, &p, e);

	if (rc)
		return rc;
	rc = r->gradient ? trial_judge_gradients(r->trial, &p, NULL, o, e) : trial_judge(r->trial, &p, NULL, o, e);
	party_close(&p);
	return rc;
}

/* ---- the proof of a finding -------------------------------------------------------------------------------------- */

/* Forward calls are proven.  Of one call its derivative can only be the library's; that of several hangs on how we put
 * them together, too (the branch of a selection that is not taken may well have none). */
static void settle_gradient(struct proof *out)
{
	out->result = out->total == 1 ? PROOF_GRADIENT : PROOF_UNKNOWN;
	snprintf(out->why, sizeof out->why, "gradient: forward calls proven; %s",
		 out->total == 1 ? "the derivative of the one call is wrong"
				 : "whether the derivative of one of them is wrong is not known");
}

/* Call by call it may be right where the library's compiler makes it wrong, or its derivative. */
static void settle_right_calls(const struct outcome *again, int gradient, struct proof *out)
{
	if (out->result != PROOF_OURS || verdict_is_finding(again->verdict))
		return;
	if (gradient) {
		settle_gradient(out);
		return;
	}
	out->result = PROOF_TOGETHER;
	snprintf(out->why, sizeof out->why, "all %zu calls are right one by one; compiled together they are not",
		 out->judged);
}

/* Calls that are right one by one and still give a wrong result: roundings of many may do that, and so may we. */
static int settle_together(const struct calls *c, const struct meanings *m, const struct trial *t,
			   const struct outcome *again, struct proof *out, struct err *e)
{
	int right = 0, rc = 0;

	if (out->result == PROOF_OURS && verdict_is_finding(again->verdict) && again->values)
		rc = proof_compose(c, m, t, again, &right, e);
	if (rc || !right)
		return rc;
	out->result = PROOF_ROUNDING;
	snprintf(out->why, sizeof out->why,
		 "all %zu calls are right, and so is what they mean together: their roundings add up to this",
		 out->judged);
	return 0;
}

/* A library without a table of meanings: nothing can be said of it. */
static int load_meanings(const struct party *p, struct meanings *m, struct err *e)
{
	int rc = meanings_load(library_find(p->spec.backend)->name, m, e);

	if (rc != ERR_IO)
		return rc;
	err_clear(e);
	return 0;
}

/* A case that did not hang, and call by call does not come to its end in time: which call it was says nothing. */
static void settle_slow(const struct outcome *found, const struct outcome *again, struct proof *out)
{
	if (again->verdict != VERDICT_HANG || (found && found->verdict == VERDICT_HANG))
		return;
	proof_release(out);
	out->result = PROOF_UNKNOWN;
	snprintf(out->why, sizeof out->why, "call by call it takes more than %d seconds", RECORD_SECONDS);
}

static int prove_in(const char *folder, struct trial *t, const struct party *p, const struct outcome *found,
		    int gradient, struct proof *out, struct err *e)
{
	struct proof_recording r = {.trial = t, .spec = &p->spec, .folder = folder, .values = 1};
	struct outcome again = {0};
	struct meanings m = {.arena = ARENA_INIT};
	struct calls c = {.arena = ARENA_INIT};
	int rc = proof_record(&r, &again, e);

	if (!rc)
		rc = load_meanings(p, &m, e);
	if (!rc)
		rc = calls_read(folder, &c, e);
	if (rc == ERR_IO) { /* it wrote nothing down */
		out->result = PROOF_UNKNOWN;
		snprintf(out->why, sizeof out->why, "the calls are not known: %.400s", e->msg);
		err_clear(e);
		rc = 0;
	} else if (!rc) {
		rc = proof_of_calls(&c, &m, p, proof_end_of(&again), out, e);
		if (!rc) {
			settle_right_calls(&again, gradient, out);
			settle_slow(found, &again, out);
			rc = gradient ? 0 : settle_together(&c, &m, t, &again, out, e);
		}
	}
	calls_release(&c);
	meanings_release(&m);
	outcome_release(&again);
	return rc;
}

int proof_run(struct trial *t, const struct party *p, const struct outcome *found, int gradient, struct proof *out,
	      struct err *e)
{
	char folder[PLACE_PATH];
	struct err ignored = ERR_INIT;
	int rc;

	*out = (struct proof){.result = PROOF_MODEL};
	if (!proof_is_needed(&p->spec))
		return 0;
	rc = place_temporary_folder(folder, "proof", e);
	if (rc)
		return rc;
	rc = prove_in(folder, t, p, found, gradient, out, e);
	place_remove_tree(folder, &ignored);
	if (rc)
		proof_release(out);
	return rc;
}
