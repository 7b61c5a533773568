/* target.h - what the backends of a campaign have in common: opsets of its models, and operators. */
#ifndef METHODS_FUZZ_TARGET_H
#define METHODS_FUZZ_TARGET_H

#include "methods/fuzz/campaign.h"
#include "worker/parent/spec.h"

/* The backends under test, after the library that takes the reference's place (NULL: none does). */
int fuzz_target_specs(const char *reference, const char *backends, struct spec_list *out, struct err *e);

/* All of what follows; that of most models becomes the newest that has nearly all blocks, and models are small where a
 * library takes long to compile them. */
int fuzz_target_fit(const struct spec_list *specs, struct fuzz_options *o, struct corpus *c, struct err *e);
/* Opsets whose models all backends load, of the range that the options have (0: all that can be drawn); a range of one
 * is not asked for. */
int fuzz_target_opsets(const struct spec_list *specs, struct fuzz_options *o, struct err *e);
/* Takes blocks out of the corpus whose operator some backend does not have, in opsets whose version of it some backend
 * does not have, and types that it does not take.  *dropped says how many operators went. */
int fuzz_target_filter(const struct spec_list *specs, const struct fuzz_options *o, struct corpus *c, int *dropped,
		       struct err *e);

#endif
