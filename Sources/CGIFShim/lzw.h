/// GIF's variant of LZW (GIF89a, appendix F), which compresses a frame's indices.
///
/// Clearing the table takes constant time. giflib clears every entry for each clear code, and a row can have any number
/// of them. Invalid codes are read as giflib 5 reads them, so images stay the same.
#pragma once

#include "CGIFShim.h"

enum { FCLZWCodes = 4096 };

typedef struct {
  const uint8_t *bytes;
  size_t count, position;
  const FCCancellation *cancellation;
  /// The data ended before the last index.
  bool reachedEnd;
  bool isCancelled;
  /// Unread bytes of the block, and unread bits of the bytes already taken.
  uint32_t blockLeft, buffer, filled;
  /// The codes that clear the table and end the data.
  uint32_t clear, end;
  /// The next code plus two, the current code size in bits, and the first code that needs one bit more.
  uint32_t running, bits, largest;
  /// The previous code.
  uint32_t last;
  /// A code is in the table if it has the stamp of the last clear code.
  uint32_t stamp, stamps[FCLZWCodes];
  uint16_t prefixes[FCLZWCodes];
  uint8_t suffixes[FCLZWCodes];
  /// Indices of the last code that were not returned yet, last one first.
  uint8_t stack[FCLZWCodes];
  uint32_t depth;
} FCLZW;

/// Starts at the byte that holds the bits of an index.
FCStatus fclzw_start(FCLZW *codes, const uint8_t *bytes, size_t count, const FCCancellation *cancellation);

/// Reads the next indices. Returns false if there are fewer. Checks for cancellation before each block of 255 bytes.
bool fclzw_read(FCLZW *codes, uint8_t *indices, size_t count);

/// Skips the rest of the data. Returns false if the end is missing.
bool fclzw_finish(FCLZW *codes);
