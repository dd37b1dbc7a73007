/// SHA-256 (FIPS 180-4), with the instructions of x86 where the processor has them.
#pragma once

#include <CBasics.h>

FC_BEGIN

/// The bytes of a digest, and those of a block.
#define FCHASH_DIGEST 32
#define FCHASH_BLOCK 64

/// A hash that is not finished.
typedef struct {
  uint32_t state[8];
  /// The bytes so far.
  uint64_t length;
  /// The beginning of a block: the last `length % FCHASH_BLOCK` bytes.
  uint8_t rest[FCHASH_BLOCK];
} FCHash;

/// Returns the hash of no bytes.
FCHash fchash_start(void);

/// Adds `count` bytes.
void fchash_add(FCHash *hash, const uint8_t *_Nullable bytes, size_t count);

/// Writes the digest. The hash must not be used afterwards.
void fchash_finish(FCHash *hash, uint8_t *digest);

/// Hashes `count` blocks. Only tests ask for other implementations than the fastest.
///
/// - index: 0 for the fastest one of this processor, then the others.
/// - Returns 0 if there are not that many, else 1.
int fchash_blocks(size_t index, uint32_t *state, const uint8_t *bytes, size_t count);

FC_END
