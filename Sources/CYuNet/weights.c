/// The weights, as `models/make-yunet-weights` makes them. They are part of the program: no file of theirs can be missing, or be
/// another's.
#include "network.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

_Alignas(64) const unsigned char fc_weights[] = {
#embed "../../models/yunet_n.weights"
};
