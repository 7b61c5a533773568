/* proof.h - is a finding a claim about the library, or about our own translation?
 *
 * A library that does not read ONNX is told a case by calls of its own, made by a binding.  Before it is blamed, the
 * calls are written down with what came of each, and each is held against its documented meaning (meaning.h),
 * computed by the reference with rounding noise.  The first call that is wrong is the finding; when none is, the
 * binding is, and nothing may be said against the library. */
#ifndef PROOF_PROOF_H
#define PROOF_PROOF_H

#include "judge/trial.h"
#include "proof/meaning.h"

/* id, word for JSON and stores, does it accuse the library */
#define PROOF_MAP(X)                                                                                            \
	X(PROOF_MODEL, "model", 1)       /* the library reads ONNX itself */                                    \
	X(PROOF_CALL, "call", 1)         /* one call of the library is wrong, refused or deadly */              \
	X(PROOF_TOGETHER, "together", 1) /* each call alone is right; compiled together they are not */         \
	X(PROOF_GRADIENT, "gradient", 1) /* the one call is right; the library's own derivative of it is not */ \
	X(PROOF_LIMIT, "limit", 0)       /* the library's documentation excludes a call, or leaves it open */   \
	X(PROOF_OURS, "ours", 0)         /* every call is right: our translation is wrong, or our noise */      \
	X(PROOF_ROUNDING, "rounding", 0) /* every call is right, and so is what they mean together */           \
	X(PROOF_UNKNOWN, "unknown", 0)   /* a call of unknown meaning: nothing can be said */

enum proof_result {
#define X(id, word, accuses) id,
	PROOF_MAP(X)
#undef X
};

const char *proof_name(enum proof_result r);
int proof_accuses(enum proof_result r);

struct proof {
	enum proof_result result;
	char why[512];          /* one sentence */
	char name[128];         /* PROOF_CALL, PROOF_LIMIT, PROOF_UNKNOWN: the operation */
	struct buf call;        /* "add.Tensor(float32[2,3], float32[3], alpha=1)" */
	size_t number, total;   /* which of the calls it is, from 1; how many there were */
	struct trial meaning;   /* PROOF_CALL: the call as an ONNX model with its inputs */
	struct outcome outcome; /* … and what came of it */
	struct buf script;      /* … and as lines of calls.py, that one call alone, its arguments taken from inputs */
	struct tensor_set arguments; /* … which are these */
	size_t judged, unknown;      /* calls that were held against their meaning; calls that have none */
	size_t limits;               /* calls whose results the documentation leaves open */
};

void proof_release(struct proof *p); /* zeroed is fine */

/* Is the library reached through a binding of ours? */
int proof_is_needed(const struct worker_spec *spec);

/* What a case shows that a backend failed on: `found` (NULL: not known; `gradient`: its gradients are wrong).  A
 * negative status means that assay itself failed. */
int proof_run(struct trial *t, const struct party *p, const struct outcome *found, int gradient, struct proof *out,
	      struct err *e);

/* agree.c: an answer that ONNX leaves open because NaN is ordered (o->of_nan) must come again, and be the same on the
 * library's other option set.  Else o->verdict is flaky, or the one that was taken back, and stands.  For libraries
 * that read ONNX: calls of others are judged one by one. */
int proof_agree(struct trial *t, struct party *p, struct outcome *o, struct err *e);

/* How a run ended: with values, with an error that the library told, or by a signal, out of time or memory. */
enum proof_end { PROOF_END_VALUES, PROOF_END_REFUSED, PROOF_END_DEAD };
enum proof_end proof_end_of(const struct outcome *o);

/* The same with calls that were recorded already.  A refused call is a finding only where its row says that it takes
 * such arguments; a call is never free to kill the process. */
int proof_of_calls(const struct calls *c, const struct meanings *m, const struct party *p, enum proof_end end,
		   struct proof *out, struct err *e);

/* Whether what came of the case, *o, is right but for the roundings of its calls, each of which is right: all outputs
 * that are wrong were made by them, and what the calls mean together, without rounding, is the right answer to *t. */
int proof_compose(const struct calls *c, const struct meanings *m, const struct trial *t, const struct outcome *o,
		  int *right, struct err *e);

/* Runs the case on a fresh worker that writes its calls down, with values or without; what came of it is *o. */
struct proof_recording {
	struct trial *trial;
	const struct worker_spec *spec;
	const char *folder; /* where calls.py goes */
	int values;         /* elements too */
	int gradient;
};
int proof_record(const struct proof_recording *r, struct outcome *o, struct err *e);
/* Such a worker for many cases: each run writes its calls in place of those before. */
int proof_open(const struct proof_recording *r, struct party *p, struct err *e);

#endif
