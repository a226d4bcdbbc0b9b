// Contact memory.
//
// A contact remembers its tangential deformation xi (A relative to B) in the frame of body B, so that
// it turns and spins with the bodies. After a step
//
//   stick:  xi <- xi + (actual displacement of A's material point at C relative to B's), from the poses
//   slip:   xi <- what the law says: force and bound in balance
//
// The displacement comes from the poses, not from integrated velocities, so that a pair which moves as one adds exactly
// zero. The material points are chosen again at each step, so that the deformation moves with a rolling contact.
//
// A contact point whose feature is new while its pair was touching takes its deformation from the rigid
// displacement field u + theta n x (p - p0) that fits the remembered points of the pair.
#include "step/contact/memory.h"

#include "base/compile.h"
#include "step/contact/inside.h"
#include "step/contact/surface.h"

#include <string.h>

// Returns the first remembered contact of the pair, or the place where it would be. Contacts and memory are both sorted
// by pair, so the search continues from `from`, where the last pair was found.
static const hfContactMemory* find_pair(const hfContactMemory* memory, const hfContactMemory* end,
                                        const hfContactMemory* from, uint64_t key) {
  if (from > memory && from[-1].key_pair >= key) from = memory;
  while (from < end && from->key_pair < key) ++from;
  return from;
}

// Whether m is an entry before `end` and has the key of a contact.
static int is_memory_of(const hfContactMemory* m, const hfContactMemory* end, uint64_t key, uint32_t feature) {
  return m < end && m->key_pair == key && m->key_feature == feature;
}

// ---- recall --------------------------------------------------------------------------------------

// Returns the deformation [m] at p_B of the rigid field u + theta n_B x (p - p0) that fits the n remembered points m[i]
// of a pair best: least squares. All vectors are in the frame of body B; n_B is the normal. p0: mean place, u: mean
// deformation, theta: turn about n.
static hfVec3 fit_field(const hfContactMemory* m, int n, hfVec3 n_B, hfVec3 p_B) {
  // mean place and mean deformation
  hfVec3 p0 = v3_zero();
  hfVec3 u = v3_zero();
  for (int i = 0; i < n; ++i) {
    p0 = v3_add(p0, v3_load(m[i].p_BC));
    u = v3_add(u, v3_load(m[i].xi_B));
  }
  p0 = v3_scale(1.0 / n, p0);
  u = v3_scale(1.0 / n, u);

  // the turn about n
  double moment = 0;
  double inertia = 0;
  for (int i = 0; i < n; ++i) {
    hfVec3 arm = v3_cross(n_B, v3_sub(v3_load(m[i].p_BC), p0));
    moment += v3_dot(arm, v3_sub(v3_load(m[i].xi_B), u));
    inertia += v3_norm2(arm);
  }
  double theta = inertia > 0 ? moment / inertia : 0;

  return v3_add(u, v3_scale(theta, v3_cross(n_B, v3_sub(p_B, p0))));
}

// Fills known, slip_speed, xi_W and twist_W of a contact from the memory `like`, with the deformation xi_B [m].
static inline void recall_contact(const hfContactMemory* like, hfVec3 xi_B, const hfMat3* R_WB, hfiContact* c) {
  c->known = 1;
  c->slip_speed = like->slip_speed;
  c->xi_W = m3_mulv(*R_WB, xi_B);
  if (like->flags & HF_MEMORY_LAYER) c->xi_W = hfi_across(c->n, c->xi_W);
  c->xi_W = hfi_turn_into_plane(c->xi_W, c->n);
  if (c->material.condim > 3) c->twist_W = m3_mulv(*R_WB, v3_load(like->twist));
}

// Returns how far A turns relative to B in a step of length h [rad].
static hfVec3 find_relative_turn(const hfDynamics* d, const hfModel* surfaces, double h, const hfiContact* c) {
  hfVec3 w = v3_sub(d->V[d->body_link[c->body_a]].w, d->V[d->body_link[c->body_b]].w);

  if (surfaces) {
    hfiSurfaceMotion rate = hfi_surface_motion(surfaces, d->X_WB, c, 0);
    w = v3_add(w, v3_sub(rate.turn_a, rate.turn_b));
  }
  return v3_scale(h, w);
}

// Fills a contact that is new in a pair with n remembered contacts.
HFI_COLD static void recall_new(const hfContactMemory* m, int n, const hfMat3* R_WB, hfiContact* c) {
  recall_contact(m, fit_field(m, n, m3_tmulv(*R_WB, c->n), c->p_BC), R_WB, c);
}

// A new contact with a larger gap than this has no deformation yet [m].
static const double DEFORMED_GAP = 1e-4;

// Fills known, slip_speed, p_BC, xi_W and twist_W of the n contacts from the state's memory.
void hfi_memory_recall(const hfState* s, const hfDynamics* d, const hfModel* surfaces, double h, hfiContact* contacts,
                       int n) {
  const hfContactMemory* memory = hf_state_memory(s);
  const hfContactMemory* end = memory + s->nmemory;
  const hfContactMemory* first = memory; // of the pair
  const hfContactMemory* m = memory;     // the entry that is expected next
  hfVec3 theta;                          // turn of A relative to B in the step [rad]
  int rolls = 0;                         // 1: that turn moves the contact point over the surfaces

  for (int i = 0; i < n; ++i) {
    hfiContact* c = &contacts[i];
    const hfPose* X = &d->X_WB[c->body_b];
    uint64_t key = hfi_contact_key(c).pair;
    c->p_BC = pose_inv_point(*X, c->p_W);

    // contacts of the same two bodies turn alike
    if (i == 0 || surfaces || c->body_a != c[-1].body_a || c->body_b != c[-1].body_b) {
      theta = find_relative_turn(d, surfaces, h, c);
      rolls = hfi_contact_rolls(theta);
    }

    // mostly the contacts are those of the step before; otherwise m becomes the entry of the contact, or the end of
    // the entries of its pair
    if (!is_memory_of(m, end, key, c->feature)) {
      first = find_pair(memory, end, first, key);
      for (m = first; m < end && m->key_pair == key && m->key_feature != c->feature;) ++m;
    }

    // the remembered contact, or else others of its pair
    if (m < end && m->key_pair == key) {
      recall_contact(m, v3_load(m->xi_B), &X->R, c);
      if (rolls && m->flags & HF_MEMORY_STICK) hfi_correct_rolling(d, &theta, m, c);
      ++m;
    } else if (m > first && c->depth > -DEFORMED_GAP) {
      recall_new(first, (int)(m - first), &X->R, c);
    }
  }
}

// ---- motion of a pair --------------------------------------------------------------------------------

// The motion of A relative to B over a step, as if B had rested. All contacts of the two bodies share it.
typedef struct PairMotion {
  hfPose moved; // X_WB0 X_BW1 X_WA1 X_AW0: maps a point of A from its place at the start to its place at the end
  hfVec3 turn;  // its rotation; computed if a contact has torsional friction [rad]
  int rests;    // 1: neither body moved
} PairMotion;

// Whether the pose of a body changed in the step.
static int has_moved(int body, const hfPose* X0_WB, const hfPose* X1_WB) {
  return memcmp(&X0_WB[body], &X1_WB[body], sizeof *X0_WB) != 0;
}

// Writes out = X Y^-1. It is not inline: it is called in three places, and the code of a step is larger than the
// fastest cache.
static void divide_poses(const hfPose* X, const hfPose* Y, hfPose* out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double* x = &X->R.m[3 * i];
      const double* y = &Y->R.m[3 * j];
      out->R.m[3 * i + j] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    }
  }
  out->p = v3_sub(X->p, m3_mulv(out->R, Y->p));
}

// Finds the motion *m of the two bodies of contact c between the poses of the start and of the end. A body that rests,
// as the world does, has exactly the identity as its motion.
static void find_motion(const hfiContact* c, const hfPose* X0_WB, const hfPose* X1_WB, PairMotion* m) {
  int a = c->body_a;
  int b = c->body_b;
  int a_moved = has_moved(a, X0_WB, X1_WB);
  int b_moved = has_moved(b, X0_WB, X1_WB);

  hfPose back = pose_identity(); // X_WB0 X_BW1
  if (b_moved) divide_poses(&X0_WB[b], &X1_WB[b], &back);
  m->moved = back;
  m->turn = v3_zero();
  m->rests = !a_moved && !b_moved;
  if (a_moved) {
    hfPose moved; // X_WA0 X_AW1
    divide_poses(&X0_WB[a], &X1_WB[a], &moved);
    divide_poses(&back, &moved, &m->moved);
  }
  if (c->material.condim > 3) m->turn = q_log(q_from_m3(m->moved.R));
}

// Whether two contacts can share a PairMotion.
static int move_alike(const hfiContact* c, const hfiContact* other) {
  return c->body_a == other->body_a && c->body_b == other->body_b && c->material.condim == other->material.condim;
}

// ---- deformation at the end of a step -----------------------------------------------------------------

// Returns the deformation of sliding after the step if surfaces move along themselves: the displacement is the one of
// points of the surfaces. The point of A comes from p + a, the point of B goes to p + b. The frame of the deformation
// turns with the surface of B [m].
static hfVec3 deform_by_surfaces(const hfiContact* c, const PairMotion* motion, const hfiSurfaceMotion* surface) {
  hfVec3 carried = v3_add(c->xi_W, v3_cross(surface->turn_b, c->xi_W));
  hfVec3 moved = v3_sub(pose_point(motion->moved, v3_add(c->p_W, surface->a)), v3_add(c->p_W, surface->b));
  return hfi_across(c->n, v3_add(carried, moved));
}

// Returns the deformation of sliding after the step, in the world [m].
static inline hfVec3 deform_by_sliding(const hfiContact* c, const hfiContactOutcome* o, const PairMotion* motion) {
  if (o->slips & 1 << HF_SLIDING) return hfi_in_plane(c, o->xi[0], o->xi[1]);
  return v3_add(c->xi_W, hfi_across(c->n, v3_sub(pose_point(motion->moved, c->p_W), c->p_W)));
}

// Returns the deformation of torsion and rolling after the step, in the world [rad].
static hfVec3 deform_by_turning(const hfiContact* c, const hfiContactOutcome* o, const PairMotion* motion) {
  hfVec3 turned = v3_add(c->twist_W, motion->turn);
  double spin = o->slips & 1 << HF_TORSION ? o->xi[2] : v3_dot(c->n, turned);

  hfVec3 roll = hfi_across(c->n, turned);
  if (o->slips & 1 << HF_ROLLING) roll = hfi_in_plane(c, o->xi[3], o->xi[4]);
  if (c->material.condim < 6) roll = v3_zero();
  return v3_axpy(spin, c->n, roll);
}

// ---- store -------------------------------------------------------------------------------------------

// A remembered contact has no padding, because states are compared byte by byte.
_Static_assert(sizeof(hfContactMemory) == 12 * sizeof(double), "padding");

// A deformation below this is set to zero [m or rad]. The deformation of a contact without force falls by a constant
// share in every step, and would reach zero only after thousands of steps. This bound is far below the rounding of any
// position.
static const double FADED_DEFORMATION = 1e-25;

// Writes a deformation to three numbers of the memory.
static inline void store_deformation(double* to, hfVec3 deformation) {
  int has_faded = !(v3_norm2(deformation) > FADED_DEFORMATION * FADED_DEFORMATION);
  v3_store(to, has_faded ? v3_zero() : deformation);
}

// Stores the deformation of torsion and rolling. R_WB is the orientation of B at the start of the step.
static void store_twist(hfContactMemory* m, const hfiContact* c, const hfiContactOutcome* o, const hfMat3* R_WB,
                        const PairMotion* motion) {
  store_deformation(m->twist, m3_tmulv(*R_WB, deform_by_turning(c, o, motion)));
}

// Stores everything except the deformation.
static inline void store_place(hfContactMemory* m, const hfiContact* c, const hfiContactOutcome* o) {
  m->key_pair = hfi_contact_key(c).pair;
  m->key_feature = c->feature;
  m->flags = o->sticks ? HF_MEMORY_STICK : 0;
  v3_store(m->p_BC, c->p_BC);
  m->slip_speed = o->slip_speed;
}

// Stores the whole deformation. R_WB is the orientation of B at the start of the step.
static inline void store_deformations(hfContactMemory* m, const hfiContact* c, const hfiContactOutcome* o,
                                      const hfMat3* R_WB, const PairMotion* motion) {
  store_deformation(m->xi_B, m3_tmulv(*R_WB, deform_by_sliding(c, o, motion)));
  v3_store(m->twist, v3_zero());
  if (c->material.condim > 3) store_twist(m, c, o, R_WB, motion);
}

// Corrects the memory of a contact by the motion of its surfaces: it keeps the contact point as a point of the surface
// of B.
static void store_surfaces(hfContactMemory* m, const hfiContactStep* step, const hfiContact* c,
                           const hfiContactOutcome* o) {
  hfiSurfaceMotion surface = hfi_surface_motion(step->surfaces, step->X0_WB, c, step->h);
  const hfMat3* R = &step->X0_WB[c->body_b].R;
  PairMotion motion;
  find_motion(c, step->X0_WB, step->X1_WB, &motion);

  // sliding
  if (!(o->slips & 1 << HF_SLIDING)) v3_store(m->xi_B, m3_tmulv(*R, deform_by_surfaces(c, &motion, &surface)));

  // torsion, and the contact point
  double spin = v3_dot(c->n, v3_sub(surface.turn_a, surface.turn_b));
  motion.turn = v3_axpy(spin, c->n, motion.turn);
  if (c->material.condim > 3) store_twist(m, c, o, R, &motion);
  v3_store(m->p_BC, v3_add(c->p_BC, m3_tmulv(*R, surface.b)));
}

// Whether m is the old memory of the contact, and not the memory of a layer.
static int is_plain_memory_of(const hfContactMemory* m, const hfContactMemory* end, const hfiContact* c) {
  return is_memory_of(m, end, hfi_contact_key(c).pair, c->feature) && !(m->flags & HF_MEMORY_LAYER);
}

// Writes the contacts of a step to the memory, which has room for `room` entries; its first `old` entries hold the
// memory of the step before and are overwritten. Returns the number of entries; *lost: how many contacts that touch
// found no room. Where the contacts are more than the room, those that are open (depth <= 0) are not stored: they have
// no deformation to speak of.
//
// A contact that slides remembers the deformation of its law. For a contact that sticks, the motion of its two bodies
// is needed; it is computed for the first such contact of the pair. If bodies rest and friction holds, the deformation
// is not touched, because turning it into the world and back would change its last bits in every step.
static int fill_memory(hfContactMemory* memory, int old, const hfiContactStep* step, int room, int* lost) {
  PairMotion motion;
  int has_motion = 0; // 1: `motion` is the one of this pair
  int n = 0;

  *lost = 0;
  for (int i = 0; i < step->n; ++i) {
    const hfiContact* c = &step->contact[i];
    const hfiContactOutcome* o = &step->outcome[i];
    has_motion = has_motion && move_alike(c, c - 1);

    // without room for all, open contacts are left out first
    if (step->n > room && !(c->depth > 0)) continue;
    if (n == room) {
      ++*lost;
      continue;
    }

    // the motion of the pair
    hfContactMemory* m = &memory[n++];
    // a contact that only slides has its deformation from the law, o->xi
    int needs_motion = c->material.condim > 3 || !(o->slips & 1 << HF_SLIDING);

    if (!has_motion && needs_motion) {
      find_motion(c, step->X0_WB, step->X1_WB, &motion);
      has_motion = 1;
    }

    // the entry; a deformation that nothing has changed stays bit by bit, if the same contact stood here before
    int stays = has_motion && motion.rests && !o->slips && is_plain_memory_of(m, memory + old, c);
    store_place(m, c, o);
    if (!stays) store_deformations(m, c, o, &step->X0_WB[c->body_b].R, &motion);
    if (step->surfaces) store_surfaces(m, step, c, o);
  }
  return n;
}

// Ends the memory after n contacts, and clears the rest.
void hfi_memory_end(hfState* s, int n) {
  hfContactMemory* memory = hf_state_mutable_memory(s);
  for (int i = n; i < s->nmemory; ++i) memset(&memory[i], 0, sizeof memory[i]);
  s->nmemory = n;
}

// Replaces the memory by that of the contacts after the step. Returns the number of contacts that touch and for
// which there was no room.
int hfi_memory_store(hfState* s, const hfiContactStep* step) {
  int lost;
  int kept = fill_memory(hf_state_mutable_memory(s), s->nmemory, step, s->max_memory, &lost);
  hfi_memory_end(s, kept);
  return lost;
}

// Replaces the memory by the memory of the contacts after the step. Entries whose two geoms are both marked in `still`
// (ngeom) stay beside it. Returns the number of contacts that touch and for which there was no room. fresh (n of the
// step): scratch.
int hfi_memory_store_beside(hfState* s, const int32_t* still, hfContactMemory* fresh, const hfiContactStep* step) {
  hfContactMemory* memory = hf_state_mutable_memory(s);

  // contacts of two geoms that are still, moved to the beginning: `old` entries
  int old = 0;
  for (int i = 0; i < s->nmemory; ++i) {
    uint64_t geom_a = memory[i].key_pair >> 32;
    uint64_t geom_b = (uint32_t)memory[i].key_pair;
    if (still[geom_a] && still[geom_b]) memory[old++] = memory[i];
  }

  // the others, written to `fresh`: `kept` entries
  int lost;
  int kept = fill_memory(fresh, 0, step, s->max_memory - old, &lost);
  int end = old + kept;
  hfi_memory_end(s, end);

  // both lists are sorted by pair; they are merged from their ends, so that no entry is overwritten before it is read
  for (int k = kept; k > 0;) {
    int takes_old = old > 0 && memory[old - 1].key_pair > fresh[k - 1].key_pair;
    memory[--end] = takes_old ? memory[--old] : fresh[--k];
  }
  return lost;
}
