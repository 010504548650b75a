/* Tries by semihosting to reach files of the host and to run a command, and prints what became of each attempt. */
#include "platform.h"

static unsigned length(const char* text) {
  unsigned count = 0;
  while (text[count]) ++count;
  return count;
}

static void report(const char* what, const char* name, int result) {
  print(what);
  print(" ");
  print(name);
  print(": ");
  print_number(result);
  print("\n");
}

enum { READ = 1, WRITE = 5, APPEND = 9 }; /* fopen's "rb", "wb", "ab" */

static int open_file(const char* name, unsigned mode) {
  const uint32_t block[] = {(uint32_t)name, mode, length(name)};
  return semihosting(SYS_OPEN, block);
}

/* The number of bytes read, -1 if it cannot be opened. */
static void try_to_read(const char* name) {
  static char bytes[16];
  const int file = open_file(name, READ);
  if (file == -1) {
    report("read", name, -1);
    return;
  }
  const uint32_t block[] = {(uint32_t)file, (uint32_t)bytes, sizeof bytes - 1}, only_file[] = {(uint32_t)file};
  const int left = semihosting(SYS_READ, block);
  report("read", name, (int)sizeof bytes - 1 - left);
  report("length", name, semihosting(SYS_FLEN, only_file));
  const uint32_t seek[] = {(uint32_t)file, 2};
  report("seek", name, semihosting(SYS_SEEK, seek));
  semihosting(SYS_CLOSE, only_file);
}

static void try_to_write(const char* name, unsigned mode) {
  const int file = open_file(name, mode);
  int left = -1;
  if (file != -1) {
    const uint32_t block[] = {(uint32_t)file, (uint32_t) "guest", 5}, only_file[] = {(uint32_t)file};
    left = semihosting(SYS_WRITE, block);
    semihosting(SYS_CLOSE, only_file);
  }
  report("write", name, left);
}

static void try_to_remove(const char* name) {
  const uint32_t block[] = {(uint32_t)name, length(name)};
  report("remove", name, semihosting(SYS_REMOVE, block));
}

static void try_to_rename(const char* from, const char* to) {
  const uint32_t block[] = {(uint32_t)from, length(from), (uint32_t)to, length(to)};
  report("rename", to, semihosting(SYS_RENAME, block));
}

static void try_to_run(const char* command) {
  const uint32_t block[] = {(uint32_t)command, length(command)};
  report("run", command, semihosting(SYS_SYSTEM, block));
}

void reset(void) {
  static const char* const outside[] = {"/etc/passwd", "../secret", "sub/../../secret", "link", "sub/linked/secret", "pipe",
                                        "", ".", "/proc/self/mem", "./../secret", "sub//../../secret"};
  for (unsigned i = 0; i < sizeof outside / sizeof *outside; ++i) {
    try_to_read(outside[i]);
    try_to_write(outside[i], WRITE);
    try_to_write(outside[i], APPEND);
    try_to_rename("inside", outside[i]);
  }
  try_to_remove("../secret");
  try_to_remove("sub/linked/secret");
  try_to_remove("sub");
  try_to_run("touch owned");
  try_to_read("inside");
  try_to_read("sub/inside");
  try_to_write("new", WRITE);
  try_to_write("sub/inside", APPEND);
  try_to_rename("inside", "sub/renamed");
  try_to_remove("victim");
  /* Pointers and numbers that are wrong. */
  const uint32_t nowhere[] = {0xf0000000u, READ, 100}, endless[] = {(uint32_t) "x", READ, 0x7fffffff};
  report("open", "nowhere", semihosting(SYS_OPEN, nowhere));
  report("open", "endless", semihosting(SYS_OPEN, endless));
  const uint32_t closed[] = {77, 0x30000000u, 16};
  report("read", "closed", semihosting(SYS_READ, closed));
  report("close", "closed", semihosting(SYS_CLOSE, closed));
  int opened = 0;
  while (opened < 10000 && open_file("many", WRITE) != -1) ++opened;
  report("open", "many", opened < 10000 ? opened : -2);
  report("clock", "", semihosting(SYS_CLOCK, 0) >= 0);
  report("time", "", semihosting(SYS_TIME, 0) > 1000000000);
  const int console = open_file(":tt", WRITE);
  const uint32_t hello[] = {(uint32_t)console, (uint32_t) "hello\n", 6};
  semihosting(SYS_WRITE, hello);
  finish(0);
}

__attribute__((section(".vectors"), used)) const void* const vectors[16] = {(void*)0x30080000, reset};
