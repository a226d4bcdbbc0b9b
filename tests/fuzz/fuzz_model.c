// Opens changed files of a saved model. One that is accepted must serve a simulation.
#include "fuzz_file.h"
#include "fuzz_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static goodFile save_model(void) {
  hfModel* model = parse_scene();
  hfError error;
  const char* path = write_input((const uint8_t*)"", 0);
  if (!path || hf_model_write(model, path, &error) != HF_OK) abort();
  hf_model_free(model);
  return read_good_file(path);
}

static void step_model(const hfModel* model) {
  hfSim* sim = NULL;
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  config.max_contacts = 64;
  hfState* state = hf_state_create(model);
  if (state && hf_sim_create(&sim, model, &config, &error) == HF_OK)
    for (int i = 0; i < 3; ++i) hf_sim_step(sim, state, NULL, NULL, &error);
  hf_sim_free(sim);
  hf_state_free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static goodFile good;
  hfModel* model = NULL;
  hfError error;
  if (!good.bytes) good = save_model();
  const char* path = write_changed(&good, data, size);
  if (!path || hf_model_load(&model, path, NULL, NULL, &error) != HF_OK) return 0;
  step_model(model);
  hf_model_free(model);
  return 0;
}
