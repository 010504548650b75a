/* Runs a network many times on the NPU while SysTick interrupts, and counts jobs, interrupts and wrong outputs.
 * With 0 hertz, job i comes behind 1000 * i turns of a loop of two instructions.
 * Command line: jobs HERTZ COUNT [unprivileged]. The test places the files at these addresses. */
#include "platform.h"

#define STREAM 0x60100000u
#define STREAM_BYTES 0x600ffffcu
#define WEIGHTS 0x61000000u
#define ARENA 0x62000000u
#define INPUT 0x63000000u
#define GOLDEN 0x64000000u
enum { INPUT_OFFSET = 4096, INPUT_BYTES = 3072, OUTPUT_BYTES = 10, CPU_HERTZ = 32000000 };
enum { STATUS = 0x4, CMD = 0x8, QBASE = 0x10, QSIZE = 0x20, BASEP = 0x80, RUN = 1, CLEAR_INTERRUPT = 2, RUNNING = 1 };

static volatile unsigned ticks, interrupts;
static char line[80];

static volatile uint32_t* npu(uint32_t offset) { return word_at(0x48102000u + offset); }

void on_tick(void) { ++ticks; }

void on_npu(void) {
  *npu(CMD) = CLEAR_INTERRUPT;
  ++interrupts;
}

/* QEMU refuses semihosting to code without privileges. */
void on_svc(void) { __asm__ volatile("msr control, %0\n isb" ::"r"(0)); }

static unsigned number(const char** text) {
  unsigned value = 0;
  while (**text == ' ') ++*text;
  for (; **text >= '0' && **text <= '9'; ++*text) value = 10 * value + (unsigned)(**text - '0');
  return value;
}

static int run_job(void) {
  volatile uint8_t* const arena = (volatile uint8_t*)ARENA;
  const unsigned before = interrupts;
  for (int i = 0; i < OUTPUT_BYTES; ++i) arena[i] = 0;
  for (int i = 0; i < INPUT_BYTES; ++i) arena[INPUT_OFFSET + i] = ((const uint8_t*)INPUT)[i];
  *npu(QBASE) = STREAM;
  *npu(QSIZE) = *word_at(STREAM_BYTES);
  *npu(CMD) = RUN;
  while (interrupts == before) {
  }
  if (interrupts != before + 1 || (*npu(STATUS) & RUNNING)) return 0;
  for (int i = 0; i < OUTPUT_BYTES; ++i)
    if (arena[i] != ((const uint8_t*)GOLDEN)[i]) return 0;
  return 1;
}

void reset(void) {
  const uint32_t block[] = {(uint32_t)line, sizeof line};
  const char* text = line;
  ticks = interrupts = 0;
  semihosting(SYS_GET_CMDLINE, block);
  while (*text && *text != ' ') ++text;
  const unsigned hertz = number(&text), count = number(&text);
  unsigned wrong = 0;
  if (hertz) {
    *word_at(0xe000e014) = CPU_HERTZ / hertz - 1; /* SYST_RVR */
    *word_at(0xe000e018) = 0;
    *word_at(0xe000e010) = 7; /* SYST_CSR: the CPU's clock, interrupt, on */
  }
  *word_at(0xe000e104) = 1u << 24; /* NVIC_ISER: interrupt 56 */
  *npu(BASEP) = WEIGHTS;
  *npu(BASEP + 8) = ARENA;
  if (*text == ' ') __asm__ volatile("msr control, %0\n isb" ::"r"(1));
  for (unsigned i = 0; i < count; ++i) {
    unsigned turns = hertz ? 0 : 1000 * i;
    if (turns) __asm__ volatile("1: subs %0, #1\n bne 1b" : "+l"(turns)::"cc");
    wrong += !run_job();
  }
  __asm__ volatile("svc 0");
  print_number((int)count);
  print(" jobs, ");
  print_number((int)interrupts);
  print(" interrupts, ");
  print_number((int)wrong);
  print(ticks > 0 ? " wrong, with ticks\n" : " wrong, without ticks\n");
  finish(wrong != 0 || interrupts != count);
}

__attribute__((section(".vectors"), used)) const void* const vectors[16 + 57] = {
    (void*)0x30080000, reset, [11] = on_svc, [15] = on_tick, [16 + 56] = on_npu};
