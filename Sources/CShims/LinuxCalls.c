#define _GNU_SOURCE
#include "CShims.h"

#include <fcntl.h>

void begin_sync(int file, int64_t offset, int64_t count) {
#ifdef __linux__
  sync_file_range(file, offset, count, SYNC_FILE_RANGE_WRITE);
#else
  (void)file, (void)offset, (void)count;
#endif
}

void widen_pipe(int file) {
#ifdef __linux__
  fcntl(file, F_SETPIPE_SZ, 1 << 20);
#else
  (void)file;
#endif
}
