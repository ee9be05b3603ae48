// A library that somebody else has loaded into programs: it says so once in each.
#include <stdio.h>

__attribute__((constructor)) static void on_load(void) { fprintf(stderr, "preloaded\n"); }
