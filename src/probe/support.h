/* support.h - what a backend supports: operators, types and attribute values, found out by trying.
 *
 * The operator cases (data/cases) are run line by line; the first line of each operator once more for each type that
 * the operator takes.  Operators that a worker's HELLO does not name are not tried.  Results are kept as JSON
 * in the user's cache, by backend, version and options, so that a library is asked once. */
#ifndef PROBE_SUPPORT_H
#define PROBE_SUPPORT_H

#include "base/arena.h"
#include "base/json.h"
#include "base/vec.h"
#include "judge/trial.h"
#include "model/case_file.h"
#include "probe/lines.h"
#include "tensor/dtype.h"

struct support_variant {
	const char *line;   /* the case */
	const char *result; /* "ok" or another worker_result_name() */
	const char *message;
};

struct support_op {
	const char *domain, *name;
	const char *dtypes[DT_COUNT]; /* result by type; NULL: the operator does not take it, or it was not tried */
	VEC(struct support_variant) variants;
	const char *message; /* the first thing that was said against it; "" when nothing was */
};

struct support {
	const char *backend, *version, *options, *probes; /* what it is about; probes: a digest of the cases */
	VEC(struct support_op) ops;                       /* in the order of the cases */
	struct arena arena;
};

void support_release(struct support *s);
const struct support_op *support_find(const struct support *s, const char *domain, const char *name);

/* Types that work, and types that were tried. */
void support_count(const struct support_op *op, int *ok, int *tried);

/* Whether any variant or type of an operator works; NULL: nothing does. */
int support_works(const struct support_op *op);
/* "yes 5/12" of types, "yes" where types were not tried, "no", or "?" for an operator without a probe (NULL). */
const char *support_cell(const struct support_op *op, char *out, size_t size);
/* {"supported", "dtypes": {TYPE: RESULT}, "variants": [{"case", "result"}], "message"} */
json_t *support_json(const struct support_op *op);

/* Called before each case; `done` of `total` are over. */
typedef void support_progress(void *arg, size_t done, size_t total, const char *line);
/* Called after each operator, of which all is known then. */
typedef void support_over(void *arg, const struct support *s);

/* What is asked about a backend. */
struct support_request {
	const struct worker_spec *spec;
	const char *probes;            /* a file or folder of cases, as case_lines_read() takes it */
	int fresh;                     /* by trying, whatever is in the cache */
	const struct probe_wish *wish; /* (optional) these operators alone; NULL: all */
	support_progress *progress;    /* (optional) */
	void *arg;
	support_over *over; /* (optional) of support_probe() */
	void *over_arg;
};

/* Operator by operator: from the cache when it is there and was made with the same probes, else by trying (and then
 * kept; *kept is 0 when that was not possible).  Whoever is stopped goes on another time where he was. */
int support_get(const struct support_request *q, struct support *out, int *kept, struct err *e);

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Asks all these lines, one operator after the other, in the order of their first lines. */
int support_probe(struct party *p, const struct case_lines *lines, const struct support_request *q, struct support *out,
		  struct err *e);

/* *found is 0 when the file is not there or is about something else. */
int support_read(const char *path, struct support *s, int *found, struct err *e);
int support_write(const char *path, const struct support *s, struct err *e);

#endif
