/* zoo.c - see zoo.h: the table, and weights put into a network. */
#include "zoo/zoo.h"

#include <string.h>

#include "ops/op.h"

#define NETWORK(id) extern const struct zoo_network zoo_##id;
#include "zoo/zoo.def"
#undef NETWORK

const struct zoo_row zoo_rows[] = {
#define NETWORK(id) {#id, &zoo_##id},
#include "zoo/zoo.def"
#undef NETWORK
	{0},
};

const struct zoo_row *zoo_find(const char *name)
{
	for (const struct zoo_row *row = zoo_rows; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

/* Replaces an initializer's tensor; the model keeps every tensor it ever held until it is freed. */
static int put_weight(struct model *m, const struct named_tensor *w, struct err *e)
{
	struct wire *wire = graph_wire(m->graph, w->name);
	char have[160], want[160];

	if (!wire || !wire->init)
		return err_set(e, ERR_INPUT, "weight '%s': the network has no such initializer", w->name);
	if (wire->init->dtype != w->tensor->dtype || !tensor_same_shape(wire->init, w->tensor))
		return err_set(e, ERR_INPUT, "weight '%s' is %s, wanted %s", w->name,
			       tensor_describe(w->tensor, have, sizeof have),
			       tensor_describe(wire->init, want, sizeof want));
	if (vec_push(&m->tensors, w->tensor))
		return err_nomem(e, "weights", 0);
	wire->init = tensor_ref(w->tensor);
	return 0;
}

int zoo_build_at(const struct zoo_row *row, int opset, int64_t batch, uint64_t seed, const struct tensor_set *weights,
		 struct model **out, struct err *e)
{
	int own = row->network->opset ? row->network->opset : ZOO_OPSET, needed = row->network->opset;
	struct model *m = NULL;
	struct build b;
	int rc;

	if (batch < 1)
		return err_set(e, ERR_USAGE, "a batch has at least one item, not %lld", (long long)batch);
	if (opset && (opset < needed || opset < ZOO_FIRST_OPSET || opset > own))
		return err_set(e, ERR_USAGE, "network '%s' can be built in opset %d to %d, not %d", row->name,
			       needed ? needed : ZOO_FIRST_OPSET, own, opset);
	build_begin(&b, opset ? opset : own, seed, e);
	row->network->build(&b, batch);
	rc = build_end(&b, &m);
	for (size_t i = 0; weights && i < weights->n && !rc; i++)
		rc = put_weight(m, &weights->at[i], e);
	if (!rc) /* a file must tell the types of its outputs */
		rc = ops_bind(m, e);
	if (!rc)
		rc = ops_infer(m, e);
	if (rc) {
		model_free(m);
		return err_prefix(e, "network '%s'", row->name);
	}
	*out = m;
	return 0;
}

int zoo_build(const struct zoo_row *row, int64_t batch, uint64_t seed, const struct tensor_set *weights,
	      struct model **out, struct err *e)
{
	return zoo_build_at(row, 0, batch, seed, weights, out, e);
}
