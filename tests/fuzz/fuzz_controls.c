// Reads a table of controls and asks for its values.
#include "fuzz_file.h"
#include "fuzz_scene.h"

#include <holdfast/actuation.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static hfModel* model;
  hfControlTable* table = NULL;
  hfError error;
  double ctrl[2] = {0, 0};
  if (!model) model = parse_scene();
  const char* path = write_input(data, size);
  if (!path || hf_control_table_read(&table, model, path, &error) != HF_OK) return 0;
  for (double time = -1; time < 10; time += 0.5) hf_control_table_controls(table, time, ctrl);
  hf_control_table_free(table);
  return 0;
}
