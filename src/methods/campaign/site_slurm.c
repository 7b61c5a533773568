/* site_slurm.c - tasks as elements of job arrays of Slurm (site.h).
 *
 * Slurm bounds the indices of an array (MaxArraySize), and a campaign has more tasks than that: an array counts its
 * elements from 0, and its script says which tasks they are.
 *
 *     FOLDER/arrays/17.sh    the script of array 17: written before that is submitted, removed when its tasks have
 *                            left the queue
 *
 * All arrays of a campaign have one name, made from its folder, and their number as a comment: so a leader that was
 * killed finds its tasks again, and no number of a job has to be kept.  A task that is neither in the queue nor has a
 * result is lost. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "methods/campaign/site.h"

#define COMMAND_SECONDS 120.0  /* for squeue and the like: a controller that does not answer is told of */
#define PATIENCE_SECONDS 600.0 /* of a controller that has answered before: it may be started anew */
#define MAX_OUTPUT ((size_t)64 << 20)
#define MAX_WORDS 256
#define NOT_SEEN 3      /* looks in a row: the queue and a shared folder do not change at the same moment */
#define TASKS "set -- " /* begins the line of a script with its tasks */

struct site_job {
	size_t task, array;
	int missed; /* looks at the queue without it */
};

struct site_array {
	size_t number;
	VEC(size_t) tasks; /* by their index */
	int sent;
};

/* What a program of Slurm said, the last times it was asked. */
struct site_answers {
	int any;        /* it has answered before */
	double failing; /* since then it has not; 0: it has */
};

struct site_slurm {
	struct site base;
	char name[64], log[PLACE_PATH];
	size_t most, next; /* elements of an array; number of the next one */
	VEC(struct site_array) arrays;
	VEC(struct site_job) all;
	struct site_answers queue, batch; /* of squeue, and of sbatch */
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

/* Whether a failure is one to be waited out: 0 then, and it is told of once.  The first question of all is not asked
 * again: what is wrong then will stay so. */
static int bear(const struct site_slurm *s, struct site_answers *a, int rc, struct err *e)
{
	double now = clock_now();
	char said[300];

	if (!rc) {
		*a = (struct site_answers){.any = 1};
		return 0;
	}
	if (!a->any)
		return rc;
	if (!(a->failing > 0)) {
		a->failing = now;
		if (s->base.patience > 0)
			log_print(LOG_WARNING, "%s; this is tried again for %.0f s", e->msg, s->base.patience);
	}
	if (now - a->failing >= s->base.patience) {
		snprintf(said, sizeof said, "%.*s", (int)sizeof said - 1, e->msg);
		return err_set(e, ERR_IO,
			       "%s; there was no other answer for %.0f s.  Tasks stay in the queue, and the same "
			       "command goes on",
			       said, s->base.patience);
	}
	err_clear(e);
	return 0;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static int script_path(const struct site_slurm *s, size_t number, char out[PLACE_PATH], struct err *e)
{
	return place_path(out, e, "%s/arrays/%zu.sh", s->base.folder, number);
}

static struct site_array *find_array(struct site_slurm *s, size_t number)
{
	for (size_t i = 0; i < s->arrays.n; i++)
		if (s->arrays.at[i].number == number)
			return &s->arrays.at[i];
	return NULL;
}

static int write_script(const struct site_slurm *s, const struct site_array *a, struct err *e)
{
	char program[PLACE_PATH] = "", path[PLACE_PATH];
	struct buf text;
	int rc = script_path(s, a->number, path, e);

	if (rc)
		return rc;
	if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
		return err_set(e, ERR_IO, "cannot find this program");
	buf_init(&text, MAX_OUTPUT);
	buf_puts(&text, "#!/bin/sh\n# Tasks of a campaign of assay, by their index in the job array.\n" TASKS);
	for (size_t i = 0; i < a->tasks.n; i++)
		buf_printf(&text, "%s%zu", i ? " " : "", a->tasks.at[i]);
	buf_puts(&text, "\nshift \"$SLURM_ARRAY_TASK_ID\"\n");
	/* A node may show a task more processors than the job has. */
	buf_puts(&text, "export ASSAY_THREADS=\"${ASSAY_THREADS:-${SLURM_CPUS_PER_TASK:-1}}\"\nexec ");
	buf_quote(&text, program);
	buf_puts(&text, " campaign --task \"$1\" ");
	buf_quote(&text, s->base.folder);
	buf_puts(&text, "\n");
	rc = buf_check(&text, e);
	if (!rc)
		rc = buf_write_file(text.data, text.len, path, e);
	buf_release(&text);
	return rc;
}

/* Takes the array over. */
static int add_array(struct site_slurm *s, struct site_array *a, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < a->tasks.n && !rc; i++)
		rc = vec_push(&s->all, ((struct site_job){a->tasks.at[i], a->number, 0}));
	if (!rc)
		rc = vec_push(&s->arrays, *a);
	if (!rc)
		return 0;
	vec_release(&a->tasks);
	return err_nomem(e, "jobs", 0);
}

/* One of a leader before this one: it may have been submitted, or not any more. */
static int read_array(struct site_slurm *s, size_t number, struct err *e)
{
	struct site_array a = {.number = number, .sent = 1};
	char path[PLACE_PATH], *at, *end;
	struct buf text;
	int rc = script_path(s, number, path, e);

	buf_init(&text, MAX_OUTPUT);
	if (!rc)
		rc = buf_read_file(&text, path, MAX_OUTPUT, e);
	at = rc || !text.data ? NULL : strstr(text.data, "\n" TASKS);
	for (at = at ? at + strlen("\n" TASKS) : ""; !rc && *at >= '0' && *at <= '9'; at = end + (*end == ' '))
		if (vec_push(&a.tasks, strtoul(at, &end, 10)))
			rc = err_nomem(e, "jobs", 0);
	buf_release(&text);
	if (!rc)
		return add_array(s, &a, e);
	vec_release(&a.tasks);
	return rc;
}

static int read_arrays(struct site_slurm *s, struct err *e)
{
	char path[PLACE_PATH], *end;
	struct dirent *entry;
	DIR *d;
	int rc = place_path(path, e, "%s/arrays", s->base.folder);

	if (!rc)
		rc = place_make_folder(path, e);
	if (rc)
		return rc;
	d = opendir(path);
	if (!d)
		return err_set(e, ERR_IO, "cannot read '%s': %s", path, strerror(errno));
	while (!rc && (entry = readdir(d))) {
		size_t number = strtoul(entry->d_name, &end, 10);

		if (end == entry->d_name || strcmp(end, ".sh") != 0)
			continue;
		rc = read_array(s, number, e);
		if (number >= s->next)
			s->next = number + 1;
	}
	closedir(d);
	return rc;
}

/* Of which no task is in the queue any more. */
static void forget_array(struct site_slurm *s, size_t at)
{
	struct err ignored = ERR_INIT;
	char path[PLACE_PATH];

	if (!script_path(s, s->arrays.at[at].number, path, &ignored))
		unlink(path);
	vec_release(&s->arrays.at[at].tasks);
	vec_remove(&s->arrays, at);
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static int submit(struct site_slurm *s, const struct site_array *a, struct err *e)
{
	const struct order_words *own = &s->base.order->file->slurm;
	const char *words[MAX_WORDS] = {"sbatch"};
	char name[128], array[64], comment[64], output[PLACE_PATH + 32], script[PLACE_PATH];
	size_t n = 1;
	int rc = script_path(s, a->number, script, e);

	if (rc)
		return rc;
	if (own->n + 10 > MAX_WORDS)
		return err_set(e, ERR_LIMIT, "too many words for sbatch");
	snprintf(name, sizeof name, "--job-name=%s", s->name);
	snprintf(array, sizeof array, "--array=0-%zu", a->tasks.n - 1);
	snprintf(comment, sizeof comment, "--comment=%zu", a->number);
	snprintf(output, sizeof output, "--output=%s/slurm.log", s->base.folder);
	words[n++] = output;
	words[n++] = "--open-mode=append";
	for (unsigned i = 0; i < own->n; i++)
		words[n++] = own->at[i];
	words[n++] = name; /* from here on what a leader needs, whatever the order says */
	words[n++] = array;
	words[n++] = comment;
	words[n++] = "--no-requeue"; /* the leader does, and counts it */
	words[n++] = script;
	words[n] = NULL;
	return call(s, words, NULL, e);
}

static int send_all(struct site_slurm *s, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < s->arrays.n && !rc; i++) {
		struct site_array *a = &s->arrays.at[i];

		if (a->sent)
			continue;
		rc = submit(s, a, e);
		a->sent = !rc;
		if (rc)
			return bear(s, &s->batch, rc, e); /* the others would wait as long */
		rc = bear(s, &s->batch, 0, e);
	}
	return rc;
}

static int start(struct site *base, const size_t *tasks, size_t n, struct err *e)
{
	struct site_slurm *s = (struct site_slurm *)base;
	int rc = 0;

	for (size_t at = 0; at < n && !rc; at += s->most) {
		struct site_array a = {.number = s->next++};

		for (size_t i = at; i < n && i < at + s->most && !rc; i++)
			if (vec_push(&a.tasks, tasks[i]))
				rc = err_nomem(e, "jobs", 0);
		if (!rc)
			rc = write_script(s, &a, e);
		if (rc)
			vec_release(&a.tasks);
		else
			rc = add_array(s, &a, e);
	}
	return rc ? rc : send_all(s, e);
}

/* ---- watching ---------------------------------------------------------------------------------------------------- */

/* "3 17": element 3 of array 17 is in the queue. */
static void note_line(struct site_slurm *s, const char *line)
{
	size_t index, number;
	struct site_array *a = sscanf(line, "%zu %zu", &index, &number) == 2 ? find_array(s, number) : NULL;

	if (!a)
		return;
	a->sent = 1; /* sbatch may have failed after it was taken */
	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.at[i].array == number && index < a->tasks.n && s->all.at[i].task == a->tasks.at[index])
			s->all.at[i].missed = 0;
}

static int is_waiting(const struct site_slurm *s, size_t array)
{
	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.at[i].array == array)
			return 1;
	return 0;
}

static void note_queue(struct site_slurm *s, const char *text)
{
	for (size_t i = 0; i < s->all.n; i++)
		s->all.at[i].missed += find_array(s, s->all.at[i].array)->sent;
	while (*text) {
		note_line(s, text);
		text += strcspn(text, "\n");
		text += *text != '\0';
	}
	for (size_t i = s->all.n; i-- > 0;)
		if (s->all.at[i].missed >= NOT_SEEN)
			vec_remove(&s->all, i);
	for (size_t i = s->arrays.n; i-- > 0;)
		if (!is_waiting(s, s->arrays.at[i].number))
			forget_array(s, i);
}

static int ask_queue(struct site_slurm *s, struct err *e)
{
	const char *const words[] = {"squeue", "--noheader", "--array",        "--me",
				     "--name", s->name,      "--format=%K %k", NULL};
	struct buf out;
	int rc;

	buf_init(&out, MAX_OUTPUT);
	rc = call(s, words, &out, e);
	if (!rc)
		note_queue(s, out.data ? out.data : "");
	buf_release(&out);
	return rc;
}

/* A queue that is not told of is as it was. */
static int look(struct site *base, struct err *e)
{
	struct site_slurm *s = (struct site_slurm *)base;
	int rc = bear(s, &s->queue, ask_queue(s, e), e);

	return rc || s->queue.failing > 0 ? rc : send_all(s, e);
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
	for (size_t i = 0; i < s->arrays.n; i++)
		s->arrays.at[i].sent = 1; /* not any more */
	for (int i = 0; i < 60 && s->all.n && !ask_queue(s, &ignored); i++)
		sleep(1);
}

static void close_slurm(struct site *base)
{
	struct site_slurm *s = (struct site_slurm *)base;

	for (size_t i = 0; i < s->arrays.n; i++)
		vec_release(&s->arrays.at[i].tasks);
	vec_release(&s->arrays);
	vec_release(&s->all);
	mem_free(s);
}

/* ---- the cluster ------------------------------------------------------------------------------------------------- */

/* How many elements an array may have; a cluster that is not there is told of at once. */
static int ask_most(struct site_slurm *s, struct err *e)
{
	static const char key[] = "MaxArraySize";
	const char *const words[] = {"scontrol", "show", "config", NULL};
	const char *at;
	struct buf out;
	int rc;

	buf_init(&out, MAX_OUTPUT);
	rc = call(s, words, &out, e);
	at = rc || !out.data ? NULL : strstr(out.data, key);
	if (!rc && (!at || sscanf(at + strlen(key), " = %zu", &s->most) != 1))
		rc = err_set(e, ERR_IO, "scontrol does not say how many elements a job array may have (%s)", key);
	else if (!rc && !s->most)
		rc = err_set(e, ERR_UNSUPPORTED, "this Slurm takes no job arrays: its %s is 0", key);
	buf_release(&out);
	return rc;
}

int site_slurm(const char *folder, const struct campaign_order *o, struct site **out, struct err *e)
{
	static const struct site_kind kind = {start, look, holds, end, close_slurm, 1.0};
	struct site_slurm *s = mem_zalloc(sizeof *s);
	int rc = s ? 0 : err_nomem(e, "jobs", sizeof *s);

	if (rc)
		return rc;
	s->base = (struct site){&kind, folder, o, clock_patience(PATIENCE_SECONDS)};
	snprintf(s->name, sizeof s->name, "assay-%016" PRIx64, hash_text(folder));
	rc = place_path(s->log, e, "%s/slurm.out", folder);
	if (!rc)
		rc = ask_most(s, e);
	if (!rc)
		rc = read_arrays(s, e);
	if (!rc)
		rc = look(&s->base, e);
	if (rc)
		close_slurm(&s->base);
	else
		*out = &s->base;
	return rc;
}
