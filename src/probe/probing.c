/* probing.c - see probing.h. */
#include "probe/probing.h"

#include <stdio.h>

#include "base/log.h"
#include "base/progress.h"

static void show_progress(void *arg, size_t done, size_t total, const char *line)
{
	struct progress *p = arg;

	p->total = total;
	progress_step(p, done, line);
}

int probing_get(const struct worker_spec *spec, const struct probing *how, struct support *out, struct err *e)
{
	struct progress p;
	const struct support_request q = {.spec = spec,
					  .probes = how->probes,
					  .fresh = how->fresh,
					  .wish = how->wish,
					  .progress = show_progress,
					  .arg = &p};
	int kept = 1, rc;
	char what[SPEC_SHOWN + 32];

	snprintf(what, sizeof what, "operator cases on %s", SHOWN_AS(spec->name));
	progress_start(&p, what, 1);
	rc = support_get(&q, out, &kept, e);
	progress_end(&p);
	if (!rc && !kept)
		log_print(LOG_WARNING, "what '%s' supports could not be kept in the cache", spec->name);
	return rc ? err_prefix(e, "%s", spec->name) : 0;
}
