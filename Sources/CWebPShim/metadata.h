/// Adds metadata to an encoded file.
#ifndef FCWEBP_METADATA_H
#define FCWEBP_METADATA_H

#include "seam.h"

#include <webp/mux_types.h>

/// Returns whether the metadata fit into a file, whose lengths have 32 bits.
bool fcwebp_metadata_fit(const FCWebPEncoding *encoding);

bool fcwebp_has_metadata(const FCWebPEncoding *encoding);

/// Writes a file again with its metadata. Returns false if memory runs out.
bool fcwebp_add_metadata(const FCWebPEncoding *encoding, const WebPData *picture, WebPData *file);

#endif
