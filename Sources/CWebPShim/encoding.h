/// The parts of encoding that images and animations share.
#pragma once

#include "CWebPShim.h"

#include <webp/encode.h>
#include <webp/mux_types.h>

/// Returns whether sides and metadata are valid in WebP.
bool fcwebp_can_encode(const FCWebPEncoding *encoding);

/// Sets libwebp's settings, and the size of a picture without pixels.
FCStatus fcwebp_prepare(
  const FCWebPEncoding *encoding, WebPConfig *config, WebPPicture *picture, FCMessage *message);

/// Copies pixels into a prepared picture. Returns false if memory runs out.
bool fcwebp_import(WebPPicture *picture, FCColor color, const uint8_t *rows, size_t stride);

/// Writes a file again with its metadata, if there are any. Returns false if memory runs out.
bool fcwebp_attach(const FCAttachments *attachments, WebPData *file);
