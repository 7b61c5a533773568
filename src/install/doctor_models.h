/* doctor_models.h - the two small models of `assay backends doctor`. */
#ifndef INSTALL_DOCTOR_MODELS_H
#define INSTALL_DOCTOR_MODELS_H

#include "base/buf.h"
#include "model/model.h"
#include "reference/reference.h"

/* A model, its input, and what the reference says with its noise. */
struct doctor_case {
	const char *name; /* "add" */
	struct model *model;
	struct buf bytes; /* as libraries get it */
	struct value *input;
	struct ref_result truth;
};

#define DOCTOR_CASES 2

/* Opset 13, which every library version here reads.  All cases, or none. */
int doctor_cases_make(struct doctor_case out[DOCTOR_CASES], struct err *e);
void doctor_cases_release(struct doctor_case cases[DOCTOR_CASES]);

#endif
