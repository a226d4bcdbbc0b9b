// The methods of continuous time for the table of methods: options of a sim become those of the parts.
#include "methods/continuous/continuous.h"

#include <string.h>

// The shortest step of the integrator over that of the sim [-], and the largest number of its attempts in one step of the sim. Under error control,
// kinks of the laws may need much shorter steps than those into which a fixed step is divided.
static const double SMALLEST_STEP = 1e-6, SMALLEST_CONTROLLED = 1e-9; // [-]
static const int64_t MOST_STEPS = 2000, MOST_CONTROLLED = 20000;
static const double VELOCITY_TIME = 1;     // Errors of velocities count as those of positions [s].

hfAccelConfig hfi_accel_config_of(const hfSimConfig* config) {
  hfAccelConfig accel = hf_accel_config_default();
  accel.friction = config->friction;
  accel.static_speed = config->static_speed;
  accel.theta_max = config->solver.theta_max;
  return accel;
}

static hfStatus create(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  hfAccelConfig accel = hfi_accel_config_of(config);
  if (accel.friction == HF_FRICTION_ANCHORED && config->method == HF_METHOD_RK3) accel.reach = HFI_FOLLOWED_GAP;
  hfIntegratorConfig integrator = hf_integrator_config_default();
  integrator.method = config->method;
  integrator.error_control = config->accuracy > 0;
  integrator.accuracy = config->accuracy;
  integrator.step = config->step;
  integrator.smallest_step = (config->accuracy > 0 ? SMALLEST_CONTROLLED : SMALLEST_STEP) * config->step;
  integrator.max_steps = config->accuracy > 0 ? MOST_CONTROLLED : MOST_STEPS;
  integrator.newton = config->continuous.newton;
  integrator.tals = config->continuous.tals;
  integrator.jacobian = config->continuous.jacobian;
  integrator.newton_tolerance = config->solver.tolerance;
  hfiContinuous* c = NULL;
  hfStatus status = hfi_continuous_create(&c, world, &accel, &integrator, VELOCITY_TIME, error);
  if (status == HF_OK) *method = c;
  return status;
}

static void free_method(void* method) { hfi_continuous_free(method); }

void hfi_continuous_results(hfiContinuous* c, hfStatus status, int64_t dropped, hfiStepOutput* out) {
  const hfAccel* a = c->accel;
  hfIntegratorReport integration = hfi_continuous_report(c);
  hfi_accel_report(a, status, &integration, dropped, out->report);
  c->ncontact = 0;
  for (int i = 0; i < a->ncontact; ++i)
    hfi_accel_keep_contact(hfi_accel_read_contact(&a->contact[i]), c->contact, &c->ncontact, out->report);
  hfi_accel_constraint_forces(a, out);
  memcpy(out->acceleration, c->vdot, sizeof *c->vdot * (size_t)c->world->model->nv);
  out->taken = 1;
}

static hfStatus step(void* method, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  hfiContinuous* c = method;
  int64_t dropped = hf_accel_statistics(c->accel).dropped;
  hfStatus status = hfi_continuous_step(c, state, in, c->h, error);
  if (status < 0) return status;
  hfi_continuous_results(c, status, dropped, out);
  return out->report->status;
}

static int contact_count(const void* method) { return ((const hfiContinuous*)method)->ncontact; }
static hfContact contact(const void* method, int i) { return ((const hfiContinuous*)method)->contact[i]; }

const hfiMethod hfi_method_continuous = {0, 0, 0, create, free_method, step, contact_count, contact};
