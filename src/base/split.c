/* split.c - see split.h. */
#include "base/split.h"

#include <ctype.h>
#include <stdio.h>

int split_parse(const char *text, struct split *out, struct err *e)
{
	long long at, of;
	int used = 0;

	if (!isdigit((unsigned char)*text) || sscanf(text, "%7lld/%7lld%n", &at, &of, &used) != 2 || text[used])
		return err_set(e, ERR_USAGE, "'%s' is not K/N, such as 1/4", text);
	if (of < 1 || of > SPLIT_MOST || at < 1 || at > of)
		return err_set(e, ERR_USAGE, "'%s': K goes from 1 to N, and N to %d", text, SPLIT_MOST);
	*out = (struct split){at - 1, of};
	return 0;
}
