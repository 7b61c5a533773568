/* session.h - a case loaded into a backend once and run many times: what trial_judge() does in one go, step by step.
 *
 * It is the one way from a model to a worker.  The case's inputs, and for gradients its grad_seeds and grad_wires, may
 * be others with each request; its model may not. */
#ifndef JUDGE_SESSION_H
#define JUDGE_SESSION_H

#include "judge/trial.h"

/* o->report says whether it worked.  The reference has nothing to load. */
void session_load(struct party *p, const struct trial *t, uint64_t *session, struct outcome *o);

/* What the backend gives: o->report, times, and o->values (or o->grads, by t->grad_wires) when it worked.  A negative
 * status means that assay itself failed. */
int session_run(struct party *p, struct trial *t, uint64_t session, struct outcome *o, struct err *e);
int session_backward(struct party *p, struct trial *t, uint64_t session, struct outcome *o, struct err *e);

/* The same on a worker with values inside of the graph as well: which may be asked for, and which are; o->values are
 * by the names wanted. */
void session_load_exposing(struct party *p, const struct trial *t, const struct backend_names *more, uint64_t *session,
			   struct outcome *o);
int session_run_for(struct party *p, struct trial *t, uint64_t session, const struct backend_names *wanted,
		    struct outcome *o, struct err *e);

/* 0, or what a request came to as a status: what a library does not support is ERR_UNSUPPORTED, every other result
 * ERR_INPUT with a message that begins with it: "rejected: …", "crash (signal 11)". */
int session_failed(const struct outcome *o, struct err *e);

/* After a crash, a hang and the like the worker is another one, which knows nothing of any session. */
int session_lives(const struct party *p, uint64_t session);
void session_unload(struct party *p, uint64_t session);

/* What a party gives, before anything is judged: o->report, times, and values (or gradients) when it worked.  The
 * reference's refusals become reports as well; a negative status means that assay itself failed. */
int party_run(struct party *p, struct trial *t, struct outcome *o, struct err *e);
int party_backward(struct party *p, struct trial *t, struct outcome *o, struct err *e);

#endif
