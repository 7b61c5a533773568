/* verdict.h - what may be said of a library's answer. */
#ifndef BASE_VERDICT_H
#define BASE_VERDICT_H

/* id, word, is it a finding, what it means */
#define VERDICT_MAP(X)                                                                                              \
	X(VERDICT_AGREE, "agree", 0, "equal to the exact value, rounded once")                                      \
	X(VERDICT_ROUNDING, "rounding", 0, "differs by what rounding explains")                                     \
	X(VERDICT_VACUOUS, "vacuous", 0,                                                                            \
	  "agrees, but that proves little: no elements, equal ones, or rounding alone decides them")                \
	X(VERDICT_PRECISION, "precision", 0, "differs by what an approximated function may be off by, and no more") \
	X(VERDICT_EXPLAINED, "explained", 0,                                                                        \
	  "differs by what a lower precision, a quantization step, or a variance in one pass makes")                \
	X(VERDICT_UNSUPPORTED, "unsupported", 0, "the library does not have it")                                    \
	X(VERDICT_UNJUDGED, "unjudged", 0, "it ran, and there is nothing to judge it by")                           \
	X(VERDICT_UNSPECIFIED, "unspecified", 0, "ONNX leaves the result open")                                     \
	X(VERDICT_FLAKY, "flaky", 0, "does not repeat")                                                             \
	X(VERDICT_UNPROVEN, "unproven", 0, "differs, but it is not known what the library was asked")               \
	X(VERDICT_OURS, "ours", 0, "differs because of a defect of assay")                                          \
	X(VERDICT_WRONG, "wrong", 1, "differs by more than rounding explains")                                      \
	X(VERDICT_NAN, "nan", 1, "NaN or infinity where a number is expected")                                      \
	X(VERDICT_CRASH, "crash", 1, "its process died")                                                            \
	X(VERDICT_HANG, "hang", 1, "did not end in time")                                                           \
	X(VERDICT_OOM, "oom", 1, "took more memory than it may")                                                    \
	X(VERDICT_PROTOCOL, "protocol", 1, "its worker sent a reply that is not valid")                             \
	X(VERDICT_REJECTED, "rejected", 1, "a valid model was refused")                                             \
	X(VERDICT_ACCEPTED, "accepted", 1, "a model that ONNX forbids was run")

enum verdict {
#define X(id, word, finding, means) id,
	VERDICT_MAP(X)
#undef X
};

const char *verdict_name(enum verdict v);
const char *verdict_means(enum verdict v); /* "differs by what rounding explains" */
#define VERDICT_COUNT (VERDICT_ACCEPTED + 1)
int verdict_find(const char *word, enum verdict *out); /* 0: there is no verdict of that name */
int verdict_is_finding(enum verdict v);
/* Of what happened to its process, not of an answer. */
int verdict_is_of_process(enum verdict v);
/* About the numbers that came. */
int verdict_is_of_numbers(enum verdict v);
/* What came is what is right, as far as can be said. */
int verdict_is_right(enum verdict v);
/* The verdict that matters more when a case has several outputs. */
enum verdict verdict_worse(enum verdict a, enum verdict b);

#endif
