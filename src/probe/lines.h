/* lines.h - the operator cases (data/cases) as questions to a backend: one line, and the same with other types. */
#ifndef PROBE_LINES_H
#define PROBE_LINES_H

#include "base/arena.h"
#include "judge/trial.h"
#include "model/case.h"
#include "model/case_file.h"
#include "ops/op.h"
#include "tensor/dtype.h"

#define PROBE_LINE 1024 /* bytes of a line with another type, at most */
#define PROBE_SEED 1

/* Types to put in the place of f32, as lines call them. */
struct probe_type {
	const char *name;
	enum dtype dtype;
};

#define PROBE_TYPES 13
extern const struct probe_type probe_types[PROBE_TYPES];

/* The line with another type for f32; 0 when it does not fit. */
int probe_line_with_type(const char *line, const char *type, char *out, size_t size);

/* The operator that a line begins with: "ai.onnx.ml:Scaler-1 …".  Both names live in the arena. */
int probe_line_operator(struct arena *a, const char *line, const char **domain, const char **name, struct err *e);

/* Which operators are asked for. */
struct probe_wish {
	int (*wanted)(const struct op_row *row, const void *arg);
	const void *arg;
};

/* The lines of these operators (wish NULL: all); the texts stay `from`'s.  Release with vec_release(&out->all). */
int probe_lines_wanted(const struct probe_wish *wish, const struct case_lines *from, struct case_lines *out,
		       struct err *e);

/* Whether a case is right by ONNX's own rules; binds and infers its model. */
int probe_case_is_valid(struct op_case *c);

/* Whether the worker names the operator in its HELLO, as "domain:Name"; one that names none has any. */
int probe_is_listed(const struct party *p, const char *domain, const char *name);

#endif
