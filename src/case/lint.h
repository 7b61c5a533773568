/* lint.h - what in a model file is not as ONNX has it, strictly. */
#ifndef CASE_LINT_H
#define CASE_LINT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

enum lint_kind {
	LINT_INVALID, /* no library can know what is meant */
	LINT_WRONG,   /* a rule is broken, and what is meant is clear: libraries run it, most of them with a warning */
	LINT_UNKNOWN, /* an operator that assay does not have: whether a rule is broken is not known */
	LINT_USELESS  /* valid, and probably not what was wanted */
};

struct lint_line {
	enum lint_kind kind;
	const char *text;
};

struct lint {
	VEC(struct lint_line) lines; /* the worst first */
	struct arena arena;
};

const char *lint_kind_name(enum lint_kind k);

/* Of a model file.  A file that cannot be read, or is no model at all, is an error. */
int lint_file(const char *path, struct lint *out, struct err *e);
void lint_release(struct lint *l);

#endif
