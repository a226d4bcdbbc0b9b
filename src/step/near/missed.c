// Contacts that were not predicted: the solution of a step may move trees further than was foreseen, and close points
// that do not act yet. They are added, and the step is solved again (near.h).
#include "step/near/inside.h"

#include <string.h>

// ---- how far the solution differs from what was foreseen ---------------------------------------------

// A tree is not examined again if it moves less than this beyond what was predicted [m].
static const double UNFORESEEN_MOTION = 5e-5;
// In a scene with at most this many trees, one sum over all dofs is tested first: mostly no tree moves further than
// predicted. With more trees some tree almost always does.
enum { FEW_TREES = 8 };

// Notes the velocities of the dynamics as foreseen. Writes near->foresight.
void hfi_near_foresee(hfiNear* near) {
  hfiForesight* f = &near->foresight;
  f->excess = 0;
  f->excess_before = 0;
  memcpy(f->velocity, near->dynamics->v, sizeof *f->velocity * (size_t)near->model->nv);
}

// Returns the sum of |v1 - foreseen| lever over n dofs, in two lanes. It is an upper bound on the difference between
// the true and the predicted speed of any point [m/s].
static inline double excess_speed(const double* v1, const double* foreseen, const double* lever, int n) {
  double even = 0;
  double odd = 0;

  for (; n > 1; n -= 2, v1 += 2, foreseen += 2, lever += 2) {
    even += fabs(v1[0] - foreseen[0]) * lever[0];
    odd += fabs(v1[1] - foreseen[1]) * lever[1];
  }

  if (n) even += fabs(v1[0] - foreseen[0]) * lever[0]; // the last of an odd number
  return even + odd;
}

// Marks in foresight.unforeseen each tree that has a point which v1 (nv) may move noticeably further within h than
// predicted. Adds to foresight.excess the bound on how much further [m]. Returns the largest distance of the marked
// trees [m]; 0 if no tree is marked, and then the marks may not be written.
static double mark_unforeseen(hfiNear* near, const double* v1, double h) {
  const hfModel* m = near->model;
  hfiForesight* f = &near->foresight;
  const double* foreseen = f->velocity;
  const double* lever = near->size.lever;
  double fall = h * h * v3_norm(near->dynamics->gravity);
  double least = (UNFORESEEN_MOTION + 2 * fall) / h; // slower differences do not count [m/s]

  f->excess += UNFORESEEN_MOTION + 2 * fall;
  if (m->ntree <= FEW_TREES && !(excess_speed(v1, foreseen, lever, m->nv) > least)) return 0;

  // tree by tree; their dofs follow each other
  double largest = 0;
  int first = 0;
  for (int t = 0; t < m->ntree; ++t) {
    int n = hf_model_tree_dofnum(m)[t];
    double excess = excess_speed(v1 + first, foreseen + first, lever + first, n);
    first += n;
    f->unforeseen[t] = excess > least;
    if (excess > least) largest = max2(largest, excess);
  }
  f->excess += h * largest;
  return h * largest;
}

// ---- points that the solution closes ------------------------------------------------------------------

// An overlap below this share of the smaller bounding radius is left to the next step [-].
static const double TOLERATED_SHARE = 0.005;
// It is also left if it is below the first of these, and it is never left if it is above the second [m].
static const double LEAST_TOLERATED = 5e-5;
static const double MOST_TOLERATED = 2.5e-4;

// The overlap that a missed point may have without being added [m].
static double tolerated_overlap(const hfModel* m, const hfiRawContact* r) {
  double a = hf_model_geom_rbound(m)[r->geom_a];
  double b = hf_model_geom_rbound(m)[r->geom_b];
  double smaller = a > 0 && b > 0 ? min2(a, b) : a + b; // A plane has no radius.
  return clamp(TOLERATED_SHARE * smaller, LEAST_TOLERATED, MOST_TOLERATED);
}

// Is there a found point on an unforeseen tree that does not act?
static int any_may_be_missed(const hfiNear* near) {
  const int32_t* unforeseen = near->foresight.unforeseen;

  if (near->nfound <= near->ncontact) return 0;
  for (int i = 0; i < near->nfound; ++i) {
    const hfiRawContact* r = &near->found[i];
    if (!r->acts && hfi_point_is_marked(near->model, r, unforeseen)) return 1;
  }
  return 0;
}

// V: velocities of the links. If they make one of the n points of a pair overlap within h by more than is tolerated,
// all points of the pair that they close act newly. Returns how many overlap so much. A depth that is not finite
// belongs to a point that never acts.
static int find_missed_of_pair(const hfiNear* near, const hfMotion* V, double h, hfiRawContact* point, int n) {
  const hfDynamics* d = near->dynamics;
  const hfiMaterial* listed = hfi_listed_materials(near);
  int missed = 0;

  for (int i = 0; i < n; ++i) {
    hfiRawContact* r = &point[i];
    if (r->acts || !isfinite(r->depth)) continue;

    // the depth, which contains the margin of the pair, at the end of the step
    hfi_near_measure_depth(d->model, listed, r);
    double overlap = r->depth - h * hfi_opening_speed(d, V, 0, r, NULL);
    if (!(overlap > 0)) continue;
    r->acts = HFI_ACTS_NEWLY;
    missed += overlap > tolerated_overlap(d->model, r);
  }

  // no noticeable overlap: none acts newly
  for (int i = 0; i < n && !missed; ++i)
    if (point[i].acts == HFI_ACTS_NEWLY) point[i].acts = 0;
  return missed;
}

// Finds points on unforeseen trees that do not act although the velocities V of the links (nlink) close them within h.
// Returns how many overlap more than is tolerated.
static int find_missed(hfiNear* near, const hfMotion* V, double h) {
  const int32_t* unforeseen = near->foresight.unforeseen;
  hfiRawContact* found = near->found;
  int missed = 0;

  for (int begin = 0, end; begin < near->nfound; begin = end) {
    const hfiRawContact* r = &found[begin];
    end = begin + 1;
    while (end < near->nfound && found[end].candidate == r->candidate) ++end;
    if (hfi_point_is_marked(near->model, r, unforeseen))
      missed += find_missed_of_pair(near, V, h, found + begin, end - begin);
  }
  return missed;
}

// Adds the contacts that the solution v1 closes although they were not predicted. Returns 1 if it has added some.
// Writes near->found, contact and foresight; number: see near.h.
int hfi_near_add_missed(hfiNear* near, const double* v1, double h, int32_t* number) {
  hfiForesight* f = &near->foresight;
  hfDynamics* d = near->dynamics;

  // which trees, and how far
  f->excess_before = f->excess;
  double excess = mark_unforeseen(near, v1, h);
  int moves_further = excess > HFI_FURTHER;
  if (!(excess > 0) || (!moves_further && !any_may_be_missed(near))) return 0;

  // velocities of the links at rates v1, which are written to d->B
  hfi_accelerate(d, v1);
  const hfMotion* V = d->B;

  if (moves_further) {
    hfi_near_second_reach(near, V, h);
    hfi_near_search_again(near, V, h, f->unforeseen);
  }

  // which points act newly
  if (!find_missed(near, V, h)) return 0;
  hfi_near_drop_covered(near, V, h, HFI_ACTS_NEWLY);
  hfi_near_sweep(near, V, h, 0, HFI_ACTS_NEWLY);

  // their contacts
  const hfiMaterial* listed = hfi_listed_materials(near);
  int before = near->ncontact;
  near->ncontact = hfi_contact_insert(near->model, listed, &near->softness, near->found, near->nfound, near->contact,
                                      before, number);
  if (near->ncontact == before) return 0;
  memcpy(f->velocity, v1, sizeof *v1 * (size_t)near->model->nv);
  return 1;
}
