#include <stdint.h>

// Swift's library has a name for each character of Unicode, in tables of 550 KB that it keeps in
// every program. The tools print none: the linker takes this function for the library's, and leaves
// the tables out (`--wrap` in Package.swift).
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t, uint8_t *, intptr_t);

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
  (void)scalar, (void)buffer, (void)capacity;
  return 0;
}
