/* again.h - an input that showed something, written down whole, and run again from that alone (assay replay).
 *
 * A stored finding has the call of side a as text, and beside it the variables: integers, and tensors as TensorProto.
 * Side b follows from the rule, or stands in the row of the rule's file that the finding names.  A store is data that
 * others may have written: what is called must be an operation that equiv calls itself, with arguments that it may
 * draw, or a row that assay has. */
#ifndef METHODS_EQUIV_AGAIN_H
#define METHODS_EQUIV_AGAIN_H

#include "methods/equiv/pair.h"

/* {"row", "atol", "rtol", "plant", "variables"}; NULL: it cannot be written down. */
json_t *again_write(const struct pair_run *r, const struct equiv_input *in);

/* The variables of a finding; names are carved from the arena.  On success the caller releases them. */
int again_read(const json_t *again, struct arena *a, struct bindings *out, struct err *e);

/* ERR_INPUT unless the call is one that registry_call() could have made. */
int again_check(const struct api *api, const struct expr *call, struct err *e);

/* ---- replay.c ---------------------------------------------------------------------------------------------------- */

struct equiv_replay {
	char backend[512], version[64];
	enum verdict verdict; /* what it gives now */
	double ratio;         /* of the noise */
	char reason[1024];
	const char *oracle, *wrong_side; /* of a finding, as equiv_oracle() and equiv_wrong_side() have them; "" */
	struct buf sides;                /* both calls, a line each */
};

/* Runs a stored finding again and judges it as equiv did.  backend NULL: the version that it was found in; `folder`:
 * data/equiv.  ERR_INPUT: the finding has not what that takes. */
int equiv_replay(const struct finding *f, const char *backend, const char *folder, struct equiv_replay *out,
		 struct err *e);
void equiv_replay_release(struct equiv_replay *r); /* zeroed is fine */

#endif
