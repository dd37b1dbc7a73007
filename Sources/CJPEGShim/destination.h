/// Memory that libjpeg writes a file into, shared by all that write one.
#ifndef FCJPEG_DESTINATION_H
#define FCJPEG_DESTINATION_H

#include "seam.h"

struct FCJPEGFile {
  uint8_t *bytes;
  size_t count, capacity;
};

/// Not `jpeg_mem_dest`, which loses its buffer when a call fails after the buffer has grown: a `longjmp` leaves the caller
/// with the pointer to the old one.
typedef struct FCDestination {
  /// First, so that `cinfo->dest` is this struct.
  struct jpeg_destination_mgr manager;
  FCSeam *seam;
  struct FCJPEGFile *file;
} FCDestination;

/// Makes `cinfo` write into `file`, which keeps what memory it has. The destination has to live as long as `cinfo`.
void fc_destination_install(FCDestination *destination, j_compress_ptr cinfo, FCSeam *seam, struct FCJPEGFile *file);

#endif
