// Drag of a resting or streaming medium on bodies. If the model gives a body's geoms ellipsoids, these count (below),
// otherwise the box that has the inertia of the body:
//
//   half lengths   r_i = sqrt(3/(2 m) (I_j + I_k - I_i)),   r = (r_x + r_y + r_z)/3
//   force          f_i = -(2 rho r_j r_k |v_i| + 6 pi beta r) v_i
//   torque         g_i = -(rho r_i (r_j^4 + r_k^4)/2 |w_i| + 8 pi beta r^3) w_i
//
// in the principal axes of the body, v the velocity of its centre of mass less the wind, rho the density and beta the
// viscosity of the medium. Over a step h each component is divided by 1 + h c/m, with the bracket c and the mass or
// moment m. This is implicit Euler for a free body, so that no step reverses its motion.
#include "step/actuation/inside.h"

#include "math/inertia_box.h"

// -c v/(1 + h c/m)
static double drag(double c, double v, double h, double m) { return m > 0 ? -c * v / (1 + h * c / m) : -c * v; }

// Force and torque at the centre of mass, in principal axes.
static hfForce box_drag(const hfiBodyDrag* body, double h, double mass, hfVec3 v, hfVec3 w) {
  hfVec3 push = body->force;
  hfVec3 turn = body->torque;
  hfVec3 I = body->moment;
  double p = body->viscous_force;
  double t = body->viscous_torque;

  hfForce F;
  F.n.x = drag(turn.x * fabs(w.x) + t, w.x, h, I.x);
  F.n.y = drag(turn.y * fabs(w.y) + t, w.y, h, I.y);
  F.n.z = drag(turn.z * fabs(w.z) + t, w.z, h, I.z);
  F.f.x = drag(push.x * fabs(v.x) + p, v.x, h, mass);
  F.f.y = drag(push.y * fabs(v.y) + p, v.y, h, mass);
  F.f.z = drag(push.z * fabs(v.z) + p, v.z, h, mass);
  return F;
}

// Moments of body b about its principal axes, the columns of R_BI.
static hfVec3 principal_moments(const hfModel* m, int b, hfMat3 R_BI) {
  const double* I = hf_model_body_inertia(m) + 6 * b;
  hfVec3 x = m3_col(R_BI, 0);
  hfVec3 y = m3_col(R_BI, 1);
  hfVec3 z = m3_col(R_BI, 2);
  return v3(v3_dot(x, sym3_mulv(I, x)), v3_dot(y, sym3_mulv(I, y)), v3_dot(z, sym3_mulv(I, z)));
}

// Whether some geom of body b has an ellipsoid.
static int has_ellipsoids(const hfModel* m, int b) {
  int first = hf_model_body_geomadr(m)[b];
  int count = hf_model_body_geomnum(m)[b];
  for (int g = first; g < first + count; ++g)
    if (hf_model_geom_fluid(m)[12 * g] > 0) return 1;
  return 0;
}

// The coefficients of the drag on body b, on which the medium acts.
static hfiBodyDrag look_up_body(const hfModel* m, int b) {
  hfiBodyDrag body = {.acts = 1, .ellipsoids = has_ellipsoids(m, b)};
  body.R_BI = m3_from_quat(q_load(hf_model_body_iquat(m) + 4 * b));
  body.moment = principal_moments(m, b, body.R_BI);
  hfVec3 r = hfi_inertia_box(hf_model_body_mass(m)[b], (double[3]){body.moment.x, body.moment.y, body.moment.z});
  double rho = m->world.density;
  double beta = m->world.viscosity;
  double mean = (r.x + r.y + r.z) / 3;
  double x4 = sqr(sqr(r.x));
  double y4 = sqr(sqr(r.y));
  double z4 = sqr(sqr(r.z));

  body.force = v3(2 * rho * r.y * r.z, 2 * rho * r.z * r.x, 2 * rho * r.x * r.y);
  body.torque = v3(0.5 * rho * r.x * (y4 + z4), 0.5 * rho * r.y * (z4 + x4), 0.5 * rho * r.z * (x4 + y4));
  body.viscous_force = 6 * HFI_PI * beta * mean;
  body.viscous_torque = 8 * HFI_PI * beta * mean * mean * mean;
  return body;
}

// Writes passive.medium and passive.drag. As in MuJoCo there is no medium where springs and dampers are disabled.
void hfi_update_fluid(hfActuation* a) {
  const hfModel* m = a->model;
  int has_medium = m->world.density != 0 || m->world.viscosity != 0;
  a->passive.medium = has_medium && !(m->world.disable_spring && m->world.disable_damper);

  for (int b = 1; a->passive.medium && b < m->nbody; ++b) {
    int acts = hf_model_body_lastdof(m)[b] >= 0 && hf_model_body_mass(m)[b] > 0;
    a->passive.drag[b] = acts ? look_up_body(m, b) : (hfiBodyDrag){.acts = 0};
  }
}

// ---- ellipsoids -----------------------------------------------------------------------------------------
//
// Forces of a medium on a geom as on an ellipsoid with half axes r (Andersen, Pesavento and Wang 2005, J. Fluid Mech.
// 541, in the form that MuJoCo documents under "Fluid forces"). v, w: velocities of its centre relative to the medium,
// in its axes; d0 >= d1 >= d2 its sorted half axes.
//
//   carried along   f = p x w,  g = p x v + l x w,   p = rho m_A v, l = rho I_A w componentwise
//   Magnus          f = c_M rho V (w x v)
//   Kutta           f = c_K rho cos(alpha) A (n x v) x v,   n = (r_y^2 r_z^2 v_x, ...), A the area of the shadow along v
//   drag            f = -(3 pi beta D + rho |v| (c_D A + c_S (pi d0 d1 - A))) v,   D = 2 (r_x + r_y + r_z)/3
//                   g = -(pi beta D^3 + rho |w_i (c_W I_i + c_S (I_max - I_i))|) w,   I_i = 8/15 pi r_i max(r_j, r_k)^4
//
// Over a step h drag is divided by 1 + h c/m, as in fluid.c.

// Divisors are at least this, as in MuJoCo [in the unit of the divisor].
static const double LEAST_DIVISOR = 1e-15;

typedef struct Shadow {
  double area;     // pi |n|/sqrt(n . v)
  hfVec3 normal;   // n
  double alignment; // cosine of the angle of v and n, over |n|
} Shadow;

// The shadow of an ellipsoid with half axes r along the velocity v.
static Shadow find_shadow(const double* r, hfVec3 v) {
  hfVec3 n = v3(sqr(r[1] * r[2]) * v.x, sqr(r[2] * r[0]) * v.y, sqr(r[0] * r[1]) * v.z);
  double along = v3_dot(n, v);
  double square = v3_dot(n, n);
  double area = HFI_PI * sqrt(square / max2(LEAST_DIVISOR, along));
  return (Shadow){area, n, along / max2(LEAST_DIVISOR, v3_norm(v) * square)};
}

// Coefficient of the drag on rotation [N m s/rad]. slender and turn: c_S and c_W.
static double turning_drag(const hfWorld* world, const double* r, hfVec3 w, double slender, double turn,
                           double largest) {
  double D = 2.0 / 3 * (r[0] + r[1] + r[2]);
  double I[3];
  for (int i = 0; i < 3; ++i) I[i] = 8.0 / 15 * HFI_PI * r[i] * sqr(sqr(max2(r[(i + 1) % 3], r[(i + 2) % 3])));

  hfVec3 moment;
  moment.x = w.x * (turn * I[0] + slender * (largest - I[0]));
  moment.y = w.y * (turn * I[1] + slender * (largest - I[1]));
  moment.z = w.z * (turn * I[2] + slender * (largest - I[2]));
  return HFI_PI * world->viscosity * D * D * D + world->density * v3_norm(moment);
}

// The formulas above, term by term.
hfForce hfi_ellipsoid_force(const hfWorld* world, const double* fluid, const double* r, hfVec3 v, hfVec3 w, double h, double mass,
                            double moment) {
  double rho = world->density;
  double d0 = max2(r[0], max2(r[1], r[2]));
  double d2 = min2(r[0], min2(r[1], r[2]));
  double d1 = r[0] + r[1] + r[2] - d0 - d2;
  double blunt = fluid[1];
  double slender = fluid[2];
  double turn = fluid[3];
  double kutta = fluid[4];
  double magnus = fluid[5];
  Shadow s = find_shadow(r, v);

  // what the body carries along
  hfVec3 p = v3(rho * fluid[6] * v.x, rho * fluid[7] * v.y, rho * fluid[8] * v.z);
  hfVec3 l = v3(rho * fluid[9] * w.x, rho * fluid[10] * w.y, rho * fluid[11] * w.z);
  hfForce F = {v3_add(v3_cross(p, v), v3_cross(l, w)), v3_cross(p, w)};

  // Magnus and Kutta
  F.f = v3_axpy(magnus * rho * 4.0 / 3 * HFI_PI * r[0] * r[1] * r[2], v3_cross(w, v), F.f);
  F.f = v3_axpy(kutta * rho * s.alignment * s.area, v3_cross(v3_cross(s.normal, v), v), F.f);

  // drag
  double viscous = 2 * HFI_PI * world->viscosity * (r[0] + r[1] + r[2]);
  double resist = viscous + rho * v3_norm(v) * (blunt * s.area + slender * (HFI_PI * d0 * d1 - s.area));
  double resist_turn = turning_drag(world, r, w, slender, turn, 8.0 / 15 * HFI_PI * d1 * sqr(sqr(d0)));
  F.f = v3_axpy(-resist / (mass > 0 ? 1 + h * resist / mass : 1), v, F.f);
  F.n = v3_axpy(-resist_turn / (moment > 0 ? 1 + h * resist_turn / moment : 1), w, F.n);
  return F;
}

// ---- all bodies -----------------------------------------------------------------------------------------

// Adds the force of the medium at point p of body b, which is given in the axes R, for the velocities there.
static inline void add_force(const hfDynamics* d, int b, hfVec3 p, const hfMat3* R, hfForce F, double* tau) {
  hfForce F_W = {m3_mulv(*R, F.n), m3_mulv(*R, F.f)};
  hfi_jacobian_transpose_add(d, b, p, F_W, tau);
}

// Adds the drag on the box of body b.
static void add_box_drag(const hfDynamics* d, int b, double h, const hfiBodyDrag* body, double* tau) {
  const hfModel* m = d->model;
  hfMat3 R_WI = m3_mul(d->X_WB[b].R, body->R_BI);
  hfVec3 com = hfi_body_com(d, b);
  hfMotion V = hfi_point_velocity(d, b, com);
  hfVec3 v = m3_tmulv(R_WI, v3_sub(V.v, v3_load(m->world.wind)));
  hfForce F = box_drag(body, h, hf_model_body_mass(m)[b], v, m3_tmulv(R_WI, V.w));
  add_force(d, b, com, &R_WI, F, tau);
}

// Adds the force on the ellipsoid of geom g. moment: the least principal moment of body b.
static void add_geom_force(const hfDynamics* d, int b, int g, double h, double moment, double* tau) {
  const hfModel* m = d->model;
  const double* fluid = hf_model_geom_fluid(m) + 12 * g;
  const double* axes = hf_model_geom_fluid_axes(m) + 3 * g;
  hfMat3 R = m3_mul(d->X_WB[b].R, m3_from_quat(q_load(hf_model_geom_fluid_quat(m) + 4 * g)));
  hfVec3 p = pose_point(d->X_WB[b], v3_load(hf_model_geom_pos(m) + 3 * g));
  hfMotion V = hfi_point_velocity(d, b, p);
  hfVec3 v = m3_tmulv(R, v3_sub(V.v, v3_load(m->world.wind)));
  hfVec3 w = m3_tmulv(R, V.w);

  hfForce F = hfi_ellipsoid_force(&m->world, fluid, axes, v, w, h, hf_model_body_mass(m)[b], moment);
  F.n = v3_scale(fluid[0], F.n);
  F.f = v3_scale(fluid[0], F.f);
  add_force(d, b, p, &R, F, tau);
}

// Adds the forces on the ellipsoids of body b, whose principal moments are given.
static void add_geom_forces(const hfDynamics* d, int b, double h, hfVec3 moment, double* tau) {
  const hfModel* m = d->model;
  int first = hf_model_body_geomadr(m)[b];
  int count = hf_model_body_geomnum(m)[b];
  double least = min2(moment.x, min2(moment.y, moment.z));
  for (int g = first; g < first + count; ++g)
    if (hf_model_geom_fluid(m)[12 * g] > 0) add_geom_force(d, b, g, h, least, tau);
}

// A body with an ellipsoid has no other drag.
void hfi_add_fluid(const hfActuation* a, const hfDynamics* d, double h, double* tau) {
  for (int b = 1; a->passive.medium && b < a->model->nbody; ++b) {
    const hfiBodyDrag* body = a->passive.drag + b;
    if (!body->acts) continue;
    if (body->ellipsoids) add_geom_forces(d, b, h, body->moment, tau);
    else add_box_drag(d, b, h, body, tau);
  }
}
