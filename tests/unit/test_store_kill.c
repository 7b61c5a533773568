/* test_store_kill.c - several writers at once, and writers that are killed: nothing that was recorded is lost, and a
 * campaign resumes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "support/stores.h"

#define WRITERS 4
#define EACH 250
#define KILLS 25
#define MODEL 3000
#define FIRST 9 /* a victim is killed after it told up to this many */

/* The folder must be there before children ask for it. */
static int prepare(void **state)
{
	(void)state;
	return !stores_path();
}

/* ---- writers ----------------------------------------------------------------------------------------------------- */

/* What a writer says of a finding once store_add() has returned. */
struct told {
	int64_t id;
	int32_t writer, number;
};

static void make(int writer, int number, char *model, char *detail, size_t size, struct finding *out)
{
	memset(model, 'a' + writer % 26, MODEL);
	memcpy(model, &number, sizeof number);
	snprintf(detail, size, "writer %d number %d", writer, number);
	*out = (struct finding){.method = "fuzz",
				.verdict = VERDICT_WRONG,
				.signature = "s",
				.detail = detail,
				.model = {model, MODEL}};
}

/* Opens the store itself, adds, tells; exit status 1 when the store refuses. */
static void write_findings(int writer, int n, int tell)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;
	char model[MODEL], detail[64];

	if (store_open(stores_path(), 1, &s, &e)) {
		fprintf(stderr, "writer %d: %s\n", writer, e.msg);
		_exit(1);
	}
	for (int i = 0; i < n; i++) {
		struct told t = {.writer = writer, .number = i};
		struct finding f;

		make(writer, i, model, detail, sizeof detail, &f);
		if (store_add(s, &f, &e)) {
			fprintf(stderr, "writer %d: %s\n", writer, e.msg);
			_exit(1);
		}
		t.id = f.id;
		if (write(tell, &t, sizeof t) != (ssize_t)sizeof t)
			_exit(1);
	}
	store_close(s);
	_exit(0);
}

static pid_t start_writer(int writer, int n, int tell)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		write_findings(writer, n, tell);
	return child;
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

static void assert_there(struct store *s, const struct told *t)
{
	struct err e = ERR_INIT;
	struct finding f;
	char detail[64];

	snprintf(detail, sizeof detail, "writer %d number %d", (int)t->writer, (int)t->number);
	if (store_get(s, t->id, &f, &e))
		fail_msg("%s was told to be recorded as %lld: %s", detail, (long long)t->id, e.msg);
	assert_string_equal(f.detail, detail);
	assert_int_equal(f.model.n, MODEL);
	assert_int_equal(f.model.p[MODEL - 1], 'a' + t->writer % 26);
	finding_release(&f);
}

static int whole(const struct finding *f, void *arg)
{
	assert_int_equal(f->model.n, MODEL);
	++*(int64_t *)arg;
	return 0;
}

/* Every finding in the store has all its parts; how many there are. */
static int64_t count_whole(struct store *s)
{
	const struct store_filter all = {.with_bytes = 1};
	struct err e = ERR_INIT;
	int64_t n = 0;

	if (store_each(s, &all, whole, &n, &e))
		fail_msg("%s", e.msg);
	return n;
}

/* Reads what was told until all ends of the pipe are closed, and checks it; returns how many. */
static int64_t check_told(struct store *s, int from)
{
	struct told t;
	int64_t n = 0;
	ssize_t got;

	while ((got = read(from, &t, sizeof t)) == (ssize_t)sizeof t) {
		assert_there(s, &t);
		n++;
	}
	assert_int_equal(got, 0);
	return n;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_several_writers(void **state)
{
	pid_t child[WRITERS];
	struct store *s;
	int tell[2], status;

	(void)state;
	assert_int_equal(pipe(tell), 0);
	for (int i = 0; i < WRITERS; i++)
		child[i] = start_writer(i, EACH, tell[1]);
	close(tell[1]);
	s = stores_open(stores_path()); /* a reader that does not wait for them */
	assert_int_equal(check_told(s, tell[0]), WRITERS * EACH);
	close(tell[0]);
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(count_whole(s), WRITERS * EACH); /* as many rows as were told, so no id came twice */
	store_close(s);
}

/* Some moment soon: up to three milliseconds. */
static void pause_shortly(struct rng *rng)
{
	const struct timespec pause = {0, (long)rng_below(rng, 3000) * 1000};

	nanosleep(&pause, NULL);
}

/* Two writers, one of them killed: from before it has opened the store to the middle of its work. */
static void test_killed(void **state)
{
	int64_t total = 0;
	struct store *s;
	struct rng rng;

	(void)state;
	rng_init(&rng, 20);
	for (int round = 0; round < KILLS; round++) {
		struct told first[FIRST];
		size_t n = rng_below(&rng, FIRST);
		pid_t victim, other;
		int tell[2], status;

		assert_int_equal(pipe(tell), 0);
		victim = start_writer(round, 100000, tell[1]);
		other = start_writer(round, 3, tell[1]);
		close(tell[1]);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(read(tell[0], &first[i], sizeof first[i]), sizeof first[i]);
		pause_shortly(&rng);
		assert_int_equal(kill(victim, SIGKILL), 0);
		assert_int_equal(waitpid(victim, &status, 0), victim);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(waitpid(other, &status, 0), other);
		assert_int_equal(status, 0);
		s = stores_open(stores_path());
		for (size_t i = 0; i < n; i++)
			assert_there(s, &first[i]);
		total += (int64_t)n + check_told(s, tell[0]);
		close(tell[0]);
		assert_true(count_whole(s) >= total); /* the victim may have recorded one that it could not tell */
		assert_true(count_whole(s) <= total + round + 1);
		store_close(s);
	}
	assert_true(total > 3 * KILLS); /* some were killed at work */
}

static const struct campaign_key campaign_key = {
	.method = "fuzz", .command = "assay fuzz", .backends = "ort", .seed = 5};

/* A method at work: each step is saved, then told. */
static void run_campaign(int tell)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;
	struct campaign c;

	if (store_open(stores_path(), 1, &s, &e) || store_campaign_open(s, &campaign_key, 1, &c, &e)) {
		fprintf(stderr, "campaign: %s\n", e.msg);
		_exit(1);
	}
	for (;;) {
		c.cases++;
		c.state = (struct bytes){(const char *)&c.cases, sizeof c.cases};
		if (store_campaign_save(s, &c, &e) || write(tell, &c.cases, sizeof c.cases) != sizeof c.cases)
			_exit(1);
	}
}

/* The step that was told last; 0: none was. */
static int64_t last_told(int from)
{
	int64_t step, last = 0;

	while (read(from, &step, sizeof step) == (ssize_t)sizeof step)
		last = step;
	return last;
}

/* Killed again and again, a campaign goes on where it was: no step that was saved is lost. */
static void test_campaign_resumes(void **state)
{
	int64_t done = 0;
	struct rng rng;

	(void)state;
	rng_init(&rng, 21);
	for (int round = 0; round < KILLS; round++) {
		size_t n = rng_below(&rng, FIRST);
		struct err e = ERR_INIT;
		struct campaign c;
		struct store *s;
		int64_t told = 0, last, saved;
		pid_t victim;
		int tell[2];

		assert_int_equal(pipe(tell), 0);
		victim = fork();
		assert_true(victim >= 0);
		if (!victim)
			run_campaign(tell[1]);
		close(tell[1]);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(read(tell[0], &told, sizeof told), sizeof told);
		pause_shortly(&rng);
		assert_int_equal(kill(victim, SIGKILL), 0);
		assert_int_equal(waitpid(victim, NULL, 0), victim);
		last = last_told(tell[0]);
		told = last ? last : told;
		close(tell[0]);
		s = stores_open(stores_path());
		assert_int_equal(store_campaign_open(s, &campaign_key, 1, &c, &e), 0);
		assert_int_equal(c.id, 1);
		assert_true(c.cases >= (told ? told : done) && c.cases <= (told ? told : done) + 1);
		assert_int_equal(c.state.n, c.cases ? sizeof saved : 0);
		if (c.cases) {
			memcpy(&saved, c.state.p, sizeof saved);
			assert_int_equal(saved, c.cases);
		}
		done = c.cases;
		campaign_release(&c);
		store_close(s);
	}
	assert_true(done > KILLS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_several_writers, prepare, stores_teardown),
		cmocka_unit_test_setup_teardown(test_killed, prepare, stores_teardown),
		cmocka_unit_test_setup_teardown(test_campaign_resumes, prepare, stores_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
