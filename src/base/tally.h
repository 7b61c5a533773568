/* tally.h - how much of what a backend was given was judged: the same counts for every method.
 *
 *     given        cases that it got
 *     ran          of those, it gave an answer to
 *     judged       a verdict that says something of it: it is right, or it is not, or its process failed
 *     explained    of those judged: it differs by what a lower precision, or one quantization step, makes
 *     unsupported  it says that it does not have this
 *     vacuous      it agrees, but that proves little
 *     unjudged     nothing to judge it by: the reference cannot run it, ONNX leaves it open, or assay itself is in
 * doubt
 *
 * A case is at most one of judged, unsupported, vacuous and unjudged; one that was not looked at is none of them.  A
 * backend that was judged on nothing was not tested, whatever else a run says. */
#ifndef BASE_TALLY_H
#define BASE_TALLY_H

#include "base/json.h"
#include "base/verdict.h"

/* name, heading */
#define TALLY_MAP(X)                  \
	X(given, "given")             \
	X(ran, "ran")                 \
	X(judged, "judged")           \
	X(unsupported, "unsupported") \
	X(vacuous, "vacuous")         \
	X(unjudged, "unjudged")

struct tally {
#define X(name, heading) size_t name;
	TALLY_MAP(X)
#undef X
	size_t explained; /* below the table, where there are such */
};

/* A case with its verdict; `ran`: it gave an answer. */
void tally_note(struct tally *t, int ran, enum verdict v);
void tally_add(struct tally *t, const struct tally *more);

/* It was judged on no case at all. */
int tally_is_hollow(const struct tally *t);

/* One backend of a run. */
struct tally_row {
	const char *backend;
	struct tally tally;
};

/* The table, and below it what `vacuous` and `unjudged` mean where there are such. */
void tally_text(const struct tally_row *rows, size_t n, struct buf *out);
/* "mnn was judged on nothing: 250 cases given, 250 vacuous" */
void tally_warning(const struct tally_row *row, struct buf *out);

/* {"given", "ran", "judged", "unsupported", "vacuous", "unjudged", "explained", "judged_on_nothing"} */
json_t *tally_json(const struct tally *t);
/* {NAME: {…}}; what it read from there adds to *t. */
json_t *tally_rows_json(const struct tally_row *rows, size_t n);
void tally_add_json(struct tally *t, const json_t *from);

#endif
