/// The weights that the scripts in `models` make. As part of the program, they cannot be missing or outdated.
#include "engine.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

_Alignas(64) const unsigned char fc_yunet_weights[] = {
#embed "../../models/yunet_n.weights"
};

_Alignas(64) const unsigned char fc_mesh_weights[] = {
#embed "../../models/face_mesh.weights"
};

_Alignas(64) const unsigned char fc_segmentation_weights[] = {
#embed "../../models/selfie_segmentation.weights"
};

_Alignas(64) const unsigned char fc_landscape_weights[] = {
#embed "../../models/selfie_segmentation_landscape.weights"
};
