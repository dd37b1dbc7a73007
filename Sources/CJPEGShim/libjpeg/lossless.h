/// Files from coefficients.
#pragma once

#include "libjpeg/decoder.h"
#include "libjpeg/destination.h"

/// A file that is written from a decoder's coefficients.
typedef struct FCCopy {
  FCJPEGDecoder *decoder;
  FCJPEGFile file;
  FCDestination destination;
  struct jpeg_compress_struct cinfo;
  struct jpeg_progress_mgr progress;
  jpeg_scan_info scans[MAX_COMPS_IN_SCAN];
} FCCopy;

/// Runs `body`, which begins with `fc_copy_begin` and writes the file, with a context that begins with `copy`. Returns
/// `FCStatusUnsupported` if libjpeg cannot write the file, since the source was readable. The caller frees `bytes`,
/// which are empty after a failure.
FCStatus fc_copy(FCCopy *copy, void (*body)(void *context), FCBytes *bytes);

/// Sets libjpeg's parameters to those of the source.
void fc_copy_begin(FCCopy *copy);

/// Chooses the scans: interleaved if an MCU has room for the blocks, progressive if the source is.
void fc_copy_choose_scans(FCCopy *copy);

/// Fails if 8-bit JPEG has no codes for a row's coefficients (T.81, tables F.1 and F.2). A file can hold others, which
/// libjpeg's encoders mishandle (libjpeg-turbo issue 543, pull request 628).
void fc_copy_check_codes(FCJPEGDecoder *decoder, const JBLOCK *blocks, size_t count);
