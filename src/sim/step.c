// One step of discrete time.
//
//   kinematics at q0 -> M, bias -> forces and rows -> contacts -> step problem -> v1
//   q1 = q0 (+) h v1, activations, contact memory, time
#include "sim/sim.h"

#include "base/error.h"
#include "base/finite.h"
#include "solve/law.h"
#include "solve/solver.h"

#include <string.h>

// ---- input ---------------------------------------------------------------------------------------

// The dof's body and joint, for messages.
static hfStatus refuse_dof(const hfModel* m, int dof, const char* what, hfError* error) {
  return hfi_refuse(error, HF_ERROR_NONFINITE, "%s of joint \"%s\" on body \"%s\" is not finite",
                    what, hf_model_name(m, HF_OBJECT_JOINT, hf_model_dof_jnt(m)[dof]),
                    hf_model_name(m, HF_OBJECT_BODY, hf_model_dof_body(m)[dof]));
}

static hfStatus check_state(const hfSim* s, const hfState* state, hfError* error) {
  const hfModel* m = s->model;
  if (state->nq != m->nq || state->nv != m->nv || state->na != m->na)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "the state is of another model (nq %d, here %d)",
                      state->nq, m->nq);
  if (hfi_surely_finite(hf_state_q(state), m->nq) && hfi_surely_finite(hf_state_v(state), m->nv) &&
      hfi_surely_finite(hf_state_act(state), m->na))
    return HF_OK;
  for (int j = 0; j < m->njnt; ++j)
    for (int k = 0; k < (j + 1 < m->njnt ? hf_model_jnt_qposadr(m)[j + 1] : m->nq) -
                            hf_model_jnt_qposadr(m)[j];
         ++k)
      if (!isfinite(hf_state_q(state)[hf_model_jnt_qposadr(m)[j] + k]))
        return refuse_dof(m, hf_model_jnt_dofadr(m)[j], "position", error);
  for (int i = 0; i < m->nv; ++i)
    if (!isfinite(hf_state_v(state)[i])) return refuse_dof(m, i, "velocity", error);
  for (int i = 0; i < m->na; ++i)
    if (!isfinite(hf_state_act(state)[i]))
      return hfi_refuse(error, HF_ERROR_NONFINITE, "activation %d is not finite", i);
  return HF_OK;
}

static hfStatus check_array(const double* x, int n, const char* what, hfError* error) {
  if (!x || hfi_surely_finite(x, n)) return HF_OK;
  for (int i = 0; i < n; ++i)
    if (!isfinite(x[i]))
      return hfi_refuse(error, HF_ERROR_NONFINITE, "input %s[%d] is not finite", what, i);
  return HF_OK;
}

static hfStatus check_input(const hfSim* s, const hfInput* in, hfError* error) {
  const hfModel* m = s->model;
  if (!in) return HF_OK;
  const struct {
    const double* x;
    int n;
    const char* name;
  } arrays[] = {{in->ctrl, m->nu, "ctrl"},
                {in->force, m->nv, "force"},
                {(const double*)in->wrench, 6 * m->nbody, "wrench"},
                {in->mocap_pos, 3 * m->nmocap, "mocap_pos"},
                {in->mocap_quat, 4 * m->nmocap, "mocap_quat"}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    hfStatus status = check_array(arrays[i].x, arrays[i].n, arrays[i].name, error);
    if (status != HF_OK) return status;
  }
  return HF_OK;
}

// A target may be NaN (none) but not infinite.
static hfStatus check_targets(const hfSim* s, const double* target, hfError* error) {
  int refuses = s->continuous || s->switching;
  for (int i = 0; target && i < s->model->nv; ++i) {
    if (isnan(target[i])) continue;
    if (refuses)
      return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                        "velocity targets belong to the methods of discrete time");
    if (isinf(target[i])) return refuse_dof(s->model, i, "velocity target", error);
  }
  return HF_OK;
}

// A limit may be infinite but not negative.
static hfStatus check_limits(const hfSim* s, const double* limit, hfError* error) {
  for (int i = 0; limit && i < s->model->nv; ++i)
    if (!(limit[i] >= 0))
      return hfi_refuse(error, HF_ERROR_ARGUMENT,
                        "input force_limit[%d] = %g: must not be negative", i, limit[i]);
  return HF_OK;
}

hfStatus hfi_sim_check(const hfSim* s, const hfState* state, const hfInput* in, hfError* error) {
  hfStatus status = check_state(s, state, error);
  if (status == HF_OK) status = check_input(s, in, error);
  if (status == HF_OK && in) status = check_targets(s, in->velocity_target, error);
  return status == HF_OK && in ? check_limits(s, in->force_limit, error) : status;
}

// ---- stages --------------------------------------------------------------------------------------

// Poses at q, unless the last step ended with just these.
void hfi_sim_pose(hfSim* s, const double* q, const hfInput* in) {
  const hfModel* m = s->model;
  const double *pos = in ? in->mocap_pos : NULL, *quat = in ? in->mocap_quat : NULL;
  int same = s->posed && memcmp(q, s->posed_q, sizeof *q * (size_t)m->nq) == 0;
  for (int i = 0; same && i < m->nmocap; ++i) {
    int b = hf_model_mocap_body(m)[i];
    same = memcmp(pos ? pos + 3 * i : hf_model_body_pos(m) + 3 * b, s->posed_mocap + 7 * i,
                  3 * sizeof *q) == 0 &&
           memcmp(quat ? quat + 4 * i : hf_model_body_quat(m) + 4 * b, s->posed_mocap + 7 * i + 3,
                  4 * sizeof *q) == 0;
  }
  if (same) return;
  hf_dynamics_position(&s->dynamics, q, in);
  memcpy(s->posed_q, q, sizeof *q * (size_t)m->nq);
  for (int i = 0; i < m->nmocap; ++i) {
    int b = hf_model_mocap_body(m)[i];
    memcpy(s->posed_mocap + 7 * i, pos ? pos + 3 * i : hf_model_body_pos(m) + 3 * b, 3 * sizeof *q);
    memcpy(s->posed_mocap + 7 * i + 3, quat ? quat + 4 * i : hf_model_body_quat(m) + 4 * b,
           4 * sizeof *q);
  }
  s->posed = 1;
}

// Driven further than this in a step, a row makes contacts worth foreseeing [m].
static const double kDriven = 1e-3;

// How far a row over n dofs drives what hangs on the dof it moves most, beyond its free motion: with its
// force at the end of the step, where it acts alone, h^2 f/(1 + h kappa w) times the dof's J/m and lever.
static inline double driven_by_row(const hfSim* s, const hfSaturatedRow* row, int n, const int32_t* dof, const double* J) {
  double h = s->h, velocity = 0, w = 0, most = 0;
  for (int i = 0; i < n; ++i) {
    double moved = J[i] * s->assembly.inverse_mass[dof[i]];
    velocity += J[i] * s->assembly.problem.v0[dof[i]], w += J[i] * moved;
    most = max2(most, fabs(moved) * s->lever[dof[i]]);
  }
  double free = hfi_saturated_unclamped(row, velocity) / (1 + h * row->kappa * w);
  return h * h * fabs(clamp(free, row->lo, row->hi)) * most;
}

// Whether a drive, target or equality may move something noticeably.
static int rows_drive(const hfSim* s) {
  const hfiRows* rows = &s->actuation.rows;
  for (const hfiRowBlock *b = rows->block, *end = b + rows->n.nblock; b < end; ++b)
    for (int r = 0; r < b->dim; ++r)
      if (driven_by_row(s, &rows->row[b->row + r], b->ncol, rows->cols + b->col, rows->J + b->jac + r * b->ncol) > kDriven)
        return 1;
  return 0;
}

// Velocities without contact at the end of the step, into the dynamics: what contacts are foreseen by where
// rows drive. Returns 0 where there are none, and the free motion has to do.
static int foresee_motion(hfSim* s) {
  const hfStepProblem* p = &s->assembly.problem;
  hfSolveReport report;
  hfError error = {HF_OK, ""};
  if (hf_solver_solve(s->solver, &s->config.solver, p, s->v1, s->impulse, &report, &error) < 0) return 0;
  hf_dynamics_velocity(&s->dynamics, s->v1);
  return 1;
}

// Contacts at the poses of the moment, with what the state remembers of them, into the step problem.
void hfi_sim_contacts(hfSim* s, const hfState* state) {
  s->ncontact = s->ndropped = 0;
  if (!s->max_contacts) return;
  const hfDynamics* d = s->config.anticipate ? &s->dynamics : NULL;
  int driven = d && rows_drive(s) && foresee_motion(s);
  if (d) hfi_contact_reach(d, s->h, s->extent, s->reach);
  int nraw = hfi_scene_collide(&s->scene, s->dynamics.X_WG, d ? s->reach : NULL, s->raw,
                               s->max_contacts, &s->ndropped);
  s->ncontact = hfi_contact_set(s->model, d, s->h, 0, s->scene.listed ? s->material : NULL, s->raw,
                                nraw, s->touched, s->contact);
  if (driven) hf_dynamics_velocity(&s->dynamics, s->assembly.problem.v0);
  if (s->remembers) hfi_memory_recall(state, s->dynamics.X_WB, s->contact, s->ncontact);
  double steepest = sqr(2 * HFI_PI / s->config.near_rigid);
  for (int i = 0; i < s->ncontact; ++i)
    s->block[i] = hfi_assembly_add_contact(&s->assembly, &s->dynamics, &s->contact[i], s->friction,
                                           steepest, s->config.static_speed);
}

// Everything up to the step problem. Leaves the state alone.
void hfi_sim_problem(hfSim* s, const hfState* state, const hfInput* in) {
  const double* v0 = hf_state_v(state);
  hfDynamics* d = &s->dynamics;
  hfi_sim_pose(s, hf_state_q(state), in);
  hf_dynamics_velocity(d, v0);
  hf_dynamics_mass_matrix(d);
  hf_dynamics_bias(d);
  hfi_assembly_begin(&s->assembly, d, s->h, v0);
  hfi_sim_forces(s, state, in);
  hfi_sim_contacts(s, state);
}

// ---- the step ------------------------------------------------------------------------------------

// J v1 of a contact: the solver has it, the rigid one has not.
static const double* end_velocity(const hfSim* s, const hfStepBlock* b, double* scratch) {
  if (!s->mlcp) return hfi_solver_row_velocities(s->solver) + b->row;
  hfi_block_velocity(s, b, scratch);
  return scratch;
}

static void take_outcomes(hfSim* s) {
  const hfStepProblem* p = &s->assembly.problem;
  for (int i = 0; i < s->ncontact; ++i) {
    hfiContactOutcome* o = &s->outcome[i];
    o->slips = 0, o->slip_speed = 0;
    if (s->block[i] < 0) continue;
    const hfStepBlock* b = &p->block[s->block[i]];
    double scratch[6];
    const double* velocity = end_velocity(s, b, scratch);
    if (b->dim > 1) o->slip_speed = sqrt(sqr(velocity[1]) + sqr(velocity[2]));
    if (s->friction != HF_FRICTION_ANCHORED || b->dim == 1) continue;
    const hfContactLaw* law = &p->contact[b->param];
    const double* gamma = s->impulse + b->row;
    o->slips = hfi_contact_slips(law, p->h, b->dim, velocity, gamma);
    if (o->slips) hfi_contact_deformation(law, p->h, b->dim, gamma, o->xi);
  }
}

static void advance(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report) {
  const hfModel* m = s->model;
  double* q = hf_state_mutable_q(state);
  if (s->remembers) memcpy(s->X0_WB, s->dynamics.X_WB, sizeof *s->X0_WB * (size_t)m->nbody);
  hf_model_integrate(m, q, s->v1, s->h);
  memcpy(hf_state_mutable_v(state), s->v1, sizeof *s->v1 * (size_t)m->nv);
  hf_actuation_advance(&s->actuation, hf_state_mutable_act(state), s->h);
  state->time += s->h;
  if (s->remembers || m->nsensor) hfi_sim_pose(s, q, in);
  if (s->remembers &&
      hfi_memory_store(state, s->X0_WB, s->dynamics.X_WB, s->contact, s->outcome, s->ncontact))
    report->status = HF_OVERFLOW;
  if (m->nsensor) {
    hfi_sim_take_row_forces(s);
    hfi_sim_sense(s, state, in, 1);
  }
}

// v1 and impulses. The rigid model may have no answer: then its fallback, the convex problem, has.
static hfStatus solve_problem(hfSim* s, hfStepReport* report, hfError* error) {
  const hfStepProblem* p = &s->assembly.problem;
  hfSolverConfig config = s->config.solver;
  if (s->mlcp) {
    hfStatus status = hf_mlcp_solve(s->mlcp, p, s->v1, s->impulse, &report->solve, error);
    if (status <= 0 || !s->config.mlcp.fallback) return status;
    config.first_rung = HF_RUNG_CONVEX;
  }
  return hf_solver_solve(s->solver, &config, p, s->v1, s->impulse, &report->solve, error);
}

static hfStatus step_discrete(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report,
                              hfError* error) {
  hfi_sim_problem(s, state, in);
  hfStatus status = solve_problem(s, report, error);
  report->status = status;
  if (status < 0 || (status > 0 && s->mlcp && !s->config.mlcp.fallback)) return status;
  if (s->ndropped) report->status = HF_OVERFLOW;
  if (s->remembers) take_outcomes(s);
  hfi_sim_results(s, report);
  advance(s, state, in, report);
  return report->status;
}

hfStatus hf_sim_step(hfSim* s, hfState* state, const hfInput* in, hfStepReport* report,
                     hfError* error) {
  hfStepReport unused;
  if (!report) report = &unused;
  memset(report, 0, sizeof *report);
  hfStatus status = hfi_sim_check(s, state, in, error);
  if (status == HF_OK)
    status = (s->continuous || s->switching ? hfi_sim_step_continuous : step_discrete)(s, state, in, report, error);
  if (status < 0) report->status = status;
  return status;
}

hfStepCapacity hf_sim_capacity(const hfSim* s) { return s->assembly.capacity; }

hfStatus hf_sim_problem(hfSim* s, const hfState* state, const hfInput* in,
                        const hfStepProblem** problem, hfError* error) {
  hfStatus status = hfi_sim_check(s, state, in, error);
  if (status != HF_OK) return status;
  hfi_sim_problem(s, state, in);
  *problem = &s->assembly.problem;
  return HF_OK;
}
