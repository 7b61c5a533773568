/* confirm.c - the same again in a worker that has done nothing else (declared in pool.h). */
#include <string.h>

#include "worker/parent/worker.h"

enum worker_result worker_confirm(const struct worker_spec *spec, const struct worker_limits *limits, const void *model,
				  size_t n, const struct named_value *in, size_t n_in, struct named_value **out,
				  size_t *n_out, struct worker_report *report)
{
	struct err e = ERR_INIT;
	struct worker *w;
	uint64_t session;

	if (worker_open(spec, limits, &w, report, &e)) {
		report->result = WORKER_ABSENT;
		return WORKER_ABSENT;
	}
	if (!worker_load(w, model, n, NULL, 0, &session, report))
		worker_run(w, session, in, n_in, NULL, 0, out, n_out, report);
	worker_close(w);
	return report->result;
}
