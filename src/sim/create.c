// Creating a sim: options, a world, the method over it.
#include "sim/inside.h"

#include "base/object.h"
#include "model/history.h"
#include "model/object.h"
#include "step/solve/solver.h"

// ---- options ----------------------------------------------------------------------------------------

// Whether the configuration or an actuator of the model asks for a drive by inverse dynamics.
static int any_inverse_drive(const hfSimConfig* c, const hfModel* m) {
  if (c->drive_law > HF_DRIVE_SERVO) return 1;
  for (int i = 0; i < m->nu; ++i)
    if (hf_model_actuator_drive(m)[i] != HF_DRIVE_SERVO) return 1;
  return 0;
}

// Refuses a step [s] so short that a delay would span more samples than a history holds: it has one for each step.
static hfStatus check_delays(const hfModel* m, double step, hfError* error) {
  if (!m->nhistory) return HF_OK;

  for (int i = 0; i < m->nu; ++i)
    if (!hfi_control_fits(m, i, step))
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "%s: a delay of %g s is more than its history of %d steps of %g s",
                        hfi_model_label(m, HF_OBJECT_ACTUATOR, i).text, hf_model_actuator_delay(m)[i],
                        hf_model_actuator_nsample(m)[i], step);

  for (int i = 0; i < m->nsensor; ++i)
    if (!hfi_samples_fit(m, i, step))
      return hfi_refuse(error, HF_ERROR_ARGUMENT,
                        "%s: a delay of %g s is more than its history of %d measurements in steps of %g s",
                        hfi_model_label(m, HF_OBJECT_SENSOR, i).text, hf_model_sensor_delay(m)[i],
                        hf_model_sensor_nsample(m)[i], step);
  return HF_OK;
}

// Refuses a configuration that hf_sim_config_default has not made, or that was made with headers of another version.
static hfStatus check_headers(const hfSimConfig* c, hfError* error) {
  if (c->headers <= 0)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "the configuration is not set up: begin with hf_sim_config_default and change its fields");

  int number = c->headers - 1;
  return hf_check_version(number / 1000000, number / 1000 % 1000, -1, error);
}

// Completes s->config from the scene and finds s->method. Refuses options that contradict each other or that the method
// does not have.
static hfStatus choose_options(hfSim* s, hfError* error) {
  hfSimConfig* c = &s->config;
  const hfWorld* w = &s->model->world;
  hfStatus made = check_headers(c, error);
  if (made != HF_OK) return made;

  // zero or negative: what the scene says
  if (c->step == 0) c->step = w->timestep;
  if (c->method < 0) c->method = w->method;

  hfStatus status = hfi_config_check(c, error);
  if (status == HF_OK) status = hfi_config_check_idle(c, w, error);
  if (status != HF_OK) return status;
  if (!(c->step > 0)) return hfi_refuse(error, HF_ERROR_ARGUMENT, "step must be positive, is %g", c->step);

  // the method, and the friction and drives that it allows
  s->method = hfi_method_of(c);
  if (c->friction < 0) c->friction = w->friction;
  if (hfi_method_is(s->method, HFI_COULOMB_FRICTION)) c->friction = HF_FRICTION_COULOMB;
  else if (c->friction == HF_FRICTION_COULOMB)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "friction \"coulomb\" belongs to the rigid methods");
  if (!hfi_method_is(s->method, HFI_INVERSE_DRIVES) && any_inverse_drive(c, s->model))
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED, "drives by inverse dynamics belong to the methods of discrete time");

  status = hfi_sim_check_restitution(s, error);
  if (status != HF_OK) return status;

  // sleep: a method that cannot let trees sleep ignores the option of a scene and refuses the option of a configuration
  int can_sleep = hfi_method_is(s->method, HFI_LETS_SLEEP);
  if (c->sleep == 1 && !can_sleep)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "option sleep: only with the methods \"tamsi\" and \"convex\", and without an accuracy");
  if (c->sleep < 0) c->sleep = can_sleep && w->sleep;
  if (c->sleep_speed == 0) c->sleep_speed = w->sleep_speed;

  status = check_delays(s->model, c->step, error);
  if (status != HF_OK) return status;
  if (hfi_method_rung(c->method) != HF_RUNG_NONE) c->solver.first_rung = hfi_method_rung(c->method);
  return hfi_solver_config_check(&c->solver, error);
}

// ---- the world ----------------------------------------------------------------------------------------

// Number of contact points for each geom of a pile [-]. Boxes that lie flush in a block have 28 each: 12 at faces, 12
// at edges and 4 at corners, where each point is shared by two boxes. Methods with dense matrices, whose size grows
// with the square of this number, get room for a pile without order.
enum { POINTS_IN_BLOCK = 32, POINTS_IN_PILE = 16 };

// How long a thread waits for more work on a heap before it sleeps [ns]. In an iteration the caller works alone for 0.2
// ms at most, while it factors the trunk of a heap of 1000 bodies.
static const long STEP_THREAD_WAIT = 500000;

// Creates the threads that share a step, if the model has work for them.
static hfStatus create_threads(hfSim* s, hfError* error) {
  int count = hfi_discrete_useful_threads(s->model, s->config.threads);
  return count > 1 ? hfi_threads_create(&s->threads, count, STEP_THREAD_WAIT, error) : HF_OK;
}

// Creates s->world. A configuration that leaves the number of contacts open gets room for a pile of all geoms.
static hfStatus create_world(hfSim* s, hfError* error) {
  hfiWorldConfig config = {.max_contacts = s->config.max_contacts,
                           .scene_signals = s->config.scene_signals,
                           .drive_law = hfi_method_is(s->method, HFI_DISCRETE_TIME) ? s->config.drive_law : -1,
                           .mujoco_softness = s->config.mujoco_softness,
                           .allocator = s->config.allocator,
                           .workers = hfi_threads_workers(s->threads)};

  if (config.max_contacts == 0) {
    int points = hfi_method_is(s->method, HFI_SPARSE_HEAPS) ? POINTS_IN_BLOCK : POINTS_IN_PILE;
    hfStatus status = hfi_plan_contacts(s->model, points, &config.max_contacts, error);
    if (status != HF_OK) return status;
  }

  return hfi_world_create(&s->world, s->model, &config, error);
}

// ---- the sim ------------------------------------------------------------------------------------------

// Whether a signal of the scene reads the state.
static int any_feedback(const hfModel* m) {
  for (int i = 0; i < m->nsignal; ++i)
    if (hf_model_signal_type(m)[i] == HF_SIGNAL_FEEDBACK) return 1;
  return 0;
}

static int any_sensor_history(const hfModel* m) {
  for (int i = 0; i < m->nsensor; ++i)
    if (hf_model_sensor_nsample(m)[i] > 0) return 1;
  return 0;
}

// Whether some sensor reads the forces of limits and equalities: sensors of forces and of limits do.
static int any_constraint_sensor(const hfModel* m) {
  for (int i = 0; i < m->nsensor; ++i) {
    int type = hf_model_sensor_type(m)[i];
    if (type == HF_SENSOR_FORCE || type == HF_SENSOR_TORQUE) return 1;
    if (type == HF_SENSOR_JOINT_LIMIT_FORCE || type == HF_SENSOR_TENDON_LIMIT_FORCE) return 1;
  }
  return 0;
}

// Takes the arrays of a sim from its memory. The world exists; `object` is the hfSim.
static void take_arrays(void* object, hfiArena* arena) {
  hfSim* s = object;
  const hfModel* m = s->model;
  s->acceleration = HFI_TAKE(arena, double, m->nv);
  s->applied = HFI_TAKE(arena, double, m->nv);
  s->constraint = hfi_constraint_forces(m, arena);

  s->input.sampled = m->nhistory ? HFI_TAKE(arena, double, m->nu) : NULL;
  s->input.ctrl = any_feedback(m) ? HFI_TAKE(arena, double, m->nu) : NULL;

  s->sensors.value = HFI_TAKE(arena, double, m->nsensordata);
  s->sensors.later = HFI_TAKE(arena, hfiLaterSense, 1);
  s->sensors.later_v = HFI_TAKE(arena, double, m->nv);
  s->sensors.first = any_sensor_history(m) ? HFI_TAKE(arena, double, m->nsensordata) : NULL;
  s->sensors.visible = HFI_TAKE(arena, uint8_t, m->ngeom);
  s->sensors.contact = HFI_TAKE(arena, hfContact, s->world->config.max_contacts);

  s->judge.q = HFI_TAKE(arena, double, m->nq);
  s->judge.v = HFI_TAKE(arena, double, m->nv);
  s->judge.end_length = HFI_TAKE(arena, double, m->nu);
}

// Creates the method's scratch, and a maker of step problems if the method has none.
static hfStatus create_method(hfSim* s, hfError* error) {
  hfStatus status = s->method->create(&s->run, s->world, &s->config, error);
  if (status != HF_OK) return status;

  if (s->method->problem_maker) {
    s->maker = s->method->problem_maker(s->run);
    return HF_OK;
  }

  status = hfi_discrete_create(&s->own_maker, s->world, &s->config, NULL, error);
  s->maker = s->own_maker;
  return status;
}

// Creates a sim of a model. The parts are created in the order of their needs: options, threads, world, arrays, method.
// Without a configuration it has the default.
hfStatus hf_sim_create(hfSim** sim, const hfModel* model, const hfSimConfig* config, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hf_check_processor(error);
  if (status != HF_OK) return status;

  // parts that must exist before the sim has memory stand in `seed`, which is then copied
  hfSim seed = {.model = model, .config = config ? *config : hf_sim_config_default()};
  seed.sensors.reads_constraints = any_constraint_sensor(model);
  status = choose_options(&seed, error);
  if (status == HF_OK) status = create_threads(&seed, error);
  if (status == HF_OK) status = create_world(&seed, error);

  hfSim* s = NULL;
  if (status == HF_OK) s = hfi_object_create(&seed, sizeof seed, take_arrays, &seed.config.allocator, "a sim", error);
  if (!s) {
    hfi_world_free(seed.world);
    hfi_threads_free(seed.threads);
    return status == HF_OK ? HF_ERROR_MEMORY : status;
  }

  // sensors see geoms that are not transparent
  for (int i = 0; i < model->ngeom; ++i) s->sensors.visible[i] = hf_model_geom_rgba(model)[4 * i + 3] != 0;
  status = create_method(s, error);
  if (status == HF_OK) *sim = s;
  else hf_sim_free(s);
  return status;
}

// Frees a sim, also one whose creation was given up. s may be NULL.
void hf_sim_free(hfSim* s) {
  if (!s) return;
  hfi_discrete_free(s->own_maker);
  if (s->run) s->method->free(s->run);
  hfi_world_free(s->world);
  hfi_threads_free(s->threads);
  hfi_release(s);
}
