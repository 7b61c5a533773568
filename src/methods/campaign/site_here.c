/* site_here.c - tasks as processes of this machine (site.h).
 *
 * Ctrl-C in the terminal reaches the leader alone, who asks the tasks to end.  They end as well when it is killed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/mem.h"
#include "methods/campaign/site.h"
#include "methods/campaign/task.h"

struct site_process {
	pid_t pid;
	size_t task;
};

struct site_here {
	struct site base;
	VEC(struct site_process) all;
};

/* Tasks that run side by side have a thread each: the reference would take all processors in each of them. */
static int start(struct site *s, const size_t *tasks, size_t n, struct err *e)
{
	static const char *const one_thread[] = {"ASSAY_THREADS=1", NULL};
	struct site_here *here = (struct site_here *)s;
	int alone = s->order->jobs < 2 || getenv("ASSAY_THREADS"), rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct site_process p = {.task = tasks[i]};
		char number[32];
		const char *const words[] = {"/proc/self/exe", "campaign", "--task", number, s->folder, NULL};
		const struct child c = {.argv = words,
					.folder = s->folder,
					.environment = alone ? NULL : one_thread,
					.log = "/dev/null"};

		snprintf(number, sizeof number, "%zu", tasks[i]);
		rc = child_start(&c, &p.pid, e);
		if (!rc && vec_push(&here->all, p))
			rc = err_nomem(e, "processes", 0);
	}
	return rc;
}

static int look(struct site *s, struct err *e)
{
	struct site_here *here = (struct site_here *)s;

	(void)e;
	for (size_t i = here->all.n; i-- > 0;)
		if (waitpid(here->all.at[i].pid, NULL, WNOHANG) == here->all.at[i].pid)
			vec_remove(&here->all, i);
	return 0;
}

/* What a leader before this one has started may be about to end. */
static int holds(struct site *s, size_t task)
{
	struct site_here *here = (struct site_here *)s;

	for (size_t i = 0; i < here->all.n; i++)
		if (here->all.at[i].task == task)
			return 1;
	return task_is_held(s->folder, task);
}

static void end(struct site *s)
{
	struct site_here *here = (struct site_here *)s;

	for (size_t i = 0; i < here->all.n; i++)
		kill(here->all.at[i].pid, SIGTERM);
	for (size_t i = 0; i < here->all.n; i++)
		while (waitpid(here->all.at[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	here->all.n = 0;
}

static void close_here(struct site *s)
{
	struct site_here *here = (struct site_here *)s;

	end(s);
	vec_release(&here->all);
	mem_free(here);
}

int site_here(const char *folder, const struct campaign_order *o, struct site **out, struct err *e)
{
	static const struct site_kind kind = {start, look, holds, end, close_here, 0.05};
	struct site_here *here = mem_zalloc(sizeof *here);

	if (!here)
		return err_nomem(e, "processes", sizeof *here);
	here->base = (struct site){.kind = &kind, .folder = folder, .order = o};
	*out = &here->base;
	return 0;
}
