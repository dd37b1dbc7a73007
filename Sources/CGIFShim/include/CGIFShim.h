/// Decodes the rows of one GIF frame, and encodes frames. The caller reads and writes everything around their data.
///
/// Cancellation is checked for each row and each block of 255 bytes.
#pragma once

#include <CBasics.h>

FC_BEGIN

/// The input of a decoder. It borrows the bytes and the flag until it is destroyed.
typedef struct FCGIFSource {
  const uint8_t *bytes;
  size_t count;
  /// The offset of the compressed data, which begin with the bits of an index; then the size in the image descriptor.
  size_t data;
  uint32_t width, height;
  /// The part at the top left that rows are read from, and that an interlaced frame keeps in memory.
  uint32_t keptWidth, keptHeight;
  bool isInterlaced;
  const FCCancellation *cancellation;
} FCGIFSource;

typedef struct FCGIFDecoder FCGIFDecoder;

/// Creates a decoder, or returns NULL if memory runs out.
FCGIFDecoder *_Nullable fcgif_decoder_create(FCGIFSource source);
void fcgif_decoder_destroy(FCGIFDecoder *decoder);
/// Returns the message of the last failed call, valid until the next call.
const char *fcgif_decoder_message(const FCGIFDecoder *decoder);
/// Returns the damage found so far; complete after the last row. Rows are those of the frame. Lost ones have index 0;
/// in an interlaced frame they repeat the row above.
FCDamage fcgif_decoder_damage(const FCGIFDecoder *decoder);

/// Prepares to decode rows. Call it once per decoder.
FCStatus fcgif_decoder_start(FCGIFDecoder *decoder);

/// Decodes up to `rows` rows of an interlaced frame, whose kept part is in memory. Sets `finished` when all rows
/// are decoded, and always for other frames.
FCStatus fcgif_decoder_absorb(FCGIFDecoder *decoder, uint32_t rows, bool *finished);

/// Reads the indices of the next row, one per pixel. Pass NULL to skip the row.
FCStatus fcgif_decoder_read_row(FCGIFDecoder *decoder, uint8_t *_Nullable row);

/// Writes `count` pixels of 1 (luma), 3 or 4 channels. `colors` holds 256 RGBA colors.
void fcgif_expand(const uint8_t *indices, size_t count, const uint8_t *colors, uint32_t channels, uint8_t *pixels);

// MARK: Encoding

/// The pixels of a frame in RGBA, without gaps between rows. Alpha below 128 is transparent.
typedef struct FCGIFPicture {
  const uint8_t *pixels;
  /// The pixels that show before it, of the same size, or NULL. The frame draws only what differs.
  const uint8_t *_Nullable previous;
  uint32_t width, height;
  const FCCancellation *cancellation;
} FCGIFPicture;

/// A rectangle of a picture.
typedef struct FCGIFPart {
  uint32_t x, y, width, height;
} FCGIFPart;

/// The colors of a frame, three bytes each. With transparency, the index `count` is transparent.
typedef struct FCGIFPalette {
  uint8_t colors[768];
  uint32_t count;
  bool hasTransparency;
} FCGIFPalette;

/// Finds the smallest part that contains all drawn pixels; one pixel if none is drawn.
FCStatus fcgif_find_changes(FCGIFPicture picture, FCGIFPart *part);

/// Chooses a part's colors, and writes one index per pixel. Up to 256 colors, or 255 with transparency, stay exact.
FCStatus fcgif_index(FCGIFPicture picture, FCGIFPart part, FCGIFPalette *colors, uint8_t *indices);

/// Compresses `count` indices of `minimumBits`, 2 to 8, to a frame's data. These begin with that number, and end with
/// an empty block. Twice the indices and 64 bytes are always enough.
FCStatus fcgif_compress(const uint8_t *indices, size_t count, uint32_t minimumBits, uint8_t *out, size_t capacity,
                        const FCCancellation *cancellation, size_t *written);

FC_END
