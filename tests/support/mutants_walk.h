/* mutants_walk.h - what the files that make mutants share: mutants.c has tensors and attributes, mutants_inner.c what
 * is inside of sequences, optionals and graphs. */
#ifndef TESTS_SUPPORT_MUTANTS_WALK_H
#define TESTS_SUPPORT_MUTANTS_WALK_H

#include "support/mutants.h"

#define HUGE_DIM (INT64_C(1) << 40)

struct walk {
	size_t left; /* changes to pass by */
	int made;
	struct mutant *m;
	struct err e;
};

/* Whether the next change is the one: it is described, and the caller makes it. */
int walk_turn(struct walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An input of the main graph that is no tensor: in `slot`, and never NULL. */
void change_container(struct walk *w, const struct wire *input, struct value **slot);

/* An attribute of a node that is a graph or a type. */
void change_body(struct walk *w, struct node *n, const char *name);
void change_type_attr(struct walk *w, struct node *n, const char *name);

#endif
