/// The decoder's state, shared by its files.
#ifndef FCPNG_DECODER_H
#define FCPNG_DECODER_H

#include "seam.h"

typedef enum FCPNGStage {
  FCPNGStageNew,
  FCPNGStageRows,
  /// Decoding cannot go on; what is left of the picture is zero.
  FCPNGStageZeros,
  FCPNGStageFailed,
} FCPNGStage;

/// Where libpng is in the source; see `source.c`.
typedef struct FCPNGReader {
  /// Bytes handed to libpng, and those given back to the system.
  size_t position, released;
  /// The chunk that `position` is in, and the one behind it.
  size_t chunk, nextChunk;
  bool isPixels, reachedEnd;
  uint32_t checksum;
  /// Rows that were complete, in the current pass, before this chunk.
  uint32_t rowsBefore, passBefore;
} FCPNGReader;

struct FCPNGDecoder {
  FCPNGSeam seam;
  FCPNGSource source;
  png_structp png;
  png_infop info;
  FCPNGStage stage;
  FCPNGDamage damage;
  FCPNGReader reader;

  bool hasHeader;
  FCPNGHeader header;
  uint8_t *profile, *xmp;
  /// The first IDAT.
  size_t pixels;

  FCPNGColor color;
  /// Channels of libpng's rows.
  uint32_t channels;
  size_t rowBytes;
  /// One row, or the whole picture of an interlaced file.
  uint8_t *memory;
  /// Rows and passes that libpng has decoded wholly.
  uint32_t rowsDecoded, pass, passes;
  /// Rows that the caller has read or skipped.
  uint32_t rowsGiven;
};

/// A chunk in the source's bytes.
typedef struct FCPNGChunk {
  uint32_t name, length;
  const uint8_t *data;
  /// The data and the checksum are all there.
  bool isComplete;
  /// Where the next one begins; past the source's end behind one that is not complete.
  size_t next;
} FCPNGChunk;

#define FCPNG_NAME(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

uint32_t fcpng_number(const uint8_t *bytes);

/// False when there is no whole chunk header at `position`.
bool fcpng_chunk_at(const FCPNGSource *source, size_t position, FCPNGChunk *chunk);
/// Whether the chunk is complete and its checksum is right.
bool fcpng_chunk_is_whole(const FCPNGChunk *chunk);

/// Gives the pages of a file mapping from `*released` up to `end` back to the system, some at a time.
void fcpng_release_pages(const FCPNGSource *source, size_t *released, size_t end);

/// The inside of `fcpng_decoder_read_header`, in a body.
void fcpng_parse_header(FCPNGDecoder *decoder);

/// Feeds libpng from the source.
void fcpng_source_install(FCPNGDecoder *decoder);
/// Notes damage from the current chunk's beginning on when its checksum, which is still to come, is wrong.
void fcpng_source_check_chunk(FCPNGDecoder *decoder);
/// Whether the file goes on to its end mark from where libpng is.
bool fcpng_source_has_end(const FCPNGDecoder *decoder);

/// Records damage, unless some was recorded before.
void fcpng_note_damage(FCPNGDecoder *decoder, FCPNGDamageKind kind, uint32_t rows, uint32_t pass);

#endif
