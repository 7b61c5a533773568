/* doubt_tell.c - what is said of an answer that looked wrong and is explained: see doubt.c. */
#include <math.h>
#include <stdio.h>

#include "judge/internal.h"

#define ONE_PASS "a variance in one pass"

static void tell_loss(const struct doubt_found *f, struct outcome *o)
{
	size_t n = f->explained[BY_ONE_PASS];
	char figure[64];

	if (isfinite(f->loss))
		snprintf(figure, sizeof figure, "%.3g times (%.1f bits) more than", f->loss, log2(f->loss));
	else
		snprintf(figure, sizeof figure, "all of what");
	o->explained_by = ONE_PASS;
	snprintf(o->reason, sizeof o->reason,
		 "precision loss: a variance as E(x^2) - E(x)^2 gives this; %zu element%s %s a stable algorithm %s", n,
		 n == 1 ? " loses" : "s lose", figure, isfinite(f->loss) ? "does" : "keeps");
}

void doubt_tell(const struct doubt_found *f, const struct trial *t, struct outcome *o)
{
	o->verdict = f->explained[BY_OPEN]       ? VERDICT_UNSPECIFIED
		     : f->explained[BY_ONE_PASS] ? VERDICT_EXPLAINED
		     : f->explained[BY_ABSOLUTE] ? VERDICT_PRECISION
						 : VERDICT_ROUNDING;
	o->of_nan = o->verdict == VERDICT_UNSPECIFIED && f->open.of_nan;
	o->doubtful = o->verdict != VERDICT_UNSPECIFIED && ref_quantizes(t->ref);
	if (f->explained[BY_OPEN])
		snprintf(o->reason, sizeof o->reason, "ONNX leaves open what comes of this: %s", f->open.text);
	else if (f->explained[BY_ONE_PASS])
		tell_loss(f, o);
	else if (f->explained[BY_ABSOLUTE])
		snprintf(o->reason, sizeof o->reason,
			 "an approximation of a function may give this: %zu element%s off by %.2g%s",
			 f->explained[BY_ABSOLUTE], f->explained[BY_ABSOLUTE] == 1 ? " is" : "s are", f->error,
			 f->explained[BY_ABSOLUTE] == 1 ? "" : " at most");
	else if (f->explained[BY_TIES])
		snprintf(o->reason, sizeof o->reason,
			 "a correct library may give this: quotients that are quantized are next to ties");
	else if (f->explained[BY_INSIDE])
		snprintf(o->reason, sizeof o->reason,
			 "an operator that computes in its type gives this: a sum or product inside is beyond its "
			 "range, or a quotient is next to a tie");
	else
		snprintf(o->reason, sizeof o->reason, "a correct library with other roundings may give this");
}
