#include "libjpeg/destination.h"

#include <stdlib.h>

static boolean grow(j_compress_ptr cinfo) {
  FCDestination *destination = (FCDestination *)cinfo->dest;
  FCJPEGFile *file = destination->file;
  fc_check_cancelled(destination->seam);
  // libjpeg calls this when the buffer is full.
  const size_t used = file->capacity, capacity = used * 2 + 65536;
  file->bytes = fc_allocated(destination->seam, realloc(file->bytes, capacity));
  file->capacity = capacity;
  destination->manager.next_output_byte = file->bytes + used;
  destination->manager.free_in_buffer = capacity - used;
  return TRUE;
}

static void init_destination(j_compress_ptr cinfo) {
  FCDestination *destination = (FCDestination *)cinfo->dest;
  destination->file->count = 0;
  destination->manager.next_output_byte = destination->file->bytes;
  destination->manager.free_in_buffer = destination->file->capacity;
  if (destination->file->capacity == 0) grow(cinfo);
}

static void term_destination(j_compress_ptr cinfo) {
  FCDestination *destination = (FCDestination *)cinfo->dest;
  destination->file->count = destination->file->capacity - destination->manager.free_in_buffer;
}

void fc_destination_install(FCDestination *destination, j_compress_ptr cinfo, FCSeam *seam, FCJPEGFile *file) {
  destination->manager = (struct jpeg_destination_mgr){
    .init_destination = init_destination, .empty_output_buffer = grow, .term_destination = term_destination};
  destination->seam = seam;
  destination->file = file;
  cinfo->dest = &destination->manager;
}
