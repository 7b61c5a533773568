/* server.c - the connections (see serve.h).
 *
 * libmicrohttpd reads requests and sends answers without blocking; it is asked to work whenever something can be read
 * or written.  A connection serves one request, and each has so many seconds for its request and so many for the
 * answer: who sends a byte now and then cannot hold one for ever. */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "report/page.h"
#include "serve/internal.h"

#define MOST_CONNECTIONS 64
#define MOST_HEADERS ((size_t)16 << 10) /* bytes of a request line and its headers, and of what answers take */
#define IDLE_SECONDS 10u
#define REQUEST_SECONDS 10
#define ANSWER_SECONDS 120
#define TICK_MS 250
#define BACKLOG 32
#define COOKIE "assay_token"

struct connection {
	int fd; /* -1: free */
	double until;
};

struct web_server {
	struct serve_options o;
	struct routes routes;
	struct MHD_Daemon *daemon;
	char address[64]; /* "127.0.0.1:8642" */
	int port;
	struct connection connections[MOST_CONNECTIONS];
};

/* ---- time -------------------------------------------------------------------------------------------------------- */

static int fd_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static void set_time(struct web_server *s, int was, int fd, double seconds)
{
	for (size_t i = 0; i < MOST_CONNECTIONS; i++)
		if (s->connections[i].fd == was) {
			s->connections[i] = (struct connection){fd, clock_now() + seconds};
			return;
		}
}

static void note_connection(void *arg, struct MHD_Connection *c, void **own, enum MHD_ConnectionNotificationCode code)
{
	(void)own;
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		set_time(arg, -1, fd_of(c), REQUEST_SECONDS);
	else
		set_time(arg, fd_of(c), -1, 0);
}

/* The library sees the end of a connection that is shut down, and closes it. */
static void end_late_ones(struct web_server *s)
{
	double now = clock_now();

	for (size_t i = 0; i < MOST_CONNECTIONS; i++)
		if (s->connections[i].fd >= 0 && now > s->connections[i].until) {
			shutdown(s->connections[i].fd, SHUT_RDWR);
			s->connections[i].until = now + IDLE_SECONDS;
		}
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* On every answer: nothing is kept by caches, framed, guessed at or told to other sites. */
static const char *const headers[][2] = {
	{"Cache-Control", "no-store"},
	{"Connection", "close"},
	{"Content-Security-Policy", NULL}, /* see put_policy() */
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Referrer-Policy", "no-referrer"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
};

/* As the pages' own, and what only a header can say. */
static int put_policy(struct MHD_Response *r, const char *name)
{
	char text[512];

	snprintf(text, sizeof text,
		 "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '%s' '%s'; "
		 "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		 page_js_hash, live_js_hash);
	return MHD_add_response_header(r, name, text) == MHD_YES;
}

static int put_headers(struct MHD_Response *r, const char *type)
{
	int ok = MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES;

	for (size_t i = 0; ok && i < sizeof headers / sizeof *headers; i++)
		ok = headers[i][1] ? MHD_add_response_header(r, headers[i][0], headers[i][1]) == MHD_YES
				   : put_policy(r, headers[i][0]);
	return ok;
}

/* Takes r; MHD_NO closes the connection. */
static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, struct MHD_Response *r, const char *type)
{
	enum MHD_Result done = MHD_NO;

	if (r && put_headers(r, type))
		done = MHD_queue_response(c, status, r);
	if (r)
		MHD_destroy_response(r);
	return done;
}

static struct MHD_Response *sentence(const char *text)
{
	return MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY);
}

static enum MHD_Result say(struct MHD_Connection *c, unsigned status, const char *text)
{
	struct MHD_Response *r = sentence(text);

	if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (r && status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
	return answer(c, status, r, "text/plain; charset=utf-8");
}

static void drop_page(void *page)
{
	routes_unref(page);
}

static enum MHD_Result send_page(struct web_server *s, struct MHD_Connection *c, const char *path)
{
	struct err e = ERR_INIT;
	struct served_page *p;
	struct MHD_Response *r;
	int rc = routes_get(&s->routes, path, &p, &e);

	if (rc) {
		char text[sizeof e.msg + 1];

		snprintf(text, sizeof text, "%s\n", e.msg);
		return say(c, rc == ERR_LIMIT ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_INTERNAL_SERVER_ERROR, text);
	}
	if (!p)
		return say(c, MHD_HTTP_NOT_FOUND, "there is no such page\n");
	r = MHD_create_response_from_buffer_with_free_callback_cls(p->text.len, p->text.data, drop_page, p);
	if (!r)
		routes_unref(p);
	return answer(c, MHD_HTTP_OK, r, p->type);
}

/* The token goes from the address into a cookie, so that it stands in no history. */
static enum MHD_Result enter(struct web_server *s, struct MHD_Connection *c)
{
	struct MHD_Response *r = sentence("");
	char cookie[SERVE_MAX_TOKEN + 64];

	snprintf(cookie, sizeof cookie, COOKIE "=%s; Path=/; HttpOnly; SameSite=Strict", s->o.token);
	if (r && (MHD_add_response_header(r, MHD_HTTP_HEADER_SET_COOKIE, cookie) != MHD_YES ||
		  MHD_add_response_header(r, MHD_HTTP_HEADER_LOCATION, "/") != MHD_YES)) {
		MHD_destroy_response(r);
		r = NULL;
	}
	return answer(c, MHD_HTTP_SEE_OTHER, r, "text/plain; charset=utf-8");
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

struct hosts {
	const char *first;
	int n;
};

static enum MHD_Result see_header(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct hosts *h = arg;

	(void)kind;
	if (!strcasecmp(key, MHD_HTTP_HEADER_HOST) && !h->n++)
		h->first = value;
	return MHD_YES;
}

static enum MHD_Result take_request(void *arg, struct MHD_Connection *c, const char *url, const char *method,
				    const char *version, const char *upload, size_t *n_upload, void **own)
{
	struct web_server *s = arg;
	struct hosts h = {NULL, 0};
	struct request r = {.method = method, .path = url};

	(void)version, (void)upload, (void)n_upload, (void)own;
	set_time(s, fd_of(c), fd_of(c), ANSWER_SECONDS);
	MHD_get_connection_values(c, MHD_HEADER_KIND, see_header, &h);
	r.host = h.n == 1 ? h.first : NULL;
	r.bearer = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
	r.cookie = MHD_lookup_connection_value(c, MHD_COOKIE_KIND, COOKIE);
	r.query = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token");
	switch (guard_request(&s->o, s->port, &r)) {
	case GUARD_PASS:
		return send_page(s, c, r.path);
	case GUARD_ENTER:
		return enter(s, c);
	case GUARD_METHOD:
		return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	case GUARD_HOST:
		return say(c, MHD_HTTP_MISDIRECTED_REQUEST, "this server has no such name; see 'assay help serve'\n");
	case GUARD_TOKEN:
		break;
	}
	return say(c, MHD_HTTP_UNAUTHORIZED, "a token is needed: open the address that 'assay serve' printed\n");
}

/* Nothing is decoded: no route has a sign in it that would need it. */
static size_t leave_escaped(void *arg, struct MHD_Connection *c, char *text)
{
	(void)arg, (void)c;
	return strlen(text);
}

/* ---- open and close ---------------------------------------------------------------------------------------------- */

static int find_address(const char *listen, struct addrinfo **out, struct err *e)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
	int status = getaddrinfo(strcasecmp(listen, "localhost") ? listen : "127.0.0.1", NULL, &hints, out);

	if (!status)
		return 0;
	return err_set(e, ERR_USAGE, "--listen: '%s' is not an address in digits: %s", listen, gai_strerror(status));
}

static void set_port(struct sockaddr *a, int port)
{
	if (a->sa_family == AF_INET6)
		((struct sockaddr_in6 *)a)->sin6_port = htons((uint16_t)port);
	else
		((struct sockaddr_in *)a)->sin_port = htons((uint16_t)port);
}

/* Where a socket is bound: port and text. */
static int tell_address(struct web_server *s, int fd, struct err *e)
{
	struct sockaddr_storage a;
	socklen_t n = sizeof a;
	char host[INET6_ADDRSTRLEN] = "?";

	if (getsockname(fd, (struct sockaddr *)&a, &n))
		return err_set(e, ERR_IO, "cannot find the port: %s", strerror(errno));
	if (a.ss_family == AF_INET6) {
		const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&a;

		inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
		s->port = ntohs(six->sin6_port);
	} else {
		const struct sockaddr_in *four = (const struct sockaddr_in *)&a;

		inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
		s->port = ntohs(four->sin_port);
	}
	snprintf(s->address, sizeof s->address, a.ss_family == AF_INET6 ? "[%s]:%d" : "%s:%d", host, s->port);
	return 0;
}

static int bind_socket(struct web_server *s, int *out, struct err *e)
{
	struct addrinfo *a = NULL;
	int rc = find_address(s->o.listen, &a, e), fd, on = 1;

	if (rc)
		return rc;
	set_port(a->ai_addr, s->o.port);
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (fd < 0 || bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, BACKLOG))
		rc = err_set(e, ERR_IO, "cannot listen on '%s', port %d: %s", s->o.listen, s->o.port, strerror(errno));
	freeaddrinfo(a);
	if (!rc)
		rc = tell_address(s, fd, e);
	if (rc && fd >= 0)
		close(fd);
	else if (!rc)
		*out = fd;
	return rc;
}

static int start(struct web_server *s, struct err *e)
{
	int fd, rc = bind_socket(s, &fd, e);

	if (rc)
		return rc;
	s->daemon =
		MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, take_request, s, MHD_OPTION_LISTEN_SOCKET, fd,
				 MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
				 IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, MOST_HEADERS,
				 MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
				 MHD_OPTION_NOTIFY_CONNECTION, note_connection, s, MHD_OPTION_END);
	if (s->daemon)
		return 0;
	close(fd);
	return err_set(e, ERR_IO, "cannot start the server on '%s'", s->address);
}

int serve_open(const struct serve_options *o, struct web_server **out, struct err *e)
{
	struct web_server *s;
	int rc = o->token ? serve_check_token(o->token, e) : 0;

	if (!rc && !o->token && !serve_is_loopback(o->listen))
		rc = err_set(e, ERR_USAGE, "others can reach '%s': that needs a token", o->listen);
	if (!rc && (o->port < 0 || o->port > 65535))
		rc = err_set(e, ERR_USAGE, "--port takes 0 to 65535");
	if (rc)
		return rc;
	s = mem_zalloc(sizeof *s);
	if (!s)
		return err_nomem(e, "a server", sizeof *s);
	s->o = *o;
	s->routes.o = &s->o;
	for (size_t i = 0; i < MOST_CONNECTIONS; i++)
		s->connections[i].fd = -1;
	rc = start(s, e);
	if (rc)
		mem_free(s);
	else
		*out = s;
	return rc;
}

const char *serve_address(const struct web_server *s)
{
	return s->address;
}

int serve_loop(struct web_server *s, const volatile sig_atomic_t *stop, struct err *e)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd wait = {.fd = info ? info->epoll_fd : -1, .events = POLLIN};

	if (!info)
		return err_set(e, ERR_INTERNAL, "the server has no descriptor to wait for");
	while (!*stop) {
		MHD_UNSIGNED_LONG_LONG soon;
		int ms = MHD_get_timeout(s->daemon, &soon) == MHD_YES && soon < TICK_MS ? (int)soon : TICK_MS;

		if (poll(&wait, 1, ms) < 0 && errno != EINTR)
			return err_set(e, ERR_IO, "cannot wait for requests: %s", strerror(errno));
		if (MHD_run(s->daemon) != MHD_YES)
			return err_set(e, ERR_IO, "the server failed");
		end_late_ones(s);
	}
	return 0;
}

void serve_close(struct web_server *s)
{
	if (!s)
		return;
	MHD_stop_daemon(s->daemon); /* closes the socket, and what is being sent is dropped */
	routes_release(&s->routes);
	mem_free(s);
}
