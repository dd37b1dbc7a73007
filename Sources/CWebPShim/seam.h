/// Status and message, of decoder and encoder.
#ifndef FCWEBP_SEAM_H
#define FCWEBP_SEAM_H

#include "CWebPShim.h"

/// The status, with its text noted in `*message`, a string of static life.
FCWebPStatus fcwebp_refuse(const char **message, FCWebPStatus status, const char *text);

/// Whether `count` rows of `rowBytes` each, `stride` apart, fit into `capacity`.
bool fcwebp_rows_fit(size_t rowBytes, size_t stride, size_t capacity, uint32_t count);

#endif
