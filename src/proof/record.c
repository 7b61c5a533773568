/* record.c - a case on a worker that writes down what it tells its library (declared in proof.h). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/place.h"
#include "proof/proof.h"

/* Options that make a library compute call by call. */
static const struct {
	const char *backend, *option, *value;
} eager[] = {{"torch", "mode", "eager"}, {"tf", "mode", "eager"}, {"mxnet", "mode", "imperative"},
	     {"jax", "mode", "eager"},   {"tflite", "", ""},      {"ncnn", "model", "layers"},
	     {"pytensor", "", ""}};

/* "torch-cuda" is a torch. */
static size_t find_backend(const char *name)
{
	size_t n = strcspn(name, "-");

	for (size_t i = 0; i < sizeof eager / sizeof *eager; i++)
		if (strlen(eager[i].backend) == n && !strncmp(eager[i].backend, name, n))
			return i;
	return SIZE_MAX;
}

int proof_is_needed(const struct worker_spec *spec)
{
	return find_backend(spec->backend) != SIZE_MAX;
}

static int set_options(const struct proof_recording *r, struct worker_spec *spec, struct err *e)
{
	size_t i = find_backend(spec->backend);
	int rc = spec_set_option(spec, "record", r->folder, e);

	if (!rc && r->values)
		rc = spec_set_option(spec, "values", "1", e);
	if (!rc && r->values && i != SIZE_MAX && *eager[i].option)
		rc = spec_set_option(spec, eager[i].option, eager[i].value, e);
	return rc;
}

int proof_record(const struct proof_recording *r, struct outcome *o, struct err *e)
{
	struct worker_spec copy = {0};
	struct party p = {0};
	int rc = spec_copy(r->spec, &copy, e);

	if (rc)
		return rc;
	rc = set_options(r, &copy, e);
	if (!rc)
		rc = party_open_spec(&p, &copy, NULL, e);
	spec_release(&copy);
	if (rc)
		return rc;
	rc = r->gradient ? trial_judge_gradients(r->trial, &p, NULL, o, e) : trial_judge(r->trial, &p, NULL, o, e);
	party_close(&p);
	return rc;
}

/* ---- the proof of a finding -------------------------------------------------------------------------------------- */

static int temporary_folder(char *out, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	int rc = place_path(out, e, "%s/assay-proof-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	if (!rc && !mkdtemp(out))
		rc = err_set(e, ERR_IO, "cannot make a folder '%s': %s", out, strerror(errno));
	return rc;
}

/* Call by call it may be right where the library's compiler makes it wrong. */
static void settle_together(const struct outcome *again, struct proof *out)
{
	if (out->result != PROOF_OURS || verdict_is_finding(again->verdict))
		return;
	out->result = PROOF_TOGETHER;
	snprintf(out->why, sizeof out->why, "all %zu calls are right one by one; compiled together they are not",
		 out->judged);
}

static int prove_in(const char *folder, struct trial *t, const struct party *p, struct proof *out, struct err *e)
{
	struct proof_recording r = {.trial = t, .spec = &p->spec, .folder = folder, .values = 1};
	struct outcome again = {0};
	struct meanings m = {.arena = ARENA_INIT};
	struct calls c = {.arena = ARENA_INIT};
	char name[64];
	int rc = proof_record(&r, &again, e);

	snprintf(name, sizeof name, "%.*s", (int)strcspn(p->spec.backend, "-"), p->spec.backend);
	if (!rc)
		rc = meanings_load(name, &m, e);
	if (!rc)
		rc = calls_read(folder, &c, e);
	if (!rc)
		rc = proof_of_calls(&c, &m, p, again.values == NULL, out, e);
	if (!rc)
		settle_together(&again, out);
	calls_release(&c);
	meanings_release(&m);
	outcome_release(&again);
	return rc;
}

int proof_run(struct trial *t, const struct party *p, const struct outcome *found, struct proof *out, struct err *e)
{
	char folder[PLACE_PATH];
	struct err ignored = ERR_INIT;
	int rc;

	(void)found;
	*out = (struct proof){.result = PROOF_MODEL};
	if (!proof_is_needed(&p->spec))
		return 0;
	rc = temporary_folder(folder, e);
	if (rc)
		return rc;
	rc = prove_in(folder, t, p, out, e);
	place_remove_tree(folder, &ignored);
	if (rc)
		proof_release(out);
	return rc;
}
