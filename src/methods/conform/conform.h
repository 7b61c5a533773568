/* conform.h - ONNX backend test cases: a folder with model.onnx and test_data_set_<n>/{input,output}_<n>.pb. */
#ifndef METHODS_CONFORM_CONFORM_H
#define METHODS_CONFORM_CONFORM_H

#include "base/arena.h"
#include "base/split.h"
#include "base/tally.h"
#include "base/texts.h"
#include "report/usage.h"
#include "tensor/value.h"
#include "worker/parent/spec.h"

/* As the onnx package's own runner compares. */
#define CONFORM_RTOL 1e-3
#define CONFORM_ATOL 1e-7

enum conform_status { CONFORM_PASSED, CONFORM_FAILED, CONFORM_UNSUPPORTED };

/* How a case passed: its values are as expected, or … (conform_how_text() says it in words) */
enum conform_how { CONFORM_EXACT, CONFORM_ROUNDED, CONFORM_NOISE, CONFORM_RANDOM };

struct conform_case {
	char *name;  /* folder name */
	char *suite; /* name of the folder it lies in */
	char *path;
	enum conform_status status;
	enum conform_how how;
	int ran;          /* it gave outputs */
	size_t use;       /* nodes of models that are its operation; after conform_rank(), where it did not pass */
	char detail[512]; /* why not passed, or how; empty otherwise */
};

struct conform_list {
	struct conform_case *at;
	size_t n, size;
};

/* All cases below a folder, sorted by path; only those whose path contains `filter` (NULL: all). */
int conform_find(const char *dir, const char *filter, struct conform_list *out, struct err *e);
/* The same below several folders; ERR_INPUT when there is none. */
int conform_find_all(const struct texts *dirs, const char *filter, struct conform_list *out, struct err *e);
void conform_case_release(const struct conform_case *c);
void conform_list_release(struct conform_list *l);
/* Leaves the cases of one part of the list. */
void conform_keep(struct conform_list *l, const struct split *part);

const char *conform_status_name(enum conform_status s);
const char *conform_how_text(enum conform_how h); /* "" for CONFORM_EXACT */

size_t conform_count(const struct conform_list *l, enum conform_status s);
/* What passed or failed was judged; outputs that are random by specification are vacuous. */
struct tally conform_tally(const struct conform_list *l);

/* Runs one case and sets status, how and detail.
 *
 * On the reference the exact mode comes first.  Where only values differ from what is expected, the rounded mode may
 * match instead, since many cases were computed in float32 and one rounding there decides for the next quantized value;
 * or the noisy mode may say that rounding explains the difference, where an expected value is itself the noise around a
 * zero.
 *
 * On a worker: where only values differ, the reference says whether rounding explains it.
 *
 * Outputs of random operators are compared by type and shape. */
struct party;
void conform_run(struct conform_case *c, struct party *p, double rtol, double atol);

#define CONFORM_MAX_JOBS 64

/* Who runs the cases: `jobs` threads, each with a worker of its own, which lives for all of its cases and is started
 * again when it dies.  The results are the same for any number of them. */
struct conform_crew {
	const struct worker_spec *spec; /* also of the reference */
	size_t jobs;
	double rtol, atol;
	void (*step)(void *arg, size_t done, const char *name); /* is told what begins; by one thread at a time */
	void *arg;
};

int conform_run_all(struct conform_list *cases, const struct conform_crew *crew, struct err *e);

/* Puts cases first that did not pass and whose operators models use most. */
void conform_rank(struct conform_list *l, const struct usage *u);

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* The results of one backend. */
struct conform_result {
	const char *name;    /* as it was asked for */
	const char *backend; /* without version and options */
	const char *version; /* "" for the reference */
	struct conform_list cases;
};

struct conform_results {
	struct conform_result *at;
	size_t n, size;
};

void conform_results_release(struct conform_results *r);

/* Appends what files hold that conform_json() made (saved.c).  Results of one backend and version are one, sorted by
 * suite and name; where a case is in several files, the last one counts.  Backends are named by text in `names`. */
int conform_read(const struct texts *files, struct arena *names, struct conform_results *all, struct err *e);

struct conform_page {
	const char *path;
	const char *title;   /* what was run */
	const char *reasons; /* file of those for the reference: lines of "case<TAB>reason", # begins a comment */
	const char *quirks;  /* file of those for other backends (worker/parent/quirks.h) */
};

/* Writes a page (Markdown) on the results: counts, and every case that did not pass with its reason.  *unexplained is
 * the number of cases that failed, or on the reference did not pass, without a reason. */
int conform_report(const struct conform_result *results, size_t n, const struct conform_page *p, size_t *unexplained,
		   struct err *e);

/* One backend: its object; several: a list of them (json.c). */
json_t *conform_json(const struct conform_result *results, size_t n);

#endif
