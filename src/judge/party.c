/* party.c - backends that take part in a trial: a worker, or the reference in this process (declared in trial.h). */
#include "base/mem.h"
#include "judge/internal.h"

int party_open_spec(struct party *p, const struct worker_spec *spec, const struct worker_limits *limits, struct err *e)
{
	struct party made = {.limits = limits ? *limits : (struct worker_limits){0}};
	struct worker_report report;
	int rc = spec_copy(spec, &made.spec, e);

	if (!rc && !spec_is_reference(spec) && !(made.witness = witness_new(e)))
		rc = e->code;
	if (!rc && made.witness)
		rc = worker_open(&made.spec, &made.limits, &made.worker, &report, e);
	if (!rc && made.worker) /* somebody else's worker names its library itself */
		rc = spec_adopt(&made.spec, worker_library(made.worker), worker_version(made.worker), e);
	if (rc) {
		worker_close(made.worker);
		witness_free(made.witness);
		spec_release(&made.spec);
	} else {
		*p = made;
	}
	return rc;
}

int party_open(struct party *p, const char *name, const struct worker_limits *limits, struct err *e)
{
	struct worker_spec spec;
	int rc = spec_make(name, &spec, e);

	if (rc)
		return rc;
	rc = party_open_spec(p, &spec, limits, e);
	spec_release(&spec);
	return rc;
}

void party_close(struct party *p)
{
	if (p->twin)
		party_close(p->twin);
	mem_free(p->twin);
	worker_close(p->worker);
	witness_free(p->witness);
	spec_release(&p->spec);
	*p = (struct party){0};
}

int party_foreign_op(const struct party *p, const struct op_row *row)
{
	const char *owner = row ? ops_owner(row) : NULL;

	return owner && !(p->worker && worker_can(p->worker, owner));
}

const char *party_version(const struct party *p)
{
	return p->worker ? worker_version(p->worker) : ASSAY_VERSION;
}
