/* bundle.h - files of a bundle (for bundle*.c and repro*.c only). */
#ifndef TRIAGE_BUNDLE_H
#define TRIAGE_BUNDLE_H

#include "judge/trial.h"
#include "tensor/io.h"

int bundle_file(const char *folder, const char *name, const void *data, size_t n, int program, struct err *e);
int bundle_set(const char *folder, const char *name, const struct tensor_set *set, struct err *e);

/* tolerance.npz: how far rounding may be from the right outputs of a case whose truth is known. */
int bundle_tolerance(const struct trial *t, const char *folder, struct err *e);
/* The same for gradients, with gradients.npz, the right ones, and seeds.npz, which they belong to. */
int bundle_gradients(const struct trial *t, const char *folder, struct err *e);

#endif
