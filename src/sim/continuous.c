// One step of continuous time: an integrator over the acceleration problem (continuous/continuous.h).
//
// Results are those at the end of the step: contacts, limits and equalities with their forces there, the
// acceleration there.
#include "sim/sim.h"

#include "continuous/continuous.h"
#include "switching/switching.h"

#include <string.h>

static const double SMALLEST = 1e-6; // step of the integrator, over that of the sim [-]
static const int64_t MOST = 1000000; // attempts in a step of the sim

hfStatus hfi_sim_create_continuous(hfSim* s, hfError* error) {
  const hfSimConfig* c = &s->config;
  hfAccelConfig accel = hf_accel_config_default();
  accel.friction = s->friction;
  accel.max_contacts = s->max_contacts;
  accel.scene_signals = c->scene_signals;
  accel.static_speed = c->static_speed;
  accel.theta_max = c->solver.theta_max;
  hfIntegratorConfig integrator = hf_integrator_config_default();
  integrator.method = c->method;
  integrator.error_control = c->continuous.accuracy > 0;
  integrator.accuracy = c->continuous.accuracy;
  integrator.step = s->h;
  integrator.smallest_step = SMALLEST * s->h;
  integrator.max_steps = MOST;
  integrator.newton = c->continuous.newton;
  integrator.tals = c->continuous.tals;
  integrator.jacobian = c->continuous.jacobian;
  integrator.newton_tolerance = c->solver.tolerance;
  return hfi_continuous_create(&s->continuous, s->model, &accel, &integrator, error);
}

hfStatus hfi_sim_create_switching(hfSim* s, hfError* error) {
  hfSwitchConfig c = s->config.switching;
  c.rigid.max_contacts = s->max_contacts;
  c.rigid.scene_signals = s->config.scene_signals;
  if (s->config.continuous.accuracy > 0) c.accuracy = s->config.continuous.accuracy;
  return hfi_switching_create(&s->switching, s->model, &c, s->h, error);
}

// ---- results -------------------------------------------------------------------------------------

static const hfAccel* accel_of(const hfSim* s) {
  return s->switching ? hfi_switching_accel(s->switching) : hfi_continuous_accel(s->continuous);
}

// Contacts that are only near carry nothing and are left out.
static void take_contacts(hfSim* s, hfStepReport* report) {
  const hfAccel* a = accel_of(s);
  s->ncontact = 0;
  s->stepped = 1;
  for (int i = 0; i < a->ncontact; ++i) {
    hfContact c = s->switching ? hfi_switching_contact(s->switching, i) : hfi_accel_contact_result(a, i);
    if (c.fn == 0 && c.depth <= 0) continue;
    s->contact[s->ncontact] = a->contact[i].at;
    s->result[s->ncontact++] = c;
    report->nstick += c.stick;
    report->max_depth = max2(report->max_depth, c.depth);
  }
  report->ncontact = s->ncontact;
}

static void take_constraints(hfSim* s) {
  const hfAccel* a = accel_of(s);
  hfi_sim_clear_constraint_forces(s);
  for (int i = 0; i < a->nstop; ++i)
    if (a->stop[i].joint >= 0) s->limit_force[a->stop[i].joint] += fabs(a->stop[i].force);
  for (int i = 0, row = 0; i < s->model->neq; row += a->equality[i++].dim)
    memcpy(s->equality_force + 6 * i, a->lambda + row, sizeof *a->lambda * (size_t)a->equality[i].dim);
}

// Kinematics, controls and actuator forces of the end.
static void take_motion(hfSim* s, const hfState* state, const hfInput* in) {
  hfi_sim_pose(s, hf_state_q(state), in);
  hf_dynamics_velocity(&s->dynamics, hf_state_v(state));
  hfi_sim_input(s, state, in);
  hf_actuation_update(&s->actuation, &s->dynamics, hf_state_q(state));
  hf_actuation_forces(&s->actuation, hf_state_act(state), s->ctrl, 0);
  hfi_rows_clear(&s->actuation.rows);
  const double* vdot = s->switching ? hfi_switching_vdot(s->switching) : hfi_continuous_vdot(s->continuous);
  memcpy(s->acceleration, vdot, sizeof *s->acceleration * (size_t)s->model->nv);
}

hfStatus hfi_sim_step_continuous(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report,
                                 hfError* error) {
  const hfAccel* a = accel_of(s);
  int64_t dropped = hf_accel_statistics(a).dropped;
  hfStatus status = s->switching ? hfi_switching_step(s->switching, state, in, s->h, error)
                                 : hfi_continuous_step(s->continuous, state, in, s->h, error);
  if (status < 0) return status;
  report->continuous = s->switching ? hfi_switching_integration(s->switching) : hfi_continuous_report(s->continuous);
  if (s->switching) report->switching = hfi_switching_report(s->switching);
  report->solve.iterations = (int32_t)report->continuous.iterations;
  report->solve.limited = (int32_t)report->continuous.limited;
  report->ndropped = (int32_t)(hf_accel_statistics(a).dropped - dropped);
  report->status = status == HF_OK && report->ndropped ? HF_OVERFLOW : status;
  take_contacts(s, report);
  take_motion(s, state, in);
  if (s->model->nsensor) {
    take_constraints(s);
    hfi_sim_sense(s, state, in, 1);
  }
  return report->status;
}
