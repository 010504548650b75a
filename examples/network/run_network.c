/* run_network NETWORK INPUT... : runs a compiled network on files of raw bytes, one for each input, and prints the
   first bytes of each output. */
#include <macaw/network.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN 10

static void check(macaw_network_status status) {
  if (status == MACAW_NETWORK_OK) return;
  fprintf(stderr, "error %d: %s\n", (int)status, macaw_network_message());
  exit(1);
}

static void* allocate(size_t size) {
  void* bytes = calloc(size > 0 ? size : 1, 1);
  if (!bytes) perror("memory"), exit(1);
  return bytes;
}

static void read_file(const char* file, void* bytes, size_t size) {
  FILE* in = fopen(file, "rb");
  if (!in) perror(file), exit(1);
  if (fread(bytes, 1, size, in) != size || fgetc(in) != EOF) {
    fprintf(stderr, "%s: expected %zu bytes\n", file, size);
    exit(1);
  }
  fclose(in);
}

int main(int argc, char** argv) {
  if (argc < 2) return fprintf(stderr, "usage: run_network NETWORK INPUT...\n"), 2;
  macaw_network* network = NULL;
  check(macaw_network_load(argv[1], NULL, &network));
  const size_t input_count = macaw_network_input_count(network), output_count = macaw_network_output_count(network);
  if ((size_t)argc - 2 != input_count) return fprintf(stderr, "%s has %zu inputs\n", argv[1], input_count), 2;

  macaw_network_tensor tensor = {0};
  tensor.struct_size = sizeof tensor;
  void** inputs = allocate(input_count * sizeof(void*));
  for (size_t i = 0; i < input_count; ++i) {
    check(macaw_network_input(network, i, &tensor));
    read_file(argv[2 + i], inputs[i] = allocate(tensor.size), tensor.size);
  }
  void** outputs = allocate(output_count * sizeof(void*));
  for (size_t i = 0; i < output_count; ++i) {
    check(macaw_network_output(network, i, &tensor));
    outputs[i] = allocate(tensor.size);
  }
  check(macaw_network_run(network, (const void* const*)inputs, input_count, outputs, output_count, 1));

  for (size_t i = 0; i < output_count; ++i) {
    check(macaw_network_output(network, i, &tensor));
    printf("%s: %zu bytes:", tensor.name, tensor.size);
    for (size_t b = 0; b < tensor.size && b < SHOWN; ++b) printf(" %d", ((const signed char*)outputs[i])[b]);
    printf("\n");
    free(outputs[i]);
  }
  for (size_t i = 0; i < input_count; ++i) free(inputs[i]);
  free(inputs);
  free(outputs);
  macaw_network_destroy(network);
}
