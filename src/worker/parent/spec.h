/* spec.h - backend names as what is to be started: "ort", "ort@1.17.0", "ort:O0", "ort@1.17.0:O0+threads=4",
 * "reference", "exec:CMD ARGS"; "ort=PATH" is a local build, a folder or the shared library itself.  CMD ARGS are words
 * with quotes as a shell has them; no shell is run.
 *
 * After the colon stand option sets of backends.def and NAME=VALUE options, joined by '+'.  Libraries are installed in
 * <root>/<name>/<version>/; without a version the newest one installed is taken. */
#ifndef WORKER_PARENT_SPEC_H
#define WORKER_PARENT_SPEC_H

#include "base/buf.h"
#include "base/near.h"
#include "worker/parent/worker.h"

/* ---- what is known ----------------------------------------------------------------------------------------------- */

enum spec_kind {
	SPEC_INSIDE,  /* in this process */
	SPEC_PROGRAM, /* a worker program over an installed library */
	SPEC_PYTHON,  /* a Python worker over an installed library */
	SPEC_NODE,    /* a worker in JavaScript over an installed library */
	SPEC_REWRITE, /* an installed library that rewrites models, under the worker program "rewrite" */
	SPEC_OWN      /* a worker program that needs no library; "name:WORD" sets its option `name` to WORD */
};

struct spec_backend {
	const char *name, *library;
	enum spec_kind kind;
	const char *options, *environment; /* words "name=value" */
	const char *summary;
};

struct spec_option_set {
	const char *backend, *name, *options, *environment;
};

extern const struct spec_backend spec_backends[];       /* up to the first without a name */
extern const struct spec_option_set spec_option_sets[]; /* up to the first without a name */

/* An option set, whose name has n characters, of a backend that is given as on the command line; NULL: it has none. */
const struct spec_option_set *spec_find_set(const char *backend, const char *set, size_t n);

const struct spec_backend *spec_find(const char *name); /* NULL: unknown */
/* Whether a backend stands for a library that is installed. */
int spec_is_library(const struct spec_backend *b);

/* " (did you mean 'ort'?)" for a name that is none ("onnxruntime"), or nothing. */
const char *spec_hint(struct near *n);

/* True when a backend is the named one, or that on another device: "torch" is "torch" and "torch-cuda". */
int spec_is(const char *backend, const char *name);

/* ---- what is installed ------------------------------------------------------------------------------------------- */

#define SPEC_MAX_ROOTS 3
#define SPEC_PATH 4096

struct spec_roots {
	char at[SPEC_MAX_ROOTS][SPEC_PATH];
	size_t n;
};

/* The folders that hold backends, in the order they are searched: $ASSAY_BACKENDS; $ASSAY_DEPS/backends, without the
 * variable .deps/backends of the tree that this program was built from; $XDG_DATA_HOME/assay/backends or
 * ~/.local/share/assay/backends.  An installed program never looks into the tree it was built from: on the machine that
 * it runs on, that name may be anybody's. */
void spec_roots(struct spec_roots *out);

struct spec_installed {
	char *name, *version, *folder;
};

struct spec_installed_list {
	struct spec_installed *at;
	size_t n, size;
};

/* Everything installed, or one backend's versions; by name, newest version first.  Of a version that is in several
 * roots only the first counts.  Names that begin with a dot are not looked at. */
int spec_find_installed(const char *name_or_null, struct spec_installed_list *out, struct err *e);
void spec_installed_release(struct spec_installed_list *l);

/* Appends the reference and every library installed that this machine has the device for, as spec_make_list() takes
 * them; and whether a backend is for a device that is not here, for the reason *why: nothing to install either. */
int spec_all_installed(struct buf *names, struct err *e);
int spec_is_absent(const char *name, struct err *why);

/* < 0, 0, > 0 as a is older than, the same as, newer than b: runs of digits count as numbers. */
int spec_version_order(const char *a, const char *b);

/* ---- making specs ------------------------------------------------------------------------------------------------ */

/* ERR_USAGE names the backends there are when the name is unknown, and how to install it when it is not installed. */
int spec_make(const char *name, struct worker_spec *out, struct err *e);
/* Of a name that was read (a finding.json, a row of a store) and not typed: ERR_USAGE where it names a program or a
 * file, as exec:CMD, ort=PATH and ort:save=PATH do. */
int spec_make_found(const char *name, struct worker_spec *out, struct err *e);
int spec_names_file(const char *name);
/* "tf@2.12.0:graph": a backend with one of its option sets; set NULL: as it is. */
void spec_name_set(const char *backend, const char *set, char *out, size_t size);
/* Appends " -b NAME", for a shell, where a command needs it for that reason. */
void spec_type(const char *name, struct buf *out);
void spec_release(struct worker_spec *s);
/* Library and version of a worker that is given as a command, once it has told them; others stay as they are. */
int spec_adopt(struct worker_spec *s, const char *library, const char *version, struct err *e);
int spec_copy(const struct worker_spec *s, struct worker_spec *out, struct err *e);

/* What tables say for a backend: "mylib@1.2" for "exec:CMD,name=mylib,version=1.2", any other name as it is.  It lies
 * in `room` where it is not `name`. */
#define SPEC_SHOWN 144
const char *spec_shown(const char *name, char room[SPEC_SHOWN]);
#define SHOWN_AS(name) spec_shown(name, (char[SPEC_SHOWN]){0})

/* The name without its version: "ort:O0" of "ort@1.17.0:O0". */
const char *spec_plain_name(const struct worker_spec *s, char *out, size_t size);

int spec_is_reference(const struct worker_spec *s); /* no worker: run it in this process */

/* The value of an option, or NULL. */
const char *spec_option(const struct worker_spec *s, const char *name);
/* Adds or replaces one option, or one variable of the environment ("NAME=VALUE"). */
int spec_set_option(struct worker_spec *s, const char *name, const char *value, struct err *e);
int spec_set_env(struct worker_spec *s, const char *word, struct err *e);

struct spec_list {
	struct worker_spec *at;
	size_t n, size;
};

/* Several names, separated by commas; those in quotes of an "exec:" command are its own. */
int spec_make_list(const char *names, struct spec_list *out, struct err *e);
/* Backends that are named without options, and have an option set `own`, get it: they run as their users get them, and
 * not in float32. */
int spec_list_own(struct spec_list *l, struct err *e);
void spec_list_release(struct spec_list *l);

#endif
