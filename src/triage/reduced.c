/* reduced.c - see reduced.h. */
#include "triage/reduced.h"

void case_bytes_release(struct case_bytes *b)
{
	buf_release(&b->model);
	buf_release(&b->inputs);
	buf_release(&b->expected);
}

struct bytes case_bytes_of(const struct buf *b)
{
	return (struct bytes){b->data ? b->data : "", b->len};
}

int case_bytes_make(struct trial *t, struct case_bytes *out, struct err *e)
{
	int rc;

	buf_init(&out->model, MODEL_MAX_FILE);
	buf_init(&out->inputs, MODEL_MAX_FILE);
	buf_init(&out->expected, MODEL_MAX_FILE);
	buf_add(&out->model, t->bytes.data, t->bytes.len);
	rc = buf_check(&out->model, e);
	if (!rc)
		rc = trial_inputs_npz(t, &out->inputs, e);
	if (!rc && !t->invalid)
		rc = trial_expected_npz(t, &out->expected, e);
	return rc;
}

int reduced_set(struct reduce_result *r, struct case_bytes *bytes, struct finding *f, struct err *e)
{
	int rc = case_bytes_make(&r->trial, bytes, e);

	if (rc)
		return rc;
	f->reduced_model = case_bytes_of(&bytes->model);
	f->reduced_inputs = case_bytes_of(&bytes->inputs);
	f->reduced_expected = case_bytes_of(&bytes->expected);
	f->nodes = (int)r->nodes_after;
	return 0;
}

json_t *reduced_json(const struct reduce_result *r)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:s, s:I, s:s}", "tries", (json_int_t)r->tries, "kept",
			 (json_int_t)r->kept, "dropped", (json_int_t)r->dropped, "nodes_before",
			 (json_int_t)r->nodes_before, "nodes_after", (json_int_t)r->nodes_after, "seconds", r->seconds,
			 "backend_seconds", r->backend_seconds, "guilty", r->switches.words, "cures",
			 (json_int_t)r->switches.n, "made_by", r->switches.made_by);
}
