// The same models in MuJoCo: body poses, mass matrix, bias, actuator and passive forces, sensors.
//
// mujoco_reference.py writes MuJoCo's values. Every model of models/, of tests/data/import and, where there is one, of
// the folder of published robots (HF_SHARED_MODELS) is one test here. Without a Python that has mujoco the tests are
// skipped. Tolerances are the project's: poses 1e-10 m, M and bias 1e-9 of their largest
// entry, 1e-6 where masses come from meshes (MuJoCo keeps vertices in single precision); actuator and
// passive forces 1e-9 of their largest entry, sensors 1e-8 of their size.
#include "support/near.h"

#include <holdfast/actuation.h>
#include <holdfast/dynamics.h>
#include <holdfast/import.h>
#include <holdfast/sim.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MOST_MODELS = 400, SEED = 20260101 };

static char* models[MOST_MODELS];
static int model_count, published_count;
static char folder[] = "/tmp/holdfast_peers_XXXXXX";
static int have_reference;

// ---- models -------------------------------------------------------------------------------------

static int is_model(const char* name) {
  const char* dot = strrchr(name, '.');
  return dot && (strcasecmp(dot, ".xml") == 0 || strcasecmp(dot, ".urdf") == 0) && strcmp(name, "package.xml") != 0;
}

static void collect(const char* path) {
  struct dirent** entries = NULL;
  int count = scandir(path, &entries, NULL, alphasort);
  for (int i = 0; i < count; ++i) {
    char* child = malloc(strlen(path) + strlen(entries[i]->d_name) + 2);
    sprintf(child, "%s/%s", path, entries[i]->d_name);
    struct stat info;
    int keep = 0;
    if (entries[i]->d_name[0] != '.' && stat(child, &info) == 0) {
      if (S_ISDIR(info.st_mode)) collect(child);
      else if (is_model(entries[i]->d_name) && model_count < MOST_MODELS) models[model_count++] = child, keep = 1;
    }
    if (!keep) free(child);
    free(entries[i]);
  }
  free(entries);
}

static const char* find_python(void) {
  static const char* const candidates[] = {"/opt/peers/bin/python", "python3"};
  const char* given = getenv("HF_PEERS_PYTHON");
  char command[512];
  if (given) return given;
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; ++i) {
    snprintf(command, sizeof command, "%s -c 'import mujoco' >/dev/null 2>&1", candidates[i]);
    if (system(command) == 0) return candidates[i];
  }
  return NULL;
}

static void make_reference(void) {
  const char* python = find_python();
  if (!python || !mkdtemp(folder)) return;
  size_t size = 4096;
  for (int i = 0; i < model_count; ++i) size += strlen(models[i]) + 4;
  char* command = malloc(size);
  int used = snprintf(command, size, "cd %s && %s '%s/tests/peers/mujoco_reference.py' %s %d %d", folder, python,
                      HF_SOURCE_DIR, folder, is_full() ? 100 : 20, SEED);
  for (int i = 0; i < model_count; ++i) used += snprintf(command + used, size - (size_t)used, " '%s'", models[i]);
  snprintf(command + used, size - (size_t)used, " >log 2>&1");
  have_reference = system(command) == 0;
  if (!have_reference) printf("the reference script failed: see %s/log\n", folder);
  free(command);
}

// ---- reference files ----------------------------------------------------------------------------

static void expect_word(FILE* in, const char* word) {
  char got[64];
  assert_int_equal(fscanf(in, "%63s", got), 1);
  assert_string_equal(got, word);
}

static double* read_row(FILE* in, const char* word, int count) {
  double* x = calloc((size_t)count + 1, sizeof *x);
  expect_word(in, word);
  for (int i = 0; i < count; ++i) assert_int_equal(fscanf(in, "%lf", &x[i]), 1);
  return x;
}

// max |x - y| / max |y|
static double relative_error(const double* x, const double* y, int n) {
  double most = 0, scale = largest(y, n);
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i] - y[i]));
  return scale > 0 ? most / scale : most;
}

// ---- comparison ---------------------------------------------------------------------------------

typedef struct Reference {
  FILE* in;
  int nq, nv, nu, na, nbody, nsensordata, meshmass, spatial;
  int* body; // ids in our model, -1: without a name
  hfDynamics* d;
  hfActuation* a;
  hfSim* sim;
  hfState* state;
  double timestep;
} Reference;

typedef struct Worst { double pose, M, bias, force, drive, passive, sensor; } Worst;

static void compare_poses(const Reference* ref, const hfDynamics* d, const double* pose, Worst* worst) {
  for (int i = 0; i < ref->nbody; ++i) {
    if (ref->body[i] < 0) continue;
    const double* p = pose + 7 * i;
    hfPose X = hf_dynamics_body_pose(d, ref->body[i]);
    hfQuat q = hf_dynamics_body_quat(d, ref->body[i]);
    worst->pose = fmax(worst->pose, fmax(fabs(X.p.x - p[0]), fmax(fabs(X.p.y - p[1]), fabs(X.p.z - p[2]))));
    double sign = q.w * p[3] + q.x * p[4] + q.y * p[5] + q.z * p[6] < 0 ? -1 : 1;
    double turn = fmax(fmax(fabs(q.w - sign * p[3]), fabs(q.x - sign * p[4])), fmax(fabs(q.y - sign * p[5]), fabs(q.z - sign * p[6])));
    worst->pose = fmax(worst->pose, turn);
  }
}

static void compare_forces(const Reference* ref, const double* q, const double* act, const double* ctrl, Worst* worst) {
  double *force = read_row(ref->in, "force", ref->nu), *drive = read_row(ref->in, "drive", ref->nv);
  double *passive = read_row(ref->in, "passive", ref->nv), *ours = calloc((size_t)ref->nv + 1, sizeof *ours);
  hf_actuation_update(ref->a, ref->d, q);
  hf_actuation_forces(ref->a, act, ctrl, ref->timestep);
  hf_actuation_passive(ref->a, ref->d, q, ours);
  worst->force = fmax(worst->force, relative_error(hf_actuation_force(ref->a), force, ref->nu));
  worst->drive = fmax(worst->drive, relative_error(hf_actuation_joint_force(ref->a), drive, ref->nv));
  worst->passive = fmax(worst->passive, relative_error(ours, passive, ref->nv));
  double* rows[] = {force, drive, passive, ours};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) free(rows[i]);
}

// Contact sensors differ by design; everything else by rounding. Error over max(1, |value|).
static void compare_sensors(const Reference* ref, const double* q, const double* v, const double* act, double* ctrl, Worst* worst) {
  double* wanted = read_row(ref->in, "sensor", ref->nsensordata);
  hfInput input = {.ctrl = ctrl};
  memcpy(hf_state_mutable_q(ref->state), q, (size_t)ref->nq * sizeof *q);
  memcpy(hf_state_mutable_v(ref->state), v, (size_t)ref->nv * sizeof *v);
  memcpy(hf_state_mutable_act(ref->state), act, (size_t)ref->na * sizeof *act);
  hfError error = {HF_OK, ""};
  if (hf_sim_evaluate(ref->sim, ref->state, &input, &error) < 0) fail_msg("%s", error.message);
  const double* ours = hf_sim_sensors(ref->sim);
  for (int i = 0; i < ref->nsensordata; ++i) {
    double off = fabs(ours[i] - wanted[i]) / fmax(1, fabs(wanted[i]));
    if (off > 1e-8 && worst->sensor <= 1e-8) printf("  sensor value %d: %.15g, MuJoCo %.15g\n", i, ours[i], wanted[i]);
    worst->sensor = fmax(worst->sensor, off);
  }
  free(wanted);
}

static void compare_state(const Reference* ref, Worst* worst) {
  int nv = ref->nv;
  hfDynamics* d = ref->d;
  expect_word(ref->in, "state");
  double *qpos = read_row(ref->in, "qpos", ref->nq), *qvel = read_row(ref->in, "qvel", nv);
  double *ctrl = read_row(ref->in, "ctrl", ref->nu), *act = read_row(ref->in, "act", ref->na);
  double *pose = read_row(ref->in, "pose", 7 * ref->nbody), *M = read_row(ref->in, "M", nv * nv);
  double* bias = read_row(ref->in, "bias", nv);
  double* ours = calloc((size_t)(nv * nv) + 1, sizeof *ours);
  hf_dynamics_set_position(d, qpos, NULL);
  hf_dynamics_set_velocity(d, qvel);
  hf_dynamics_update_mass_matrix(d);
  hf_dynamics_update_bias(d);
  hf_dynamics_dense_mass_matrix(d, ours);
  compare_poses(ref, d, pose, worst);
  worst->M = fmax(worst->M, relative_error(ours, M, nv * nv));
  worst->bias = fmax(worst->bias, relative_error(hf_dynamics_bias(d), bias, nv));
  compare_forces(ref, qpos, act, ctrl, worst);
  compare_sensors(ref, qpos, qvel, act, ctrl, worst);
  double* rows[] = {qpos, qvel, ctrl, act, pose, M, bias, ours};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) free(rows[i]);
}

static void read_sizes(Reference* ref, const hfModel* model) {
  expect_word(ref->in, "sizes");
  assert_int_equal(fscanf(ref->in, "%d%d%d%d%d%d%d%d", &ref->nq, &ref->nv, &ref->nu, &ref->na, &ref->nbody, &ref->nsensordata,
                          &ref->meshmass, &ref->spatial), 8);
  assert_int_equal(ref->nq, model->nq);
  assert_int_equal(ref->nv, model->nv);
  assert_int_equal(ref->nu, model->nu);
  assert_int_equal(ref->na, model->na);
  assert_int_equal(ref->nsensordata, model->nsensordata);
  assert_int_equal(ref->nbody, model->nbody);
  ref->body = malloc((size_t)ref->nbody * sizeof *ref->body);
  for (int i = 0; i < ref->nbody; ++i) {
    char name[256];
    expect_word(ref->in, "body");
    assert_int_equal(fscanf(ref->in, " %255[^\n]", name), 1);
    ref->body[i] = strcmp(name, "-") == 0 ? -1 : hf_model_find(model, HF_OBJECT_BODY, name);
    if (ref->body[i] < 0 && strcmp(name, "-") != 0) fail_msg("body \"%s\" is missing", name);
  }
}

// MuJoCo knows servos only: where a scene drives by inverse dynamics (hf.drive), its actuator forces are not MuJoCo's.
static int all_drives_are_servos(const hfModel* model) {
  int servos = 1;
  for (int i = 0; i < model->nu; ++i) servos = servos && hf_model_actuator_drive(model)[i] == HF_DRIVE_SERVO;
  return servos;
}

static void compare_model(Reference* ref, const hfModel* model) {
  Worst w = {0};
  read_sizes(ref, model);
  ref->timestep = model->world.timestep;
  assert_int_equal(hf_dynamics_create(&ref->d, model, NULL), HF_OK);
  assert_int_equal(hf_actuation_create(&ref->a, model, NULL), HF_OK);
  hfSimConfig config = hf_sim_config_default();
  assert_int_equal(hf_sim_create(&ref->sim, model, &config, NULL), HF_OK);
  ref->state = hf_state_create(model);
  assert_non_null(ref->state);
  int states = is_full() ? 100 : 20;
  for (int i = 0; i < states; ++i) compare_state(ref, &w);
  hf_state_free(ref->state);
  hf_sim_free(ref->sim);
  hf_actuation_free(ref->a);
  hf_dynamics_free(ref->d);
  free(ref->body);
  printf("  pose %.1e  M %.1e  bias %.1e  force %.1e  drive %.1e  passive %.1e  sensor %.1e%s\n", w.pose, w.M, w.bias, w.force,
         w.drive, w.passive, w.sensor, ref->meshmass ? "  (mesh masses)" : "");
  double tolerance = ref->meshmass ? 1e-6 : 1e-9;
  assert_at_most(w.pose, 1e-10);
  assert_at_most(w.M, tolerance);
  assert_at_most(w.bias, tolerance);
  assert_true((w.force <= 1e-9 && w.drive <= 1e-9) || !all_drives_are_servos(model));
  assert_at_most(w.sensor, 1e-8);
  assert_at_most(w.passive, tolerance); // gravity compensation carries the masses
}

// The model with the inertia of its rotors left out, as MuJoCo reads a URDF.
static void compare_without_rotors(Reference* ref, const hfModel* model) {
  hfParams* params = NULL;
  assert_int_equal(hf_params_create(&params, model, NULL), HF_OK);
  memset(hf_params_field(params, HF_FIELD_dof_armature), 0, (size_t)model->nv * sizeof(double));
  assert_int_equal(hf_params_update(params, NULL), HF_OK);
  compare_model(ref, hf_params_model(params));
  hf_params_free(params);
}

// MuJoCo and we may both refuse a model; we must then name a file that is not there.
static void test_model(void** state) {
  int index = (int)(intptr_t)*state;
  if (!have_reference) skip();
  char path[512], message[1024] = "";
  snprintf(path, sizeof path, "%s/%d.txt", folder, index);
  Reference ref = {.in = fopen(path, "r")};
  assert_non_null(ref.in);
  int refused = fscanf(ref.in, "refused %1023[^\n]", message) == 1;
  if (!refused) rewind(ref.in);
  hfModel* model = NULL;
  hfError error = {HF_OK, ""};
  hfImportConfig config = hf_import_config_default();
  config.urdf_actuators = HF_URDF_NONE; // MuJoCo reads no transmissions: neither actuators nor rotors
  hfStatus status = hf_model_load(&model, models[index], &config, NULL, &error);
  printf("%s\n", models[index]);
  if (status != HF_OK) printf("  refused: %s\n", error.message);
  if (status != HF_OK) assert_true(refused && strstr(error.message, "there is no such file"));
  else if (refused) {
    printf("  not in MuJoCo: %.200s\n", message);
    assert_below(index, published_count); // our own models are made for the comparison
  }
  else if (strstr(models[index], ".urdf")) compare_without_rotors(&ref, model);
  else compare_model(&ref, model);
  fclose(ref.in);
  hf_model_free(model);
}

// A folder that is named, but is empty or is not the one meant, must not pass unseen.
static void test_published_models_are_there(void** state) {
  (void)state;
  assert_true(!*HF_SHARED_MODELS || published_count > 50);
}

static void remove_reference(void) {
  char path[512];
  for (int i = 0; i < model_count; ++i) {
    snprintf(path, sizeof path, "%s/%d.txt", folder, i);
    remove(path);
  }
  snprintf(path, sizeof path, "%s/log", folder);
  remove(path);
  remove(folder);
}

int main(void) {
  if (*HF_SHARED_MODELS) collect(HF_SHARED_MODELS);
  published_count = model_count;
  collect(HF_SOURCE_DIR "/models");
  collect(HF_SOURCE_DIR "/tests/data/import");
  make_reference();
  if (!have_reference) printf("skipped: no Python with mujoco (set HF_PEERS_PYTHON)\n");
  struct CMUnitTest* tests = calloc((size_t)model_count + 1, sizeof *tests);
  for (int i = 0; i < model_count; ++i) {
    struct CMUnitTest test = {strrchr(models[i], '/') + 1, test_model, NULL, NULL, (void*)(intptr_t)i};
    tests[i] = test;
  }
  struct CMUnitTest last = cmocka_unit_test(test_published_models_are_there);
  tests[model_count] = last;
  int failed = _cmocka_run_group_tests("peers/mujoco", tests, (size_t)model_count + 1, NULL, NULL);
  if (have_reference && !failed) remove_reference();
  for (int i = 0; i < model_count; ++i) free(models[i]);
  free(tests);
  return failed;
}
