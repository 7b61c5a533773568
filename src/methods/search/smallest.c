/* smallest.c - sources of crashes: the smallest set of edits with which a network still fails in the same way.
 *
 * Edits are taken back one at a time, from the last to the first and over again, as long as the failure stays; what is
 * left cannot do without any of them.  Where an edit changed what another had made, one less may let the other do
 * something else: what they do is told anew, and only the verdict must be the same. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "methods/search/internal.h"

/* Makes the network of some genes and runs it; *same: it fails as f says. */
static int run_genes(const struct search_failure *f, const uint64_t *genes, const struct judge_options *judge,
		     char *said, int *same, struct err *e)
{
	const struct variation *v = f->variation;
	struct individual x = {0};
	struct outcome o = {0};
	int rc;

	*same = 0;
	memcpy(x.genes, genes, sizeof x.genes);
	rc = variation_network(v, &f->individual->trial, &x, e);
	if (!rc && *x.edits) /* the network itself is no set of edits */
		rc = trial_judge(&x.trial, f->party, judge, &o, e);
	if (rc == ERR_UNSUPPORTED || rc == ERR_LIMIT) {
		err_clear(e);
		rc = 0;
	} else if (!rc && o.verdict == f->outcome->verdict) {
		memcpy(said, x.edits, sizeof x.edits);
		*same = 1;
	}
	outcome_release(&o);
	individual_release(&x);
	return rc;
}

int search_smallest(const struct search_failure *f, const struct judge_options *judge, double seconds,
		    char said[SEARCH_SAID], struct err *e)
{
	uint64_t genes[SEARCH_EDITS];
	double end = clock_now() + seconds;
	size_t unneeded = 0; /* tries in a row that took nothing back */

	snprintf(said, SEARCH_SAID, "%s", f->edits);
	if (f->level != SEARCH_NETWORK)
		return 0;
	memcpy(genes, f->individual->genes, sizeof genes);
	for (size_t i = SEARCH_EDITS; unneeded < SEARCH_EDITS && clock_now() < end; unneeded++) {
		uint64_t gene;
		int same = 0, rc;

		i = i ? i - 1 : SEARCH_EDITS - 1;
		gene = genes[i];
		genes[i] = 0;
		rc = gene ? run_genes(f, genes, judge, said, &same, e) : 0;
		if (rc)
			return rc;
		if (same)
			unneeded = 0;
		else
			genes[i] = gene;
	}
	return 0;
}
