/* oracle_rounding.c - assay's own oracle: what rounding does not explain is wrong, and the reference says on which
 * side. */
#include "judge/oracle.h"

static double rounding_distance(const struct oracle_case *c, size_t i, struct oracle_answer *out)
{
	const struct ref_output *right = &c->truth->outputs[i];
	struct judgement a, b;

	judge_value(right->value, right->noise, c->a[i], JUDGE_LIMIT, &a);
	judge_value(right->value, right->noise, c->b[i], JUDGE_LIMIT, &b);
	out->wrong |= (verdict_is_finding(a.verdict) ? 1 : 0) | (verdict_is_finding(b.verdict) ? 2 : 0);
	return a.ratio > b.ratio ? a.ratio : b.ratio;
}

const struct oracle oracle_rounding = {
	.summary = "further from the right answer than float rounding explains",
	.paper = "docs/oracle.md",
	.limit = JUDGE_LIMIT,
	.needs_truth = 1,
	.gradients = 1,
	.distance = rounding_distance,
};
