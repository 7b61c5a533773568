/* paint.h - verdicts in colours, for a terminal: findings red, what is explained or not judged yellow, the right ones
 * green. */
#ifndef REPORT_PAINT_H
#define REPORT_PAINT_H

#include "base/verdict.h"

void paint_set(int on); /* off before; of the whole program, as the level of the log is */

#define PAINT_SIZE 96

/* The word of a verdict, with blanks up to `width`, in its colour. */
const char *paint_verdict(enum verdict v, int width, char text[PAINT_SIZE]);

/* What stands before a word that is a verdict (or "red", "fixed", "error", …), and behind it; "" for other words. */
const char *paint_before(const char *word);
const char *paint_after(const char *word);

#endif
