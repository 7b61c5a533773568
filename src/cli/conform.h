/* conform.h - ONNX backend test cases: a folder with model.onnx and test_data_set_<n>/{input,output}_<n>.pb. */
#ifndef CLI_CONFORM_H
#define CLI_CONFORM_H

#include "base/vec.h"
#include "tensor/value.h"

/* As the onnx package's own runner compares. */
#define CONFORM_RTOL 1e-3
#define CONFORM_ATOL 1e-7

enum conform_status { CONFORM_PASSED, CONFORM_FAILED, CONFORM_UNSUPPORTED };

struct conform_case {
	char *name;  /* folder name */
	char *suite; /* name of the folder it lies in */
	char *path;
	enum conform_status status;
	int rounded;      /* passed, but only in the rounded mode */
	char detail[512]; /* why not passed, or how; empty otherwise */
};

struct conform_list {
	struct conform_case *at;
	size_t n, size;
};

/* All cases below a folder, sorted by path; only those whose path contains `filter` (NULL: all). */
int conform_find(const char *dir, const char *filter, struct conform_list *out, struct err *e);
void conform_list_release(struct conform_list *l);

const char *conform_status_name(enum conform_status s);

size_t conform_count(const struct conform_list *l, enum conform_status s);

/* Runs one case on the reference and sets status and detail.  The exact mode comes first; where it differs from the
 * expected values, the rounded mode may match instead: many cases were computed in float32, and after a quantization or
 * another step one rounding there decides for the next value. */
void conform_run(struct conform_case *c, double rtol, double atol);

/* Writes a page (Markdown) on the results: counts, and every case that did not pass with the reason that the file
 * `reasons` gives for it: lines of "case<TAB>reason", # begins a comment.  `title` says what was run.  *unexplained is
 * the number of cases without a reason. */
int conform_report(const struct conform_list *l, const char *title, const char *reasons, const char *path,
		   size_t *unexplained, struct err *e);

#endif
