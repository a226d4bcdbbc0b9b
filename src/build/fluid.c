// Ellipsoids that stand for geoms in a medium: their half axes, and the mass and moment of the medium that moves with
// them.
//
// An ellipsoid with half axes a, b, c that moves along a in an ideal fluid carries the mass rho V k_a/(2 - k_a) with
// it, and about a it carries the moment rho V/5 times the expression below (Lamb, Hydrodynamics, art. 114 and 115;
// Tuckerman 1925):
//
//   k_a = a b c int_0^inf dl/((a^2 + l) sqrt((a^2 + l)(b^2 + l)(c^2 + l))) = (2/3) a b c R_D(b^2, c^2, a^2)
//   (b^2 - c^2)^2 (k_c - k_b)/(2 (b^2 - c^2) + (b^2 + c^2)(k_b - k_c))
//
// R_D is Carlson's integral, found by his duplication theorem: R_D(x, y, z) = 3 sum + 4^-n mean^(-3/2) as x, y, z
// become equal.
#include "build/inside.h"

#include "math/eigen3.h"
#include "model/shape.h"

#include <string.h>

// Returns Carlson's integral R_D(x, y, z), to 1e-9 of its value, by his duplication theorem: each round brings x, y and
// z four times nearer to each other.
static double carlson_rd(double x, double y, double z) {
  enum { MAX_DUPLICATIONS = 60 };
  static const double EQUAL_SHARE = 1e-9; // x, y and z count as equal within this share of their mean [-]
  double sum = 0;
  double share = 1; // 4^-n
  double mean = (x + y + 3 * z) / 5;

  for (int n = 0; n < MAX_DUPLICATIONS; ++n) {
    double spread = max2(fabs(x - mean), max2(fabs(y - mean), fabs(z - mean)));
    if (!(spread > EQUAL_SHARE * mean)) break;

    double l = sqrt(x * y) + sqrt(x * z) + sqrt(y * z);
    sum += share / (sqrt(z) * (z + l));
    share /= 4;
    x = (x + l) / 4;
    y = (y + l) / 4;
    z = (z + l) / 4;
    mean = (x + y + 3 * z) / 5;
  }

  return 3 * sum + share / (mean * sqrt(mean));
}

// The moment carried about an axis, over rho V/5, from the squares of the two other half axes and their k.
static double carried_moment(double bb, double cc, double kb, double kc) {
  double part = 2 * (bb - cc) + (bb + cc) * (kb - kc);
  return sqr(bb - cc) * fabs(kc - kb) / max2(1e-15, fabs(part));
}

// Finds the half sizes of a mesh's box along its principal axes, and turns q, the orientation of the mesh, to these
// axes.
static void find_mesh_axes(const hfiFinish* f, int mesh, double axes[3], hfQuat* q) {
  const hfiMass* mass = &f->mesh_mass[mesh];
  const hfiHullData* h = &f->b->mesh.data[mesh].hull;
  double moment[3];
  hfMat3 R;
  eigen3(mass->I, moment, &R);
  *q = q_mul(*q, q_from_m3(R));

  axes[0] = axes[1] = axes[2] = 0;
  for (int k = 0; k < h->nvert; ++k) {
    hfVec3 p = m3_tmulv(R, v3_sub(v3_load(h->vert + 3 * k), mass->com));
    axes[0] = max2(axes[0], fabs(p.x));
    axes[1] = max2(axes[1], fabs(p.y));
    axes[2] = max2(axes[2], fabs(p.z));
  }
}

// Finds the half axes [m] and the orientation q of the ellipsoid that stands for a shape in a fluid. A shape that is
// not listed has its sizes as half axes, and q is changed for a mesh only.
static void find_half_axes(const hfGeomDef* d, const hfiFinish* f, double axes[3], hfQuat* q) {
  // sizes of a capsule and a cylinder: radius, half the length of the straight part
  memcpy(axes, d->size, 3 * sizeof *axes);
  switch (d->type) {
  case HF_GEOM_SPHERE:
    axes[1] = axes[2] = axes[0];
    break;
  case HF_GEOM_CAPSULE:
    axes[1] = axes[0];
    axes[2] = d->size[1] + d->size[0];
    break;
  case HF_GEOM_CYLINDER:
    axes[1] = axes[0];
    axes[2] = d->size[1];
    break;
  default:
    break;
  }

  if (hfi_shape_kinds[d->type].uses_mesh) find_mesh_axes(f, d->mesh, axes, q);
}

// Fills what geom i, with the definition d, has in a medium: its ellipsoid and its 12 numbers. A geom without an
// ellipsoid has zeros.
void hfi_finish_fluid(hfiFinish* f, int i, const hfGeomDef* d) {
  hfModel* m = f->m;
  double* to = hfi_set_geom_fluid(m) + 12 * i;
  double* axes = hfi_set_geom_fluid_axes(m) + 3 * i;
  hfQuat q = q_load(d->quat);
  memset(to, 0, 12 * sizeof *to);
  memset(axes, 0, 3 * sizeof *axes);
  if (d->fluid) find_half_axes(d, f, axes, &q);
  q_store(hfi_set_geom_fluid_quat(m) + 4 * i, q);
  if (!(axes[0] > 0 && axes[1] > 0 && axes[2] > 0)) return;

  double product = axes[0] * axes[1] * axes[2];
  double volume = 4.0 / 3 * HFI_PI * product;
  double square[3];
  double k[3];

  for (int a = 0; a < 3; ++a) square[a] = sqr(axes[a]);
  for (int a = 0; a < 3; ++a)
    k[a] = 2.0 / 3 * product * carlson_rd(square[(a + 1) % 3], square[(a + 2) % 3], square[a]);

  // 1 (it has an ellipsoid), five coefficients, then for each axis a the mass and the moment that it carries, over the
  // density (file's head)
  to[0] = 1;
  memcpy(to + 1, d->fluidcoef, sizeof d->fluidcoef);

  for (int a = 0; a < 3; ++a) {
    int b = (a + 1) % 3;
    int c = (a + 2) % 3;
    to[6 + a] = volume * k[a] / (2 - k[a]);
    to[9 + a] = volume / 5 * carried_moment(square[b], square[c], k[b], k[c]);
  }
}
