/// Status and message of decoder and encoder.
#ifndef FCWEBP_SEAM_H
#define FCWEBP_SEAM_H

#include "CWebPShim.h"

/// Stores `text`, a string with static lifetime, in `*message` and returns the status.
FCWebPStatus fcwebp_refuse(const char **message, FCWebPStatus status, const char *text);

/// Returns whether `count` rows of `rowBytes` each, `stride` apart, fit into `capacity`.
bool fcwebp_rows_fit(size_t rowBytes, size_t stride, size_t capacity, uint32_t count);

#endif
