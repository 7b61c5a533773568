/* repro.h - a finding as a Python script that needs its library and numpy alone. */
#ifndef TRIAGE_REPRO_H
#define TRIAGE_REPRO_H

#include "judge/trial.h"
#include "store/store.h"

/* What else the script reads, beside model.onnx, inputs.npz, expected.npz and tolerance.npz. */
struct repro {
	struct buf script;
	int constants; /* constants.npz: the initializers, for a graph that is told as code */
	char why[256]; /* there is no script: why not */
};

void repro_release(struct repro *r);

/* r->script stays empty where there can be none, with the reason in r->why. */
int repro_make(const struct finding *f, const struct trial *t, struct repro *out, struct err *e);

/* "axes=[-1]". */
void repro_attribute(const struct attr *a, struct buf *out);

/* "onnxruntime 1.20.1: wrong of Conv". */
void repro_title(const struct finding *f, char *out, size_t size);

#endif
