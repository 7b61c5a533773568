/* internal.h - what the files of the ONNX Runtime backend share. */
#ifndef BACKENDS_ORT_INTERNAL_H
#define BACKENDS_ORT_INTERNAL_H

#include "backends/ort/ort.h"
#include "backends/ort/ort_api.h"

struct ort {
	void *handle;
	struct ort_api api;
	const char *version;
	int minor; /* N of version 1.N.P */
	struct OrtEnv *env;
	struct OrtMemoryInfo *cpu;
	struct OrtAllocator *allocator;
};

struct ort_session {
	struct ort *ort;
	struct OrtSession *session;
	char **names; /* of the outputs */
	unsigned char *is_optional;
	size_t n_outputs;
};

/* Turns a status of the library into one of ours; takes it over. */
int ort_check(const struct ort *o, struct OrtStatus *s, const char *doing, struct err *e);

/* A value of the library that borrows the bytes of v, which must outlive it (strings are copied). */
int ort_from_value(struct ort *o, const struct value *v, struct OrtValue **out, struct err *e);

/* *v as one of ours: tensors take the library's value over and set *v to NULL.  `optional`: the graph says so. */
int ort_to_value(struct ort *o, struct OrtValue **v, int optional, struct value **out, struct err *e);

#endif
