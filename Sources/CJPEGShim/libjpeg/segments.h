/// Segments of metadata.
#ifndef CJPEGSHIM_SEGMENTS_H
#define CJPEGSHIM_SEGMENTS_H

#include "libjpeg/destination.h"

/// Returns whether the segments fit into a file.
bool fc_can_write_segments(FCJPEGSegments segments);

/// Writes the segments after the file's first bytes.
void fc_write_segments(j_compress_ptr cinfo, FCJPEGSegments segments);

#endif
