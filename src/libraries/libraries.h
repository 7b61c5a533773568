/* libraries.h - what is known of each library under test without opening it.
 *
 * worker/backends.def has the names and option sets that a library is started with, and its worker (src/backends) what
 * it does.  Between the two lies what those need who look at a library from outside: which of its settings a finding
 * may hang on, how a finding is shown without assay, which of its option sets must agree, and how its registry is to
 * be read (dialect.h).  src/libraries/<name>.c says all of it, for the library on every device and in every version;
 * no other file compares the name of a library with anything. */
#ifndef LIBRARIES_LIBRARIES_H
#define LIBRARIES_LIBRARIES_H

#include "libraries/dialect.h"

/* ---- settings that a finding may hang on (triage/switches.c) ----------------------------------------------------- */

/* Passes of an optimizer that an option leaves out, one by one, by their own names. */
struct library_passes {
	const char *option;       /* takes a list with commas between */
	const char *const *names; /* up to NULL */
	const char *ordered;      /* (optional) option that takes passes in the order that they run in, and no others */
};

struct library_switch {
	const char *when;                    /* "option=value" that must hold for it to be tried; "": it always is */
	const char *setting;                 /* what may stand behind the colon of a backend's name */
	const char *says;                    /* what the finding hangs on when it is gone with the setting */
	const struct library_passes *passes; /* (optional) what the setting turns off, to be told apart */
};

/* ---- scripts that show a finding --------------------------------------------------------------------------------- */

/* How a script gets a case to the library (triage/repro.c). */
enum library_repro_how {
	REPRO_NONE,  /* not at all: there is no Python package */
	REPRO_READS, /* the library reads model.onnx */
	REPRO_CALLS  /* it is told what the worker told it, who writes that down (backends/bind/record.h) */
};

struct library_repro {
	enum library_repro_how how;
	const char *text;    /* libraries/repro/<name>.py: has a function run(inputs) */
	const char *package; /* that it imports as `library`; NULL: the text has that itself */
	const char *needs;   /* (optional) what people must have for it, where that is not the package alone */
	const char *why_not; /* REPRO_NONE: there is a package, but not for this */
};

/* The same for the two sides of a pair (methods/equiv/script.c). */
struct library_script {
	const char *text;    /* libraries/equiv/<name>.py; NULL: there are no scripts */
	const char *before;  /* (optional) what it shares with others */
	const char *package; /* that they import */
};

/* ---- calls that prove a finding (src/proof) ---------------------------------------------------------------------- */

/* A library that does not read ONNX is told a case by calls of its own: data/meanings/<name>.txt says what they mean.
 */
struct library_calls {
	int bound;         /* it is reached through a binding of ours */
	const char *eager; /* "option=value" that makes it compute call by call; NULL: it always does */
};

/* ---- option sets that must agree (methods/equiv) ----------------------------------------------------------------- */

enum library_pair_kind {
	PAIR_NONE,
	PAIR_OPTIMIZED, /* the library as it comes, and compiled, or with its optimizations off */
	PAIR_PIPELINE,  /* directly, and mapped over a data set */
	PAIR_SAVED,     /* as it was built, and saved and loaded again */
	PAIR_FORMULA,   /* directly, and by the simpler operations that the library itself says it consists of */
	PAIR_LAYOUT,    /* the same tensors, lying otherwise in memory */
	PAIR_BATCHED,   /* by itself, and mapped over a batch by the library */
	PAIR_WRITTEN,   /* into a new tensor, and into one that there is */
	PAIR_DERIVED,   /* derivatives in reverse mode, and in another one */
	PAIR_BATCH,     /* a batch at once, and its items one by one */
	PAIR_ARRAYS,    /* over one array library, and over another */
	PAIR_DECLARED,  /* what results are, and what the library says beforehand that they will be */
	PAIR_LOWERED,   /* in the types of the call, and in a lower precision that the library chooses itself */
	PAIR_VERSIONS   /* in one version, and in another, which the user names: no library has a row of it */
};

struct library_pair {
	enum library_pair_kind kind;
	const char *a, *b;  /* option sets; NULL: as the user chose */
	int unlike_kernels; /* other code computes b, which promises the same but for rounding */
};

/* ---- what an optimizer made of a model (methods/fuzz/fusion.c) --------------------------------------------------- */

/* What the worker writes when it is started with the option save=FILE. */
enum library_saves {
	SAVES_NOTHING,
	SAVES_MODEL, /* the model after optimizing */
	SAVES_KINDS  /* names, one a line: kinds of nodes that it executed, or rules and passes that changed it */
};

/* ---- the libraries ----------------------------------------------------------------------------------------------- */

struct library {
	const char *name;                      /* in worker/backends.def; "torch" is also "torch-cuda" */
	const struct library_switch *switches; /* up to one without a setting; NULL: none */
	const struct library_pair *pairs;      /* up to PAIR_NONE; NULL: none */
	const char *promised;                  /* side b of these takes what side a takes, by documentation: words */
	const char *checked;                   /* likewise: side b of these refuses what side a refuses */
	const char *rearranged;                /* likewise: side b of these computes in another order */
	const char *folds;                     /* likewise: side b of these computes while it compiles: long */
	const char *nan_steps;                 /* likewise: derivatives of these are NaN after an infinite step */
	enum dtype lower;                      /* side b of PAIR_LOWERED rounds to this type on purpose */
	const char *of_objects;                /* side b of these is for layers and networks, and not for functions */
	const struct dialect *dialect;         /* of its registry */
	struct library_repro repro;
	struct library_script script;
	enum library_saves saves;
	int tells_lines; /* its worker, started with lines=FILE, writes which lines of its own Python code it reaches */
	struct library_calls calls;
	int blocks; /* most of a model that fuzz makes, where each takes the library long to compile; 0: any number */
	const char *domain; /* of its own operators, whose names need no domain in front; NULL: it has none */
	int patience;       /* how many times as long as others a call of equiv may take: it compiles; 0: as others */
	int overflows;  /* by documentation a result may overflow where an intermediate one does, though it has a place
			 */
	int whole_bits; /* it computes with integers of so many bits whatever their type, on purpose; 0: it does not */
};

#define LIBRARY(id) extern const struct library library_##id;
#include "libraries/libraries.def"
#undef LIBRARY

extern const struct library *const library_list[]; /* up to the first NULL */

/* The library of a backend by its name alone, with or without device, version and options: "tf@2.12.0:graph".  NULL: it
 * is none (the reference, a command). */
const struct library *library_find(const char *backend);
/* Whether side b takes what side a takes, by documentation. */
int library_promises(const struct library *l, const struct library_pair *pair);
/* Whether side b refuses what side a refuses, by documentation. */
int library_checks(const struct library *l, const struct library_pair *pair);
/* Whether a compiler rearranges what side b computes, by documentation. */
int library_rearranges(const struct library *l, const struct library_pair *pair);
int library_folds(const struct library *l, const struct library_pair *pair);
/* Whether derivatives are NaN where a step on the way is not finite, by documentation. */
int library_has_nan_steps(const struct library *l, const struct library_pair *pair);
/* Whether a pair is for what a form makes, such as a layer that is saved with its weights. */
int library_needs_object(const struct library *l, const struct library_pair *pair);

/* The dialect of a backend's registry: a worker of which nothing is known is taken for one that reads ONNX. */
const struct dialect *library_dialect(const char *backend);

#endif
