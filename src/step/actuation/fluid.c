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

// The numbers of a geom in geom_fluid, in this order: 1 if it has an ellipsoid, coefficients c_D, c_S, c_W, c_K, c_M,
// mass m_A (3) and moment I_A (3) that it carries along, over the density.
enum {
  FLUID_ACTS,
  FLUID_BLUNT,
  FLUID_SLENDER,
  FLUID_ANGULAR,
  FLUID_KUTTA,
  FLUID_MAGNUS,
  FLUID_MASS,
  FLUID_MOMENT = FLUID_MASS + 3,
  FLUID_SIZE = FLUID_MOMENT + 3
};

// Returns -c v/(1 + h c/m), or -c v without mass.
static double find_drag(double c, double v, double h, double m) { return m > 0 ? -c * v / (1 + h * c / m) : -c * v; }

// Returns force and torque of the medium on the box of a body, at the centre of mass and in principal axes. v, w: its
// velocities relative to the medium.
static hfForce find_box_drag(const hfiBodyDrag* body, double h, double mass, hfVec3 v, hfVec3 w) {
  hfVec3 push = body->force;
  hfVec3 turn = body->torque;
  hfVec3 I = body->moment;
  double p = body->viscous_force;
  double t = body->viscous_torque;

  hfForce F;
  F.n.x = find_drag(turn.x * fabs(w.x) + t, w.x, h, I.x);
  F.n.y = find_drag(turn.y * fabs(w.y) + t, w.y, h, I.y);
  F.n.z = find_drag(turn.z * fabs(w.z) + t, w.z, h, I.z);
  F.f.x = find_drag(push.x * fabs(v.x) + p, v.x, h, mass);
  F.f.y = find_drag(push.y * fabs(v.y) + p, v.y, h, mass);
  F.f.z = find_drag(push.z * fabs(v.z) + p, v.z, h, mass);

  return F;
}

// Returns the moments of inertia of body b about its principal axes, the columns of R_BI.
static hfVec3 find_principal_moments(const hfModel* m, int b, hfMat3 R_BI) {
  const double* I = hf_model_body_inertia(m) + 6 * b;
  hfVec3 x = m3_col(R_BI, 0);
  hfVec3 y = m3_col(R_BI, 1);
  hfVec3 z = m3_col(R_BI, 2);
  return v3(v3_dot(x, sym3_mulv(I, x)), v3_dot(y, sym3_mulv(I, y)), v3_dot(z, sym3_mulv(I, z)));
}

// Whether the medium acts on geom g as on an ellipsoid.
static int has_ellipsoid(const hfModel* m, int g) { return hf_model_geom_fluid(m)[FLUID_SIZE * g] > 0; }

// Whether some geom of body b has an ellipsoid.
static int has_ellipsoids(const hfModel* m, int b) {
  int first = hf_model_body_geomadr(m)[b];
  int count = hf_model_body_geomnum(m)[b];

  for (int g = first; g < first + count; ++g)
    if (has_ellipsoid(m, g)) return 1;
  return 0;
}

// Returns the coefficients of the drag on body b, on which the medium acts. r: half lengths of the box with the body's
// inertia [m]; x4, y4, z4: their fourth powers.
static hfiBodyDrag look_up_body(const hfModel* m, int b) {
  hfiBodyDrag body = {.acts = 1, .ellipsoids = has_ellipsoids(m, b)};
  body.R_BI = m3_from_quat(q_load(hf_model_body_iquat(m) + 4 * b));
  body.moment = find_principal_moments(m, b, body.R_BI);

  // the box with the body's inertia
  hfVec3 r = hfi_inertia_box(hf_model_body_mass(m)[b], (double[3]){body.moment.x, body.moment.y, body.moment.z});
  double rho = m->world.density;
  double beta = m->world.viscosity;
  double mean = (r.x + r.y + r.z) / 3;
  double x4 = sqr(sqr(r.x));
  double y4 = sqr(sqr(r.y));
  double z4 = sqr(sqr(r.z));

  // coefficients of the head of this file
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
//   Kutta           f = c_K rho cos(alpha) A (n x v) x v,   n = (r_y^2 r_z^2 v_x, ...), A the area of the shadow
//                   along v
//   drag            f = -(3 pi beta D + rho |v| (c_D A + c_S (pi d0 d1 - A))) v,   D = 2 (r_x + r_y + r_z)/3
//                   g = -(pi beta D^3 + rho |w_i (c_W I_i + c_S (I_max - I_i))|) w,   I_i = 8/15 pi r_i max(r_j, r_k)^4
//
// Over a step h drag is divided by 1 + h c/m, as on boxes.

// Divisors are at least this, as in MuJoCo [in the unit of the divisor].
static const double LEAST_DIVISOR = 1e-15;

typedef struct Shadow {
  double area;     // pi |n|/sqrt(n . v)
  hfVec3 normal;   // n
  double alignment; // cosine of the angle of v and n, over |n|
} Shadow;

// Returns the shadow of an ellipsoid with half axes r (3) along the velocity v.
static Shadow find_shadow(const double* r, hfVec3 v) {
  hfVec3 n = v3(sqr(r[1] * r[2]) * v.x, sqr(r[2] * r[0]) * v.y, sqr(r[0] * r[1]) * v.z);
  double along = v3_dot(n, v);
  double square = v3_dot(n, n);

  double area = HFI_PI * sqrt(square / max2(LEAST_DIVISOR, along));
  return (Shadow){area, n, along / max2(LEAST_DIVISOR, v3_norm(v) * square)};
}

// Returns the coefficient of the drag on rotation [N m s/rad]. r (3): half axes; slender and turn: c_S and c_W;
// largest: I_max.
static double find_turning_drag(const hfWorld* world, const double* r, hfVec3 w, double slender, double turn,
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

// Returns force and torque on an ellipsoid with half axes r (3), at its centre and in its axes: the formulas above,
// term by term. fluid (12): its row of geom_fluid; mass, moment: of the body, for the drag over a step h.
hfForce hfi_ellipsoid_force(const hfWorld* world, const double* fluid, const double* r, hfVec3 v, hfVec3 w, double h,
                            double mass, double moment) {
  double rho = world->density;
  double d0 = max2(r[0], max2(r[1], r[2]));
  double d2 = min2(r[0], min2(r[1], r[2]));
  double d1 = r[0] + r[1] + r[2] - d0 - d2;
  double slender = fluid[FLUID_SLENDER];
  Shadow s = find_shadow(r, v);

  // what the body carries along
  const double* mass_A = fluid + FLUID_MASS;
  const double* moment_A = fluid + FLUID_MOMENT;
  hfVec3 p = v3(rho * mass_A[0] * v.x, rho * mass_A[1] * v.y, rho * mass_A[2] * v.z);
  hfVec3 l = v3(rho * moment_A[0] * w.x, rho * moment_A[1] * w.y, rho * moment_A[2] * w.z);
  hfForce F = {v3_add(v3_cross(p, v), v3_cross(l, w)), v3_cross(p, w)};

  // Magnus and Kutta
  F.f = v3_axpy(fluid[FLUID_MAGNUS] * rho * 4.0 / 3 * HFI_PI * r[0] * r[1] * r[2], v3_cross(w, v), F.f);
  F.f = v3_axpy(fluid[FLUID_KUTTA] * rho * s.alignment * s.area, v3_cross(v3_cross(s.normal, v), v), F.f);

  // drag
  double viscous = 2 * HFI_PI * world->viscosity * (r[0] + r[1] + r[2]);
  double resist = viscous + rho * v3_norm(v) * (fluid[FLUID_BLUNT] * s.area + slender * (HFI_PI * d0 * d1 - s.area));
  double largest_moment = 8.0 / 15 * HFI_PI * d1 * sqr(sqr(d0));
  double resist_turn = find_turning_drag(world, r, w, slender, fluid[FLUID_ANGULAR], largest_moment);
  F.f = v3_axpy(-resist / (mass > 0 ? 1 + h * resist / mass : 1), v, F.f);
  F.n = v3_axpy(-resist_turn / (moment > 0 ? 1 + h * resist_turn / moment : 1), w, F.n);
  return F;
}

// ---- all bodies -----------------------------------------------------------------------------------------

// Adds to tau (nv) the force F on body b at its point p, which is given in the axes R.
static inline void add_force(const hfDynamics* d, int b, hfVec3 p, const hfMat3* R, hfForce F, double* tau) {
  hfForce F_W = {m3_mulv(*R, F.n), m3_mulv(*R, F.f)};
  hfi_jacobian_transpose_add(d, b, p, F_W, tau);
}

// Adds to tau (nv) the drag on the box of body b.
static void add_box_drag(const hfDynamics* d, int b, double h, const hfiBodyDrag* body, double* tau) {
  const hfModel* m = d->model;
  hfMat3 R_WI = m3_mul(d->X_WB[b].R, body->R_BI);

  // velocities at the centre of mass relative to the medium, in principal axes
  hfVec3 com = hfi_body_com(d, b);
  hfMotion V = hfi_point_velocity(d, b, com);
  hfVec3 v = m3_tmulv(R_WI, v3_sub(V.v, v3_load(m->world.wind)));

  hfVec3 w = m3_tmulv(R_WI, V.w);

  hfForce F = find_box_drag(body, h, hf_model_body_mass(m)[b], v, w);
  add_force(d, b, com, &R_WI, F, tau);
}

// Adds to tau (nv) the force on the ellipsoid of geom g of body b. moment: the least principal moment of the body.
static void add_geom_force(const hfDynamics* d, int b, int g, double h, double moment, double* tau) {
  const hfModel* m = d->model;
  const double* fluid = hf_model_geom_fluid(m) + FLUID_SIZE * g;
  const double* axes = hf_model_geom_fluid_axes(m) + 3 * g;
  hfMat3 R = m3_mul(d->X_WB[b].R, m3_from_quat(q_load(hf_model_geom_fluid_quat(m) + 4 * g)));
  hfVec3 p = pose_point(d->X_WB[b], v3_load(hf_model_geom_pos(m) + 3 * g));

  // velocities at the centre relative to the medium, in the axes of the ellipsoid
  hfMotion V = hfi_point_velocity(d, b, p);
  hfVec3 v = m3_tmulv(R, v3_sub(V.v, v3_load(m->world.wind)));
  hfVec3 w = m3_tmulv(R, V.w);

  hfForce F = hfi_ellipsoid_force(&m->world, fluid, axes, v, w, h, hf_model_body_mass(m)[b], moment);
  F.n = v3_scale(fluid[FLUID_ACTS], F.n);
  F.f = v3_scale(fluid[FLUID_ACTS], F.f);
  add_force(d, b, p, &R, F, tau);
}

// Adds to tau (nv) the forces on the ellipsoids of body b, whose principal moments are given.
static void add_geom_forces(const hfDynamics* d, int b, double h, hfVec3 moment, double* tau) {
  const hfModel* m = d->model;
  int first = hf_model_body_geomadr(m)[b];
  int count = hf_model_body_geomnum(m)[b];
  double least = min2(moment.x, min2(moment.y, moment.z));

  for (int g = first; g < first + count; ++g)
    if (has_ellipsoid(m, g)) add_geom_force(d, b, g, h, least, tau);
}

// Adds the drag of the medium on all bodies to tau (nv). A body with an ellipsoid has no other drag.
void hfi_add_fluid(const hfActuation* a, const hfDynamics* d, double h, double* tau) {
  for (int b = 1; a->passive.medium && b < a->model->nbody; ++b) {
    const hfiBodyDrag* body = a->passive.drag + b;
    if (!body->acts) continue;
    if (body->ellipsoids) add_geom_forces(d, b, h, body->moment, tau);
    else add_box_drag(d, b, h, body, tau);
  }
}
