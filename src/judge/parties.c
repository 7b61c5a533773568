/* parties.c - see parties.h. */
#include "judge/parties.h"

#include "base/mem.h"

int parties_open_closed(const struct spec_list *specs, const struct worker_limits *limits, struct party *p,
			struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < specs->n && !rc; i++)
		if (!p[i].spec.name)
			rc = party_open_spec(&p[i], &specs->at[i], limits, e);
	return rc;
}

int parties_open(const struct spec_list *specs, const struct worker_limits *limits, struct party **out, struct err *e)
{
	struct party *parties = mem_array(specs->n + 1, sizeof *parties);
	int rc = parties ? parties_open_closed(specs, limits, parties, e) : err_nomem(e, "backends", 0);

	if (rc)
		parties_close(parties, specs->n);
	else
		*out = parties;
	return rc;
}

void parties_close(struct party *p, size_t n)
{
	for (size_t i = 0; p && i < n; i++)
		party_close(&p[i]);
	mem_free(p);
}
