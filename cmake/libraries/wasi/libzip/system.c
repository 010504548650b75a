// The functions of libzip that need more than wasi-libc has.
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

// Used for encryption only, which this build does not have.
bool zip_secure_random(uint8_t* buffer, uint16_t length) { return getentropy(buffer, length) == 0; }
uint32_t zip_random_uint32(void) {
  uint32_t value = 0;
  getentropy(&value, sizeof value);
  return value;
}

// Used to write archives to files; Macaw writes them to memory.
int _zip_mkstempm(char* path, int mode) {
  (void)path, (void)mode;
  errno = ENOTSUP;
  return -1;
}
