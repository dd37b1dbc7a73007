#include "library.hpp"

namespace fcheif {

FC_LIBRARY_LOADER(Library, library, "libaom.so.3", FCHEIF_FUNCTIONS)

}  // namespace fcheif
