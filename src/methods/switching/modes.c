// Modes of contacts at a point: separated, sliding along a direction, rolling.
#include "methods/switching/rigid.h"

#include <string.h>

// ---- tracks -----------------------------------------------------------------------------------------

static int find_left(const hfRigid* r, const hfiContact* c, int any_feature) {
  hfiContactKey key = hfi_contact_key(c);
  for (int k = 0; k < r->ntrack; ++k)
    if (!r->taken[k] && r->track[k].key.pair == key.pair && (any_feature || r->track[k].key.feature == key.feature))
      return k;
  return -1;
}

void hfi_rigid_match(hfRigid* r) {
  memset(r->taken, 0, (size_t)r->ntrack * sizeof *r->taken);
  for (int any_feature = 0; any_feature < 2; ++any_feature)
    for (int i = 0; i < r->accel->ncontact; ++i) {
      hfiPoint* at = &r->point[i];
      if (any_feature && at->match >= 0) continue;
      at->match = find_left(r, r->accel->contact[i].contact, any_feature);
      if (at->match >= 0) r->taken[at->match] = 1;
    }
}

// ---- modes ------------------------------------------------------------------------------------------

static const hfRigidChoice* find_choice(const hfAccelContact* c, const hfRigidChoice* choice,
                                        int n) {
  for (int i = 0; i < n; ++i)
    if ((choice[i].geom_a == c->geom_a && choice[i].geom_b == c->geom_b) ||
        (choice[i].geom_a == c->geom_b && choice[i].geom_b == c->geom_a))
      return &choice[i];
  return NULL;
}

void hfi_track_set_mode(const hfRigid* r, hfiTrack* t, int g, hfVec3 slip) {
  double speed = v3_norm(slip);
  t->mode[g] = speed > r->config.stick_speed ? HF_MODE_SLIDING : HF_MODE_ROLLING;
  t->d_W[g] = speed > 0 ? v3_scale(1 / speed, slip) : v3_zero();
}

static void apply_choice(hfiTrack* t, const hfAccelContact* c, const hfRigidChoice* choice) {
  hfVec3 slip = choice->geom_a == c->geom_a ? choice->slip_W : v3_neg(choice->slip_W);
  slip = v3_axpy(-v3_dot(slip, c->n_W), c->n_W, slip);
  t->closed = choice->mode != HF_MODE_SEPARATED;
  t->mode[0] = choice->mode == HF_MODE_ROLLING ? HF_MODE_ROLLING : HF_MODE_SLIDING;
  if (v3_norm(slip) > 0) t->d_W[0] = v3_unit(slip);
}

void hfi_rigid_choose_modes(hfRigid* r, const hfRigidChoice* choice, int nchoice) {
  const hfAccelProblem* p = r->accel_problem;
  r->ntrack = 0;
  for (int i = 0; i < p->ncontact; ++i) {
    const hfAccelContact* c = &p->contact[i];
    hfiPoint* at = &r->point[i];
    hfiTrack* t = &r->track[r->ntrack++];
    at->match = i;
    memset(t, 0, sizeof *t);
    t->key = hfi_contact_key(r->accel->contact[i].contact);
    t->held = -r->accel->contact[i].contact->depth;
    t->closed = t->held <= r->config.touch && at->s[0] <= r->config.stick_speed;
    for (int g = 0; g < hfi_group_count(at->dim); ++g)
      hfi_track_set_mode(r, t, g, hfi_point_slip(r, i, g));
    const hfRigidChoice* own = find_choice(c, choice, nchoice);
    if (own) apply_choice(t, c, own);
  }
}
