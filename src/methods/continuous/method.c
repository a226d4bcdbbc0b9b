// The methods of continuous time for the table of methods: options of a sim become those of the parts.
#include "methods/continuous/continuous.h"

// The shortest step of the integrator over the step of the sim [-], and the largest number of its attempts in one step
// of the sim. Under error control, kinks of the laws may need much shorter steps than those into which a fixed step is
// divided.
static const double SMALLEST_FIXED_STEP_SHARE = 1e-6;
static const double SMALLEST_CONTROLLED_STEP_SHARE = 1e-9;
static const int64_t MOST_FIXED_STEPS = 2000;
static const int64_t MOST_CONTROLLED_STEPS = 20000;
// Errors of velocities count as those of positions over this time [s].
static const double VELOCITY_TIME = 1;

// The options of the accel for the configuration of a sim.
hfAccelConfig hfi_accel_config_of(const hfSimConfig* config) {
  hfAccelConfig accel = hf_accel_config_default();
  accel.friction = config->friction;
  accel.static_speed = config->static_speed;
  accel.theta_max = config->solver.theta_max;
  return accel;
}

// Creates a method of continuous time: rk3, implicit-euler or sdirk. rk3 follows contacts from a gap of
// HFI_FOLLOWED_GAP on if their deformations are coordinates of the equation.
static hfStatus create(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  hfAccelConfig accel = hfi_accel_config_of(config);
  if (accel.friction == HF_FRICTION_ANCHORED && config->method == HF_METHOD_RK3) accel.reach = HFI_FOLLOWED_GAP;

  int is_controlled = config->accuracy > 0;
  // the integrator
  hfIntegratorConfig integrator = hf_integrator_config_default();
  integrator.method = config->method;
  integrator.error_control = is_controlled;
  integrator.accuracy = config->accuracy;
  integrator.step = config->step;
  integrator.smallest_step = SMALLEST_FIXED_STEP_SHARE * config->step;
  integrator.max_steps = MOST_FIXED_STEPS;
  if (is_controlled) {
    integrator.smallest_step = SMALLEST_CONTROLLED_STEP_SHARE * config->step;
    integrator.max_steps = MOST_CONTROLLED_STEPS;
  }
  integrator.newton = config->continuous.newton;
  integrator.tals = config->continuous.tals;
  integrator.jacobian = config->continuous.jacobian;
  integrator.newton_tolerance = config->solver.tolerance;

  hfiContinuous* continuous = NULL;
  hfStatus status = hfi_continuous_create(&continuous, world, &accel, &integrator, VELOCITY_TIME, error);
  if (status == HF_OK) *method = continuous;
  return status;
}

static void free_method(void* method) { hfi_continuous_free(method); }

// One step of a sim.
static hfStatus step(void* method, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  hfiContinuous* continuous = method;
  int64_t dropped = hf_accel_statistics(continuous->accel).dropped;
  hfStatus status = hfi_continuous_step(continuous, state, in, continuous->h, error);
  if (status < 0) return status;

  hfi_continuous_compute_results(continuous, status, dropped, out);
  return out->report->status;
}

static int contact_count(const void* method) { return ((const hfiContinuous*)method)->ncontact; }

static hfContact contact(const void* method, int i) { return ((const hfiContinuous*)method)->contact[i]; }

// ---- energy -----------------------------------------------------------------------------------------

// Speed at which the two bodies of a contact part [m/s].
static double parting_speed(const hfDynamics* dynamics, const hfiContact* contact) {
  hfMotion a = hf_dynamics_point_velocity(dynamics, contact->body_a, contact->p_W);
  hfMotion b = hf_dynamics_point_velocity(dynamics, contact->body_b, contact->p_W);
  return v3_dot(contact->n, v3_sub(a.v, b.v));
}

// What overlaps and limits hold at positions q, where the world is. The accel keeps copies of its contacts, so that the
// world may search for contacts at another state.
static hfiHeldEnergy held_energy(void* method, const double* q) {
  const hfiContinuous* continuous = method;
  hfiWorld* world = continuous->world;
  hfiHeldEnergy held = {.limits = hfi_accel_limit_energy(continuous->accel, q)};

  hfi_near_find(&world->near, 0, 0, NULL);
  for (int i = 0; i < world->near.ncontact; ++i) {
    const hfiContact* contact = &world->near.contact[i];
    double depth = max2(contact->depth, 0);
    double force = contact->material.stiffness * depth;
    held.overlaps += 0.5 * force * depth;
    held.power += force * max2(parting_speed(&world->dynamics, contact), 0);
  }
  return held;
}

// What equalities may add to the motion while they close [J].
static double closing_energy(const void* method) {
  return hfi_accel_release_energy(((const hfiContinuous*)method)->accel);
}

const hfiMethod hfi_method_continuous = {
    .traits = HFI_CONTINUOUS_TIME,
    .create = create,
    .free = free_method,
    .step = step,
    .contact_count = contact_count,
    .contact = contact,
    .energy = {.held = held_energy, .closing = closing_energy},
};
