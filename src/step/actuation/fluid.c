// Drag of a resting or streaming medium on bodies. If the model gives a body's geoms ellipsoids, these count (fluid_ellipsoid.c), otherwise the box
// that has the inertia of the body:
//
//   half lengths   r_i = sqrt(3/(2 m) (I_j + I_k - I_i)),   r = (r_x + r_y + r_z)/3
//   force          f_i = -(2 rho r_j r_k |v_i| + 6 pi beta r) v_i
//   torque         g_i = -(rho r_i (r_j^4 + r_k^4)/2 |w_i| + 8 pi beta r^3) w_i
//
// in the principal axes of the body, v the velocity of its centre of mass less the wind, rho the density and beta the viscosity of the medium. Over a
// step h each component is divided by 1 + h c/m, with the bracket c and the mass or moment m. This is implicit Euler for a free body, so that no step
// reverses its motion.
#include "step/actuation/fluid.h"

#include "math/inertia_box.h"

// -c v/(1 + h c/m)
static double drag(double c, double v, double h, double m) { return m > 0 ? -c * v / (1 + h * c / m) : -c * v; }

// Force and torque at the centre of mass, in principal axes.
static hfForce box_drag(const hfiBodyDrag* body, double h, double mass, hfVec3 v, hfVec3 w) {
  hfVec3 push = body->push, turn = body->turn, I = body->moment;
  double p = body->viscous_push, t = body->viscous_turn;
  hfForce F = {v3(drag(turn.x * fabs(w.x) + t, w.x, h, I.x), drag(turn.y * fabs(w.y) + t, w.y, h, I.y), drag(turn.z * fabs(w.z) + t, w.z, h, I.z)),
               v3(drag(push.x * fabs(v.x) + p, v.x, h, mass), drag(push.y * fabs(v.y) + p, v.y, h, mass), drag(push.z * fabs(v.z) + p, v.z, h, mass))};
  return F;
}

// Moments of body b about its principal axes, the columns of R_BI.
static hfVec3 principal_moments(const hfModel* m, int b, hfMat3 R_BI) {
  const double* inertia = hf_model_body_inertia(m) + 6 * b;
  hfVec3 axes[3] = {m3_col(R_BI, 0), m3_col(R_BI, 1), m3_col(R_BI, 2)};
  return v3(v3_dot(axes[0], sym3_mulv(inertia, axes[0])), v3_dot(axes[1], sym3_mulv(inertia, axes[1])), v3_dot(axes[2], sym3_mulv(inertia, axes[2])));
}

// Does some geom of body b have an ellipsoid?
static int has_ellipsoids(const hfModel* m, int b) {
  int first = hf_model_body_geomadr(m)[b], count = hf_model_body_geomnum(m)[b];
  for (int g = first; g < first + count; ++g)
    if (hf_model_geom_fluid(m)[12 * g] > 0) return 1;
  return 0;
}

static hfiBodyDrag look_up_body(const hfModel* m, int b) {
  hfiBodyDrag body = {.acts = 1, .ellipsoids = has_ellipsoids(m, b), .R_BI = m3_from_quat(q_load(hf_model_body_iquat(m) + 4 * b))};
  body.moment = principal_moments(m, b, body.R_BI);
  hfVec3 r = hfi_inertia_box(hf_model_body_mass(m)[b], (double[3]){body.moment.x, body.moment.y, body.moment.z});
  double rho = m->world.density, beta = m->world.viscosity, mean = (r.x + r.y + r.z) / 3, x4 = sqr(sqr(r.x)), y4 = sqr(sqr(r.y)), z4 = sqr(sqr(r.z));
  body.push = v3(2 * rho * r.y * r.z, 2 * rho * r.z * r.x, 2 * rho * r.x * r.y);
  body.turn = v3(0.5 * rho * r.x * (y4 + z4), 0.5 * rho * r.y * (z4 + x4), 0.5 * rho * r.z * (x4 + y4));
  body.viscous_push = 6 * HFI_PI * beta * mean, body.viscous_turn = 8 * HFI_PI * beta * mean * mean * mean;
  return body;
}

void hfi_update_fluid(hfActuation* a) {
  const hfModel* m = a->model;
  int any = (m->world.density != 0 || m->world.viscosity != 0) && !(m->world.disable_spring && m->world.disable_damper);
  a->passive.medium = any;
  for (int b = 1; any && b < m->nbody; ++b) {
    int acts = hf_model_body_lastdof(m)[b] >= 0 && hf_model_body_mass(m)[b] > 0;
    a->medium[b] = acts ? look_up_body(m, b) : (hfiBodyDrag){.acts = 0};
  }
}

// Adds the force of the medium at point p of body b, which is given in the axes R, for the velocities there.
static inline void add_force(const hfDynamics* d, int b, hfVec3 p, const hfMat3* R, hfForce F, double* tau) {
  hfForce F_W = {m3_mulv(*R, F.n), m3_mulv(*R, F.f)};
  hfi_jacobian_transpose_add(d, b, p, F_W, tau);
}

static void add_box_drag(const hfDynamics* d, int b, double h, const hfiBodyDrag* body, double* tau) {
  const hfModel* m = d->model;
  hfMat3 R_WI = m3_mul(d->X_WB[b].R, body->R_BI);
  hfVec3 com = hfi_body_com(d, b);
  hfMotion V = hfi_point_velocity(d, b, com);
  hfForce F = box_drag(body, h, hf_model_body_mass(m)[b], m3_tmulv(R_WI, v3_sub(V.v, v3_load(m->world.wind))), m3_tmulv(R_WI, V.w));
  add_force(d, b, com, &R_WI, F, tau);
}

static void add_geom_force(const hfDynamics* d, int b, int g, double h, double moment, double* tau) {
  const hfModel* m = d->model;
  hfMat3 R = m3_mul(d->X_WB[b].R, m3_from_quat(q_load(hf_model_geom_fluid_quat(m) + 4 * g)));
  hfVec3 p = pose_point(d->X_WB[b], v3_load(hf_model_geom_pos(m) + 3 * g));
  hfMotion V = hfi_point_velocity(d, b, p);
  hfVec3 v = m3_tmulv(R, v3_sub(V.v, v3_load(m->world.wind))), w = m3_tmulv(R, V.w);
  const double* fluid = hf_model_geom_fluid(m) + 12 * g;
  hfForce F = hfi_ellipsoid_force(&m->world, fluid, hf_model_geom_fluid_axes(m) + 3 * g, v, w, h, hf_model_body_mass(m)[b], moment);
  F.n = v3_scale(fluid[0], F.n), F.f = v3_scale(fluid[0], F.f);
  add_force(d, b, p, &R, F, tau);
}

static void add_geom_forces(const hfDynamics* d, int b, double h, hfVec3 moment, double* tau) {
  const hfModel* m = d->model;
  int first = hf_model_body_geomadr(m)[b], count = hf_model_body_geomnum(m)[b];
  for (int g = first; g < first + count; ++g)
    if (hf_model_geom_fluid(m)[12 * g] > 0) add_geom_force(d, b, g, h, min2(moment.x, min2(moment.y, moment.z)), tau);
}

// A body with an ellipsoid has no other drag.
void hfi_add_fluid(const hfActuation* a, const hfDynamics* d, double h, double* tau) {
  for (int b = 1; a->passive.medium && b < a->model->nbody; ++b) {
    const hfiBodyDrag* body = a->medium + b;
    if (!body->acts) continue;
    if (body->ellipsoids) add_geom_forces(d, b, h, body->moment, tau);
    else add_box_drag(d, b, h, body, tau);
  }
}
