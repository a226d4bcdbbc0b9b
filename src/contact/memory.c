// Contact memory.
//
// A contact remembers its tangential deformation xi (A relative to B) in the frame of body B, so that
// it turns and spins with the bodies. After a step
//
//   stick:  xi <- xi + (actual displacement of A's material point at C relative to B's), from the poses
//   slip:   xi <- what the law says: force and bound in balance
//
// Displacement, not integrated velocity: a pair that moves as one adds exactly zero. The material
// points are taken anew at each step, so a rolling contact carries its deformation along.
//
// A contact point whose feature is new while its pair was touching takes its deformation from the rigid
// displacement field u + theta n x (p - p0) that fits the remembered points of the pair.
#include "contact/memory.h"

#include <string.h>

static uint64_t pair_key(const hfiContact* c) {
  return (uint64_t)(uint32_t)c->geom_a << 32 | (uint32_t)c->geom_b;
}

// First remembered contact of the pair, or nmemory. Contacts come sorted by pair, as they were
// stored: the search goes on from `from`, where the last pair was found.
static int find_pair(const hfState* s, uint64_t key, int from) {
  const hfContactMemory* m = hf_state_memory(s);
  if (from > 0 && m[from - 1].key_pair >= key) from = 0;
  while (from < s->nmemory && m[from].key_pair < key) ++from;
  return from;
}

// ---- recall --------------------------------------------------------------------------------------

// Turns a remembered vector into the tangent plane of normal n, keeping its length.
static hfVec3 turn_into_plane(hfVec3 xi, hfVec3 n) {
  hfVec3 t = v3_axpy(-v3_dot(n, xi), n, xi);
  double length2 = v3_norm2(xi), kept2 = v3_norm2(t);
  return kept2 > 0.01 * length2 ? v3_scale(sqrt(length2 / kept2), t)
                                : t; // a turn beyond 84 degrees is another contact
}

// Deformation at p_B of the rigid field through the pair's remembered points, in B.
static hfVec3 fit_field(const hfContactMemory* m, int n, hfVec3 n_B, hfVec3 p_B) {
  hfVec3 p0 = v3_zero(), u = v3_zero();
  for (int i = 0; i < n; ++i)
    p0 = v3_add(p0, v3_load(m[i].p_BC)), u = v3_add(u, v3_load(m[i].xi_B));
  p0 = v3_scale(1.0 / n, p0), u = v3_scale(1.0 / n, u);
  double moment = 0, inertia = 0;
  for (int i = 0; i < n; ++i) {
    hfVec3 arm = v3_cross(n_B, v3_sub(v3_load(m[i].p_BC), p0));
    moment += v3_dot(arm, v3_sub(v3_load(m[i].xi_B), u));
    inertia += v3_norm2(arm);
  }
  double theta = inertia > 0 ? moment / inertia : 0;
  return v3_add(u, v3_scale(theta, v3_cross(n_B, v3_sub(p_B, p0))));
}

static void recall_one(const hfContactMemory* m, int n, const hfPose* X_WB, hfiContact* c) {
  const hfContactMemory* own = NULL;
  for (int i = 0; i < n && !own; ++i)
    if (m[i].key_feature == c->feature) own = &m[i];
  const hfContactMemory* like = own ? own : &m[0];
  hfVec3 xi_B = own ? v3_load(own->xi_B) : fit_field(m, n, m3_tmulv(X_WB->R, c->n), c->p_BC);
  c->known = 1;
  c->slip_speed = like->slip_speed;
  c->xi_W = m3_mulv(X_WB->R, xi_B);
  if (like->flags & HF_CONTACT_LAYER) c->xi_W = v3_axpy(-v3_dot(c->n, c->xi_W), c->n, c->xi_W);
  c->xi_W = turn_into_plane(c->xi_W, c->n);
  if (c->material.condim > 3) c->twist_W = m3_mulv(X_WB->R, v3_load(like->twist));
}

void hfi_memory_recall(const hfState* s, const hfPose* X_WB, hfiContact* contacts, int n) {
  const hfContactMemory* memory = hf_state_memory(s);
  uint64_t last = 0;
  int first = 0, count = 0;
  for (int i = 0; i < n; ++i) {
    hfiContact* c = &contacts[i];
    c->p_BC = pose_inv_point(X_WB[c->body_b], c->p_W);
    uint64_t key = pair_key(c);
    if (i == 0 || key != last) {
      first = find_pair(s, last = key, first + count);
      for (count = 0; first + count < s->nmemory && memory[first + count].key_pair == key;) count++;
    }
    if (count) recall_one(memory + first, count, &X_WB[c->body_b], c);
  }
}

// ---- store ---------------------------------------------------------------------------------------

// How A moved relative to B over a step, the same for all contacts of the two.
typedef struct PairMotion {
  int body_a, body_b;
  hfMat3 RB0;  // rotation of B at the start
  hfPose moved; // X_BA1 X_AB0: takes a point of A from its place in B at the start to that at the end
  hfVec3 turn; // its rotation, in B; where a contact has torsional friction [rad]
} PairMotion;

static PairMotion find_motion(const hfiContact* c, const hfPose* X0_WB, const hfPose* X1_WB) {
  PairMotion m = {c->body_a, c->body_b, X0_WB[c->body_b].R, pose_identity(), v3_zero()};
  hfPose X_BA1 = pose_inv_mul(X1_WB[c->body_b], X1_WB[c->body_a]),
         X_AB0 = pose_inv_mul(X0_WB[c->body_a], X0_WB[c->body_b]);
  m.moved = pose_mul(X_BA1, X_AB0);
  if (c->material.condim > 3) m.turn = q_log(q_from_m3(m.moved.R));
  return m;
}

static hfVec3 slide(const hfiContact* c, const hfiContactOutcome* o, const PairMotion* motion,
                    hfVec3 n) {
  if (o->slips & 1 << HF_SLIDING)
    return m3_tmulv(motion->RB0, v3_add(v3_scale(o->xi[0], c->t1), v3_scale(o->xi[1], c->t2)));
  hfVec3 moved = v3_sub(pose_point(motion->moved, c->p_BC), c->p_BC);
  return v3_add(m3_tmulv(motion->RB0, c->xi_W), v3_axpy(-v3_dot(n, moved), n, moved));
}

static hfVec3 twist(const hfiContact* c, const hfiContactOutcome* o, const PairMotion* motion,
                    hfVec3 n) {
  hfVec3 turned = v3_add(m3_tmulv(motion->RB0, c->twist_W), motion->turn);
  double spin = o->slips & 1 << HF_TORSION ? o->xi[2] : v3_dot(n, turned);
  hfVec3 roll = v3_axpy(-v3_dot(n, turned), n, turned);
  if (o->slips & 1 << HF_ROLLING)
    roll = m3_tmulv(motion->RB0, v3_add(v3_scale(o->xi[3], c->t1), v3_scale(o->xi[4], c->t2)));
  if (c->material.condim < 6) roll = v3_zero();
  return v3_axpy(spin, n, roll);
}

static void store_one(hfContactMemory* m, const hfiContact* c, const hfiContactOutcome* o,
                      const PairMotion* motion) {
  hfVec3 n = m3_tmulv(motion->RB0, c->n);
  memset(m, 0, sizeof *m); // padding too: states compare bytewise
  m->key_pair = pair_key(c);
  m->key_feature = c->feature;
  m->flags = o->slips ? 0 : HF_CONTACT_STICK;
  v3_store(m->xi_B, slide(c, o, motion, n));
  if (c->material.condim > 3) v3_store(m->twist, twist(c, o, motion, n));
  v3_store(m->p_BC, c->p_BC);
  m->slip_speed = o->slip_speed;
}

int hfi_memory_store(hfState* s, const hfPose* X0_WB, const hfPose* X1_WB,
                     const hfiContact* contacts, const hfiContactOutcome* outcome, int n) {
  hfContactMemory* memory = hf_state_memory(s);
  int kept = imin2(n, s->max_memory);
  PairMotion motion = {.body_a = -1};
  for (int i = 0; i < kept; ++i) {
    const hfiContact* c = &contacts[i];
    if (c->body_a != motion.body_a || c->body_b != motion.body_b ||
        contacts[i - 1].material.condim != c->material.condim)
      motion = find_motion(c, X0_WB, X1_WB);
    store_one(&memory[i], c, &outcome[i], &motion);
  }
  for (int i = kept; i < s->nmemory; ++i) memset(&memory[i], 0, sizeof memory[i]);
  s->nmemory = kept;
  return n - kept;
}
