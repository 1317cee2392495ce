#ifndef C_SHIMS_H
#define C_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the processor has instructions for CRC-32C.
bool crc32c_has_instructions(void);

/// Returns the remainder of CRC-32C after further bytes. Requires the processor's instructions.
uint32_t crc32c_advance(uint32_t remainder, const void *bytes, size_t count);

/// Prefetches memory without waiting: random accesses then take a fraction of the time.
/// Any address is allowed.
static inline void prefetch(const void *address) { __builtin_prefetch(address); }

/// Makes Linux keep up to a MiB in a pipe. Glibc declares the command as it does ``begin_sync``.
/// No effect elsewhere.
void widen_pipe(int file);

/// Makes Linux begin to sync a part of a file, without waiting. Glibc only declares the call for C
/// with its extensions. No effect elsewhere.
void begin_sync(int file, int64_t offset, int64_t count);

/// Makes a pipe, the reader first, that no program inherits. Linux does so in one step, so that none
/// started meanwhile inherits it; glibc declares that like ``begin_sync``.
int make_pipe(int ends[2]);

#ifdef __linux__
/// Returns the process's arguments, its name first, and their number. Swift itself reads the
/// process's map for them, which takes a tenth of a short run.
char *const *process_arguments(int *count);
#endif

#endif
