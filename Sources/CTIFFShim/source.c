/// The input of libtiff, and the handlers of its errors.
#include "decoder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/// The most scans of a JPEG strip or tile; progressive files have ten. libtiff decodes all of them uninterruptibly.
static const uint32_t mostScans = 16;

/// Counts the scans in the bytes of a strip or tile. Misses a marker that is split between two reads.
static bool has_allowed_scans(FCTIFFPlane *plane, const uint8_t *bytes, size_t count) {
  const uint8_t *end = bytes + count;
  while (end - bytes >= 2 && (bytes = memchr(bytes, 0xFF, (size_t)(end - bytes - 1))) != NULL) {
    if (bytes[1] == 0xDA) plane->scans += 1;
    bytes += 1;
  }
  return plane->scans <= mostScans;
}

static tmsize_t read_bytes(thandle_t handle, void *into, tmsize_t wanted) {
  FCTIFFPlane *plane = handle;
  const FCTIFFDecoder *decoder = plane->decoder;
  const FCTIFFSource *source = &decoder->source;
  const uint8_t *bytes = source->bytes;
  uint64_t start = 0, end = source->count;
  if (!decoder->isOpen && plane->position < source->headerCount) {
    bytes = source->header;
    end = source->headerCount;
  } else if (!decoder->isOpen && plane->position >= source->directoryOffset) {
    bytes = source->directory;
    start = source->directoryOffset;
    end = start + source->directoryCount;
  }
  if (wanted <= 0 || plane->position >= end) return 0;
  const uint64_t left = end - plane->position;
  const size_t count = (uint64_t)wanted < left ? (size_t)wanted : (size_t)left;
  memcpy(into, bytes + (plane->position - start), count);
  plane->position += count;
  if (decoder->isOpen && decoder->picture.isJPEG && !has_allowed_scans(plane, into, count)) {
    plane->decoder->hasTooManyScans = true;
    return 0;
  }
  return (tmsize_t)count;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t count) {
  (void)handle, (void)from, (void)count;
  return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  FCTIFFPlane *plane = handle;
  if (whence == SEEK_CUR) offset += plane->position;
  if (whence == SEEK_END) offset += plane->decoder->source.directoryOffset + plane->decoder->source.directoryCount;
  plane->position = offset;
  plane->scans = 0;
  return offset;
}

static int close_nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t size(thandle_t handle) {
  const FCTIFFSource *source = &((FCTIFFPlane *)handle)->decoder->source;
  return source->directoryOffset + source->directoryCount;
}

/// Keeps the message of the first fault only.
static int note_error(TIFF *tiff, void *context, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)module;
  FCTIFFDecoder *decoder = context;
  if (!decoder->hasFault) vsnprintf(decoder->message.text, sizeof decoder->message.text, format, arguments);
  decoder->hasFault = true;
  if (errno == ENOMEM) decoder->lacksMemory = true;
  return 1;
}

/// Treats libjpeg's warnings as faults, since they mean damaged data; ignores all others.
static int note_warning(TIFF *tiff, void *context, const char *module, const char *format, va_list arguments) {
  FCTIFFDecoder *decoder = context;
  if (!decoder->isOpen || module == NULL || strcmp(module, "JPEGLib") != 0) return 1;
  return note_error(tiff, decoder, module, format, arguments);
}

TIFF *fctiff_open(FCTIFFPlane *plane) {
  const FCTIFFLibrary *library = plane->decoder->library;
  TIFFOpenOptions *options = library->TIFFOpenOptionsAlloc();
  if (options == NULL) {
    plane->decoder->lacksMemory = true;
    return NULL;
  }
  library->TIFFOpenOptionsSetErrorHandlerExtR(options, note_error, plane->decoder);
  library->TIFFOpenOptionsSetWarningHandlerExtR(options, note_warning, plane->decoder);
  library->TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)plane->decoder->source.maximumAllocation);
  // libtiff has many messages for a lack of memory; the system has one error number.
  errno = 0;
  // "m" turns off memory mapping; "c" keeps libtiff from splitting strips that the caller knows as whole.
  TIFF *tiff = library->TIFFClientOpenExt(
    "", "rmc", plane, read_bytes, write_bytes, seek, close_nothing, size, NULL, NULL, options);
  if (tiff == NULL && errno == ENOMEM) plane->decoder->lacksMemory = true;
  library->TIFFOpenOptionsFree(options);
  return tiff;
}
