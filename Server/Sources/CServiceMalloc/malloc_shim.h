// glibc's heap settings, which Swift's module Glibc omits.
#include <malloc.h>
