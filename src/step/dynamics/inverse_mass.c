// Upper bounds of (M^-1)_ii that hold at every configuration.
//
//   1/(M^-1)_ii = min v . M v  over v with v_i = 1
//
// so that every lower bound of v . M v, twice the kinetic energy, gives an upper bound. Armature a_i and links add up
// in it:
//
//   armature       a_i
//   hinge          the only joint between links l and p, about the axis u = w_l - w_p of length 1. A link resists
//                  rotation by D = I + r: by its moments of inertia I about its centre of mass, and by what its
//                  ancestors resist at least. With w . D w >= (u . w)^2/(u . D^-1 u) the two have at least
//                    min over s of (1 + s)^2/(u . I_l^-1 u) + s^2/(u . D_p^-1 u) = 1/(u . I_l^-1 u + u . D_p^-1 u)
//   slide          the only joint between the world and link l: m_l
//
// The ancestors of a link behind a hinge with armature a, whose parent resists any rotation by at least d = least
// eigenvalue of D_p, resist by r = min over s of a s^2 + d (1 - s)^2 = 1/(1/a + 1/d); behind a slide by d; behind
// other joints by nothing.
#include "step/dynamics/inside.h"
#include "math/eigen3.h"

// The resistance D = I + r of a link against rotation.
typedef struct Resistance {
  double moment[3]; // principal moments of I, plus r [kg m^2]
  hfMat3 axes;      // the principal axes, in the frame of the body
} Resistance;

// Principal moments are lessened by this share of the largest one, their rounding error, so that the bounds hold [-].
static const double MOMENT_ROUNDING_SHARE = 1e-12;

// Returns the resistance of a link. ancestors: r [kg m^2].
static Resistance find_resistance(const hfiLink* link, double ancestors) {
  Resistance d;
  eigen3(link->inertia_B, d.moment, &d.axes);
  double rounding = MOMENT_ROUNDING_SHARE * d.moment[0];
  for (int k = 0; k < 3; ++k) d.moment[k] = max2(0, d.moment[k] - rounding) + ancestors;
  return d;
}

// Returns u . D^-1 u; infinite if D is singular.
static double find_inverse_resistance(const Resistance* d, hfVec3 u) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    if (!(d->moment[k] > 0)) return INFINITY;
    sum += sqr(v3_dot(u, m3_col(d->axes, k))) / d->moment[k];
  }
  return sum;
}

// Turns a vector from the axes of a body into those of its link, through the welds between them.
static hfVec3 turn_into_link(const hfDynamics* d, int body, hfVec3 u) {
  const hfModel* m = d->model;
  int link_body = hfi_link_of(d, body)->body;
  for (int b = body; b != link_body; b = hf_model_body_parent(m)[b])
    u = q_rotate(q_unit(q_load(hf_model_body_quat(m) + 4 * b)), u);
  return u;
}

// Returns an upper bound of the inverse mass of a hinge before `link`, from the two links that it connects. parent: the
// resistance of the parent, NULL for the world.
static double bound_by_links(const hfDynamics* d, const hfiLink* link, const Resistance* parent) {
  const hfiJointStep* joint = &d->kinematics.step[link->joint];
  Resistance alone = find_resistance(link, 0);
  double inverse = find_inverse_resistance(&alone, joint->axis_B);
  if (!parent) return inverse;

  hfVec3 axis = turn_into_link(d, hf_model_body_parent(d->model)[link->body], joint->axis_E);
  return inverse + find_inverse_resistance(parent, axis);
}

// Returns r of the link behind a joint: what the joint and its ancestors resist against rotation of that link [kg m^2].
// It is 0 behind joints that are neither hinge nor slide.
static double resistance_behind(int joint_type, double armature, const Resistance* parent) {
  double least = parent->moment[2];
  if (joint_type == HF_JOINT_HINGE) return 1 / (1 / armature + 1 / least);
  return joint_type == HF_JOINT_SLIDE ? least : 0;
}

// Writes mass.largest_inverse, for each dof an upper bound of (M^-1)_ii; INFINITY where none is known. Armature of
// tendons is added only to entries that M has, so that what it adds may be indefinite: with it there is no bound.
void hfi_bound_inverse_masses(hfDynamics* d) {
  const double* armature = hf_model_dof_armature(d->model);
  double* ancestors_of = d->scratch.work; // r of link l is in ancestors_of[l - 1]

  for (int l = 1; l < d->nlink; ++l) {
    const hfiLink* link = &d->link[l];
    int parent_link = link->parent;

    // several joints together bound nothing, as a free joint
    int type = link->njoint == 1 ? d->kinematics.step[link->joint].type : HF_JOINT_FREE;
    Resistance parent = {.moment = {INFINITY, INFINITY, INFINITY}}; // the world cannot turn
    if (parent_link) parent = find_resistance(&d->link[parent_link], ancestors_of[parent_link - 1]);

    // the bound by the links alone
    double bound = INFINITY;
    if (type == HF_JOINT_HINGE) bound = bound_by_links(d, link, parent_link ? &parent : NULL);
    if (type == HF_JOINT_SLIDE && !parent_link && link->mass > 0) bound = 1 / link->mass;

    ancestors_of[l - 1] = resistance_behind(type, armature[link->dof], &parent);
    // armature and links add up: without a bound by the links armature alone bounds, and without armature nothing
    for (int i = link->dof; i < link->dof + link->ndof; ++i)
      d->mass.largest_inverse[i] = d->mass.narmature ? INFINITY : 1 / (armature[i] + 1 / bound);
  }
}

// ---- the inverse mass at a configuration --------------------------------------------------------------
//
//   w = J M^-1 J^T = |D^-1/2 L^-T J^T|^2,   M = L^T D L (ltdl.c)
//
// is the first half of a solve with M. It touches only the dofs of J and their ancestors.

// Returns the inverse mass w = e^T M^-1 e of a dof, with e its unit vector:
//
//   w = sum_k y_k^2/D_k,   L^T y = e
//
// y is 1 for the dof itself and -x_k for its ancestor k. x begins as the dof's row of L. Then ancestors are
// eliminated, the nearest one first.
static double compute_inverse_mass(const hfDynamics* d, int dof) {
  const int32_t* adr = hf_model_dof_Madr(d->model);
  const int32_t* col = hf_model_M_col(d->model) + adr[dof];
  const double* x = d->mass.L + adr[dof];
  double* next = d->scratch.work;
  double w = d->mass.Dinv[dof];

  for (int k = hf_model_dof_depth(d->model)[dof] - 1; k >= 0; --k) {
    const double* row = d->mass.L + adr[col[k]];
    double xk = x[k];
    w += d->mass.Dinv[col[k]] * xk * xk;
    for (int j = 0; j < k; ++j) next[j] = x[j] - xk * row[j];
    x = next;
  }
  return w;
}

// Returns (M^-1)_ii of a dof, and remembers it.
double hfi_dof_inverse_mass(const hfDynamics* d, int dof) {
  hfi_need_factors(d, hf_model_dof_tree(d->model)[dof]);
  double* inverse = &d->mass.inverse[dof];
  if (*inverse < 0) *inverse = compute_inverse_mass(d, dof);
  return *inverse;
}

// Returns w = J M^-1 J^T of a row over ncol dofs, cols ascending [1/kg, 1/(kg m^2)]. x (nv): scratch, zero before and
// after. With M = L^T D L (ltdl.c) w is the sum of x_i^2/D_i over x = L^-T J^T.
double hfi_coupled_inverse_mass(const hfDynamics* d, double* x, int ncol, const int32_t* cols, const double* J) {
  const hfModel* m = d->model;
  const int32_t* adr = hf_model_dof_Madr(m);
  const int32_t* depth = hf_model_dof_depth(m);
  if (ncol == 0) return 0;

  // x <- J^T
  for (int k = 0; k < ncol; ++k) {
    hfi_need_factors(d, hf_model_dof_tree(m)[cols[k]]);
    x[cols[k]] += J[k];
  }

  // x <- L^-T x from the last dof inward to the first one of the first tree; an entry is cleared when it has been used
  int root = hf_model_tree_dofadr(m)[hf_model_dof_tree(m)[cols[0]]];
  double w = 0;
  for (int i = cols[ncol - 1]; i >= root; --i) {
    if (x[i] == 0) continue;

    const double* row = d->mass.L + adr[i];
    const int32_t* col = hf_model_M_col(m) + adr[i];
    double xi = x[i];
    for (int k = 0, n = depth[i]; k < n; ++k) x[col[k]] -= row[k] * xi;
    w += d->mass.Dinv[i] * xi * xi;
    x[i] = 0;
  }
  return w;
}
