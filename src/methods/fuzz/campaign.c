/* campaign.c - a campaign: processes that run cases, and the one that counts (see campaign.h). */
#include "methods/fuzz/campaign.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "methods/fuzz/known.h"
#include "methods/fuzz/later.h"
#include "methods/fuzz/start.h"

#define SHOW_SECONDS 0.2
#define SAVE_SECONDS 5.0
#define EARLY 0.3 /* seconds, in the first SAVE_SECONDS: a run that is stopped soon goes on, too */
#define MAX_STATE ((size_t)16 << 20)
#define IN_A_PIPE 64 /* records, at most, that wait to be read */
#define LATE 30.0    /* seconds */

struct boss {
	const struct campaign_options *o;
	struct fuzz_stats *s;
	int64_t done[FUZZ_MAX_JOBS];  /* by job: its cases before this one are done */
	double triage[FUZZ_MAX_JOBS]; /* seconds, and … */
	int waiting[FUZZ_MAX_JOBS];   /* … findings that wait for it */
	int64_t newest;               /* the case that is shown */
	double start, shown, saved;
	pid_t pids[FUZZ_MAX_JOBS]; /* 0: it has ended */
	int n, failed, told;       /* told: the processes were asked to stop */
	struct fuzz_exchange *exchange;
	struct exchange_reader reader;
	struct coverage *seen; /* by all of them */
	struct err *err;
	struct store *store;
	struct campaign campaign;
	struct map looks;  /* what findings look like → this */
	struct map papers; /* … by the paper's rule */
	struct buf state;  /* lines "CASE NAME…": the campaign's state, behind the counts */
	struct buf saved_state;
	struct fuzz_counts counts;
};

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* One more of a name in a list of FUZZ_KINDS; what does not fit is left out. */
static void count_name(struct fuzz_named *list, int *n, const char *name)
{
	int at = 0;

	while (at < *n && strcmp(list[at].name, name) != 0)
		at++;
	if (at == *n && at < FUZZ_KINDS)
		snprintf(list[(*n)++].name, sizeof list->name, "%s", name);
	if (at < FUZZ_KINDS)
		list[at].n++;
}

/* Names of fusions that one case showed. */
static void count_names(struct fuzz_stats *s, const char *names)
{
	char name[sizeof s->fused->name];
	int n;

	for (const char *p = names; sscanf(p, " %63[^ \n]%n", name, &n) == 1; p += n)
		count_name(s->fused, &s->fusions, name + (*name == FUSION_SEEN));
}

/* A campaign that goes on makes the same cases only when it knows what was new in which. */
static void count_fusions(struct boss *b, const struct fuzz_record *r)
{
	count_names(b->s, r->fused);
	if (*r->fused && *r->fused != FUSION_SEEN)
		buf_printf(&b->state, "%lld %.*s\n", (long long)r->index, (int)fusion_new(r->fused), r->fused);
}

/* Behind its digit; a line that does not fit is left out. */
static void add_look(struct fuzz_stats *s, const char *line)
{
	size_t used = strlen(s->looks);

	if (used + strlen(line) + 1 < sizeof s->looks)
		snprintf(s->looks + used, sizeof s->looks - used, "%s\n", line + 1);
}

static void count_looks(struct boss *b, const struct fuzz_record *r)
{
	char line[KNOWN_KEY + 2];
	int n;

	for (const char *p = r->looks; sscanf(p, "%513[^\n]%n", line, &n) == 1; p += n + (p[n] == '\n')) {
		unsigned status = (unsigned)(*line - '0');

		if (status < FUZZ_STATUSES && !map_get(&b->looks, line) && !map_put(&b->looks, line, b)) {
			b->s->distinct[status]++;
			add_look(b->s, line);
		}
	}
}

/* Duplicates by the paper's rule: "2HASH Conv" lines. */
static void count_paper(struct boss *b, const struct fuzz_record *r)
{
	char line[KNOWN_OP + 32];
	int n;

	for (const char *p = r->paper; sscanf(p, "%95[^\n]%n", line, &n) == 1; p += n + (p[n] == '\n')) {
		unsigned status = (unsigned)(*line - '0');
		const char *op = strchr(line, ' ');

		if (status >= FUZZ_STATUSES || map_get(&b->papers, line) || map_put(&b->papers, line, b))
			continue;
		b->s->paper[status]++;
		if (op && op[1])
			count_name(b->s->failing, &b->s->blamed, op + 1);
	}
}

/* What the run that was stopped had seen. */
static int count_before(struct boss *b, struct err *e)
{
	const char *line = b->o->fused ? b->o->fused : "";

	buf_puts(&b->state, line);
	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char names[FUSION_NAMES];

		if (sscanf(line, "%*d %1023[^\n]", names) == 1)
			count_names(b->s, names);
	}
	return buf_check(&b->state, e);
}

static void count(struct boss *b, const struct fuzz_record *r)
{
	struct fuzz_stats *s = b->s;

	if (r->failed) {
		if (!b->failed)
			b->failed = err_set(b->err, r->failed, "%s", r->signature);
		return;
	}
	if (r->not_run) {
		s->not_run += r->not_run;
		return;
	}
	s->cases++;
	s->corpus += r->raised;
	s->discarded += r->discarded;
	s->findings += r->findings;
	s->stored += r->stored;
	s->fresh += r->fresh;
	for (int i = 0; i < FUZZ_STATUSES; i++)
		s->status[i] += r->status[i];
	count_fusions(b, r);
	s->lines += r->lines;
	count_looks(b, r);
	count_paper(b, r);
	if (r->index >= b->newest) {
		b->newest = r->index;
		snprintf(s->about, sizeof s->about, "%s", r->about);
	}
	if (r->fresh) {
		s->last_fresh = clock_now() - b->start;
		snprintf(s->last, sizeof s->last, "%s", r->signature);
	}
	s->passed += r->passed;
	b->done[r->job] = r->next;
	b->triage[r->job] = r->triage;
	b->waiting[r->job] = r->waiting;
	s->next = INT64_MAX;
	s->triage = 0;
	s->waiting = 0;
	for (int i = 0; i < b->o->jobs; i++) {
		s->next = b->done[i] < s->next ? b->done[i] : s->next;
		s->triage += b->triage[i];
		s->waiting += b->waiting[i];
	}
	if (fuzz_counts_add(&b->counts, b->o, r, s, b->err))
		b->failed = b->err->code;
}

/* What all shards have covered. */
static int look_around(struct boss *b, struct err *e)
{
	int rc = exchange_read(b->exchange, &b->reader, INT64_MAX, b->seen, e);

	b->s->coverage = coverage_of_set(b->seen);
	return rc;
}

static int open_coverage(struct boss *b, struct err *e)
{
	int most = b->o->fuzz.max_spc, rc = exchange_new(b->o->jobs, &b->exchange, e);

	if (!rc)
		rc = coverage_new(b->o->corpus, most > 0 ? most : FUZZ_MAX_SPC, &b->seen, e);
	return rc || !b->o->start ? rc : start_cover(b->o->start, b->seen, e);
}

static int save(struct boss *b, int done, struct err *e)
{
	const struct fuzz_stats *s = b->s;
	struct campaign *c = &b->campaign;
	struct store *store = b->store;
	double now = clock_now();
	int rc = look_around(b, e);
	const struct store_progress progress = fuzz_progress(s);
	const struct store_point points[] = {{"cases", (double)(b->o->before.cases + s->cases)},
					     {"findings", (double)s->fresh}};

	if (rc || !store)
		return rc;
	c->cases = b->o->before.cases + s->cases;
	c->seconds += now - b->saved;
	c->done = done;
	buf_clear(&b->saved_state);
	fuzz_counts_write(&b->counts, b->o->n_specs, s->next > b->o->first ? s->next : b->o->first, &b->saved_state);
	buf_add(&b->saved_state, b->state.data ? b->state.data : "", b->state.len);
	rc = buf_check(&b->saved_state, e);
	if (rc)
		return rc;
	c->state = (struct bytes){b->saved_state.data, b->saved_state.len};
	b->saved = now;
	rc = store_campaign_save(store, c, e);
	if (!rc)
		rc = store_points(store, c->id, c->seconds, points, sizeof points / sizeof *points, e);
	if (!rc)
		rc = store_add_progress(store, c->id, c->seconds, &progress, e);
	return rc;
}

/* How long triage may go on, once the time is over. */
static double grace_left(const struct boss *b)
{
	double over = b->s->seconds - b->o->seconds;

	return b->o->seconds > 0 && over >= 0 ? fmax(later_grace(b->o->seconds) - over, 0) : 0;
}

/* A process may wait ten times a request's limit for a library that hangs.  Its case is not done then: a run that goes
 * on makes it again. */
static int is_late(const struct boss *b)
{
	double late = b->o->late > 0 ? b->o->late : clock_patience(LATE);

	return b->o->seconds > 0 && b->s->seconds > b->o->seconds + later_grace(b->o->seconds) + late;
}

static int show(struct boss *b, struct err *e)
{
	int rc;

	b->s->seconds = clock_now() - b->start;
	b->s->grace = grace_left(b);
	if (!b->o->progress || b->s->seconds - b->shown < SHOW_SECONDS)
		return 0;
	b->shown = b->s->seconds;
	rc = look_around(b, e);
	b->o->progress(b->s, b->o->progress_arg);
	return rc;
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static int start(struct boss *b, int fds[2], struct err *e)
{
	for (int i = 0; i < b->o->jobs; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return err_set(e, ERR_IO, "cannot start a process: %s", strerror(errno));
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			close(fds[0]);
			_exit(campaign_work(b->o, b->exchange, i, fds[1]) ? 1 : 0);
		}
		b->pids[b->n++] = pid;
	}
	return 0;
}

/* A signal from a terminal reaches all, one from elsewhere only this process. */
static void pass_on_stop(struct boss *b)
{
	if (b->told || !b->o->stop || !*b->o->stop)
		return;
	for (int i = 0; i < b->n; i++)
		if (b->pids[i])
			kill(b->pids[i], SIGINT);
	b->told = 1;
}

static void note_end(struct boss *b, int i, int status)
{
	b->pids[i] = 0;
	if (!b->failed && (!WIFEXITED(status) || WEXITSTATUS(status)))
		b->failed = err_set(b->err, ERR_INTERNAL, "a process of the campaign ended by itself");
}

/* Others would wait for what a process that has failed does not make.  What it had to say is read first. */
static void look_for_ends(struct boss *b, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct fuzz_record r;
	int status;

	for (int i = 0; i < b->n && !b->failed; i++) {
		if (!b->pids[i] || waitpid(b->pids[i], &status, WNOHANG) != b->pids[i])
			continue;
		for (int k = 0; k < IN_A_PIPE && poll(&p, 1, 0) > 0 && read(fd, &r, sizeof r) == sizeof r; k++)
			count(b, &r);
		note_end(b, i, status);
	}
}

static int save_now_and_then(struct boss *b, struct err *e)
{
	double now = clock_now();

	return now - b->saved > (now - b->start < SAVE_SECONDS ? EARLY : SAVE_SECONDS) ? save(b, 0, e) : 0;
}

/* Reads records until all writers are gone. */
static int listen(struct boss *b, int fd, struct err *e)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	double looked = b->start;
	struct fuzz_record r;
	int rc = 0;

	while (!rc && !b->failed && !is_late(b)) {
		int ready = poll(&p, 1, 100);
		ssize_t n = ready > 0 ? read(fd, &r, sizeof r) : -1;

		if (ready > 0 && n == 0)
			break;
		if (n == (ssize_t)sizeof r)
			count(b, &r);
		rc = show(b, e);
		pass_on_stop(b);
		if (b->s->seconds + b->start - looked > SHOW_SECONDS) {
			looked = b->s->seconds + b->start;
			look_for_ends(b, fd);
		}
		if (!rc)
			rc = save_now_and_then(b, e);
	}
	return rc;
}

static void wait_all(struct boss *b, int kill_them)
{
	int status;

	for (int i = 0; i < b->n; i++) {
		if (!b->pids[i])
			continue;
		if (kill_them)
			kill(b->pids[i], SIGTERM);
		while (waitpid(b->pids[i], &status, 0) < 0 && errno == EINTR)
			;
		if (!kill_them)
			note_end(b, i, status);
	}
}

static int count_running(const struct boss *b)
{
	int n = 0;

	for (int i = 0; i < b->n; i++)
		n += b->pids[i] != 0;
	return n;
}

/* A store belongs to one process: it is opened when there will be no more of them. */
static int open_store(struct boss *b, struct err *e)
{
	int rc;

	if (!b->o->db || !b->o->id)
		return 0;
	rc = store_open(b->o->db, 1, &b->store, e);
	return rc ? rc : store_campaign_get(b->store, b->o->id, &b->campaign, e);
}

static int run(struct boss *b, struct err *e)
{
	int fds[2], rc, stopped;

	if (pipe(fds))
		return err_set(e, ERR_IO, "cannot make a pipe: %s", strerror(errno));
	rc = start(b, fds, e);
	close(fds[1]);
	if (!rc)
		rc = open_store(b, e);
	if (!rc)
		rc = listen(b, fds[0], e);
	close(fds[0]);
	if (!rc && is_late(b))
		b->s->cut_off = count_running(b);
	wait_all(b, rc || b->failed || b->s->cut_off);
	b->s->seconds = clock_now() - b->start;
	b->s->grace = 0;
	if (rc || b->failed)
		return rc ? rc : b->failed;
	stopped = b->s->cut_off || (b->o->stop && *b->o->stop); /* goes on when the same is asked again */
	return save(b, !stopped, e);
}

int campaign_run(const struct campaign_options *o, struct fuzz_stats *out, struct err *e)
{
	struct fuzz_stats s = {.next = o->first, .jobs = o->jobs};
	struct boss b = {.o = o, .s = &s, .start = clock_now(), .saved = clock_now(), .err = e};
	int rc;

	for (int i = 0; i < o->jobs; i++)
		b.done[i] = o->first;
	buf_init(&b.state, MAX_STATE);
	buf_init(&b.saved_state, 2 * MAX_STATE);
	fuzz_counts_open(&b.counts, o, &s);
	rc = count_before(&b, e);
	if (!rc)
		rc = open_coverage(&b, e);
	if (!rc)
		rc = run(&b, e);
	campaign_release(&b.campaign);
	store_close(b.store);
	map_release(&b.looks);
	map_release(&b.papers);
	buf_release(&b.state);
	buf_release(&b.saved_state);
	fuzz_counts_release(&b.counts);
	coverage_free(b.seen);
	exchange_free(b.exchange);
	if (o->claim > 0)
		close(o->claim);
	*out = s;
	return rc;
}

int campaign_resume(struct campaign_options *o, const char *backends, struct buf *fused, struct err *e)
{
	const struct campaign_key key = {
		.method = "fuzz", .command = o->command, .backends = backends, .seed = o->fuzz.seed};
	struct campaign c = {0};
	struct store *s = NULL;
	int rc = o->db ? store_open(o->db, 1, &s, e) : 0;

	if (rc || !s)
		return rc;
	/* In the paper's setting cases depend on results, which are not kept; nor are lines. */
	rc = store_campaign_open(s, &key, !fuzz_searches[o->fuzz.search].paper && !o->lines, &c, e);
	o->claim = rc ? -1 : campaign_claim(store_path(s), c.id);
	if (!rc && o->claim < 0) {
		log_print(LOG_WARNING,
			  "the same command is running as campaign %lld: this one runs the same cases once more, "
			  "another --seed others",
			  (long long)c.id);
		campaign_release(&c);
		rc = store_campaign_open(s, &key, 0, &c, e);
		o->claim = rc ? -1 : campaign_claim(store_path(s), c.id);
	}
	if (!rc) {
		o->id = c.id;
		o->before.cases = o->before.next = c.cases; /* next: as stores have it that have no such line */
		buf_add(fused, c.state.p, c.state.n);
		rc = buf_check(fused, e);
		o->fused = fused->data ? fuzz_counts_read(fused->data, &o->before, o->n_specs) : NULL;
		o->first = o->before.next;
		if (o->first)
			log_print(LOG_WARNING, "going on with campaign %lld at case %lld", (long long)c.id,
				  (long long)o->first);
		else if (c.resumed)
			log_print(LOG_WARNING, "campaign %lld ended before anything was saved: it begins at case 0",
				  (long long)c.id);
	}
	campaign_release(&c);
	store_close(s);
	return rc;
}
