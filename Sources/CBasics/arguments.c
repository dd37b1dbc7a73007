#include "CBasics.h"

static int count;
static char **arguments;

/// glibc passes the arguments of the process to each constructor.
__attribute__((constructor)) static void keep(int number, char **all) {
  count = number;
  arguments = all;
}

size_t fc_argument_count(void) { return (size_t)count; }

const char *fc_argument(size_t index) { return arguments[index]; }
