/* sessions.c - numbers of sessions: a worker chooses its own, of 64 bits; callers see ours, which carry how often the
 * worker was started (declared in internal.h and worker.h). */
#include "worker/parent/internal.h"

#define SERIAL_BITS 40 /* of our numbers; the generation is above */

static uint64_t generation_of(const struct worker *w)
{
	return w->generation & ((UINT64_C(1) << (64 - SERIAL_BITS)) - 1);
}

int worker_session_add(struct worker *w, uint64_t theirs, uint64_t *ours, struct err *e)
{
	struct worker_session s = {generation_of(w) << SERIAL_BITS | ++w->last_session, theirs};

	if (vec_push(&w->sessions, s))
		return err_nomem(e, "a session", 0);
	*ours = s.ours;
	return 0;
}

void worker_session_forget(struct worker *w, uint64_t ours)
{
	for (size_t i = 0; i < w->sessions.n; i++)
		if (w->sessions.at[i].ours == ours) {
			vec_remove(&w->sessions, i);
			return;
		}
}

int worker_has_session(const struct worker *w, uint64_t ours)
{
	return ours >> SERIAL_BITS == generation_of(w);
}

enum worker_result worker_session_find(const struct worker *w, uint64_t ours, uint64_t *theirs,
				       struct worker_report *report)
{
	for (size_t i = w->sessions.n; i-- > 0;)
		if (w->sessions.at[i].ours == ours) {
			*theirs = w->sessions.at[i].theirs;
			return WORKER_OK;
		}
	report_say(report, WORKER_REJECTED, "%s",
		   worker_has_session(w, ours) ? "there is no session of that number: it was unloaded"
					       : "the session is gone: its worker was started again");
	return WORKER_REJECTED;
}
