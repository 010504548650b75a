// Runs kernels of CMSIS-NN on shapes of networks and prints what each of them took: one line "class elements macs ticks",
// where ticks are those of SysTick under QEMU with -icount; the first line is a loop of a known number of instructions.
#include <stdint.h>

#include "arm_nnfunctions.h"

void *memset(void *, int, size_t);
static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010;
enum { kData = 260000, kScratch = 60000, kChannels = 1024, kLoop = 100000 };
static int8_t input[kData], weights[kData], output[kData];
static int8_t scratch[kScratch] __attribute__((aligned(16)));
static int32_t bias[kChannels], multipliers[kChannels], shifts[kChannels], sums[kChannels];
static uint32_t begun;

static void semihosting(int operation, const void *argument) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void print_number(uint32_t value, char end) {
  char text[12];
  int at = sizeof text;
  text[--at] = 0;
  text[--at] = end;
  do text[--at] = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  semihosting(4, text + at);
}

static void start(void) {
  systick[1] = 0xFFFFFF;
  systick[2] = 0;
  systick[0] = 5;
  __asm__ volatile("" ::: "memory");
  begun = systick[2];
}

static void stop(const char *class, uint32_t elements, uint32_t macs) {
  __asm__ volatile("" ::: "memory");
  const uint32_t ticks = (begun - systick[2]) & 0xFFFFFF;
  semihosting(4, class);
  semihosting(4, " ");
  print_number(elements, ' ');
  print_number(macs, ' ');
  print_number(ticks, '\n');
}

static const cmsis_nn_activation all = {-128, 127};
static cmsis_nn_context buffer = {scratch, kScratch};

static void conv(int size, int channels, int kernel, int stride, int outputs) {
  const int out = size / stride, pad = kernel / 2;
  const cmsis_nn_conv_params params = {1, -1, {stride, stride}, {pad, pad}, {1, 1}, all};
  const cmsis_nn_per_channel_quant_params quant = {multipliers, shifts};
  const cmsis_nn_dims in = {1, size, size, channels}, filter = {outputs, kernel, kernel, channels}, b = {1, 1, 1, outputs},
                      o = {1, out, out, outputs};
  start();
  arm_convolve_wrapper_s8(&buffer, &params, &quant, &in, input, &filter, weights, &b, bias, &o, output);
  stop(kernel == 1 ? "conv_1x1" : "conv", out * out * outputs, out * out * outputs * kernel * kernel * channels);
}

static void depthwise(int size, int channels, int kernel, int dilation) {
  const int pad = kernel / 2 * dilation;
  const cmsis_nn_dw_conv_params params = {1, -1, 1, {1, 1}, {pad, pad}, {dilation, dilation}, all};
  const cmsis_nn_per_channel_quant_params quant = {multipliers, shifts};
  const cmsis_nn_dims in = {1, size, size, channels}, filter = {1, kernel, kernel, channels}, b = {1, 1, 1, channels};
  start();
  arm_depthwise_conv_wrapper_s8(&buffer, &params, &quant, &in, input, &filter, weights, &b, bias, &in, output);
  stop(dilation > 1 ? "depthwise_dilated" : "depthwise", size * size * channels, size * size * channels * kernel * kernel);
}

static void fully_connected(int rows, int inputs, int outputs) {
  const cmsis_nn_fc_params params = {1, 0, -1, all};
  const cmsis_nn_per_tensor_quant_params quant = {1 << 30, -8};
  const cmsis_nn_dims in = {rows, 1, 1, inputs}, filter = {inputs, 1, 1, outputs}, b = {1, 1, 1, outputs}, o = {rows, 1, 1, outputs};
  const cmsis_nn_context kernel_sums = {sums, sizeof sums};
  start();
  arm_fully_connected_s8(&kernel_sums, &params, &quant, &in, input, &filter, weights, &b, bias, &o, output);
  stop("fully_connected", rows * outputs, rows * outputs * inputs);
}

static void batch_matmul(int batch, int rows, int depth, int columns) {
  const cmsis_nn_bmm_params params = {0, 0, {1, 1, -1, all}};
  const cmsis_nn_per_tensor_quant_params quant = {1 << 30, -8};
  const cmsis_nn_dims left = {batch, 1, rows, depth}, right = {batch, 1, columns, depth}, o = {batch, 1, rows, columns};
  const cmsis_nn_context kernel_sums = {sums, sizeof sums};
  start();
  arm_batch_matmul_s8(&kernel_sums, &params, &quant, &left, input, &right, weights, &o, output);
  stop("batch_matmul", batch * rows * columns, batch * rows * columns * depth);
}

static void pool(const char *class, int is_max, int size, int channels, int kernel) {
  const cmsis_nn_pool_params params = {{kernel, kernel}, {0, 0}, all};
  const cmsis_nn_dims in = {1, size, size, channels}, filter = {1, kernel, kernel, 1}, o = {1, size / kernel, size / kernel, channels};
  start();
  if (is_max) arm_max_pool_s8(&buffer, &params, &in, input, &filter, &o, output);
  else arm_avgpool_s8(&buffer, &params, &in, input, &filter, &o, output);
  stop(class, size * size * channels, 0);
}

static void transpose(int height, int width, int channels) {
  const uint32_t order[] = {0, 3, 1, 2};
  const cmsis_nn_transpose_params params = {4, order};
  const cmsis_nn_dims in = {1, height, width, channels}, o = {1, channels, height, width};
  start();
  arm_transpose_s8(input, output, &in, &o, &params);
  stop("transpose", height * width * channels, 0);
}

static void pad(int size, int channels) {
  const cmsis_nn_dims in = {1, size, size, channels}, one = {0, 1, 1, 0};
  start();
  arm_pad_s8(input, output, 0, &in, &one, &one);
  stop("pad", (size + 2) * (size + 2) * channels, 0);
}

static void elementwise(int elements) {
  start();
  arm_elementwise_add_s8(input, weights, 1, 1 << 30, 0, 1, 1 << 30, 0, 20, output, -1, 1 << 30, -18, -128, 127, elements);
  stop("add", elements, 0);
  start();
  arm_elementwise_mul_s8(input, weights, 1, 1, output, -1, 1 << 30, -8, -128, 127, elements);
  stop("mul", elements, 0);
  const cmsis_nn_dims dims = {1, 1, 1, elements};
  start();
  arm_minimum_s8(&buffer, input, &dims, weights, &dims, output, &dims);
  stop("minmax", elements, 0);
}

static void softmax(int rows, int size) {
  start();
  arm_softmax_s8(input, rows, size, 1 << 30, 22, -248, output);
  stop("softmax", rows * size, 0);
}

int main(void) {
  start();  // its first start takes until the next tick
  for (volatile int wait = 0; wait != 1000; ++wait) {
  }
  start();
  __asm__ volatile("mov r0, %0\n1: subs r0, #1\n bne 1b" ::"r"(kLoop) : "r0", "cc");
  stop("loop", 2 * kLoop, 0);
  uint32_t random = 1;
  for (int i = 0; i < kData; ++i) {
    random = random * 1664525u + 1013904223u;
    input[i] = (int8_t)(random >> 24);
    weights[i] = (int8_t)(random >> 16);
  }
  for (int i = 0; i < kChannels; ++i) multipliers[i] = 1 << 30, shifts[i] = -8;
  conv(16, 32, 1, 1, 64);
  conv(12, 96, 1, 1, 24);
  conv(12, 24, 1, 1, 144);
  conv(16, 16, 3, 1, 16);
  conv(20, 3, 3, 2, 32);
  conv(8, 32, 3, 1, 32);
  conv(12, 8, 5, 1, 16);
  depthwise(16, 64, 3, 1);
  depthwise(14, 144, 3, 1);
  depthwise(16, 64, 5, 1);
  depthwise(8, 128, 7, 1);
  depthwise(12, 16, 3, 2);
  fully_connected(1, 640, 128);
  fully_connected(1, 64, 12);
  fully_connected(99, 64, 99);
  batch_matmul(2, 49, 32, 49);
  batch_matmul(1, 49, 49, 64);
  pool("average_pool", 0, 16, 64, 2);
  pool("average_pool", 0, 8, 128, 8);
  pool("max_pool", 1, 16, 64, 2);
  transpose(28, 28, 64);
  transpose(14, 14, 128);
  pad(16, 64);
  pad(32, 16);
  elementwise(6336);
  softmax(1, 12);
  softmax(1, 1000);
  semihosting(0x18, (const void *)0x20026);
  return 0;
}

// ---- start-up ----
extern uint32_t stack_top[];
void reset(void) {
  *(volatile uint32_t *)0xE000ED88 |= 0xF << 20;  // CPACR: floating point and MVE
  __asm__ volatile("dsb\nisb");
#if defined(__ARM_FEATURE_MVE)
  __asm__ volatile("vmsr fpscr, %0" ::"r"(4 << 16));  // LTPSIZE: no tail predication
#endif
  main();
  for (;;) {
  }
}
static void fault(void) {
  semihosting(4, "fault\n");
  semihosting(0x18, (const void *)0x20024);
}
__attribute__((section(".vectors"), used)) const void *const vectors[] = {stack_top, reset, fault, fault, fault, fault, fault};
