/* verdict.h - what may be said of a library's answer. */
#ifndef BASE_VERDICT_H
#define BASE_VERDICT_H

/* id, word, is it a finding */
#define VERDICT_MAP(X)                                                                                                 \
	X(VERDICT_AGREE, "agree", 0)         /* equal to the exact value rounded once */                               \
	X(VERDICT_ROUNDING, "rounding", 0)   /* differs by what rounding explains */                                   \
	X(VERDICT_VACUOUS, "vacuous", 0)     /* agrees, but proves little: constant output, or unstable elements */    \
	X(VERDICT_PRECISION, "precision", 0) /* differs by what an approximated function may be off by, and no more */ \
	X(VERDICT_EXPLAINED, "explained", 0) /* differs by what a lower precision, or one quantization step, makes */  \
	X(VERDICT_UNSUPPORTED, "unsupported", 0) /* the library does not have it */                                    \
	X(VERDICT_UNJUDGED, "unjudged", 0)       /* it ran, and there is nothing to judge it by */                     \
	X(VERDICT_UNSPECIFIED, "unspecified", 0) /* ONNX leaves it open */                                             \
	X(VERDICT_FLAKY, "flaky", 0)             /* does not repeat */                                                 \
	X(VERDICT_UNPROVEN, "unproven", 0)       /* it differs, but we do not know what the library was asked */       \
	X(VERDICT_OURS, "ours", 0)               /* it differs because of a defect of our own */                       \
	X(VERDICT_WRONG, "wrong", 1)                                                                                   \
	X(VERDICT_NAN, "nan", 1) /* NaN or infinity where a number is right */                                         \
	X(VERDICT_CRASH, "crash", 1)                                                                                   \
	X(VERDICT_HANG, "hang", 1)                                                                                     \
	X(VERDICT_OOM, "oom", 1)                                                                                       \
	X(VERDICT_PROTOCOL, "protocol", 1) /* its worker answered something that is no answer */                       \
	X(VERDICT_REJECTED, "rejected", 1) /* a valid model refused */                                                 \
	X(VERDICT_ACCEPTED, "accepted", 1) /* an invalid one run */

enum verdict {
#define X(id, word, finding) id,
	VERDICT_MAP(X)
#undef X
};

const char *verdict_name(enum verdict v);
int verdict_find(const char *word, enum verdict *out); /* 0: there is no verdict of that name */
int verdict_is_finding(enum verdict v);
/* What came is what is right, as far as can be said. */
int verdict_is_right(enum verdict v);
/* The verdict that matters more when a case has several outputs. */
enum verdict verdict_worse(enum verdict a, enum verdict b);

#endif
