// CRC-32C by the processor's own instructions: 8 bytes in 3 cycles at most; look-ups in tables
// take over 10. Swift has no name for them.
#include "CShims.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#include <wmmintrin.h>
#define WITH_CRC __attribute__((target("sse4.2,pclmul")))
#define STEP8(remainder, word) (uint32_t) _mm_crc32_u64(remainder, word)
#define STEP1(remainder, byte) _mm_crc32_u8(remainder, byte)

static bool ask(void) {
  unsigned int a, b, c, d;
  // Every processor of 64 bits answers question 1.
  __cpuid(1, a, b, c, d);
  return c & bit_SSE4_2 && c & bit_PCLMUL;
}

#elif defined(__aarch64__) && (defined(__ARM_FEATURE_CRC32) || defined(__linux__))
#include <arm_acle.h>
#if defined(__ARM_FEATURE_CRC32)
#define WITH_CRC
static bool ask(void) { return true; }
#else
#include <sys/auxv.h>
#define WITH_CRC __attribute__((target("crc")))
static bool ask(void) { return getauxval(AT_HWCAP) & (1 << 7); }
#endif
#define STEP8(remainder, word) __crc32cd(remainder, word)
#define STEP1(remainder, byte) __crc32cb(remainder, byte)

#else
#define WITH_CRC
#define STEP8(remainder, word) (remainder)
#define STEP1(remainder, byte) (remainder)
static bool ask(void) { return false; }
#endif

bool crc32c_has_instructions(void) {
  // The query takes longer than many a checksum: 1 for yes, -1 for no.
  static int answer;
  int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
  if (known == 0) {
    known = ask() ? 1 : -1;
    __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
  }
  return known > 0;
}

static inline uint64_t word_at(const unsigned char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, 8);
  return word;
}

#if defined(__x86_64__)
enum { PART = 64, BLOCK = 3 * PART };

// The remainder of a block. A step has its result after 3 cycles, while each cycle could begin one:
// so the three parts of the block go side by side, a line of the journal in half the time.
//
// The remainder of the first two parts is moved over the bytes behind them: multiplied by x to the
// number of their bits, less the 32 that the last step adds and the one that a product of reflected
// numbers has. The factors are x^(16 * PART - 33) and x^(8 * PART - 33) modulo the polynomial.
WITH_CRC static inline uint32_t advance_block(uint32_t remainder, const unsigned char *block) {
  const unsigned char *end = block + PART - 8;
  uint32_t second = 0, third = 0;
  for (; block < end; block += 8) {
    remainder = STEP8(remainder, word_at(block));
    second = STEP8(second, word_at(block + PART));
    third = STEP8(third, word_at(block + 2 * PART));
  }
  remainder = STEP8(remainder, word_at(block));
  second = STEP8(second, word_at(block + PART));
  const __m128i factors = _mm_set_epi64x(0x9e4addf8, 0x0d3b6092);
  __m128i moved = _mm_xor_si128(
      _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)remainder), factors, 0x00),
      _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)second), factors, 0x10));
  return STEP8(third, word_at(block + 2 * PART) ^ (uint64_t)_mm_cvtsi128_si64(moved));
}
#endif

WITH_CRC uint32_t crc32c_advance(uint32_t remainder, const void *bytes, size_t count) {
  const unsigned char *next = bytes;
#if defined(__x86_64__)
  for (; count >= BLOCK; next += BLOCK, count -= BLOCK) remainder = advance_block(remainder, next);
#endif
  for (; count >= 8; next += 8, count -= 8) remainder = STEP8(remainder, word_at(next));
  for (; count > 0; next += 1, count -= 1) remainder = STEP1(remainder, *next);
  return remainder;
}
