/* cmd_campaign.c - assay campaign: several methods on several backends for a long time, on one machine or a cluster. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/campaign_status.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "cli/tally_print.h"
#include "cli/terminal.h"
#include "install/hash.h"
#include "install/manifest.h"
#include "worker/parent/spec.h"

int cmd_campaign(struct cli *c);

static const char notes[] =
	"FILE says which methods run on which backends and how they share the time; docs/campaign.md has an example.\n"
	"Half of the time goes by the shares of the file, half by new clusters of findings a minute.\n"
	"All is kept in a folder, FILE without .yaml and with .campaign: findings.db has what was found.  Ctrl-C, or\n"
	"any other end, loses nothing: the same command goes on.\n"
	"--slurm runs the tasks as job arrays of Slurm.  The folder, this program and the libraries under test must "
	"be\n"
	"on a file system that all nodes share; each node checks the libraries' files before its first task.\n";

struct cmd_campaign_options {
	const char *output, *task;
	int slurm, json;
};

static void catch_signals(void)
{
	stop_on(SIGINT);
	stop_on(SIGTERM);
	stop_on(SIGHUP);
}

/* ---- installed libraries ----------------------------------------------------------------------------------------- */

/* The digest of its manifest, which has those of its files; none for what is not installed by assay. */
static int digest(const char *backend, char out[TASK_DIGEST], struct err *e)
{
	_Static_assert(TASK_DIGEST >= HASH_TEXT, "a digest fits");
	struct worker_spec spec = {0};
	char path[PLACE_PATH];
	uint64_t bytes;
	int rc = spec_make(backend, &spec, e);

	*out = '\0';
	if (!rc && spec.folder && *spec.folder) {
		rc = place_path(path, e, "%s/" MANIFEST_NAME, spec.folder);
		if (!rc && hash_file(path, out, &bytes, e)) {
			err_clear(e); /* put there by hand */
			*out = '\0';
		}
	}
	if (!rc)
		spec_release(&spec);
	return rc;
}

static int verify(const char *backend, struct err *e)
{
	struct worker_spec spec = {0};
	int rc = spec_make(backend, &spec, e);

	if (rc)
		return rc;
	rc = manifest_check(spec.folder, e);
	spec_release(&spec);
	return rc;
}

static const struct task_hooks hooks = {digest, verify};

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

/* "night.yaml" → "night.campaign" */
static int name_folder(const char *file, const char *given, char out[PLACE_PATH], struct err *e)
{
	size_t n = strlen(file);

	if (given)
		return place_path(out, e, "%s", given);
	if (place_has_suffix(file, ".yaml"))
		n -= 5;
	else if (place_has_suffix(file, ".yml"))
		n -= 4;
	return place_path(out, e, "%.*s.campaign", (int)n, file);
}

/* A name that is wrong is said at once, and not by each of its tasks. */
static int check_backends(const struct campaign_order *o, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < o->n && !rc; i++) {
		struct spec_list specs = VEC_INIT;

		rc = spec_make_list(o->lines[i].backend, &specs, e);
		spec_list_release(&specs);
	}
	return rc;
}

static int run_one_task(const char *folder, const char *number, struct err *e)
{
	char *end;
	unsigned long long n;
	int rc;

	errno = 0;
	n = strtoull(number, &end, 10);
	if (errno || *end || end == number || *number == '-')
		return err_set(e, ERR_USAGE, "--task: '%s' is not the number of a task", number);
	catch_signals();
	rc = task_run(folder, (size_t)n, &hooks, &stop_asked, e);
	return rc ? rc : CLI_OK;
}

static int print_counts(FILE *out, const json_t *summary, int status)
{
	json_t *counts = json_object_get(summary, "counts"), *own;
	struct tally_row *rows = mem_array(json_object_size(counts) + 1, sizeof *rows);
	const char *backend;
	size_t n = 0;

	if (!rows)
		return status;
	json_object_foreach(counts, backend, own)
	{
		rows[n].backend = backend;
		tally_add_json(&rows[n++].tally, own);
	}
	status = tally_print(out, rows, n, status);
	mem_free(rows);
	return status;
}

/* Also of a campaign that was interrupted: what is there counts. */
static int print(struct cli *c, const struct cmd_campaign_options *o, const struct campaign_order *order,
		 const struct ledger *l, struct err *e)
{
	json_t *summary = lead_summary(order, l, e);
	int status;

	if (!summary)
		return e->code;
	status = json_object_size(json_object_get(summary, "findings")) ? CLI_FINDINGS : CLI_OK;
	if (json_integer_value(json_object_get(json_object_get(summary, "tasks"), "failed")) ||
	    json_integer_value(json_object_get(json_object_get(summary, "tasks"), "lost")))
		status = CLI_FAILED;
	if (o->json)
		cli_print_json(c->out, json_incref(summary));
	else
		campaign_status_summary(c->out, order, summary);
	status = print_counts(o->json ? NULL : c->out, summary, status);
	json_decref(summary);
	return status;
}

static int run(struct cli *c, const struct texts *rest, void *options, struct err *e)
{
	const struct cmd_campaign_options *o = options;
	struct campaign_order order = {0};
	struct ledger ledger = {.lock = -1};
	struct terminal_screen screen;
	struct lead_options lead = {.order = &order,
				    .hooks = &hooks,
				    .slurm = o->slurm,
				    .stop = &stop_asked,
				    .show = campaign_status_show,
				    .arg = &screen};
	char folder[PLACE_PATH];
	int rc = cli_one(c, rest, o->task ? "folder" : "file", e);

	if (!rc && o->task)
		return run_one_task(rest->at[0], o->task, e);
	if (!rc)
		rc = order_read(rest->at[0], &order, e);
	if (!rc)
		rc = check_backends(&order, e);
	if (!rc)
		rc = name_folder(rest->at[0], o->output, folder, e);
	if (!rc)
		rc = ledger_open(folder, &order, &ledger, e);
	if (!rc) {
		catch_signals();
		terminal_screen_start(&screen);
		rc = lead_run(&lead, &ledger, e);
		terminal_screen_end(&screen);
	}
	if (!rc)
		rc = print(c, o, &order, &ledger, e);
	ledger_close(&ledger);
	order_release(&order);
	return rc;
}

int cmd_campaign(struct cli *c)
{
	struct cmd_campaign_options o = {0};
	const struct cli_option options[] = {
		{'o', "output", "DIR", CLI_STRING, &o.output, "folder of the campaign (default: FILE's, see below)"},
		{0, "slurm", NULL, CLI_FLAG, &o.slurm, "run the tasks on a cluster, as job arrays"},
		{0, "task", "N", CLI_STRING, &o.task, "for Slurm jobs: run task N of the campaign in folder FILE"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print the summary as JSON"},
		{0},
	};

	c->notes = notes;
	return cli_main(c, options, run, &o);
}
