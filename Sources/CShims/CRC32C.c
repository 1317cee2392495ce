// CRC-32C by the processor's own instructions: 8 bytes in 3 cycles, where look-ups in tables take
// over 10. Swift has no name for them; this is all the C that the tools have.
#include "CShims.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#define WITH_CRC __attribute__((target("sse4.2")))
#define STEP8(remainder, word) (uint32_t) _mm_crc32_u64(remainder, word)
#define STEP1(remainder, byte) _mm_crc32_u8(remainder, byte)

bool crc32c_has_instructions(void) {
  unsigned int a, b, c, d;
  // Every processor of 64 bits answers question 1.
  __cpuid(1, a, b, c, d);
  return c & bit_SSE4_2;
}

#elif defined(__aarch64__) && (defined(__ARM_FEATURE_CRC32) || defined(__linux__))
#include <arm_acle.h>
#if defined(__ARM_FEATURE_CRC32)
#define WITH_CRC
bool crc32c_has_instructions(void) { return true; }
#else
#include <sys/auxv.h>
#define WITH_CRC __attribute__((target("crc")))
bool crc32c_has_instructions(void) { return getauxval(AT_HWCAP) & (1 << 7); }
#endif
#define STEP8(remainder, word) __crc32cd(remainder, word)
#define STEP1(remainder, byte) __crc32cb(remainder, byte)

#else
#define WITH_CRC
#define STEP8(remainder, word) (remainder)
#define STEP1(remainder, byte) (remainder)
bool crc32c_has_instructions(void) { return false; }
#endif

WITH_CRC uint32_t crc32c_advance(uint32_t remainder, const void *bytes, size_t count) {
  const unsigned char *next = bytes;
  for (; count >= 8; next += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    remainder = STEP8(remainder, word);
  }
  for (; count > 0; next += 1, count -= 1) remainder = STEP1(remainder, *next);
  return remainder;
}
