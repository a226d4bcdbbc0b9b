// Contact Jacobians J: the row velocities s = J v are those of A's material point C relative to B's. For dof i with
// motion S = (w, v) about its tree's reference point O, the point C moves by v + w x (p_WC - O). A dof that moves A
// counts with +, one that moves B with -. So J^T f puts the force f of the rows on A and the opposite on B.
//
//   rows: n.v, t1.v, t2.v, n.w, t1.w, t2.w       n points from B into A
//
// An inverse mass of a group of rows is their mean of J M^-1 J^T, with the diagonal of M for M.
#include "step/contact/contact.h"

#include "base/compile.h"
#include "step/dynamics/flight.h"

// ---- columns -------------------------------------------------------------------------------------

// Writes the side of a body at its final place: to copy a structure whose fields were just stored would make the
// processor wait.
static inline void set_side(hfiContactSide* side, const hfDynamics* d, int body, double sign) {
  const hfModel* m = d->model;
  const int32_t* dofs = NULL;
  int n = hfi_jacobian_dofs(d, body, &dofs);

  side->dofs = dofs;
  side->n = n;
  side->body = body;
  side->sign = sign;
  side->free = n == 6 && hf_model_jnt_type(m)[hf_model_dof_jnt(m)[dofs[0]]] == HF_JOINT_FREE;
}

// Returns the number of dofs that move both bodies: those at the root of their tree.
static int count_common(const hfiContactSide* a, const hfiContactSide* b) {
  int common = 0;
  while (common < a->n && common < b->n && a->dofs[common] == b->dofs[common]) common++;
  return common;
}

// Returns the next dof of A or of B in ascending order, from the places *i and *j on, and moves on. *sign: the sign of
// the body to which it belongs.
static int take_next_dof(const hfiContactSide* a, const hfiContactSide* b, int* i, int* j, double* sign) {
  int from_a = *j == b->n || (*i < a->n && a->dofs[*i] < b->dofs[*j]);
  *sign = from_a ? a->sign : b->sign;
  return from_a ? a->dofs[(*i)++] : b->dofs[(*j)++];
}

// Makes one piece of two sides on one tree: the dofs of both in ascending order, but for the common ones, which move
// both bodies alike.
static void share_tree(hfiContactColumns* out, int tree, int32_t* cols) {
  const hfiContactSide* a = &out->side[0];
  const hfiContactSide* b = &out->side[1];
  int common = count_common(a, b);
  int n = a->n + b->n - 2 * common;

  int i = common;
  int j = common;
  double sign;
  for (int k = 0; k < n; ++k) cols[k] = take_next_dof(a, b, &i, &j, &sign);

  out->shared = 1;
  out->tree[0] = tree;
  out->ncol[0] = n;
  out->npiece = n > 0;
}

// Adds a side on a tree of its own if it has dofs. Returns the place after its columns.
static inline int32_t* add_side(hfiContactColumns* out, const hfDynamics* d, int body, double sign, int tree,
                                int32_t* cols) {
  hfiContactSide* side = &out->side[out->npiece];
  if (tree < 0) return cols;

  set_side(side, d, body, sign);
  for (int k = 0; k < side->n; ++k) cols[k] = side->dofs[k];
  out->tree[out->npiece] = tree;
  out->ncol[out->npiece++] = side->n;
  return cols + side->n;
}

// Finds the columns of the contacts of two bodies. cols: global dofs, one piece after the other. Two bodies on one tree
// share one piece; otherwise each has its own, but for a body of the world (tree -1), which has none.
void hfi_contact_columns(const hfDynamics* d, int body_a, int body_b, int32_t* cols, hfiContactColumns* out) {
  int tree_a = hf_model_body_tree(d->model)[body_a];
  int tree_b = hf_model_body_tree(d->model)[body_b];

  out->npiece = 0;
  out->shared = 0;
  if (tree_a >= 0 && tree_a == tree_b) {
    set_side(&out->side[0], d, body_a, 1);
    set_side(&out->side[1], d, body_b, -1);
    share_tree(out, tree_a, cols);
    return;
  }

  cols = add_side(out, d, body_a, 1, tree_a, cols);
  add_side(out, d, body_b, -1, tree_b, cols);
}

// ---- rows ----------------------------------------------------------------------------------------

// The rows of a contact that are being filled. Inverse masses of friction rows are summed while their entries are in
// registers: the functions return the part of sliding and add the others to *w.
typedef struct RowFill {
  const hfDynamics* d;
  const hfiContact* c;
  int dim;               // number of rows
  int weighs;            // 1: inverse masses are asked for; a constant in each caller
  const double* inverse; // 1/M_ii of the columns; valid with `weighs`
  hfiInverseMasses* w;   // likewise
} RowFill;

// Returns the share of one column in the sum of the inverse masses of two rows, whose entries are x and y.
static inline double weigh(double x, double y, double inverse) { return (x * x + y * y) * inverse; }
// The same for three columns.
static inline double weigh_vectors(hfVec3 a, hfVec3 b, const double* inverse) {
  return weigh(a.x, b.x, inverse[0]) + weigh(a.y, b.y, inverse[1]) + weigh(a.z, b.z, inverse[2]);
}

// Fills the rows of torsion and rolling in column k of a dim x n piece. turn: angular velocity for unit rate of the
// dof. Adds to *w unless inverse is NULL.
static void fill_column_turns(const hfiContact* c, hfVec3 turn, int dim, int n, int k, const double* inverse,
                              hfiInverseMasses* w, double* J) {
  double spin = v3_dot(c->n, turn);
  J[3 * n + k] = spin;
  if (inverse) w->group[HF_TORSION] += weigh(spin, 0, inverse[k]);
  if (dim < 6) return;

  double roll1 = v3_dot(c->t1, turn);
  double roll2 = v3_dot(c->t2, turn);
  J[4 * n + k] = roll1;
  J[5 * n + k] = roll2;
  if (inverse) w->group[HF_ROLLING] += weigh(roll1, roll2, inverse[k]);
}

// Fills column k of a piece of n columns. The dof has the motion S; r is the vector from its reference point to C.
// Returns its share of the inverse masses of sliding.
HFI_FORCE_INLINE double fill_column(RowFill f, const hfMotion* S, hfVec3 r, double sign, int n, int k, double* J) {
  hfVec3 v = v3_scale(sign, v3_add(S->v, v3_cross(S->w, r)));
  J[k] = v3_dot(f.c->n, v);
  if (f.dim < 3) return 0;

  double t1 = v3_dot(f.c->t1, v);
  double t2 = v3_dot(f.c->t2, v);
  J[n + k] = t1;
  J[2 * n + k] = t2;
  if (f.dim > 3) fill_column_turns(f.c, v3_scale(sign, S->w), f.dim, n, k, f.weighs ? f.inverse : NULL, f.w, J);
  return f.weighs ? weigh(t1, t2, f.inverse[k]) : 0;
}

// Fills the row of a free body for the direction e. The motions of a free body are translations along the world's axes
// and rotations about its own axes through its origin. So a row along e is (e, R^T (r x e)), with r from the origin to
// C, and a row about e is (0, R^T e). The columns of R are the axes S of its rotations. `moment` is r x e for a row
// along e; for a row about an axis, e is zero and `moment` the axis. Returns the second part, R^T moment.
static inline hfVec3 fill_free_row(hfVec3 e, hfVec3 moment, const hfMotion* S, double* J) {
  hfVec3 turn = v3(v3_dot(S[3].w, moment), v3_dot(S[4].w, moment), v3_dot(S[5].w, moment));
  v3_store(J, e);
  v3_store(J + 3, turn);
  return turn;
}

// Returns the centre about which the surface of a geom is round near p_W: a body may turn about the axis of a capsule
// or a cylinder without moving its surface. For other shapes it is p_W itself.
static hfVec3 find_rounding_centre(const hfDynamics* d, int geom, hfVec3 p_W) {
  int type = hf_model_geom_type(d->model)[geom];
  const hfPose* X = &d->X_WG[geom];

  if (type == HF_GEOM_SPHERE) return X->p;
  if (type != HF_GEOM_CAPSULE && type != HF_GEOM_CYLINDER) return p_W;

  hfVec3 axis = m3_col(X->R, 2);
  double half = hf_model_geom_size(d->model)[3 * geom + 1];
  return v3_axpy(clamp(v3_dot(axis, v3_sub(p_W, X->p)), -half, half), axis, X->p);
}

// Cosine of half the turn in a step from which a body spins fast, HFI_FAST_SPIN_TURN [-].
static const double FAST_SPIN_COSINE = 0.9950041652780258;
// Cosine of half the turn of 0.7 rad, beyond which no motion of the body is nearly linear [-].
static const double LARGEST_SPIN_COSINE = 0.9393727128473789;

// Returns the arm from the origin O of a free body to the contact. The axes S of its rotations are of the middle of the
// step, its pose is of the start. If the body spins fast, the part of the arm from O to the centre Q of the rounding is
// turned into the middle, too: there w x (Q - O) is the mean velocity of Q over the step, while the arm of the start
// gives an error of h w^2/2.
static hfVec3 find_spinning_arm(const hfDynamics* d, const hfiContact* c, const hfiContactSide* side,
                                const hfMotion* S) {
  hfVec3 O = hfi_body_reference(d, side->body);
  const hfMat3* R0 = &d->X_WB[d->link[d->body_link[side->body]].body].R;

  // cosine of the turn from the start into the middle, by the trace of the rotation: trace = 1 + 2 cosine
  double trace = 0;
  for (int k = 0; k < 3; ++k) trace += v3_dot(m3_col(*R0, k), S[3 + k].w);
  double cosine = 0.5 * (trace - 1);
  if (cosine > FAST_SPIN_COSINE || cosine < LARGEST_SPIN_COSINE) return v3_sub(c->p_W, O);

  // the arm of Q turned into the middle, and the rest as it is
  hfVec3 Q = find_rounding_centre(d, side->sign > 0 ? c->geom_a : c->geom_b, c->p_W);
  hfVec3 arm_B = m3_tmulv(*R0, v3_sub(Q, O));
  hfVec3 turned = v3_scale(arm_B.x, S[3].w);
  turned = v3_axpy(arm_B.z, S[5].w, v3_axpy(arm_B.y, S[4].w, turned));
  return v3_add(turned, v3_sub(c->p_W, Q));
}

// Fills the rows of torsion and rolling of a free body, with six columns each, from row 3 on. Adds to *w unless inverse
// is NULL.
static void fill_free_turns(const hfiContact* c, double sign, const hfMotion* S, int dim, const double* inverse,
                            hfiInverseMasses* w, double* J) {
  hfVec3 spin = fill_free_row(v3_zero(), v3_scale(sign, c->n), S, J + 3 * 6);
  if (inverse) w->group[HF_TORSION] += weigh_vectors(spin, v3_zero(), inverse + 3);
  if (dim < 6) return;

  hfVec3 roll1 = fill_free_row(v3_zero(), v3_scale(sign, c->t1), S, J + 4 * 6);
  hfVec3 roll2 = fill_free_row(v3_zero(), v3_scale(sign, c->t2), S, J + 5 * 6);
  if (inverse) w->group[HF_ROLLING] += weigh_vectors(roll1, roll2, inverse + 3);
}

// Fills the rows of a free body, its six columns side by side: row k begins at J + 6 k. side->sign turns the directions
// n, t1, t2 round for body B. Returns the sum of the inverse masses of both rows of sliding, 0 if they are not asked
// for.
HFI_FORCE_INLINE double fill_free(RowFill f, const hfiContactSide* side, double* J) {
  const hfDynamics* d = f.d;
  const hfiContact* c = f.c;
  const hfMotion* S = d->S + side->dofs[0];

  // the arm; axes that are not fresh were turned into the middle of the step
  int spins_fast = !hfi_dynamics_is_fresh(d, HFI_FRESH_AXES) && !c->curved;
  hfVec3 r = spins_fast ? find_spinning_arm(d, c, side, S) : v3_sub(c->p_W, hfi_body_reference(d, side->body));

  // the normal row, then sliding
  hfVec3 n = v3_scale(side->sign, c->n);
  fill_free_row(n, v3_cross(r, n), S, J);
  if (f.dim < 3) return 0;

  hfVec3 t1 = v3_scale(side->sign, c->t1);
  hfVec3 t2 = v3_scale(side->sign, c->t2);
  hfVec3 turn1 = fill_free_row(t1, v3_cross(r, t1), S, J + 6);
  hfVec3 turn2 = fill_free_row(t2, v3_cross(r, t2), S, J + 2 * 6);
  if (f.dim > 3) fill_free_turns(c, side->sign, S, f.dim, f.weighs ? f.inverse : NULL, f.w, J);
  return f.weighs ? weigh_vectors(t1, t2, f.inverse) + weigh_vectors(turn1, turn2, f.inverse + 3) : 0;
}

// Fills the first three of n columns of a body whose tree begins with a free joint: translations along the axes of the
// world. Returns their share of the inverse masses of sliding.
HFI_FORCE_INLINE double fill_translations(RowFill f, double sign, int n, double* J) {
  v3_store(J, v3_scale(sign, f.c->n));
  if (f.dim < 3) return 0;

  hfVec3 t1 = v3_scale(sign, f.c->t1);
  hfVec3 t2 = v3_scale(sign, f.c->t2);
  v3_store(J + n, t1);
  v3_store(J + 2 * n, t2);
  for (int row = 3; row < f.dim; ++row) v3_store(J + row * n, v3_zero());
  return f.weighs ? weigh_vectors(t1, t2, f.inverse) : 0;
}

// Fills the piece of a body on a tree of its own. Returns the sum of the inverse masses of sliding.
HFI_FORCE_INLINE double fill_single(RowFill f, const hfiContactSide* side, double* J) {
  hfVec3 r = v3_sub(f.c->p_W, hfi_body_reference(f.d, side->body));
  int begins_free = hfi_link_of(f.d, side->body)->has_free_root;

  double sum = begins_free ? fill_translations(f, side->sign, side->n, J) : 0;

  // the other columns
  for (int k = begins_free ? 3 : 0; k < side->n; ++k)
    sum += fill_column(f, &f.d->S[side->dofs[k]], r, side->sign, side->n, k, J);
  return sum;
}

// Fills the piece of two bodies on one tree, whose dofs have one reference point. Returns the sum of the inverse masses
// of the two rows of sliding. i, j: the next dof of A and of B; those that move both bodies come first and are left
// out.
HFI_FORCE_INLINE double fill_shared(RowFill f, const hfiContactColumns* columns, double* J) {
  const hfiContactSide* a = &columns->side[0];
  const hfiContactSide* b = &columns->side[1];
  hfVec3 r = v3_sub(f.c->p_W, hfi_body_reference(f.d, a->body));
  int i = count_common(a, b);
  int j = i;
  double sum = 0;

  for (int k = 0; k < columns->ncol[0]; ++k) {
    double sign;
    int dof = take_next_dof(a, b, &i, &j, &sign);
    sum += fill_column(f, &f.d->S[dof], r, sign, columns->ncol[0], k, J);
  }
  return sum;
}

// Fills all pieces, one after the other. Returns the sum of the inverse masses of sliding.
HFI_FORCE_INLINE double fill_rows(RowFill f, const hfiContactColumns* columns, double* J) {
  double sum = 0;

  if (columns->shared) return fill_shared(f, columns, J);
  for (int s = 0; s < columns->npiece; ++s) {
    const hfiContactSide* side = &columns->side[s];
    sum += side->free ? fill_free(f, side, J) : fill_single(f, side, J);
    J += f.dim * side->n;
    if (f.weighs) f.inverse += side->n;
  }
  return sum;
}

// Computes J of a contact: a dim x ncol block for each piece, one after the other.
void hfi_contact_rows(const hfDynamics* d, const hfiContactColumns* columns, const hfiContact* c, int dim, double* J) {
  fill_rows((RowFill){d, c, dim, 0, NULL, NULL}, columns, J);
}

// Computes J like hfi_contact_rows, and the inverse masses, estimated with the diagonal of M.
void hfi_contact_weighed_rows(const hfDynamics* d, const hfiContactColumns* columns, const hfiContact* c, int dim,
                              const double* inverse, hfiInverseMasses* w, double* J) {
  w->group[HF_TORSION] = 0;
  w->group[HF_ROLLING] = 0;
  w->group[HF_SLIDING] = 0.5 * fill_rows((RowFill){d, c, dim, 1, inverse, w}, columns, J);
  w->group[HF_ROLLING] *= 0.5;
}
