// Contact Jacobians. For dof i with motion S = (w, v) about its tree's reference point O, the point C
// moves by v + w x (p_WC - O); A counts with +, B with -.
//
//   rows: n.v, t1.v, t2.v, n.w, t1.w, t2.w
#include "contact/contact.h"

// Fills column k of a dim x n piece.
static void fill_column(const hfiContact* c, hfMotion S, double sign, int dim, int n, int k,
                        double* J) {
  hfVec3 v = v3_scale(sign, S.v), w = v3_scale(sign, S.w);
  J[k] = v3_dot(c->n, v);
  if (dim < 3) return;
  J[n + k] = v3_dot(c->t1, v);
  J[2 * n + k] = v3_dot(c->t2, v);
  if (dim < 4) return;
  J[3 * n + k] = v3_dot(c->n, w);
  if (dim < 6) return;
  J[4 * n + k] = v3_dot(c->t1, w);
  J[5 * n + k] = v3_dot(c->t2, w);
}

static hfMotion motion_at(const hfDynamics* d, int dof, hfVec3 r) {
  hfMotion S = d->S[dof];
  S.v = v3_add(S.v, v3_cross(S.w, r));
  return S;
}

typedef struct Side {
  const int32_t* dofs;
  int32_t n, body;
  double sign;
} Side;

// A free body, whose motions are translations along the world's axes and rotations about its own axes
// through its origin: along a direction e the row is (e, R^T (r x e)), r from the origin to C.
static void fill_free(const hfDynamics* d, const hfiContact* c, const Side* side, int dim,
                      int32_t* cols, double* J) {
  int body = d->link[d->body_link[side->body]].body; // the one with the joint
  const hfPose* X = &d->X_WB[body];
  hfVec3 r = v3_sub(c->p_W, X->p);
  const hfVec3 e[3] = {v3_scale(side->sign, c->n), v3_scale(side->sign, c->t1),
                       v3_scale(side->sign, c->t2)};
  for (int k = 0; k < 6; ++k) cols[k] = side->dofs[k];
  for (int i = 0; i < 3 && i < dim; ++i) {
    v3_store(J + 6 * i, e[i]);
    v3_store(J + 6 * i + 3, m3_tmulv(X->R, v3_cross(r, e[i])));
  }
  for (int i = 3; i < dim; ++i) {
    v3_store(J + 6 * i, v3_zero());
    v3_store(J + 6 * i + 3, m3_tmulv(X->R, e[i - 3]));
  }
}

static int is_free(const hfDynamics* d, const Side* side) {
  const hfModel* m = d->model;
  return side->n == 6 && hf_model_jnt_type(m)[hf_model_dof_jnt(m)[side->dofs[0]]] == HF_JOINT_FREE;
}

// A body on a tree of its own.
static void fill_single(const hfDynamics* d, const hfiContact* c, const Side* side, int dim,
                        int32_t* cols, double* J) {
  hfVec3 r = v3_sub(c->p_W, hfi_body_reference(d, side->body));
  for (int k = 0; k < side->n; ++k) {
    cols[k] = side->dofs[k];
    fill_column(c, motion_at(d, cols[k], r), side->sign, dim, side->n, k, J);
  }
}

// Both bodies on one tree: dofs of A or of B, but not of both, ascending. Returns their number.
static int fill_shared(const hfDynamics* d, const hfiContact* c, const Side* a, const Side* b,
                       int dim, int32_t* cols, double* J) {
  int common = 0;
  while (common < a->n && common < b->n && a->dofs[common] == b->dofs[common]) common++;
  int n = a->n + b->n - 2 * common;
  hfVec3 r = v3_sub(c->p_W, hfi_body_reference(d, a->body));
  for (int i = common, j = common, k = 0; k < n; ++k) {
    int from_a = j == b->n || (i < a->n && a->dofs[i] < b->dofs[j]);
    cols[k] = from_a ? a->dofs[i++] : b->dofs[j++];
    fill_column(c, motion_at(d, cols[k], r), from_a ? a->sign : b->sign, dim, n, k, J);
  }
  return n;
}

hfiContactJacobian hfi_contact_jacobian(const hfDynamics* d, const hfiContact* c, int dim,
                                        int32_t* cols, double* J) {
  hfiContactJacobian out = {0, {0, 0}, {0, 0}};
  const int32_t* tree = hf_model_body_tree(d->model);
  Side side[2] = {{NULL, 0, c->body_a, 1}, {NULL, 0, c->body_b, -1}};
  for (int s = 0; s < 2; ++s) side[s].n = hfi_jacobian_dofs(d, side[s].body, &side[s].dofs);
  if (side[0].n && side[1].n && tree[c->body_a] == tree[c->body_b]) {
    out.tree[0] = tree[c->body_a];
    out.ncol[0] = fill_shared(d, c, &side[0], &side[1], dim, cols, J);
    out.npiece = out.ncol[0] > 0;
    return out;
  }
  for (int s = 0; s < 2; ++s) {
    if (!side[s].n) continue;
    (is_free(d, &side[s]) ? fill_free : fill_single)(d, c, &side[s], dim, cols, J);
    out.tree[out.npiece] = tree[side[s].body];
    out.ncol[out.npiece++] = side[s].n;
    cols += side[s].n;
    J += dim * side[s].n;
  }
  return out;
}
