// The shapes, see shape.h: radius of the smallest ball, volume of the solid, area of the shell, sizes that fit a box.
// Moments of inertia I are about the centre, for mass 1; r is a radius, l the full length of the straight part of a
// capsule or cylinder.
#include "model/shape.h"

// Moments of a body of revolution about z.
static void set_axial(double* I, double ixx, double izz) {
  I[0] = I[1] = ixx;
  I[2] = izz;
}

// ---- sphere ----------------------------------------------------------------------------------------

static double sphere_radius(const double* s) { return s[0]; }

static double sphere_solid(const double* s, double* I) {
  double r = s[0];
  set_axial(I, 0.4 * r * r, 0.4 * r * r);
  return 4.0 / 3 * HFI_PI * r * r * r;
}

static double sphere_shell(const double* s, double* I) {
  double r = s[0];
  set_axial(I, 2.0 / 3 * r * r, 2.0 / 3 * r * r);
  return 4 * HFI_PI * r * r;
}

static void sphere_fit(double* size, hfVec3 s, int contain) {
  size[0] = contain ? max2(max2(s.x, s.y), s.z) : (s.x + s.y + s.z) / 3;
}

// ---- capsule ---------------------------------------------------------------------------------------

static double capsule_radius(const double* s) { return s[0] + s[1]; }

// Returns the volume of a solid capsule and writes I: a cylinder and two half balls, whose centres of mass are 3r/8
// beyond the cylinder's ends.
static double capsule_solid(const double* s, double* I) {
  double r = s[0];
  double l = 2 * s[1];
  double volume = HFI_PI * r * r * (l + 4.0 / 3 * r);
  double cylinder = HFI_PI * r * r * l / volume; // shares of the mass
  double balls = 1 - cylinder;
  double ixx = cylinder * (r * r / 4 + l * l / 12) + balls * (0.4 * r * r + 0.375 * r * l + l * l / 4);
  set_axial(I, ixx, cylinder * r * r / 2 + balls * 0.4 * r * r);

  return volume;
}

// Returns the area of a capsule and writes I: a side and two half spheres, whose centres of mass are r/2 beyond the
// ends.
static double capsule_shell(const double* s, double* I) {
  double r = s[0];
  double l = 2 * s[1];
  double side_area = 2 * HFI_PI * r * l;
  double ball_area = 4 * HFI_PI * r * r;
  double total = side_area + ball_area;
  double side = side_area / total; // shares of the mass
  double ball = ball_area / total;
  double ixx = side * (r * r / 2 + l * l / 12) + ball * (2.0 / 3 * r * r + r * l / 2 + l * l / 4);
  set_axial(I, ixx, side * r * r + ball * 2.0 / 3 * r * r);

  return total;
}

// Radius of a shape that is round about z in a box of half sizes s.
static double fit_round(hfVec3 s, int contain) { return contain ? max2(s.x, s.y) : 0.5 * (s.x + s.y); }

static void capsule_fit(double* size, hfVec3 s, int contain) {
  double round = fit_round(s, contain);
  double cap = contain ? round : 0.5 * round;
  size[0] = round;
  size[1] = max2(s.z - cap, 0);
}

// ---- ellipsoid -------------------------------------------------------------------------------------

static double ellipsoid_radius(const double* s) { return max2(s[0], max2(s[1], s[2])); }

static double ellipsoid_solid(const double* s, double* I) {
  for (int i = 0; i < 3; ++i) I[i] = (sqr(s[(i + 1) % 3]) + sqr(s[(i + 2) % 3])) / 5;
  return 4.0 / 3 * HFI_PI * s[0] * s[1] * s[2];
}

// Returns the area of an ellipsoid with half axes s [m^2] and writes the moments I of its shell, for mass 1. Midpoint
// quadrature over two angles of the surface points x_k = s_k u_k, u on the unit sphere; relative error below 1e-5.
static double ellipsoid_shell(const double* s, double* I) {
  enum { ANGLES = 200 }; // along each parameter
  double total = 0;
  double P[3] = {0, 0, 0}; // second moments

  for (int i = 0; i < ANGLES; ++i)
    for (int j = 0; j < ANGLES; ++j) {
      hfiSine polar = hfi_sine(HFI_PI * (i + 0.5) / ANGLES);
      hfiSine turn = hfi_sine(2 * HFI_PI * (j + 0.5) / ANGLES);
      hfVec3 u = v3(polar.sin * turn.cos, polar.sin * turn.sin, polar.cos);
      double x[3] = {s[0] * u.x, s[1] * u.y, s[2] * u.z};
      // the area dA per polar angle and turn: of the unit sphere, times the stretch of its surface at u
      double stretch = sqrt(sqr(s[1] * s[2] * u.x) + sqr(s[0] * s[2] * u.y) + sqr(s[0] * s[1] * u.z));
      double dA = polar.sin * stretch;
      total += dA;
      for (int k = 0; k < 3; ++k) P[k] += dA * x[k] * x[k];
    }

  for (int k = 0; k < 3; ++k) I[k] = (P[(k + 1) % 3] + P[(k + 2) % 3]) / total;
  return total * 2 * HFI_PI * HFI_PI / (ANGLES * ANGLES);
}

// ---- cylinder --------------------------------------------------------------------------------------

static double cylinder_radius(const double* s) { return sqrt(s[0] * s[0] + s[1] * s[1]); }

static double cylinder_solid(const double* s, double* I) {
  double r = s[0];
  double l = 2 * s[1];
  set_axial(I, r * r / 4 + l * l / 12, r * r / 2);
  return HFI_PI * r * r * l;
}

// Returns the area of a cylinder and writes the moments I of its shell: a side and two caps.
static double cylinder_shell(const double* s, double* I) {
  double r = s[0];
  double l = 2 * s[1];
  double side_area = 2 * HFI_PI * r * l;
  double cap_area = 2 * HFI_PI * r * r;
  double total = side_area + cap_area;
  double side = side_area / total; // shares of the mass
  double caps = cap_area / total;
  double ixx = side * (r * r / 2 + l * l / 12) + caps * (r * r / 4 + l * l / 4);
  set_axial(I, ixx, side * r * r + caps * r * r / 2);

  return total;
}

static void cylinder_fit(double* size, hfVec3 s, int contain) {
  size[0] = fit_round(s, contain);
  size[1] = s.z;
}

// ---- box -------------------------------------------------------------------------------------------

static double box_radius(const double* s) { return v3_norm(v3_load(s)); }

static double box_solid(const double* s, double* I) {
  for (int i = 0; i < 3; ++i) I[i] = (sqr(s[(i + 1) % 3]) + sqr(s[(i + 2) % 3])) / 3;
  return 8 * s[0] * s[1] * s[2];
}

// Returns the area of a box and writes the moments I of its shell: three pairs of faces, each a plate.
static double box_shell(const double* s, double* I) {
  double area[3]; // of both faces normal to an axis
  double total = 0;

  for (int k = 0; k < 3; ++k) {
    area[k] = 8 * s[(k + 1) % 3] * s[(k + 2) % 3];
    total += area[k];
  }

  double P[3] = {0, 0, 0}; // second moments
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) P[i] += area[k] / total * (i == k ? sqr(s[i]) : sqr(s[i]) / 3);
  for (int i = 0; i < 3; ++i) I[i] = P[(i + 1) % 3] + P[(i + 2) % 3];

  return total;
}

static void box_fit(double* size, hfVec3 s, int contain) {
  (void)contain;
  v3_store(size, s);
}

// ---- table -----------------------------------------------------------------------------------------

#define SHAPE(shape) .radius = shape##_radius, .solid = shape##_solid, .shell = shape##_shell

const hfiShapeKind hfi_shape_kinds[HFI_SHAPES] = {
    [HF_GEOM_PLANE] = {.name = "plane", .fromto_size = -1},
    [HF_GEOM_SPHERE] = {.name = "sphere", .nsize = 1, .curvature = HFI_ROUND, .fromto_size = -1,
                        .urdf = {{"radius", 1, 1}}, SHAPE(sphere), .fit = sphere_fit},
    [HF_GEOM_CAPSULE] = {.name = "capsule", .nsize = 2, .curvature = HFI_ROUND, .fromto_size = 1,
                         .urdf = {{"radius", 1, 1}, {"length", 1, 0.5}}, SHAPE(capsule), .fit = capsule_fit},
    [HF_GEOM_ELLIPSOID] = {.name = "ellipsoid", .nsize = 3, .curvature = HFI_CURVED, .fromto_size = 2,
                           .urdf = {{"a", 1, 1}, {"b", 1, 1}, {"c", 1, 1}}, SHAPE(ellipsoid), .fit = box_fit},
    [HF_GEOM_CYLINDER] = {.name = "cylinder", .nsize = 2, .curvature = HFI_CURVED, .fromto_size = 1,
                          .urdf = {{"radius", 1, 1}, {"length", 1, 0.5}}, SHAPE(cylinder), .fit = cylinder_fit},
    [HF_GEOM_BOX] = {.name = "box", .nsize = 3, .fromto_size = 2, .urdf = {{"size", 3, 0.5}}, SHAPE(box),
                     .fit = box_fit},
    [HF_GEOM_MESH] = {.name = "mesh", .uses_mesh = 1, .fromto_size = -1},
    [HF_GEOM_HFIELD] = {.name = "hfield", .uses_hfield = 1, .fromto_size = -1},
};

int hfi_geom_may_touch(const hfModel* m, int geom) {
  int paired = 0;
  for (int i = 0; i < 2 * m->npair && !paired; ++i) paired = hf_model_pair_geom(m)[i] == geom;
  return paired || hf_model_geom_contype(m)[geom] || hf_model_geom_conaffinity(m)[geom];
}

const char* hf_geom_type_name(int type) {
  return type >= 0 && type < HFI_SHAPES ? hfi_shape_kinds[type].name : "";
}
