/* record.c - see record.h. */
#include "store/record.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"

#define MAX_NAMES ((size_t)1 << 20)

/* Each backend once, with commas between. */
static void list_backends(const struct store_run *r, struct buf *out)
{
	for (size_t i = 0; i < r->n; i++) {
		size_t k = 0;

		while (strcmp(r->at[k].backend, r->at[i].backend) != 0)
			k++;
		if (k == i)
			buf_printf(out, "%s%s", out->len ? "," : "", r->at[i].backend);
	}
}

/* The run as a campaign of its own. */
static int add_campaign(struct store *s, const struct store_run *r, int64_t *id, struct err *e)
{
	struct buf backends;
	struct campaign_key key = {.method = r->method, .command = r->command ? r->command : "", .seed = r->seed};
	struct campaign c = {0};
	int rc;

	buf_init(&backends, MAX_NAMES);
	list_backends(r, &backends);
	key.backends = backends.data ? backends.data : "";
	rc = store_campaign_open(s, &key, 0, &c, e);
	if (!rc) {
		*id = c.id;
		for (size_t i = 0; i < r->n; i++)
			if (!strcmp(r->at[i].backend, r->at[0].backend))
				c.cases += (int64_t)r->at[i].tally.given;
		c.seconds = r->seconds;
		c.done = !r->open;
		rc = store_campaign_save(s, &c, e);
	}
	campaign_release(&c);
	buf_release(&backends);
	return rc;
}

void store_record_run(const struct store_run *r)
{
	int64_t id = r->campaign;
	struct store *s = NULL;
	struct err e = ERR_INIT;
	int rc = r->n ? store_open(r->db, 1, &s, &e) : 0;

	if (!rc && r->n && !id)
		rc = add_campaign(s, r, &id, &e);
	for (size_t i = 0; i < r->n && !rc; i++) {
		struct store_tally t = r->at[i];

		t.campaign = id;
		rc = store_set_tally(s, &t, &e);
	}
	if (!rc && r->n && r->progress)
		rc = store_add_progress(s, id, r->seconds, r->progress, &e);
	store_close(s);
	if (rc)
		log_print(LOG_WARNING, "the counts are not recorded: %s", e.msg);
}

void store_record_rows(const struct store_run *r, const struct tally_row *rows, size_t n)
{
	struct store_run with = *r;
	struct store_tally *all = mem_array(n + 1, sizeof *all);

	for (size_t i = 0; all && i < n; i++)
		all[i] = (struct store_tally){
			.model = "", .backend = rows[i].backend, .verdict = "", .note = "", .tally = rows[i].tally};
	with.at = all;
	with.n = n;
	if (all)
		store_record_run(&with);
	mem_free(all);
}
