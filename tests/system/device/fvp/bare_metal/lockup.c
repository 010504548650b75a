/* A fault without a handler: there is nothing at this address of Corstone SSE-300. */
#include "platform.h"

void reset(void) {
  *word_at(0xf0000000u);
  finish(0);
}

__attribute__((section(".vectors"), used)) const void* const vectors[16] = {(void*)0x30080000, reset};
