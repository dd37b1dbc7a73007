/// The scans of a progressive file (T.81, annex G), read into libjpeg's arrays in its place: it stops at every code to keep its state.
///
/// Only files of which there is nothing to say: every scan in order, every coefficient to its last bit, and an end marker. At anything
/// else the reader stops, and libjpeg, from the beginning, decides what the file is worth.
#include "progressive.h"

#include "index.h"
#include "packed.h"

#include <stdlib.h>
#include <string.h>

/// Bytes of entropy-coded data that are held without stuffing at a time, and what is read ahead of an MCU at most.
#define WINDOW ((size_t)1 << 16)

typedef struct Scan {
  int count;
  const jpeg_component_info *components[MAX_COMPS_IN_SCAN];
  const FCHuffman *dc[MAX_COMPS_IN_SCAN];
  const FCHuffman *ac;
  const FCPackTable *pack;
  uint32_t first, last, low;
  bool isRefined;
  /// In MCUs; those of a single component are blocks.
  uint32_t columns, rows, row;
  uint32_t mcusToRestart, restarts;
  /// Blocks to come that have nothing more in this scan.
  uint32_t endOfBand;
  int32_t predictors[MAX_COMPS_IN_SCAN];
} Scan;

struct FCProgressive {
  uint8_t window[WINDOW + FC_LARGEST_MCU];
  size_t count;
  FCBits at;
  const uint8_t *next, *end;
  bool isAtMarker;
  FCHuffman dcTables[NUM_HUFF_TBLS], acTables[NUM_HUFF_TBLS];
  /// Of the scan under way.
  FCPackTable pack;
  bool hasDC[NUM_HUFF_TBLS], hasAC[NUM_HUFF_TBLS];
  uint32_t interval, scansRead;
  /// For each coefficient the lowest bit that is known of it; -1 for none.
  int8_t known[MAX_COMPONENTS][DCTSIZE2];
  /// For each row of a block, and each choice of its coefficients, their places in the zigzag, a bit for each.
  uint64_t places[DCTSIZE][1 << DCTSIZE];
  Scan scan;
};

// MARK: Data

static void refill(struct FCProgressive *reader) {
  const uint64_t position = fc_bits_position(&reader->at);
  const size_t used = (size_t)(position >> 3);
  memmove(reader->window, reader->window + used, reader->count - used);
  reader->count -= used;
  reader->count += fc_unstuff(&reader->next, reader->end, reader->window + reader->count, WINDOW - reader->count);
  reader->isAtMarker = reader->count < WINDOW;
  memset(reader->window + reader->count, 0, FC_LARGEST_MCU);
  reader->at = fc_bits_at(reader->window, position & 7);
}

static void begin_data(struct FCProgressive *reader) {
  reader->count = 0;
  reader->at = (FCBits){reader->window, reader->window, 0, 0};
  refill(reader);
}

/// Whether all data up to a marker have been read, but for the padding of the last byte.
static bool is_at_marker(struct FCProgressive *reader) {
  const uint64_t position = fc_bits_position(&reader->at);
  if (position > (uint64_t)reader->count * 8) return false;
  if (!reader->isAtMarker) refill(reader);
  return (fc_bits_position(&reader->at) + 7) >> 3 == reader->count;
}

static bool restart(struct FCProgressive *reader) {
  Scan *scan = &reader->scan;
  if (!is_at_marker(reader) || !fc_pass_restart(&reader->next, reader->end, scan->restarts)) return false;
  scan->restarts += 1;
  scan->mcusToRestart = reader->interval;
  scan->endOfBand = 0;
  memset(scan->predictors, 0, sizeof scan->predictors);
  begin_data(reader);
  return true;
}

static inline uint32_t take_bit(FCBits *at) {
  if (at->count == 0) fc_bits_refill(at);
  const uint32_t bit = (uint32_t)(at->bits >> 63);
  fc_bits_take(at, 1);
  return bit;
}

// MARK: Blocks

static bool read_dc(FCBits *at, Scan *scan, int i, JCOEF *block) {
  if (scan->isRefined) {
    if (take_bit(at)) block[0] = (JCOEF)(block[0] | (1 << scan->low));
    return true;
  }
  int32_t difference;
  if (!fc_read_dc(at, scan->dc[i], &difference)) return false;
  const int32_t dc = scan->predictors[i] + difference;
  // What is no coefficient is libjpeg's to judge.
  if (dc < INT16_MIN >> scan->low || dc > INT16_MAX >> scan->low) return false;
  scan->predictors[i] = dc;
  block[0] = (JCOEF)((uint32_t)dc << scan->low);
  return true;
}

/// The blocks to come of a band's end, of which `run` says how many bits count them (G.1.2.2).
static inline uint32_t read_end_of_band(FCBits *at, uint32_t run) {
  if (run == 0) return 1;
  const uint32_t more = (uint32_t)(at->bits >> (64 - run));
  fc_bits_take(at, run);
  return (1u << run) + more;
}

static bool read_ac(FCBits *bits, Scan *scan, JCOEF *block) {
  FCBits at = *bits;
  const uint32_t last = scan->last, low = scan->low;
  uint32_t k = scan->first - 1;
  while (k < last) {
    fc_bits_refill(&at);
    uint64_t entry = scan->pack->entries[at.bits >> (64 - FC_PACK_BITS)];
    uint32_t room = (entry >> 8) & 0xFF;
    if (k + room <= last) {
      // None of them needs more than the refill has given.
      for (int left = 5; left > 0 && k + room <= last; left--) {
        const uint32_t count = (entry >> 48) & 3;
        fc_bits_take(&at, entry & 0xFF);
        if (count > 0) {
          const uint32_t word = (uint32_t)(entry >> 16) + k;
          block[fc_zigzag[word % DCTSIZE2]] = (JCOEF)((uint32_t)((int16_t)word >> 6) << low);
        }
        if (count > 1) {
          const uint32_t word = (uint32_t)(entry >> 32) + k;
          block[fc_zigzag[word % DCTSIZE2]] = (JCOEF)((uint32_t)((int16_t)word >> 6) << low);
        }
        k += room;
        if (entry >> 63) {
          *bits = at;
          return true;
        }
        entry = scan->pack->entries[at.bits >> (64 - FC_PACK_BITS)];
        room = (entry >> 8) & 0xFF;
      }
      continue;
    }
    const uint32_t symbol = fc_symbol(scan->ac, at.bits);
    const uint32_t length = symbol >> 8, run = (symbol >> 4) & 15, size = symbol & 15;
    if (length == 0) return false;
    fc_bits_take(&at, length);
    if (size == 0 && run != 15) {
      scan->endOfBand = read_end_of_band(&at, run) - 1;
      break;
    }
    k += run + 1;
    if (k > last) return false;
    if (size == 0) continue;
    block[fc_zigzag[k]] = (JCOEF)((uint32_t)fc_extended(at.bits, size) << low);
    fc_bits_take(&at, size);
  }
  *bits = at;
  return true;
}

/// One more bit of a coefficient that is not zero.
static inline void refine(FCBits *at, JCOEF *coefficient, int32_t bit) {
  if (!take_bit(at) || (*coefficient & bit) != 0) return;
  *coefficient = (JCOEF)(*coefficient + (*coefficient >= 0 ? bit : -bit));
}

/// The coefficients of a block that are not zero, a bit for each, in the zigzag's order.
static inline uint64_t nonzero(const struct FCProgressive *reader, const JCOEF *block) {
  uint64_t all = 0;
  for (int v = 0; v < DCTSIZE; v++) all |= reader->places[v][fc_nonzero(block + v * DCTSIZE)];
  return all;
}

/// T.81, G.1.2.3.
static bool refine_ac(struct FCProgressive *reader, JCOEF *block) {
  Scan *scan = &reader->scan;
  FCBits at = reader->at;
  const uint32_t last = scan->last;
  const int32_t bit = 1 << scan->low;
  uint32_t k = scan->first;
  // Those that are to be refined.
  uint64_t left = nonzero(reader, block) & (UINT64_MAX << k) & (UINT64_MAX >> (DCTSIZE2 - 1 - last));
  while (scan->endOfBand == 0 && k <= last) {
    fc_bits_refill(&at);
    const uint32_t symbol = fc_symbol(scan->ac, at.bits);
    const uint32_t length = symbol >> 8, size = symbol & 15;
    uint32_t run = (symbol >> 4) & 15;
    if (length == 0 || size > 1) return false;
    fc_bits_take(&at, length);
    if (size == 0 && run != 15) {
      scan->endOfBand = read_end_of_band(&at, run);
      break;
    }
    const int32_t value = size == 0 ? 0 : take_bit(&at) ? bit : -bit;
    // Past as many zeros as the run says, to the next one.
    while (true) {
      const uint32_t next = left != 0 ? (uint32_t)__builtin_ctzll(left) : last + 1;
      if (run < next - k) {
        k += run;
        break;
      }
      run -= next - k;
      k = next;
      if (k > last) break;
      refine(&at, &block[fc_zigzag[k]], bit);
      left &= left - 1;
      k += 1;
    }
    if (k > last) {
      if (value != 0) return false;
      break;
    }
    if (value != 0) block[fc_zigzag[k]] = (JCOEF)value;
    k += 1;
  }
  if (scan->endOfBand > 0) {
    for (; left != 0; left &= left - 1) refine(&at, &block[fc_zigzag[__builtin_ctzll(left)]], bit);
    scan->endOfBand -= 1;
  }
  reader->at = at;
  return true;
}

// MARK: Rows

/// What is read before the window is filled again has to be there.
static inline bool has_mcu(struct FCProgressive *reader) {
  const size_t used = (size_t)(reader->at.next - reader->window);
  if (!reader->isAtMarker && used + FC_LARGEST_MCU > reader->count) refill(reader);
  return fc_bits_position(&reader->at) <= (uint64_t)reader->count * 8;
}

static bool read_row(FCJPEGDecoder *decoder, struct FCProgressive *reader) {
  Scan *scan = &reader->scan;
  j_decompress_ptr cinfo = &decoder->cinfo;
  JBLOCKARRAY rows[MAX_COMPS_IN_SCAN];
  const bool isInterleaved = scan->count > 1;
  for (int i = 0; i < scan->count; i++) {
    const jpeg_component_info *component = scan->components[i];
    const JDIMENSION height = isInterleaved ? (JDIMENSION)component->v_samp_factor : 1;
    rows[i] = cinfo->mem->access_virt_barray((j_common_ptr)cinfo, decoder->coefficients[component->component_index],
                                             scan->row * height, height, TRUE);
  }
  for (uint32_t x = 0; x < scan->columns;) {
    if (reader->interval != 0 && scan->mcusToRestart == 0 && !restart(reader)) return false;
    uint32_t done = 1;
    if (scan->first == 0) {
      for (int i = 0; i < scan->count; i++) {
        const uint32_t width = isInterleaved ? (uint32_t)scan->components[i]->h_samp_factor : 1;
        const uint32_t height = isInterleaved ? (uint32_t)scan->components[i]->v_samp_factor : 1;
        for (uint32_t v = 0; v < height; v++) {
          for (uint32_t h = 0; h < width; h++) {
            if (!read_dc(&reader->at, scan, i, rows[i][v][x * width + h])) return false;
          }
        }
      }
    } else if (scan->isRefined) {
      if (!refine_ac(reader, rows[0][0][x])) return false;
    } else if (scan->endOfBand == 0) {
      if (!read_ac(&reader->at, scan, rows[0][0][x])) return false;
    } else {
      done = scan->columns - x;
      if (done > scan->endOfBand) done = scan->endOfBand;
      if (reader->interval != 0 && done > scan->mcusToRestart) done = scan->mcusToRestart;
      scan->endOfBand -= done;
    }
    x += done;
    if (reader->interval != 0) scan->mcusToRestart -= done;
    if (!has_mcu(reader)) return false;
  }
  scan->row += 1;
  return true;
}

// MARK: Scans

/// Notes what a scan tells of coefficients; false unless it goes on where the ones before it ended (G.1.1.1).
static bool note(struct FCProgressive *reader, uint32_t high) {
  const Scan *scan = &reader->scan;
  const bool isDC = scan->first == 0;
  if (isDC ? scan->last != 0 : scan->last < scan->first || scan->last >= DCTSIZE2 || scan->count != 1) return false;
  if (scan->low > 13 || (high != 0 && high != scan->low + 1)) return false;
  for (int i = 0; i < scan->count; i++) {
    int8_t *known = reader->known[scan->components[i]->component_index];
    if (!isDC && known[0] < 0) return false;
    for (uint32_t k = scan->first; k <= scan->last; k++) {
      if (known[k] != (high == 0 ? -1 : (int8_t)high)) return false;
      known[k] = (int8_t)scan->low;
    }
  }
  return true;
}

/// Begins a scan, of which components and coefficients are known.
static bool begin_scan(FCJPEGDecoder *decoder, struct FCProgressive *reader, const int *dcNumbers, int acNumber, uint32_t high) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  Scan *scan = &reader->scan;
  if (!note(reader, high)) return false;
  scan->isRefined = high != 0;
  if (scan->first > 0) {
    if (acNumber < 0 || acNumber >= NUM_HUFF_TBLS || !reader->hasAC[acNumber]) return false;
    scan->ac = &reader->acTables[acNumber];
    scan->pack = &reader->pack;
    if (!scan->isRefined) fc_pack_build(&reader->pack, scan->ac, true);
  }
  uint32_t blocks = 0;
  for (int i = 0; i < scan->count; i++) {
    if (scan->first == 0 && !scan->isRefined) {
      if (dcNumbers[i] < 0 || dcNumbers[i] >= NUM_HUFF_TBLS || !reader->hasDC[dcNumbers[i]]) return false;
      scan->dc[i] = &reader->dcTables[dcNumbers[i]];
    }
    blocks += (uint32_t)(scan->components[i]->h_samp_factor * scan->components[i]->v_samp_factor);
  }
  if (scan->count == 1) {
    scan->columns = scan->components[0]->width_in_blocks;
    scan->rows = scan->components[0]->height_in_blocks;
  } else {
    if (blocks > FC_BLOCKS_PER_MCU) return false;
    scan->columns = fc_divided(cinfo->image_width, (uint32_t)cinfo->max_h_samp_factor * DCTSIZE);
    scan->rows = cinfo->total_iMCU_rows;
  }
  scan->row = scan->restarts = scan->endOfBand = 0;
  scan->mcusToRestart = reader->interval;
  memset(scan->predictors, 0, sizeof scan->predictors);
  begin_data(reader);
  reader->scansRead += 1;
  return reader->scansRead <= (uint32_t)decoder->source.maximumScans;
}

static bool read_scan_header(FCJPEGDecoder *decoder, struct FCProgressive *reader, const uint8_t *bytes, size_t count) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  Scan *scan = &reader->scan;
  if (count < 1 || bytes[0] < 1 || bytes[0] > MAX_COMPS_IN_SCAN || count != 4 + 2 * (size_t)bytes[0]) return false;
  scan->count = bytes[0];
  int dcNumbers[MAX_COMPS_IN_SCAN], acNumber = 0;
  int before = -1;
  for (int i = 0; i < scan->count; i++) {
    int found = -1;
    for (int c = 0; c < cinfo->num_components; c++) {
      if (cinfo->comp_info[c].component_id == bytes[1 + 2 * i]) found = c;
    }
    // In the frame's order, each once (B.2.3).
    if (found <= before) return false;
    before = found;
    scan->components[i] = &cinfo->comp_info[found];
    dcNumbers[i] = bytes[2 + 2 * i] >> 4;
    acNumber = bytes[2 + 2 * i] & 15;
  }
  const uint8_t *rest = bytes + 1 + 2 * scan->count;
  scan->first = rest[0];
  scan->last = rest[1];
  scan->low = rest[2] & 15;
  return begin_scan(decoder, reader, dcNumbers, acNumber, rest[2] >> 4);
}

static bool read_tables(struct FCProgressive *reader, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    if (count < 17) return false;
    JHUFF_TBL table = {0};
    const uint32_t kind = bytes[0] >> 4, number = bytes[0] & 15;
    size_t symbols = 0;
    for (size_t i = 1; i <= 16; i++) {
      table.bits[i] = bytes[i];
      symbols += bytes[i];
    }
    if (kind > 1 || number >= NUM_HUFF_TBLS || symbols > 256 || symbols > count - 17) return false;
    memcpy(table.huffval, bytes + 17, symbols);
    FCHuffman *huffman = kind == 0 ? &reader->dcTables[number] : &reader->acTables[number];
    // One that is no prefix code may be there for nobody.
    *(kind == 0 ? &reader->hasDC[number] : &reader->hasAC[number]) = fc_huffman_build(huffman, &table, kind == 0);
    bytes += 17 + symbols;
    count -= 17 + symbols;
  }
  return true;
}

typedef enum Segments { SegmentsWrong, SegmentsToScan, SegmentsToEnd } Segments;

/// Reads up to the next scan's data, or to the end marker.
static Segments read_segments(FCJPEGDecoder *decoder, struct FCProgressive *reader) {
  while (true) {
    const uint8_t *at = reader->next;
    if (at == reader->end || *at != 0xFF) return SegmentsWrong;
    while (at < reader->end && *at == 0xFF) at++;
    if (at == reader->end) return SegmentsWrong;
    const int code = *at++;
    if (code == JPEG_EOI) return SegmentsToEnd;
    if (reader->end - at < 2) return SegmentsWrong;
    const size_t length = (size_t)at[0] << 8 | at[1];
    if (length < 2 || length > (size_t)(reader->end - at)) return SegmentsWrong;
    reader->next = at + length;
    fc_check_cancelled(&decoder->seam);
    if (code == 0xDA) {
      return read_scan_header(decoder, reader, at + 2, length - 2) ? SegmentsToScan : SegmentsWrong;
    }
    if (code == 0xC4) {
      if (!read_tables(reader, at + 2, length - 2)) return SegmentsWrong;
    } else if (code == 0xDD) {
      if (length != 4) return SegmentsWrong;
      reader->interval = (uint32_t)at[2] << 8 | at[3];
    } else if (code != JPEG_COM) {
      // Quantization tables, which libjpeg takes for later scans, and all that is unusual behind the first one.
      return SegmentsWrong;
    }
  }
}

/// Whether the last bit of each coefficient is known.
static bool is_complete(const FCJPEGDecoder *decoder, const struct FCProgressive *reader) {
  for (int c = 0; c < decoder->cinfo.num_components; c++) {
    for (int k = 0; k < DCTSIZE2; k++) {
      if (reader->known[c][k] != 0) return false;
    }
  }
  return true;
}

static void fill_places(struct FCProgressive *reader) {
  uint8_t place[DCTSIZE2];
  for (int k = 0; k < DCTSIZE2; k++) place[fc_zigzag[k]] = (uint8_t)k;
  for (int v = 0; v < DCTSIZE; v++) {
    for (uint32_t bits = 1; bits < 1 << DCTSIZE; bits++) {
      const int lowest = __builtin_ctz(bits);
      reader->places[v][bits] = reader->places[v][bits & (bits - 1)] | (uint64_t)1 << place[v * DCTSIZE + lowest];
    }
  }
}

// MARK: For libjpeg

/// Lets libjpeg read an end marker where the first scan's data are: it then takes all scans for read.
static void end_libjpeg(FCJPEGDecoder *decoder) {
  const FCJPEGDamage before = decoder->damage;
  static const uint8_t marker[2] = {0xFF, JPEG_EOI};
  decoder->reader.next_input_byte = marker;
  decoder->reader.bytes_in_buffer = sizeof marker;
  int status;
  do {
    fc_check_cancelled(&decoder->seam);
    status = jpeg_consume_input(&decoder->cinfo);
  } while (status != JPEG_REACHED_EOI && status != JPEG_SUSPENDED);
  // A component has its table from its first scan on, of which libjpeg has seen one.
  for (int c = 0; c < decoder->cinfo.num_components; c++) {
    jpeg_component_info *component = &decoder->cinfo.comp_info[c];
    if (component->quant_table == NULL) component->quant_table = decoder->cinfo.quant_tbl_ptrs[component->quant_tbl_no];
  }
  // What it misses is read here.
  decoder->damage = before;
  decoder->cinfo.do_block_smoothing = FALSE;
}

void fc_progressive_begin(FCJPEGDecoder *decoder) {
  j_decompress_ptr cinfo = &decoder->cinfo;
  if (!cinfo->progressive_mode || cinfo->arith_code) return;
  for (int c = 0; c < cinfo->num_components; c++) {
    const int number = cinfo->comp_info[c].quant_tbl_no;
    if (number < 0 || number >= NUM_QUANT_TBLS || cinfo->quant_tbl_ptrs[number] == NULL) return;
  }
  struct FCProgressive *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return;
  decoder->progressive = reader;
  memset(reader->known, -1, sizeof reader->known);
  fill_places(reader);
  reader->next = decoder->source.bytes + (decoder->handedOut - decoder->reader.bytes_in_buffer);
  reader->end = decoder->source.bytes + decoder->source.count;
  reader->interval = cinfo->restart_interval;
  int dcNumbers[MAX_COMPS_IN_SCAN];
  for (int i = 0; i < NUM_HUFF_TBLS; i++) {
    if (cinfo->dc_huff_tbl_ptrs[i] != NULL) {
      reader->hasDC[i] = fc_huffman_build(&reader->dcTables[i], cinfo->dc_huff_tbl_ptrs[i], true);
    }
    if (cinfo->ac_huff_tbl_ptrs[i] != NULL) {
      reader->hasAC[i] = fc_huffman_build(&reader->acTables[i], cinfo->ac_huff_tbl_ptrs[i], false);
    }
  }
  Scan *scan = &reader->scan;
  scan->count = cinfo->comps_in_scan;
  for (int i = 0; i < scan->count; i++) {
    scan->components[i] = cinfo->cur_comp_info[i];
    dcNumbers[i] = cinfo->cur_comp_info[i]->dc_tbl_no;
  }
  scan->first = (uint32_t)cinfo->Ss;
  scan->last = (uint32_t)cinfo->Se;
  scan->low = (uint32_t)cinfo->Al;
  if (scan->first != 0 || !begin_scan(decoder, reader, dcNumbers, 0, (uint32_t)cinfo->Ah)) {
    fc_progressive_end(decoder);
    return;
  }
  end_libjpeg(decoder);
}

void fc_progressive_end(FCJPEGDecoder *decoder) {
  free(decoder->progressive);
  decoder->progressive = NULL;
}

void fc_progressive_absorb(FCJPEGDecoder *decoder, uint32_t rows, bool onlyFirstScan) {
  struct FCProgressive *reader = decoder->progressive;
  const char *wrong = "the scans are not as they should be";
  for (uint32_t i = 0; i < rows && !decoder->absorbedAll && !(onlyFirstScan && decoder->absorbedFirstScan); i++) {
    fc_check_cancelled(&decoder->seam);
    if (!read_row(decoder, reader)) fc_fail(&decoder->seam, FCJPEGStatusUnsupported, wrong);
    if (reader->scan.row < reader->scan.rows) continue;
    if (!is_at_marker(reader)) fc_fail(&decoder->seam, FCJPEGStatusUnsupported, wrong);
    decoder->absorbedFirstScan = true;
    switch (read_segments(decoder, reader)) {
      case SegmentsToScan: break;
      case SegmentsToEnd:
        if (!is_complete(decoder, reader)) fc_fail(&decoder->seam, FCJPEGStatusUnsupported, wrong);
        decoder->absorbedAll = true;
        break;
      case SegmentsWrong: fc_fail(&decoder->seam, FCJPEGStatusUnsupported, wrong);
    }
  }
  fc_release_pages(decoder, (size_t)(reader->next - decoder->source.bytes));
}

double fc_progressive_fraction(const FCJPEGDecoder *decoder) {
  return (double)(decoder->progressive->next - decoder->source.bytes) / (double)decoder->source.count;
}
