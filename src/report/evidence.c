/* evidence.c - see evidence.h. */
#include "report/evidence.h"

#include <math.h>
#include <string.h>

json_t *evidence_parse(const char *text)
{
	json_t *j = *text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;

	if (json_is_object(j))
		return j;
	json_decref(j);
	return json_object();
}

/* A key of the whole, or of one of the parts that others put their say into. */
const json_t *evidence_find(const json_t *evidence, const char *key)
{
	static const char *const parts[] = {"blame", "reduce"};
	const json_t *found = json_object_get(evidence, key);

	for (size_t i = 0; i < sizeof parts / sizeof *parts && !found; i++)
		found = json_object_get(json_object_get(evidence, parts[i]), key);
	return found;
}

const char *evidence_string(const json_t *evidence, const char *key)
{
	const char *s = json_string_value(evidence_find(evidence, key));

	return s ? s : "";
}

/* JSON has no infinity: those are the strings "inf" and "-inf", and what is no number is NaN. */
double evidence_number(const json_t *j)
{
	const char *s = json_string_value(j);

	if (json_is_number(j))
		return json_number_value(j);
	if (s && !strcmp(s, "inf"))
		return INFINITY;
	return s && !strcmp(s, "-inf") ? -INFINITY : NAN;
}

void evidence_drop_map(json_t *evidence)
{
	json_t *map = (json_t *)evidence_find(evidence, "map");

	if (json_is_array(map))
		json_object_del(evidence, "map");
	else
		json_object_del(map, "nodes");
}

static const json_t *map_list(const json_t *evidence)
{
	const json_t *map = evidence_find(evidence, "map"), *list = map;

	if (json_is_object(map))
		list = json_object_get(map, json_array_size(json_object_get(map, "nodes")) ? "nodes" : "top");
	return json_is_array(list) ? list : NULL;
}

int evidence_map(const json_t *evidence, const struct model *m, struct arena *a, struct blame_map *out, struct err *e)
{
	const json_t *list = map_list(evidence),
		     *quartile = json_object_get(evidence_find(evidence, "map"), "third_quartile");
	struct blame_map map = {.third_quartile = evidence_number(quartile)};
	struct map by_name = MAP_INIT;
	int failed = 0;

	for (size_t i = 0; i < m->graph->nodes.n && list && !failed; i++)
		failed = map_put(&by_name, m->graph->nodes.at[i]->name, m->graph->nodes.at[i]);
	map.at = arena_array(a, json_array_size(list) + 1, sizeof *map.at);
	failed |= !map.at;
	for (size_t i = 0; i < json_array_size(list) && !failed; i++) {
		const json_t *j = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(j, "node"));
		const struct node *node = name ? map_get(&by_name, name) : NULL;

		if (!node)
			continue;
		map.at[map.n].node = node;
		map.at[map.n].rate = evidence_number(json_object_get(j, "rate"));
		map.at[map.n].delta = evidence_number(json_object_get(j, "delta"));
		map.at[map.n].noise_ratio = evidence_number(json_object_get(j, "noise_ratio"));
		map.at[map.n].above = map.at[map.n].rate >= map.third_quartile;
		map.n++;
	}
	map_release(&by_name);
	if (failed)
		return err_nomem(e, "a localization map", 0);
	*out = map;
	return 0;
}

const json_t *evidence_set(const json_t *evidence)
{
	const json_t *ops = json_object_get(evidence, "together");

	return json_array_size(ops) ? ops : NULL;
}

void evidence_put_set(const json_t *evidence, struct buf *out)
{
	const json_t *ops = evidence_set(evidence);
	const char *guilty = evidence_string(evidence, "guilty");

	for (size_t i = 0; i < json_array_size(ops); i++) {
		const char *op = json_string_value(json_array_get(ops, i));

		buf_printf(out, "%s%s", i ? " + " : "", op ? op : "?");
	}
	if (*guilty)
		buf_printf(out, ", decided by %s", guilty);
}

/* The names are those of the smallest case where that was blamed. */
int evidence_is_in_set(const json_t *evidence, const struct node *n)
{
	const json_t *small = json_object_get(json_object_get(evidence, "reduced_blame"), "isolated");
	const json_t *said = small ? small : evidence_find(evidence, "isolated");
	const json_t *names = json_object_get(json_array_get(json_object_get(said, "only_together"), 0), "nodes");

	for (size_t i = 0; i < json_array_size(names); i++) {
		const char *name = json_string_value(json_array_get(names, i));

		if (name && !strcmp(name, n->name))
			return 1;
	}
	return 0;
}

/* ---- oracles ----------------------------------------------------------------------------------------------------- */

static const struct {
	const char *word, *means;
} oracles[] = {
	{"rule", "the rule: two ways to compute the same give what no rounding makes of one another"},
	{"noise",
	 "the noise bound: two ways to compute the same are further apart than one rounding of the inputs moves "
	 "them"},
	{"death", "a death: the process ended, and did so again in a fresh one"},
	{"promise", "a promise: one way refuses what the other takes, and documentation says that both take the same"},
	{"standard", "ONNX: it forbids the call, and the library gives a result"},
	{"time", "time: a call did not end, and did not do so again in a fresh process"},
};

const char *evidence_oracle(const char *word)
{
	for (size_t i = 0; i < sizeof oracles / sizeof *oracles; i++)
		if (!strcmp(oracles[i].word, word))
			return oracles[i].means;
	return "";
}

void evidence_put_oracle(const json_t *evidence, struct buf *out)
{
	const char *means = evidence_oracle(evidence_string(evidence, "oracle"));
	const char *side = evidence_string(evidence, "wrong_side");

	buf_puts(out, means);
	if (*means && (!strcmp(side, "a") || !strcmp(side, "b")))
		buf_printf(out, "; side %s is held to be wrong", side);
}
