/* guard.c - who may ask what (see internal.h).
 *
 * A page on the Internet can make a browser ask a server on this machine.  It cannot read the answer, unless its own
 * name is made to lead here (DNS rebinding): then its requests carry that name as Host.  So a name must be known.  An
 * address in digits cannot be made to lead elsewhere. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "serve/internal.h"

#define MAX_HOST 255

/* ---- addresses --------------------------------------------------------------------------------------------------- */

int serve_is_loopback(const char *address)
{
	struct in6_addr six;
	struct in_addr four;

	if (!strcasecmp(address, "localhost"))
		return 1;
	if (inet_pton(AF_INET, address, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static int is_address(const char *text)
{
	unsigned char bytes[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

/* "name:port", "[::1]:port"; without a port it is 80.  -1: it is none of these. */
static int split_host(const char *text, char name[MAX_HOST + 1])
{
	const char *from = text, *end;
	char *stop;
	long port;

	if (*text == '[') {
		from = text + 1;
		end = strchr(from, ']');
		if (!end || (end[1] && end[1] != ':'))
			return -1;
	} else {
		end = from + strcspn(from, ":");
	}
	if (end == from || end - from > MAX_HOST)
		return -1;
	memcpy(name, from, (size_t)(end - from));
	name[end - from] = '\0';
	end += *end == ']';
	if (!*end)
		return 80;
	if (end[1] < '0' || end[1] > '9')
		return -1;
	port = strtol(end + 1, &stop, 10);
	return *stop || port < 1 || port > 65535 ? -1 : (int)port;
}

int guard_knows_host(const struct serve_options *o, int port, const char *host)
{
	char name[MAX_HOST + 1];

	if (!host || split_host(host, name) != port)
		return 0;
	if (is_address(name) || !strcasecmp(name, "localhost"))
		return 1;
	for (size_t i = 0; i < o->hosts.n; i++)
		if (!strcasecmp(name, o->hosts.at[i]))
			return 1;
	return 0;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

int serve_make_token(char out[SERVE_NEW_TOKEN], struct err *e)
{
	unsigned char bytes[SERVE_NEW_TOKEN / 2];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return err_set(e, ERR_IO, "no random numbers for a token: %s", strerror(errno));
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int serve_check_token(const char *token, struct err *e)
{
	static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
	size_t n = strlen(token);

	if (n < SERVE_MIN_TOKEN || n > SERVE_MAX_TOKEN)
		return err_set(e, ERR_INPUT, "the token has %zu characters; it needs %d to %d", n, SERVE_MIN_TOKEN,
			       SERVE_MAX_TOKEN);
	if (strspn(token, signs) != n)
		return err_set(e, ERR_INPUT, "the token may have letters, digits and -_.~ only");
	return 0;
}

int guard_same_token(const char *a, const char *b)
{
	char x[SERVE_MAX_TOKEN] = {0}, y[SERVE_MAX_TOKEN] = {0};
	size_t n = strlen(a), m = strlen(b);
	volatile unsigned char differ = n != m || n > sizeof x;

	memcpy(x, a, n > sizeof x ? sizeof x : n);
	memcpy(y, b, m > sizeof y ? sizeof y : m);
	for (size_t i = 0; i < sizeof x; i++)
		differ |= (unsigned char)(x[i] ^ y[i]);
	return !differ;
}

static int is_token(const struct serve_options *o, const char *given)
{
	return given && guard_same_token(o->token, given);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

enum guard_answer guard_request(const struct serve_options *o, int port, const struct request *r)
{
	static const char bearer[] = "Bearer ";
	size_t n = sizeof bearer - 1;

	if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0)
		return GUARD_METHOD;
	if (!guard_knows_host(o, port, r->host))
		return GUARD_HOST;
	if (!o->token || is_token(o, r->cookie))
		return GUARD_PASS;
	if (r->bearer && !strncasecmp(r->bearer, bearer, n) && is_token(o, r->bearer + n))
		return GUARD_PASS;
	return is_token(o, r->query) ? GUARD_ENTER : GUARD_TOKEN;
}
