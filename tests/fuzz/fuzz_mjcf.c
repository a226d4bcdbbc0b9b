// MJCF from memory. Meshes, includes and attached models are looked for in tests/data/import, so that
// the fuzzer can name real ones.
#include <holdfast/import.h>

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hfModel* model = NULL;
  hfError error;
  hfDiagnostics* diagnostics = hf_diagnostics_create();
  hf_model_parse(&model, (const char*)data, size, "fuzz.xml", HF_DATA_FOLDER, NULL, diagnostics, &error);
  hf_diagnostics_free(diagnostics);
  hf_model_free(model);
  return 0;
}
