/* verdict.c - see verdict.h. */
#include "base/verdict.h"

#include <string.h>

static const struct {
	const char *name;
	int finding;
	const char *means;
} verdicts[] = {
#define X(id, word, finding, means) [id] = {word, finding, means},
	VERDICT_MAP(X)
#undef X
};

const char *verdict_name(enum verdict v)
{
	return verdicts[v].name;
}

const char *verdict_means(enum verdict v)
{
	return verdicts[v].means;
}

int verdict_is_finding(enum verdict v)
{
	return verdicts[v].finding;
}

int verdict_is_of_numbers(enum verdict v)
{
	return v == VERDICT_WRONG || v == VERDICT_NAN;
}

int verdict_is_of_process(enum verdict v)
{
	return v == VERDICT_CRASH || v == VERDICT_HANG || v == VERDICT_OOM || v == VERDICT_PROTOCOL;
}

int verdict_is_right(enum verdict v)
{
	return v == VERDICT_AGREE || v == VERDICT_ROUNDING || v == VERDICT_VACUOUS || v == VERDICT_PRECISION;
}

enum verdict verdict_worse(enum verdict a, enum verdict b)
{
	return a > b ? a : b; /* the list is in that order */
}

int verdict_find(const char *word, enum verdict *out)
{
	for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
		if (!strcmp(word, verdicts[i].name)) {
			*out = (enum verdict)i;
			return 1;
		}
	return 0;
}
