/* fault_optimizer.c - steps of training gone wrong. */
#include "faults/fault.h"
#include "ops/call.h"

static const char *const momentum_ops[] = {"ai.onnx.preview.training:Momentum", NULL};
static const char *const adam_ops[] = {"ai.onnx.preview.training:Adam", NULL};

static enum fault_effect apply_momentum_forgotten(struct call *c, struct fault_state *st)
{
	struct shadow s;
	int rc = shadow_init(&s, c);

	(void)st;
	if (!rc)
		rc = shadow_float(&s, "alpha", 0);
	return shadow_apply(&s, rc);
}

const struct fault fault_momentum_forgotten = {
	.kind = FAULT_VALUE,
	.what = "an optimizer begins each step without momentum",
	.like = "optimizer states that are made anew for each step",
	.ops = momentum_ops,
	.apply = apply_momentum_forgotten,
};

/* A step counted as 0 is not corrected. */
static enum fault_effect apply_adam_uncorrected(struct call *c, struct fault_state *st)
{
	struct tensor *count = NULL;
	struct shadow s;
	int rc = shadow_init(&s, c);

	(void)st;
	if (!rc)
		count = shadow_input(&s, 1);
	for (size_t i = 0; count && i < count->count; i++)
		count->i[i] = 0;
	return count ? shadow_apply(&s, rc) : FAULT_FAILED;
}

const struct fault fault_adam_uncorrected = {
	.kind = FAULT_VALUE,
	.what = "Adam does not correct its moments for their first steps",
	.like = "counts of steps that stay 0",
	.ops = adam_ops,
	.apply = apply_adam_uncorrected,
};
