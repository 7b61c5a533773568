/* repro.h - a finding as a Python script that needs its library and numpy alone. */
#ifndef TRIAGE_REPRO_H
#define TRIAGE_REPRO_H

#include "proof/proof.h"
#include "store/store.h"

struct repro {
	struct buf script;
	char why[512]; /* there is no script: why not */
};

void repro_release(struct repro *r);

/* The script, and into the folder what it reads beside model.onnx, inputs.npz, expected.npz (or gradients.npz and
 * seeds.npz) and tolerance.npz.  r->script stays empty where there can be none, with the reason in r->why: the library
 * has no Python package, or is not installed here and does not read ONNX.  spec NULL: the backend that f tells. */
int repro_make(const struct finding *f, const struct worker_spec *spec, struct trial *t, const char *folder,
	       struct repro *out, struct err *e);

/* "axes=[-1]". */
void repro_attribute(const struct attr *a, struct buf *out);

/* "onnxruntime 1.20.1: wrong of Conv"; what data say is without line ends, quotes and the like. */
void repro_title(const struct finding *f, char *out, size_t size);

/* repro_calls.c: runs the case on a worker that writes down what it tells the library: *calls gets the lines, the
 * folder the constants and models that they name.  ERR_UNSUPPORTED says why there are none. */
int repro_record(const struct finding *f, struct trial *t, const struct worker_spec *spec, const char *folder,
		 struct buf *calls, struct err *e);
/* Whether the finding is proven by one wrong call, or nothing is known of a proof: else none is looked for anew. */
int repro_is_by_call(const struct finding *f);
/* The one call of the library that the case shows to be wrong, if it does: *proof is that, *calls gets its lines, and
 * folder/REPRO_CALL_FOLDER its arguments, what is right, and what it means as model.onnx.  ERR_UNSUPPORTED: it does
 * not. */
#define REPRO_CALL_FOLDER "call"
int repro_prove(const struct finding *f, struct trial *t, const struct worker_spec *spec, const char *folder,
		struct proof *proof, struct buf *calls, struct err *e);

#endif
