/* cntk.h - CNTK in its worker: the backend, and the library behind it. */
#ifndef BACKENDS_CNTK_CNTK_H
#define BACKENDS_CNTK_CNTK_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/onnx/onnx.h"
#include "worker/backend.h"

extern const struct backend backend_cntk;

/* ---- the library (library.c) ------------------------------------------------------------------------------------- */

/* Layouts of its C interface.  Dimensions come innermost first, elements are float32. */
struct cntk_shape {
	uint32_t *value;
	uint32_t size;
};

struct cntk_variable {
	char *name;
	struct cntk_shape shape;
};

struct cntk_value {
	struct cntk_shape shape;
	float *data;
};

struct cntk_status {
	int32_t code;
	char text[4096];
};

struct cntk_device {
	int kind;
	uint32_t id;
};

#define CNTK_FUNCTIONS(F)                                                                                \
	F(struct cntk_status, CNTK_LoadModel, (const char *, const struct cntk_device *, void **))       \
	F(void, CNTK_ReleaseModel, (void *))                                                             \
	F(struct cntk_status, CNTK_GetModelArgumentsInfo, (void *, struct cntk_variable **, uint32_t *)) \
	F(struct cntk_status, CNTK_GetModelOutputsInfo, (void *, struct cntk_variable **, uint32_t *))   \
	F(struct cntk_status, CNTK_EvaluateSequence,                                                     \
	  (void *, const struct cntk_variable *, const struct cntk_value *, const bool *, uint32_t,      \
	   const struct cntk_variable *, uint32_t, struct cntk_value **))                                \
	F(void, CNTK_CleanVariable, (struct cntk_variable *))                                            \
	F(void, CNTK_CleanValue, (struct cntk_value *))                                                  \
	F(void, CNTK_ReleaseArray, (void *))

struct cntk {
#define F(result, name, arguments) result(*name) arguments;
	CNTK_FUNCTIONS(F)
#undef F
	int (*assay_cntk_convert)(const char *, const char *, char *, size_t); /* of the shim */
};

int cntk_open_library(struct cntk *k, const char *folder, struct err *e);

/* A model of one output inside CNTK. */
struct cntk_model {
	void *handle;
	struct cntk_variable *in, *out;
	uint32_t n_in, n_out;
};

/* ERR_UNSUPPORTED: its reader has no such operator or form of one; ERR_INPUT: it refuses the model. */
int cntk_model_load(const struct cntk *k, const void *onnx, size_t n, struct cntk_model *out, struct err *e);
void cntk_model_release(const struct cntk *k, struct cntk_model *m); /* zeroed is fine */

/* Runs it with the values of `in`, wherever an argument of CNTK's has their name; *out is a new packed tensor. */
int cntk_model_run(const struct cntk *k, const struct cntk_model *m, const struct backend_values *in,
		   struct tensor **out, struct err *e);

#endif
