/* json.c - results of backend tests, for programs (declared in conform.h). */
#include "base/json.h"
#include "methods/conform/conform.h"

static json_t *result_json(const struct conform_result *r)
{
	const struct conform_list *l = &r->cases;
	const struct tally counts = conform_tally(l);
	json_t *cases = json_array();
	json_t *root = json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "backend", json_text(r->name), "version",
				 json_text(r->version), "passed", (json_int_t)conform_count(l, CONFORM_PASSED),
				 "failed", (json_int_t)conform_count(l, CONFORM_FAILED), "unsupported",
				 (json_int_t)conform_count(l, CONFORM_UNSUPPORTED), "counts", tally_json(&counts),
				 "cases", cases);

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(cases, json_pack("{s:o, s:o, s:s, s:o}", "name", json_text(l->at[i].name),
						       "suite", json_text(l->at[i].suite), "status",
						       conform_status_name(l->at[i].status), "detail",
						       json_text(l->at[i].detail)));
	return root;
}

json_t *conform_json(const struct conform_result *results, size_t n)
{
	json_t *root = n == 1 ? result_json(&results[0]) : json_array();

	for (size_t i = 0; n > 1 && i < n; i++)
		json_array_append_new(root, result_json(&results[i]));
	return root;
}
