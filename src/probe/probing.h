/* probing.h - what a backend supports, with progress on standard error while it is found out. */
#ifndef PROBE_PROBING_H
#define PROBE_PROBING_H

#include "probe/support.h"

/* As support_get(); probes NULL: the cases that come with assay. */
int probing_get(const struct worker_spec *spec, const char *probes, int fresh, struct support *out, struct err *e);

#endif
