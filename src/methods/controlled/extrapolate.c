// The difference of two states, and Richardson's extrapolation x1 = half (+) share (half (-) full).
#include "methods/controlled/controlled.h"

#include "step/problem/algebra.h"

// A tree that flies takes steps of second order that are symmetric in time: their error is C h^3 + O(h^5), so the two
// half steps lack a third of their difference from the full step. Other trees take steps of first order [-].
static const double FLIGHT_SHARE = 1.0 / 3, OTHER_SHARE = 1;
// Extrapolation may press bodies into each other by this share of the accuracy. Contacts with sqrt(k/m) near 1e3/s then
// gain no more speed than the accuracy over HFI_VELOCITY_TIME [-].
static const double OVERLAP_SHARE = 0.01;

double hfi_controlled_error(hfiControlled* c, const hfState* half, const hfState* full) {
  const hfModel* m = c->world->model;
  const double* v = hf_state_v(half);
  const double* v_full = hf_state_v(full);
  double largest = 0;
  hf_model_difference(m, hf_state_q(full), hf_state_q(half), 1, c->difference);

  for (int i = 0; i < m->nv; ++i) {
    double size = fabs(c->difference[i]);
    double late = HFI_VELOCITY_TIME * fabs(v[i] - v_full[i]);
    if (!isfinite(size) || !isfinite(late)) return INFINITY;
    largest = max2(largest, max2(size, late));
  }
  return largest;
}

// ---- how much is extrapolated ------------------------------------------------------------------------

// The share of the difference by which a tree is extrapolated. A tree that flew in only some of the steps has no order,
// so the result of the half steps is taken as it is.
static double share_of_tree(const hfiControlled* c, int tree) {
  int flown = c->full_summary.flies[tree] + c->first_summary.flies[tree] + c->second_summary.flies[tree];
  if (flown == 3) return FLIGHT_SHARE;
  return flown == 0 ? OTHER_SHARE : 0;
}

// Computes `share` and `change` of all dofs.
static void compute_change(hfiControlled* c) {
  const int32_t* tree = hf_model_dof_tree(c->world->model);
  for (int i = 0; i < c->world->model->nv; ++i) {
    c->share[i] = share_of_tree(c, tree[i]);
    c->change[i] = c->share[i] * c->difference[i];
  }
}

// Whether the change would deepen an overlap, or make one, by more than `most` [m].
static int change_presses_contact(const hfiControlled* c, double most) {
  const hfStepProblem* p = hfi_discrete_read_problem(c->discrete);
  for (int i = 0; i < p->nblock; ++i) {
    const hfStepBlock* b = &p->block[i];
    double away[6], velocity[6];
    if (b->law != HF_LAW_CONTACT) continue;
    hfi_block_velocity(p, b, c->change, away);
    if (!(-away[0] > most)) continue;

    // against the depth at the end of the step
    hfi_block_velocity(p, b, hfi_discrete_read_solution(c->discrete), velocity);
    double depth = p->contact[b->param].depth - p->h * velocity[0];
    if (depth - away[0] > max2(depth, 0) + most) return 1;
  }
  return 0;
}

// ---- extrapolation -------------------------------------------------------------------------------

// half (n) <- half + (half - full).
static void extrapolate(double* half, const double* full, int n) {
  for (int i = 0; i < n; ++i) half[i] += half[i] - full[i];
}

// The order of the contact memory.
static int is_before(const hfContactMemory* a, const hfContactMemory* b) {
  return a->key_pair != b->key_pair ? a->key_pair < b->key_pair : a->key_feature < b->key_feature;
}

// Both lists are sorted. A contact that only one of them has stays as it is.
static void extrapolate_memory(hfState* half, const hfState* full) {
  hfContactMemory* a = hf_state_mutable_memory(half);
  const hfContactMemory* b = hf_state_memory(full);
  const hfContactMemory* a_end = a + half->nmemory;
  const hfContactMemory* b_end = b + full->nmemory;

  while (a < a_end && b < b_end) {
    if (is_before(a, b)) {
      ++a;
    } else if (is_before(b, a)) {
      ++b;
    } else {
      extrapolate(a->xi_B, b->xi_B, 3);
      extrapolate(a->twist, b->twist, 3);
      extrapolate(a->p_BC, b->p_BC, 3);
      ++a;
      ++b;
    }
  }
}

void hfi_controlled_extrapolate(hfiControlled* c, hfState* half, const hfState* full) {
  if (c->full_summary.bounced || c->first_summary.bounced || c->second_summary.bounced) return;
  compute_change(c);
  if (change_presses_contact(c, OVERLAP_SHARE * c->accuracy)) return;

  double* v = hf_state_mutable_v(half);
  for (int i = 0; i < half->nv; ++i) v[i] += c->share[i] * (v[i] - hf_state_v(full)[i]);
  hf_model_integrate(c->world->model, hf_state_mutable_q(half), c->change, 1);
  extrapolate(hf_state_mutable_act(half), hf_state_act(full), half->na);
  extrapolate_memory(half, full);
}
