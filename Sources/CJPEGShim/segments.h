/// Segments of metadata.
#ifndef CJPEGSHIM_SEGMENTS_H
#define CJPEGSHIM_SEGMENTS_H

#include "destination.h"

/// Whether they are no larger than a file can hold them.
bool fc_can_write_segments(FCJPEGSegments segments);

/// Writes them behind the file's first bytes.
void fc_write_segments(j_compress_ptr cinfo, FCJPEGSegments segments);

#endif
