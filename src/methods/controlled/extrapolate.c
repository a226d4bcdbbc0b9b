// The difference of two states, and Richardson's extrapolation x1 = half (+) share (half (-) full).
#include "methods/controlled/controlled.h"

#include "model/state_parts.h"
#include "step/problem/algebra.h"

// A tree that flies takes steps of second order that are symmetric in time: their error is C h^3 + O(h^5), so the two
// half steps lack a third of their difference from the full step [-].
static const double FLIGHT_SHARE = 1.0 / 3;
// Other trees take steps of first order [-].
static const double OTHER_SHARE = 1;
// Extrapolation may press bodies into each other by this share of the accuracy. Contacts with sqrt(k/m) near 1e3/s then
// gain no more speed than the accuracy over HFI_VELOCITY_TIME [-].
static const double OVERLAP_SHARE = 0.01;

// Writes controlled->difference. Returns the estimated error of the step: the largest difference of a position, or of a
// velocity over HFI_VELOCITY_TIME [m, rad].
double hfi_controlled_estimate_error(hfiControlled* controlled, const hfState* half, const hfState* full) {
  const hfModel* model = controlled->world->model;
  const double* v = hf_state_v(half);
  const double* v_full = hf_state_v(full);
  double largest = 0;

  hf_model_difference(model, hf_state_q(full), hf_state_q(half), 1, controlled->difference);

  for (int i = 0; i < model->nv; ++i) {
    double size = fabs(controlled->difference[i]);
    double late = HFI_VELOCITY_TIME * fabs(v[i] - v_full[i]);

    if (!isfinite(size) || !isfinite(late)) return INFINITY;
    largest = max2(largest, max2(size, late));
  }
  return largest;
}

// ---- how much is extrapolated ------------------------------------------------------------------------

// The share of the difference by which a tree is extrapolated. A tree that flew in only some of the steps has no order,
// so the result of the half steps is taken as it is.
static double find_tree_share(const hfiControlled* controlled, int tree) {
  int flown = controlled->full_summary.flies[tree] + controlled->first_summary.flies[tree];
  flown += controlled->second_summary.flies[tree];
  if (flown == 3) return FLIGHT_SHARE;
  return flown == 0 ? OTHER_SHARE : 0;
}

// Computes `share` and `change` of all dofs.
static void compute_change(hfiControlled* controlled) {
  const int32_t* tree = hf_model_dof_tree(controlled->world->model);
  for (int i = 0; i < controlled->world->model->nv; ++i) {
    controlled->share[i] = find_tree_share(controlled, tree[i]);
    controlled->change[i] = controlled->share[i] * controlled->difference[i];
  }
}

// Whether the change would deepen an overlap, or make one, by more than `most` [m]. Reads the problem and solution of
// the last step of controlled->discrete.
static int change_presses_contact(const hfiControlled* controlled, double most) {
  const hfStepProblem* problem = hfi_discrete_read_problem(controlled->discrete);
  for (int i = 0; i < problem->nblock; ++i) {
    const hfStepBlock* block = &problem->block[i];
    if (block->law != HF_LAW_CONTACT) continue;

    // how far the change moves the bodies apart
    double away[6];
    hfi_block_velocity(problem, block, controlled->change, away);
    if (!(-away[0] > most)) continue;

    // against the depth at the end of the step
    double velocity[6];
    hfi_block_velocity(problem, block, hfi_discrete_read_solution(controlled->discrete), velocity);
    double depth = problem->contact[block->param].depth - problem->h * velocity[0];
    if (depth - away[0] > max2(depth, 0) + most) return 1;
  }
  return 0;
}

// ---- extrapolation -------------------------------------------------------------------------------

// half (n) <- half + (half - full).
static void extrapolate_numbers(double* half, const double* full, int n) {
  for (int i = 0; i < n; ++i) half[i] += half[i] - full[i];
}

// Does contact a stand before contact b in a contact memory, which is sorted by pair and feature?
static int is_before(const hfContactMemory* a, const hfContactMemory* b) {
  if (a->key_pair != b->key_pair) return a->key_pair < b->key_pair;
  return a->key_feature < b->key_feature;
}

// Extrapolates the contacts that both memories have, with the share 1. A contact that only one of them has stays as it
// is.
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
      extrapolate_numbers(a->xi_B, b->xi_B, 3);
      extrapolate_numbers(a->twist, b->twist, 3);
      extrapolate_numbers(a->p_BC, b->p_BC, 3);
      ++a;
      ++b;
    }
  }
}

// Extrapolates a part of the state by the way in which it moves.
static void extrapolate_part(const hfiControlled* controlled, const hfiStatePart* part, hfState* half,
                             const hfState* full) {
  double* values = hfi_state_part(half, part);
  const double* full_values = hfi_state_part(full, part);

  switch (part->motion) {
  case HFI_PART_CONFIGURATION:
    hf_model_integrate(controlled->world->model, values, controlled->change, 1);
    break;
  case HFI_PART_VELOCITY:
    for (int i = 0; i < half->nv; ++i) values[i] += controlled->share[i] * (values[i] - full_values[i]);
    break;
  case HFI_PART_VECTOR:
    extrapolate_numbers(values, full_values, (int)(hfi_state_part_bytes(half, part) / sizeof *values));
    break;
  case HFI_PART_MEMORY:
    extrapolate_memory(half, full);
    break;
  case HFI_PART_HELD:
    break;
  }
}

// half <- half (+) share (half (-) full), part by part. Does nothing if a contact bounced, or if the change would press
// bodies into each other.
void hfi_controlled_extrapolate(hfiControlled* controlled, hfState* half, const hfState* full) {
  int has_bounced =
      controlled->full_summary.bounced || controlled->first_summary.bounced || controlled->second_summary.bounced;
  if (has_bounced) return;

  compute_change(controlled);
  if (change_presses_contact(controlled, OVERLAP_SHARE * controlled->accuracy)) return;

  for (int k = 0; k < HFI_STATE_PARTS; ++k) extrapolate_part(controlled, &hfi_state_parts[k], half, full);
}
