/* internal.h - what the files of the server share. */
#ifndef SERVE_INTERNAL_H
#define SERVE_INTERNAL_H

#include "base/buf.h"
#include "base/tally.h"
#include "base/vec.h"
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
/* What the store has, with a version that also changes with the campaign's folder. */
int routes_glance(const struct serve_options *o, struct store_glance *out, struct err *e);
void routes_unref(struct served_page *p); /* NULL is fine */

/* ---- folder.c ---------------------------------------------------------------------------------------------------- */

enum folder_state { FOLDER_RUNNING, FOLDER_OPEN, FOLDER_DONE, FOLDER_FAILED, FOLDER_LOST, FOLDER_STATES };
extern const char *const folder_state_names[FOLDER_STATES];

/* A method on a backend: what a campaign shares its time between. */
struct folder_line {
	const char *method, *backend;
	double share;   /* of 1 */
	double seconds; /* of its tasks that are over */
	size_t tasks[FOLDER_STATES];
	size_t cases; /* given to backends, by tasks that are over */
	int64_t findings, clusters;
};

struct folder_task {
	size_t line;
	enum folder_state state;
	int64_t seed, shard, shards, starts, findings, clusters;
	double seconds;
	const char *host, *why;
};

/* state.json of a campaign's folder at one moment. */
struct folder_view {
	json_t *all;          /* holds the texts */
	double written;       /* seconds since 1970 */
	int running;          /* its leader was there a short time ago */
	double time, seconds; /* in all; spent */
	int64_t runs;
	VEC(struct folder_line) lines;
	VEC(struct folder_task) tasks;
	VEC(struct tally_row) counts; /* by backend */
};

/* ERR_INPUT for anything that is not such a file; on failure nothing is to be released. */
int folder_read(const char *folder, struct folder_view *out, struct err *e);
void folder_release(struct folder_view *v); /* zeroed is fine */

/* A number that is another one when the file has changed, or its leader has gone: below 2^32. */
uint32_t folder_version(const char *folder);

/* ---- folder_page.c ----------------------------------------------------------------------------------------------- */

/* A section of the first page; what cannot be read is told in it. */
void folder_page(const char *folder, struct buf *out);
/* {"running", …}; NULL with a message. */
json_t *folder_json(const char *folder, struct err *e);

/* ---- live.c ------------------------------------------------------------------------------------------------------ */

int live_page(const struct serve_options *o, struct buf *out, struct err *e);

extern const char live_js[], live_js_hash[]; /* made of live.js by the build */

#endif
