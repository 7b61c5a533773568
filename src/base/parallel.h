/* parallel.h - loops that several threads share.
 *
 * A loop is cut into pieces at places that depend on the loop alone, and each piece is done by one thread from its
 * first item to its last.  A piece writes nothing that another one reads or writes; then the same bits come out for any
 * number of threads, one among them.
 *
 * The threads belong to the process that asked for them and wait between loops.  One loop at a time has them: a second
 * one, of another thread or inside of a piece, is done by its caller alone, and so are all loops in a child after
 * fork(), until it asks for threads itself. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

#define PARALLEL_STEPS 65536 /* of a piece: some 30 microseconds, where waking a thread takes about 5 */

/* Steps of a piece.  Tests set others, so that what is small has pieces, too: the same bits must come out. */
double parallel_steps(void);
void parallel_set_steps(double steps);

/* Items [first, end). */
typedef void parallel_fn(void *arg, size_t first, size_t end);

/* Items 0 … n - 1, each of which takes about `cost` steps (an addition of two numbers in memory is one).  Pieces are as
 * long as is worth waking a thread for; a loop that is no longer than one is just called. */
void parallel_for(size_t n, double cost, parallel_fn *fn, void *arg);

/* The same in pieces of `piece` items; the last one may be shorter. */
void parallel_pieces(size_t n, size_t piece, parallel_fn *fn, void *arg);

/* How many threads loops have from now on, the caller counted; 1 at first, 0: as many as there are processors that the
 * process may use, by its affinity and its container's quota.  Ends those that wait, and waits for a loop that is being
 * done.  They are started with the first loop that needs them; where that fails there are fewer. */
void parallel_set_threads(size_t n);
size_t parallel_threads(void);

/* For programs: what an option says, or, below 0, the variable ASSAY_THREADS; 0 when neither does. */
size_t parallel_wanted(int64_t option);

#define PARALLEL_MOST ((size_t)256) /* threads */

#endif
