/* html_ops.c - the matrix of operators on a page: what each library gets right, by operator and type.
 *
 * It is made of what `assay ops --judge --json` prints, as it is or from a file, of which nothing is taken for granted:
 * asking all libraries takes much longer than writing a report, and a store does not keep the answers. */
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "probe/matrix.h"
#include "report/html.h"
#include "report/page.h"

#define MAX_FILE ((size_t)64 << 20)
#define NAMED_TYPES 3 /* of a cell with more, how many there are */

/* Words of the document, and the classes of the style sheet that go with them. */
static const struct {
	const char *word, *class, *means;
	char letter;
} states[] = {
#define X(id, word, letter, means) {word, #id, means, letter},
	MATRIX_MAP(X)
#undef X
};

#define STATES (sizeof states / sizeof *states)

static void put_class(struct buf *out, size_t state)
{
	buf_printf(out, "m m-%s", states[state].class);
}

/* The state that a cell of the document names; STATES: none. */
static size_t state_of(const json_t *cell)
{
	const char *word = json_text_at(cell, "result");
	size_t i = 0;

	while (i < STATES && strcmp(states[i].word, word) != 0)
		i++;
	return i;
}

/* "f32" for "float32"; a type that has no short name keeps its own. */
static const char *short_type(const char *type)
{
	for (size_t i = 0; i < PROBE_TYPES; i++)
		if (!strcmp(dtype_name(probe_types[i].dtype), type))
			return probe_types[i].name;
	return type;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* " data-types="f32 f16"", for the page's filter, and what is read when it is pointed at. */
static size_t put_types(struct buf *out, const json_t *types, size_t state)
{
	const char *key;
	json_t *cell;
	size_t n = 0;

	buf_puts(out, " data-types=\"");
	json_object_foreach((json_t *)types, key, cell)
	{
		if (state_of(cell) != state)
			continue;
		buf_puts(out, n++ ? " " : "");
		text_put(out, short_type(key));
	}
	buf_puts(out, "\"");
	return n;
}

static void put_names(struct buf *out, const json_t *types, size_t state, size_t n)
{
	const char *key;
	json_t *cell;

	buf_printf(out, "<b>%c</b>", states[state].letter);
	if (n == json_object_size(types) && n > 1)
		buf_puts(out, " all");
	else if (n > NAMED_TYPES)
		buf_printf(out, " %zu types", n);
	else
		json_object_foreach((json_t *)types, key, cell) if (state_of(cell) == state)
		{
			buf_puts(out, " ");
			text_put(out, short_type(key));
		}
}

/* Of the types that came to one state.  What is wrong leads to the row that tells more: *row is the next of those. */
static void put_state(struct buf *out, const json_t *types, size_t state, size_t *row)
{
	int found = state >= MATRIX_REFUSED;
	struct buf list;
	size_t n;

	buf_init(&list, MAX_FILE);
	n = put_types(&list, types, state);
	if (n) {
		buf_puts(out, found ? "<a class=\"" : "<span class=\"");
		put_class(out, state);
		buf_puts(out, "\"");
		buf_puts(out, list.data ? list.data : "");
		if (found)
			buf_printf(out, " href=\"#ops-%zu\"", *row);
		buf_puts(out, ">");
		put_names(out, types, state, n);
		buf_puts(out, found ? "</a> " : "</span> ");
	}
	*row += found ? n : 0;
	buf_release(&list);
}

static void put_operator(struct buf *out, const json_t *operator)
{
	const char *domain = json_text_at(operator, "domain");

	text_put(out, domain);
	buf_puts(out, *domain ? ":" : "");
	text_put(out, json_text_at(operator, "name"));
}

static const json_t *types_of(const json_t *operator, const json_t * backend)
{
	return json_object_get(json_object_get(operator, "backends"), json_text_at(backend, "backend"));
}

static void put_head(struct buf *out, const char *scope, const char *text)
{
	buf_printf(out, "<th scope=\"%s\">", scope);
	text_put(out, text);
	buf_puts(out, "</th>");
}

static void put_heads(struct buf *out, const json_t *backends)
{
	buf_puts(out,
		 "<div class=\"scroll tall\" role=\"region\" tabindex=\"0\" aria-label=\"What is right, by operator "
		 "and library\">\n<table class=\"matrix\" id=\"ops\"><caption class=\"vh\">What is right, by "
		 "operator, library and type</caption>\n<thead><tr><th scope=\"col\">Operator</th>");
	for (size_t i = 0; i < json_array_size(backends); i++)
		put_head(out, "col", json_text_at(json_array_get(backends, i), "backend"));
	buf_puts(out, "</tr></thead>\n<tbody>\n");
}

static void put_table(struct buf *out, const json_t *backends, const json_t *operators)
{
	size_t row = 0;

	put_heads(out, backends);
	for (size_t i = 0; i < json_array_size(operators); i++) {
		const json_t *operator= json_array_get(operators, i);

		buf_puts(out, "<tr><th scope=\"row\" title=\""); /* it may be cut */
		put_operator(out, operator);
		buf_puts(out, "\">");
		put_operator(out, operator);
		buf_puts(out, "</th>");
		for (size_t k = 0; k < json_array_size(backends); k++) {
			buf_puts(out, "<td>");
			for (size_t s = STATES; s-- > 0;)
				put_state(out, types_of(operator, json_array_get(backends, k)), s, &row);
			buf_puts(out, "</td>");
		}
		buf_puts(out, "</tr>\n");
	}
	buf_puts(out, "</tbody></table></div>\n");
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

/* Clusters of the report that are about the operator on the backend, whatever its version and options. */
static size_t clusters_of(const struct digest *d, const char *backend, const char *operator)
{
	size_t n = 0, length = strlen(backend);

	for (size_t i = 0; d && i < d->clusters.n; i++) {
		const struct digest_cluster *c = &d->clusters.at[i];

		n += !strncmp(c->best.backend, backend, length) && strchr("@:", c->best.backend[length]) &&
		     !strcmp(digest_op(c), operator);
	}
	return n;
}

static void put_link(struct page *p, const char *backend, const char *operator)
{
	size_t n = clusters_of(p->digest, backend, operator);

	buf_puts(p->out, "<td>");
	if (n) {
		buf_puts(p->out, "<button type=\"button\" data-query=\"backend:");
		text_put(p->out, backend);
		buf_puts(p->out, " op:&quot;");
		text_put(p->out, operator);
		buf_printf(p->out, "&quot;\">%zu cluster%s</button>", n, PLURAL(n));
	}
	buf_puts(p->out, "</td>");
}

static void put_case(struct page *p, const json_t *operator, const char * backend, const char *type, const json_t *cell,
		     size_t *row)
{
	struct buf *out = p->out;

	buf_printf(out, "<tr id=\"ops-%zu\"><td><span class=\"", (*row)++);
	put_class(out, state_of(cell));
	buf_puts(out, "\">");
	text_put(out, json_text_at(cell, "verdict"));
	buf_puts(out, "</span></td>");
	html_element(out, "td", "", backend);
	buf_puts(out, "<td>");
	put_operator(out, operator);
	buf_puts(out, "</td>");
	html_element(out, "td", "", type);
	html_element(out, "td", "reason", json_text_at(cell, "reason"));
	buf_puts(out, "<td><code>");
	text_put(out, json_text_at(cell, "case"));
	buf_puts(out, "</code></td>");
	if (p->digest)
		put_link(p, backend, json_text_at(operator, "name"));
	buf_puts(out, "</tr>\n");
}

/* In the order of put_table(), which numbers them. */
static void put_cases(struct page *p, const json_t *backends, const json_t *operators)
{
	size_t row = 0;

	for (size_t i = 0; i < json_array_size(operators); i++)
		for (size_t k = 0; k < json_array_size(backends); k++)
			for (size_t s = STATES; s-- > MATRIX_REFUSED;) {
				const json_t *backend = json_array_get(backends, k);
				const json_t *operator= json_array_get(operators, i);
				const char *key;
				json_t *cell;

				json_object_foreach((json_t *)types_of(operator, backend), key,
						    cell) if (state_of(cell) == s)
					put_case(p, operator, json_text_at(backend, "backend"), key, cell, &row);
			}
}

static size_t count_of(const json_t *backend, size_t state)
{
	json_int_t n = json_integer_value(json_object_get(json_object_get(backend, "counts"), states[state].word));

	return n > 0 ? (size_t)n : 0;
}

static void put_wrong(struct page *p, const json_t *backends, const json_t *operators)
{
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(backends); i++)
		n += count_of(json_array_get(backends, i), MATRIX_REFUSED) +
		     count_of(json_array_get(backends, i), MATRIX_WRONG);
	if (!n)
		return;
	buf_puts(p->out,
		 "<h3 id=\"ops-wrong\">What is wrong or refused</h3>\n<div class=\"scroll tall\" role=\"region\" "
		 "tabindex=\"0\" aria-labelledby=\"ops-wrong\">\n<table class=\"rows\"><thead><tr>"
		 "<th scope=\"col\">Verdict</th><th scope=\"col\">Library</th><th scope=\"col\">Operator</th>"
		 "<th scope=\"col\">Type</th><th scope=\"col\">What</th><th scope=\"col\">Case</th>");
	buf_puts(p->out, p->digest ? "<th scope=\"col\">In this report</th></tr></thead>\n<tbody>\n"
				   : "</tr></thead>\n<tbody>\n");
	put_cases(p, backends, operators);
	buf_puts(p->out, "</tbody></table></div>\n");
}

/* ---- around it --------------------------------------------------------------------------------------------------- */

/* Counts of each library; the heads are the legend. */
static void put_counts(struct buf *out, const json_t *backends)
{
	buf_puts(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Counts of each library\">\n"
		      "<table class=\"rows\"><thead><tr><th scope=\"col\">Library</th><th scope=\"col\">Version</th>");
	for (size_t s = STATES; s-- > 0;)
		buf_printf(out, "<th scope=\"col\" class=\"num\">%s</th>", states[s].word);
	buf_puts(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < json_array_size(backends); i++) {
		const json_t *backend = json_array_get(backends, i);

		buf_puts(out, "<tr>");
		put_head(out, "row", json_text_at(backend, "backend"));
		html_element(out, "td", "", json_text_at(backend, "version"));
		for (size_t s = STATES; s-- > 0;)
			buf_printf(out, "<td class=\"num\">%zu</td>", count_of(backend, s));
		buf_puts(out, "</tr>\n");
	}
	buf_puts(out, "</tbody></table></div>\n<dl class=\"key\">");
	for (size_t s = STATES; s-- > 0;) {
		buf_puts(out, "<div><dt><span class=\"");
		put_class(out, s);
		buf_printf(out, "\"><b>%c</b> %s</span></dt><dd>%s</dd></div>", states[s].letter, states[s].word,
			   states[s].means);
	}
	buf_puts(out, "</dl>\n");
}

/* Hidden until the script shows them. */
static void put_filters(struct buf *out, const json_t *backends)
{
	buf_puts(out, "<div class=\"ops-filters\" role=\"group\" aria-label=\"Filter the operators\" hidden>"
		      "<label>Operator <input type=\"text\" data-ops=\"op\" autocomplete=\"off\" "
		      "spellcheck=\"false\"></label> <label>Library <select data-ops=\"library\"><option "
		      "value=\"\">all</option>");
	for (size_t i = 0; i < json_array_size(backends); i++)
		html_element(out, "option", "", json_text_at(json_array_get(backends, i), "backend"));
	buf_puts(out, "</select></label> <label>Type <select data-ops=\"type\"><option value=\"\">all</option>");
	for (size_t i = 0; i < PROBE_TYPES; i++)
		html_element(out, "option", "", probe_types[i].name);
	buf_puts(out, "</select></label> <label>Result <select data-ops=\"result\"><option value=\"\">all</option>");
	for (size_t s = STATES; s-- > 0;)
		buf_printf(out, "<option value=\"m-%s\">%s</option>", states[s].class, states[s].word);
	buf_puts(out, "</select></label> <output id=\"ops-shown\"></output></div>\n");
}

void html_ops(struct page *p, const json_t *matrix)
{
	const json_t *backends = json_object_get(matrix, "backends"), *operators = json_object_get(matrix, "operators");

	buf_puts(p->out, "<section id=\"operators\" aria-labelledby=\"operators-title\">\n"
			 "<h2 id=\"operators-title\">Operators</h2>\n<p>What each library gets right, by operator and "
			 "type of its first input.  Every operator case was run and judged by the reference.</p>\n");
	put_counts(p->out, backends);
	put_filters(p->out, backends);
	put_table(p->out, backends, operators);
	put_wrong(p, backends, operators);
	buf_puts(p->out, "</section>\n");
}

int report_ops(const json_t *matrix, const char *title, struct buf *out, struct err *e)
{
	struct page p = {.out = out};

	html_head(out, title, page_js_hash, 0, "operators");
	buf_puts(out, "<header><div class=\"wide\">\n");
	html_element(out, "h1", "", title);
	buf_puts(out, "</div></header>\n<main class=\"wide\">\n");
	html_ops(&p, matrix);
	html_foot(out);
	return buf_check(out, e);
}

int report_ops_load(const char *path, json_t **out, struct err *e)
{
	json_t *matrix = NULL;
	int rc = text_load_json(path, MAX_FILE, &matrix, e);

	if (!rc && (strcmp(json_text_at(matrix, "schema"), JSON_SCHEMA) != 0 ||
		    !json_is_array(json_object_get(matrix, "backends")) ||
		    !json_is_object(json_object_get(matrix, "legend")) ||
		    !json_is_array(json_object_get(matrix, "operators"))))
		rc = err_set(e, ERR_INPUT, "'%s' is not what 'assay ops --judge --json' printed", path);
	if (rc)
		json_decref(matrix);
	else
		*out = matrix;
	return rc;
}
