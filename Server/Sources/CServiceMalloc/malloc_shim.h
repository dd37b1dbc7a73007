// glibc's heap settings, which Swift's module Glibc leaves out.
#include <malloc.h>
