/* planted.c - see planted.h. */
#include "case/planted.h"

#include <string.h>

#include "base/near.h"

static int has_node(const struct model *m, const char *name, struct near *near)
{
	int found = 0;

	for (size_t g = 0; g < m->graphs.n; g++)
		for (size_t n = 0; n < m->graphs.at[g]->nodes.n; n++) {
			const char *other = m->graphs.at[g]->nodes.at[n]->name;

			found |= !strcmp(other, name);
			near_offer(near, other, other);
		}
	return found;
}

static int find(const struct worker_spec *spec, const struct model *m, struct err *e)
{
	for (size_t i = 0; i < spec->n_options; i++) {
		const char *at = strcmp(spec->options[i].name, "fault") ? NULL : strchr(spec->options[i].value, '@');
		struct near near = NEAR(at ? at + 1 : "");

		if (at && strcmp(at, "@nowhere") && !graph_wire(m->graph, at + 1) && !has_node(m, at + 1, &near))
			return err_set(e, ERR_INPUT, "no node '%s' to plant a fault in%s", at + 1, near_hint(&near));
	}
	return 0;
}

int planted_check(const struct worker_spec *specs, size_t n, const char *path, const struct model *m, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (find(&specs[i], m, e))
			return err_prefix(e, "%s", path);
	return 0;
}
