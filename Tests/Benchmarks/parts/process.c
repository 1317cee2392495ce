// process FILE COMMAND [ARGUMENT...]: runs a command, its output to a file, and prints how many
// microseconds it took from its start to its end. A shell would count its own copying of itself.
// The file is opened before: to empty one that has been synced takes longer than many a command.
// Its exit status is the command's.

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  int file = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    perror(arguments[1]);
    return 126;
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, file, 1);
  pid_t process;
  long long start = microseconds();
  int error = posix_spawnp(&process, arguments[2], &files, NULL, arguments + 2, environ);
  if (error) {
    fprintf(stderr, "process: %s: %s\n", arguments[2], strerror(error));
    return 127;
  }
  int status;
  waitpid(process, &status, 0);
  printf("%lld\n", microseconds() - start);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
