// Runs of experiment accuracy: positions at samples, and the work that they took.
#include "accuracy/accuracy.h"

#include "data.h"
#include "peer_mujoco.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double SAMPLE = 0.01; // between samples [s]

static int open_scene(world* w, const accuracyScene* s, const hfSimConfig* config) {
  int status = s->file ? world_open(w, s->file, config, s->keyframe) : world_parse(w, s->xml, s->name, config);
  if (status == CLI_GOOD && s->start) s->start(w);
  return status;
}

static int sample_of(const accuracyScene* s) { return (int)floor(s->time / SAMPLE + 0.5); }

// Steps to the next sample.
static int step_sample(world* w, const accuracyScene* s, int steps, accuracyRun* run) {
  hfError error = {HF_OK, ""};
  hfStepReport report;
  if (s->control) s->control(w);
  for (int i = 0; i < steps; ++i) {
    if (hf_sim_step(w->sim, w->state, w->input, &report, &error) < 0) {
      say_error("%s at %g s: %s", s->name, w->state->time, error.message);
      return CLI_FAILED;
    }
    const hfIntegratorReport* c = &report.continuous;
    run->solves += c->evaluations ? (long)c->evaluations : 1;
    run->steps += c->evaluations ? (long)c->steps : 1;
    run->rejected += (long)c->rejected;
    if (c->evaluations) run->smallest = fmin(run->smallest, c->smallest);
  }
  return CLI_GOOD;
}

static int run_once(const accuracyScene* s, const hfSimConfig* config, int steps, accuracyRun* run) {
  world w;
  if (open_scene(&w, s, config) != CLI_GOOD) return CLI_FAILED;
  run->nq = w.model->nq, run->solves = run->steps = run->rejected = 0, run->smallest = config->step;
  if (!run->q) run->q = malloc(sizeof *run->q * (size_t)(run->samples * run->nq));
  int status = run->q ? CLI_GOOD : CLI_FAILED;
  double begin = processor_clock();
  for (int k = 0; k < run->samples && status == CLI_GOOD; ++k) {
    status = step_sample(&w, s, steps, run);
    memcpy(run->q + k * run->nq, hf_state_q(w.state), sizeof *run->q * (size_t)run->nq);
  }
  run->seconds = fmin(run->seconds, processor_clock() - begin);
  world_close(&w);
  return status;
}

static int run_steps(const accuracyScene* s, hfSimConfig config, int steps, int repetitions, accuracyRun* run) {
  int status = CLI_GOOD;
  config.step = SAMPLE / steps;
  *run = (accuracyRun){.samples = sample_of(s), .seconds = INFINITY};
  for (int k = 0; k < repetitions && status == CLI_GOOD; ++k) status = run_once(s, &config, steps, run);
  return status;
}

int accuracy_run(const accuracyScene* s, hfSimConfig config, int repetitions, accuracyRun* run) {
  int steps = config.accuracy > 0 ? 1 : (int)floor(SAMPLE / config.step + 0.5);
  return run_steps(s, config, steps, repetitions, run);
}

int accuracy_run_fixed(const accuracyScene* s, hfSimConfig config, int steps, accuracyRun* run) {
  return run_steps(s, config, steps, 1, run);
}

static int by_size(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int accuracy_compare(const accuracyScene* s, hfSimConfig a, hfSimConfig b, int pairs, double* ratio) {
  double ratios[ACCURACY_PAIRS];
  int status = CLI_GOOD;
  for (int k = 0; k < pairs && status == CLI_GOOD; ++k) {
    accuracyRun first, second;
    status = accuracy_run(s, a, 1, &first);
    if (status == CLI_GOOD) {
      status = accuracy_run(s, b, 1, &second);
      ratios[k] = first.seconds / second.seconds;
      accuracy_free(&second);
    }
    accuracy_free(&first);
  }
  if (status != CLI_GOOD) return status;
  qsort(ratios, (size_t)pairs, sizeof *ratios, by_size);
  *ratio = ratios[pairs / 2];
  return CLI_GOOD;
}

int accuracy_record(const accuracyScene* s, hfSimConfig config, result* r, const char* file) {
  world w;
  config.step = SAMPLE;
  if (open_scene(&w, s, &config) != CLI_GOOD) return CLI_FAILED;
  int status = world_record(&w, r, file, SAMPLE);
  for (int k = 0; w.recorder && k < sample_of(s) && status == CLI_GOOD; ++k) {
    if (s->control) s->control(&w);
    status = world_step(&w, 1, NULL);
  }
  world_close(&w);
  return status;
}

void accuracy_free(accuracyRun* run) {
  free(run->q);
  run->q = NULL;
}

double accuracy_error(const accuracyScene* s, const accuracyRun* a, const accuracyRun* b) {
  hfSimConfig config = hf_sim_config_default();
  world w;
  if (open_scene(&w, s, &config) != CLI_GOOD) return NAN;
  double worst = 0, *d = malloc(sizeof *d * (size_t)w.model->nv);
  for (int k = 0; d && k < a->samples; ++k) {
    hf_model_difference(w.model, a->q + k * a->nq, b->q + k * b->nq, 1, d);
    for (int i = 0; i < w.model->nv; ++i) worst = fmax(worst, fabs(d[i]));
  }
  free(d);
  world_close(&w);
  return worst;
}

// ---- MuJoCo ----------------------------------------------------------------------------------------

// The text of the scene; the caller frees it.
static char* scene_text(const accuracyScene* s) {
  char name[256], path[DATA_PATH], *text = calloc(1, 1 << 16);
  if (!text || s->xml) return text ? strcpy(text, s->xml) : NULL;
  snprintf(name, sizeof name, "models/%s", s->file);
  FILE* file = fopen(data_path(path, name), "r");
  size_t n = file ? fread(text, 1, (1 << 16) - 1, file) : 0;
  if (file) fclose(file);
  if (n > 0) return text;
  free(text);
  return NULL;
}

// Writes the scene with Runge-Kutta 4 and another timestep to a file beside the models, so that files it includes are found. Every
// scene gives its timestep in double or single quotes.
static int write_scene(const accuracyScene* s, double step, char* path, size_t size) {
  char* text = scene_text(s);
  char* at = text ? strstr(text, "timestep=") : NULL;
  char* end = at ? strchr(at + 10, at[9]) : NULL;
  char models[DATA_PATH];
  snprintf(path, size, "%s/accuracy.XXXXXX.xml", data_path(models, "models"));
  int fd = end ? mkstemps(path, 4) : -1;
  FILE* file = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (file) fprintf(file, "%.*sintegrator=\"RK4\" timestep=\"%.17g\"%s", (int)(at - text), text, step, end + 1);
  free(text);
  return file && fclose(file) == 0;
}

// Puts MuJoCo where our world is: positions, velocities, controls.
static void copy_state(const PeerMujoco* mj, const mjModel* m, mjData* d, const world* w) {
  int nq = w->model->nq, nv = w->model->nv, nu = w->model->nu;
  double* x = malloc(sizeof *x * (size_t)(nq + nv + nu + 1));
  if (!x) return;
  memcpy(x, hf_state_q(w->state), sizeof *x * (size_t)nq);
  memcpy(x + nq, hf_state_v(w->state), sizeof *x * (size_t)nv);
  if (nu) memcpy(x + nq + nv, w->input->ctrl, sizeof *x * (size_t)nu);
  mj->mj_setState(m, d, x, MUJOCO_STATE_QPOS | MUJOCO_STATE_QVEL | MUJOCO_STATE_CTRL);
  free(x);
}

static int run_peer(const PeerMujoco* mj, const accuracyScene* s, const mjModel* m, int steps, accuracyRun* run) {
  hfSimConfig config = hf_sim_config_default();
  world w;
  if (open_scene(&w, s, &config) != CLI_GOOD) return 0;
  mjData* d = mj->mj_makeData(m);
  run->nq = w.model->nq;
  run->q = malloc(sizeof *run->q * (size_t)(run->samples * run->nq));
  int good = d && run->q;
  if (good) copy_state(mj, m, d, &w);
  double begin = processor_clock();
  for (int k = 0; good && k < run->samples; ++k) {
    if (s->control) {
      w.state->time = SAMPLE * k;
      s->control(&w);
      mj->mj_setState(m, d, w.input->ctrl, MUJOCO_STATE_CTRL);
    }
    for (int i = 0; i < steps; ++i) mj->mj_step(m, d);
    mj->mj_getState(m, d, run->q + k * run->nq, MUJOCO_STATE_QPOS);
    run->solves += 4 * steps;
  }
  run->seconds = processor_clock() - begin;
  if (d) mj->mj_deleteData(d);
  world_close(&w);
  return good;
}

int accuracy_run_mujoco(const accuracyScene* s, double step, accuracyRun* run) {
  PeerMujoco mj;
  char path[1024];
  int steps = (int)floor(SAMPLE / step + 0.5), good = 0;
  *run = (accuracyRun){.samples = sample_of(s)};
  if (peer_mujoco_open(&mj) != 0) return 0;
  if (write_scene(s, SAMPLE / steps, path, sizeof path)) {
    mjModel* m = peer_mujoco_load(&mj, path, "");
    if (m) good = run_peer(&mj, s, m, steps, run);
    if (m) mj.mj_deleteModel(m);
    remove(path);
  }
  peer_mujoco_close(&mj);
  return good;
}
