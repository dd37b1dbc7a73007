#include "progressive/data.h"

#include <string.h>

// MARK: Data

static void refill(struct FCProgressive *reader) {
  const uint64_t position = fc_bits_position(&reader->at);
  const size_t used = (size_t)(position >> 3);
  memmove(reader->window, reader->window + used, reader->count - used);
  reader->count -= used;
  reader->count +=
    fc_unstuff(&reader->next, reader->end, reader->window + reader->count, FC_PROGRESSIVE_WINDOW - reader->count);
  reader->isAtMarker = reader->count < FC_PROGRESSIVE_WINDOW;
  memset(reader->window + reader->count, 0, FC_LARGEST_MCU);
  reader->at = fc_bits_at(reader->window, position & 7);
}

void fc_progressive_begin_data(struct FCProgressive *reader) {
  reader->count = 0;
  reader->at = (FCBits){reader->window, reader->window, 0, 0};
  refill(reader);
}

bool fc_progressive_is_at_marker(struct FCProgressive *reader) {
  const uint64_t position = fc_bits_position(&reader->at);
  if (position > (uint64_t)reader->count * 8) return false;
  if (!reader->isAtMarker) refill(reader);
  return (fc_bits_position(&reader->at) + 7) >> 3 == reader->count;
}

static bool restart(struct FCProgressive *reader) {
  FCScan *scan = &reader->scan;
  if (!fc_progressive_is_at_marker(reader) || !fc_pass_restart(&reader->next, reader->end, scan->restarts)) {
    return false;
  }
  scan->restarts += 1;
  scan->mcusToRestart = reader->interval;
  scan->endOfBand = 0;
  memset(scan->predictors, 0, sizeof scan->predictors);
  fc_progressive_begin_data(reader);
  return true;
}

static inline uint32_t take_bit(FCBits *at) {
  if (at->count == 0) fc_bits_refill(at);
  const uint32_t bit = (uint32_t)(at->bits >> 63);
  fc_bits_take(at, 1);
  return bit;
}

// MARK: Blocks

static bool read_dc(FCBits *at, FCScan *scan, int i, JCOEF *block) {
  if (scan->isRefined) {
    if (take_bit(at)) block[0] = (JCOEF)(block[0] | (1 << scan->low));
    return true;
  }
  int32_t difference;
  if (!fc_read_dc(at, scan->dc[i], &difference)) return false;
  const int32_t dc = scan->predictors[i] + difference;
  // libjpeg decides about values outside the range.
  if (dc < INT16_MIN >> scan->low || dc > INT16_MAX >> scan->low) return false;
  scan->predictors[i] = dc;
  block[0] = (JCOEF)((uint32_t)dc << scan->low);
  return true;
}

/// Reads the number of blocks in an end of band, whose count has `run` more bits (G.1.2.2).
static inline uint32_t read_end_of_band(FCBits *at, uint32_t run) {
  if (run == 0) return 1;
  const uint32_t more = (uint32_t)(at->bits >> (64 - run));
  fc_bits_take(at, run);
  return (1u << run) + more;
}

static bool read_ac(FCBits *bits, FCScan *scan, JCOEF *block) {
  FCBits at = *bits;
  const uint32_t last = scan->last, low = scan->low;
  uint32_t k = scan->first - 1;
  while (k < last) {
    fc_bits_refill(&at);
    uint64_t entry = scan->pack->entries[at.bits >> (64 - FC_PACK_BITS)];
    uint32_t room = (entry >> 8) & 0xFF;
    if (k + room <= last) {
      // The refill has enough bits for all of them.
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

/// Reads one more bit of a coefficient that is not zero.
static inline void refine(FCBits *at, JCOEF *coefficient, int32_t bit) {
  if (!take_bit(at) || (*coefficient & bit) != 0) return;
  *coefficient = (JCOEF)(*coefficient + (*coefficient >= 0 ? bit : -bit));
}

/// Returns a mask of a block's coefficients that are not zero, in zigzag order.
static inline uint64_t nonzero(const struct FCProgressive *reader, const JCOEF *block) {
  uint64_t all = 0;
  for (int v = 0; v < DCTSIZE; v++) all |= reader->places[v][fc_nonzero(block + v * DCTSIZE)];
  return all;
}

/// Refines the AC coefficients of a block (T.81, G.1.2.3).
static bool refine_ac(struct FCProgressive *reader, JCOEF *block) {
  FCScan *scan = &reader->scan;
  FCBits at = reader->at;
  const uint32_t last = scan->last;
  const int32_t bit = 1 << scan->low;
  uint32_t k = scan->first;
  // Coefficients that still need refinement.
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
    // Skips `run` zeros and stops at the next coefficient.
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

/// Refills the window so that it holds a whole MCU. Returns false past the end of the data.
static inline bool has_mcu(struct FCProgressive *reader) {
  const size_t used = (size_t)(reader->at.next - reader->window);
  if (!reader->isAtMarker && used + FC_LARGEST_MCU > reader->count) refill(reader);
  return fc_bits_position(&reader->at) <= (uint64_t)reader->count * 8;
}

bool fc_progressive_read_row(FCJPEGDecoder *decoder, struct FCProgressive *reader) {
  FCScan *scan = &reader->scan;
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

void fc_progressive_fill_places(struct FCProgressive *reader) {
  uint8_t place[DCTSIZE2];
  for (int k = 0; k < DCTSIZE2; k++) place[fc_zigzag[k]] = (uint8_t)k;
  for (int v = 0; v < DCTSIZE; v++) {
    for (uint32_t bits = 1; bits < 1 << DCTSIZE; bits++) {
      const int lowest = __builtin_ctz(bits);
      reader->places[v][bits] = reader->places[v][bits & (bits - 1)] | (uint64_t)1 << place[v * DCTSIZE + lowest];
    }
  }
}
