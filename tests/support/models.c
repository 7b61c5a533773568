/* models.c - see models.h. */
#include "support/models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/protos.h"
#include "support/same.h"

void models_assert_sound(const struct model *m)
{
	const char *text = check_invariants(m);

	if (text)
		fail_msg("not sound: %s", text);
}

void models_assert_same(const struct model *a, const struct model *b)
{
	const char *text = same_model(a, b);

	if (text)
		fail_msg("models differ: %s", text);
}

struct model *models_read(const Onnx__ModelProto *p)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;

	if (protos_parse(p, &m, &e))
		fail_msg("%s", e.msg);
	models_assert_sound(m);
	return m;
}

struct model *models_again(const struct model *m)
{
	struct err e = ERR_INIT;
	struct model *again = NULL;
	struct buf b;

	buf_init(&b, (size_t)1 << 30);
	if (model_serialize(m, &b, &e) || model_parse(b.data, b.len, "again.onnx", &again, &e))
		fail_msg("%s", e.msg);
	buf_release(&b);
	return again;
}

void models_assert_round_trip(const struct model *m)
{
	struct model *again = models_again(m);

	models_assert_same(m, again);
	model_free(again);
}
