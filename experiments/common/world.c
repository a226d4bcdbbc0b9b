// Loading and stepping a scene.
#include "common/world.h"
#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Makes the sim, state and input of w->model.
static int start(world* w, const hfSimConfig* config, const char* keyframe, hfError* error) {
  if (hf_sim_create(&w->sim, w->model, config, error) < 0) return -1;
  w->state = hf_state_create(w->model);
  w->input = hf_input_create(w->model);
  if (!w->state || !w->input) {
    snprintf(error->message, sizeof error->message, "out of memory");
    return -1;
  }
  if (!keyframe) return 0;
  return hf_state_set_key(w->state, w->input, w->model,
                          hf_model_find(w->model, HF_OBJECT_KEY, keyframe), error) < 0
             ? -1
             : 0;
}

// Says why a world could not be made, and frees what there is of it.
static int give_up(world* w, const char* name, const hfError* error) {
  say_error("%s: %s", name, error->message);
  world_close(w);
  return CLI_FAILED;
}

int world_open(world* w, const char* file, const hfSimConfig* config, const char* keyframe) {
  hfError error = {HF_OK, ""};
  char name[128], path[DATA_PATH];
  memset(w, 0, sizeof *w);
  snprintf(name, sizeof name, "models/%s", file);
  int good = hf_model_load(&w->model, data_path(path, name), NULL, NULL, &error) >= 0 && start(w, config, keyframe, &error) == 0;
  return good ? CLI_GOOD : give_up(w, file, &error);
}

int world_parse(world* w, const char* xml, const char* name, const hfSimConfig* config) {
  hfError error = {HF_OK, ""};
  char models[DATA_PATH];
  memset(w, 0, sizeof *w);
  int good = hf_model_parse(&w->model, xml, strlen(xml), name, data_path(models, "models"), NULL, NULL, &error) >= 0 &&
             start(w, config, NULL, &error) == 0;
  return good ? CLI_GOOD : give_up(w, name, &error);
}

int world_record(world* w, result* r, const char* file, double interval) {
  w->result = r;
  return result_record(r, file, w->model, interval, &w->recorder);
}

int world_record_step(world* w, const hfStepReport* report) {
  hfError error = {HF_OK, ""};
  if (!w->recorder || hf_recorder_add(w->recorder, w->sim, w->state, w->input, report, &error) >= 0) return CLI_GOOD;
  say_error("%s", error.message);
  return CLI_FAILED;
}

void world_close(world* w) {
  if (w->recorder) result_end_record(w->result, w->recorder, w->sim, w->state, w->input);
  hf_sim_free(w->sim);
  hf_state_free(w->state);
  hf_input_free(w->input);
  hf_model_free(w->model);
  memset(w, 0, sizeof *w);
}

int world_step(world* w, long n, worldTotals* totals) {
  hfError error = {HF_OK, ""};
  hfStepReport report;
  double begin = wall_clock();
  for (long i = 0; i < n; ++i) {
    if (hf_sim_step(w->sim, w->state, w->input, &report, &error) < 0) {
      say_error("at %g s: %s", w->state->time, error.message);
      return CLI_FAILED;
    }
    if (world_record_step(w, &report) != CLI_GOOD) return CLI_FAILED;
    if (!totals) continue;
    totals->steps++;
    totals->iterations += report.solve.iterations;
    if (report.solve.iterations > totals->max_iterations)
      totals->max_iterations = report.solve.iterations;
    totals->rung[report.solve.rung]++;
    totals->worst_residual = fmax(totals->worst_residual, report.solve.residual);
  }
  if (totals) totals->wall += wall_clock() - begin;
  return CLI_GOOD;
}

static int by_value(const void* a, const void* b) {
  return *(const double*)a < *(const double*)b ? -1 : *(const double*)a > *(const double*)b;
}

double median(double* x, int n) {
  qsort(x, (size_t)n, sizeof *x, by_value);
  return x[n / 2];
}

double processor_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
