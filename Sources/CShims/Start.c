/* How a static tool starts, in place of how the C library starts it (`--entry=start_tool`).

   Glibc asks the processor 43 times what it can do, to choose among ways of copying and comparing
   bytes. A guest of another machine waits 4 microseconds for each answer: a quarter of a short run.
   Nothing is asked here, so glibc takes the ways that every processor of 64 bits has.

   The steps are glibc's own, in its order, but for those questions and for GLIBC_TUNABLES. They are
   known for one version alone: any other C library takes its own start, only slower.

   Before that, a tool asks for its file in large pieces (`madvise`, MADV_HUGEPAGE). A file that is
   not in memory is read in pages of 4 KiB, and each call maps those around what it touches: a third
   of a short run. When asked, the system reads pieces of 2 MiB, where the file system can, and maps
   a whole one in one step. It does so only for a piece of which nothing is in memory yet, so this
   step stands beside the header of the file (start.ld). It asks for the two pieces behind that of
   the header, which have what a short run touches. Where a container has less than 7 MB of memory,
   the whole file in such pieces would be read over and over. A refusal does no harm. */
#ifdef STATIC_START
#include <stdlib.h>

#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC__ == 2 && __GLIBC_MINOR__ == 36
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/* Weak, as what is not linked statically has none of them, and starts another way. */
#define INSIDE extern __attribute__((weak, visibility("hidden")))
typedef void initialiser(int, char **, char **);
INSIDE void _dl_aux_init(Elf64_auxv_t *);
INSIDE void __libc_setup_tls(void);
INSIDE void __libc_early_init(_Bool);
INSIDE initialiser __libc_init_first;
INSIDE void __libc_check_standard_fds(void);
INSIDE void *__libc_stack_end, *_dl_random;
INSIDE int __libc_enable_secure;
INSIDE long __x86_shared_non_temporal_threshold, __x86_rep_movsb_stop_threshold;
INSIDE const Elf64_Rela __rela_iplt_start[], __rela_iplt_end[];
INSIDE initialiser *__init_array_start[], *__init_array_end[];
INSIDE const Elf64_Dyn _DYNAMIC[];
extern char **__environ;
extern int main(int, char **, char **);

/* Whether this is the glibc that the steps are of, in a file that nobody moves in memory. */
static _Bool is_known(void) {
  return _dl_aux_init && __libc_setup_tls && __libc_early_init && __libc_init_first &&
         __libc_check_standard_fds && &__libc_stack_end && &_dl_random && &__libc_enable_secure &&
         &__x86_shared_non_temporal_threshold && &__x86_rep_movsb_stop_threshold && !_DYNAMIC;
}

/* Each function that there are several ways for says which of them it is. */
static void choose_functions(void) {
  for (const Elf64_Rela *function = __rela_iplt_start; function < __rela_iplt_end; function++) {
    *(uintptr_t *)function->r_offset = ((uintptr_t(*)(void))function->r_addend)();
  }
}

/* Random words of the system guard the stack, and addresses that are kept. */
static void set_guards(void) {
  const uintptr_t *random = _dl_random;
  __asm__ volatile("mov %0, %%fs:0x28" : : "r"(random[0] & ~(uintptr_t)0xff));
  __asm__ volatile("mov %0, %%fs:0x30" : : "r"(random[1]));
}

/* The stack begins with the number of arguments. They follow, a null, the environment, a null, and
   what the system says of the process. */
__attribute__((used, noreturn, no_stack_protector)) static void begin(char **stack) {
  if (!is_known()) {
    __asm__ volatile("mov %0, %%rsp; xor %%edx, %%edx; jmp _start" : : "r"(stack));
  }
  int count = (int)(intptr_t)*stack;
  char **arguments = stack + 1;
  __environ = arguments + count + 1;
  char **end = __environ;
  while (*end) end++;
  __libc_stack_end = stack;
  _dl_aux_init((Elf64_auxv_t *)(end + 1));
  /* From 3 MiB on a copy does not pass through the caches. */
  __x86_shared_non_temporal_threshold = __x86_rep_movsb_stop_threshold = 3 << 20;
  choose_functions();
  __libc_setup_tls();
  set_guards();
  __libc_early_init(1);
  __libc_init_first(count, arguments, __environ);
  if (__libc_enable_secure) __libc_check_standard_fds();
  for (initialiser **next = __init_array_start; next < __init_array_end; next++) {
    (*next)(count, arguments, __environ);
  }
  exit(main(count, arguments, __environ));
}
#define GO_ON "  xor %ebp, %ebp\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call begin\n"
#else
#define GO_ON "  jmp _start\n"
#endif

#if defined(__x86_64__)
/* At exit the C library's own start would call what rdx has. */
__asm__(".pushsection .start, \"ax\", @progbits\n"
        ".globl start_tool\n"
        "start_tool:\n"
        "  mov $28, %eax\n"
        "  lea __executable_start + 0x200000(%rip), %rdi\n"
        "  mov $0x400000, %esi\n"
        "  mov $14, %edx\n"
        "  syscall\n"
        "  xor %edx, %edx\n" GO_ON
        ".popsection\n");
#else
__asm__(".globl start_tool\nstart_tool:\n  b _start\n");
#endif
#endif
