/// The walk over the entropy-coded data of a file of one scan: it decodes DC coefficients and skips AC coefficients.
///
/// Android's region decoder kept an index of Huffman positions too (external/jpeg, `jpeg_build_huffman_index`). Fast
/// inflate decoders use tables of several symbols. At any fault the walk stops, and libjpeg decodes the file.
#include "index/index.h"

#include <stdlib.h>
#include <string.h>

// MARK: Bytes without stuffing

size_t fc_unstuff(const uint8_t **from, const uint8_t *end, uint8_t *to, size_t capacity) {
  const uint8_t *in = *from;
  size_t written = 0;
  while (written < capacity && in < end) {
    const size_t left = (size_t)(end - in) < capacity - written ? (size_t)(end - in) : capacity - written;
    const uint8_t *mark = memchr(in, 0xFF, left);
    const size_t plain = mark == NULL ? left : (size_t)(mark - in);
    memcpy(to + written, in, plain);
    written += plain;
    in += plain;
    if (mark == NULL) continue;
    // In data, 0xFF is followed by a zero, perhaps after fill bytes; anything else is a marker.
    const uint8_t *next = mark + 1;
    while (next < end && *next == 0xFF) next++;
    if (next == end || *next != 0) break;
    to[written++] = 0xFF;
    in = next + 1;
  }
  *from = in;
  return written;
}

bool fc_pass_restart(const uint8_t **at, const uint8_t *end, uint32_t n) {
  const uint8_t *next = *at;
  if (next == end || *next != 0xFF) return false;
  while (next < end && *next == 0xFF) next++;
  if (next == end || *next != JPEG_RST0 + n % 8) return false;
  *at = next + 1;
  return true;
}

// MARK: The scan's state

/// Bytes of entropy-coded data held without stuffing. Zeros follow them, into which a damaged MCU may run.
#define WINDOW ((size_t)1 << 16)
/// Bytes of data between two positions in the window that have a known file position.
#define PLACES_APART ((size_t)1 << 10)

/// A position in the file, and the number of bytes without stuffing before it.
typedef struct Place {
  const uint8_t *at;
  uint64_t bytes;
} Place;

struct FCIndexScan {
  uint8_t window[WINDOW + FC_LARGEST_MCU];
  /// Bytes of data in the window.
  size_t count;
  /// The next bit, counted from the window's first.
  uint64_t position;
  /// The position in the file where the data after the window continue.
  const uint8_t *next;
  const uint8_t *end;
  /// Whether a marker, or the end of the file, follows the window.
  bool isAtMarker;
  /// Bytes without stuffing in earlier windows.
  uint64_t passed;
  /// The last position that was looked up, and the window's known positions, with the next one at `nextPlace`.
  Place place;
  Place places[WINDOW / PLACES_APART + 1];
  uint32_t placeCount, nextPlace;
  uint32_t mcusToRestart, restarts;
  int32_t predictors[MAX_COMPS_IN_SCAN];
};

static void refill(struct FCIndexScan *scan) {
  const size_t used = (size_t)(scan->position >> 3);
  memmove(scan->window, scan->window + used, scan->count - used);
  scan->count -= used;
  scan->passed += used;
  scan->position &= 7;
  scan->placeCount = scan->nextPlace = 0;
  size_t wanted, written;
  do {
    scan->places[scan->placeCount++] = (Place){scan->next, scan->passed + scan->count};
    wanted = WINDOW - scan->count < PLACES_APART ? WINDOW - scan->count : PLACES_APART;
    written = fc_unstuff(&scan->next, scan->end, scan->window + scan->count, wanted);
    scan->count += written;
  } while (written == PLACES_APART);
  scan->isAtMarker = scan->count < WINDOW;
  memset(scan->window + scan->count, 0, FC_LARGEST_MCU);
}

/// Returns the byte of the file that holds the next bit.
static const uint8_t *file_position(struct FCIndexScan *scan) {
  const uint64_t target = scan->passed + (scan->position >> 3);
  while (scan->nextPlace < scan->placeCount && scan->places[scan->nextPlace].bytes <= target) {
    scan->place = scan->places[scan->nextPlace++];
  }
  Place place = scan->place;
  while (place.bytes < target) {
    const uint64_t wanted = target - place.bytes;
    const size_t left = (size_t)(scan->end - place.at);
    const size_t reach = wanted < left ? (size_t)wanted : left;
    const uint8_t *mark = memchr(place.at, 0xFF, reach);
    if (mark == NULL) {
      if (reach == 0) break;
      place.at += reach;
      place.bytes += reach;
      continue;
    }
    place.bytes += (uint64_t)(mark - place.at);
    while (mark < scan->end && *mark == 0xFF) mark++;
    // 0xFF is followed by the zero of a data byte, or by a restart marker, which counts nothing.
    if (mark < scan->end && *mark == 0) place.bytes += 1;
    place.at = mark < scan->end ? mark + 1 : mark;
  }
  scan->place = place;
  return place.at;
}

/// Skips a restart marker: the rest of the last byte is padding, and the data continue after the marker.
static bool restart(FCJPEGIndex *index) {
  struct FCIndexScan *scan = index->scan;
  scan->position = (scan->position + 7) & ~(uint64_t)7;
  if (scan->position >> 3 == scan->count) refill(scan);
  if (scan->position >> 3 != scan->count || !fc_pass_restart(&scan->next, scan->end, scan->restarts)) return false;
  scan->restarts += 1;
  scan->mcusToRestart = index->decoder->cinfo.restart_interval;
  memset(scan->predictors, 0, sizeof scan->predictors);
  refill(scan);
  return true;
}

void fc_walk_begin(FCJPEGIndex *index) {
  FCJPEGDecoder *decoder = index->decoder;
  struct FCIndexScan *scan = index->scan = fc_allocated(&decoder->seam, malloc(sizeof *index->scan));
  *scan = (struct FCIndexScan){.count = 0};
  // The header ends at the position of libjpeg's reader.
  scan->next = decoder->source.bytes + (decoder->handedOut - decoder->reader.bytes_in_buffer);
  scan->end = decoder->source.bytes + decoder->source.count;
  scan->place = (Place){scan->next, 0};
  scan->mcusToRestart = decoder->cinfo.restart_interval;
  refill(scan);
}

// MARK: The walk

/// The state of one block of the MCU, from MCU to MCU along a row.
typedef struct Lane {
  const FCHuffman *dcTable, *acTable;
  const FCSkipTable *skip;
  int32_t *predictor;
  /// The output of the block's DC coefficient, and the distance to the next MCU's.
  int16_t *dc;
  uint32_t step;
  /// The output of its low-frequency coefficients.
  int16_t *low;
  // Only set if all coefficients are kept.
  const FCPackTable *pack;
  const FCBasisImages *basis;
  /// The block's pixels of the overview, and the distances to the next MCU's pixels and to the next row.
  uint8_t *pixels;
  uint32_t pixelStep;
  size_t stride;
} Lane;

static void lay_lanes(FCJPEGIndex *index, uint32_t row, Lane *lanes) {
  for (uint32_t i = 0; i < index->blockCount; i++) {
    const FCIndexBlock block = index->blocks[i];
    const FCIndexComponent *component = &index->components[block.component];
    const size_t stride = (size_t)index->columns * component->width;
    const size_t first = ((size_t)row * component->height + block.y) * stride + block.x;
    int16_t *low = component->low == NULL ? NULL : component->low + first * FC_LOW_COEFFICIENTS;
    lanes[i] = (Lane){component->dcTable, component->acTable, component->skip,
                      &index->scan->predictors[block.component], component->dc + first, component->width, low,
                      component->pack, component->basis, NULL, component->width * index->scale, stride * index->scale};
    if (component->pixels == NULL) continue;
    const size_t line = ((size_t)row * component->height + block.y) * index->scale;
    lanes[i].pixels = component->pixels + line * lanes[i].stride + block.x * index->scale;
  }
}

static inline bool read_dc(FCBits *at, const Lane *lane) {
  int32_t difference;
  if (!fc_read_dc(at, lane->dcTable, &difference)) return false;
  const int32_t dc = *lane->predictor + difference;
  if (dc < INT16_MIN || dc > INT16_MAX) return false;
  *lane->predictor = dc;
  *lane->dc = (int16_t)dc;
  return true;
}

/// Walks over one MCU: its blocks in the scan's order (T.81, A.2.3).
__attribute__((always_inline)) static inline bool scan_mcu(struct FCIndexScan *scan, Lane *lane, const Lane *end,
                                                           bool keepsLow) {
  FCBits at = fc_bits_at(scan->window, scan->position);
  for (; lane < end; lane++) {
    if (!read_dc(&at, lane)) return false;
    lane->dc += lane->step;
    if (keepsLow) {
      if (!fc_read_low_ac(&at, lane->acTable, lane->skip, lane->low)) return false;
      lane->low += (size_t)lane->step * FC_LOW_COEFFICIENTS;
    } else if (!fc_skip_ac(&at, lane->acTable, lane->skip, 1)) {
      return false;
    }
  }
  scan->position = fc_bits_position(&at);
  return scan->position <= (uint64_t)scan->count * 8;
}

/// Walks over one MCU, keeps all coefficients, and draws its part of the overview.
__attribute__((always_inline)) static inline bool pack_mcu(
  FCJPEGIndex *index, Lane *lane, const Lane *end, bool draws) {
  struct FCIndexScan *scan = index->scan;
  FCBits at = fc_bits_at(scan->window, scan->position);
  fc_reserve_words(index);
  uint16_t *next = index->words + index->wordCount;
  for (; lane < end; lane++) {
    if (!read_dc(&at, lane)) return false;
    const int16_t dc = *lane->dc;
    *next++ = (uint16_t)dc;
    lane->dc += lane->step;
    if (!draws) {
      if (!fc_pack_ac(&at, lane->acTable, lane->pack, &next, NULL, NULL)) return false;
      continue;
    }
    FCBlockSums block = fc_block_sums(lane->basis, dc);
    if (!fc_pack_ac(&at, lane->acTable, lane->pack, &next, lane->basis, &block)) return false;
    fc_draw_block(&block, (int)index->scale, lane->pixels, lane->stride);
    lane->pixels += lane->pixelStep;
  }
  index->wordCount = (size_t)(next - index->words);
  scan->position = fc_bits_position(&at);
  return scan->position <= (uint64_t)scan->count * 8;
}

/// Returns whether the data end after the last MCU, with the end marker or at least with the file. Left-over bytes mean
/// that earlier ones were misread, although every code was valid.
static bool ends_well(FCJPEGIndex *index) {
  struct FCIndexScan *scan = index->scan;
  scan->position = (scan->position + 7) & ~(uint64_t)7;
  if (!scan->isAtMarker) refill(scan);
  if (scan->position >> 3 != scan->count) return false;
  const uint8_t *next = scan->next;
  while (next < scan->end && *next == 0xFF) next++;
  index->lacksEndMarker = next == scan->end;
  return index->lacksEndMarker || (next > scan->next && *next == JPEG_EOI);
}

typedef struct {
  FCJPEGIndex *index;
  uint32_t rows;
} ScanRequest;

static void scan_rows(void *context) {
  const ScanRequest *request = context;
  FCJPEGIndex *index = request->index;
  struct FCIndexScan *scan = index->scan;
  const uint32_t interval = index->decoder->cinfo.restart_interval;
  for (uint32_t i = 0; i < request->rows && index->rowsScanned < index->rows; i++) {
    fc_check_cancelled(&index->decoder->seam);
    FCIndexRow *row = &index->rowStarts[index->rowsScanned];
    uint32_t *starts = index->mcuStarts + (size_t)index->rowsScanned * index->columns;
    Lane lanes[FC_BLOCKS_PER_MCU];
    lay_lanes(index, index->rowsScanned, lanes);
    bool isWhole = true;
    uint64_t rowBits = 0;  // the row's first byte, in bits of data without stuffing
    for (uint32_t column = 0; column < index->columns && isWhole; column++) {
      if (interval != 0) {
        if (scan->mcusToRestart == 0) isWhole = restart(index);
        scan->mcusToRestart -= 1;
      }
      if (!scan->isAtMarker && scan->count - (scan->position >> 3) < FC_LARGEST_MCU) refill(scan);
      if (column == 0) {
        row->offset = (size_t)(file_position(scan) - index->decoder->source.bytes);
        rowBits = scan->passed * 8 + (scan->position & ~(uint64_t)7);
      }
      starts[column] = (uint32_t)(scan->passed * 8 + scan->position - rowBits);
      const Lane *end = lanes + index->blockCount;
      if (!isWhole) break;
      if (index->keepsCoefficients) {
        index->mcuWords[(size_t)index->rowsScanned * index->columns + column] = (uint32_t)index->wordCount;
        const bool draws = index->components[0].pixels != NULL;
        isWhole = draws ? pack_mcu(index, lanes, end, true) : pack_mcu(index, lanes, end, false);
      } else {
        isWhole = index->scale == 1 ? scan_mcu(scan, lanes, end, false) : scan_mcu(scan, lanes, end, true);
      }
    }
    if (!isWhole) fc_fail(&index->decoder->seam, FCStatusCorrupt, "the entropy-coded data are invalid");
    const uint64_t endPosition = scan->position;
    const uint64_t endPassed = scan->passed;
    if (index->rowsScanned + 1 == index->rows && !ends_well(index)) {
      fc_fail(&index->decoder->seam, FCStatusCorrupt, "the entropy-coded data continue after the image");
    }
    row->endBit = (uint32_t)(endPassed * 8 + endPosition - rowBits);
    index->rowsScanned += 1;
  }
  // The position of the next row is searched after that of the last one.
  fc_release_pages(index->decoder, (size_t)(scan->place.at - index->decoder->source.bytes));
}

FCStatus fcjpeg_index_scan(FCJPEGIndex *index, uint32_t rows) {
  if (index->decoder->stage != FCStageIndex) return FCStatusMisuse;
  ScanRequest request = {index, rows};
  const FCStatus status = fc_guard(&index->decoder->seam, scan_rows, &request);
  if (status != FCStatusOk) index->decoder->stage = FCStageFailed;
  return status;
}
