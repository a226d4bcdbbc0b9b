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

// First remembered contact of the pair, or nmemory.
static int find_pair(const hfState* s, uint64_t key) {
  const hfContactMemory* m = hf_state_memory(s);
  int lo = 0, hi = s->nmemory;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (m[mid].key_pair < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// ---- recall --------------------------------------------------------------------------------------

// Turns a remembered vector into the tangent plane of normal n, keeping its length.
static hfVec3 turn_into_plane(hfVec3 xi, hfVec3 n) {
  hfVec3 t = v3_axpy(-v3_dot(n, xi), n, xi);
  double length = v3_norm(xi), kept = v3_norm(t);
  return kept > 0.1 * length ? v3_scale(length / kept, t)
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
  c->twist_W = m3_mulv(X_WB->R, v3_load(like->twist));
}

void hfi_memory_recall(const hfState* s, const hfPose* X_WB, hfiContact* contacts, int n) {
  const hfContactMemory* memory = hf_state_memory(s);
  uint64_t last = 0;
  int first = 0, count = 0;
  for (int i = 0; i < n; ++i) {
    hfiContact* c = &contacts[i];
    c->p_AC = pose_inv_point(X_WB[c->body_a], c->p_W);
    c->p_BC = pose_inv_point(X_WB[c->body_b], c->p_W);
    uint64_t key = pair_key(c);
    if (i == 0 || key != last) {
      first = find_pair(s, last = key);
      for (count = 0; first + count < s->nmemory && memory[first + count].key_pair == key;) count++;
    }
    if (count) recall_one(memory + first, count, &X_WB[c->body_b], c);
  }
}

// ---- store ---------------------------------------------------------------------------------------

// Rotation of A relative to B over the step, in B [rad].
static hfVec3 relative_turn(hfQuat qA0, hfQuat qB0, hfMat3 RA1, hfMat3 RB1) {
  hfQuat q0 = q_mul(q_conj(qB0), qA0), q1 = q_from_m3(m3_tmul(RB1, RA1));
  return q_log(q_mul(q1, q_conj(q0)));
}

static void store_one(hfContactMemory* m, const hfiContact* c, const hfiContactOutcome* o,
                      const hfQuat* q0_WB, const hfPose* X1_WB) {
  hfMat3 RB0 = m3_from_quat(q0_WB[c->body_b]);
  const hfPose *XA = &X1_WB[c->body_a], *XB = &X1_WB[c->body_b];
  hfVec3 n = m3_tmulv(RB0, c->n), xi, twist = v3_zero();
  if (o->slips & 1 << HF_SLIDING)
    xi = m3_tmulv(RB0, v3_add(v3_scale(o->xi[0], c->t1), v3_scale(o->xi[1], c->t2)));
  else {
    hfVec3 moved = m3_tmulv(XB->R, v3_sub(pose_point(*XA, c->p_AC), pose_point(*XB, c->p_BC)));
    xi = v3_add(m3_tmulv(RB0, c->xi_W), v3_axpy(-v3_dot(n, moved), n, moved));
  }
  if (c->material.condim > 3) {
    hfVec3 turned = v3_add(m3_tmulv(RB0, c->twist_W),
                           relative_turn(q0_WB[c->body_a], q0_WB[c->body_b], XA->R, XB->R));
    double spin = o->slips & 1 << HF_TORSION ? o->xi[2] : v3_dot(n, turned);
    hfVec3 roll = v3_axpy(-v3_dot(n, turned), n, turned);
    if (o->slips & 1 << HF_ROLLING)
      roll = m3_tmulv(RB0, v3_add(v3_scale(o->xi[3], c->t1), v3_scale(o->xi[4], c->t2)));
    if (c->material.condim < 6) roll = v3_zero();
    twist = v3_axpy(spin, n, roll);
  }
  memset(m, 0, sizeof *m); // padding too: states compare bytewise
  m->key_pair = pair_key(c);
  m->key_feature = c->feature;
  m->flags = o->slips ? 0 : HF_CONTACT_STICK;
  v3_store(m->xi_B, xi);
  v3_store(m->twist, twist);
  v3_store(m->p_BC, c->p_BC);
  m->slip_speed = o->slip_speed;
}

int hfi_memory_store(hfState* s, const hfQuat* q0_WB, const hfPose* X1_WB,
                     const hfiContact* contacts, const hfiContactOutcome* outcome, int n) {
  hfContactMemory* memory = hf_state_memory(s);
  int kept = imin2(n, s->max_memory);
  for (int i = 0; i < kept; ++i) store_one(&memory[i], &contacts[i], &outcome[i], q0_WB, X1_WB);
  for (int i = kept; i < s->nmemory; ++i) memset(&memory[i], 0, sizeof memory[i]);
  s->nmemory = kept;
  return n - kept;
}
