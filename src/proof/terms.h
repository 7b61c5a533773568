/* terms.h - values of expressions while a meaning is made into a model: numbers, lists, texts, and wires. */
#ifndef PROOF_TERMS_H
#define PROOF_TERMS_H

#include "model/build.h"
#include "model/expr.h"
#include "proof/calls.h"

enum term_kind { TERM_NONE, TERM_INT, TERM_FLOAT, TERM_STRING, TERM_DTYPE, TERM_LIST, TERM_WIRE };

struct proof_term {
	enum term_kind kind;
	int64_t i; /* also truth, and the element type */
	double f;  /* TERM_INT has it too */
	const char *s;
	struct wire *wire;
	int is_complex; /* the wire stands for a complex tensor: its last axis of 2 is the two parts */
	struct proof_term *items;
	size_t n;
};

/* Making a model.  The first failure sticks, in b.rc. */
struct meaning_maker {
	struct build b;
	struct arena *arena;
	const struct calls *calls; /* whose elements conditions may ask for */
	int names;
};

int term_is_number(const struct proof_term *t);
int term_is_true(const struct proof_term *t);
struct proof_term term_int(int64_t i);
struct proof_term term_float(double f);
struct proof_term term_wire(struct wire *w);
/* A list of n items, zeroed; n 0 items and the error set when there is no memory. */
struct proof_term term_list(struct meaning_maker *m, size_t n);
struct proof_term term_bad(struct meaning_maker *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A function of n terms by its name; NULL: none that takes so many. */
typedef struct proof_term term_function(struct meaning_maker *m, const struct proof_term *args, size_t n);
term_function *term_find(const char *name, size_t n);
term_function *term_find_of_values(const char *name, size_t n); /* those of functions_values.c */
term_function *term_find_array(const char *name, size_t n);     /* of functions_arrays.c */

/* The wire of a term: itself, or a constant of the element type (numbers) or of int64 (lists of integers). */
struct wire *term_to_wire(struct meaning_maker *m, const struct proof_term *t, enum dtype type);

/* A node of one ONNX operator; gives its output number `output`. */
struct wire *term_node(struct meaning_maker *m, const char *op, struct wire *const *in, int n_in, size_t output);
/* Attributes of the node made last. */
void term_attribute(struct meaning_maker *m, const char *name, const struct proof_term *t);

#endif
