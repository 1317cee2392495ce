#define _GNU_SOURCE
#include "CShims.h"

#include <fcntl.h>
#include <unistd.h>

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

int make_pipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC);
#else
  if (pipe(ends) != 0) return -1;
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) | fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
}
