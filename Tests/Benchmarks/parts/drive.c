// drive BATCH ACCOUNTS SECONDS PREFIX COMMAND [ARGUMENT...]: feeds charges to a command in batches,
// each once the one before it has been answered, and prints how many were answered a second. It
// takes little of a processor itself, as a batch of one is soon answered.

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static void fail(const char *what) {
  fprintf(stderr, "drive: %s\n", what);
  exit(1);
}

// Starts a command, and returns the ends of the pipes for requests and answers.
static pid_t start(char **command, FILE **requests, FILE **answers) {
  int input[2], output[2];
  if (pipe(input) || pipe(output)) fail("no pipe");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input[0], 0);
  posix_spawn_file_actions_adddup2(&files, output[1], 1);
  for (int end = 0; end < 2; end++) {
    posix_spawn_file_actions_addclose(&files, input[end]);
    posix_spawn_file_actions_addclose(&files, output[end]);
  }
  pid_t process;
  if (posix_spawnp(&process, command[0], &files, NULL, command, environ)) fail(command[0]);
  close(input[0]);
  close(output[1]);
  *requests = fdopen(input[1], "w");
  *answers = fdopen(output[0], "r");
  // A batch is one piece of text, as far as a pipe takes it.
  setvbuf(*requests, NULL, _IOFBF, 1 << 20);
  return process;
}

// Makes the text of a batch, from the next number on.
static void make(FILE *text, int batch, int accounts, const char *prefix) {
  static long number;
  rewind(text);
  for (int end = batch; end > 0; end--)
    fprintf(
        text,
        "{\"account\":\"acc%d\",\"key\":\"%s%ld\",\"model\":\"gpt-4o\","
        "\"usage\":{\"inputTokens\":1200,\"outputTokens\":500}}\n",
        rand() % accounts, prefix, number++);
  if (fflush(text)) fail("no memory");
}

int main(int count, char **arguments) {
  if (count < 6) return 64;
  int batch = atoi(arguments[1]), accounts = atoi(arguments[2]);
  double length = atof(arguments[3]);
  FILE *requests, *answers;
  pid_t process = start(arguments + 5, &requests, &answers);
  srand(getpid());
  signal(SIGPIPE, SIG_IGN);

  char *text = NULL, *answer = NULL;
  size_t textSize = 0, size = 0;
  FILE *next = open_memstream(&text, &textSize);
  if (!next) fail("no memory");
  make(next, batch, accounts, arguments[4]);
  long answered = 0;
  // The first batch connects.
  double begin = 0, now = 0;
  while (!begin || now - begin < length) {
    if (fwrite(text, 1, textSize, requests) < textSize || fflush(requests))
      fail("the command has ended");
    // The next one is made while this one is served.
    make(next, batch, accounts, arguments[4]);
    for (int number = 0; number < batch; number++) {
      if (getline(&answer, &size, answers) < 0) fail("the command has ended");
      if (!strncmp(answer, "{\"error\"", 8)) fail(answer);
    }
    now = seconds();
    if (begin)
      answered += batch;
    else
      begin = now;
  }
  printf("%ld\n", (long)(answered / (now - begin)));
  fclose(requests);
  waitpid(process, NULL, 0);
}
