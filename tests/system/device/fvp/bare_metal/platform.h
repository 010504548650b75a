/* The parts of Corstone SSE-300 that the applications of this folder use: semihosting, system registers, the vector table. */
#pragma once
#include <stdint.h>

enum { SYS_OPEN = 1, SYS_CLOSE, SYS_WRITEC, SYS_WRITE0, SYS_WRITE, SYS_READ, SYS_READC, SYS_ISTTY = 9, SYS_SEEK,
       SYS_FLEN = 12, SYS_REMOVE = 14, SYS_RENAME, SYS_CLOCK, SYS_TIME, SYS_SYSTEM, SYS_GET_CMDLINE = 0x15,
       SYS_EXIT_EXTENDED = 0x20 };

static inline int semihosting(int operation, const void* block) {
  register int r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = block;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static inline void print(const char* text) { semihosting(SYS_WRITE0, text); }

static inline void print_number(int value) {
  char digits[12], *first = digits + sizeof digits - 1;
  unsigned rest = value < 0 ? 0u - (unsigned)value : (unsigned)value;
  *first = 0;
  do *--first = (char)('0' + rest % 10);
  while (rest /= 10);
  if (value < 0) *--first = '-';
  print(first);
}

static inline void finish(int code) {
  const uint32_t block[] = {0x20026, (uint32_t)code};
  semihosting(SYS_EXIT_EXTENDED, block);
  for (;;) {
  }
}

static inline volatile uint32_t* word_at(uint32_t address) { return (volatile uint32_t*)address; }
