/* doctor_models.h - the two small models of `assay backends doctor`. */
#ifndef INSTALL_DOCTOR_MODELS_H
#define INSTALL_DOCTOR_MODELS_H

#include "judge/trial.h"

/* A model with its input and what is right. */
struct doctor_case {
	const char *name; /* "add" */
	struct trial trial;
};

#define DOCTOR_CASES 2

/* Opset 13, which every library version here reads.  All cases, or none. */
int doctor_cases_make(struct doctor_case out[DOCTOR_CASES], struct err *e);
void doctor_cases_release(struct doctor_case cases[DOCTOR_CASES]);

#endif
