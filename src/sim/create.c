// Creating a sim: options, a world, the method over it.
#include "methods/controlled/controlled.h"
#include "sim/sim.h"

#include "base/object.h"
#include "model/object.h"
#include "model/history.h"
#include "step/solve/solver.h"

// Whether the configuration or an actuator of the model asks for a drive by inverse dynamics.
static int any_inverse_drive(const hfSimConfig* c, const hfModel* m) {
  if (c->drive_law > HF_DRIVE_SERVO) return 1;
  for (int i = 0; i < m->nu; ++i)
    if (hf_model_actuator_drive(m)[i] != HF_DRIVE_SERVO) return 1;
  return 0;
}

// Takes the option `sleep` from the scene if the configuration leaves it open. If the method cannot let trees sleep, the option of a scene is ignored
// and that of a configuration refused.
static hfStatus choose_sleep(hfSimConfig* c, const hfWorld* w, hfError* error) {
  int able = (c->method == HF_METHOD_TAMSI || c->method == HF_METHOD_CONVEX) && c->accuracy == 0;
  if (c->sleep == 1 && !able)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED, "option sleep: only with the methods \"tamsi\" and \"convex\", and without an accuracy");
  if (c->sleep < 0) c->sleep = able && w->sleep;
  if (c->sleep_speed == 0) c->sleep_speed = w->sleep_speed;
  return HF_OK;
}

// Refuses a step so short that a delay would span more samples than a history holds. There is one sample for each step.
static hfStatus check_delays(const hfModel* m, double step, hfError* error) {
  for (int i = 0; m->nhistory && i < m->nu; ++i)
    if (!hfi_control_fits(m, i, step))
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "%s: a delay of %g s is more than its history of %d steps of %g s",
                        hfi_model_label(m, HF_OBJECT_ACTUATOR, i).text, hf_model_actuator_delay(m)[i], hf_model_actuator_nsample(m)[i], step);
  for (int i = 0; m->nhistory && i < m->nsensor; ++i)
    if (!hfi_samples_fit(m, i, step))
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "%s: a delay of %g s is more than its history of %d measurements in steps of %g s",
                        hfi_model_label(m, HF_OBJECT_SENSOR, i).text, hf_model_sensor_delay(m)[i], hf_model_sensor_nsample(m)[i], step);
  return HF_OK;
}

static hfStatus choose_options(hfSim* s, hfError* error) {
  hfSimConfig* c = &s->config;
  const hfWorld* w = &s->model->world;
  if (c->step == 0) c->step = w->timestep;
  if (c->method < 0) c->method = w->method;
  hfStatus status = hfi_config_check(c, error);
  if (status == HF_OK) status = hfi_config_check_idle(c, w, error);
  if (status != HF_OK) return status;
  if (c->friction < 0) c->friction = w->friction;
  if (!(c->step > 0))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "step must be positive, is %g", c->step);
  s->method = hfi_method_of(c);
  if (s->method->rigid)
    c->friction = HF_FRICTION_COULOMB;
  else if (c->friction == HF_FRICTION_COULOMB)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "friction \"coulomb\" belongs to the rigid methods");
  if (!s->method->inverse_drives && any_inverse_drive(c, s->model))
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "drives by inverse dynamics belong to the methods of discrete time");
  status = choose_sleep(c, w, error);
  if (status == HF_OK) status = check_delays(s->model, c->step, error);
  if (status != HF_OK) return status;
  if (c->method == HF_METHOD_CONVEX) c->solver.first_rung = HF_RUNG_CONVEX;
  return hfi_solver_config_check(&c->solver, error);
}

// Number of contact points for each geom of a pile. Boxes that lie flush in a block have 28 each: 12 at faces, 12 at edges and 4 at corners, where
// each point is shared by two boxes. Methods other than tamsi and convex have dense matrices, whose size grows with the square of this number: they
// get room for a pile without order.
enum { POINTS_IN_BLOCK = 32, POINTS_IN_PILE = 16 };

static hfStatus create_world(hfSim* s, hfError* error) {
  hfiWorldConfig config = {.max_contacts = s->config.max_contacts,
                           .scene_signals = s->config.scene_signals,
                           .drive_law = s->method->discrete ? s->config.drive_law : -1,
                           .mujoco_softness = s->config.mujoco_softness,
                           .allocator = s->config.allocator};
  hfStatus status = HF_OK;
  int a_geom = s->config.method == HF_METHOD_TAMSI || s->config.method == HF_METHOD_CONVEX ? POINTS_IN_BLOCK : POINTS_IN_PILE;
  if (config.max_contacts == 0) status = hfi_plan_contacts(s->model, a_geom, &config.max_contacts, error);
  return status == HF_OK ? hfi_world_create(&s->world, s->model, &config, error) : status;
}

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

// Whether some sensor reads the forces of limits and equalities: those of forces and of limits do.
static int any_constraint_sensor(const hfModel* m) {
  for (int i = 0; i < m->nsensor; ++i) {
    int type = hf_model_sensor_type(m)[i];
    if (type == HF_SENSOR_FORCE || type == HF_SENSOR_TORQUE || type == HF_SENSOR_JOINT_LIMIT_FORCE || type == HF_SENSOR_TENDON_LIMIT_FORCE) return 1;
  }
  return 0;
}

static void take_arrays(void* object, hfiArena* arena) {
  hfSim* s = object;
  const hfModel* m = s->model;
  s->sampled = m->nhistory ? HFI_TAKE(arena, double, m->nu) : NULL;
  s->ctrl = any_feedback(m) ? HFI_TAKE(arena, double, m->nu) : NULL;
  s->acceleration = HFI_TAKE(arena, double, m->nv);
  s->constraint = hfi_constraint_forces(m, arena);
  s->q0 = HFI_TAKE(arena, double, m->nq);
  s->v0 = HFI_TAKE(arena, double, m->nv);
  s->end_length = HFI_TAKE(arena, double, m->nu);
  s->sensor = HFI_TAKE(arena, double, m->nsensordata);
  s->later = HFI_TAKE(arena, hfiLaterSense, 1);
  s->sensed_v = HFI_TAKE(arena, double, m->nv);
  s->first = any_sensor_history(m) ? HFI_TAKE(arena, double, m->nsensordata) : NULL;
  s->visible = HFI_TAKE(arena, uint8_t, m->ngeom);
  s->contact = HFI_TAKE(arena, hfContact, s->world->config.max_contacts);
  hfi_still_take(s, arena);
}

static hfStatus create_method(hfSim* s, hfError* error) {
  hfi_still_init(s, any_inverse_drive(&s->config, s->model));
  for (int i = 0; i < s->model->ngeom; ++i) s->visible[i] = hf_model_geom_rgba(s->model)[4 * i + 3] != 0;
  hfStatus status = s->method->create(&s->run, s->world, &s->config, error);
  if (status != HF_OK) return status;
  if (!s->method->discrete) return hfi_discrete_create(&s->discrete, s->world, &s->config, NULL, error);
  s->discrete = s->method == &hfi_method_controlled ? ((hfiControlled*)s->run)->discrete : s->run;
  return HF_OK;
}

hfStatus hf_sim_create(hfSim** sim, const hfModel* model, const hfSimConfig* config,
                       hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hf_check_processor(error);
  if (status != HF_OK) return status;
  hfSim seed = {.model = model, .senses_constraints = any_constraint_sensor(model), .config = config ? *config : hf_sim_config_default()};
  status = choose_options(&seed, error);
  if (status == HF_OK) status = create_world(&seed, error);
  if (status != HF_OK) return status;
  hfSim* s = hfi_object_create(&seed, sizeof seed, take_arrays, &seed.config.allocator, "a sim", error);
  if (!s) {
    hfi_world_free(seed.world);
    return HF_ERROR_MEMORY;
  }
  status = create_method(s, error);
  if (status == HF_OK)
    *sim = s;
  else
    hf_sim_free(s);
  return status;
}

void hf_sim_free(hfSim* s) {
  if (!s) return;
  if (!s->method->discrete) hfi_discrete_free(s->discrete);
  if (s->run) s->method->free(s->run);
  hfi_world_free(s->world);
  hfi_release(s);
}
