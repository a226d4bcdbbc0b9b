// Modes of contacts at a point: separated, sliding along a direction, rolling.
#include "methods/switching/rigid.h"

#include <string.h>

// ---- tracks -----------------------------------------------------------------------------------------

// Returns the first track of the contact's pair that no contact has taken, or -1. With any_feature = 0 only a track of
// the contact's feature counts.
static int find_free_track(const hfRigid* rigid, const hfiContact* contact, int any_feature) {
  hfiContactKey key = hfi_contact_key(contact);

  for (int k = 0; k < rigid->tracks.count; ++k) {
    if (rigid->renewal.taken[k]) continue;

    hfiContactKey candidate = rigid->tracks.list[k].key;
    if (candidate.pair == key.pair && (any_feature || candidate.feature == key.feature)) return k;
  }
  return -1;
}

// Finds the track of each contact: first by pair and feature, then by pair alone.
void hfi_rigid_match_tracks(hfRigid* rigid) {
  memset(rigid->renewal.taken, 0, (size_t)rigid->tracks.count * sizeof *rigid->renewal.taken);

  for (int any_feature = 0; any_feature < 2; ++any_feature)
    for (int i = 0; i < rigid->accel->ncontact; ++i) {
      hfiPoint* point = &rigid->point[i];

      if (any_feature && point->match >= 0) continue;
      point->match = find_free_track(rigid, hfi_point_contact(rigid, i), any_feature);
      if (point->match >= 0) rigid->renewal.taken[point->match] = 1;
    }
}

// ---- modes ------------------------------------------------------------------------------------------

// Sets mode and direction of friction group g from its slip: it slides if it is faster than the stick speed.
void hfi_track_set_mode(const hfRigid* rigid, hfiTrack* track, int g, hfVec3 slip) {
  double speed = v3_norm(slip);
  track->mode[g] = speed > rigid->config.stick_speed ? HF_MODE_SLIDING : HF_MODE_ROLLING;
  track->d_W[g] = speed > 0 ? v3_scale(1 / speed, slip) : v3_zero();
}

// The caller's choice for the geoms of a contact, in either order, or NULL.
static const hfRigidChoice* find_choice(const hfAccelContact* contact, const hfRigidChoice* choice, int n) {
  for (int i = 0; i < n; ++i) {
    int is_same_order = choice[i].geom_a == contact->geom_a && choice[i].geom_b == contact->geom_b;
    int is_other_order = choice[i].geom_a == contact->geom_b && choice[i].geom_b == contact->geom_a;
    if (is_same_order || is_other_order) return &choice[i];
  }
  return NULL;
}

// Sets a track by the caller's choice: whether it is closed, the mode of sliding and its direction.
static void apply_choice(hfiTrack* track, const hfAccelContact* contact, const hfRigidChoice* choice) {
  // the chosen slip of A over B, in the tangent plane
  hfVec3 slip = choice->geom_a == contact->geom_a ? choice->slip_W : v3_neg(choice->slip_W);
  slip = v3_axpy(-v3_dot(slip, contact->n_W), contact->n_W, slip);

  track->closed = choice->mode != HF_MODE_SEPARATED;
  track->mode[0] = choice->mode == HF_MODE_ROLLING ? HF_MODE_ROLLING : HF_MODE_SLIDING;
  if (v3_norm(slip) > 0) track->d_W[0] = v3_unit(slip);
}

// Makes one track for each contact at the point: closed where the gap is nearly zero and does not open, with modes by
// the slip; the caller's choices overrule both.
void hfi_rigid_choose_modes(hfRigid* rigid, const hfRigidChoice* choice, int nchoice) {
  const hfAccelProblem* problem = rigid->accel_problem;
  rigid->tracks.count = 0;
  for (int i = 0; i < problem->ncontact; ++i) {
    hfiPoint* point = &rigid->point[i];
    hfiTrack* track = &rigid->tracks.list[rigid->tracks.count++];

    point->match = i;
    memset(track, 0, sizeof *track);
    track->key = hfi_contact_key(hfi_point_contact(rigid, i));
    track->held = hfi_point_gap(rigid, i);
    track->closed = track->held <= rigid->config.touch && point->s[0] <= rigid->config.stick_speed;
    for (int g = 0; g < hfi_group_count(point->dim); ++g)
      hfi_track_set_mode(rigid, track, g, hfi_point_slip(rigid, i, g));

    const hfRigidChoice* chosen = find_choice(&problem->contact[i], choice, nchoice);
    if (chosen) apply_choice(track, &problem->contact[i], chosen);
  }
}
