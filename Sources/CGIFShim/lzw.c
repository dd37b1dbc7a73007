#include "lzw.h"

/// A value that is no code.
static const uint32_t none = 4098;
static const uint32_t mostBits = 12, last = FCLZWCodes - 1;

static void clear_table(FCLZW *codes) {
  codes->stamp += 1;
  codes->running = codes->end + 1;
  codes->bits = (uint32_t)__builtin_ctz(codes->clear) + 1;
  codes->largest = 1u << codes->bits;
  codes->last = none;
}

FCStatus fclzw_start(FCLZW *codes, const uint8_t *bytes, size_t count, const FCCancellation *cancellation) {
  *codes = (FCLZW){.bytes = bytes, .count = count, .position = 1, .cancellation = cancellation};
  // An index has at most 8 bits. The bits above are dropped, as other readers do.
  if (count == 0 || bytes[0] > mostBits) return FCStatusCorrupt;
  codes->clear = 1u << bytes[0];
  codes->end = codes->clear + 1;
  clear_table(codes);
  return FCStatusOk;
}

static bool next_byte(FCLZW *codes, uint32_t *byte) {
  if (codes->blockLeft == 0) {
    codes->isCancelled = fc_cancellation_is_cancelled(codes->cancellation);
    if (codes->isCancelled) return false;
    if (codes->position < codes->count) {
      codes->blockLeft = codes->bytes[codes->position++];
      // The end code comes before the block that ends the data.
      if (codes->blockLeft == 0) return false;
    }
  }
  codes->reachedEnd = codes->position >= codes->count;
  if (codes->reachedEnd) return false;
  *byte = codes->bytes[codes->position++];
  codes->blockLeft -= 1;
  return true;
}

static bool next_code(FCLZW *codes, uint32_t *code) {
  while (codes->filled < codes->bits) {
    uint32_t byte = 0;
    if (!next_byte(codes, &byte)) return false;
    codes->buffer |= byte << codes->filled;
    codes->filled += 8;
  }
  *code = codes->buffer & ((1u << codes->bits) - 1);
  codes->buffer >>= codes->bits;
  codes->filled -= codes->bits;
  // A full table gets no new codes.
  if (codes->running < last + 2 && ++codes->running > codes->largest && codes->bits < mostBits) {
    codes->largest <<= 1;
    codes->bits += 1;
  }
  return true;
}

static uint32_t prefix(const FCLZW *codes, uint32_t code) {
  return code <= last && codes->stamps[code] == codes->stamp ? codes->prefixes[code] : none;
}

/// Returns the first index of a code.
static uint32_t first_index(const FCLZW *codes, uint32_t code) {
  for (uint32_t i = 0; code > codes->clear && i <= last; i++) {
    if (code > last) return none;
    code = prefix(codes, code);
  }
  return code;
}

/// Pushes the indices of a code onto the stack. Returns false for an invalid code.
static bool push(FCLZW *codes, uint32_t code) {
  const uint32_t next = codes->running - 2;
  uint32_t from = code;
  // With indices of 12 bits the table is full from the beginning.
  if (next > last) return false;
  if (prefix(codes, code) == none) {
    // The next code is the one being defined now. Any other unknown code is read as giflib reads it.
    from = codes->last;
    codes->suffixes[next] = (uint8_t)first_index(codes, code == next ? codes->last : code);
    codes->stack[codes->depth++] = codes->suffixes[next];
  }
  while (codes->depth < last && from > codes->clear && from <= last) {
    codes->stack[codes->depth++] = codes->suffixes[from];
    from = prefix(codes, from);
  }
  if (codes->depth >= last || from > last) return false;
  codes->stack[codes->depth++] = (uint8_t)from;
  return true;
}

bool fclzw_read(FCLZW *codes, uint8_t *indices, size_t count) {
  size_t read = 0;
  while (codes->depth > 0 && read < count) indices[read++] = codes->stack[--codes->depth];
  while (read < count) {
    uint32_t code = 0;
    if (!next_code(codes, &code) || code == codes->end) return false;
    if (code == codes->clear) {
      clear_table(codes);
      continue;
    }
    if (code < codes->clear) {
      indices[read++] = (uint8_t)code;
    } else {
      if (!push(codes, code)) return false;
      while (codes->depth > 0 && read < count) indices[read++] = codes->stack[--codes->depth];
    }
    const uint32_t next = codes->running - 2;
    if (codes->last != none && next <= last && prefix(codes, next) == none) {
      codes->suffixes[next] = (uint8_t)first_index(codes, code == next ? codes->last : code);
      codes->prefixes[next] = (uint16_t)codes->last;
      codes->stamps[next] = codes->stamp;
    }
    codes->last = code;
  }
  return true;
}

bool fclzw_finish(FCLZW *codes) {
  size_t place = codes->position + codes->blockLeft;
  while (place < codes->count && codes->bytes[place] != 0) {
    if (fc_cancellation_is_cancelled(codes->cancellation)) break;
    place += 1 + (size_t)codes->bytes[place];
  }
  return place < codes->count;
}
