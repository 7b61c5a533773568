/* child.c - see child.h. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"

extern char **environ;

#define TICK_NANOSECONDS 100000000
#define LOG_MAX (16 << 20)

struct child_words {
	char **at;
	size_t n, size;
};

static int is_overridden(const char *variable, const char *const *words)
{
	size_t n = strcspn(variable, "=") + 1;

	for (; words && *words; words++)
		if (!strncmp(variable, *words, n))
			return 1;
	return 0;
}

/* Our environment with the child's own words over it; borrowed strings, NULL at the end. */
static int merge_environment(const char *const *words, struct child_words *out)
{
	int rc = 0;

	for (char **v = environ; !rc && *v; v++)
		if (!is_overridden(*v, words))
			rc = vec_push(out, *v);
	for (; !rc && words && *words; words++)
		rc = vec_push(out, (char *)*words);
	return rc ? rc : vec_push(out, (char *)NULL);
}

static int wait_for(pid_t pid, const struct child *c, int *status, struct err *e)
{
	struct timespec tick = {0, TICK_NANOSECONDS};
	double end = clock_now() + c->seconds;
	int asked = 0;
	pid_t got;

	while ((got = waitpid(pid, status, c->tick || c->stop || c->seconds > 0 ? WNOHANG : 0)) == 0 ||
	       (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		if (c->tick)
			c->tick(c->arg);
		if (c->stop && *c->stop && !asked)
			asked = !kill(pid, SIGTERM);
		if (c->seconds > 0 && clock_now() > end)
			kill(pid, SIGKILL);
		nanosleep(&tick, NULL);
	}
	if (got < 0)
		return err_set(e, ERR_INTERNAL, "cannot wait for '%s': %s", c->argv[0], strerror(errno));
	*status = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
	return 0;
}

/* In the new process.  It ends with the one that started it, however that ends: nobody would wait for it. */
static _Noreturn void become(const struct child *c, char **environment, pid_t parent, int apart, int trouble)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC),
	    out = open(c->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), failed;

	if (apart)
		setpgid(0, 0);
	if (in >= 0 && out >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(out, STDERR_FILENO) >= 0 && !chdir(c->folder) &&
	    !prctl(PR_SET_PDEATHSIG, apart || c->stop ? SIGTERM : SIGKILL) && getppid() == parent)
		execvpe(c->argv[0], (char *const *)c->argv, environment);
	failed = errno;
	_exit(write(trouble, &failed, sizeof failed) == sizeof failed ? 127 : 126);
}

/* 0, or the errno of what failed in the new process. */
static int spawn(const struct child *c, char **environment, int apart, pid_t *pid)
{
	pid_t parent = getpid();
	int fds[2], failed = 0;
	ssize_t n = 0;

	if (pipe2(fds, O_CLOEXEC))
		return errno;
	*pid = fork();
	if (!*pid)
		become(c, environment, parent, apart, fds[1]);
	failed = *pid < 0 ? errno : 0;
	close(fds[1]);
	while (*pid > 0 && (n = read(fds[0], &failed, sizeof failed)) < 0 && errno == EINTR)
		;
	close(fds[0]);
	while (*pid > 0 && failed && waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	return failed;
}

static int start(const struct child *c, int apart, pid_t *pid, struct err *e)
{
	struct child_words environment = VEC_INIT;
	int rc;

	if (merge_environment(c->environment, &environment)) {
		vec_release(&environment);
		return err_nomem(e, "an environment", 0);
	}
	rc = spawn(c, environment.at, apart, pid);
	vec_release(&environment);
	if (rc == ENOENT)
		return err_set(e, ERR_UNSUPPORTED, "no program '%s' on this machine", c->argv[0]);
	return rc ? err_set(e, ERR_IO, "cannot start '%s': %s", c->argv[0], strerror(rc)) : 0;
}

int child_start(const struct child *c, pid_t *pid, struct err *e)
{
	return start(c, 1, pid, e);
}

int child_run(const struct child *c, int *status, struct err *e)
{
	pid_t pid = -1;
	int rc = start(c, 0, &pid, e);

	return rc ? rc : wait_for(pid, c, status, e);
}

/* Text in one line: what is blank or controls a terminal is one space.  At most size - 1 bytes. */
static void put_line(const char *text, size_t n, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < n && at < size - 1; i++) {
		unsigned char c = (unsigned char)text[i];
		int blank = c <= ' ' || c == 0x7f;

		if (!blank || (at && out[at - 1] != ' '))
			out[at++] = (char)(blank ? ' ' : c);
	}
	while (at && out[at - 1] == ' ')
		at--;
	out[at] = '\0';
}

void child_log_tail(const char *log, char *out, size_t size)
{
	struct err ignored = ERR_INIT;
	struct buf text;
	size_t from;

	out[0] = '\0';
	buf_init(&text, LOG_MAX);
	if (buf_read_file(&text, log, LOG_MAX, &ignored))
		return;
	from = text.len > size - 1 ? text.len - (size - 1) : 0;
	if (from) /* not in the middle of a word */
		from += strcspn(text.data + from, " \n");
	put_line(text.data + from, text.len - from, out, size);
	buf_release(&text);
}

static int begins_with(const char *line, size_t n, const char *prefix)
{
	size_t length = strlen(prefix);

	return n >= length && !memcmp(line, prefix, length);
}

void child_log_error(const char *log, const char *prefix, char *out, size_t size)
{
	struct err ignored = ERR_INIT;
	const char *chosen = NULL, *line, *next;
	struct buf text;
	size_t n, of_chosen = 0;

	out[0] = '\0';
	buf_init(&text, LOG_MAX);
	if (buf_read_file(&text, log, LOG_MAX, &ignored))
		return;
	for (line = text.data; line < text.data + text.len; line = next) {
		n = strcspn(line, "\n"); /* a NUL ends a line, too: behind the text there is one */
		next = line + n + 1;
		if (strspn(line, " \t\r") < n &&
		    (!chosen || begins_with(line, n, prefix) || !begins_with(chosen, of_chosen, prefix))) {
			chosen = line;
			of_chosen = n;
		}
	}
	if (chosen)
		put_line(chosen, of_chosen, out, size);
	buf_release(&text);
}
