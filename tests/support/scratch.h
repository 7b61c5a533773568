/* scratch.h - a folder of a test program's own: made before its tests, gone behind them (cmocka_run_group_tests()). */
#ifndef TESTS_SUPPORT_SCRATCH_H
#define TESTS_SUPPORT_SCRATCH_H

extern char scratch_folder[];

int scratch_make(void **state);
int scratch_remove(void **state);

#endif
