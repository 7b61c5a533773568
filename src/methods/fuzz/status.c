/* status.c - what a case comes to on a backend (see campaign.h). */
#include "methods/fuzz/campaign.h"

#define MAX_OUTPUTS FUZZ_MAX_PLAN

enum fuzz_status fuzz_status_of(const struct outcome *o)
{
	if (o->verdict == VERDICT_UNSUPPORTED || o->verdict == VERDICT_UNJUDGED || o->verdict == VERDICT_UNSPECIFIED)
		return FUZZ_UNSUPPORTED;
	if (o->verdict == VERDICT_FLAKY)
		return FUZZ_FLAKY;
	if (o->verdict == VERDICT_OURS || o->verdict == VERDICT_UNPROVEN)
		return FUZZ_OURS;
	if (!verdict_is_finding(o->verdict))
		return FUZZ_DCP;
	if (o->report.result == WORKER_OK)
		return FUZZ_DCF;
	return o->run_seconds > 0 ? FUZZ_IF : FUZZ_MCF;
}

/* What another oracle says of the numbers: against the first backend, of which it has nothing to say itself, or
 * against the reference where there is but one. */
static enum fuzz_status ask_oracle(const struct campaign_options *o, const struct trial *t, const struct outcome *all,
				   size_t i)
{
	const struct outcome *here = &all[i];
	struct value *truth[MAX_OUTPUTS];
	struct oracle_case c = {.truth = &t->truth, .a = truth, .b = here->values, .n = here->n};
	struct oracle_answer answer;

	if (o->n_specs > 1) {
		if (!i || !all[0].values)
			return FUZZ_DCP;
		c.a = all[0].values;
	}
	for (size_t k = 0; k < t->truth.n && k < MAX_OUTPUTS; k++)
		truth[k] = t->truth.outputs[k].value;
	c.n = c.n < MAX_OUTPUTS ? c.n : MAX_OUTPUTS;
	oracle_ask(o->oracle, &c, 0, &answer);
	return answer.inconsistent ? FUZZ_DCF : FUZZ_DCP;
}

enum fuzz_status fuzz_status_by(const struct campaign_options *o, const struct trial *t, const struct outcome *all,
				size_t i)
{
	return o->oracle && all[i].values && !t->untold ? ask_oracle(o, t, all, i) : fuzz_status_of(&all[i]);
}
