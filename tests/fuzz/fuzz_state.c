// Restores changed files of a saved state. One that is accepted is stepped: it may be refused, but nothing may break.
#include "fuzz_file.h"
#include "fuzz_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

typedef struct setup {
  hfSim* sim;
  hfState* state;
  goodFile good;
} setup;

static setup open_setup(void) {
  setup s = {0};
  hfModel* model = parse_scene();
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  s.state = hf_state_create(model);
  if (!s.state || hf_sim_create(&s.sim, model, &config, &error) != HF_OK) abort();
  for (int i = 0; i < 200; ++i) hf_sim_step(s.sim, s.state, NULL, NULL, &error); // until contacts are remembered
  const char* path = write_input((const uint8_t*)"", 0);
  if (!path || hf_state_write(s.state, path, &error) != HF_OK) abort();
  s.good = read_good_file(path);
  return s;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static setup s;
  hfError error;
  if (!s.sim) s = open_setup();
  const char* path = write_changed(&s.good, data, size);
  if (path && hf_state_read(s.state, path, &error) == HF_OK) hf_sim_step(s.sim, s.state, NULL, NULL, &error);
  return 0;
}
