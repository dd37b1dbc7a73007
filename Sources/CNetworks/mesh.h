/// The layers and outputs of MediaPipe's face mesh.
#pragma once

#include "engine.h"

/// Bytes of `face_mesh.weights`.
#define FC_MESH_WEIGHTS 1225220
extern const unsigned char fc_mesh_weights[FC_MESH_WEIGHTS];

struct FCMesh {
  FCNetwork *network;
};
