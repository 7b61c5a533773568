/* parked.c - closed workers that another may be forked from: worker_park_open() in worker.h.
 *
 * A finding is confirmed in fresh processes, reduced in another, and looked at with other settings.  Opening a library
 * takes up to seconds each time; a process that has just opened it, and has done nothing since, is as fresh. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "worker/parent/internal.h"

#define MOST 6 /* each holds a library in memory */

static struct {
	pthread_mutex_t lock; /* of all that follows */
	struct worker *at[MOST];
	size_t n;    /* the one that was closed last comes last */
	pid_t owner; /* the process that parks: one that was forked off it must not touch them; 0: nobody does */
} park = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

/* A process may write beside the files that its options name, which is settled when it starts. */
static int names_files(const struct worker_spec *s)
{
	for (size_t i = 0; i < s->n_options; i++)
		if (strchr(s->options[i].value, '/'))
			return 1;
	return 0;
}

/* Whether both start the same process; both are workers' own copies, which have no NULL. */
static int is_alike(const struct worker *a, const struct worker *b)
{
	const struct worker_spec *x = &a->spec, *y = &b->spec;

	return a->limits.memory == b->limits.memory && !strcmp(x->program, y->program) &&
	       !strcmp(x->folder, y->folder) && same_list(x->args, y->args) && same_list(x->env, y->env);
}

int worker_is_same(const struct worker *a, const struct worker *b)
{
	return is_alike(a, b) && !strcmp(a->spec.name, b->spec.name) && same_options(&a->spec, &b->spec);
}

static int is_reopened(const struct worker *parked, const struct worker *like)
{
	return is_alike(parked, like) && worker_can(parked, "reopen") && !names_files(&parked->spec) &&
	       !names_files(&like->spec);
}

static struct worker *take_out(size_t i)
{
	struct worker *w = park.at[i];

	park.n--;
	memmove(&park.at[i], &park.at[i + 1], (park.n - i) * sizeof w);
	return w;
}

void worker_park_open(void)
{
	pthread_mutex_lock(&park.lock);
	if (park.owner != getpid())
		park.n = 0; /* they are the other process's */
	park.owner = getpid();
	pthread_mutex_unlock(&park.lock);
}

void worker_park_close(void)
{
	pthread_mutex_lock(&park.lock);
	while (park.owner == getpid() && park.n)
		worker_free(take_out(0));
	park.owner = 0;
	pthread_mutex_unlock(&park.lock);
}

int worker_park(struct worker *w)
{
	struct worker *oldest = NULL;
	int parks;

	pthread_mutex_lock(&park.lock);
	parks = park.owner == getpid();
	if (parks && park.n == MOST)
		oldest = take_out(0);
	if (parks)
		park.at[park.n++] = w;
	pthread_mutex_unlock(&park.lock);
	worker_free(oldest);
	return parks;
}

struct worker *worker_unpark(const struct worker *like)
{
	static int (*const fits[])(const struct worker *, const struct worker *) = {worker_is_same, is_reopened};
	struct worker *found = NULL;

	pthread_mutex_lock(&park.lock);
	for (size_t k = 0; k < sizeof fits / sizeof *fits; k++)
		for (size_t i = park.owner == getpid() ? park.n : 0; i && !found; i--)
			if (fits[k](park.at[i - 1], like))
				found = take_out(i - 1);
	pthread_mutex_unlock(&park.lock);
	return found;
}
