/// Reads the scans of a progressive file (T.81, annex G) into libjpeg's arrays. libjpeg saves its state at every code.
///
/// Only faultless files are read: every scan in order, every coefficient to its last bit, and an end marker. At any
/// fault the reader stops, and libjpeg decodes the file from the beginning.
#include "progressive/progressive.h"

#include "progressive/data.h"

#include <stdlib.h>
#include <string.h>

// MARK: Scans

/// Records the bits that a scan adds. Returns false unless it continues the earlier scans (G.1.1.1).
static bool note(struct FCProgressive *reader, uint32_t high) {
  const FCScan *scan = &reader->scan;
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

/// Begins a scan whose components and coefficients are known.
static bool begin_scan(
  FCJPEGDecoder *decoder, struct FCProgressive *reader, const int *dcNumbers, int acNumber, uint32_t high) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  FCScan *scan = &reader->scan;
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
  fc_progressive_begin_data(reader);
  reader->scansRead += 1;
  return reader->scansRead <= (uint32_t)decoder->source.maximumScans;
}

static bool read_scan_header(FCJPEGDecoder *decoder, struct FCProgressive *reader, const uint8_t *bytes, size_t count) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  FCScan *scan = &reader->scan;
  jpeg_scan_info info;
  if (!fc_read_scan(decoder, bytes, count, &info)) return false;
  scan->count = info.comps_in_scan;
  int dcNumbers[MAX_COMPS_IN_SCAN], acNumber = 0;
  for (int i = 0; i < scan->count; i++) {
    // Components must be in the frame's order, each once (B.2.3).
    if (i > 0 && info.component_index[i] <= info.component_index[i - 1]) return false;
    scan->components[i] = &cinfo->comp_info[info.component_index[i]];
    dcNumbers[i] = bytes[2 + 2 * i] >> 4;
    acNumber = bytes[2 + 2 * i] & 15;
  }
  scan->first = (uint32_t)info.Ss;
  scan->last = (uint32_t)info.Se;
  scan->low = (uint32_t)info.Al;
  return begin_scan(decoder, reader, dcNumbers, acNumber, (uint32_t)info.Ah);
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
    // An invalid table is a fault only if a scan uses it.
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
      // Quantization tables, which libjpeg uses for later scans, and unusual segments after the first scan.
      return SegmentsWrong;
    }
  }
}

/// Returns whether the last bit of each coefficient is known.
static bool is_complete(const FCJPEGDecoder *decoder, const struct FCProgressive *reader) {
  for (int c = 0; c < decoder->cinfo.num_components; c++) {
    for (int k = 0; k < DCTSIZE2; k++) {
      if (reader->known[c][k] != 0) return false;
    }
  }
  return true;
}

// MARK: For libjpeg

/// Hands libjpeg an end marker in place of the first scan's data, so that it treats all scans as read.
static void end_libjpeg(FCJPEGDecoder *decoder) {
  const FCDamage before = decoder->damage;
  static const uint8_t marker[2] = {0xFF, JPEG_EOI};
  decoder->reader.next_input_byte = marker;
  decoder->reader.bytes_in_buffer = sizeof marker;
  int status;
  do {
    fc_check_cancelled(&decoder->seam);
    status = jpeg_consume_input(&decoder->cinfo);
  } while (status != JPEG_REACHED_EOI && status != JPEG_SUSPENDED);
  // libjpeg sets a component's table at its first scan, and it has seen only one scan.
  for (int c = 0; c < decoder->cinfo.num_components; c++) {
    jpeg_component_info *component = &decoder->cinfo.comp_info[c];
    if (component->quant_table == NULL) component->quant_table = decoder->cinfo.quant_tbl_ptrs[component->quant_tbl_no];
  }
  // libjpeg noted missing data, which this reader provides.
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
  memset(reader->known, -1, sizeof reader->known);
  fc_progressive_fill_places(reader);
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
  FCScan *scan = &reader->scan;
  scan->count = cinfo->comps_in_scan;
  for (int i = 0; i < scan->count; i++) {
    scan->components[i] = cinfo->cur_comp_info[i];
    dcNumbers[i] = cinfo->cur_comp_info[i]->dc_tbl_no;
  }
  scan->first = (uint32_t)cinfo->Ss;
  scan->last = (uint32_t)cinfo->Se;
  scan->low = (uint32_t)cinfo->Al;
  if (scan->first != 0 || !begin_scan(decoder, reader, dcNumbers, 0, (uint32_t)cinfo->Ah)) {
    free(reader);
    return;
  }
  decoder->progressive = reader;
  decoder->progressiveBytes = (size_t)(reader->next - decoder->source.bytes);
  end_libjpeg(decoder);
}

void fc_progressive_absorb(FCJPEGDecoder *decoder, uint32_t rows, bool onlyFirstScan) {
  struct FCProgressive *reader = decoder->progressive;
  const char *wrong = "the scans are invalid";
  for (uint32_t i = 0; i < rows && !decoder->absorbedAll && !(onlyFirstScan && decoder->absorbedFirstScan); i++) {
    fc_check_cancelled(&decoder->seam);
    if (!fc_progressive_read_row(decoder, reader)) fc_fail(&decoder->seam, FCStatusUnsupported, wrong);
    if (reader->scan.row < reader->scan.rows) continue;
    if (!fc_progressive_is_at_marker(reader)) fc_fail(&decoder->seam, FCStatusUnsupported, wrong);
    decoder->absorbedFirstScan = true;
    switch (read_segments(decoder, reader)) {
      case SegmentsToScan: break;
      case SegmentsToEnd:
        if (!is_complete(decoder, reader)) fc_fail(&decoder->seam, FCStatusUnsupported, wrong);
        decoder->absorbedAll = true;
        break;
      case SegmentsWrong: fc_fail(&decoder->seam, FCStatusUnsupported, wrong);
    }
  }
  decoder->progressiveBytes = (size_t)(reader->next - decoder->source.bytes);
  fc_release_pages(decoder, decoder->progressiveBytes);
}
