/// libaom's encoder, loaded when the first AVIF file is written, since most processes write none.
#pragma once

#include <CBasics.h>
#include <aom/aom_encoder.h>
#include <aom/aomcx.h>

namespace fcheif {

#define FCHEIF_FUNCTIONS(USE) \
  USE(aom_codec_av1_cx) USE(aom_codec_enc_config_default) USE(aom_codec_enc_init_ver) USE(aom_codec_control) \
  USE(aom_codec_encode) USE(aom_codec_get_cx_data) USE(aom_codec_destroy) USE(aom_img_alloc) USE(aom_img_free)
FC_LIBRARY_TABLE(Library, FCHEIF_FUNCTIONS);

/// Returns the functions of libaom, or null if it cannot be loaded.
const Library *library();

}  // namespace fcheif
