/* serve.h - a store in the browser, while others write it: `assay serve`.
 *
 *   guard.c    whether a request may be answered: method, Host, token
 *   routes.c   what there is to ask for, and the pages that were made last
 *   live.c     the first page, which renews itself (live.js)
 *   folder.c   the folder of `assay campaign`, where one is served; folder_page.c shows it
 *   server.c   libmicrohttpd: connections, limits on them, headers of answers
 *
 * Nothing is written and no file is named by a request: routes are fixed, and all they take is the number of a finding.
 * One thread does it all. */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include <signal.h>

#include "base/texts.h"
#include "report/usage.h"
#include "store/store.h"

#define SERVE_PORT 8642
#define SERVE_MIN_TOKEN 16
#define SERVE_MAX_TOKEN 256
#define SERVE_NEW_TOKEN 33 /* bytes of a token of our own, with the NUL */

struct serve_options {
	const char *listen; /* an address in digits, or "localhost" */
	int port;           /* 0: any that is free */
	const char *token;  /* NULL: none, which needs an address that only this machine reaches */
	struct texts hosts; /* names under which it is reached, besides localhost and addresses in digits */
	const char *title;
	struct store *store;
	const char *campaign;      /* (optional) the folder of `assay campaign` that the store belongs to */
	const struct usage *usage; /* (optional) findings stand in the order of their use */
};

struct web_server;

/* Binds and listens.  ERR_USAGE when others could reach it and there is no token. */
int serve_open(const struct serve_options *o, struct web_server **out, struct err *e);
/* "127.0.0.1:8642", "[::1]:8642" */
const char *serve_address(const struct web_server *s);
/* Answers until *stop is set, by a signal handler say. */
int serve_loop(struct web_server *s, const volatile sig_atomic_t *stop, struct err *e);
void serve_close(struct web_server *s); /* NULL is fine */

/* ERR_INPUT unless a folder has the state of a campaign. */
int serve_check_campaign(const char *folder, struct err *e);
/* Whether an address can be reached from this machine only. */
int serve_is_loopback(const char *address);
/* A token that nobody guesses. */
int serve_make_token(char out[SERVE_NEW_TOKEN], struct err *e);
/* ERR_INPUT when a token is too short, too long, or has signs that a browser would change. */
int serve_check_token(const char *token, struct err *e);

#endif
