// Interleaved batches at random states: a batch of ours, a batch of the peer's, median of each, so that
// both see the same clock speed and the same disturbances.
#include "dynamics_timing.h"

#include "stand_in.h"
#include <holdfast/dynamics.h>
#include <holdfast/import.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 100 }; // evaluations; long against the clock's resolution, short against disturbances

typedef struct Bench {
  hfModel* model;
  hfDynamics* d;
  const PeerMujoco* peer;
  mjModel* peer_model;
  mjData* peer_data;
  double *state, *bias, *x, *y, *peer_y; // (nq + nv), then (nv) each
  uint64_t random;
} Bench;

static double uniform(Bench* b) { // in [-1, 1)
  b->random = b->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(b->random >> 11) * 0x1p-52 - 1;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw_state(Bench* b) {
  const hfModel* m = b->model;
  double *q = b->state, *v = b->state + m->nq;
  memcpy(q, hf_model_qpos0(m), (size_t)m->nq * sizeof *q);
  for (int i = 0; i < m->nv; ++i) v[i] = uniform(b);
  hf_model_integrate(m, q, v, 1);
  for (int i = 0; i < m->nv; ++i) v[i] = uniform(b);
  if (b->peer) b->peer->mj_setState(b->peer_model, b->peer_data, b->state, MUJOCO_STATE_QPOS | MUJOCO_STATE_QVEL);
}

static double time_ours(Bench* b) {
  double start = now();
  for (int k = 0; k < BATCH; ++k) {
    hf_dynamics_set_position(b->d, b->state, NULL);
    hf_dynamics_update_mass_matrix(b->d);
    hf_dynamics_factor(b->d);
    hf_dynamics_set_velocity(b->d, b->state + b->model->nq);
    hf_dynamics_update_bias(b->d);
  }
  return (now() - start) / BATCH * 1e6;
}

static double time_peer(Bench* b) {
  const PeerMujoco* p = b->peer;
  double start = now();
  for (int k = 0; k < BATCH; ++k) {
    p->mj_kinematics(b->peer_model, b->peer_data);
    p->mj_comPos(b->peer_model, b->peer_data);
    p->mj_crb(b->peer_model, b->peer_data);
    p->mj_factorM(b->peer_model, b->peer_data);
    p->mj_comVel(b->peer_model, b->peer_data);
    p->mj_rne(b->peer_model, b->peer_data, 0, b->bias);
  }
  return (now() - start) / BATCH * 1e6;
}

static double relative_difference(const double* a, const double* b, int n) {
  double difference = 0, size = 0;
  for (int i = 0; i < n; ++i) {
    difference = fmax(difference, fabs(a[i] - b[i]));
    size = fmax(size, fabs(a[i]));
  }
  return size > 0 ? difference / size : difference;
}

// Same numbers? Bias, and M times a random vector.
static void compare(Bench* b, DynamicsTiming* timing) {
  int nv = b->model->nv;
  for (int i = 0; i < nv; ++i) b->x[i] = uniform(b);
  hf_dynamics_multiply(b->d, b->x, b->y);
  b->peer->mj_mulM(b->peer_model, b->peer_data, b->peer_y, b->x);
  timing->M_error = fmax(timing->M_error, relative_difference(b->y, b->peer_y, nv));
  timing->bias_error = fmax(timing->bias_error, relative_difference(hf_dynamics_bias(b->d), b->bias, nv));
}

static int compare_doubles(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* x, int n) {
  qsort(x, (size_t)n, sizeof *x, compare_doubles);
  return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

static hfStatus refuse(hfError* error, hfStatus status, const char* message) {
  if (error) {
    error->status = status;
    strncpy(error->message, message, sizeof error->message - 1);
    error->message[sizeof error->message - 1] = '\0';
  }
  return status;
}

static hfStatus open_peer(Bench* b, const char* path, hfError* error) {
  char message[HF_MESSAGE_SIZE] = "";
  if (!b->peer) return HF_OK;
  b->peer_model = b->peer->mj_loadXML(path, NULL, message, sizeof message);
  if (!b->peer_model) return refuse(error, HF_ERROR_FILE, message);
  b->peer_data = b->peer->mj_makeData(b->peer_model);
  if (!b->peer_data) return refuse(error, HF_ERROR_MEMORY, "MuJoCo: out of memory");
  if (b->peer->mj_stateSize(b->peer_model, MUJOCO_STATE_QPOS) != b->model->nq ||
      b->peer->mj_stateSize(b->peer_model, MUJOCO_STATE_QVEL) != b->model->nv)
    return refuse(error, HF_ERROR_MODEL, "MuJoCo reads another number of coordinates");
  return HF_OK;
}

static hfStatus open_bench(Bench* b, const char* path, hfError* error) {
  hfStatus status = hf_model_load(&b->model, path, NULL, NULL, error);
  if (status != HF_OK) return status;
  status = hf_dynamics_create(&b->d, b->model, error);
  if (status != HF_OK) return status;
  size_t nq = (size_t)b->model->nq, nv = (size_t)b->model->nv;
  b->state = malloc((nq + 5 * nv + 1) * sizeof *b->state);
  if (!b->state) return refuse(error, HF_ERROR_MEMORY, "out of memory");
  b->bias = b->state + nq + nv;
  b->x = b->bias + nv, b->y = b->x + nv, b->peer_y = b->y + nv;
  return open_peer(b, path, error);
}

static void close_bench(Bench* b) {
  if (b->peer_data) b->peer->mj_deleteData(b->peer_data);
  if (b->peer_model) b->peer->mj_deleteModel(b->peer_model);
  hf_dynamics_free(b->d);
  hf_model_free(b->model);
  free(b->state);
}

static hfStatus time_batches(Bench* b, DynamicsTiming* timing, int batches, hfError* error) {
  double* times = calloc(2 * (size_t)batches, sizeof *times);
  if (!times) return refuse(error, HF_ERROR_MEMORY, "out of memory");
  timing->nv = b->model->nv;
  for (int k = 0; k < batches; ++k) {
    draw_state(b);
    times[k] = time_ours(b);
    if (!b->peer) continue;
    times[batches + k] = time_peer(b);
    compare(b, timing);
  }
  timing->ours = median(times, batches);
  timing->peer = median(times + batches, batches);
  free(times);
  return HF_OK;
}

hfStatus dynamics_timing_run(DynamicsTiming* timing, const char* path, const PeerMujoco* peer, int batches, hfError* error) {
  StandIn model;
  Bench b = {.peer = peer, .random = 1};
  memset(timing, 0, sizeof *timing);
  if (stand_in_make(&model, path) != 0) return refuse(error, HF_ERROR_FILE, path);
  hfStatus status = open_bench(&b, model.path, error);
  if (status == HF_OK) status = time_batches(&b, timing, batches, error);
  close_bench(&b);
  stand_in_remove(&model);
  return status;
}
