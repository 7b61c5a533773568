/* fusion.h - what a library does with a model, as far as it shows it: which operators it makes of the model, or which
 * lines of its own code it runs.
 *
 *   SAVES_MODEL   operators of the model that it saves after optimizing which the model given to it does not have
 *   SAVES_KINDS   the kinds of nodes of the graph that it executed, or the rules and passes that changed the model
 *   lines         "keras/x.py:12", of a library in Python
 *
 * Workers write that to a file for each case (option save=FILE or lines=FILE); libraries.h says which can. */
#ifndef METHODS_FUZZ_FUSION_H
#define METHODS_FUZZ_FUSION_H

#include "base/map.h"
#include "base/place.h"
#include "model/model.h"
#include "worker/parent/spec.h"

#define FUSION_NAMES 1024 /* bytes for the names that one case adds */

struct fusion {
	struct map seen;           /* names so far → the map itself */
	struct worker_spec *specs; /* of the campaign, those that can tell with a file to write */
	char (*paths)[PLACE_PATH]; /* "": it cannot */
	size_t n;
	int lines; /* these, and not operators */
};

/* `lines`: these are noted, and not operators.  ERR_USAGE where none of the libraries tells lines. */
int fusion_open(struct fusion *f, const struct worker_spec *specs, size_t n, int lines, struct err *e);
void fusion_close(struct fusion *f); /* zeroed is fine */
/* Names, separated by blanks, that were seen before. */
int fusion_learn(struct fusion *f, const char *names, struct err *e);
#define FUSION_SEEN '='

/* After a case was run: the names that it shows, separated by blanks, in `out`; first those that were not seen before,
 * and how many they are, then those that were, behind FUSION_SEEN.  Of lines, which are many, only how many are new. */
int fusion_note(struct fusion *f, const struct model *given, char *out, int *n, struct err *e);

/* Length of those that were not seen before. */
size_t fusion_new(const char *names);

#endif
