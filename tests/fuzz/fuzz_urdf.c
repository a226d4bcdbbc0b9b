// URDF from memory, with fixed links kept and merged: the first byte chooses.
#include <holdfast/import.h>

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  hfModel* model = NULL;
  hfError error;
  hfImportConfig config = hf_import_config_default();
  config.merge_fixed_links = data[0] & 1;
  config.floating_base = data[0] >> 1 & 1;
  config.skip_meshes = data[0] >> 2 & 1;
  hfDiagnostics* diagnostics = hf_diagnostics_create();
  hf_model_parse(&model, (const char*)data + 1, size - 1, "fuzz.urdf", HF_DATA_FOLDER, &config, diagnostics, &error);
  hf_diagnostics_free(diagnostics);
  hf_model_free(model);
  return 0;
}
