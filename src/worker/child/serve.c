/* serve.c - the child's loop: requests in, the backend's answers out.
 *
 * The parent has arranged everything else: the socket is descriptor 3, shared memory descriptor 4, standard output and
 * error go where the parent looks for them.  Inputs are tensors over shared memory; outputs are written there once. */
#include "worker/child/serve.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tensor/proto_check.h"

/* ---- what a request holds ---------------------------------------------------------------------------------------- */

void *serve_array(struct server *s, size_t n, size_t size, struct err *e)
{
	void *p = arena_array(&s->arena, n, size);

	if (!p)
		err_nomem(e, "an answer", 0);
	return p;
}

int serve_keep_value(struct server *s, struct value *take, struct err *e)
{
	if (take && vec_push(&s->values, take)) {
		value_unref(take);
		return err_nomem(e, "an answer", 0);
	}
	return 0;
}

int serve_keep_tensor(struct server *s, struct tensor *take, struct err *e)
{
	if (take && vec_push(&s->tensors, take)) {
		tensor_unref(take);
		return err_nomem(e, "an answer", 0);
	}
	return 0;
}

int serve_read(int rc, struct err *e)
{
	if (rc == ERR_INPUT)
		rc = e->code = ERR_INTERNAL;
	return rc;
}

int serve_get_value(struct server *s, const Assay__Value *m, struct value **out, struct err *e)
{
	int rc = serve_read(message_get_value(&s->in, m, out, e), e);

	return rc ? rc : serve_keep_value(s, *out, e);
}

int serve_get_named(struct server *s, Assay__Value *const *m, size_t n, struct backend_values *out, struct err *e)
{
	struct named_value *v = serve_array(s, n, sizeof *v, e);
	int rc = v ? 0 : ERR_MEMORY;

	for (size_t i = 0; !rc && i < n; i++) {
		v[i].name = m[i]->name;
		rc = serve_get_value(s, m[i], &v[i].value, e);
	}
	*out = (struct backend_values){v, n};
	return rc;
}

static void end_request(struct server *s)
{
	for (size_t i = 0; i < s->values.n; i++)
		value_unref(s->values.at[i]);
	for (size_t i = 0; i < s->tensors.n; i++)
		tensor_unref(s->tensors.at[i]);
	s->values.n = s->tensors.n = 0;
	arena_reset(&s->arena);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static int get_options(struct server *s, Assay__Option *const *m, size_t n, struct backend_options *out, struct err *e)
{
	struct backend_option *at = serve_array(s, n, sizeof *at, e);

	if (!at)
		return ERR_MEMORY;
	for (size_t i = 0; i < n; i++)
		at[i] = (struct backend_option){m[i]->name, m[i]->value};
	*out = (struct backend_options){at, n};
	return 0;
}

/* HELLO's options live as long as the library is open. */
static int keep_options(struct server *s, Assay__Option *const *m, size_t n, struct backend_options *out, struct err *e)
{
	struct backend_option *at = arena_array(&s->kept, n + 1, sizeof *at);

	for (size_t i = 0; at && i < n; i++) {
		at[i] = (struct backend_option){arena_strdup(&s->kept, m[i]->name),
						arena_strdup(&s->kept, m[i]->value)};
		if (!at[i].name || !at[i].value)
			at = NULL;
	}
	*out = (struct backend_options){at, n};
	return at ? 0 : err_nomem(e, "options", n * sizeof *at);
}

static int open_again(struct server *s, const struct backend_options *options, struct err *e)
{
	if (!s->backend->reopen || s->sessions.n)
		return err_set(e, ERR_INPUT, "HELLO came twice");
	return s->backend->reopen(s->ctx, options, e);
}

static int serve_hello(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e)
{
	const struct backend *b = s->backend;
	Assay__HelloReply *reply = serve_array(s, 1, sizeof *reply, e);
	char **can = serve_array(s, 16, sizeof *can, e);
	struct backend_options options;
	int rc;

	if (!reply || !can || keep_options(s, q->hello->options, q->hello->n_options, &options, e))
		return ERR_MEMORY;
	if (q->hello->protocol != MESSAGE_PROTOCOL)
		return err_set(e, ERR_UNSUPPORTED, "this worker speaks version %d of the protocol, not %u",
			       MESSAGE_PROTOCOL, (unsigned)q->hello->protocol);
	rc = s->open ? open_again(s, &options, e) : b->open(q->hello->folder, &options, &s->ctx, &s->version, e);
	if (rc)
		return rc;
	s->open = 1;
	assay__hello_reply__init(reply);
	reply->protocol = MESSAGE_PROTOCOL;
	reply->library = (char *)(uintptr_t)b->library;
	reply->version = (char *)(uintptr_t)(s->version ? s->version : "");
	reply->capabilities = can;
	can[reply->n_capabilities++] = "load";
	can[reply->n_capabilities++] = "intermediates";
	can[reply->n_capabilities++] = "ahead";
	can[reply->n_capabilities++] = "newest";
	if (b->backward)
		can[reply->n_capabilities++] = "backward";
	if (b->invoke)
		can[reply->n_capabilities++] = "invoke";
	if (b->list)
		can[reply->n_capabilities++] = "list";
	if (b->reopen)
		can[reply->n_capabilities++] = "reopen";
	if (b->files)
		can[reply->n_capabilities++] = "files";
	if (b->domain)
		can[reply->n_capabilities++] = (char *)(uintptr_t)b->domain;
	if (serve_can_fork(s))
		can[reply->n_capabilities++] = "fork";
	if (b->operators) {
		const char *const *names = b->operators(s->ctx);

		while (names && names[reply->n_operators])
			reply->n_operators++;
		reply->operators = message_names(names);
	}
	r->body_case = ASSAY__RESPONSE__BODY_HELLO;
	r->hello = reply;
	return 0;
}

static int serve_load(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e)
{
	const Assay__Load *load = q->load;
	Assay__LoadReply *reply = serve_array(s, 1, sizeof *reply, e);
	const uint8_t *bytes = load->model.data;
	struct backend_model model = {.n = load->size ? (size_t)load->size : load->model.len,
				      .path = load->path && *load->path ? load->path : NULL,
				      .outputs = {(const char *const *)load->outputs, load->n_outputs}};
	struct server_session new = {.id = s->next_session};
	int rc;

	s->newest = 0;
	if (!reply || get_options(s, load->options, load->n_options, &model.options, e))
		return ERR_MEMORY;
	rc = load->size ? serve_read(message_get_bytes(&s->in, load->shm_offset, load->size, &bytes, e), e) : 0;
	model.bytes = bytes;
	if (!rc)
		rc = s->backend->load(s->ctx, &model, &new.session, e);
	if (rc)
		return rc;
	if (vec_push(&s->sessions, new)) {
		s->backend->unload(s->ctx, new.session);
		return err_nomem(e, "a session", 0);
	}
	s->next_session++;
	s->newest = new.id;
	assay__load_reply__init(reply);
	reply->session = new.id;
	r->body_case = ASSAY__RESPONSE__BODY_LOAD;
	r->load = reply;
	return 0;
}

/* Where it is in the list; behind it: nowhere. */
static size_t find_session(const struct server *s, uint64_t id)
{
	size_t i = 0;

	id = id == SERVE_NEWEST ? s->newest : id;
	while (i < s->sessions.n && s->sessions.at[i].id != id)
		i++;
	return i;
}

int serve_session(struct server *s, uint64_t id, void **session, struct err *e)
{
	size_t i = find_session(s, id);

	if (i == s->sessions.n)
		return err_set(e, ERR_INPUT, "there is no session %llu", (unsigned long long)id);
	*session = s->sessions.at[i].session;
	return 0;
}

static int put_outputs(struct server *s, const struct backend_names *names, struct value *const *out,
		       Assay__Response *r, struct err *e)
{
	Assay__RunReply *reply = serve_array(s, 1, sizeof *reply, e);
	struct named_value *v = serve_array(s, names->n, sizeof *v, e);

	if (!reply || !v)
		return ERR_MEMORY;
	for (size_t i = 0; i < names->n; i++) {
		if (!out[i])
			return err_set(e, ERR_INTERNAL, "the backend gave no output '%s'", names->at[i]);
		v[i] = (struct named_value){names->at[i], out[i]};
	}
	assay__run_reply__init(reply);
	reply->n_outputs = names->n;
	r->body_case = ASSAY__RESPONSE__BODY_RUN;
	r->run = reply;
	return message_put_values(&s->out, v, names->n, &reply->outputs, e);
}

static int serve_run(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e)
{
	const Assay__Run *run = q->run;
	struct backend_run asked = {.wanted = {(const char *const *)run->outputs, run->n_outputs}};
	struct value **out;
	void *session = NULL;
	int rc = serve_session(s, run->session, &session, e);

	/* The parent does it before all that it does not send ahead, and still reads what a LOAD that failed printed.
	 */
	if (!rc && run->session == SERVE_NEWEST)
		lseek(STDERR_FILENO, 0, SEEK_SET);
	if (!rc)
		rc = serve_get_named(s, run->inputs, run->n_inputs, &asked.in, e);
	if (rc)
		return rc;
	if (!asked.wanted.n)
		asked.wanted.n = s->backend->outputs(session, &asked.wanted.at);
	out = serve_array(s, asked.wanted.n, sizeof(struct value *), e);
	if (!out)
		return ERR_MEMORY;
	s->out.at = s->in.end;
	rc = s->backend->run(s->ctx, session, &asked, out, e);
	for (size_t i = 0; !rc && i < asked.wanted.n; i++)
		rc = serve_keep_value(s, out[i], e);
	return rc ? rc : put_outputs(s, &asked.wanted, out, r, e);
}

static int answer_done(struct server *s, Assay__Response *r, struct err *e)
{
	Assay__Done *done = serve_array(s, 1, sizeof *done, e);

	if (!done)
		return ERR_MEMORY;
	assay__done__init(done);
	r->body_case = ASSAY__RESPONSE__BODY_DONE;
	r->done = done;
	return 0;
}

static int serve_unload(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e)
{
	void *session = NULL;
	int rc = serve_session(s, q->unload->session, &session, e);

	if (rc)
		return rc;
	s->backend->unload(s->ctx, session);
	vec_remove(&s->sessions, find_session(s, q->unload->session));
	return answer_done(s, r, e);
}

static int serve_bye(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e)
{
	(void)q;
	s->done = 1;
	return answer_done(s, r, e);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static server_handler *const handlers[] = {
	[ASSAY__REQUEST__BODY_HELLO] = serve_hello,   [ASSAY__REQUEST__BODY_LOAD] = serve_load,
	[ASSAY__REQUEST__BODY_RUN] = serve_run,       [ASSAY__REQUEST__BODY_BACKWARD] = serve_backward,
	[ASSAY__REQUEST__BODY_INVOKE] = serve_invoke, [ASSAY__REQUEST__BODY_LIST] = serve_list,
	[ASSAY__REQUEST__BODY_UNLOAD] = serve_unload, [ASSAY__REQUEST__BODY_BYE] = serve_bye,
};

static int handle(struct server *s, const Assay__Request *q, Assay__Response *r, struct err *e)
{
	size_t which = (size_t)q->body_case;
	int rc;

	s->in = (struct message_in){.shm = &s->shm};
	s->out = (struct message_out){.shm = &s->shm, .arena = &s->arena};
	rc = shm_refresh(&s->shm, q->shm_size, e);
	if (rc)
		return rc;
	if (which >= sizeof handlers / sizeof *handlers || !handlers[which])
		return err_set(e, ERR_UNSUPPORTED, "a request that this worker does not know");
	if (!s->open && handlers[which] != serve_hello && handlers[which] != serve_bye)
		return err_set(e, ERR_INPUT, "the first request must be HELLO");
	return handlers[which](s, q, r, e);
}

static Assay__Response__Status status_of(int rc)
{
	switch (rc) {
	case ERR_UNSUPPORTED:
	case ERR_LIMIT:
	case ERR_INTERNAL: /* the library is not to blame */
		return ASSAY__RESPONSE__STATUS__UNSUPPORTED;
	case ERR_INPUT:
		return ASSAY__RESPONSE__STATUS__REJECTED;
	case ERR_MEMORY:
		return ASSAY__RESPONSE__STATUS__OOM;
	default:
		return ASSAY__RESPONSE__STATUS__FAILED;
	}
}

static int pack(struct server *s, const Assay__Response *r, struct err *e)
{
	size_t n = assay__response__get_packed_size(r);
	int rc = frame_reserve(&s->frame, n, e);

	if (!rc)
		s->frame.n = assay__response__pack(r, frame_message(&s->frame));
	return rc;
}

/* Answers the request in s->frame; negative when no answer can be given at all. */
static int answer(struct server *s)
{
	Assay__Response r = ASSAY__RESPONSE__INIT;
	struct err e = ERR_INIT;
	ProtobufCMessage *q;
	int rc = proto_unpack(&assay__request__descriptor, frame_message(&s->frame), s->frame.n, MESSAGE_MAX_DEPTH, &q,
			      &e);

	if (rc)
		return rc;
	rc = handle(s, (Assay__Request *)q, &r, &e);
	for (int tries = 0; tries < 2; tries++) { /* an answer that cannot be packed becomes the reason why */
		if (rc) {
			if (rc == ERR_INTERNAL)
				err_prefix(&e, "a mistake of assay's own worker");
			r = (Assay__Response)ASSAY__RESPONSE__INIT;
			r.status = status_of(rc);
			r.message = e.msg;
		}
		r.id = ((Assay__Request *)q)->id;
		r.shm_size = s->shm.size;
		rc = pack(s, &r, &e);
		if (!rc)
			break;
	}
	end_request(s);
	protobuf_c_message_free_unpacked(q, proto_allocator());
	return rc;
}

static void server_close(struct server *s)
{
	for (size_t i = 0; i < s->sessions.n; i++)
		s->backend->unload(s->ctx, s->sessions.at[i].session);
	if (s->open && s->backend->close)
		s->backend->close(s->ctx);
	vec_release(&s->sessions);
	vec_release(&s->values);
	vec_release(&s->tensors);
	arena_release(&s->arena);
	arena_release(&s->kept);
	frame_release(&s->frame);
	shm_release(&s->shm);
}

int worker_serve(const struct backend *b)
{
	struct server s = {.backend = b, .shm = SHM_INIT, .next_session = 1, .control = MESSAGE_DESCRIPTORS + 2};
	int socket = MESSAGE_DESCRIPTORS, rc;
	struct err e = ERR_INIT;

	mem_keep_large();
	/* What the library starts must not hold the parent's socket open. */
	fcntl(socket, F_SETFD, FD_CLOEXEC);
	fcntl(socket + 1, F_SETFD, FD_CLOEXEC);
	if (fcntl(s.control, F_SETFD, FD_CLOEXEC))
		s.control = -1;
	rc = shm_attach(&s.shm, socket + 1, &e);
	while (!rc && !s.done) {
		if (serve_await(&s) || frame_receive(socket, &s.frame, NULL))
			break;
		rc = answer(&s);
		if (!rc && frame_send(socket, &s.frame, NULL))
			break;
	}
	server_close(&s);
	return rc ? 1 : 0;
}
