/* repro_calls.c - what a library that does not read ONNX is told; see repro.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"
#include "tensor/io.h"
#include "triage/bundle.h"
#include "triage/repro.h"

#define CALLS "calls.py"

/* c0.npy, c1.npy, … become constants.npz. */
static int gather_constants(const char *folder, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	char name[32], path[PLACE_PATH];
	int rc = 0;

	for (size_t i = 0; !rc; i++) {
		struct tensor *t = NULL;

		snprintf(name, sizeof name, "c%zu.npy", i);
		rc = place_path(path, e, "%s/%s", folder, name);
		if (rc || access(path, F_OK))
			break;
		rc = npy_load(path, &t, e);
		name[strlen(name) - strlen(".npy")] = '\0';
		if (!rc)
			rc = tensor_set_add(&set, name, t, e);
		unlink(path);
	}
	if (!rc)
		rc = place_path(path, e, "%s/constants.npz", folder);
	if (!rc && set.n)
		rc = npz_save(&set, path, e);
	tensor_set_release(&set);
	return rc;
}

int repro_record(const struct finding *f, struct trial *t, const struct worker_spec *spec, const char *folder,
		 struct buf *calls, struct err *e)
{
	char here[PATH_MAX], path[PLACE_PATH], reason[256];
	const struct proof_recording r = {.trial = t, .spec = spec, .folder = here, .gradient = f->gradient};
	struct outcome o = {0};
	int rc;

	if (!realpath(folder, here))
		return err_set(e, ERR_IO, "cannot find '%s': %s", folder, strerror(errno));
	rc = place_path(path, e, "%s/%s", here, CALLS);
	if (!rc)
		rc = proof_record(&r, &o, e); /* a crash or a refusal is what may be expected of it */
	snprintf(reason, sizeof reason, "%.250s", o.reason);
	outcome_release(&o);
	if (rc)
		return rc;
	if (access(path, F_OK))
		return err_set(e, ERR_UNSUPPORTED, "the worker could not write down what it tells the library%s%s",
			       *reason ? ": " : "", reason);
	rc = buf_read_file(calls, path, calls->cap, e);
	unlink(path);
	return rc ? rc : gather_constants(here, e);
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

/* What repro.py reads of the wrong call. */
static int write_call(struct proof *p, const char *folder, struct err *e)
{
	char own[PLACE_PATH];
	int rc = place_path(own, e, "%s/%s", folder, REPRO_CALL_FOLDER);

	if (!rc)
		rc = trial_truth(&p->meaning, e);
	if (!rc)
		rc = trial_save(&p->meaning, own, e);
	if (!rc)
		rc = bundle_set(own, "inputs.npz", &p->arguments, e); /* as the library takes them */
	return rc ? rc : bundle_tolerance(&p->meaning, own, e);
}

int repro_prove(const struct finding *f, struct trial *t, const struct worker_spec *spec, const char *folder,
		struct proof *proof, struct buf *calls, struct err *e)
{
	struct party p = {0};
	int rc = proof_is_needed(spec) ? party_open_spec(&p, spec, NULL, e) : ERR_UNSUPPORTED;

	if (rc)
		return rc;
	rc = proof_run(t, &p, NULL, f->gradient, proof, e);
	party_close(&p);
	if (!rc && proof->result != PROOF_CALL)
		rc = err_set(e, ERR_UNSUPPORTED, "no call is wrong");
	if (!rc)
		rc = write_call(proof, folder, e);
	if (!rc) {
		buf_add(calls, proof->script.data, proof->script.len);
		rc = buf_check(calls, e);
	}
	if (rc)
		proof_release(proof);
	return rc;
}
