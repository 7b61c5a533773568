/* target.h - what the backends of a campaign have in common: the opset of its models, and operators. */
#ifndef METHODS_FUZZ_TARGET_H
#define METHODS_FUZZ_TARGET_H

#include "methods/fuzz/campaign.h"
#include "worker/parent/spec.h"

/* The backends under test, after the library that takes the reference's place (NULL: none does). */
int fuzz_target_specs(const char *reference, const char *backends, struct spec_list *out, struct err *e);

/* Both of what follows: *opset 0 becomes the newest. */
int fuzz_target_fit(const struct spec_list *specs, int *opset, struct corpus *c, struct err *e);
/* The newest opset, up to that of the generator, whose models all backends load. */
int fuzz_target_opset(const struct spec_list *specs, int *out, struct err *e);
/* Takes blocks out of the corpus whose operator some backend does not have, or the opset not yet, and types that it
 * does not take.  *dropped says how many operators went. */
int fuzz_target_filter(const struct spec_list *specs, int opset, struct corpus *c, int *dropped, struct err *e);
/* Most blocks of a model for these backends: 0, or fewer where a library takes long to compile each. */
int fuzz_target_blocks(const struct spec_list *specs);

#endif
