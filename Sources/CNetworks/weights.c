/// The weights, as the scripts in `models` make them. They are part of the program: no file of theirs can be missing, or be another's.
#include "segmentation.h"
#include "yunet.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

_Alignas(64) const unsigned char fc_yunet_weights[] = {
#embed "../../models/yunet_n.weights"
};

_Alignas(64) const unsigned char fc_segmentation_weights[] = {
#embed "../../models/selfie_segmentation.weights"
};
