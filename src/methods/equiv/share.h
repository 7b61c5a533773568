/* share.h - a share of a campaign's time for rules on single operators.
 *
 * On libraries that read ONNX the rules find what models seldom show: they hold each operator against itself, with
 * every option set, and with inputs that no graph leads to it. */
#ifndef METHODS_EQUIV_SHARE_H
#define METHODS_EQUIV_SHARE_H

#include "base/split.h"
#include "methods/equiv/equiv.h"

#define SHARE_PERCENT 25.0  /* of the time, where nobody says otherwise */
#define SHARE_OF_NO_END 300 /* seconds, where there is no end */

struct equiv_share {
	const struct spec_list *specs; /* those that do not read ONNX are passed over */
	double percent, seconds;       /* of so many; 0: no end */
	uint64_t seed;
	struct split split; /* of all pairs */
	size_t jobs;
	const char *db; /* NULL: nothing is stored */
	int64_t campaign;
};

struct equiv_shared {
	size_t backends, pairs, inputs, findings;
	double seconds; /* that were to be spent, and are not left for others; 0: none, or there is no end */
};

/* All backends that fit, one after the other. */
int equiv_share_run(const struct equiv_share *s, struct equiv_shared *out, struct err *e);

#endif
