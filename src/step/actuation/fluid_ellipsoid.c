// Forces of a medium on a geom as on an ellipsoid with half axes r (Andersen, Pesavento and Wang 2005, J. Fluid Mech. 541, in the form
// that MuJoCo documents under "Fluid forces"). v, w: velocities of its centre relative to the medium, in its axes; d0 >= d1 >= d2 its
// sorted half axes.
//
//   carried along   f = p x w,  g = p x v + l x w,   p = rho m_A v, l = rho I_A w componentwise
//   Magnus          f = c_M rho V (w x v)
//   Kutta           f = c_K rho cos(alpha) A (n x v) x v,   n = (r_y^2 r_z^2 v_x, ...), A the area of the shadow along v
//   drag            f = -(3 pi beta D + rho |v| (c_D A + c_S (pi d0 d1 - A))) v,   D = 2 (r_x + r_y + r_z)/3
//                   g = -(pi beta D^3 + rho |w_i (c_W I_i + c_S (I_max - I_i))|) w,   I_i = 8/15 pi r_i max(r_j, r_k)^4
//
// Over a step h drag is divided by 1 + h c/m, as in fluid.c.
#include "step/actuation/fluid.h"

typedef struct Shadow {
  double area;     // pi |n|/sqrt(n . v)
  hfVec3 normal;   // n
  double alignment; // cosine of the angle of v and n, over |n|
} Shadow;

static Shadow find_shadow(const double* r, hfVec3 v) {
  double yz = sqr(r[1] * r[2]), zx = sqr(r[2] * r[0]), xy = sqr(r[0] * r[1]);
  hfVec3 n = v3(yz * v.x, zx * v.y, xy * v.z);
  double along = v3_dot(n, v), square = v3_dot(n, n);
  Shadow s = {HFI_PI * sqrt(square / max2(1e-15, along)), n, along / max2(1e-15, v3_norm(v) * square)};
  return s;
}

// Coefficient of the drag on rotation [N m s/rad]. slender and turn: c_S and c_W.
static double turning_drag(const hfWorld* world, const double* r, hfVec3 w, double slender, double turn, double largest) {
  double I[3], D = 2.0 / 3 * (r[0] + r[1] + r[2]);
  for (int i = 0; i < 3; ++i) I[i] = 8.0 / 15 * HFI_PI * r[i] * sqr(sqr(max2(r[(i + 1) % 3], r[(i + 2) % 3])));
  hfVec3 moment = v3(w.x * (turn * I[0] + slender * (largest - I[0])), w.y * (turn * I[1] + slender * (largest - I[1])),
                     w.z * (turn * I[2] + slender * (largest - I[2])));
  return HFI_PI * world->viscosity * D * D * D + world->density * v3_norm(moment);
}

hfForce hfi_ellipsoid_force(const hfWorld* world, const double* fluid, const double* r, hfVec3 v, hfVec3 w, double h, double mass, double moment) {
  double rho = world->density, d0 = max2(r[0], max2(r[1], r[2])), d2 = min2(r[0], min2(r[1], r[2])), d1 = r[0] + r[1] + r[2] - d0 - d2;
  double blunt = fluid[1], slender = fluid[2], turn = fluid[3], kutta = fluid[4], magnus = fluid[5];
  hfVec3 p = v3(rho * fluid[6] * v.x, rho * fluid[7] * v.y, rho * fluid[8] * v.z),
         l = v3(rho * fluid[9] * w.x, rho * fluid[10] * w.y, rho * fluid[11] * w.z);
  Shadow s = find_shadow(r, v);
  hfForce F = {v3_add(v3_cross(p, v), v3_cross(l, w)), v3_cross(p, w)};
  F.f = v3_axpy(magnus * rho * 4.0 / 3 * HFI_PI * r[0] * r[1] * r[2], v3_cross(w, v), F.f);
  F.f = v3_axpy(kutta * rho * s.alignment * s.area, v3_cross(v3_cross(s.normal, v), v), F.f);
  double resist = 2 * HFI_PI * world->viscosity * (r[0] + r[1] + r[2]) +
                  rho * v3_norm(v) * (blunt * s.area + slender * (HFI_PI * d0 * d1 - s.area));
  double resist_turn = turning_drag(world, r, w, slender, turn, 8.0 / 15 * HFI_PI * d1 * sqr(sqr(d0)));
  F.f = v3_axpy(-resist / (mass > 0 ? 1 + h * resist / mass : 1), v, F.f);
  F.n = v3_axpy(-resist_turn / (moment > 0 ? 1 + h * resist_turn / moment : 1), w, F.n);
  return F;
}
