#ifndef C_SHIMS_H
#define C_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the processor has instructions for CRC-32C.
bool crc32c_has_instructions(void);

/// The remainder of CRC-32C after further bytes, by the processor's instructions, which must be
/// there.
uint32_t crc32c_advance(uint32_t remainder, const void *bytes, size_t count);

/// Has the processor fetch memory that is used soon, and goes on: what is used at random takes a
/// fraction of the time if it is asked for a while before. Any address may be asked for.
static inline void prefetch(const void *address) { __builtin_prefetch(address); }

/// Has Linux keep up to a MiB in a pipe. Glibc declares the command as it does ``begin_sync``.
/// Elsewhere this does nothing.
void widen_pipe(int file);

/// Has Linux begin to bring a part of a file to the disk, without waiting for it. Glibc declares the
/// call only for C that asks for its extensions. Elsewhere this does nothing.
void begin_sync(int file, int64_t offset, int64_t count);

#ifdef __linux__
/// The arguments that the process was started with, its name first, and how many there are. What
/// Swift itself does to find them reads the process's map: a tenth of a short run.
char *const *process_arguments(int *count);
#endif

#endif
