#include "library.h"

FC_LIBRARY_LOADER(FCJXLLibrary, fcjxl_library, FCJXL_LIBRARY, FCJXL_FUNCTIONS)
