/* parties.c - see parties.h. */
#include "judge/parties.h"

#include "base/mem.h"

int parties_open(const struct spec_list *specs, const struct worker_limits *limits, struct party **out, struct err *e)
{
	struct party *parties = mem_array(specs->n + 1, sizeof *parties);
	int rc = parties ? 0 : err_nomem(e, "backends", 0);

	for (size_t i = 0; i < specs->n && !rc; i++)
		rc = party_open_spec(&parties[i], &specs->at[i], limits, e);
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
