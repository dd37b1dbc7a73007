/// The rows of one GIF frame. Where the frame is and what its colors are the caller has read.
///
/// Every call that can fail returns an `FCGIFStatus`; its text is read with `…_message` before the next call on the same
/// object. An object is used by one thread at a time. Cancellation is looked at once every row and every block of
/// 255 bytes.
#ifndef CGIFSHIM_H
#define CGIFSHIM_H

#include <CCancellation.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCGIFStatus {
  FCGIFStatusOk = 0,
  /// Nothing can be decoded.
  FCGIFStatusCorrupt,
  FCGIFStatusOutOfMemory,
  FCGIFStatusCancelled,
  /// The caller asked for something outside the frame or out of order.
  FCGIFStatusMisuse,
} FCGIFStatus;

/// What a decoder reads. The bytes and the flag are borrowed until the decoder is destroyed.
typedef struct FCGIFSource {
  const uint8_t *bytes;
  size_t count;
  /// Where the frame's compressed data begin, with the bits of an index, and what its image descriptor says.
  size_t data;
  uint32_t width, height;
  bool isInterlaced;
  const FCCancellation *cancellation;
} FCGIFSource;

typedef enum __attribute__((enum_extensibility(closed))) FCGIFDamageKind {
  FCGIFDamageKindNone = 0,
  FCGIFDamageKindTruncated,
  FCGIFDamageKindCorrupt,
} FCGIFDamageKind;

/// Damage that decoding went past. Rows that it took away are of index 0; of an interlaced frame, they repeat the one above them.
typedef struct FCGIFDamage {
  FCGIFDamageKind kind;
  /// Rows of the frame that lie wholly above the damage.
  uint32_t intactRows;
  /// The pass of an interlaced frame in which it was found, from 1 to 4. Above 1, earlier ones gave all of it coarsely.
  uint32_t pass;
} FCGIFDamage;

typedef struct FCGIFDecoder FCGIFDecoder;

/// NULL when there is no memory.
FCGIFDecoder *_Nullable fcgif_decoder_create(FCGIFSource source);
void fcgif_decoder_destroy(FCGIFDecoder *decoder);
/// What the last failed call had to say; valid until the next call.
const char *fcgif_decoder_message(const FCGIFDecoder *decoder);
/// Complete only after the last row.
FCGIFDamage fcgif_decoder_damage(const FCGIFDecoder *decoder);

/// Gets ready to give rows. Once per decoder.
FCGIFStatus fcgif_decoder_start(FCGIFDecoder *decoder);

/// Reads up to `rows` rows of an interlaced frame, which is held whole; `finished` when all are in, and always for other frames.
FCGIFStatus fcgif_decoder_absorb(FCGIFDecoder *decoder, uint32_t rows, bool *finished);

/// The next row's indices, of which there are as many as the frame is wide; NULL passes over it.
FCGIFStatus fcgif_decoder_read_row(FCGIFDecoder *decoder, uint8_t *_Nullable row);

/// Writes `count` pixels of 1 (luma), 3 or 4 channels. The colors are RGBA, 256 of them.
void fcgif_expand(const uint8_t *indices, size_t count, const uint8_t *colors, uint32_t channels, uint8_t *pixels);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
