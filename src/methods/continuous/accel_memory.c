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

// Begins a step at a state: forgets what was computed before and sets the anchors. Without a state there are no
// anchors.
void hf_accel_begin(hfAccel* accel, const hfState* state, const hfInput* input) {
  accel->input = input;
  if (hfi_world_is_outdated(accel->world)) hfi_world_refresh(accel->world);
  accel->stage = HFI_ACCEL_NOWHERE; // Mocap bodies may have moved.
  accel->dense.motion.is_fresh = 0;
  accel->anchors.count = 0;
  accel->equation.nlanding = 0;

  if (!state || accel->config.friction != HF_FRICTION_ANCHORED) return;

  if (hfi_accel_configure(accel, hf_state_q(state))) return;
  hfi_accel_set_anchors(accel, state, hf_state_v(state), accel->anchors.span);
}

// Makes anchors of the contacts at the present configuration of the accel, with what the memory of `state` says of
// them. v (nv): velocities at this configuration; span: length of a step, over which contacts remember [s]; 0: unknown.
void hfi_accel_set_anchors(hfAccel* accel, const hfState* state, const double* v, double span) {
  hfiWorld* world = accel->world;
  hfiAnchors* anchors = &accel->anchors;
  // what the state remembers
  hfi_world_mark_start(world);
  hf_dynamics_set_velocity(accel->dynamics, v);
  hfi_memory_recall(state, accel->dynamics, world->surfaces, span, world->near.contact, world->near.ncontact);

  // anchors
  anchors->count = world->near.ncontact;
  for (int i = 0; i < world->near.ncontact; ++i) {
    const hfiContact* contact = &world->near.contact[i];
    hfMat3 R_WB = accel->dynamics->X_WB[contact->body_b].R;
    anchors->contact[i] = *contact;
    anchors->anchor[i] = (hfiAnchor){
        .p_AC = pose_inv_point(accel->dynamics->X_WB[contact->body_a], contact->p_W),
        .xi_B = m3_tmulv(R_WB, contact->xi_W),
        .twist_B = m3_tmulv(R_WB, contact->twist_W),
        .q_BA = hfi_accel_relative_rotation(accel, contact),
    };
  }

  // they begin now, and the forces of the last point are not valid any more
  anchors->began = state->time;
  accel->point.t = state->time;
  hfi_accel_lower_stage(accel, HFI_ACCEL_AT_POSITIONS);
  if (accel->deformations.is_active) return;
  for (int i = 0; i < accel->ncontact; ++i) hfi_accel_follow_anchor(accel, &accel->contact[i]);
}

// ---- settling ---------------------------------------------------------------------------------------

// The present contact with the pair and feature of another one, or NULL.
static const hfiAccelContact* find_contact(const hfAccel* accel, const hfiContact* like) {
  for (int i = 0; i < accel->ncontact; ++i)
    if (hfi_same_contact(hfi_contact_key(accel->contact[i].source), hfi_contact_key(like))) return &accel->contact[i];
  return NULL;
}

// Writes the deformation of group g, which slips at the end of a step h, to its rows of xi (5). It is the one that
// carries the bounded force (see the file's head). xi0 (5): the deformation at the start of the step, in the frame of
// the end. law.xi0 (hfi_accel_follow_anchor): the deformation at the end if nothing had slipped.
static void find_slip_deformation(const hfiAccelContact* contact, int g, const double* xi0, double h, double* xi) {
  int row = hfi_group_row(g);
  int n = hfi_group_dim(g);
  double k = contact->law.k_t[g];
  double d = contact->law.c_t[g];
  double bound = contact->law.mu[g] * contact->f[0];

  // t of the file's head is w/|w|, with w = k_t xi + c_t s at the end of the step
  double w[2] = {0, 0};
  for (int i = 0; i < n; ++i) w[i] = k * contact->law.xi0[row + i] + d * contact->s[1 + row + i];

  double norm = sqrt(sqr(w[0]) + sqr(w[1]));
  if (!(norm > 0 && h * k + d > 0)) {
    for (int i = 0; i < n; ++i) xi[row + i] = 0;
    return;
  }

  for (int i = 0; i < n; ++i) {
    double pull = h * bound * w[i] / norm + d * xi0[row + i];
    xi[row + i] = pull / (h * k + d);
  }
}

// Transforms the deformation xi (5) from the frame of the end, in which `contact` is, to the frame of the start, in
// which `from` is. Both are seen from body B.
static void turn_back(const hfAccel* accel, const hfiContact* from, const hfiAccelContact* contact, const double* xi,
                      double* out) {
  hfMat3 R1 = accel->dynamics->X_WB[contact->source->body_b].R;
  hfMat3 R0 = accel->world->X0_WB[contact->source->body_b].R;
  hfVec3 slide = m3_mulv(R0, m3_tmulv(R1, hfi_in_plane(contact->source, xi[0], xi[1])));
  hfVec3 roll = m3_mulv(R0, m3_tmulv(R1, hfi_in_plane(contact->source, xi[3], xi[4])));

  out[0] = v3_dot(from->t1, slide);
  out[1] = v3_dot(from->t2, slide);
  out[2] = xi[2];
  out[3] = v3_dot(from->t1, roll);
  out[4] = v3_dot(from->t2, roll);
}

// Finds the outcome of the contact of anchor i, which is `contact` at the end of the step h.
static void settle_contact(const hfAccel* accel, int i, const hfiAccelContact* contact, double h,
                           hfiContactOutcome* outcome) {
  const hfiAnchor* anchor = &accel->anchors.anchor[i];
  double xi0[5] = {0};
  double xi[5] = {0};
  hfMat3 R1 = accel->dynamics->X_WB[contact->source->body_b].R;

  memset(outcome, 0, sizeof *outcome);
  outcome->sticks = hfi_accel_contact_sticks(contact);
  outcome->slip_speed = contact->dim >= 3 ? sqrt(sqr(contact->s[1]) + sqr(contact->s[2])) : 0;

  // the groups that slip
  hfi_contact_set_deformation(contact->source, m3_mulv(R1, anchor->xi_B), m3_mulv(R1, anchor->twist_B), xi0);
  for (int g = 0; g < hfi_group_count(contact->dim); ++g) {
    if (contact->stick >> g & 1) continue;

    outcome->slips |= 1 << g;
    find_slip_deformation(contact, g, xi0, h, xi);
  }
  if (outcome->slips) turn_back(accel, &accel->anchors.contact[i], contact, xi, outcome->xi);
}

// Writes the contact memory after a step h at whose end the accel is, and uses the anchors up. Returns for how many
// contacts there was no room.
int hfi_accel_write_memory(hfAccel* accel, hfState* state, double h) {
  hfiAnchors* anchors = &accel->anchors;
  int kept = 0;
  if (accel->config.friction != HF_FRICTION_ANCHORED) return 0;

  // contacts that are still there; the lists of contacts and outcomes keep these alone, in their order
  for (int i = 0; i < anchors->count; ++i) {
    const hfiAccelContact* contact = find_contact(accel, &anchors->contact[i]);
    if (!contact) continue;

    settle_contact(accel, i, contact, h, &anchors->outcome[kept]);
    anchors->contact[kept++] = anchors->contact[i];
  }
  anchors->count = 0;

  // memory, as after a step of discrete time
  hfiContactStep step = {
      accel->world->surfaces, h, accel->world->X0_WB, accel->dynamics->X_WB, anchors->contact, anchors->outcome, kept,
  };
  return hfi_memory_store(state, &step);
}
