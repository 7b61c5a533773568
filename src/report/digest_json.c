/* digest_json.c - the summary of a store for programs (declared in digest.h). */
#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "report/digest.h"
#include "report/text.h"

static json_t *cluster_json(const struct digest_cluster *c, int ranked)
{
	const struct finding *f = &c->best;
	char number[32];
	json_t *json = json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:i, s:I, s:o, s:o, s:o}", "id", (json_int_t)f->id,
		"signature", text_json(f->signature), "method", text_json(f->method), "backend", text_json(f->backend),
		"library", text_json(f->library), "version", text_json(f->version), "verdict", verdict_name(f->verdict),
		"op", text_json(f->op), "node", text_json(f->node), "noise_ratio",
		isfinite(f->noise_ratio) ? json_real(f->noise_ratio) : json_string(text_number(f->noise_ratio, number)),
		"nodes", f->nodes, "findings", (json_int_t)c->findings.n, "since", text_json(f->since), "until",
		text_json(f->until), "repro", text_json(digest_repro(c, f->id)));

	if (json && ranked)
		json_object_set_new(json, "use",
				    json_pack("{s:I, s:I}", "nodes", (json_int_t)c->use.nodes, "models",
					      (json_int_t)c->use.models));
	return json;
}

json_t *digest_json(const struct digest *d)
{
	json_t *clusters = json_array(), *libraries = json_object(), *root;
	size_t n;
	struct tally_row *rows = digest_rows(d, &n);

	for (size_t i = 0; i < d->libraries.n; i++) {
		json_t *row = json_object(), *name = text_json(d->libraries.at[i]);

		for (int v = digest_next_verdict(-1); v >= 0; v = digest_next_verdict(v))
			json_object_set_new(row, verdict_name((enum verdict)v),
					    json_integer((json_int_t)digest_count(d, d->libraries.at[i], NULL, v)));
		json_object_set_new(libraries, json_string_value(name), row);
		json_decref(name);
	}
	for (size_t i = 0; i < d->clusters.n; i++)
		json_array_append_new(clusters, cluster_json(&d->clusters.at[i], d->ranked));
	root = json_pack("{s:I, s:o, s:o, s:I, s:I, s:f, s:o}", "findings", (json_int_t)d->findings, "libraries",
			 libraries, "clusters", clusters, "campaigns", (json_int_t)d->campaigns, "cases",
			 (json_int_t)d->cases, "seconds", d->seconds, "counts", tally_rows_json(rows, n));
	mem_free(rows);
	return root;
}
