// One step of continuous time.
//
//   x = (q, v, act) -> integrator from t to t + h -> q, v, act, contact memory, time
//
// The integrator starts again in every step, with the whole step as its first try. So the result depends on state and
// input alone, not on the sim that steps. Results are those at the end of the step: contacts, limits and equalities
// with their forces, and the acceleration.
#include "methods/continuous/continuous.h"

#include "methods/continuous/inside.h"

#include "base/object.h"
#include "linalg/dense.h"
#include "methods/ode/ode.h"
#include "step/contact/contact.h"
#include "step/law/law.h"

#include <string.h>

// ---- creation ---------------------------------------------------------------------------------------

// Plans or takes the arrays: the largest state, accelerations, contacts.
static void take_arrays(void* object, hfiArena* arena) {
  hfiContinuous* continuous = object;
  const hfModel* model = continuous->world->model;
  int contacts = continuous->world->config.max_contacts;
  continuous->x = HFI_TAKE(arena, double, model->nq + model->nv + model->na + 6 * contacts);
  continuous->vdot = HFI_TAKE(arena, double, model->nv);
  continuous->contact = HFI_TAKE(arena, hfContact, contacts);
}

// Creates the accel and the integrator over a world. An explicit integrator follows deformations as coordinates.
hfStatus hfi_continuous_create(hfiContinuous** result, hfiWorld* world, const hfAccelConfig* accel,
                               const hfIntegratorConfig* integrator, double velocity_time, hfError* error) {
  hfiContinuous seed = {.world = world, .h = integrator->step};
  hfiContinuous* continuous =
      hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "continuous time", error);
  if (!continuous) return HF_ERROR_MEMORY;

  hfStatus status = hfi_accel_create(&continuous->accel, world, accel, error);
  if (status == HF_OK && world->model->nv > 0) {
    // an explicit method follows deformations as coordinates
    int is_explicit = hfi_butcher(integrator->method)->gamma == 0;
    continuous->accel->deformations.is_active = accel->friction == HF_FRICTION_ANCHORED && is_explicit;

    hfi_accel_set_weights(continuous->accel, velocity_time);
    hfOde ode = hfi_accel_ode_with_memory(continuous->accel);
    hfIntegratorConfig config = *integrator;
    config.allocator = world->config.allocator;
    status = hf_integrator_create(&continuous->integrator, &ode, &config, error);
  }

  if (status == HF_OK) *result = continuous;
  else hfi_continuous_free(continuous);
  return status;
}

void hfi_continuous_free(hfiContinuous* continuous) {
  if (!continuous) return;
  hf_integrator_free(continuous->integrator);
  hf_accel_free(continuous->accel);
  hfi_release(continuous);
}

// What the integrator did in the last step; nothing if nothing can move.
hfIntegratorReport hfi_continuous_report(const hfiContinuous* continuous) {
  hfIntegratorReport none = {0};
  return continuous->integrator ? hf_integrator_report(continuous->integrator) : none;
}

// ---- the step ---------------------------------------------------------------------------------------

// Gives the integrator the equation with the deformations of the present contacts, and the accel the state whose memory
// it renews.
static void prepare_integrator(hfiContinuous* continuous, hfState* state) {
  const hfModel* model = continuous->world->model;
  hfAccel* accel = continuous->accel;
  int n = 2 * model->nv + model->na;
  int nx = model->nq + model->nv + model->na;

  accel->equation.keeper = (hfiKeeper){.state = state};
  if (accel->deformations.is_active) hfi_accel_read_deformations(accel, continuous->x + nx);
  accel->deformations.now = continuous->x + nx;

  hfi_integrator_resize(continuous->integrator, nx + accel->deformations.count, n + accel->deformations.count);
}

// Advances a state by h or, on trouble (status > 0), to the end of the last accepted step.
hfStatus hfi_continuous_step(hfiContinuous* continuous, hfState* state, const hfInput* input, double h,
                             hfError* error) {
  hfAccel* accel = continuous->accel;
  double t = state->time;
  double end = t + h;
  hfStatus status = HF_OK;

  // begin at the state
  accel->anchors.span = h;
  hf_accel_begin(accel, state, input);
  hfi_state_load(state, continuous->x);

  // integrate
  if (continuous->integrator) {
    prepare_integrator(continuous, state);
    hf_integrator_set_next_step(continuous->integrator, continuous->first > 0 ? min2(continuous->first, h) : h);
    status = hf_integrator_advance(continuous->integrator, &t, continuous->x, end, error);
  } else {
    t = end;
  }

  if (status < 0) return status;
  hfi_state_store(state, continuous->x);
  state->time = t;

  // results at the end; the contact memory was renewed after the integrator's last step
  const double* act = state->na ? hf_state_act(state) : NULL;
  hfStatus evaluation = hf_accel_rate(accel, t, hf_state_q(state), hf_state_v(state), act, continuous->vdot, NULL);
  if (evaluation == HF_OK && accel->equation.keeper.forgotten) evaluation = HF_OVERFLOW;
  return status ? status : evaluation;
}

// ---- results ----------------------------------------------------------------------------------------

// A contact of the last evaluation, as a sim reports it.
hfContact hfi_accel_read_contact(const hfiAccelContact* contact) {
  hfContact r = hfi_contact_result(contact->source);
  hfi_contact_result_force(&r, contact->source, contact->dim, contact->f);
  hfi_contact_result_velocity(&r, contact->source, contact->dim, contact->s);
  if (contact->dim >= 3) r.mu = contact->law.mu[HF_SLIDING];
  r.stick = hfi_accel_contact_sticks(contact);
  return r;
}

// Appends a contact to the n contacts of the list and to the report, unless it is open and has no force.
void hfi_accel_keep_contact(hfContact contact, hfContact* list, int32_t* n, hfStepReport* report) {
  if (contact.fn == 0 && contact.depth <= 0) return;

  list[(*n)++] = contact;
  report->ncontact = *n;
  report->nstick += contact.stick;
  report->max_depth = max2(report->max_depth, contact.depth);
}

// Writes the forces of limits, friction losses and equalities at the last evaluation to out->constraint, if a sensor
// reads them.
void hfi_accel_write_constraint_forces(const hfAccel* accel, hfiStepOutput* out) {
  const int nv = accel->model->nv;
  const hfiEqualityRows* rows = &accel->equalities;
  hfiConstraintForces* f = out->constraint;
  if (!f) return;

  // limits and friction losses; `tendon` has both of a tendon with their signs, the sums of limits alone have sizes
  for (int i = 0; i < accel->stops.count; ++i) {
    const hfiStop* stop = &accel->stops.list[i];
    if (stop->joint >= 0) f->joint_limit[stop->joint] += fabs(stop->force);
    if (stop->tendon >= 0) f->tendon[stop->tendon] += stop->force;
    if (stop->tendon >= 0 && stop->is_limit) f->tendon_limit[stop->tendon] += fabs(stop->force);
  }

  // equalities: six numbers each, force and velocity of its rows
  int row = 0; // first row of equality i
  for (int i = 0; i < accel->model->neq; ++i) {
    for (int k = 0; k < rows->object[i].dim; ++k) {
      f->equality[6 * i + k] = rows->lambda[row + k];
      f->equality_speed[6 * i + k] = hfi_dot(rows->J + (row + k) * nv, accel->dynamics->v, nv);
    }
    row += rows->object[i].dim;
  }
}

// Fills the counts that all methods of continuous time report. dropped: number of contacts dropped before the step.
void hfi_accel_fill_report(const hfAccel* accel, hfStatus status, const hfIntegratorReport* integration,
                           int64_t dropped, hfStepReport* report) {
  report->continuous = *integration;
  report->solve.iterations = (int32_t)integration->iterations;
  report->solve.limited = (int32_t)integration->limited;
  report->ndropped = (int32_t)(hf_accel_statistics(accel).dropped - dropped);
  report->status = status == HF_OK && report->ndropped ? HF_OVERFLOW : status;
}

// Computes contacts, forces, accelerations and the report of the last step.
void hfi_continuous_compute_results(hfiContinuous* continuous, hfStatus status, int64_t dropped, hfiStepOutput* out) {
  const hfAccel* accel = continuous->accel;
  hfIntegratorReport integration = hfi_continuous_report(continuous);
  hfi_accel_fill_report(accel, status, &integration, dropped, out->report);

  continuous->ncontact = 0;
  for (int i = 0; i < accel->ncontact; ++i) {
    hfContact contact = hfi_accel_read_contact(&accel->contact[i]);
    hfi_accel_keep_contact(contact, continuous->contact, &continuous->ncontact, out->report);
  }

  hfi_accel_write_constraint_forces(accel, out);
  memcpy(out->acceleration, continuous->vdot, sizeof *continuous->vdot * (size_t)continuous->world->model->nv);
  out->taken = 1;
}
