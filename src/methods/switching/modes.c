// Modes of contacts at a point: separated, sliding along a direction, rolling.
#include "methods/switching/rigid.h"

#include <string.h>

// ---- tracks -----------------------------------------------------------------------------------------

// The first track of the contact's pair that no contact has taken, of its feature or (any_feature) of any one; -1 if
// there is none.
static int find_free_track(const hfRigid* r, const hfiContact* c, int any_feature) {
  hfiContactKey key = hfi_contact_key(c);
  for (int k = 0; k < r->tracks.count; ++k) {
    hfiContactKey other = r->tracks.list[k].key;
    if (!r->taken[k] && other.pair == key.pair && (any_feature || other.feature == key.feature)) return k;
  }
  return -1;
}

void hfi_rigid_match(hfRigid* r) {
  memset(r->taken, 0, (size_t)r->tracks.count * sizeof *r->taken);
  for (int any_feature = 0; any_feature < 2; ++any_feature)
    for (int i = 0; i < r->accel->ncontact; ++i) {
      hfiPoint* point = &r->point[i];
      if (any_feature && point->match >= 0) continue;
      point->match = find_free_track(r, hfi_point_contact(r, i), any_feature);
      if (point->match >= 0) r->taken[point->match] = 1;
    }
}

// ---- modes ------------------------------------------------------------------------------------------

void hfi_track_set_mode(const hfRigid* r, hfiTrack* t, int g, hfVec3 slip) {
  double speed = v3_norm(slip);
  t->mode[g] = speed > r->config.stick_speed ? HF_MODE_SLIDING : HF_MODE_ROLLING;
  t->d_W[g] = speed > 0 ? v3_scale(1 / speed, slip) : v3_zero();
}

// The caller's choice for the geoms of a contact, in either order, or NULL.
static const hfRigidChoice* find_choice(const hfAccelContact* c, const hfRigidChoice* choice, int n) {
  for (int i = 0; i < n; ++i) {
    int forth = choice[i].geom_a == c->geom_a && choice[i].geom_b == c->geom_b;
    int back = choice[i].geom_a == c->geom_b && choice[i].geom_b == c->geom_a;
    if (forth || back) return &choice[i];
  }
  return NULL;
}

// Sets a track by the caller's choice: whether it is closed, the mode of sliding and its direction.
static void apply_choice(hfiTrack* t, const hfAccelContact* c, const hfRigidChoice* choice) {
  hfVec3 slip = choice->geom_a == c->geom_a ? choice->slip_W : v3_neg(choice->slip_W);
  slip = v3_axpy(-v3_dot(slip, c->n_W), c->n_W, slip);
  t->closed = choice->mode != HF_MODE_SEPARATED;
  t->mode[0] = choice->mode == HF_MODE_ROLLING ? HF_MODE_ROLLING : HF_MODE_SLIDING;
  if (v3_norm(slip) > 0) t->d_W[0] = v3_unit(slip);
}

void hfi_rigid_choose_modes(hfRigid* r, const hfRigidChoice* choice, int nchoice) {
  const hfAccelProblem* p = r->accel_problem;
  r->tracks.count = 0;
  for (int i = 0; i < p->ncontact; ++i) {
    hfiPoint* point = &r->point[i];
    hfiTrack* t = &r->tracks.list[r->tracks.count++];
    point->match = i;
    memset(t, 0, sizeof *t);
    t->key = hfi_contact_key(hfi_point_contact(r, i));
    t->held = hfi_point_gap(r, i);
    t->closed = t->held <= r->config.touch && point->s[0] <= r->config.stick_speed;
    for (int g = 0; g < hfi_group_count(point->dim); ++g) hfi_track_set_mode(r, t, g, hfi_point_slip(r, i, g));

    const hfRigidChoice* chosen = find_choice(&p->contact[i], choice, nchoice);
    if (chosen) apply_choice(t, &p->contact[i], chosen);
  }
}
