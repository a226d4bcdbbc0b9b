// A world from MJCF text, stepped.
#ifndef HF_TESTS_SIM_WORLD_H
#define HF_TESTS_SIM_WORLD_H

#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>
#include <string.h>

typedef struct simWorld {
  hfModel* model;
  hfSim* sim;
  hfState* state;
  hfInput* input;
} simWorld;

// folder: where the files are that the text names.
static inline hfModel* parse_model_in(const char* xml, const char* folder) {
  hfModel* m = NULL;
  hfError error;
  if (hf_model_parse(&m, xml, strlen(xml), "test.xml", folder, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}
static inline hfModel* parse_model(const char* xml) { return parse_model_in(xml, "."); }

static inline hfModel* load_model(const char* path) {
  hfModel* m = NULL;
  hfError error;
  if (hf_model_load(&m, path, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}

// A world of a model that it then owns.
static inline simWorld sim_world_with(hfModel* model, const hfSimConfig* config) {
  simWorld w = {.model = model, .state = hf_state_create(model), .input = hf_input_create(model)};
  hfError error;
  if (hf_sim_create(&w.sim, model, config, &error) != HF_OK) fail_msg("%s", error.message);
  return w;
}

// The same with the default configuration but for these. h = 0: the scene's step. tolerance of the solver: 1e-12 where the law is compared, not
// the solver.
static inline simWorld sim_world_of(hfModel* model, int method, double h, double tolerance) {
  hfSimConfig config = hf_sim_config_default();
  config.method = method;
  config.step = h;
  config.solver.tolerance = tolerance;
  return sim_world_with(model, &config);
}

static inline simWorld sim_world_make_method(const char* xml, int method, double h, double tolerance) {
  return sim_world_of(parse_model(xml), method, h, tolerance);
}

// A world of a file with everything as the file has it.
static inline simWorld sim_world_load(const char* path) {
  hfSimConfig config = hf_sim_config_default();
  return sim_world_with(load_model(path), &config);
}

static inline simWorld sim_world_make(const char* xml, double h, double tolerance) {
  return sim_world_make_method(xml, hf_sim_config_default().method, h, tolerance);
}

static inline void sim_world_free(simWorld* w) {
  hf_sim_free(w->sim);
  hf_state_free(w->state);
  hf_input_free(w->input);
  hf_model_free(w->model);
}

static inline void sim_world_step(simWorld* w, int n) {
  hfError error = {HF_OK, ""};
  for (int i = 0; i < n; ++i) {
    hfStepReport report;
    hfStatus status = hf_sim_step(w->sim, w->state, w->input, &report, &error);
    if (status != HF_OK) fail_msg("step %d: status %s %s", i, hf_status_name(status), error.message);
  }
}

static inline double* sim_q(simWorld* w) { return hf_state_mutable_q(w->state); }
static inline double* sim_v(simWorld* w) { return hf_state_mutable_v(w->state); }

#endif
