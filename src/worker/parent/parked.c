/* parked.c - closed workers that another may be forked from: worker_park_open() in worker.h.
 *
 * A finding is confirmed in fresh processes, reduced in another, and looked at with other settings.  Opening a library
 * takes up to seconds each time; a process that has just opened it, and has done nothing since, is as fresh. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "worker/parent/internal.h"

#define MOST 6 /* each holds a library in memory */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker *parked[MOST]; /* the one that was closed last comes last */
static size_t n_parked;
static pid_t owner; /* the process that parks: one that was forked off it must not touch them; 0: nobody does */

static int same_list(char *const *a, char *const *b)
{
	for (; *a && *b && !strcmp(*a, *b); a++, b++)
		;
	return !*a && !*b;
}

static int same_options(const struct worker_spec *a, const struct worker_spec *b)
{
	for (size_t i = 0; i < a->n_options && i < b->n_options; i++)
		if (strcmp(a->options[i].name, b->options[i].name) || strcmp(a->options[i].value, b->options[i].value))
			return 0;
	return a->n_options == b->n_options;
}

/* Whether both start the same process; both are workers' own copies, which have no NULL. */
static int is_same(const struct worker *a, const struct worker *b)
{
	const struct worker_spec *x = &a->spec, *y = &b->spec;

	return a->limits.memory == b->limits.memory && !strcmp(x->name, y->name) && !strcmp(x->program, y->program) &&
	       !strcmp(x->folder, y->folder) && same_list(x->args, y->args) && same_list(x->env, y->env) &&
	       same_options(x, y);
}

static struct worker *take_out(size_t i)
{
	struct worker *w = parked[i];

	n_parked--;
	memmove(&parked[i], &parked[i + 1], (n_parked - i) * sizeof w);
	return w;
}

void worker_park_open(void)
{
	pthread_mutex_lock(&lock);
	if (owner != getpid())
		n_parked = 0; /* they are the other process's */
	owner = getpid();
	pthread_mutex_unlock(&lock);
}

void worker_park_close(void)
{
	pthread_mutex_lock(&lock);
	while (owner == getpid() && n_parked)
		worker_free(take_out(0));
	owner = 0;
	pthread_mutex_unlock(&lock);
}

int worker_park(struct worker *w)
{
	struct worker *oldest = NULL;
	int parks;

	pthread_mutex_lock(&lock);
	parks = owner == getpid();
	if (parks && n_parked == MOST)
		oldest = take_out(0);
	if (parks)
		parked[n_parked++] = w;
	pthread_mutex_unlock(&lock);
	worker_free(oldest);
	return parks;
}

struct worker *worker_unpark(const struct worker *like)
{
	struct worker *found = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = owner == getpid() ? n_parked : 0; i && !found; i--)
		if (is_same(parked[i - 1], like))
			found = take_out(i - 1);
	pthread_mutex_unlock(&lock);
	return found;
}
