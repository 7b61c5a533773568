/* fault_lies.c - the part of fault_worker that speaks the protocol by hand and tells lies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "support/fault_worker.h"
#include "tensor/proto_check.h"
#include "worker/frames.h"

#define MUTATED "mutated-" /* and the seed: the answer's bytes are changed by chance */

/* An answer that is right until a lie is told: one float tensor of 1500 elements at offset 64 of shared memory. */
struct answer {
	Assay__Response r;
	Assay__InvokeReply invoke;
	Assay__RunReply run;
	Assay__Done done;
	Assay__Value value, nested[64], *values[2], *items[64];
	Assay__Tensor tensor;
	int64_t dims[32];
	uint64_t size;   /* of shared memory */
	size_t more;     /* bytes behind the frame */
	size_t missing;  /* bytes cut from the message */
	uint32_t length; /* in place of the true one; 0: the true one */
	uint64_t mutate; /* seed of what is done to the packed bytes; 0: nothing */
};

static void make_answer(struct answer *a, const Assay__Request *q)
{
	struct stat st;

	assay__response__init(&a->r);
	assay__invoke_reply__init(&a->invoke);
	assay__run_reply__init(&a->run);
	assay__done__init(&a->done);
	assay__value__init(&a->value);
	assay__tensor__init(&a->tensor);
	fstat(MEMORY, &st);
	a->size = (uint64_t)st.st_size;
	a->r.id = q->id;
	a->r.shm_size = a->size;
	a->r.body_case = ASSAY__RESPONSE__BODY_INVOKE;
	a->r.invoke = &a->invoke;
	a->values[0] = a->values[1] = &a->value;
	a->invoke.n_outputs = a->run.n_outputs = 1;
	a->invoke.outputs = a->run.outputs = a->values;
	a->value.tensor = &a->tensor;
	a->tensor.dtype = DT_FLOAT;
	a->tensor.n_dims = 1;
	a->tensor.dims = a->dims;
	a->dims[0] = 1500;
	a->tensor.size = 6000;
	a->tensor.data_case = ASSAY__TENSOR__DATA_SHM_OFFSET;
	a->tensor.shm_offset = 64;
}

static void inline_bytes(struct answer *a, size_t n)
{
	static uint8_t zeros[64];

	a->tensor.data_case = ASSAY__TENSOR__DATA_INLINE;
	a->tensor.inline_ = (ProtobufCBinaryData){n, zeros};
}

static void nest(struct answer *a)
{
	Assay__Value *top = &a->value;

	for (int i = 0; i < 64; i++) {
		assay__value__init(&a->nested[i]);
		a->nested[i].kind = ASSAY__VALUE__KIND__SEQUENCE;
		a->items[i] = top;
		a->nested[i].items = &a->items[i];
		a->nested[i].n_items = 1;
		top = &a->nested[i];
	}
	a->values[0] = top;
}

static void grow(struct answer *a, uint64_t size)
{
	if (!ftruncate(MEMORY, (off_t)size))
		a->r.shm_size = size;
}

static void many_ones(struct answer *a, size_t rank)
{
	a->tensor.n_dims = rank;
	for (size_t i = 0; i < rank; i++)
		a->dims[i] = 1;
}

static void optional_of_two(struct answer *a)
{
	assay__value__init(&a->nested[0]);
	a->nested[0].kind = ASSAY__VALUE__KIND__OPTIONAL;
	a->nested[0].items = a->values;
	a->nested[0].n_items = 2;
	a->items[0] = &a->nested[0];
	a->invoke.outputs = a->items;
}

/* function, name, what is done to the right answer a */
#define LIES(L)                                                                                              \
	L(lie_none, "truth", (void)a)                                                                        \
	L(lie_grown, "grown", grow(a, (uint64_t)4 << 20); a->tensor.shm_offset = 3 << 20)                    \
	L(lie_shrink, "cannot-shrink", a->r.id += ftruncate(MEMORY, 0) == 0)                                 \
	L(lie_id, "id", a->r.id++)                                                                           \
	L(lie_status, "status", a->r.status = (Assay__Response__Status)77)                                   \
	L(lie_status_low, "status-negative", a->r.status = (Assay__Response__Status)-1)                      \
	L(lie_body, "body", a->r.body_case = ASSAY__RESPONSE__BODY_DONE; a->r.done = &a->done)               \
	L(lie_no_body, "no-body", a->r.body_case = ASSAY__RESPONSE__BODY__NOT_SET)                           \
	L(lie_offset, "offset", a->tensor.shm_offset = a->size)                                              \
	L(lie_end, "offset-near-end", a->tensor.shm_offset = a->size - 64)                                   \
	L(lie_overflow, "offset-overflow", a->tensor.shm_offset = UINT64_MAX - 63)                           \
	L(lie_unaligned, "unaligned", a->tensor.shm_offset = 8)                                              \
	L(lie_size, "size", a->tensor.size = 6004)                                                           \
	L(lie_dtype, "dtype", a->tensor.dtype = 99)                                                          \
	L(lie_dtype_low, "dtype-negative", a->tensor.dtype = -1)                                             \
	L(lie_negative, "dims-negative", a->dims[0] = -1500)                                                 \
	L(lie_huge, "dims-huge", a->dims[0] = INT64_MAX)                                                     \
	L(lie_product, "dims-overflow", many_ones(a, 3); a->dims[1] = a->dims[2] = INT64_C(1) << 40)         \
	L(lie_rank, "rank", many_ones(a, 17))                                                                \
	L(lie_short, "inline-short", inline_bytes(a, 3))                                                     \
	L(lie_no_data, "no-data", a->tensor.data_case = ASSAY__TENSOR__DATA__NOT_SET)                        \
	L(lie_strings, "strings", a->tensor.dtype = DT_STRING)                                               \
	L(lie_no_tensor, "no-tensor", a->value.tensor = NULL)                                                \
	L(lie_kind, "kind", a->value.kind = (Assay__Value__Kind)9)                                           \
	L(lie_two, "optional-of-two", optional_of_two(a))                                                    \
	L(lie_shm_size, "shm-size", a->r.shm_size = (uint64_t)1 << 40)                                       \
	L(lie_shm_large, "shm-too-large", grow(a, (uint64_t)100 << 30); a->r.shm_size = (uint64_t)100 << 30) \
	L(lie_deep, "deep", nest(a))                                                                         \
	L(lie_trailing, "trailing", a->more = 7)                                                             \
	L(lie_cut, "cut", a->missing = 5)                                                                    \
	L(lie_length, "length", a->length = UINT32_MAX; a->more = 100000)                                    \
	L(lie_empty, "empty", a->missing = SIZE_MAX)

#define L(function, name, act)                 \
	static void function(struct answer *a) \
	{                                      \
		act;                           \
	}
LIES(L)
#undef L

static const struct {
	const char *name;
	void (*tell)(struct answer *a);
} lies[] = {
#define L(function, name, act) {name, function},
	LIES(L)
#undef L
};

/* ---- mutated answers --------------------------------------------------------------------------------------------- */

static void mutate_bits(uint8_t *p, size_t n, struct rng *r)
{
	for (uint64_t k = 1 + rng_below(r, 8); n && k; k--)
		p[rng_below(r, n)] ^= (uint8_t)(1u << rng_below(r, 8));
}

/* A number of ten bytes, as large as there is, wherever one may be. */
static void mutate_number(uint8_t *p, size_t n, struct rng *r)
{
	size_t at = n ? rng_below(r, n) : 0;

	for (size_t i = at; i < n && i < at + 10; i++)
		p[i] = i == at + 9 ? 1 : 0xff;
}

static void mutate_repeat(uint8_t *p, size_t n, struct rng *r)
{
	size_t from = n ? rng_below(r, n) : 0, to = n ? rng_below(r, n) : 0, count = n - (from > to ? from : to);

	memmove(p + to, p + from, count);
}

static void mutate_all(uint8_t *p, size_t n, struct rng *r)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)rng_u64(r);
}

/* The message is changed in place, or is longer or shorter than its head says. */
static void mutate(struct frame *f, size_t *sent, uint64_t seed)
{
	static void (*const ways[])(uint8_t * p, size_t n, struct rng * r) = {mutate_bits, mutate_number, mutate_repeat,
									      mutate_all};
	struct rng r;

	rng_init(&r, seed);
	ways[rng_below(&r, sizeof ways / sizeof *ways)](frame_message(f), f->n, &r);
	if (!rng_below(&r, 8))
		mutate_bits(f->data, FRAME_HEAD, &r);
	if (!rng_below(&r, 8))
		*sent -= rng_below(&r, *sent);
}

static void send_answer(const struct answer *a)
{
	struct frame f = FRAME_INIT;
	struct err e = ERR_INIT;
	size_t n = assay__response__get_packed_size(&a->r), sent;

	if (frame_reserve(&f, n + a->more, &e))
		return;
	memset(frame_message(&f), 0, n + a->more);
	assay__response__pack(&a->r, frame_message(&f));
	f.n = a->missing > n ? 0 : n - a->missing;
	for (size_t i = 0; i < FRAME_HEAD; i++)
		f.data[i] = (uint8_t)((a->length ? a->length : f.n) >> (8 * i));
	sent = FRAME_HEAD + f.n + a->more;
	if (a->mutate)
		mutate(&f, &sent, a->mutate);
	fault_put(SOCKET, f.data, sent);
	frame_release(&f);
	if (a->mutate) /* what its head may promise never comes: nobody is to wait for it */
		_exit(0);
}

#define SESSION UINT64_C(0xfedcba9876543210) /* the first one's number: no bit of it may be lost */

static void answer_by_hand(const Assay__Request *q)
{
	static struct answer a;
	static uint64_t loaded;
	Assay__HelloReply hello = ASSAY__HELLO_REPLY__INIT;
	Assay__LoadReply load = ASSAY__LOAD_REPLY__INIT;
	size_t i = 0;

	memset(&a, 0, sizeof a);
	make_answer(&a, q);
	if (q->body_case == ASSAY__REQUEST__BODY_HELLO) {
		hello.protocol = MESSAGE_PROTOCOL;
		a.r.body_case = ASSAY__RESPONSE__BODY_HELLO;
		a.r.hello = &hello;
	} else if (q->body_case == ASSAY__REQUEST__BODY_LOAD) {
		load.session = SESSION + loaded++;
		a.r.body_case = ASSAY__RESPONSE__BODY_LOAD;
		a.r.load = &load;
	} else if (q->body_case == ASSAY__REQUEST__BODY_RUN) {
		a.value.name = q->run->session == SESSION + loaded - 1 ? "other" : "session";
		a.r.body_case = ASSAY__RESPONSE__BODY_RUN;
		a.r.run = &a.run;
	} else if (q->body_case == ASSAY__REQUEST__BODY_INVOKE) {
		while (i < sizeof lies / sizeof *lies && strcmp(lies[i].name, q->invoke->operation) != 0)
			i++;
		if (i < sizeof lies / sizeof *lies)
			lies[i].tell(&a);
		else if (!strncmp(q->invoke->operation, MUTATED, strlen(MUTATED)))
			a.mutate = strtoull(q->invoke->operation + strlen(MUTATED), NULL, 10);
		else
			a.r.status = ASSAY__RESPONSE__STATUS__UNSUPPORTED;
	} else {
		_exit(0);
	}
	send_answer(&a);
}

int fault_serve_lies(void)
{
	struct frame f = FRAME_INIT;
	struct err e = ERR_INIT;
	ProtobufCMessage *q;

	while (!frame_receive(SOCKET, &f, NULL)) {
		if (proto_unpack(&assay__request__descriptor, frame_message(&f), f.n, MESSAGE_MAX_DEPTH, &q, &e))
			return 1;
		answer_by_hand((Assay__Request *)q);
		protobuf_c_message_free_unpacked(q, proto_allocator());
	}
	frame_release(&f);
	return 0;
}
