/* backend.h - what a library must offer inside its worker process.
 *
 * A worker is a process for each library (assay-worker <name>): the child's loop, which speaks the protocol, over one
 * `const struct backend backend_<name>` in src/backends/<name>/.  Nothing else in the program knows the library.
 *
 * Statuses: ERR_INPUT (the library refuses a model or an input, or its answer makes no sense), ERR_UNSUPPORTED (it or
 * the binding does not have it), ERR_MEMORY; ERR_INTERNAL and ERR_LIMIT are ours.  Messages are the library's words. */
#ifndef WORKER_BACKEND_H
#define WORKER_BACKEND_H

#include "base/arena.h"
#include "base/buf.h"
#include "tensor/io.h"
#include "tensor/value.h"

#define BACKEND_API 1

struct backend_option {
	const char *name, *value;
};

struct backend_options {
	const struct backend_option *at;
	size_t n;
};

/* The value of an option, or `otherwise`. */
const char *backend_option(const struct backend_options *o, const char *name, const char *otherwise);
int64_t backend_option_int(const struct backend_options *o, const char *name, int64_t otherwise);

/* Where a shared library lies: in lib/ of the folder of an installed version, in the folder itself, as a build leaves
 * it, also with a version behind its name; or `folder` is the file.  What is nowhere is looked for in lib/, for the
 * message. */
int backend_find_library(const char *folder, const char *file, char *out, size_t size, struct err *e);

/* The error of a dlopen() of the file, or of a dlsym() in it, that has just failed.  The system's own message mostly
 * begins with the file. */
int backend_cannot_open(const char *path, struct err *e);

struct named_value {
	const char *name;
	struct value *value; /* packed tensors */
};

/* One argument of a native operation (INVOKE). */
struct backend_argument {
	const char *name;
	enum {
		ARG_NONE,
		ARG_TENSOR,
		ARG_INT,
		ARG_FLOAT,
		ARG_STRING,
		ARG_BOOL,
		ARG_DTYPE,
		ARG_INTS,
		ARG_FLOATS,
		ARG_STRINGS,
		ARG_TENSORS
	} kind;
	struct value *tensor;
	int64_t i; /* also bool and dtype */
	double f;
	const char *s;
	const int64_t *ints;
	const double *floats;
	const char *const *strings;
	struct value *const *tensors;
	size_t n;
};

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* Everything in a request belongs to whoever makes it and lives until the call returns; what comes back is given apart
 * from it.  The parent's worker_run() and its kin (parent/worker.h) take the same ones. */

struct backend_values {
	const struct named_value *at;
	size_t n;
};

/* The value of that name, or NULL. */
const struct named_value *backend_value(const struct backend_values *v, const char *name);

struct backend_names {
	const char *const *at;
	size_t n;
};

/* LOAD: an ONNX model. */
struct backend_model {
	const void *bytes;
	size_t n;
	const char
		*path; /* of its file, when data lie in further files beside that, and bytes may lack them; or NULL */
	struct backend_options options;
	struct backend_names outputs; /* intermediate tensors to expose besides the graph's outputs */
};

/* RUN: a session on these inputs. */
struct backend_run {
	struct backend_values in;
	struct backend_names wanted; /* outputs */
};

/* BACKWARD: gradients of Σ seed · output with respect to wanted inputs and initializers. */
struct backend_gradient {
	struct backend_values in, seeds;
	struct backend_names wanted;
};

/* INVOKE: one native operation. */
struct backend_call {
	const char *operation;
	const struct backend_argument *args;
	size_t n_args;
	int gradient;   /* of Σ head · output is wanted, by tensor argument */
	uint32_t heads; /* which numbers the heads are: backend_head(); also of option sets that derive */
};

/* The head of element k of a float output: 0 gives ones, everything else odd multiples of 1/16 between -1 and 1, which
 * are exact in every float type of 16 bits or more.  Sums are not enough: a softmax has none that changes. */
double backend_head(uint32_t heads, size_t k);
/* … of all its elements, packed; NULL on failure. */
struct tensor *backend_heads(uint32_t heads, enum dtype t, int rank, const int64_t *dims, struct err *e);

/* What came of a call: new references in arrays, all the caller's.  Zeroed is empty. */
struct backend_answer {
	struct value **out;
	size_t n_out;
	struct tensor **grads;
	size_t n_grads;
};

void backend_answer_free(struct backend_answer *a);

/* A text that calls share when they differ in the values of their tensors alone: what was built for one of them
 * serves the others.  *out must be initialised. */
void backend_call_key(const struct backend_call *c, struct buf *out);

/* ---- operations -------------------------------------------------------------------------------------------------- */

struct backend_parameter {
	char *name, *type, *default_value;
	char **allowed;
	size_t n_allowed;
	int is_input, optional;
};

struct backend_operation {
	char *name, *doc;
	char *unusable; /* why no call of it can succeed here, as far as the library knows; NULL or "": it may */
	struct backend_parameter *parameters;
	size_t n_parameters, n_outputs;
	char **output_names; /* one for each output; NULL: the library does not name them */
	int stateful;        /* the library says that results hang on more than the arguments */
};

/* ---- a backend --------------------------------------------------------------------------------------------------- */

struct backend {
	int api;             /* BACKEND_API */
	const char *name;    /* "ort" */
	const char *library; /* "onnxruntime" */
	const char *domain;  /* (optional) of operators that are its own: "com.microsoft" */
	int files;           /* load() reads the file itself where backend_model has its path */

	/* Opens the library that is installed in `folder`; *version is borrowed until close, and the strings of `o` may
	 * be held until then. */
	int (*open)(const char *folder, const struct backend_options *o, void **ctx, const char **version,
		    struct err *e);
	void (*close)(void *ctx);

	/* (optional) other options from now on, in place of all of open()'s; nothing is loaded.  `o` as there. */
	int (*reopen)(void *ctx, const struct backend_options *o, struct err *e);

	int (*load)(void *ctx, const struct backend_model *m, void **session, struct err *e);
	void (*unload)(void *ctx, void *session);

	/* Names of all outputs of a session, in order; borrowed. */
	size_t (*outputs)(void *session, const char *const **names);

	/* out[i] for wanted.at[i]: new references, packed tensors. */
	int (*run)(void *ctx, void *session, const struct backend_run *q, struct value **out, struct err *e);

	/* (optional) grads[i] for wanted.at[i], as in run. */
	int (*backward)(void *ctx, void *session, const struct backend_gradient *q, struct tensor **grads,
			struct err *e);

	/* (optional) *out is empty when it is called, and stays so on failure. */
	int (*invoke)(void *ctx, const struct backend_call *c, struct backend_answer *out, struct err *e);

	/* (optional) the library's own registry, names that begin with `prefix`; carved from the arena. */
	int (*list)(void *ctx, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
		    struct err *e);

	/* (optional) operators it can run ("Conv", "ai.onnx.ml:Scaler"), NULL-terminated; NULL: ask by trying. */
	const char *const *(*operators)(void *ctx);
};

/* The child's loop: serves requests on descriptor 3 with shared memory on descriptor 4 until BYE or end of file.
 * A worker's main() is `return worker_serve(&backend_<name>);`. */
int worker_serve(const struct backend *b);

#endif
