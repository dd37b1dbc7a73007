/// GIF's variant of LZW (GIF89a, appendix F), by which a frame's indices are compressed.
///
/// The table is cleared in a step, whatever it holds: giflib goes over all of it for each clear code, of which a row can have any number.
/// Codes that are none are read as giflib 5 reads them, so that pictures stay the same.
#ifndef FCGIF_LZW_H
#define FCGIF_LZW_H

#include "CGIFShim.h"

enum { FCLZWCodes = 4096 };

typedef struct {
  const uint8_t *bytes;
  size_t count, position;
  const FCCancellation *cancellation;
  /// Bytes were wanted behind the last one.
  bool reachedEnd;
  bool isCancelled;
  /// Bytes of the block that were not read yet, and bits of the bytes that were.
  uint32_t blockLeft, buffer, filled;
  /// The codes that clear the table and end the data.
  uint32_t clear, end;
  /// The code that comes next, counted from two behind, its bits, and the first code that needs more.
  uint32_t running, bits, largest;
  /// The code before.
  uint32_t last;
  /// Which codes are in the table: those with the stamp of the last clear code.
  uint32_t stamp, stamps[FCLZWCodes];
  uint16_t prefixes[FCLZWCodes];
  uint8_t suffixes[FCLZWCodes];
  /// Indices of the last code that were not given yet, from the last on.
  uint8_t stack[FCLZWCodes];
  uint32_t depth;
} FCLZW;

/// Begins with the byte that says the bits of an index.
FCGIFStatus fclzw_start(FCLZW *codes, const uint8_t *bytes, size_t count, const FCCancellation *cancellation);

/// The next indices; false where there are not as many. Cancellation is looked at before each block of 255 bytes.
bool fclzw_read(FCLZW *codes, uint8_t *indices, size_t count);

/// Passes over what is left; false where its end is missing.
bool fclzw_finish(FCLZW *codes);

#endif
