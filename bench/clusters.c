/* clusters.c - are clusters bugs?  Findings whose causes were looked up by hand, clustered anew.
 *
 *     build/bench_clusters [FILE [show]]        (default: data/clusters.jsonl)
 *
 * Each line of the file is a finding as a campaign of fuzz recorded it, reduced model included (hexadecimal), and
 * "cause", the defect behind it: found by reading the case, the library's message and where needed its source.  Of all
 * pairs of findings of one library:
 *
 *   precision  of those in one cluster, the share that has one cause
 *   recall     of those with one cause, the share that is in one cluster
 *
 * Both at least 0.95.  With `show` every cause that is split, and every cluster that is mixed, is printed. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "store/store.h"
#include "support/bench.h"
#include "triage/triage.h"

struct labelled {
	const char *cause; /* of its line's JSON */
	int64_t cluster;
};

struct clusters {
	struct store *store;
	VEC(json_t *) lines;
	VEC(struct labelled) found; /* by id - 1 */
};

static unsigned char digit(char c)
{
	return (unsigned char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The bytes of hexadecimal text, which mem_free() frees. */
static struct bytes unhex(const char *text)
{
	size_t n = strlen(text) / 2;
	char *p = mem_alloc(n + 1);

	for (size_t i = 0; p && i < n; i++)
		p[i] = (char)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
	return (struct bytes){p, p ? n : 0};
}

static const char *text_of(const json_t *line, const char *key)
{
	const char *s = json_string_value(json_object_get(line, key));

	return s ? s : "";
}

static void add_line(struct clusters *c, const json_t *line)
{
	struct err e = ERR_INIT;
	struct bytes model = unhex(text_of(line, "model"));
	char *evidence = json_dumps(json_object_get(line, "evidence"), JSON_COMPACT);
	struct finding f = {.method = "fuzz",
			    .backend = text_of(line, "library"),
			    .library = text_of(line, "library"),
			    .version = "",
			    .op = text_of(line, "op"),
			    .node = "",
			    .parameter = "",
			    .signature = text_of(line, "signature"),
			    .detail = text_of(line, "detail"),
			    .evidence = evidence,
			    .command = "",
			    .since = "",
			    .until = "",
			    .nodes = (int)json_integer_value(json_object_get(line, "nodes")),
			    .original_nodes = (int)json_integer_value(json_object_get(line, "nodes")),
			    .model = model,
			    .reduced_model = model};

	if (!verdict_find(text_of(line, "verdict"), &f.verdict)) {
		fprintf(stderr, "bench: line %zu has no verdict\n", c->lines.n);
		exit(2);
	}
	bench_must(store_add(c->store, &f, &e), &e);
	bench_must(vec_push(&c->found, ((struct labelled){.cause = text_of(line, "cause")})), &e);
	mem_free((void *)model.p);
	free(evidence);
}

static void read_lines(struct clusters *c, const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!f) {
		fprintf(stderr, "bench: cannot read '%s'\n", path);
		exit(2);
	}
	while (getline(&text, &size, f) > 0) {
		json_t *line = json_loads(text, 0, NULL);

		if (!line || vec_push(&c->lines, line)) {
			fprintf(stderr, "bench: '%s' line %zu is not JSON\n", path, c->lines.n + 1);
			exit(2);
		}
		add_line(c, line);
	}
	free(text);
	fclose(f);
}

static int note(const struct finding *f, void *arg)
{
	struct clusters *c = arg;

	c->found.at[f->id - 1].cluster = f->cluster;
	return 0;
}

static void show(const struct clusters *c)
{
	for (size_t i = 0; i < c->found.n; i++)
		printf("%s\t%lld\t%s\t%s\n", c->found.at[i].cause, (long long)c->found.at[i].cluster,
		       text_of(c->lines.at[i], "signature"), text_of(c->lines.at[i], "detail"));
}

static void measure(const struct clusters *c)
{
	double together = 0, same = 0, both = 0;

	for (size_t i = 0; i < c->found.n; i++)
		for (size_t k = 0; k < i; k++) {
			int one_cluster = c->found.at[i].cluster == c->found.at[k].cluster;
			int one_cause = !strcmp(c->found.at[i].cause, c->found.at[k].cause);

			together += one_cluster;
			same += one_cause;
			both += one_cluster && one_cause;
		}
	printf("%zu findings, %.0f pairs of one cause, %.0f pairs of one cluster\n", c->found.n, same, together);
	bench_at_least("precision", both / together, "", 0.95);
	bench_at_least("recall", both / same, "", 0.95);
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/assay-clusters-XXXXXX";
	struct clusters c = {.store = NULL};
	struct err e = ERR_INIT;
	int fd = mkstemp(path);

	if (fd < 0) {
		perror("bench: a file for findings");
		return 2;
	}
	close(fd);
	unlink(path);
	bench_must(store_open(path, 1, &c.store, &e), &e);
	read_lines(&c, argc > 1 ? argv[1] : "data/clusters.jsonl");
	bench_must(cluster_all(c.store, NULL, &e), &e);
	bench_must(store_each(c.store, NULL, note, &c, &e), &e);
	if (argc > 2)
		show(&c);
	measure(&c);
	store_close(c.store);
	for (size_t i = 0; i < c.lines.n; i++)
		json_decref(c.lines.at[i]);
	vec_release(&c.lines);
	vec_release(&c.found);
	unlink(path);
	return bench_missed;
}
