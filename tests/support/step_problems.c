// A mechanism is a list of trees; a tree is a list of dofs (prismatic or revolute, axis and origin)
// and of bodies, each moved by the first `ndof` dofs. A free body is three prismatic and three
// revolute dofs at its centre. Mass matrices and contact Jacobians follow from that, so that every
// problem is one that some mechanism could pose.
#include "support/step_problems.h"

#include "math/vec3.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// ---- builder
// -------------------------------------------------------------------------------------

static void* grow(void* memory, size_t* capacity, size_t count, size_t width) {
  if (count <= *capacity) return memory;
  *capacity = 2 * count;
  memory = realloc(memory, *capacity * width);
  if (!memory) abort();
  return memory;
}
#define GROW(b, slot, field, count)                                                                \
  ((b)->P.field = grow((b)->P.field, &(b)->capacity[slot], (size_t)(count), sizeof *(b)->P.field))

void problem_reset(problemBuilder* b, double h) {
  hfStepProblem* P = &b->P;
  P->h = h;
  P->nv = P->ntree = P->nblock = P->nrow = P->npiece = P->ncol = P->njac = P->nsaturated =
      P->ncontact = 0;
  GROW(b, 0, tree_start, 1);
  GROW(b, 1, M_start, 1);
  P->tree_start[0] = P->M_start[0] = 0;
}

void problem_release(problemBuilder* b) {
  hfStepProblem* P = &b->P;
  void* memory[] = {P->tree_start, P->M_start, P->M,    P->diag, P->p,         P->v0,
                    P->block,      P->piece,   P->cols, P->J,    P->saturated, P->contact};
  for (int i = 0; i < 12; ++i) free(memory[i]);
  memset(b, 0, sizeof *b);
}

static void copy_or_clear(double* to, const double* from, int n) {
  for (int i = 0; i < n; ++i) to[i] = from ? from[i] : 0;
}

int problem_add_tree(problemBuilder* b, int nv, const double* M, const double* diag,
                     const double* p, const double* v0) {
  hfStepProblem* P = &b->P;
  int tree = P->ntree++, at = P->M_start[tree];
  GROW(b, 0, tree_start, P->ntree + 1);
  GROW(b, 1, M_start, P->ntree + 1);
  GROW(b, 2, M, at + nv * nv);
  GROW(b, 3, diag, P->nv + nv);
  GROW(b, 4, p, P->nv + nv);
  GROW(b, 5, v0, P->nv + nv);
  memcpy(P->M + at, M, sizeof(double) * (size_t)(nv * nv));
  copy_or_clear(P->diag + P->nv, diag, nv);
  copy_or_clear(P->p + P->nv, p, nv);
  copy_or_clear(P->v0 + P->nv, v0, nv);
  P->nv += nv;
  P->tree_start[P->ntree] = P->nv;
  P->M_start[P->ntree] = at + nv * nv;
  return tree;
}

static void add_block(problemBuilder* b, int law, int dim, int param) {
  hfStepProblem* P = &b->P;
  GROW(b, 6, block, P->nblock + 1);
  hfStepBlock block = {law, dim, P->nrow, param, P->npiece, 0};
  P->block[P->nblock++] = block;
  P->nrow += dim;
}

void problem_add_contact(problemBuilder* b, int dim, const hfContactLaw* law) {
  hfStepProblem* P = &b->P;
  GROW(b, 11, contact, P->ncontact + 1);
  P->contact[P->ncontact] = *law;
  add_block(b, HF_LAW_CONTACT, dim, P->ncontact++);
}

void problem_add_saturated(problemBuilder* b, int dim, const hfSaturatedRow* rows) {
  hfStepProblem* P = &b->P;
  GROW(b, 10, saturated, P->nsaturated + dim);
  memcpy(P->saturated + P->nsaturated, rows, sizeof *rows * (size_t)dim);
  add_block(b, HF_LAW_SATURATED, dim, P->nsaturated);
  P->nsaturated += dim;
}

void problem_add_piece(problemBuilder* b, int tree, int ncol, const int32_t* cols,
                       const double* J) {
  hfStepProblem* P = &b->P;
  hfStepBlock* block = P->block + P->nblock - 1;
  GROW(b, 7, piece, P->npiece + 1);
  GROW(b, 8, cols, P->ncol + ncol);
  GROW(b, 9, J, P->njac + block->dim * ncol);
  hfStepPiece piece = {tree, ncol, P->ncol, P->njac};
  P->piece[P->npiece++] = piece;
  for (int i = 0; i < ncol; ++i) P->cols[P->ncol + i] = cols ? cols[i] : i;
  memcpy(P->J + P->njac, J, sizeof(double) * (size_t)(block->dim * ncol));
  P->ncol += ncol;
  P->njac += block->dim * ncol;
  ++block->npiece;
}

hfStepCapacity capacity_union(hfStepCapacity a, hfStepCapacity b) {
  hfStepCapacity c = {imax2(a.nv, b.nv),         imax2(a.ntree, b.ntree),
                      imax2(a.nblock, b.nblock), imax2(a.nrow, b.nrow),
                      imax2(a.npiece, b.npiece), imax2(a.ncol, b.ncol),
                      imax2(a.njac, b.njac),     imax2(a.max_tree_nv, b.max_tree_nv), {0}};
  return c;
}

// ---- mechanisms
// ----------------------------------------------------------------------------------

enum { MAX_TREES = 24, MAX_DOFS = 8, MAX_BODIES = MAX_TREES * MAX_DOFS };

typedef struct dof {
  int revolute;
  hfVec3 axis, origin;
} dof;
typedef struct body {
  int tree, ndof;
  double mass, radius;
  hfMat3 I;
  hfVec3 com;
} body;
typedef struct mechanism {
  int ntree, nbody, ndof[MAX_TREES];
  dof dofs[MAX_TREES][MAX_DOFS];
  body bodies[MAX_BODIES];
  double v0[MAX_TREES][MAX_DOFS];
} mechanism;

// Numbers are drawn in statements of their own: arguments and initialisers have no order.
static hfVec3 random_vector(testRandom* r, double scale) {
  double x = random_normal(r), y = random_normal(r), z = random_normal(r);
  return v3_scale(scale, v3(x, y, z));
}
static hfVec3 random_unit(testRandom* r) { return v3_unit(random_vector(r, 1)); }

static body random_body(testRandom* r, int tree, int ndof, hfVec3 com) {
  body b = {tree, ndof, 0, 0, {{0}}, com};
  b.mass = random_log(r, 1e-3, 1e3);
  b.radius = cbrt(b.mass / random_log(r, 100, 1e4));
  hfMat3 R = m3_from_quat(q_exp(random_vector(r, 1)));
  double scale = 0.4 * b.mass * sqr(b.radius), a = random_uniform(r, 0.6, 1.4),
         c = random_uniform(r, 0.6, 1.4);
  double third = random_uniform(r, 0.6, a + c < 1.4 ? a + c : 1.4),
         principal[3] = {scale * a, scale * c, scale * third};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        b.I.m[3 * i + j] += R.m[3 * i + k] * principal[k] * R.m[3 * j + k];
  return b;
}

static void add_free_body(mechanism* m, testRandom* r) {
  int t = m->ntree++;
  body b = random_body(r, t, 6, v3_zero());
  m->ndof[t] = 6;
  m->bodies[m->nbody++] = b;
  for (int i = 0; i < 6; ++i) {
    dof d = {i >= 3, v3(i % 3 == 0, i % 3 == 1, i % 3 == 2), v3_zero()};
    m->dofs[t][i] = d;
  }
}

// A serial chain on a fixed base, links of similar size.
static void add_chain(mechanism* m, testRandom* r) {
  int t = m->ntree++, n = 1 + random_int(r, MAX_DOFS);
  hfVec3 origin = v3_zero();
  double mass = random_log(r, 1e-2, 1e2);
  m->ndof[t] = n;
  for (int i = 0; i < n; ++i) {
    dof d = {!random_chance(r, 0.3), {0, 0, 0}, origin};
    d.axis = random_unit(r);
    m->dofs[t][i] = d;
    body b = random_body(r, t, i + 1, origin);
    double factor = mass * random_log(r, 0.2, 2) / b.mass;
    b.mass *= factor;
    b.radius *= cbrt(factor);
    for (int k = 0; k < 9; ++k) b.I.m[k] *= factor * cbrt(factor * factor);
    b.com = v3_axpy(b.radius, random_unit(r), origin);
    origin = v3_axpy(2 * b.radius, random_unit(r), origin);
    m->bodies[m->nbody++] = b;
  }
}

// Velocity of point p moving with the dof at unit speed, and its angular velocity.
static hfVec3 point_motion(const dof* d, hfVec3 p) {
  return d->revolute ? v3_cross(d->axis, v3_sub(p, d->origin)) : d->axis;
}
static hfVec3 turn_motion(const dof* d) { return d->revolute ? d->axis : v3_zero(); }

static void mass_matrix(const mechanism* m, int tree, double armature, double* M) {
  int n = m->ndof[tree];
  memset(M, 0, sizeof(double) * (size_t)(n * n));
  for (int k = 0; k < m->nbody; ++k) {
    const body* b = m->bodies + k;
    if (b->tree != tree) continue;
    for (int i = 0; i < b->ndof; ++i) {
      const dof *di = m->dofs[tree] + i, *dj = m->dofs[tree];
      hfVec3 vi = v3_scale(b->mass, point_motion(di, b->com)), wi = m3_mulv(b->I, turn_motion(di));
      for (int j = 0; j <= i; ++j)
        M[i * n + j] += v3_dot(vi, point_motion(dj + j, b->com)) + v3_dot(wi, turn_motion(dj + j));
    }
  }
  for (int i = 0; i < n; ++i) {
    M[i * n + i] *= 1 + armature;
    for (int j = 0; j < i; ++j) M[j * n + i] = M[i * n + j];
  }
}

static void add_trees(problemBuilder* b, mechanism* m, testRandom* r) {
  double h = b->P.h;
  double g = random_chance(r, 0.8) ? 9.81 : 0;
  hfVec3 gravity = v3_scale(g, random_unit(r));
  for (int t = 0; t < m->ntree; ++t) {
    int n = m->ndof[t];
    double M[MAX_DOFS * MAX_DOFS], p[MAX_DOFS] = {0}, diag[MAX_DOFS],
                                   speed = random_chance(r, 0.25) ? 0 : random_log(r, 1e-4, 10);
    mass_matrix(m, t, n == 6 ? 0 : random_log(r, 1e-4, 1), M);
    double size = 1;
    for (int k = 0; k < m->nbody; ++k)
      if (m->bodies[k].tree == t) size = m->bodies[k].radius;
    for (int i = 0; i < n; ++i) {
      m->v0[t][i] = speed * random_normal(r) / (m->dofs[t][i].revolute ? size : 1);
      diag[i] = random_chance(r, 0.2) ? M[i * n + i] * random_log(r, 1e-3, 1e2) : 0;
    }
    for (int k = 0; k < m->nbody; ++k) {
      const body* o = m->bodies + k;
      if (o->tree != t) continue;
      hfVec3 f = v3_scale(h * o->mass, gravity);
      if (random_chance(r, 0.3))
        f = v3_add(f, random_vector(r, h * o->mass * random_log(r, 1e-2, 1e3)));
      for (int i = 0; i < o->ndof; ++i) p[i] += v3_dot(f, point_motion(m->dofs[t] + i, o->com));
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) p[i] += M[i * n + j] * m->v0[t][j];
    problem_add_tree(b, n, M, diag, p, m->v0[t]);
  }
}

// ---- contacts
// ------------------------------------------------------------------------------------

// Where a patch of contacts sits: a point and a frame on body A, and the same point on B (or the
// world).
typedef struct patch {
  const body *A, *B;
  hfVec3 pA, pB, n;
  double spread;
} patch;

static hfVec3 surface_point(testRandom* r, const body* b) {
  double distance = b->radius * random_uniform(r, 0.2, 1);
  return v3_axpy(distance, random_unit(r), b->com);
}

static patch random_patch(const mechanism* m, testRandom* r) {
  patch p = {m->bodies + random_int(r, m->nbody), NULL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
  p.n = random_unit(r);
  if (m->ntree > 1 && random_chance(r, 0.7)) {
    p.B = m->bodies + random_int(r, m->nbody);
    if (p.B->tree == p.A->tree) p.B = NULL;
  }
  p.pA = surface_point(r, p.A);
  if (p.B) p.pB = surface_point(r, p.B);
  p.spread = random_uniform(r, 0, 0.5) * (p.B ? min2(p.A->radius, p.B->radius) : p.A->radius);
  return p;
}

static double contact_mass(const patch* p) {
  return p->B ? p->A->mass * p->B->mass / (p->A->mass + p->B->mass) : p->A->mass;
}

static hfContactLaw random_law(const patch* p, testRandom* r, double h, double vn0, int friction) {
  hfContactLaw c;
  memset(&c, 0, sizeof c);
  double m = contact_mass(p), size = p->A->radius;
  c.stiffness = random_log(r, 1e2, 1e7);
  c.dissipation = random_chance(r, 0.1) ? 0 : random_log(r, 1e-1, 5e2);
  double rest =
      m * 9.81 / c.stiffness * random_log(r, 1e-2, 1e2); // carries up to 100 times its weight
  double kind = random_uniform(r, 0, 1);
  c.depth = kind < 0.5   ? rest
            : kind < 0.7 ? random_log(r, 1e-8, 1e-4)
                         : -random_uniform(r, 0, 2) * fabs(h * vn0);
  c.normal_force0 =
      random_chance(r, 0.2) ? 0 : c.stiffness * max2(0, 1 - c.dissipation * vn0) * max2(0, c.depth);
  c.friction = friction < 3 ? friction : random_int(r, 3);
  double lever[3] = {1, 0, 0};
  lever[1] = size * random_log(r, 1e-2, 1);
  lever[2] = size * random_log(r, 1e-3, 1e-1);
  double mu = random_chance(r, 0.05) ? 0 : random_uniform(r, 0, 2), vs = random_log(r, 1e-6, 1e-2);
  for (int g = 0; g < 3; ++g) {
    c.mu[g] = mu * lever[g];
    c.stiction_speed[g] = vs / size * (g == 0 ? size : 1);
    c.k_t[g] = c.stiffness * random_uniform(r, 0.6, 1) * sqr(lever[g]);
    c.c_t[g] = 2 * sqrt(c.k_t[g] * m) * lever[g] * random_uniform(r, 0, 2);
    double reach = random_chance(r, 0.1) ? 3 : 1; // some beyond the bound, as after a loss of load
    double xi = c.mu[g] * c.normal_force0 / c.k_t[g] * random_uniform(r, 0, reach),
           turn = random_uniform(r, 0, 6.28);
    int row = g == 0 ? 0 : g + 1;
    c.xi0[row] = xi * cos(turn);
    if (g != 1) c.xi0[row + 1] = xi * sin(turn);
  }
  return c;
}

// One side of a contact: rows n, t1, t2, torsion, roll1, roll2 times sign.
static void add_side(problemBuilder* b, const mechanism* m, const body* o, hfVec3 point,
                     const hfVec3 axis[3], int dim, double sign) {
  double J[6 * MAX_DOFS];
  for (int j = 0; j < o->ndof; ++j) {
    const dof* d = m->dofs[o->tree] + j;
    hfVec3 v = point_motion(d, point), w = turn_motion(d);
    for (int i = 0; i < dim; ++i) J[i * o->ndof + j] = sign * v3_dot(axis[i % 3], i < 3 ? v : w);
  }
  problem_add_piece(b, o->tree, o->ndof, NULL, J);
}

static double point_speed(const mechanism* m, const body* o, hfVec3 point, hfVec3 n) {
  double v = 0;
  for (int j = 0; o && j < o->ndof; ++j)
    v += m->v0[o->tree][j] * v3_dot(n, point_motion(m->dofs[o->tree] + j, point));
  return v;
}

static void add_contact(problemBuilder* b, const mechanism* m, const patch* p, testRandom* r,
                        int dim, int friction) {
  hfVec3 axis[3] = {p->n}, shift = random_vector(r, p->spread);
  v3_tangents(p->n, axis + 1, axis + 2);
  shift = v3_axpy(-v3_dot(shift, p->n), p->n, shift); // in the tangent plane
  hfVec3 pA = v3_add(p->pA, shift), pB = v3_add(p->pB, shift);
  double vn0 = point_speed(m, p->A, pA, p->n) - point_speed(m, p->B, pB, p->n);
  hfContactLaw law = random_law(p, r, b->P.h, vn0, friction);
  problem_add_contact(b, dim, &law);
  add_side(b, m, p->A, pA, axis, dim, 1);
  if (p->B) add_side(b, m, p->B, pB, axis, dim, -1);
}

// Repeats the last block exactly.
static void duplicate_contact(problemBuilder* b) {
  hfStepBlock block = b->P.block[b->P.nblock - 1];
  hfContactLaw law = b->P.contact[block.param];
  problem_add_contact(b, block.dim, &law);
  for (int i = 0; i < block.npiece; ++i) {
    hfStepPiece piece = b->P.piece[block.piece + i];
    double J[6 * MAX_DOFS];
    memcpy(J, b->P.J + piece.jac, sizeof(double) * (size_t)(block.dim * piece.ncol));
    problem_add_piece(b, piece.tree, piece.ncol, NULL, J);
  }
}

static void add_contacts(problemBuilder* b, const mechanism* m, testRandom* r, int max_contacts) {
  int count = (int)random_log(r, 1, max_contacts + 1), friction = random_int(r, 4); // 3: mixed
  while (count > 0) {
    patch p = random_patch(m, r);
    static const int dims[8] = {3, 3, 3, 3, 3, 1, 4, 6};
    int size = imin2(count, 1 + random_int(r, 8)), dim = dims[random_int(r, 8)];
    for (int i = 0; i < size; ++i) {
      if (i > 0 && random_chance(r, 0.15))
        duplicate_contact(b);
      else
        add_contact(b, m, &p, r, dim, friction);
    }
    count -= size;
  }
}

// ---- saturated rows
// ------------------------------------------------------------------------------

// Joint limit, joint friction, servo with effort limits, motor, or equality on one dof; stiff up to
// the near-rigid cap h kappa w = (2 pi/0.1)^2.
static hfSaturatedRow random_row(testRandom* r, double h, double mass, double v0) {
  double off = random_normal(r), size = random_log(r, 1e-3, 1), stiff = random_log(r, 1e-3, 4e3);
  hfSaturatedRow row = {v0 + off * size, mass / h * stiff, 0, 0};
  double force = mass * random_log(r, 1e-2, 1e3);
  switch (random_int(r, 4)) {
  case 0:
    row.lo = 0;
    row.hi = INFINITY;
    break;
  case 1:
    row.s0 = 0;
    row.lo = -force;
    row.hi = force;
    break;
  case 2:
    row.lo = -force * random_uniform(r, 0, 1);
    row.hi = force;
    break;
  default:
    row.lo = -INFINITY;
    row.hi = INFINITY;
    break;
  }
  return row;
}

static void add_saturated_rows(problemBuilder* b, const mechanism* m, testRandom* r) {
  for (int t = 0; t < m->ntree; ++t) {
    if (m->nbody == 0 || !random_chance(r, 0.3)) continue;
    int n = m->ndof[t], d = random_int(r, n), at = b->P.M_start[t];
    hfSaturatedRow row = random_row(r, b->P.h, b->P.M[at + d * (n + 1)], m->v0[t][d]);
    int32_t col = d;
    double one = 1;
    problem_add_saturated(b, 1, &row);
    problem_add_piece(b, t, 1, &col, &one);
    if (t > 0 && random_chance(r, 0.2)) { // a gear between two trees
      int32_t other = random_int(r, m->ndof[t - 1]);
      double ratio =
          random_normal(r) * sqrt(b->P.M[b->P.M_start[t - 1] + other * (m->ndof[t - 1] + 1)] /
                                  b->P.M[at + d * (n + 1)]);
      problem_add_piece(b, t - 1, 1, &other, &ratio);
    }
  }
}

void problem_random(problemBuilder* b, testRandom* r, int max_contacts) {
  mechanism m;
  m.ntree = m.nbody = 0;
  problem_reset(b, random_log(r, 1e-4, 3e-2));
  for (int trees = (int)random_log(r, 1, MAX_TREES + 1); trees > 0; --trees) {
    if (random_chance(r, 0.7))
      add_free_body(&m, r);
    else
      add_chain(&m, r);
  }
  add_trees(b, &m, r);
  add_contacts(b, &m, r, max_contacts);
  add_saturated_rows(b, &m, r);
}

// ---- the oracle
// ----------------------------------------------------------------------------------

// tau = J^T gamma, size = |J|^T |gamma|
static void sum_impulses(const hfStepProblem* P, const double* impulse, double* tau, double* size) {
  for (int i = 0; i < P->nv; ++i) tau[i] = size[i] = 0;
  for (int b = 0; b < P->nblock; ++b)
    for (int i = 0; i < P->block[b].npiece; ++i) {
      const hfStepPiece* piece = P->piece + P->block[b].piece + i;
      for (int k = 0; k < P->block[b].dim; ++k)
        for (int j = 0; j < piece->ncol; ++j) {
          double x = P->J[piece->jac + k * piece->ncol + j] * impulse[P->block[b].row + k];
          int at = P->tree_start[piece->tree] + P->cols[piece->col + j];
          tau[at] += x;
          size[at] += fabs(x);
        }
    }
}

// Norms with 1/A_ii as weight: of the residual (v given), of size, and max(|p*|, |tau|).
typedef struct norms {
  double residual, size, scale;
} norms;

static norms measure(const hfStepProblem* P, const double* v, const double* impulse) {
  double rr = 0, pp = 0, tt = 0, ss = 0, *tau = malloc(2 * sizeof *tau * ((size_t)P->nv + 1));
  if (!tau) abort();
  double* size = tau + P->nv;
  sum_impulses(P, impulse, tau, size);
  for (int t = 0; t < P->ntree; ++t) {
    int a = P->tree_start[t], n = P->tree_start[t + 1] - a;
    for (int i = 0; i < n; ++i) {
      const double* M = P->M + P->M_start[t] + i * n;
      double weight = 1 / (M[i] + P->diag[a + i]), r = -P->p[a + i] - tau[a + i];
      if (v) r += P->diag[a + i] * v[a + i];
      for (int j = 0; v && j < n; ++j) r += M[j] * v[a + j];
      rr += r * r * weight;
      pp += sqr(P->p[a + i]) * weight;
      tt += sqr(tau[a + i]) * weight;
      ss += sqr(size[a + i]) * weight;
    }
  }
  free(tau);
  norms result = {sqrt(rr), sqrt(ss), sqrt(pp > tt ? pp : tt)};
  return result;
}

double problem_residual(const hfStepProblem* P, const double* v, const double* impulse) {
  norms n = measure(P, v, impulse);
  return n.scale > 0 ? n.residual / n.scale : n.residual;
}

double problem_rounding(const hfStepProblem* P, const double* impulse) {
  norms n = measure(P, NULL, impulse);
  return n.scale > 0 ? DBL_EPSILON * n.size / n.scale : 0;
}
