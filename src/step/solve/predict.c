// The end of a step, predicted from its start, for a body that turns about its contacts: a rod on its end, a foot.
//
//   J0, J1  Jacobian of the contact at q0 and at q1 = q0 (+) h v
//   s       J v, row velocities of the contact
//   a       (dJ/dt) v, acceleration of the contact point at velocities v
//
// A point of the body moves along an arc, but the step moves it along a chord of that arc. If the contact point does
// not move over the step, h J0 v + h^2 a/2 = 0. So s = J0 v = -h a/2 in the solution of a step, and J1 v = J0 v + h a =
// h a/2 at the start of the next step. Since a hardly changes from step to step, the row velocities in the solution of
// a step are those of its start, mirrored (with the opposite sign). Of a contact that slides only the normal velocity
// is mirrored.
//
// At the velocities of the start a stiff contact is often open (depth - h s < 0), or it slides although it will stick
// in the solution. Newton's method then begins on the wrong branch of the law and has to find the right one. The laws
// may be linearised at any row velocities s1, not only at J v:
//
//   gamma(s) = gamma(s1) - G(s1) (s - s1),     G = -dgamma/ds
//
// A limit beyond which a joint is brought back slows it down from step to step: s0 of its law, the velocity above which
// it does not act, falls. So the joint, which in the last step got the velocity s0 of that step, is too fast at the
// start of each step, and the limit is open there and acts in the solution.

#include "step/solve/inside.h"

#include "math/vec3.h"
#include "step/law/law.h"

#include <math.h>

// d is the dissipation of a contact and s its normal velocity. If d |s| is below the first number, the law of the
// contact is almost linear. If it is above the second, the contact is in an impact, and nothing is predicted [-].
static const double LINEAR_DISSIPATION = 1e-3;
static const double IMPACT_DISSIPATION = 0.4;
// If the island has other rows, nothing is predicted for a contact whose overlap is more than this many times its
// motion along the normal in the step: such a contact is being pushed apart [-].
static const double DEEP_OVERLAP = 10;
// A joint beyond a limit is expected to be slowed down by it if its speed is at most this many times s0 [-]. Such
// limits reduce the speed by a quarter in a step of 5 ms (limit.c: RELEASE_TIME).
static const double LARGEST_SLOWING = 1.4;
// A contact counts as turning if its slip reverses, or if its normal velocity is more than this share of its sliding
// velocity [-]. A contact that slides along a straight line has almost no normal velocity, and does not begin to stick.
static const double LEAST_TURNING = 0.1;

// Branches of the law of a contact.
typedef enum Branch { OPEN, SLIDING, STICKING } Branch;

// On which branch of its law is a contact at row velocities s?
static Branch find_branch(const hfContactLaw* law, double h, const double* s) {
  double slope;
  double pi = hfi_contact_normal_force(law, h, s[0], &slope);
  if (!(pi > 0)) return OPEN;

  double w[2];
  double radius = hfi_contact_stick(law, h, HF_SLIDING, pi, s, w);
  return w[0] * w[0] + w[1] * w[1] <= radius * radius ? STICKING : SLIDING;
}

typedef enum Prediction {
  UNKNOWN,     // No prediction: the contact is in an impact or overlaps deeply, or the row holds the tree.
  AS_AT_START, // The law is almost linear up to the end of the step: the row velocities of the start can be used.
  CHANGED,     // Other row velocities than at the start are better: mirrored ones, or those at which a limit acts.
} Prediction;

// Is it better to linearise the law at mirrored velocities than at those of the start? start, end: the branch at the
// start, and at mirrored velocities. is_curved: the normal law is curved between the two. turns, reverses: mirror_rows.
//
//   start      end                  mirrored velocities are better
//   any        open                 no: an open contact has no force and no slope
//   open       sliding, sticking    yes, for the same reason
//   sliding    sliding              if the law is curved between the two velocities, or if the slip reverses
//   sticking   sticking             if the law is curved
//   sliding    sticking             if the contact turns; otherwise it slides along a straight line and goes on sliding
//   sticking   sliding              no
static int is_mirror_better(Branch start, Branch end, int turns, int is_curved, int reverses) {
  if (end == OPEN) return 0;
  if (start == OPEN) return 1;
  if (start != end) return start == SLIDING && turns;
  return is_curved || (start == SLIDING && reverses);
}

// Writes mirrored row velocities of a contact to s1 (dim). start: its branch at s, the row velocities of the start. The
// slip reverses if it is against the deformation xi0. A contact turns if its slip reverses or its normal velocity is
// not small beside the slip (LEAST_TURNING). The normal one is mirrored unless it would open a closed
// contact. Those of sliding are mirrored if the contact sticks then, or if the slip reverses: the deformation of a
// contact has the direction of its slip in the last step, so that the slip of the start has another direction if it is
// against the deformation. Returns 1 if s1 is better than s to linearise at. A contact that moves only along the normal
// does not turn about anything, and is not mirrored.
static int mirror_rows(const hfContactLaw* law, double h, int dim, const double* s, Branch start, double* s1) {
  double slip_square = sqr(s[1]) + sqr(s[2]);
  double damping = law->dissipation * fabs(s[0]);
  int reverses = law->xi0[0] * s[1] + law->xi0[1] * s[2] < 0;
  int turns = reverses || sqr(s[0]) > sqr(LEAST_TURNING) * slip_square;
  int is_curved = damping > LINEAR_DISSIPATION && damping < IMPACT_DISSIPATION;
  if (!(slip_square > 0) || !(start == OPEN || is_curved || turns)) return 0;

  // the mirrored contact: normal and sliding rows
  for (int i = 0; i < dim; ++i) s1[i] = i < 3 ? -s[i] : s[i];
  Branch end = find_branch(law, h, s1);

  // Would it open a closed contact? Then the normal velocity stays, and the normal law counts as straight.
  if (end == OPEN && start != OPEN) {
    s1[0] = s[0];
    is_curved = 0;
    end = find_branch(law, h, s1);
  }
  // Does it slide on in the same direction? Then the slip stays.
  if (end == SLIDING && !reverses) {
    s1[1] = s[1];
    s1[2] = s[2];
  }
  return is_mirror_better(start, end, turns, is_curved, reverses);
}

// Predicts the row velocities s1 (dim) of a contact from those of the start, s. Without friction rows, or if mirrored
// ones are no better, they are those of the start.
static Prediction predict_rows(const hfContactLaw* law, double h, int dim, const double* s, double* s1) {
  if (dim >= 3 && mirror_rows(law, h, dim, s, find_branch(law, h, s), s1)) return CHANGED;
  for (int i = 0; i < dim; ++i) s1[i] = s[i];
  return law->dissipation * fabs(s[0]) >= IMPACT_DISSIPATION ? UNKNOWN : AS_AT_START;
}

// Is the row a limit that is open at row velocity s and is expected to act in the solution, because it slows down a
// joint that it brings back?
static int slows_down(const hfSaturatedRow* row, double s) {
  return row->lo == 0 && row->hi == INFINITY && row->s0 > 0 && s >= row->s0 && s < LARGEST_SLOWING * row->s0;
}

// Does a saturated block hold the tree, so that it does not turn about its contacts? Drives, joint friction and
// equalities, which act in both directions, do, unless the tree has limbs and they act on these alone.
static int holds_tree(const hfiIsland* I, const hfiIslandBlock* b) {
  int32_t first = b->stack < 0 ? I->scalar[b->row].dof : *I->stacks.list[b->stack].dof;
  if (I->matrix.K.star && first >= HFI_TRUNK) return 0;

  for (int32_t i = 0; i < b->dim; ++i)
    if (b->saturated[i].lo < 0 && b->saturated[i].hi > 0) return 1;
  return 0;
}

// Predicts the velocities s1 of saturated rows: those of the start, but for limits that slow down a joint.
static Prediction predict_saturated(const hfiIsland* I, const hfiIslandBlock* b) {
  Prediction known = AS_AT_START;
  if (holds_tree(I, b)) return UNKNOWN;

  for (int i = 0; i < b->dim; ++i) {
    const hfSaturatedRow* row = b->saturated + i;
    double s = I->rows.s[b->row + i];
    double* s1 = I->rows.s1 + b->row + i;
    *s1 = s;
    if (!slows_down(row, s)) continue;

    // Below s0 the law is linear, so that any such velocity will do.
    *s1 = 0.5 * row->s0;
    known = CHANGED;
  }
  return known;
}

// Predicts the row velocities s1 of a block. UNKNOWN also for a contact whose friction is not anchored, or which is
// being pushed apart while the island has other blocks (DEEP_OVERLAP).
static Prediction predict_block(const hfiIsland* I, const hfiIslandBlock* b) {
  const double* s = I->rows.s + b->row;
  double* s1 = I->rows.s1 + b->row;
  double h = I->problem->h;
  if (!b->contact) return predict_saturated(I, b);
  if (b->dim == 1) return predict_rows(b->contact, h, 1, s, s1);
  if (b->contact->friction != HF_FRICTION_ANCHORED) return UNKNOWN;

  int is_alone = I->stacks.is_plain && I->nblock == 1;
  if (!is_alone && b->contact->depth > DEEP_OVERLAP * h * fabs(s[0])) return UNKNOWN;
  return predict_rows(b->contact, h, b->dim, s, s1);
}

// Changes the impulse gamma (dim) of a contact from its value at row velocities s1 to the value at s of the law's
// tangent at s1. response: derivatives at s1. The rows of torsion and rolling (3 on) have s = s1, so that only the
// normal velocity changes them.
static void continue_tangent(const hfiContactResponse* response, int dim, const double* s, const double* s1,
                             double* gamma) {
  const double* gtn = response->gtn;
  const double* gtt = response->gtt;
  double dn = s[0] - s1[0];
  gamma[0] -= response->gnn * dn;
  if (dim == 1) return;

  double d1 = s[1] - s1[1];
  double d2 = s[2] - s1[2];
  gamma[1] -= gtn[0] * dn + gtt[0] * d1 + gtt[1] * d2;
  gamma[2] -= gtn[1] * dn + gtt[1] * d1 + gtt[2] * d2;
  for (int i = 3; i < dim; ++i) gamma[i] -= gtn[i - 1] * dn;
}

// Sets s1, the responses there, and gamma of the tangents at s (newton.h). Returns 0 if there is no prediction.
int hfi_predict(hfiIsland* I, int coupling) {
  hfiRowVectors* rows = &I->rows;
  int predicted = 0;
  if (I->ntree != 1 || coupling != HF_COUPLING_TWO_WAY) return 0;

  // Contacts are the last blocks of a world, and mostly tell soonest that nothing is known.
  for (int32_t k = I->nblock - 1; k >= 0; --k) {
    Prediction known = predict_block(I, I->block + k);
    if (known == UNKNOWN) return 0;
    predicted |= known == CHANGED;
  }
  if (!predicted) return 0;

  // the laws at s1; hfi_system_respond reads rows->s
  double* start = rows->s;
  rows->s = rows->s1;
  hfi_system_respond(I, coupling);
  rows->s = start;

  // their tangents at s
  for (int32_t k = 0; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    if (b->contact) {
      continue_tangent(rows->response + k, b->dim, rows->s + b->row, rows->s1 + b->row, rows->gamma + b->row);
      continue;
    }
    for (int32_t i = b->row; i < b->row + b->dim; ++i) rows->gamma[i] -= rows->G[i] * (rows->s[i] - rows->s1[i]);
  }
  return 1;
}
