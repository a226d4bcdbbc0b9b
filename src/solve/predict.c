// The end of a step, predicted from its start, for a body that turns about its contacts: a rod on its end, a foot.
//
//   J0, J1  Jacobian of the contact at q0 and at q1 = q0 (+) h v      a = (dJ/dt) v, the acceleration of the touching point at rates v
//   s = J v its row velocities
//
// The touching point moves along an arc, and a step along its chord. Where the point stays where it is, h J0 v + h^2 a/2 = 0, so that s = J0 v = -h a/2
// in the solution of a step, and J1 v = J0 v + h a = h a/2 at the start of the next one. As a hardly changes from step to step, the row velocities in the
// solution of a step are those of its start, mirrored. A contact that slides mirrors its normal velocity alone.
//
// At the velocities of the start a stiff contact is often open (depth - h s < 0), or slides where it will stick: Newton's method then begins with the
// wrong branch of the law, and has to find the right one. The laws may be linearised at any row velocities s1, and not only at J v:
//
//   gamma(s) = gamma(s1) - G(s1) (s - s1),     G = -dgamma/ds
#include "solve/predict.h"

#include "math/vec3.h"
#include "solve/law.h"
#include "solve/system.h"

#include <math.h>

// The law of a contact with dissipation d is as good as linear where d |s| is below the first; above the second an impact goes on, and nothing is mirrored [-].
static const double LINEAR = 1e-3, IMPACT = 0.4;
// Beside other contacts or limits, an overlap that is more than so often the way along the normal in the step is one that is being pushed apart: nothing is
// mirrored [-].
static const double DEEP = 10;
// A contact that slides along a straight line has almost no normal velocity, and does not begin to stick: it must be more than this share of that of sliding [-].
static const double TURNS = 0.1;

// Does sliding friction stick at row velocities s and normal force pi?
static int sticks_at(const hfContactLaw* law, double h, double pi, const double* s) {
  double w[2], radius = hfi_contact_stick(law, h, HF_SLIDING, pi, s, w);
  return w[0] * w[0] + w[1] * w[1] <= radius * radius;
}

// What is known of the end of the step at a contact: nothing, because it is hit or pressed together; that the law is as good as linear on the way there, so that the
// row velocities of the start will do; or row velocities.
typedef enum Prediction { UNKNOWN, AS_AT_START, MIRRORED } Prediction;

// Predicts the row velocities s1 (dim) of a contact from those of the start, s. What moves along the normal alone turns about nothing.
static Prediction predict_rows(const hfContactLaw* law, double h, int dim, const double* s, double* s1) {
  double unread, pi0 = hfi_contact_normal_force(law, h, s[0], &unread), pi1, bent = law->dissipation * fabs(s[0]), sliding2 = sqr(s[1]) + sqr(s[2]);
  int closed = pi0 > 0, is_bent = bent > LINEAR && bent < IMPACT, turns = sqr(s[0]) > sqr(TURNS) * sliding2;
  if (sliding2 > 0 && (!closed || is_bent || turns) && (pi1 = hfi_contact_normal_force(law, h, -s[0], &unread)) > 0) {
    for (int i = 0; i < dim; ++i) s1[i] = i < 3 ? -s[i] : s[i];
    int slides = closed && !sticks_at(law, h, pi0, s), sticks = sticks_at(law, h, pi1, s1);
    if (!sticks) s1[1] = s[1], s1[2] = s[2];
    if (!closed || (slides && sticks && turns) || (is_bent && slides != sticks)) return MIRRORED;
  }
  for (int i = 0; i < dim; ++i) s1[i] = s[i];
  int is_pressed = closed && law->depth <= -h * s[0]; // It would be open at the mirrored velocity.
  return bent >= IMPACT || is_pressed ? UNKNOWN : AS_AT_START;
}

// Copies the row velocities s (dim) of limits of joints. Returns UNKNOWN for drives, joint friction and equalities, which act in both directions.
static Prediction keep_rows(const hfSaturatedRow* row, int dim, const double* s, double* s1) {
  for (int i = 0; i < dim; ++i) {
    if (row[i].lo < 0 && row[i].hi > 0) return UNKNOWN;
    s1[i] = s[i];
  }
  return AS_AT_START;
}

static Prediction predict_block(const hfiIsland* I, const hfiIslandBlock* b) {
  const double* s = I->s + b->row;
  double* s1 = I->s1 + b->row;
  if (!b->contact) return keep_rows(b->saturated, b->dim, s, s1);
  if (b->dim < 3 || b->contact->friction != HF_FRICTION_ANCHORED) return UNKNOWN;
  int is_alone = I->is_plain && I->nblock == 1;
  if (!is_alone && b->contact->depth > DEEP * I->problem->h * fabs(s[0])) return UNKNOWN;
  return predict_rows(b->contact, I->problem->h, b->dim, s, s1);
}

// Continues the impulse gamma (dim) of a contact from row velocities s1 to s along its tangent.
static void extrapolate(const hfiContactResponse* response, int dim, const double* s, const double* s1, double* gamma) {
  const double *gtn = response->gtn, *gtt = response->gtt, dn = s[0] - s1[0], d1 = s[1] - s1[1], d2 = s[2] - s1[2];
  gamma[0] -= response->gnn * dn;
  gamma[1] -= gtn[0] * dn + gtt[0] * d1 + gtt[1] * d2;
  gamma[2] -= gtn[1] * dn + gtt[1] * d1 + gtt[2] * d2;
  for (int i = 3; i < dim; ++i) gamma[i] -= gtn[i - 1] * dn;
}

int hfi_predict(hfiIsland* I, int coupling) {
  int predicted = 0;
  if (I->ntree != 1 || coupling != HF_COUPLING_TWO_WAY) return 0;
  for (const hfiIslandBlock *b = I->block, *end = b + I->nblock; b < end; ++b) {
    Prediction known = predict_block(I, b);
    if (known == UNKNOWN) return 0;
    predicted |= known == MIRRORED;
  }
  if (!predicted) return 0;
  double* start = I->s;
  I->s = I->s1;
  hfi_system_respond(I, coupling);
  I->s = start;
  for (int32_t k = 0; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    if (b->contact) extrapolate(I->response + k, b->dim, I->s + b->row, I->s1 + b->row, I->gamma + b->row);
  }
  return 1;
}
