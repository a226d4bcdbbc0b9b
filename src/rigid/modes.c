// Modes of contacts at a point: separated, sliding along a direction, rolling.
#include "rigid/rigid.h"

#include <string.h>

// World vector of the velocity of friction group g.
static hfVec3 group_velocity(const hfAccelContact* c, const hfiPoint* at, int g) {
  hfVec3 w = v3_zero();
  for (int k = 0; k < HFI_GROUP_DIM[g]; ++k) w = v3_axpy(at->s[HFI_GROUP_FIRST[g] + k], hfi_row_axis(c, HFI_GROUP_FIRST[g] + k), w);
  return w;
}

static const hfRigidChoice* find_choice(const hfAccelContact* c, const hfRigidChoice* choice, int n) {
  for (int i = 0; i < n; ++i)
    if ((choice[i].geom_a == c->geom_a && choice[i].geom_b == c->geom_b) || (choice[i].geom_a == c->geom_b && choice[i].geom_b == c->geom_a))
      return &choice[i];
  return NULL;
}

static void set_mode(hfiTrack* t, int g, hfVec3 slip, double stick_speed) {
  double speed = v3_norm(slip);
  t->mode[g] = speed > stick_speed ? HF_MODE_SLIDING : HF_MODE_ROLLING;
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
    const hfiPoint* at = &r->point[i];
    hfiTrack* t = &r->track[r->ntrack++];
    memset(t, 0, sizeof *t);
    t->pair = (uint64_t)(uint32_t)c->geom_a << 32 | (uint32_t)c->geom_b;
    t->feature = c->feature;
    t->held = -r->accel->contact[i].at.depth;
    t->closed = t->held <= r->config.touch && at->s[0] <= r->config.stick_speed;
    for (int g = 0; g < hfi_group_count(at->dim); ++g) set_mode(t, g, group_velocity(c, at, g), r->config.stick_speed);
    const hfRigidChoice* own = find_choice(c, choice, nchoice);
    if (own) apply_choice(t, c, own);
  }
}

// ---- the layer --------------------------------------------------------------------------------------

static double lighter_body(const hfModel* m, const hfAccelContact* c) {
  const double* mass = hf_model_body_mass(m);
  int a = hf_model_body_lastdof(m)[c->body_a] >= 0, b = hf_model_body_lastdof(m)[c->body_b] >= 0;
  double of_a = a ? mass[c->body_a] : INFINITY, of_b = b ? mass[c->body_b] : INFINITY, least = min2(of_a, of_b);
  return isfinite(least) && least > 0 ? least : 1;
}

void hfi_layer_parameters(const hfRigid* r, const hfAccelContact* c, double* k, double* damping, double* kt, double* ct) {
  const hfLayerConfig* l = &r->config.layer;
  double m0 = l->mass > 0 ? l->mass : lighter_body(r->model, c);
  if (l->eps > 0) {
    *k = *kt = l->stiffness * m0 / (l->eps * sqr(l->time));
    *damping = *ct = l->damping * m0 / (sqrt(l->eps) * l->time);
    return;
  }
  const hfiMaterial* m = &r->accel->contact[c - r->accel_problem->contact].at.material;
  double unit_mass = m->from_solref ? m0 : 1; // MuJoCo's stiffness is for a unit mass
  *k = unit_mass * m->stiffness;
  *kt = unit_mass * m->tangential_stiffness;
  *damping = l->damping * sqrt(m0 * *k / l->stiffness);
  *ct = l->damping * sqrt(m0 * *kt / l->stiffness);
}
