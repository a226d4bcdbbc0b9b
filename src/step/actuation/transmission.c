// Lengths, velocities and moments of tendons and actuators; velocity = moment . v throughout.
//
//   fixed tendon      length = sum coef q
//   spatial tendon    length of its path (step/dynamics/tendon.c)
//   hinge, slide      length = gear q
//   ball              length = gear . log(q), moment = gear; in parent: gear turned into the child's frame
//   free              length = 0, moment = (force in the world, torque in the body); in parent: torque in the world
//   tendon target     gear times the tendon
//   body              length = 0, no moment: its force pulls at contacts (step/world/adhesion.c)
//   site              length = 0, moment = J^T (R_WS gear): a wrench fixed in the site
//   slider-crank      gear times the slider's place (model/actuator.h)
//   site, reference   length = gear . (pose of the site in the reference): position, then rotation
//                     vector; moment = (J_S - J_R)^T (R_WR gear) over the dofs that move one of them alone; of an
//                     orientation servo R_WS gear
//
// The conventions are MuJoCo's. Where the moment is not the exact gradient of the length (ball,
// site with reference) it is MuJoCo's moment.
#include "step/actuation/inside.h"
#include "model/actuator.h"
#include "model/path.h"
#include <string.h>

// ---- tendons --------------------------------------------------------------------------------------

// Returns sum_k J_k v[dof_k].
static double dot_row(const int32_t* dof, const double* J, int n, const double* v) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += J[k] * v[dof[k]];
  return sum;
}

// Computes length, Jacobian row and reference length (at qpos0) of fixed tendon t at q (nq). A joint that the tendon
// names twice has one entry of J, to which both coefficients add.
static void update_fixed_tendon(hfActuation* a, int t, const double* q) {
  const hfModel* m = a->model;
  int start = a->tendons.start[t];
  int n = a->tendons.start[t + 1] - start;
  int first = hf_model_tendon_adr(m)[t];
  double length = 0;
  double length0 = 0;
  memset(a->tendons.J + start, 0, (size_t)n * sizeof *a->tendons.J);

  for (int w = first; w < first + hf_model_tendon_num(m)[t]; ++w) {
    int adr = hf_model_jnt_qposadr(m)[hf_model_wrap_obj(m)[w]];
    double coef = hf_model_wrap_coef(m)[w];
    a->tendons.J[a->tendons.wrap_slot[w]] += coef;
    length += coef * q[adr];
    length0 += coef * hf_model_qpos0(m)[adr];
  }

  a->tendons.length[t] = length;
  a->tendons.length0[t] = length0;
}

// Computes length and Jacobian row of a spatial tendon at the poses of the dynamics.
static void update_spatial_tendon(hfActuation* a, const hfDynamics* d, int t) {
  a->tendons.length0[t] = hf_model_tendon_length0(a->model)[t];
  a->tendons.length[t] = hfi_tendon_gradient(d, t, a->dense);

  for (int k = a->tendons.start[t]; k < a->tendons.start[t + 1]; ++k) {
    a->tendons.J[k] = a->dense[a->tendons.dof[k]];
    a->dense[a->tendons.dof[k]] = 0;
  }
}

// Computes lengths, rates and Jacobian rows of all tendons, in a->tendons, at q (nq).
void hfi_update_tendons(hfActuation* a, const hfDynamics* d, const double* q) {
  for (int t = 0; t < a->model->ntendon; ++t) {
    int start = a->tendons.start[t];
    int n = a->tendons.start[t + 1] - start;
    if (hfi_tendon_is_spatial(a->model, t)) update_spatial_tendon(a, d, t);
    else update_fixed_tendon(a, t, q);
    a->tendons.velocity[t] = dot_row(a->tendons.dof + start, a->tendons.J + start, n, d->v);
  }
}

// ---- joints ---------------------------------------------------------------------------------------

// Returns the gear in the frame in which a ball or free joint with orientation q has its velocities.
static hfVec3 turn_gear(int in_parent, hfQuat q, const double* gear) {
  hfVec3 g = v3_load(gear);
  return in_parent ? q_rotate(q_conj(q), g) : g;
}

// Writes the moment of actuator i, which is on a joint with several dofs, one entry a dof. Returns the length of the
// actuator, which is 0 if the joint both translates and turns, as a free joint. q (nq).
static double write_joint_moment(const hfModel* m, int i, const double* q, double* moment) {
  int joint = hf_model_actuator_trnid(m)[2 * i];
  int in_parent = hf_model_actuator_trntype(m)[i] == HF_TRANSMISSION_JOINT_IN_PARENT;
  const hfiJointKind* kind = &hfi_joint_kinds[hf_model_jnt_type(m)[joint]];
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  int nplain = kind->nworld + kind->nchain;
  double length = 0;

  // dofs with a coordinate each
  q += hf_model_jnt_qposadr(m)[joint];
  for (int k = 0; k < nplain; ++k) {
    moment[k] = gear[k];
    length += gear[k] * q[k];
  }
  if (!kind->nbody) return length;

  // a rotation about the body's own axes, whose quaternion comes behind these coordinates
  hfQuat quat = q_unit(q_load(q + nplain));
  hfVec3 g = turn_gear(in_parent, quat, gear + nplain);
  v3_store(moment + nplain, g);

  // MuJoCo: a free joint has no length, a ball has gear . log(q)
  return nplain ? 0 : v3_dot(g, q_log(quat));
}

// ---- tendon targets and sites -----------------------------------------------------------------------

// Writes the moment of an actuator on a tendon. Returns its length.
static double write_tendon_moment(const hfActuation* a, int i, double* moment) {
  int t = hf_model_actuator_trnid(a->model)[2 * i];
  double gear = hf_model_actuator_gear(a->model)[6 * i];
  for (int k = a->tendons.start[t]; k < a->tendons.start[t + 1]; ++k) *moment++ = gear * a->tendons.J[k];
  return gear * a->tendons.length[t];
}

// Adds to the moment of actuator i: moment += sign F . J of the point p_W over the dofs that move `body` but not
// `excluded`, which is a body or -1.
static void add_wrench(const hfActuation* a, const hfDynamics* d, int i, int body, int excluded, hfVec3 p_W,
                       hfForce F, double sign) {
  const int32_t* dofs = NULL;
  const int32_t* shared = NULL;
  const int32_t* row = a->moments.dof + a->moments.start[i];
  int n = hfi_body_dofs(a->model, body, &dofs);
  int nshared = excluded < 0 ? 0 : hfi_body_dofs(a->model, excluded, &shared);

  // dofs that move both bodies come first and have no moment
  int ncommon = 0;
  while (ncommon < n && ncommon < nshared && dofs[ncommon] == shared[ncommon]) ncommon++;

  // the others have an entry each, in the order of the row
  int slot = 0;
  hfi_jacobian_columns(d, body, p_W, a->column[0]);
  for (int k = ncommon; k < n; ++k) {
    while (row[slot] != dofs[k]) slot++;
    a->moments.entry[a->moments.start[i] + slot] += sign * fo_dot(F, a->column[0][k]);
  }
}

// Returns the orientation of a site as a quaternion.
static hfQuat find_site_quat(const hfDynamics* d, int site) {
  return q_mul(d->q_WB[hf_model_site_body(d->model)[site]], q_load(hf_model_site_quat(d->model) + 4 * site));
}

// Returns gear . (position and rotation vector of the site in the reference).
static double find_relative_length(const hfDynamics* d, int site, int reference, const double* gear) {
  hfVec3 p = pose_inv_point(d->X_WS[reference], d->X_WS[site].p);
  hfVec3 turn = q_log(q_mul(q_conj(find_site_quat(d, reference)), find_site_quat(d, site)));
  return v3_dot(p, v3_load(gear)) + v3_dot(turn, v3_load(gear + 3));
}

// Sets the moment of actuator i to zero.
static void clear_moment(const hfActuation* a, int i) {
  int start = a->moments.start[i];
  memset(a->moments.entry + start, 0, (size_t)(a->moments.start[i + 1] - start) * sizeof *a->moments.entry);
}

// Writes the moment of an actuator on a site, in a reference or alone. Returns its length.
static double write_site_moment(const hfActuation* a, const hfDynamics* d, int i) {
  const hfModel* m = a->model;
  const double* gear = hf_model_actuator_gear(m) + 6 * i;
  int site = hf_model_actuator_trnid(m)[2 * i];
  int reference = hf_model_actuator_trnid(m)[2 * i + 1];
  int body = hf_model_site_body(m)[site];
  int base = reference < 0 ? -1 : hf_model_site_body(m)[reference];

  // the wrench of a unit force along the actuator
  hfMat3 R = d->X_WS[reference < 0 || hfi_is_orientation(m, i) ? site : reference].R;
  hfForce F = {m3_mulv(R, v3_load(gear + 3)), m3_mulv(R, v3_load(gear))};

  clear_moment(a, i);
  add_wrench(a, d, i, body, base, d->X_WS[site].p, F, 1);
  if (reference < 0) return 0;
  add_wrench(a, d, i, base, body, d->X_WS[reference].p, F, -1);
  return find_relative_length(d, site, reference, gear);
}

// Writes the moment of a slider-crank. Returns its length.
static double write_crank_moment(const hfActuation* a, const hfDynamics* d, int i) {
  const hfModel* m = a->model;
  const int32_t* site = hf_model_actuator_trnid(m) + 2 * i;
  int crank = hf_model_site_body(m)[site[0]];
  int slider = hf_model_site_body(m)[site[1]];
  hfVec3 p_crank = d->X_WS[site[0]].p;
  hfPose X_WS = d->X_WS[site[1]];
  double gear = hf_model_actuator_gear(m)[6 * i];

  hfiSliderCrank x = hfi_slider_crank(p_crank, X_WS.p, m3_col(X_WS.R, 2), hf_model_actuator_cranklength(m)[i]);
  hfForce pull = {v3_zero(), v3_scale(gear, x.pull)};
  hfForce hold = {v3_scale(gear, x.turn), v3_scale(gear, x.pull)};

  clear_moment(a, i);
  add_wrench(a, d, i, crank, slider, p_crank, pull, 1);
  add_wrench(a, d, i, slider, crank, X_WS.p, hold, -1);
  return gear * x.length;
}

// ---- interface ------------------------------------------------------------------------------------

// Writes the moment of an actuator whose target is neither a hinge nor a slide. Returns its length.
static double write_coupled_moment(hfActuation* a, const hfDynamics* d, const double* q, int i) {
  double* moment = a->moments.entry + a->moments.start[i];
  switch (hf_model_actuator_trntype(a->model)[i]) {
  case HF_TRANSMISSION_SITE: return write_site_moment(a, d, i);
  case HF_TRANSMISSION_SLIDER_CRANK: return write_crank_moment(a, d, i);
  case HF_TRANSMISSION_BODY: return 0;
  case HF_TRANSMISSION_TENDON: return write_tendon_moment(a, i, moment);
  default: return write_joint_moment(a->model, i, q, moment);
  }
}

// Updates an actuator whose target is neither a hinge nor a slide.
static void update_coupled(hfActuation* a, const hfDynamics* d, const double* q, int i) {
  int start = a->moments.start[i];
  a->length[i] = write_coupled_moment(a, d, q, i);
  a->velocity[i] = dot_row(a->moments.dof + start, a->moments.entry + start, a->moments.start[i + 1] - start, d->v);
}

// Computes length, velocity and moment of all actuators.
static void update_transmissions(hfActuation* a, const hfDynamics* d, const double* q) {
  const double* gear = hf_model_actuator_gear(a->model);
  for (int i = 0, n = a->model->nu; i < n; ++i) {
    int adr = a->drives.coordinate[i];
    if (adr < 0) {
      update_coupled(a, d, q, i);
      continue;
    }

    // a hinge or slide
    int start = a->moments.start[i];
    double g = gear[6 * i];
    a->moments.entry[start] = g;
    a->length[i] = g * q[adr];
    a->velocity[i] = g * d->v[a->moments.dof[start]];
  }
}

// Brings everything that depends on parameters, on q (nq) and on the velocities of d up to date.
void hf_actuation_update(hfActuation* a, const hfDynamics* d, const double* q) {
  hfi_need_forces(a); // before the moments change
  hfi_update_passive(a);
  if (a->model->ntendon) hfi_update_tendons(a, d, q);
  if (a->model->nu) update_transmissions(a, d, q);
  if (a->passive.gravcomp) hf_dynamics_gravity_compensation(d, a->gravcomp);
}
