#include "CShims.h"

#ifdef __linux__
static char *const *arguments;
static int argument_count;

#ifdef __GLIBC__
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  arguments = values;
  argument_count = count;
}
#else
#include <unistd.h>
extern char **environ;

/* Other C libraries pass no arguments to a constructor. Linux puts the number of arguments
   into memory, then the arguments, a null and the environment. */
__attribute__((constructor)) static void find_arguments(void) {
  while ((uintptr_t)environ[-2 - argument_count] != (uintptr_t)argument_count) argument_count++;
  arguments = environ - 1 - argument_count;
}
#endif

char *const *process_arguments(int *count) {
  *count = argument_count;
  return arguments;
}
#endif
