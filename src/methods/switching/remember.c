// What the method "switching" keeps in a state from step to step.
//
//   discrete[0]   phase: unknown (a fresh state), rigid, compliant
//   discrete[1]   time at which it began, as bits
//   memory        of each known contact: closed, modes (flags), tangential and torsional deformation (xi_B, twist);
//                 the part of xi_B along the normal is the held gap while rigid, the rest gap while compliant
//
// Directions of sliding are those of the velocities.
#include "methods/switching/inside.h"

#include "model/state_parts.h"
#include "step/contact/memory.h"

#include <string.h>

// Flag of each friction group that rolls.
static const uint32_t ROLLING_FLAG[3] = {HF_MEMORY_STICK, HF_MEMORY_SPIN_STICK, HF_MEMORY_ROLL_STICK};

// ---- tracks -----------------------------------------------------------------------------------------

void hfi_tracks_copy(hfiTracks* to, const hfiTracks* from) {
  memcpy(to->list, from->list, (size_t)from->count * sizeof *to->list);
  to->count = from->count;
}

double hfi_relaxed_gap(const hfRigid* r, int i) {
  uint64_t pair = hfi_contact_key(hfi_point_contact(r, i)).pair;
  double least = 0;
  for (int k = 0; k < r->tracks.count; ++k)
    if (r->tracks.list[k].key.pair == pair) least = min2(least, r->tracks.list[k].held);
  return least;
}

// The held gap, or rest gap, of a contact without memory [m]. In a rigid phase, a contact that is nearer than `touch`,
// or overlaps, is held at its present gap; any other one meets where the shapes just touch, at zero.
static double find_held_gap(const hfiSwitching* s, int i) {
  const hfRigid* r = s->rigid;
  double gap = hfi_point_gap(r, i);
  if (s->phase != HFI_PHASE_RIGID) return hfi_relaxed_gap(r, i);
  return gap <= r->config.touch ? gap : 0;
}

void hfi_tracks_renew(hfiSwitching* s) {
  hfRigid* r = s->rigid;
  for (int i = 0; i < r->accel->ncontact; ++i)
    if (r->point[i].match < 0) r->point[i].held = find_held_gap(s, i);

  hfi_tracks_copy(&r->old, &r->tracks);
  r->tracks.count = r->accel->ncontact;
  for (int i = 0; i < r->tracks.count; ++i) {
    hfiTrack* t = &r->tracks.list[i];
    if (r->point[i].match >= 0) {
      *t = r->old.list[r->point[i].match];
    } else {
      memset(t, 0, sizeof *t);
      t->closed = HFI_CLOSED_UNKNOWN;
      t->held = r->point[i].held;
    }
    t->key = hfi_contact_key(hfi_point_contact(r, i));
    r->point[i].match = i;
  }
}

// ---- reading ----------------------------------------------------------------------------------------

// Sets the track of contact i from the memory.
static void recall_track(const hfiSwitching* s, const hfContactMemory* m, int i, hfiTrack* t) {
  const hfAccel* a = s->rigid->accel;
  const hfiContact* c = hfi_point_contact(s->rigid, i);
  hfVec3 n_B = m3_tmulv(a->dynamics->X_WB[c->body_b].R, c->n);
  hfVec3 xi = v3_load(m->xi_B);

  t->closed = (m->flags & HF_MEMORY_CLOSED) != 0;
  t->held = v3_dot(n_B, xi);
  t->deformation = (hfiDeformation){v3_axpy(-t->held, n_B, xi), v3_load(m->twist)};
  for (int g = 0; g < 3; ++g) t->mode[g] = m->flags & ROLLING_FLAG[g] ? HF_MODE_ROLLING : HF_MODE_SLIDING;
}

// What the state remembers of the contact of a track, or NULL.
static const hfContactMemory* find_memory(const hfState* state, const hfiTrack* t) {
  const hfContactMemory* m = hf_state_memory(state);
  for (int k = 0; k < state->nmemory; ++k)
    if (m[k].key_pair == t->key.pair && m[k].key_feature == t->key.feature && m[k].flags & HF_MEMORY_LAYER)
      return &m[k];
  return NULL;
}

// The only phase that the configuration allows, or HFI_PHASE_UNKNOWN.
static hfiPhase find_forced_phase(const hfSwitchConfig* config) {
  if (config->contact_mode == HF_CONTACT_MODEL_RIGID) return HFI_PHASE_RIGID;
  if (config->contact_mode == HF_CONTACT_MODEL_COMPLIANT) return HFI_PHASE_COMPLIANT;
  return HFI_PHASE_UNKNOWN;
}

hfStatus hfi_switching_recall(hfiSwitching* s, const hfState* state) {
  hfRigid* r = s->rigid;
  const int64_t* word = hf_state_discrete(state);

  // the phase
  hfiPhase forced = find_forced_phase(&s->config);
  s->phase = (hfiPhase)word[HFI_WORD_PHASE];
  memcpy(&s->since, &word[HFI_WORD_SINCE], sizeof s->since);
  int is_known = s->phase != HFI_PHASE_UNKNOWN && (!forced || forced == s->phase);
  if (!is_known) {
    s->phase = forced ? forced : HFI_PHASE_RIGID;
    s->since = s->t;
  }

  // the tracks
  r->tracks.count = 0;
  r->certified = -1; // No result of the last step may change this one.
  hfStatus status = hfi_accel_gather(r->accel, s->t, s->x, hfi_switching_v(s), hfi_switching_act(s), NULL);
  if (status) return status;
  hfi_rigid_match(r);
  hfi_tracks_renew(s);
  for (int i = 0; is_known && i < r->tracks.count; ++i) {
    const hfContactMemory* m = find_memory(state, &r->tracks.list[i]);
    if (m) recall_track(s, m, i, &r->tracks.list[i]);
  }
  return HF_OK;
}

// ---- writing ----------------------------------------------------------------------------------------

// Writes the track of contact i to an entry of the memory.
static void store_track(const hfRigid* r, int i, hfContactMemory* m) {
  const hfiTrack* t = &r->tracks.list[i];
  const hfiContact* c = hfi_point_contact(r, i);
  hfPose X_WB = r->accel->dynamics->X_WB[c->body_b];

  memset(m, 0, sizeof *m); // This clears the padding, too, because states are compared byte by byte.
  m->key_pair = t->key.pair;
  m->key_feature = t->key.feature;
  m->flags = HF_MEMORY_LAYER | (t->closed > 0 ? HF_MEMORY_CLOSED : 0);
  for (int g = 0; g < 3; ++g) m->flags |= t->mode[g] == HF_MODE_ROLLING ? ROLLING_FLAG[g] : 0;
  v3_store(m->xi_B, v3_axpy(t->held, m3_tmulv(X_WB.R, c->n), t->deformation.xi_B));
  v3_store(m->twist, t->deformation.twist_B);
  v3_store(m->p_BC, pose_inv_point(X_WB, c->p_W));
}

int hfi_switching_store(hfiSwitching* s, hfState* state) {
  const hfRigid* r = s->rigid;
  hfContactMemory* memory = hf_state_mutable_memory(state);
  int64_t* word = hf_state_mutable_discrete(state);
  int kept = imin2(r->tracks.count, state->max_memory);

  word[HFI_WORD_PHASE] = s->phase;
  memcpy(&word[HFI_WORD_SINCE], &s->since, sizeof s->since);
  for (int i = 0; i < kept; ++i) store_track(r, i, &memory[i]);
  hfi_memory_end(state, kept);
  return r->tracks.count - kept;
}
