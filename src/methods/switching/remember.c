// What the method "switching" keeps in a state from step to step.
//
//   discrete[0]   phase: unknown (a fresh state), rigid, compliant
//   discrete[1]   time at which it began, as bits
//   memory        of each known contact: closed, modes (flags), tangential and torsional deformation (xi_B, twist);
//                 the part of xi_B along the normal is the held gap while rigid, the rest gap while compliant
//
// Directions of sliding are those of the velocities.
#include "methods/switching/switching.h"

#include "step/contact/memory.h"
#include "model/state_parts.h"

#include <string.h>

static const uint32_t STICK[3] = {HF_MEMORY_STICK, HF_MEMORY_SPIN_STICK, HF_MEMORY_ROLL_STICK};

void hfi_tracks_copy(hfiTrack* to, int32_t* nto, const hfiTrack* from, int32_t n) {
  memcpy(to, from, (size_t)n * sizeof *to);
  *nto = n;
}

double hfi_relaxed_gap(const hfRigid* r, int i) {
  uint64_t pair = hfi_contact_key(r->accel->contact[i].contact).pair;
  double least = 0;
  for (int k = 0; k < r->ntrack; ++k)
    if (r->track[k].key.pair == pair) least = min2(least, r->track[k].held);
  return least;
}

// The held gap, or rest gap, of a contact without memory. In a rigid phase, a contact that is nearer than `touch`, or overlaps, is held at its
// present gap; any other one meets where the shapes just touch, at zero.
static double held_gap(const hfiSwitching* s, int i) {
  const hfRigid* r = s->rigid;
  double gap = -r->accel->contact[i].contact->depth;
  if (s->phase != HFI_PHASE_RIGID) return hfi_relaxed_gap(r, i);
  return gap <= r->config.touch ? gap : 0;
}

// A new track has closed = -1, because nothing is known of it.
void hfi_tracks_renew(hfiSwitching* s) {
  hfRigid* r = s->rigid;
  int32_t nold;
  for (int i = 0; i < r->accel->ncontact; ++i)
    if (r->point[i].match < 0) r->point[i].held = held_gap(s, i);
  hfi_tracks_copy(r->old, &nold, r->track, r->ntrack);
  r->ntrack = r->accel->ncontact;
  for (int i = 0; i < r->ntrack; ++i) {
    hfiTrack* t = &r->track[i];
    if (r->point[i].match >= 0)
      *t = r->old[r->point[i].match];
    else {
      memset(t, 0, sizeof *t);
      t->closed = -1;
      t->held = r->point[i].held;
    }
    t->key = hfi_contact_key(r->accel->contact[i].contact);
    r->point[i].match = i;
  }
}

static void recall_track(const hfiSwitching* s, const hfContactMemory* m, int i, hfiTrack* t) {
  const hfAccel* a = s->rigid->accel;
  const hfiContact* c = a->contact[i].contact;
  hfVec3 n_B = m3_tmulv(a->dynamics->X_WB[c->body_b].R, c->n), xi = v3_load(m->xi_B);
  t->closed = (m->flags & HF_MEMORY_CLOSED) != 0;
  t->held = v3_dot(n_B, xi);
  t->deformation = (hfiDeformation){v3_axpy(-t->held, n_B, xi), v3_load(m->twist)};
  for (int g = 0; g < 3; ++g) t->mode[g] = m->flags & STICK[g] ? HF_MODE_ROLLING : HF_MODE_SLIDING;
}

static const hfContactMemory* find_memory(const hfState* state, const hfiTrack* t) {
  const hfContactMemory* m = hf_state_memory(state);
  for (int k = 0; k < state->nmemory; ++k)
    if (m[k].key_pair == t->key.pair && m[k].key_feature == t->key.feature && m[k].flags & HF_MEMORY_LAYER)
      return &m[k];
  return NULL;
}

hfStatus hfi_switching_recall(hfiSwitching* s, const hfState* state) {
  hfRigid* r = s->rigid;
  const int64_t* word = hf_state_discrete(state);
  int forced = s->config.contact_mode == HF_CONTACT_MODEL_RIGID       ? HFI_PHASE_RIGID
               : s->config.contact_mode == HF_CONTACT_MODEL_COMPLIANT ? HFI_PHASE_SOFT
                                                                 : 0;
  s->phase = (int32_t)word[HFI_WORD_PHASE];
  memcpy(&s->since, &word[HFI_WORD_SINCE], sizeof s->since);
  int known = s->phase != HFI_PHASE_UNKNOWN && (!forced || forced == s->phase);
  if (!known) s->phase = forced ? forced : HFI_PHASE_RIGID, s->since = s->t;
  r->ntrack = 0;
  r->certified = -1; // No result of the last step may change this one.
  hfStatus status =
      hfi_accel_gather(r->accel, s->t, s->x, hfi_switching_v(s), hfi_switching_act(s), NULL);
  if (status) return status;
  hfi_rigid_match(r);
  hfi_tracks_renew(s);
  for (int i = 0; known && i < r->ntrack; ++i) {
    const hfContactMemory* m = find_memory(state, &r->track[i]);
    if (m) recall_track(s, m, i, &r->track[i]);
  }
  return HF_OK;
}

int hfi_switching_store(hfiSwitching* s, hfState* state) {
  hfRigid* r = s->rigid;
  const hfAccel* a = r->accel;
  hfContactMemory* memory = hf_state_mutable_memory(state);
  int64_t* word = hf_state_mutable_discrete(state);
  int kept = imin2(r->ntrack, state->max_memory);
  word[HFI_WORD_PHASE] = s->phase;
  memcpy(&word[HFI_WORD_SINCE], &s->since, sizeof s->since);
  for (int i = 0; i < kept; ++i) {
    const hfiTrack* t = &r->track[i];
    const hfiContact* c = a->contact[i].contact;
    hfVec3 n_B = m3_tmulv(a->dynamics->X_WB[c->body_b].R, c->n);
    hfContactMemory* m = &memory[i];
    memset(m, 0, sizeof *m); // This clears the padding, too, because states are compared byte by byte.
    m->key_pair = t->key.pair;
    m->key_feature = t->key.feature;
    m->flags = HF_MEMORY_LAYER | (t->closed > 0 ? HF_MEMORY_CLOSED : 0);
    for (int g = 0; g < 3; ++g) m->flags |= t->mode[g] == HF_MODE_ROLLING ? STICK[g] : 0;
    v3_store(m->xi_B, v3_axpy(t->held, n_B, t->deformation.xi_B));
    v3_store(m->twist, t->deformation.twist_B);
    v3_store(m->p_BC, pose_inv_point(a->dynamics->X_WB[c->body_b], c->p_W));
  }
  hfi_memory_end(state, kept);
  return r->ntrack - kept;
}
