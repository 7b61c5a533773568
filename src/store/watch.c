/* watch.c - a store that others write while somebody looks at it (declared in store.h). */
#include "store/db.h"
#include "store/store.h"

int store_only_read(struct store *s, struct err *e)
{
	return db_exec(s, "PRAGMA query_only = ON", "open", e);
}

int store_freeze(struct store *s, struct err *e)
{
	return db_exec(s, "BEGIN", "read", e);
}

int store_thaw(struct store *s, struct err *e)
{
	return db_exec(s, "COMMIT", "read", e);
}

int store_glance(struct store *s, struct store_glance *out, struct err *e)
{
	struct store_glance g = {0};
	int rc = db_number(s, "PRAGMA data_version", 0, &g.version, "read", e);

	if (!rc)
		rc = db_number(s, "SELECT count(*) FROM findings", 0, &g.findings, "count findings of", e);
	if (!rc)
		rc = db_number(s, "SELECT count(DISTINCT iif(cluster, cluster, id)) FROM findings", 0, &g.clusters,
			       "count clusters of", e);
	if (!rc)
		*out = g;
	return rc;
}
