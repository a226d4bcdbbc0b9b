// holdfast dynamics: mass matrix, bias, poses, forces, sensors and contacts at a given state.
#include "json.h"
#include "model_verb.h"
#include "near.h"

#include <stdio.h>
#include <stdlib.h>

static const struct argp_child children[] = {{&scene_argp, 0, 0, 0}, {&start_argp, 0, 0, 0}, {0}};
static const struct argp dynamics_argp = {
    model_options,
    parse_model_option,
    "MODEL",
    "Print the mass matrix M and the bias of M qacc + bias = tau, body poses, actuator forces, "
    "sensors and contacts of a model at a state.\vExamples:\n"
    "  holdfast dynamics models/iiwa14.xml --qpos \"0 0.6 0 -1.2 0 0.8 0\"\n"
    "  holdfast dynamics models/gripper_mug.xml --keyframe rim --json",
    children,
    0,
    0};

// ---- text --------------------------------------------------------------------------------------

// Prints a line with numbers.
static void print_vector(const char* name, const double* x, int count) {
  printf("%s:", name);
  for (int i = 0; i < count; ++i) printf(" %.9g", x[i]);
  printf("\n");
}

// Prints a matrix (n x n).
static void print_matrix(const double* M, int n) {
  printf("M:\n");
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) printf(" %13.6g", M[i * n + j]);
    printf("\n");
  }
}

// Prints the pose of each body.
static void print_poses(const hfModel* m, const hfDynamics* d) {
  printf("bodies (position [m], quaternion w x y z):\n");
  for (int b = 0; b < m->nbody; ++b) {
    char buffer[HF_LABEL_SIZE];
    hfVec3 p = hf_dynamics_body_pose(d, b).p;
    hfQuat q = hf_dynamics_body_quat(d, b);

    printf("  %-20s %.6g %.6g %.6g  %.6g %.6g %.6g %.6g\n",
           hf_model_label(m, HF_OBJECT_BODY, b, buffer), p.x, p.y, p.z, q.w, q.x, q.y, q.z);
  }
}

// Prints the forces of actuators, the sensors and the contacts.
static void print_readings(const hfModel* m, const hfSim* sim) {
  char a[HF_LABEL_SIZE], b[HF_LABEL_SIZE];
  for (int i = 0; i < m->nu; ++i) {
    const char* name = hf_model_label(m, HF_OBJECT_ACTUATOR, i, a);
    printf("actuator %s: %.6g\n", name, hf_sim_actuator_force(sim)[i]);
  }

  for (int i = 0; i < m->nsensor; ++i) {
    const char* name = hf_model_label(m, HF_OBJECT_SENSOR, i, a);
    printf("sensor ");
    print_vector(name, hf_sim_sensors(sim) + hf_model_sensor_adr(m)[i], hf_model_sensor_dim(m)[i]);
  }

  for (int i = 0; i < hf_sim_contact_count(sim); ++i) {
    hfContact c = hf_sim_contact(sim, i);
    printf("contact %s - %s: at %.6g %.6g %.6g, normal %.6g %.6g %.6g, depth %.6g m\n",
           hf_model_label(m, HF_OBJECT_GEOM, c.geom_a, a), hf_model_label(m, HF_OBJECT_GEOM, c.geom_b, b),
           c.p_W.x, c.p_W.y, c.p_W.z, c.n_W.x, c.n_W.y, c.n_W.z, c.depth);
  }
}

// Prints everything as text. M: the mass matrix (nv x nv).
static void print_dynamics(const hfModel* m, const hfSim* sim, const hfState* state, const double* M) {
  enum { LARGEST_MATRIX = 12 }; // larger matrices are printed with --json only
  const hfDynamics* d = hf_sim_dynamics(sim);
  printf("nq %d, nv %d\n", m->nq, m->nv);
  print_vector("qpos", hf_state_q(state), m->nq);
  print_vector("qvel", hf_state_v(state), m->nv);

  if (m->nv <= LARGEST_MATRIX)
    print_matrix(M, m->nv);
  else
    printf("M: %d x %d, see --json\n", m->nv, m->nv);

  print_vector("bias", hf_dynamics_bias(d), m->nv);
  print_poses(m, d);
  print_readings(m, sim);
}

// ---- JSON --------------------------------------------------------------------------------------

// The pose of each body.
static json_t* poses_json(const hfModel* m, const hfDynamics* d) {
  json_t* array = json_array();

  for (int b = 0; b < m->nbody; ++b) {
    char buffer[HF_LABEL_SIZE];
    json_t* o = json_object();
    json_object_set_new(o, "name", json_string(hf_model_label(m, HF_OBJECT_BODY, b, buffer)));
    json_object_set_new(o, "pos", json_vec3(hf_dynamics_body_pose(d, b).p));
    json_object_set_new(o, "quat", json_quat(hf_dynamics_body_quat(d, b)));
    json_array_append_new(array, o);
  }

  return array;
}

// Prints everything as JSON. M: the mass matrix (nv x nv). Returns the exit status.
static int print_dynamics_json(const hfModel* m, const hfSim* sim, const hfState* state, const double* M) {
  const hfDynamics* d = hf_sim_dynamics(sim);
  json_t* rows = json_array();
  for (int i = 0; i < m->nv; ++i)
    json_array_append_new(rows, json_numbers(M + (size_t)i * (size_t)m->nv, m->nv));

  json_t* o = json_object();
  json_object_set_new(o, "nq", json_integer(m->nq));
  json_object_set_new(o, "nv", json_integer(m->nv));
  json_object_set_new(o, "qpos", json_numbers(hf_state_q(state), m->nq));
  json_object_set_new(o, "qvel", json_numbers(hf_state_v(state), m->nv));
  json_object_set_new(o, "M", rows);
  json_object_set_new(o, "bias", json_numbers(hf_dynamics_bias(d), m->nv));
  json_object_set_new(o, "bodies", poses_json(m, d));
  json_object_set_new(o, "actuator_force", json_numbers(hf_sim_actuator_force(sim), m->nu));
  json_object_set_new(o, "sensors", json_sensors(sim, m));
  json_object_set_new(o, "contacts", json_contacts(sim, m));
  return print_json(o);
}

// ---- the verb --------------------------------------------------------------------------------

// Evaluates the sim at a start and prints the result. Returns the exit status.
static int evaluate(const modelArguments* a, const hfModel* m, hfSim* sim, const start* begin) {
  hfError error = {HF_OK, ""};
  if (hf_sim_evaluate(sim, begin->state, begin->input, &error) < 0) {
    say_error("%s", error.message);
    return CLI_FAILED;
  }

  double* M = malloc(((size_t)m->nv * (size_t)m->nv + 1) * sizeof *M);
  if (!M) {
    say_error("out of memory");
    return CLI_FAILED;
  }
  hf_dynamics_dense_mass_matrix(hf_sim_dynamics(sim), M);

  int printed = CLI_GOOD;
  if (a->json)
    printed = print_dynamics_json(m, sim, begin->state, M);
  else
    print_dynamics(m, sim, begin->state, M);
  free(M);
  return printed;
}

// Makes the start and the sim, and prints the dynamics. arguments: the modelArguments. Returns the exit status.
static int show_dynamics(const void* arguments, const hfModel* m) {
  const modelArguments* a = arguments;
  start begin;
  hfSim* sim = NULL;

  int status = make_start(&a->start, m, &begin);
  if (status == CLI_GOOD) {
    // without controls of its own the sim takes the scene's signals, or zeros
    if (!a->start.ctrl && !a->start.keyframe) begin.input->ctrl = NULL;

    hfError error = {HF_OK, ""};
    hfSimConfig config = hf_sim_config_default();
    hfStatus created = hf_sim_create(&sim, m, &config, &error);
    if (created < 0) say_error("%s", error.message);
    status = exit_status_of(created);
  }
  if (status == CLI_GOOD) status = evaluate(a, m, sim, &begin);

  hf_sim_free(sim);
  free_start(&begin);
  return status;
}

int verb_dynamics(int argc, char** argv) {
  modelArguments a;
  parse_arguments(&dynamics_argp, argc, argv, &a);
  return with_scene(&a.scene, show_dynamics, &a);
}
