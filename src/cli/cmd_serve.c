/* cmd_serve.c - assay serve: a store, or the folder of a campaign, in a browser, while a campaign writes it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/place.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "serve/serve.h"

int cmd_serve(struct cli *c);

static const char notes[] =
	"Pages: / (live), /report (all in one page), /finding/N.  For programs: /api/status, /api/findings,\n"
	"/api/finding/N, /api/curves/N (of campaign N), /api/campaign (of FOLDER).  Nothing is ever written.\n"
	"FOLDER is that of 'assay campaign', night.campaign say: its tasks are shown with what they have found.\n"
	"An address that other machines reach (--listen) needs a token: that of --token-file, or a new one, which is\n"
	"printed.  Browsers give it once, as /?token=…; programs as 'Authorization: Bearer …'.\n"
	"Requests under a name are answered only for localhost and the names of --host.\n";

struct cmd_serve_options {
	struct serve_options serve;
	const char *db, *token_file, *usage;
	int64_t port;
};

/* The first line of a file. */
static int read_token(const char *path, char out[SERVE_MAX_TOKEN + 2], struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, 65536);
	rc = buf_read_file(&text, path, 65536, e);
	if (!rc)
		snprintf(out, SERVE_MAX_TOKEN + 2, "%.*s", (int)strcspn(text.data ? text.data : "", "\r\n"),
			 text.data ? text.data : "");
	buf_release(&text);
	if (!rc && serve_check_token(out, e))
		rc = err_prefix(e, "'%s'", path);
	return rc;
}

static int find_token(struct cmd_serve_options *o, char token[SERVE_MAX_TOKEN + 2], struct err *e)
{
	int rc = 0;

	if (o->token_file)
		rc = read_token(o->token_file, token, e);
	else if (!serve_is_loopback(o->serve.listen))
		rc = serve_make_token(token, e);
	else
		return 0;
	o->serve.token = token;
	return rc;
}

/* A token that somebody gave is not printed. */
static void print_address(FILE *out, const struct cmd_serve_options *o, const struct web_server *s)
{
	int own = o->serve.token && !o->token_file;

	fprintf(out, "'%s' is at http://%s/%s%s; Ctrl-C ends\n", store_path(o->serve.store), serve_address(s),
		own ? "?token=" : "", own ? o->serve.token : "");
	fflush(out);
}

static int serve(struct cmd_serve_options *o, FILE *out, struct err *e)
{
	struct web_server *s = NULL;
	int rc = serve_open(&o->serve, &s, e);

	if (rc)
		return rc;
	stop_on(SIGINT);
	stop_on(SIGTERM);
	signal(SIGPIPE, SIG_IGN);
	print_address(out, o, s);
	rc = serve_loop(s, &stop_asked, e);
	serve_close(s);
	return rc;
}

/* The store of a campaign lies in its folder. */
static int find_campaign(const struct texts *rest, struct cmd_serve_options *o, char store[PLACE_PATH], struct err *e)
{
	int rc;

	if (!rest->n)
		return 0;
	if (rest->n > 1)
		return err_set(e, ERR_USAGE, "serve takes one folder, got '%s' as well", rest->at[1]);
	if (*o->db)
		return err_set(e, ERR_USAGE, "the store of '%s' is in it: --db is for other stores", rest->at[0]);
	if (!place_is_folder(rest->at[0]))
		return err_set(e, ERR_INPUT, "'%s' is not the folder of a campaign", rest->at[0]);
	rc = serve_check_campaign(rest->at[0], e);
	if (!rc)
		rc = place_path(store, e, "%s/findings.db", rest->at[0]);
	o->serve.campaign = rest->at[0];
	o->db = store;
	return rc;
}

static int run(struct cli *c, const struct texts *rest, void *options, struct err *e)
{
	struct cmd_serve_options *o = options;
	char token[SERVE_MAX_TOKEN + 2], store[PLACE_PATH];
	struct usage *usage = NULL;
	int rc = find_campaign(rest, o, store, e);

	if (!rc && (o->port < 0 || o->port > 65535))
		rc = err_set(e, ERR_USAGE, "--port takes 0 to 65535");
	o->serve.port = (int)o->port;
	if (!rc)
		rc = find_token(o, token, e);
	if (!rc && o->usage)
		rc = usage_load(o->usage, &usage, e);
	o->serve.usage = usage;
	if (!rc)
		rc = store_open(o->db, 0, &o->serve.store, e);
	if (!rc)
		rc = store_only_read(o->serve.store, e);
	if (!rc)
		rc = serve(o, c->out, e);
	store_close(o->serve.store);
	usage_free(usage);
	return rc;
}

int cmd_serve(struct cli *c)
{
	struct cmd_serve_options o = {.serve = {.listen = "127.0.0.1", .title = "assay"}, .db = "", .port = SERVE_PORT};
	int status;
	const struct cli_option options[] = {
		{0, "db", "FILE", CLI_STRING, &o.db, "the store ($ASSAY_DB or " STORE_DEFAULT ")"},
		{0, "listen", "ADDRESS", CLI_STRING, &o.serve.listen, "address to bind (default: 127.0.0.1)"},
		{0, "port", "N", CLI_INT, &o.port, "port; 0 for any that is free (default: 8642)"},
		{0, "token-file", "FILE", CLI_STRING, &o.token_file, "file whose first line is the token"},
		{0, "host", "NAME", CLI_LIST, &o.serve.hosts, "name under which browsers reach it; may be repeated"},
		{0, "title", "TEXT", CLI_STRING, &o.serve.title, "title of the pages (default: assay)"},
		{0, "usage", "FILE", CLI_STRING, &o.usage,
		 "rank by what models use: the index.json of 'assay extract'"},
		{0},
	};

	c->notes = notes;
	status = cli_main(c, options, run, &o);
	vec_release(&o.serve.hosts);
	return status;
}
