/* Runs one job of an Ethos-U through its registers: loads a memory image, writes the registers that a script lists,
   waits for the interrupt and saves the memory. A driver does the same, and an emulator needs no other part of the
   interface. */
#include <macaw/device.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_JOB UINT64_C(10000000000) /* cycles */

struct board {
  macaw_device* npu;
  uint64_t base, size; /* of the memory */
  unsigned char* bytes;
  unsigned interrupts;
};

static void* find_memory(void* user, uint64_t address, uint64_t* size) {
  struct board* board = user;
  if (address < board->base || address - board->base >= board->size) return NULL;
  *size = board->size - (address - board->base);
  return board->bytes + (address - board->base);
}

static void interrupted(void* user, int level) {
  struct board* board = user;
  if (level) ++board->interrupts;
}

static void check(macaw_device_status status) {
  if (status == MACAW_DEVICE_OK) return;
  fprintf(stderr, "error %d: %s\n", (int)status, macaw_device_message());
  exit(1);
}

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static uint32_t read_register(struct board* board, const char* name, unsigned word) {
  uint32_t offset = 0, value = 0;
  check(macaw_device_register(board->npu, name, &offset));
  check(macaw_device_read(board->npu, offset + 4 * word, &value));
  return value;
}

static void write_register(struct board* board, const char* name, unsigned word, uint32_t value) {
  uint32_t offset = 0;
  check(macaw_device_register(board->npu, name, &offset));
  check(macaw_device_write(board->npu, offset + 4 * word, value));
}

static void load(struct board* board, const char* file) {
  FILE* in = fopen(file, "rb");
  if (!in || fseek(in, 0, SEEK_END) != 0) fail(file);
  const long size = ftell(in);
  board->bytes = size > 0 ? malloc((size_t)size) : NULL;
  if (!board->bytes || fseek(in, 0, SEEK_SET) != 0) fail(file);
  board->size = (uint64_t)size;
  if (fread(board->bytes, 1, board->size, in) != board->size) fail(file);
  fclose(in);
}

static void save(const struct board* board, const char* file) {
  FILE* out = fopen(file, "wb");
  if (!out || fwrite(board->bytes, 1, board->size, out) != board->size || fclose(out) != 0) fail(file);
}

/* Applies the lines of a script: register name, index of a word in it, value. */
static void write_registers(struct board* board, const char* script) {
  char name[64];
  unsigned word = 0;
  uint32_t value = 0;
  FILE* in = fopen(script, "r");
  if (!in) fail(script);
  while (fscanf(in, "%63s %u %" SCNx32, name, &word, &value) == 3) write_register(board, name, word, value);
  if (!feof(in)) {
    fprintf(stderr, "%s: not lines of REGISTER WORD VALUE\n", script);
    exit(1);
  }
  fclose(in);
}

int main(int argc, char** argv) {
  struct board board;
  memset(&board, 0, sizeof board);
  if (argc != 7) {
    fprintf(stderr, "usage: %s ACCELERATOR SYSTEM MEMORY ADDRESS SCRIPT RESULT\n", argv[0]);
    return 2;
  }
  load(&board, argv[3]);
  board.base = strtoull(argv[4], NULL, 0);

  const macaw_device_host host = {sizeof host, &board, find_memory, interrupted, NULL, NULL};
  check(macaw_device_create(argv[1], argv[2], &host, &board.npu));
  while (read_register(&board, "STATUS", 0) & 8) continue; /* in reset */
  write_registers(&board, argv[5]);
  const uint64_t last = macaw_device_time(board.npu) + LONGEST_JOB;
  while (!macaw_device_interrupt(board.npu) && macaw_device_time(board.npu) < last)
    check(macaw_device_advance(board.npu, last));
  write_register(&board, "PMCNTENCLR", 0, UINT32_MAX);

  printf("STATUS %" PRIu32 "\n", read_register(&board, "STATUS", 0));
  printf("interrupts %u\n", board.interrupts);
  printf("PMCCNTR %" PRIu32 "\n", read_register(&board, "PMCCNTR", 0));
  const unsigned counters = read_register(&board, "PMCR", 0) >> 11 & 31;
  for (unsigned i = 0; i < counters; ++i) printf("PMEVCNTR%u %" PRIu32 "\n", i, read_register(&board, "PMEVCNTR", i));
  if (macaw_device_fault(board.npu)) printf("fault %s\n", macaw_device_fault(board.npu));
  save(&board, argv[6]);
  macaw_device_destroy(board.npu);
  free(board.bytes);
  return 0;
}
