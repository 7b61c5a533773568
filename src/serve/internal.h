/* internal.h - what the files of the server share. */
#ifndef SERVE_INTERNAL_H
#define SERVE_INTERNAL_H

#include "base/buf.h"
#include "serve/serve.h"

/* ---- guard.c ----------------------------------------------------------------------------------------------------- */

/* What a request says of itself. */
struct request {
	const char *method;
	const char *path;   /* as it was sent: nothing in it is decoded */
	const char *host;   /* NULL: none, or several */
	const char *bearer; /* the value of Authorization; NULL: none */
	const char *cookie; /* the token in a cookie; NULL: none */
	const char *query;  /* the token in the address; NULL: none */
};

enum guard_answer {
	GUARD_PASS,
	GUARD_ENTER,  /* the token stands in the address: it is put into a cookie, and the address is cleaned */
	GUARD_METHOD, /* neither GET nor HEAD */
	GUARD_HOST,   /* a name that is not ours: another site may stand behind it */
	GUARD_TOKEN   /* none, or a wrong one */
};

enum guard_answer guard_request(const struct serve_options *o, int port, const struct request *r);
/* Takes the same time wherever the two differ. */
int guard_same_token(const char *a, const char *b);
int guard_knows_host(const struct serve_options *o, int port, const char *host);

/* ---- routes.c ---------------------------------------------------------------------------------------------------- */

#define ROUTES_KEPT 8
#define ROUTES_MAX_BYTES ((size_t)512 << 20) /* of all pages that are kept or being sent */

/* A page that was made: kept until the store changes, and as long as somebody is being sent it. */
struct served_page {
	char path[64];
	const char *type;
	struct buf text;
	int64_t version; /* of the store */
	double made;
	int refs;
	size_t *bytes; /* of all pages */
};

struct routes {
	const struct serve_options *o;
	struct served_page *kept[ROUTES_KEPT];
	size_t next;  /* of those to be given up */
	size_t bytes; /* of all pages; nobody is sent any more when it is 0 after routes_release() */
};

/* What is at a path, from the last time or made anew, for routes_unref().  *out is NULL where nothing is.  ERR_LIMIT
 * when too much is being sent already. */
int routes_get(struct routes *r, const char *path, struct served_page **out, struct err *e);
void routes_release(struct routes *r);
void routes_unref(struct served_page *p); /* NULL is fine */

/* ---- live.c ------------------------------------------------------------------------------------------------------ */

int live_page(const struct serve_options *o, struct buf *out, struct err *e);

extern const char live_js[], live_js_hash[]; /* made of live.js by the build */

#endif
