/* site_slurm.c - tasks as elements of job arrays of Slurm (site.h).
 *
 * The number of a task is its index in an array, and all arrays of a campaign have one name, made from its folder: so a
 * leader that was killed finds its tasks again, and no number of a job has to be kept.  A task that is neither in the
 * queue nor has a result is lost. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/hash.h"
#include "base/mem.h"
#include "methods/campaign/site.h"

#define COMMAND_SECONDS 120.0 /* for squeue and the like: a controller that does not answer is told of */
#define MAX_OUTPUT ((size_t)64 << 20)
#define MAX_WORDS 256
#define NOT_SEEN 3 /* looks in a row: the queue and a shared folder do not change at the same moment */

struct site_job {
	size_t task;
	int missed; /* looks at the queue without it */
};

struct site_slurm {
	struct site base;
	char name[64], log[PLACE_PATH], script[PLACE_PATH];
	VEC(struct site_job) all;
};

/* Runs a program of Slurm; its output is in s->log. */
static int call(struct site_slurm *s, const char *const *words, struct buf *out, struct err *e)
{
	const struct child c = {.argv = words, .folder = s->base.folder, .log = s->log, .seconds = COMMAND_SECONDS};
	int status, rc = child_run(&c, &status, e);
	char said[256];

	if (!rc && status) {
		child_log_tail(s->log, said, sizeof said);
		rc = err_set(e, ERR_IO, "%s failed with status %d: %s", words[0], status, said);
	}
	if (!rc && out)
		rc = buf_read_file(out, s->log, MAX_OUTPUT, e);
	return rc;
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static int write_script(struct site_slurm *s, struct err *e)
{
	char program[PLACE_PATH] = "";
	struct buf text;
	int rc;

	if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
		return err_set(e, ERR_IO, "cannot find this program");
	buf_init(&text, 65536);
	buf_puts(&text, "#!/bin/sh\n# One task of a campaign of assay, by its number in the job array.\nexec ");
	buf_quote(&text, program);
	buf_puts(&text, " campaign --task \"$SLURM_ARRAY_TASK_ID\" ");
	buf_quote(&text, s->base.folder);
	buf_puts(&text, "\n");
	rc = buf_check(&text, e);
	if (!rc)
		rc = buf_write_file(text.data, text.len, s->script, e);
	buf_release(&text);
	return rc;
}

static int submit(struct site_slurm *s, const char *array, struct err *e)
{
	const struct order_words *own = &s->base.order->file->slurm;
	const char *words[MAX_WORDS] = {"sbatch"};
	char name[128], output[PLACE_PATH + 32];
	size_t n = 1;

	if (own->n + 8 > MAX_WORDS)
		return err_set(e, ERR_LIMIT, "too many words for sbatch");
	snprintf(name, sizeof name, "--job-name=%s", s->name);
	snprintf(output, sizeof output, "--output=%s/slurm.log", s->base.folder);
	words[n++] = name;
	words[n++] = array;
	words[n++] = output;
	words[n++] = "--open-mode=append";
	words[n++] = "--no-requeue"; /* the leader does, and counts it */
	for (unsigned i = 0; i < own->n; i++)
		words[n++] = own->at[i];
	words[n++] = s->script;
	words[n] = NULL;
	return call(s, words, NULL, e);
}

static int start(struct site *base, const size_t *tasks, size_t n, struct err *e)
{
	struct site_slurm *s = (struct site_slurm *)base;
	struct buf array;
	int rc;

	buf_init(&array, MAX_OUTPUT);
	buf_puts(&array, "--array=");
	for (size_t i = 0; i < n; i++)
		buf_printf(&array, "%s%zu", i ? "," : "", tasks[i]);
	rc = buf_check(&array, e);
	for (size_t i = 0; i < n && !rc; i++)
		if (vec_push(&s->all, ((struct site_job){tasks[i], 0})))
			rc = err_nomem(e, "jobs", 0);
	if (!rc)
		rc = submit(s, array.data, e);
	buf_release(&array);
	return rc;
}

/* ---- watching ---------------------------------------------------------------------------------------------------- */

/* A task of the queue: one that is known was seen, another one comes from a leader before this one. */
static int note_task(struct site_slurm *s, size_t task)
{
	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.at[i].task == task) {
			s->all.at[i].missed = 0;
			return 0;
		}
	return vec_push(&s->all, ((struct site_job){task, 0}));
}

static int look(struct site *base, struct err *e)
{
	struct site_slurm *s = (struct site_slurm *)base;
	const char *const words[] = {"squeue", "--noheader", "--array", "--me", "--name", s->name, "--format=%K", NULL};
	struct buf out;
	char *end;
	int rc;

	buf_init(&out, MAX_OUTPUT);
	rc = call(s, words, &out, e);
	for (size_t i = 0; i < s->all.n && !rc; i++)
		s->all.at[i].missed++;
	for (char *p = out.data; p && *p && !rc; p = end + (*end != '\0')) {
		size_t task = strtoul(p, &end, 10);

		if (end != p && note_task(s, task))
			rc = err_nomem(e, "jobs", 0);
		end += strcspn(end, "\n");
	}
	for (size_t i = s->all.n; i-- > 0;)
		if (s->all.at[i].missed >= NOT_SEEN)
			vec_remove(&s->all, i);
	buf_release(&out);
	return rc;
}

static int holds(struct site *base, size_t task)
{
	const struct site_slurm *s = (const struct site_slurm *)base;

	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.at[i].task == task)
			return 1;
	return 0;
}

/* Those that run write no result when they are told to end, and go on when the campaign does. */
static void end(struct site *base)
{
	struct site_slurm *s = (struct site_slurm *)base;
	const char *const words[] = {"scancel", "--name", s->name, "--me", "--full", "--signal=TERM", NULL};
	const char *const rest[] = {"scancel", "--name", s->name, "--me", NULL};
	struct err ignored = ERR_INIT;

	if (!s->all.n)
		return;
	call(s, words, NULL, &ignored);
	call(s, rest, NULL, &ignored);
	for (int i = 0; i < 60 && s->all.n && !look(base, &ignored); i++)
		sleep(1);
	s->all.n = 0;
}

static void close_slurm(struct site *base)
{
	struct site_slurm *s = (struct site_slurm *)base;

	end(base);
	vec_release(&s->all);
	mem_free(s);
}

int site_slurm(const char *folder, const struct campaign_order *o, struct site **out, struct err *e)
{
	static const struct site_kind kind = {start, look, holds, end, close_slurm, 1.0};
	struct site_slurm *s = mem_zalloc(sizeof *s);
	int rc = s ? 0 : err_nomem(e, "jobs", sizeof *s);

	if (rc)
		return rc;
	s->base = (struct site){&kind, folder, o};
	snprintf(s->name, sizeof s->name, "assay-%016" PRIx64, hash_text(folder));
	rc = place_path(s->log, e, "%s/slurm.out", folder);
	if (!rc)
		rc = place_path(s->script, e, "%s/job.sh", folder);
	if (!rc)
		rc = write_script(s, e);
	if (!rc)
		rc = look(&s->base, e); /* a cluster that is not there is told of at once */
	if (rc)
		close_slurm(&s->base);
	else
		*out = &s->base;
	return rc;
}
