/* vec.h - growing arrays of one type.
 *
 *     VEC(struct node *) nodes = VEC_INIT;
 *     if (vec_push(&nodes, n)) return err_nomem(e, "nodes", 0);
 *     for (size_t i = 0; i < nodes.n; i++) use(nodes.at[i]);
 *     vec_release(&nodes);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>
#include <string.h>

#define VEC(type)               \
	struct {                \
		type *at;       \
		size_t n, size; \
	}

#define VEC_INIT           \
	{                  \
		NULL, 0, 0 \
	}

/* Makes room for one more item of `item` bytes; 0 or ERR_MEMORY. */
int vec_reserve_(void **at, size_t n, size_t *size, size_t item);
void vec_release_(void **at, size_t *n, size_t *size);

#define vec_push(v, x) \
	(vec_reserve_((void **)&(v)->at, (v)->n, &(v)->size, sizeof *(v)->at) ? -1 : ((v)->at[(v)->n++] = (x), 0))

/* Inserts before position i. */
#define vec_insert(v, i, x)                                                                                        \
	(vec_reserve_((void **)&(v)->at, (v)->n, &(v)->size, sizeof *(v)->at)                                      \
		 ? -1                                                                                              \
		 : (memmove((v)->at + (i) + 1, (v)->at + (i), ((v)->n - (i)) * sizeof *(v)->at), (v)->at[i] = (x), \
		    (v)->n++, 0))

#define vec_remove(v, i) (memmove((v)->at + (i), (v)->at + (i) + 1, ((v)->n - (i)-1) * sizeof *(v)->at), (v)->n--)

#define vec_release(v) vec_release_((void **)&(v)->at, &(v)->n, &(v)->size)

#endif
