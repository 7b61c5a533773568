/* blame_json.c - blame as JSON: evidence while it is gathered, and the ranking for programs that read it. */
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "blame/internal.h"

#define MAX_EVIDENCE ((size_t)64 << 20)

char *blame_dump(const json_t *j)
{
	struct buf b;
	char *text = NULL;

	buf_init(&b, MAX_EVIDENCE);
	if (!json_write(&b, j, JSON_COMPACT))
		text = mem_strdup(b.data);
	buf_release(&b);
	return text;
}

static json_t *blamers_of(const struct suspect *s)
{
	json_t *names = json_array();

	for (size_t i = 0; blamer_names[i]; i++)
		if (s->blamers >> i & 1)
			json_array_append_new(names, json_string(blamer_names[i]));
	return names;
}

json_t *blame_to_json(const struct blame *b, const char *backend)
{
	json_t *list = json_array();

	for (size_t i = 0; i < b->n; i++) {
		const struct suspect *s = &b->at[i];

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o}", "backend", backend,
				  "node", s->node->name, "op", s->node->op_type, "rank", s->rank, "rate",
				  json_number_or_null(s->rate), "noise_ratio", json_number_or_null(s->noise_ratio),
				  "score", json_number_or_null(s->score), "delta", json_number_or_null(s->delta),
				  "parameter", s->parameter, "together", s->together, "verified",
				  s->effect == SWAP_UNTRIED ? json_null() : json_boolean(s->effect == SWAP_GOES),
				  "blamers", blamers_of(s)));
	}
	return list;
}
