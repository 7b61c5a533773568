/* verdict_of.c - see verdict_of.h. */
#include "methods/check/verdict_of.h"

#include <stdio.h>
#include <string.h>

static const struct check_blame *blame_of(const struct check_report *r, size_t backend)
{
	for (size_t i = 0; i < r->located->n_blames; i++)
		if (r->located->blames[i].backend == backend)
			return &r->located->blames[i];
	return NULL;
}

/* "Conv" of "onnxruntime/Conv/wrong/f32.4d". */
static void put_operator(const char *signature, char *out, size_t size)
{
	const char *second = strchr(signature, '/');

	snprintf(out, size, "%.*s", second ? (int)strcspn(second + 1, "/") : 0, second ? second + 1 : "");
}

static const char *difference_between(const struct check_report *r, size_t a, size_t b)
{
	for (size_t i = 0; i < r->result->n_differences; i++) {
		const struct check_difference *d = &r->result->differences[i];

		if (a != b && !*d->other && ((d->a == a && d->b == b) || (d->a == b && d->b == a)))
			return d->how;
	}
	return NULL;
}

void check_verdict_of(const struct check_report *r, size_t backend, size_t other, struct check_verdict *out)
{
	const struct check_backend *b = &r->result->backends[backend];
	const struct check_blame *blame = blame_of(r, backend);
	const struct check_held *held = r->result->held ? &r->result->held[backend] : NULL;
	const char *how = difference_between(r, backend, other);

	*out = (struct check_verdict){.verdict = verdict_name(b->verdict), .signature = "", .note = b->reason};
	if (blame && *blame->kept.signature) {
		out->verdict = verdict_name(blame->kept.verdict); /* what does not come again is flaky */
		out->signature = blame->kept.signature;
		put_operator(out->signature, out->op, sizeof out->op);
	} else if (blame && blame->blame.n) {
		snprintf(out->op, sizeof out->op, "%s", blame->blame.at[0].node->op_type);
	}
	if (how && !verdict_is_finding(b->verdict)) {
		out->verdict = "differs";
		out->note = how;
	}
	if (held && held->n_findings && !verdict_is_finding(b->verdict)) { /* right, for all that the reference knows */
		out->verdict = verdict_name(held->verdict);
		out->note = held->reason;
	}
}
