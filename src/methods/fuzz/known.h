/* known.h - findings that look like one that was seen before, told before anything costly is done with them. */
#ifndef METHODS_FUZZ_KNOWN_H
#define METHODS_FUZZ_KNOWN_H

#include "judge/trial.h"
#include "triage/kinds.h"

#define KNOWN_KEY 512

struct known {
	const struct judge_options *judge;
	struct kinds kinds;  /* first: 2, doubling: 1 */
	struct map ops;      /* "backend|verdict|operator" that was blamed → itself */
	struct map settled;  /* looks of what turned out to be no finding → its verdict, as a pointer-sized number */
	char key[KNOWN_KEY]; /* look of the finding that was asked about last */
};

/* What a finding looks like, in KNOWN_KEY bytes: the error's words, or the verdict and the last three operators at the
 * model's end.  known_paper() has the paper's rule, by which fewer are alike. */
void known_look(const struct trial *t, const struct party *p, const struct outcome *o, char *key);
/* The same, and of the last operator the element type and the attributes: an operator has more than one bug.  Of a
 * message that names a wire the operator that makes it. */
void known_look_closely(const struct trial *t, const struct party *p, const struct outcome *o, char *key);
/* The same by the paper's rule, and the operator that failed ("": it cannot be told), in KNOWN_OP bytes.  Of a refusal
 * the error's words and that operator count; of wrong numbers that operator and the structure of the model, all of its
 * operators and edges. */
#define KNOWN_OP 64
void known_paper(const struct trial *t, const struct party *p, const struct outcome *o, char *key, char *op);
/* Turns a finding into none (unspecified) where a node for which the library has a known difference shows it alone:
 * with other nodes beside it nobody would ask for the difference, and they would be blamed. */
int known_quirk(struct trial *t, struct party *p, const struct judge_options *judge, struct outcome *o, struct err *e);
/* Whether a finding is worth to be confirmed, blamed and reduced, by how many looked alike.  Where it is not, and the
 * last that looked like it turned out to be none, it is none either.  *look is 0, or what an earlier call that took it
 * set: it had to wait, and is not counted again as long as it looks the same. */
int known_take(struct known *k, struct trial *t, struct party *p, struct outcome *o, uint64_t *look, int *take,
	       struct err *e);
/* For one that is not looked into: where the last that looked like it turned out to be none, it is none either. */
void known_pass(const struct known *k, const struct trial *t, const struct party *p, struct outcome *o);
/* What the finding that was taken last turned out to be. */
int known_settle(struct known *k, enum verdict v, struct err *e);
/* After it was kept: the operator that the signature ("library/operator/…") names is known now. */
int known_add(struct known *k, const struct party *p, enum verdict v, const char *signature, struct err *e);
void known_release(struct known *k);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

/* known.c: the node that makes the first wire which a message names; NULL: it names none. */
const struct node *known_named_node(const struct graph *g, const char *message);
/* … the node whose result is the worst; NULL: there is none. */
const struct node *known_end(const struct trial *t, const struct outcome *o);

#endif
