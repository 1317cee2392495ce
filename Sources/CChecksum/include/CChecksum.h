#ifndef C_CHECKSUM_H
#define C_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the processor has instructions for CRC-32C.
bool crc32c_has_instructions(void);

/// The remainder of CRC-32C after further bytes, by the processor's instructions, which must be
/// there.
uint32_t crc32c_advance(uint32_t remainder, const void *bytes, size_t count);

#endif
