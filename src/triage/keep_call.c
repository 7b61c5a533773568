/* keep_call.c - findings that a call of a library's own operation shows, on their way to the store (declared in
 * triage.h).
 *
 * There is no model, so nothing to reduce further and no node to blame: the method hands over the smallest inputs that
 * it has seen, and the operation is known. */
#include <stdio.h>
#include <string.h>

#include "triage/keeping.h"

static int confirm(struct keeping *x, enum verdict *v, struct err *e)
{
	const struct keep_call *c = x->what;

	(void)e;
	*v = c->repeats > 0 ? c->verdict : VERDICT_FLAKY;
	if (!(c->repeats > 0))
		snprintf(x->out->why, sizeof x->out->why, "it did not reproduce");
	return 0;
}

/* The stored finding that this is a smaller example of; it may be gone. */
static int find_earlier(struct keeping *x, int64_t id, struct err *e)
{
	struct err gone = ERR_INIT;
	struct finding f;
	int rc = keeper_open(x->k, e);

	if (rc || !id || store_get(x->k->store, id, &f, &gone))
		return rc;
	x->f.id = f.id;
	x->f.time = f.time;
	finding_release(&f);
	return 0;
}

static int describe(struct keeping *x, struct err *e)
{
	const struct keep_call *c = x->what;

	json_object_update(x->evidence, c->evidence);
	x->f = (struct finding){.backend = c->spec->name,
				.library = c->spec->library,
				.version = c->version,
				.verdict = c->verdict,
				.op = c->operation,
				.node = "",
				.parameter = "",
				.noise_ratio = c->ratio,
				.detail = c->detail,
				.command = c->command,
				.seed = c->seed,
				.inputs = c->inputs,
				.since = "",
				.until = ""};
	return find_earlier(x, c->id, e);
}

static int sign(struct keeping *x, struct buf *out, struct err *e)
{
	const struct keep_call *c = x->what;

	return signature_call(c->spec, c->operation, c->verdict, c->class, out, e);
}

/* The same calls with the same inputs on the same version. */
static int is_same(const struct keeping *x, const struct finding *f)
{
	const struct keep_call *c = x->what;
	json_t *theirs = json_loads(f->evidence, 0, NULL);
	int same = f->id != x->f.id && !strcmp(f->backend, c->spec->name) && !strcmp(f->version, c->version) &&
		   f->inputs.n == c->inputs.n && !memcmp(f->inputs.p, c->inputs.p, c->inputs.n) &&
		   !strcmp(json_text_at(theirs, "a"), json_text_at(c->evidence, "a")) &&
		   !strcmp(json_text_at(theirs, "b"), json_text_at(c->evidence, "b"));

	json_decref(theirs);
	return same;
}

static const struct keep_kind call_kind = {.confirm = confirm, .describe = describe, .sign = sign, .is_same = is_same};

int keep_call(struct keeper *k, const struct keep_call *c, struct kept *out, struct err *e)
{
	struct keeping x = {.k = k, .kind = &call_kind, .what = (void *)(uintptr_t)c, .own = c->own, .out = out};

	return keep(&x, e);
}
