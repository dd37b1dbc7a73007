/// The memory that libjpeg writes a file into.
#pragma once

#include "libjpeg/seam.h"

typedef struct FCJPEGFile {
  uint8_t *bytes;
  size_t count, capacity;
} FCJPEGFile;

/// A replacement for `jpeg_mem_dest`, which loses its buffer if a call fails after the buffer has grown. After a
/// `longjmp`, the caller still has the old pointer.
typedef struct FCDestination {
  /// First, so that `cinfo->dest` is this struct.
  struct jpeg_destination_mgr manager;
  FCSeam *seam;
  FCJPEGFile *file;
} FCDestination;

/// Makes `cinfo` write into `file`, which keeps its memory. The destination must outlive `cinfo`.
void fc_destination_install(FCDestination *destination, j_compress_ptr cinfo, FCSeam *seam, FCJPEGFile *file);
