/* known.h - findings that look like one that was seen before, told before anything costly is done with them. */
#ifndef METHODS_FUZZ_KNOWN_H
#define METHODS_FUZZ_KNOWN_H

#include "base/map.h"
#include "judge/trial.h"

#define KNOWN_KEY 512

struct known {
	struct map counts; /* key of a kind of finding → how many there were, as a pointer */
	struct map ops;    /* "backend|verdict|operator" that was blamed → itself */
};

/* What a finding looks like by the paper's rules, in KNOWN_KEY bytes: the error's words, or the verdict and the
 * operators at the model's end. */
void known_look(const struct trial *t, const struct party *p, const struct outcome *o, char *key);
/* Turns a finding into none (unspecified) where a node for which the library has a known difference shows it alone:
 * with other nodes beside it nobody would ask for the difference, and they would be blamed. */
int known_quirk(struct trial *t, struct party *p, const struct judge_options *judge, struct outcome *o, struct err *e);
/* Whether a finding is worth to be confirmed, blamed and reduced: the first few that look alike, and after that each
 * time their number has doubled. */
int known_take(struct known *k, struct trial *t, struct party *p, const struct judge_options *judge,
	       const struct outcome *o, int *take, struct err *e);
/* After it was kept: the operator that the signature ("library/operator/…") names is known now. */
int known_add(struct known *k, const struct party *p, enum verdict v, const char *signature, struct err *e);
void known_release(struct known *k);

#endif
