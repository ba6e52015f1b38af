/* SHA-1 (FIPS 180-4) of messages that fit one block: all that the tree generator of uts.c needs. */
#ifndef EINKORN_PROGRAMS_SHA1_H
#define EINKORN_PROGRAMS_SHA1_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { kSha1Bytes = 20, kSha1LongestShort = 55 };

static inline uint32_t sha1_rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

/* The compression function, on a block of 16 big-endian words already in host order; `w` is overwritten. */
static inline void sha1_block(uint32_t w[16], uint32_t h[5]) {
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
#define SHA1_ROUND(t, f, k)                                                                                       \
  do {                                                                                                            \
    if ((t) >= 16)                                                                                                \
      w[(t) & 15] = sha1_rotate(w[((t) + 13) & 15] ^ w[((t) + 8) & 15] ^ w[((t) + 2) & 15] ^ w[(t) & 15], 1);     \
    uint32_t next = sha1_rotate(a, 5) + (f) + e + (k) + w[(t) & 15];                                              \
    e = d, d = c, c = sha1_rotate(b, 30), b = a, a = next;                                                        \
  } while (0)
  for (int t = 0; t < 20; t++) SHA1_ROUND(t, (b & c) | (~b & d), 0x5A827999u);
  for (int t = 20; t < 40; t++) SHA1_ROUND(t, b ^ c ^ d, 0x6ED9EBA1u);
  for (int t = 40; t < 60; t++) SHA1_ROUND(t, (b & c) | (b & d) | (c & d), 0x8F1BBCDCu);
  for (int t = 60; t < 80; t++) SHA1_ROUND(t, b ^ c ^ d, 0xCA62C1D6u);
#undef SHA1_ROUND
  h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

/* `length` at most kSha1LongestShort. */
static inline void sha1_short(const unsigned char *message, size_t length, unsigned char digest[kSha1Bytes]) {
  unsigned char block[64] = {0};
  uint32_t w[16], h[5] = {0x67452301u, 0xEFCDAB89u, 0x98BADCFEu, 0x10325476u, 0xC3D2E1F0u};
  memcpy(block, message, length);
  block[length] = 0x80;
  block[62] = (unsigned char)(length * 8 >> 8); /* the length in bits, big-endian: at most 440 */
  block[63] = (unsigned char)(length * 8);
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
           block[4 * i + 3];
  sha1_block(w, h);
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 4; k++) digest[4 * i + k] = (unsigned char)(h[i] >> (24 - 8 * k));
}

#endif
