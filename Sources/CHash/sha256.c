#include "CHash.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
static const uint32_t constants[64] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};

static uint32_t rotated(uint32_t value, int bits) { return value >> bits | value << (32 - bits); }

static void blocks_portable(uint32_t *state, const uint8_t *bytes, size_t count) {
  for (; count > 0; count--, bytes += FCHASH_BLOCK) {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++) {
      const uint8_t *b = bytes + 4 * i;
      w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int i = 16; i < 64; i++) {
      const uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[i - 7] +
             (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
      const uint32_t a = s[0], e = s[4];
      const uint32_t first = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                             ((e & s[5]) ^ (~e & s[6])) + constants[i] + w[i];
      const uint32_t second =
          (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      memmove(s + 1, s, 7 * sizeof *s);
      s[4] += first;
      s[0] = first + second;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
  }
}

#if defined(__x86_64__)

/// The instructions keep the state as two vectors, (F, E, B, A) and (H, G, D, C) from the lowest lane on.
__attribute__((target("sha,sse4.1"))) static void blocks_sha(uint32_t *state, const uint8_t *bytes, size_t count) {
  const __m128i bigEndian = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
  const __m128i low = _mm_loadu_si128((const __m128i *)state), high = _mm_loadu_si128((const __m128i *)(state + 4));
  const __m128i lowPairs = _mm_shuffle_epi32(low, 0xB1), highTurned = _mm_shuffle_epi32(high, 0x1B);
  __m128i abef = _mm_alignr_epi8(lowPairs, highTurned, 8), cdgh = _mm_blend_epi16(highTurned, lowPairs, 0xF0);
  for (; count > 0; count--, bytes += FCHASH_BLOCK) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i w[4];
    for (int i = 0; i < 16; i++) {
      __m128i words;
      if (i < 4) {
        words = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), bigEndian);
      } else {
        const __m128i last = w[(i + 3) % 4], before = w[(i + 2) % 4];
        words = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
        words = _mm_sha256msg2_epu32(_mm_add_epi32(words, _mm_alignr_epi8(last, before, 4)), last);
      }
      w[i % 4] = words;
      const __m128i sum = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static int has_sha(void) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1) != 0;
}

#endif

int fchash_blocks(size_t index, uint32_t *state, const uint8_t *bytes, size_t count) {
#if defined(__x86_64__)
  static _Atomic signed char known;
  if (known == 0) known = has_sha() ? 1 : -1;
  if (known > 0 && index-- == 0) {
    blocks_sha(state, bytes, count);
    return 1;
  }
#endif
  if (index > 0) return 0;
  blocks_portable(state, bytes, count);
  return 1;
}

FCHash fchash_start(void) {
  return (FCHash){.state = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB,
                            0x5BE0CD19}};
}

void fchash_add(FCHash *hash, const uint8_t *bytes, size_t count) {
  const size_t filled = hash->length % FCHASH_BLOCK;
  hash->length += count;
  if (filled > 0) {
    const size_t added = count < FCHASH_BLOCK - filled ? count : FCHASH_BLOCK - filled;
    if (added > 0) memcpy(hash->rest + filled, bytes, added);
    if (filled + added < FCHASH_BLOCK) return;
    fchash_blocks(0, hash->state, hash->rest, 1);
    bytes += added;
    count -= added;
  }
  fchash_blocks(0, hash->state, bytes, count / FCHASH_BLOCK);
  if (count % FCHASH_BLOCK > 0) memcpy(hash->rest, bytes + count / FCHASH_BLOCK * FCHASH_BLOCK, count % FCHASH_BLOCK);
}

void fchash_finish(FCHash *hash, uint8_t *digest) {
  const uint64_t bits = hash->length * 8;
  const size_t filled = hash->length % FCHASH_BLOCK;
  uint8_t end[2 * FCHASH_BLOCK] = {0x80};
  const size_t zeros = (filled < 56 ? 56 : 120) - filled;
  for (int i = 0; i < 8; i++) end[zeros + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
  fchash_add(hash, end, zeros + 8);
  for (int i = 0; i < FCHASH_DIGEST; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
