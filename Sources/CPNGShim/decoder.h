/// The decoder's state, shared by its files.
#pragma once

#include "seam.h"

typedef enum FCPNGStage {
  FCPNGStageNew,
  FCPNGStageRows,
  /// Decoding cannot continue; the remaining rows are zero.
  FCPNGStageZeros,
  FCPNGStageFailed,
} FCPNGStage;

/// The position of libpng in the source; see `source.c`.
typedef struct FCPNGReader {
  /// Bytes handed to libpng, and bytes whose pages were given back to the system.
  size_t position, released;
  /// The chunk that contains `position`, and the next chunk.
  size_t chunk, nextChunk;
  bool isPixels, reachedEnd;
  uint32_t checksum;
  /// Complete rows of the current pass before this chunk.
  uint32_t rowsBefore, passBefore;
} FCPNGReader;

struct FCPNGDecoder {
  FCPNGSeam seam;
  FCPNGSource source;
  png_structp png;
  png_infop info;
  FCPNGStage stage;
  FCDamage damage;
  FCPNGReader reader;

  bool hasHeader;
  FCPNGHeader header;
  uint8_t *profile, *xmp;
  /// The offset of the first IDAT.
  size_t pixels;

  FCColor color;
  /// Channels of libpng's rows.
  uint32_t channels;
  size_t rowBytes;
  /// One row, or the whole image of an interlaced file.
  uint8_t *memory;
  /// Complete rows and passes that libpng decoded.
  uint32_t rowsDecoded, pass, passes;
  /// Rows that the caller has read or skipped.
  uint32_t rowsGiven;
};

/// A chunk in the source's bytes.
typedef struct FCPNGChunk {
  uint32_t name, length;
  const uint8_t *data;
  /// Whether the data and the checksum are all there.
  bool isComplete;
  /// The offset of the next chunk; past the source's end after an incomplete one.
  size_t next;
} FCPNGChunk;

#define FCPNG_NAME(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

uint32_t fcpng_number(const uint8_t *bytes);

/// Reads the chunk header at `position`. Returns false if it is incomplete.
bool fcpng_chunk_at(const FCPNGSource *source, size_t position, FCPNGChunk *chunk);
/// Returns whether the chunk is complete and its checksum is right.
bool fcpng_chunk_is_whole(const FCPNGChunk *chunk);

/// Gives the pages of a file mapping from `*released` up to `end` back to the system, several at a time.
void fcpng_release_pages(const FCPNGSource *source, size_t *released, size_t end);

/// Parses the header. Call it only in a guarded body.
void fcpng_parse_header(FCPNGDecoder *decoder);

/// Feeds libpng from the source.
void fcpng_source_install(FCPNGDecoder *decoder);
/// Records damage from the start of the current chunk if its checksum, which follows the data, is wrong.
void fcpng_source_check_chunk(FCPNGDecoder *decoder);
/// Returns whether the chunks after libpng's position lead to the file's end mark.
bool fcpng_source_has_end(const FCPNGDecoder *decoder);

/// Records damage, unless some was recorded before.
void fcpng_note_damage(FCPNGDecoder *decoder, FCDamageKind kind, uint32_t rows, uint32_t pass);
