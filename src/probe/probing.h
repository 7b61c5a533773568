/* probing.h - what a backend supports, with progress on standard error while it is found out. */
#ifndef PROBE_PROBING_H
#define PROBE_PROBING_H

#include "probe/support.h"

/* What is asked, as in struct support_request; probes NULL: the cases that come with assay. */
struct probing {
	const char *probes;
	int fresh;
	const struct probe_wish *wish;
};

/* As support_get(). */
int probing_get(const struct worker_spec *spec, const struct probing *how, struct support *out, struct err *e);

#endif
