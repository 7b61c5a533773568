/* refs.h - counts of references, to which threads may add and from which they may take at once.
 *
 * What is counted is not written while there are several references.  So two threads may use objects that share a part,
 * such as a result and the input that it is the same as. */
#ifndef BASE_REFS_H
#define BASE_REFS_H

#include <stdatomic.h>

static inline void refs_add(atomic_int *n)
{
	atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

/* 1 when it was the last: what other threads did to the object before they let go of it has then happened. */
static inline int refs_drop(atomic_int *n)
{
	return atomic_fetch_sub_explicit(n, 1, memory_order_acq_rel) == 1;
}

static inline int refs_is_one(const atomic_int *n)
{
	return atomic_load_explicit(n, memory_order_acquire) == 1;
}

#endif
