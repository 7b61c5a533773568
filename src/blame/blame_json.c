/* blame_json.c - blame as JSON: evidence while it is gathered, and the ranking for programs that read it. */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "blame/internal.h"

#define MAX_EVIDENCE ((size_t)64 << 20)

json_t *blame_number(double x)
{
	if (isnan(x))
		return json_null();
	if (isinf(x))
		return json_string(x > 0 ? "inf" : "-inf");
	return json_real(x);
}

/* What libraries say need not be UTF-8. */
json_t *blame_text(const char *text)
{
	json_t *j = json_string(text);
	size_t n = strlen(text);
	struct buf clean;

	if (j)
		return j;
	buf_init(&clean, MAX_EVIDENCE);
	for (size_t i = 0; i < n;) {
		int32_t character;
		size_t bytes = utf8_decode(text + i, n - i, &character);

		if (character == UTF8_INVALID)
			buf_puts(&clean, "?");
		else
			buf_add(&clean, text + i, bytes);
		i += bytes;
	}
	j = json_string(clean.failed || !clean.data ? "" : clean.data);
	buf_release(&clean);
	return j;
}

static int append(const char *text, size_t n, void *arg)
{
	return buf_add(arg, text, n) ? -1 : 0;
}

char *blame_dump(const json_t *j)
{
	struct buf b;
	char *text = NULL;

	buf_init(&b, MAX_EVIDENCE);
	if (!json_dump_callback(j, append, &b, JSON_COMPACT) && !b.failed)
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
			json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:s, s:o, s:o}", "backend", backend, "node",
				  s->node->name, "op", s->node->op_type, "rank", s->rank, "rate", blame_number(s->rate),
				  "noise_ratio", blame_number(s->noise_ratio), "score", blame_number(s->score), "delta",
				  blame_number(s->delta), "parameter", s->parameter, "verified",
				  s->verified < 0 ? json_null() : json_boolean(s->verified), "blamers", blamers_of(s)));
	}
	return list;
}
