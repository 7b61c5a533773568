/* parallel.c - see parallel.h.
 *
 * Who has `owner` has the threads.  Nobody waits for it to do a loop: what is busy is not worth waiting for.
 *
 * Loops follow each other closely, and to wake a thread that sleeps may take longer than a piece (on virtual processors
 * ten times as long): one that has nothing to do looks for some time whether there is more before it sleeps. */
#include "base/parallel.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/door.h"
#include "base/quota.h"

#define PIECE_ALIGN 64 /* items: whole vectors, and lines of the cache that threads do not share */

struct shared_loop {
	parallel_fn *fn;
	void *arg;
	size_t n, piece, pieces;
	atomic_size_t next; /* piece to be begun */
	atomic_flag failed; /* `fault` is somebody's: the first one of ours that a piece met */
	struct door fault;
};

static struct {
	pthread_mutex_t owner;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t begun, left;
	struct shared_loop *loop; /* NULL: none to help with */
	size_t wanted;            /* how many more may join it */
	atomic_size_t inside;     /* threads that are in it */
	atomic_size_t turn;       /* loops so far */
	size_t asleep;
	size_t started;
	atomic_int quits;
	pthread_t threads[PARALLEL_MOST];
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER,
	  .lock = PTHREAD_MUTEX_INITIALIZER,
	  .begun = PTHREAD_COND_INITIALIZER,
	  .left = PTHREAD_COND_INITIALIZER};

static _Atomic double steps = PARALLEL_STEPS;
static atomic_size_t asked = 1;   /* threads, the caller counted */
static atomic_int process;        /* that asked */
static _Thread_local int in_loop; /* this thread is in one: those inside are its own */

#define LOOKS 1500 /* some 50 microseconds */

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void do_pieces(struct shared_loop *l)
{
	size_t i;

	while ((i = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed)) < l->pieces) {
		size_t first = i * l->piece;

		l->fn(l->arg, first, l->n - first < l->piece ? l->n : first + l->piece);
	}
}

/* The same; a fault of ours ends the loop, and leaves it by its caller. */
static void do_safely(struct shared_loop *l)
{
	struct door d;

	door_open(&d);
	if (!setjmp(d.at)) {
		do_pieces(l);
	} else {
		l->next = l->pieces;
		if (!atomic_flag_test_and_set(&l->failed))
			l->fault = d;
	}
	door_close(&d);
}

static void pause_briefly(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
	__builtin_ia32_pause();
#endif
}

/* Until there is another loop. */
static void look_for_more(size_t turn)
{
	for (int i = 0; i < LOOKS && pool.turn == turn && !pool.quits; i++)
		pause_briefly();
}

static void *help(void *arg)
{
	(void)arg;
	fesetenv(FE_DFL_ENV);
	in_loop = 1;
	pthread_mutex_lock(&pool.lock);
	while (!pool.quits) {
		struct shared_loop *l = pool.loop;
		size_t turn = pool.turn;

		if (!l || !pool.wanted) {
			pool.asleep++;
			pthread_cond_wait(&pool.begun, &pool.lock);
			pool.asleep--;
			continue;
		}
		pool.wanted--;
		pool.inside++;
		pthread_mutex_unlock(&pool.lock);
		do_safely(l);
		pthread_mutex_lock(&pool.lock);
		if (!--pool.inside)
			pthread_cond_signal(&pool.left);
		pthread_mutex_unlock(&pool.lock);
		look_for_more(turn);
		pthread_mutex_lock(&pool.lock);
	}
	pthread_mutex_unlock(&pool.lock);
	return NULL;
}

/* Signals are for the threads that the program knows of. */
static void start_helpers(size_t helpers)
{
	sigset_t all, before;

	if (pool.started >= helpers)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (pool.started < helpers && !pthread_create(&pool.threads[pool.started], NULL, help, NULL))
		pool.started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_helpers(void)
{
	pthread_mutex_lock(&pool.lock);
	pool.quits = 1;
	pthread_cond_broadcast(&pool.begun);
	pthread_mutex_unlock(&pool.lock);
	for (; pool.started; pool.started--)
		pthread_join(pool.threads[pool.started - 1], NULL);
	pool.quits = 0;
}

/* In a child the parent's threads are not there, and may have held the locks. */
static void forget_parent(void)
{
	pthread_mutex_init(&pool.owner, NULL);
	pthread_mutex_init(&pool.lock, NULL);
	pthread_cond_init(&pool.begun, NULL);
	pthread_cond_init(&pool.left, NULL);
	pool.loop = NULL;
	pool.started = pool.asleep = pool.wanted = 0;
	pool.inside = 0;
	in_loop = 0;
}

/* Threads beyond a container's quota would take turns, and all stand still when it is used up. */
static size_t processors(void)
{
	size_t quota = quota_processors(QUOTA_GROUPS, QUOTA_ROOT), n;
	cpu_set_t set;

	n = sched_getaffinity(0, sizeof set, &set) ? 1 : (size_t)CPU_COUNT(&set);
	return quota && quota < n ? quota : n;
}

void parallel_set_threads(size_t n)
{
	if (process && process != getpid())
		forget_parent();
	n = n ? n : processors();
	pthread_mutex_lock(&pool.owner);
	end_helpers();
	process = getpid();
	asked = n < PARALLEL_MOST ? n : PARALLEL_MOST;
	pthread_mutex_unlock(&pool.owner);
}

size_t parallel_wanted(int64_t option)
{
	const char *variable = getenv("ASSAY_THREADS");
	long long n = option >= 0 ? option : variable ? strtoll(variable, NULL, 10) : 0;

	return n > 0 ? (size_t)n : 0;
}

size_t parallel_threads(void)
{
	return asked > 1 && process == getpid() ? asked : 1;
}

double parallel_steps(void)
{
	return steps;
}

void parallel_set_steps(double n)
{
	steps = n;
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* Lets threads join, and wakes as many as do not look by themselves. */
static void begin(struct shared_loop *l)
{
	size_t wanted = pool.started < l->pieces - 1 ? pool.started : l->pieces - 1, awake;

	pthread_mutex_lock(&pool.lock);
	pool.loop = l;
	pool.wanted = wanted;
	pool.turn++;
	awake = pool.started - pool.asleep;
	for (; wanted > awake; wanted--)
		pthread_cond_signal(&pool.begun);
	pthread_mutex_unlock(&pool.lock);
}

/* Those that wake too late find no loop. */
static void finish(void)
{
	pthread_mutex_lock(&pool.lock);
	pool.loop = NULL;
	pthread_mutex_unlock(&pool.lock);
	for (int i = 0; i < LOOKS && pool.inside; i++)
		pause_briefly();
	pthread_mutex_lock(&pool.lock);
	while (pool.inside)
		pthread_cond_wait(&pool.left, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
}

static void do_together(struct shared_loop *l)
{
	start_helpers(asked - 1);
	in_loop = 1;
	begin(l);
	do_safely(l);
	finish();
	in_loop = 0;
}

void parallel_pieces(size_t n, size_t piece, parallel_fn *fn, void *arg)
{
	struct shared_loop l = {.fn = fn, .arg = arg, .n = n, .piece = piece, .failed = ATOMIC_FLAG_INIT};

	if (n <= piece) {
		if (n)
			fn(arg, 0, n);
		return;
	}
	l.pieces = n / piece + (n % piece != 0);
	if (in_loop || parallel_threads() == 1 || pthread_mutex_trylock(&pool.owner)) {
		do_pieces(&l);
		return;
	}
	do_together(&l);
	pthread_mutex_unlock(&pool.owner);
	if (atomic_flag_test_and_set(&l.failed))
		err_bug(l.fault.file, l.fault.line, l.fault.what);
}

void parallel_for(size_t n, double cost, parallel_fn *fn, void *arg)
{
	double items = cost >= 1 ? steps / cost : steps;
	size_t piece = items >= 1 ? (size_t)items : 1;

	if (piece > PIECE_ALIGN)
		piece -= piece % PIECE_ALIGN;
	parallel_pieces(n, piece, fn, arg);
}
