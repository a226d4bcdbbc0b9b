// Smooth bodies that roll or wobble alone: impulses of contact and weight, half at the start and half at the end of the
// step (docs/theory/rolling.md, "Half of the impulses at each end").
//
//   v_m = v0 + (h/2) g + M^-1 J0^T gamma_0      the step problem with half of the weight and the gap of the path
//   q1  = q0 (+) h v_m                          with a step of free spin (step/dynamics/free_body.c)
//   v1  = v_m + (h/2) g + M^-1 J1^T gamma_1     with J1 v1 = 0: normal, and tangential unless |gamma_t| = mu gamma_n
//
// This is the scheme RATTLE of constrained mechanics. It is symmetric in time, so that the error of the energy swings,
// and v1 is the velocity at q1. With all impulses at one place v1 is the velocity of the middle of the step, and the
// energy at v1 and q1 is wrong by h/2 times the power of the weight.
//
//   u, w   velocity of the centre of mass, angular velocity      r   arm from the centre of mass to the contact
//   K      inverse mass of the contact point, 1/m - [r] I^-1 [r]
//
// A body rolls on the world. It may be body A or body B of the contact: impulses P here act on it, and the normal of
// RollingEnd points towards it. All vectors are along the world's axes unless a name ends in _B (axes of the body).
#include "step/discrete/inside.h"

#include "step/geometry/distance.h"

// The contact must be no further open than this at the end of the step [m], else there is no second half.
static const double TOUCHING_GAP = 2e-5;
// Largest h^2 f R_c/I: contacts at which a body rocks faster need a damper (rock.c) [-].
static const double MOST_ROCKING = 0.5;

// A body that turns by more than this in a step may not gain energy in it [rad]. With shorter turns the energy swings
// by less than a thousandth, and comes back.
static const double UNLIMITED_TURN = 0.02;

// ---- which bodies -------------------------------------------------------------------------------------

// The tree of a contact between a tree and the world, or -1.
static int find_single_tree(const hfModel* m, const hfiContact* c) {
  const int32_t* tree = hf_model_body_tree(m);
  if (tree[c->body_a] >= 0 && tree[c->body_b] >= 0) return -1;
  return imax2(tree[c->body_a], tree[c->body_b]);
}

// The free body of a tree, or NULL.
static hfiFreeBody* find_free_body(const hfiFlight* flight, int tree) {
  for (hfiFreeBody *b = flight->body, *end = b + flight->nbody; b < end; ++b)
    if (b->tree == tree) return b;
  return NULL;
}

int hfi_discrete_any_ellipsoid(const hfModel* m) {
  for (int g = 0; g < m->ngeom; ++g)
    if (hf_model_geom_type(m)[g] == HF_GEOM_ELLIPSOID) return 1;
  return 0;
}

void hfi_discrete_clear_rolls(hfiDiscrete* s) {
  for (int i = 0; s->rolls.any && i < s->flight.nbody; ++i) s->flight.body[i].rolls = 0;
  s->rolls.any = 0;
}

void hfi_discrete_set_rolling(hfiDiscrete* s, int tree) { find_free_body(&s->flight, tree)->rolls = 1; }

// Replaces the angular velocities d->B of the links that roll by their means over the step, for velocities v (nv).
void hfi_discrete_spin_rolling(hfiDiscrete* s, const double* v) {
  hfDynamics* d = &s->world->dynamics;
  for (int i = 0; s->rolls.any && i < s->flight.nbody; ++i) {
    const hfiFreeBody* b = &s->flight.body[i];
    if (b->rolls) d->B[b->link].w = m3_mulv(b->R_m, hfi_free_body_mean_spin(d, b, s->config.step, v));
  }
}

// Whether forces or rows other than contacts act on a tree.
static int is_driven(const hfiDiscrete* s, int tree) {
  const hfStepProblem* p = &s->assembly.problem;
  for (int i = p->tree_start[tree]; i < p->tree_start[tree + 1]; ++i)
    if (s->forces.tau[i] != 0 || p->diag[i] != 0) return 1;

  const hfStepPiece* piece = p->piece;
  const hfStepPiece* end = piece + hfi_rows_piece_count(&s->world->actuation.rows);
  for (; piece < end; ++piece)
    if (piece->tree == tree) return 1;
  return 0;
}

// Whether the ellipsoid g of a link rocks so fast on its flattest side that it needs a damper.
static int rocks_fast(const hfiDiscrete* s, int g, const hfiLink* link) {
  const double* axis = hf_model_geom_size(s->world->model) + 3 * g;
  double longest = max2(axis[0], max2(axis[1], axis[2]));
  double shortest = min2(axis[0], min2(axis[1], axis[2]));
  double least = min2(link->inertia_B[0], min2(link->inertia_B[1], link->inertia_B[2]));
  double weight = link->mass * v3_norm(s->world->dynamics.gravity);
  return sqr(s->config.step) * weight * sqr(longest) / shortest > MOST_ROCKING * least;
}

// Whether contact c is one on which a body may roll alone, if it is its only one (inside.h).
int hfi_discrete_may_roll(const hfiDiscrete* s, const hfiContact* c) {
  const hfiWorld* w = s->world;
  const hfModel* m = w->model;
  int tree = find_single_tree(m, c);
  if (!s->rolls.are_allowed || tree < 0 || m->nmocap || w->surfaces || w->has_adhesion) return 0;
  if (c->material.condim > 3 || c->material.restitution > 0 || c->material.from_solref) return 0;

  int geom = hf_model_body_tree(m)[c->body_a] == tree ? c->geom_a : c->geom_b;
  if (hf_model_geom_type(m)[geom] != HF_GEOM_ELLIPSOID || s->flight.articulated[tree] || is_driven(s, tree)) return 0;
  return !rocks_fast(s, geom, hfi_link_of(&w->dynamics, hf_model_geom_body(m)[geom]));
}

// ---- the first half -----------------------------------------------------------------------------------

// Kinetic and potential energy of a free body [J]. p: place of its centre of mass, u: the velocity of this centre, both
// in the world; w_B: angular velocity along the body's axes.
static double find_energy(const hfDynamics* d, const hfiLink* link, hfVec3 p, hfVec3 u, hfVec3 w_B) {
  double kinetic = 0.5 * link->mass * v3_norm2(u) + 0.5 * v3_dot(w_B, sym3_mulv(link->inertia_B, w_B));
  return kinetic - link->mass * v3_dot(d->gravity, p);
}

// Adds a share of the step's weight of a tree to the problem; -0.5 leaves half of it.
static void add_weight(hfiDiscrete* s, int tree, double share) {
  hfStepProblem* p = &s->assembly.problem;
  for (int i = p->tree_start[tree]; i < p->tree_start[tree + 1]; ++i)
    p->p[i] -= share * p->h * s->world->dynamics.c[i];
}

// Energy of the overlap of contact i at a depth [J].
static double find_held(const hfiDiscrete* s, int i, double depth) {
  const hfStepProblem* p = &s->assembly.problem;
  return 0.5 * p->contact[p->block[s->block[i]].param].stiffness * sqr(max2(0, depth));
}

// Writes rolls.block and rolls.energy of the bodies that roll, and takes half of their weight from p*. A body that may
// roll (HFI_ROLLS_SOON) does so if its only contact is curved and has a block.
void hfi_discrete_begin_rolls(hfiDiscrete* s, const hfState* state) {
  const hfDynamics* d = &s->world->dynamics;
  const double* v0 = hf_state_v(state);
  if (!s->rolls.any) return;

  for (int i = 0; i < s->world->near.ncontact; ++i) {
    const hfiContact* c = &s->world->near.contact[i];
    int tree = find_single_tree(s->world->model, c);
    int rolls = tree >= 0 && s->rolls.block[tree] == HFI_ROLLS_SOON && c->curved && s->block[i] >= 0;
    if (!rolls || s->curves.contacts_on[tree] != 1) continue;
    s->rolls.block[tree] = s->block[i];
    add_weight(s, tree, -0.5);

    // the energy at the start
    const hfiLink* link = &d->link[find_free_body(&s->flight, tree)->link];
    const hfPose* X = &d->X_WB[link->body];
    hfVec3 w = v3_load(v0 + link->dof + 3);
    hfVec3 u = v3_add(v3_load(v0 + link->dof), m3_mulv(X->R, v3_cross(w, link->com_B)));
    s->rolls.energy[tree] = find_energy(d, link, pose_point(*X, link->com_B), u, w) + find_held(s, i, c->depth);
  }
}

// Gives the trees of a contact their whole weight again.
void hfi_discrete_end_rolls_of(hfiDiscrete* s, const hfiContact* c) {
  const int32_t* body_tree = hf_model_body_tree(s->world->model);
  int tree[2] = {body_tree[c->body_a], body_tree[c->body_b]};
  if (!s->rolls.any) return;

  for (int k = 0; k < 2; ++k) {
    if (tree[k] < 0) continue;
    if (s->rolls.block[tree[k]] >= 0) add_weight(s, tree[k], 0.5);
    s->rolls.block[tree[k]] = HFI_ROLLS_NOT;
  }
}

// ---- the second half ----------------------------------------------------------------------------------

// A free body in contact at the end of a step.
typedef struct RollingEnd {
  const hfiLink* link;
  hfMat3 R;     // its orientation
  hfVec3 p;     // its centre of mass [m]
  hfVec3 u, w;  // velocity of the centre [m/s]; angular velocity, both in the world [rad/s]
  hfVec3 r;     // arm from the centre to the contact point [m]
  hfVec3 n;     // normal of the contact towards the body
  double depth; // of the contact [m]
} RollingEnd;

// x with S x = b for a symmetric S (xx yy zz xy xz yz), by Cramer's rule.
static hfVec3 solve_symmetric(const double* S, hfVec3 b) {
  hfVec3 x = v3(S[0], S[3], S[4]); // columns
  hfVec3 y = v3(S[3], S[1], S[5]);
  hfVec3 z = v3(S[4], S[5], S[2]);
  hfVec3 yz = v3_cross(y, z);
  hfVec3 dual = v3(v3_dot(b, yz), v3_dot(b, v3_cross(z, x)), v3_dot(b, v3_cross(x, y)));
  return v3_scale(1 / v3_dot(x, yz), dual);
}

// Change of the angular velocity by an impulse P at the contact.
static hfVec3 turn_by_impulse(const RollingEnd* b, hfVec3 P) {
  hfVec3 moment = m3_tmulv(b->R, v3_cross(b->r, P));
  return m3_mulv(b->R, solve_symmetric(b->link->inertia_B, moment));
}

// K P: change of the velocity of the contact point by an impulse P there.
static hfVec3 respond(const RollingEnd* b, hfVec3 P) {
  return v3_axpy(1 / b->link->mass, P, v3_cross(turn_by_impulse(b, P), b->r));
}

static hfVec3 find_point_velocity(const RollingEnd* b) { return v3_add(b->u, v3_cross(b->w, b->r)); }

// Impulse on the body, in world axes, that stops the contact point. If friction cannot hold it, the impulse stops it
// along the normal only, with friction mu against the slip. Zero if the contact opens, or if no impulse with sliding
// friction would stop the approach.
static hfVec3 find_impulse(const RollingEnd* b, double mu) {
  hfVec3 v = find_point_velocity(b);
  double vn = v3_dot(b->n, v);
  if (!(vn < 0)) return v3_zero();

  // sticking: K P = -v. In world axes, column x of K is K (1, 0, 0); K is stored as xx yy zz xy xz yz.
  hfVec3 x = respond(b, v3(1, 0, 0));
  hfVec3 y = respond(b, v3(0, 1, 0));
  hfVec3 z = respond(b, v3(0, 0, 1));
  double K[6] = {x.x, y.y, z.z, 0.5 * (x.y + y.x), 0.5 * (x.z + z.x), 0.5 * (y.z + z.y)};
  hfVec3 P = v3_neg(solve_symmetric(K, v));
  double normal = v3_dot(b->n, P);
  hfVec3 along = v3_axpy(-normal, b->n, P);
  if (normal > 0 && v3_norm2(along) <= sqr(mu * normal)) return P;

  // sliding: P along n - mu slip/|slip|, as long as makes the normal velocity zero
  hfVec3 slip = v3_axpy(-vn, b->n, v);
  double speed = v3_norm(slip);
  hfVec3 direction = speed > 0 ? v3_axpy(-mu / speed, slip, b->n) : b->n;
  double response = v3_dot(b->n, respond(b, direction));
  if (!(response > 0)) return v3_zero();
  return v3_scale(-vn / response, direction);
}

// Finds where a body touches at its pose X at the end of the step, the other geom of contact c staying where it is.
// is_a: 1 if the body is A. Writes r, n and depth. Returns 0 if it does not touch.
static int find_touch(const hfiDiscrete* s, const hfiContact* c, int is_a, hfPose X, RollingEnd* b) {
  const hfDynamics* d = &s->world->dynamics;
  const hfiShape* shape = s->world->near.scene.shape;
  int geom = is_a ? c->geom_a : c->geom_b;
  hfPose moved = pose_mul(X, pose_inv_mul(d->X_WB[b->link->body], d->X_WG[geom]));
  hfPose X_A = is_a ? moved : d->X_WG[c->geom_a];
  hfPose X_B = is_a ? d->X_WG[c->geom_b] : moved;
  hfiContactPoint nearest;
  if (!hfi_distance(&shape[c->geom_a], &X_A, &shape[c->geom_b], &X_B, TOUCHING_GAP, &nearest)) return 0;

  b->n = is_a ? nearest.n_W : v3_neg(nearest.n_W);
  b->r = v3_sub(is_a ? nearest.p_WCa : nearest.p_WCb, b->p);
  b->depth = nearest.depth + c->material.include_margin;
  return b->depth > -TOUCHING_GAP;
}

// Scales the velocities of a body whose kinetic and potential energy is above `most` [J]. The contact point, which
// rests, still rests.
static void limit_energy(const hfDynamics* d, RollingEnd* b, double most) {
  hfVec3 w_B = m3_tmulv(b->R, b->w);
  double potential = find_energy(d, b->link, b->p, v3_zero(), v3_zero());
  double kinetic = find_energy(d, b->link, b->p, b->u, w_B) - potential;
  if (kinetic + potential <= most || !(kinetic > 0)) return;
  double scale = sqrt(max2(0, most - potential) / kinetic);
  b->u = v3_scale(scale, b->u);
  b->w = v3_scale(scale, b->w);
}

// Gives the body of `tree`, which rolls on contact i of the world, the second half of weight and impulse. q (7): its
// coordinates at the end of the step; v (6): v_m of the head on entry, after the free spin; v1 on return. The impulse
// is added to s->impulse.
static void end_roll(hfiDiscrete* s, int i, int tree, const double* q, double* v) {
  const hfDynamics* d = &s->world->dynamics;
  const hfStepProblem* p = &s->assembly.problem;
  const hfStepBlock* block = &p->block[s->block[i]];
  const hfiContact* c = &s->world->near.contact[i];
  const hfiLink* link = &d->link[find_free_body(&s->flight, tree)->link];
  hfPose X = pose_from(v3_load(q), q_load(q + 3));
  hfVec3 w_B = v3_load(v + 3);

  RollingEnd b = {.link = link, .R = X.R, .p = pose_point(X, link->com_B), .w = m3_mulv(X.R, w_B)};
  hfVec3 origin = v3_axpy(0.5 * p->h, d->gravity, v3_load(v)); // velocity of the body's origin, with half the weight
  b.u = v3_add(origin, m3_mulv(X.R, v3_cross(w_B, link->com_B)));

  // the impulse, which the contact reports together with the first half
  int is_a = hf_model_body_tree(s->world->model)[c->body_a] == tree;
  if (find_touch(s, c, is_a, X, &b)) {
    hfVec3 P = find_impulse(&b, block->dim < 3 ? 0 : p->contact[block->param].mu[HF_SLIDING]);
    b.u = v3_axpy(1 / link->mass, P, b.u);
    b.w = v3_add(b.w, turn_by_impulse(&b, P));
    s->impulse[block->row] += v3_dot(b.n, P);
    hfVec3 on_a = is_a ? P : v3_neg(P);
    if (block->dim >= 3) {
      s->impulse[block->row + 1] += v3_dot(c->t1, on_a);
      s->impulse[block->row + 2] += v3_dot(c->t2, on_a);
    }
  }
  // with a large turn it may have the energy of the start, less what the overlap of the contact holds now
  if (p->h * v3_norm(b.w) > UNLIMITED_TURN) limit_energy(d, &b, s->rolls.energy[tree] - find_held(s, i, b.depth));

  w_B = m3_tmulv(X.R, b.w);
  v3_store(v, v3_sub(b.u, m3_mulv(X.R, v3_cross(w_B, link->com_B))));
  v3_store(v + 3, w_B);
}

// Index of the world's contact that a block of the problem belongs to.
static int find_contact(const hfiDiscrete* s, int block) {
  int i = 0;
  while (s->block[i] != block) ++i;
  return i;
}

// Adds h g/2 to the velocities of bodies that were to roll and whose contact has no impulse: they fly.
void hfi_discrete_add_half_weights(hfiDiscrete* s, double* v) {
  const hfStepProblem* p = &s->assembly.problem;
  for (int t = 0; s->rolls.any && t < p->ntree; ++t) {
    if (s->rolls.block[t] < 0 || s->impulse[p->block[s->rolls.block[t]].row] != 0) continue;
    double* u = v + p->tree_start[t];
    v3_store(u, v3_axpy(0.5 * p->h, s->world->dynamics.gravity, v3_load(u)));
    s->rolls.block[t] = HFI_ROLLS_NOT;
  }
}

// Calls end_roll for every body that rolls.
void hfi_discrete_end_rolls(hfiDiscrete* s, const double* q, double* v) {
  const hfModel* m = s->world->model;
  for (int t = 0; s->rolls.any && t < m->ntree; ++t) {
    if (s->rolls.block[t] < 0) continue;
    const hfiLink* link = &s->world->dynamics.link[find_free_body(&s->flight, t)->link];
    end_roll(s, find_contact(s, s->rolls.block[t]), t, q + hf_model_jnt_qposadr(m)[link->joint], v + link->dof);
  }
}
