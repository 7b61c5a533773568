/* trials.c - see trials.h. */
#include "support/trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/case.h"
#include "support/workers.h"

struct trial trials_line(const char *line, uint64_t seed)
{
	struct op_case c;
	struct err e = ERR_INIT;
	struct trial t = {0};

	if (case_parse(line, seed, &c, &e) || trial_init(&t, c.model, c.inputs, seed, &e))
		fail_msg("%s: %s", line, e.msg);
	return t;
}

struct party trials_open(const char *name)
{
	struct err e = ERR_INIT;
	struct party p;

	if (party_open(&p, name, NULL, &e))
		fail_msg("%s: %s", name, e.msg);
	return p;
}

struct party trials_open_faulty(const char *run, const struct worker_limits *limits)
{
	struct backend_option options[] = {{"model", "any"}, {"run", run}};
	struct worker_spec s = fault_spec();
	struct err e = ERR_INIT;
	struct party p;

	s.backend = "faulty";
	s.options = options;
	s.n_options = 2;
	if (party_open_spec(&p, &s, limits, &e))
		fail_msg("%s: %s", run, e.msg);
	return p;
}

void trials_judge(struct trial *t, struct party *p, enum verdict wanted, struct outcome *o)
{
	struct err e = ERR_INIT;

	if (trial_judge(t, p, NULL, o, &e))
		fail_msg("%s: %s", p->spec.name, e.msg);
	if (o->verdict != wanted)
		fail_msg("%s: %s (%s), wanted %s", p->spec.name, verdict_name(o->verdict), o->reason,
			 verdict_name(wanted));
}
