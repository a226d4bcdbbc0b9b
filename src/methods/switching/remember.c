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

// Copies a list of tracks.
void hfi_tracks_copy(hfiTracks* to, const hfiTracks* from) {
  memcpy(to->list, from->list, (size_t)from->count * sizeof *to->list);
  to->count = from->count;
}

// The least held gap of the tracks of contact i's pair, at most zero [m].
double hfi_find_relaxed_gap(const hfRigid* rigid, int i) {
  uint64_t pair = hfi_contact_key(hfi_point_contact(rigid, i)).pair;
  double least = 0;
  for (int k = 0; k < rigid->tracks.count; ++k)
    if (rigid->tracks.list[k].key.pair == pair) least = min2(least, rigid->tracks.list[k].held);
  return least;
}

// The held gap, or rest gap, of a contact without memory [m]. In a rigid phase, a contact that is nearer than `touch`,
// or overlaps, is held at its present gap; any other one meets where the shapes just touch, at zero.
static double find_held_gap(const hfiSwitching* s, int i) {
  const hfRigid* rigid = s->rigid;
  double gap = hfi_point_gap(rigid, i);
  if (s->phase != HFI_PHASE_RIGID) return hfi_find_relaxed_gap(rigid, i);
  return gap <= rigid->config.touch ? gap : 0;
}

// Makes one track for each contact of the accel's last evaluation, in their order: the one that matches, or a new one.
void hfi_tracks_renew(hfiSwitching* s) {
  hfRigid* rigid = s->rigid;

  // held gaps of new tracks, which depend on the old ones
  for (int i = 0; i < rigid->accel->ncontact; ++i)
    if (rigid->point[i].match < 0) rigid->point[i].held = find_held_gap(s, i);

  // the new list
  hfi_tracks_copy(&rigid->renewal.old, &rigid->tracks);
  rigid->tracks.count = rigid->accel->ncontact;
  for (int i = 0; i < rigid->tracks.count; ++i) {
    hfiTrack* track = &rigid->tracks.list[i];
    if (rigid->point[i].match >= 0) {
      *track = rigid->renewal.old.list[rigid->point[i].match];
    } else {
      memset(track, 0, sizeof *track);
      track->closed = HFI_CLOSED_UNKNOWN;
      track->held = rigid->point[i].held;
    }

    track->key = hfi_contact_key(hfi_point_contact(rigid, i));
    rigid->point[i].match = i;
  }
}

// ---- reading ----------------------------------------------------------------------------------------

// Sets the track of contact i from the memory.
static void recall_track(const hfiSwitching* s, const hfContactMemory* memory, int i, hfiTrack* track) {
  const hfAccel* accel = s->rigid->accel;
  const hfiContact* contact = hfi_point_contact(s->rigid, i);
  hfVec3 n_B = m3_tmulv(accel->dynamics->X_WB[contact->body_b].R, contact->n);
  hfVec3 xi = v3_load(memory->xi_B);

  // closed, held gap, deformation, modes
  track->closed = (memory->flags & HF_MEMORY_CLOSED) != 0;
  track->held = v3_dot(n_B, xi);
  track->deformation = (hfiDeformation){v3_axpy(-track->held, n_B, xi), v3_load(memory->twist)};
  for (int g = 0; g < 3; ++g) track->mode[g] = memory->flags & ROLLING_FLAG[g] ? HF_MODE_ROLLING : HF_MODE_SLIDING;
}

// What the state remembers of the contact of a track, or NULL. Memory without HF_MEMORY_LAYER comes from a method of
// discrete time: it holds no gap along the normal, so that it does not count.
static const hfContactMemory* find_memory(const hfState* state, const hfiTrack* track) {
  const hfContactMemory* memory = hf_state_memory(state);

  for (int k = 0; k < state->nmemory; ++k) {
    int is_same_contact = memory[k].key_pair == track->key.pair && memory[k].key_feature == track->key.feature;
    if (is_same_contact && memory[k].flags & HF_MEMORY_LAYER) return &memory[k];
  }
  return NULL;
}

// The only phase that the configuration allows, or HFI_PHASE_UNKNOWN.
static hfiPhase find_forced_phase(const hfSwitchConfig* config) {
  if (config->contact_mode == HF_CONTACT_MODEL_RIGID) return HFI_PHASE_RIGID;
  if (config->contact_mode == HF_CONTACT_MODEL_COMPLIANT) return HFI_PHASE_COMPLIANT;
  return HFI_PHASE_UNKNOWN;
}

// Reads phase and tracks from a state, at s->t and s->x. A phase that the configuration does not allow is forgotten,
// and with it what the memory says of the tracks.
hfStatus hfi_switching_recall(hfiSwitching* s, const hfState* state) {
  hfRigid* rigid = s->rigid;
  const int64_t* word = hf_state_discrete(state);

  // the phase; forced is 0 (HFI_PHASE_UNKNOWN) if the configuration allows both
  hfiPhase forced = find_forced_phase(&s->config);
  s->phase = (hfiPhase)word[HFI_WORD_PHASE];
  memcpy(&s->since, &word[HFI_WORD_SINCE], sizeof s->since);
  int is_known = s->phase != HFI_PHASE_UNKNOWN && (!forced || forced == s->phase);

  if (!is_known) {
    s->phase = forced ? forced : HFI_PHASE_RIGID;
    s->since = s->t;
  }

  // the tracks
  rigid->tracks.count = 0;
  rigid->last_certified.current_rows = -1; // No result of the last step may change this one.
  hfStatus status = hfi_accel_gather_forces(rigid->accel, s->t, s->x, hfi_switching_v(s), hfi_switching_act(s), NULL);
  if (status) return status;

  hfi_rigid_match_tracks(rigid);
  hfi_tracks_renew(s);

  if (!is_known) return HF_OK;
  for (int i = 0; i < rigid->tracks.count; ++i) {
    const hfContactMemory* memory = find_memory(state, &rigid->tracks.list[i]);
    if (memory) recall_track(s, memory, i, &rigid->tracks.list[i]);
  }
  return HF_OK;
}

// ---- writing ----------------------------------------------------------------------------------------

// Writes the track of contact i to an entry of the memory.
static void store_track(const hfRigid* rigid, int i, hfContactMemory* memory) {
  const hfiTrack* track = &rigid->tracks.list[i];
  const hfiContact* contact = hfi_point_contact(rigid, i);
  hfPose X_WB = rigid->accel->dynamics->X_WB[contact->body_b];

  memset(memory, 0, sizeof *memory); // This clears the padding, too, because states are compared byte by byte.

  memory->key_pair = track->key.pair;
  memory->key_feature = track->key.feature;
  memory->flags = HF_MEMORY_LAYER | (track->closed > 0 ? HF_MEMORY_CLOSED : 0);

  // the part along the normal is the held gap
  for (int g = 0; g < 3; ++g) memory->flags |= track->mode[g] == HF_MODE_ROLLING ? ROLLING_FLAG[g] : 0;

  v3_store(memory->xi_B, v3_axpy(track->held, m3_tmulv(X_WB.R, contact->n), track->deformation.xi_B));
  v3_store(memory->twist, track->deformation.twist_B);
  v3_store(memory->p_BC, pose_inv_point(X_WB, contact->p_W));
}

// Writes phase and tracks to a state. Returns the number of tracks for which there was no room.
int hfi_switching_store(hfiSwitching* s, hfState* state) {
  const hfRigid* rigid = s->rigid;
  hfContactMemory* memory = hf_state_mutable_memory(state);
  int64_t* word = hf_state_mutable_discrete(state);
  int kept = imin2(rigid->tracks.count, state->max_memory);

  word[HFI_WORD_PHASE] = s->phase;
  memcpy(&word[HFI_WORD_SINCE], &s->since, sizeof s->since);

  // the tracks
  for (int i = 0; i < kept; ++i) store_track(rigid, i, &memory[i]);
  hfi_memory_end(state, kept);
  return rigid->tracks.count - kept;
}
