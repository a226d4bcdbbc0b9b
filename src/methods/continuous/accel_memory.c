// Contact memory in continuous time (anchored friction).
//
// If deformations are no coordinates of the equation (accel_deform.c), the deformation of a contact is a function of
// the configuration within a step of the integrator (accel_anchor.c). At the end of the step
//
//   stick   xi is the displacement of the material points, as in discrete time (step/contact/memory.c)
//   slip    k_t xi + c_t (xi - xi0)/h = mu fn t: the deformation that carries the bounded force
#include "methods/continuous/inside.h"

#include "step/contact/contact_law.h"
#include "step/contact/contact.h"
#include "step/law/law.h"

#include <string.h>

// ---- beginning --------------------------------------------------------------------------------------

void hf_accel_begin(hfAccel* a, const hfState* state, const hfInput* input) {
  a->input = input;
  if (hfi_world_is_outdated(a->world)) hfi_world_refresh(a->world);
  a->stage = HFI_ACCEL_NOWHERE; // Mocap bodies may have moved.
  a->motion.is_fresh = 0;
  a->anchors.count = 0;
  a->equation.nlanding = 0;
  if (!state || a->config.friction != HF_FRICTION_ANCHORED) return;

  if (hfi_accel_configure(a, hf_state_q(state))) return;
  hfi_accel_anchor(a, state, hf_state_v(state), a->anchors.span);
}

void hfi_accel_anchor(hfAccel* a, const hfState* state, const double* v, double span) {
  hfiWorld* w = a->world;
  hfiAnchors* anchors = &a->anchors;
  hfi_world_mark_start(w);
  hf_dynamics_set_velocity(a->dynamics, v);
  hfi_memory_recall(state, a->dynamics, w->surfaces, span, w->near.contact, w->near.ncontact);

  anchors->count = w->near.ncontact;
  for (int i = 0; i < w->near.ncontact; ++i) {
    const hfiContact* c = &w->near.contact[i];
    hfMat3 R_WB = a->dynamics->X_WB[c->body_b].R;
    anchors->contact[i] = *c;
    anchors->anchor[i] = (hfiAnchor){.p_AC = pose_inv_point(a->dynamics->X_WB[c->body_a], c->p_W),
                                     .xi_B = m3_tmulv(R_WB, c->xi_W),
                                     .twist_B = m3_tmulv(R_WB, c->twist_W),
                                     .q_BA = hfi_accel_relative_rotation(a, c)};
  }

  anchors->began = a->point.t = state->time;
  hfi_accel_leave(a, HFI_ACCEL_AT_POSITIONS);
  for (int i = 0; i < a->ncontact && !a->deformations.act; ++i) hfi_accel_follow(a, &a->contact[i]);
}

// ---- settling ---------------------------------------------------------------------------------------

// The present contact with the pair and feature of another one, or NULL.
static const hfiAccelContact* find_contact(const hfAccel* a, const hfiContact* like) {
  for (int i = 0; i < a->ncontact; ++i)
    if (hfi_same_contact(hfi_contact_key(a->contact[i].contact), hfi_contact_key(like))) return &a->contact[i];
  return NULL;
}

// Writes the deformation of group g in slip after a step h to its part of xi. xi0 (5): at the start of the step, in the
// frame of the end.
static void slip_deformation(const hfiAccelContact* c, int g, const double* xi0, double h, double* xi) {
  int row = hfi_group_row(g);
  int n = hfi_group_dim(g);
  double k = c->law.k_t[g];
  double d = c->law.c_t[g];
  double bound = c->law.mu[g] * c->f[0];

  // w = k_t xi + c_t s, along which the bounded force acts
  double w[2] = {0, 0};
  for (int i = 0; i < n; ++i) w[i] = k * c->law.xi0[row + i] + d * c->s[1 + row + i];
  double norm = sqrt(sqr(w[0]) + sqr(w[1]));
  if (!(norm > 0 && h * k + d > 0)) {
    for (int i = 0; i < n; ++i) xi[row + i] = 0;
    return;
  }

  for (int i = 0; i < n; ++i) xi[row + i] = (h * bound * w[i] / norm + d * xi0[row + i]) / (h * k + d);
}

// Transforms components in the frame of the end to those in the frame of the start, both as seen from B.
static void turn_back(const hfAccel* a, const hfiContact* from, const hfiAccelContact* c, const double* xi,
                      double* out) {
  hfMat3 R1 = a->dynamics->X_WB[c->contact->body_b].R;
  hfMat3 R0 = a->world->X0_WB[c->contact->body_b].R;
  hfVec3 slide = m3_mulv(R0, m3_tmulv(R1, hfi_in_plane(c->contact, xi[0], xi[1])));
  hfVec3 roll = m3_mulv(R0, m3_tmulv(R1, hfi_in_plane(c->contact, xi[3], xi[4])));
  out[0] = v3_dot(from->t1, slide);
  out[1] = v3_dot(from->t2, slide);
  out[2] = xi[2];
  out[3] = v3_dot(from->t1, roll);
  out[4] = v3_dot(from->t2, roll);
}

// Finds the outcome of the contact of anchor i, which is c at the end of the step h.
static void settle_contact(const hfAccel* a, int i, const hfiAccelContact* c, double h, hfiContactOutcome* o) {
  const hfiAnchor* anchor = &a->anchors.anchor[i];
  double xi0[5] = {0}, xi[5] = {0};
  hfMat3 R1 = a->dynamics->X_WB[c->contact->body_b].R;
  memset(o, 0, sizeof *o);
  o->sticks = hfi_accel_contact_sticks(c);
  o->slip_speed = c->dim >= 3 ? sqrt(sqr(c->s[1]) + sqr(c->s[2])) : 0;

  hfi_contact_set_deformation(c->contact, m3_mulv(R1, anchor->xi_B), m3_mulv(R1, anchor->twist_B), xi0);
  for (int g = 0; g < hfi_group_count(c->dim); ++g) {
    if (c->stick >> g & 1) continue;
    o->slips |= 1 << g;
    slip_deformation(c, g, xi0, h, xi);
  }
  if (o->slips) turn_back(a, &a->anchors.contact[i], c, xi, o->xi);
}

int hfi_accel_settle(hfAccel* a, hfState* state, double h) {
  hfiAnchors* anchors = &a->anchors;
  int kept = 0;
  if (a->config.friction != HF_FRICTION_ANCHORED) return 0;

  for (int i = 0; i < anchors->count; ++i) {
    const hfiAccelContact* c = find_contact(a, &anchors->contact[i]);
    if (!c) continue;
    settle_contact(a, i, c, h, &anchors->outcome[kept]);
    anchors->contact[kept++] = anchors->contact[i];
  }
  anchors->count = 0; // used up

  hfiContactStep step = {a->world->surfaces, h, a->world->X0_WB, a->dynamics->X_WB, anchors->contact, anchors->outcome,
                         kept};
  return hfi_memory_store(state, &step);
}
