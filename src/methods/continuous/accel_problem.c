// The acceleration problem in dense form, for code that solves it itself.
//
//   Jdot v = (J(q (+) e v) v - J(q (-) e v) v)/(2 e)      one side alone where the other loses the contact
//
// by differences along the motion. They include the travel of the contact point over both surfaces, their curvature and
// the turning of the frame, for all shapes.
#include "methods/continuous/inside.h"

#include "linalg/dense.h"

#include <string.h>

// Step e of the difference quotient [s]: a compromise of its truncation, e^2/6, and rounding, eps/e.
static const double DIFFERENCE_STEP = 1e-5;
// The slopes on both sides agree when they differ by less than this share plus this much [-, m/s^2].
static const double AGREEMENT_SHARE = 0.1;
static const double AGREEMENT_FLOOR = 1e-2;

// ---- Jdot v -----------------------------------------------------------------------------------------

// Computes the row velocities J(q (+) e v) v + drift of the contacts at q (+) e v, and their number. Afterwards the
// accel is at no known configuration.
static void find_moved_rows(hfAccel* accel, const double* q, const double* v, double e, hfiMovedRows* out,
                            int32_t* count) {
  double* q_moved = accel->dense.motion.q_moved;
  memcpy(q_moved, q, (size_t)accel->model->nq * sizeof *q);
  hf_model_integrate(accel->model, q_moved, v, e);

  accel->stage = HFI_ACCEL_NOWHERE;
  hfi_world_place(accel->world, q_moved, accel->input);
  hfi_accel_find_contacts(accel);

  *count = accel->ncontact;
  for (int i = 0; i < accel->ncontact; ++i) {
    out[i].key = hfi_contact_key(accel->contact[i].source);
    hfi_accel_row_velocities(&accel->contact[i], v, out[i].s);
  }
}

// Makes accel->dense.motion fresh at q and v: row velocities a little before and after.
static void update_motion(hfAccel* accel, const double* q, const double* v) {
  hfiRowMotion* motion = &accel->dense.motion;
  size_t q_bytes = (size_t)accel->model->nq * sizeof *q;
  size_t v_bytes = (size_t)accel->model->nv * sizeof *v;
  if (motion->is_fresh && memcmp(q, motion->q, q_bytes) == 0 && memcmp(v, motion->v, v_bytes) == 0) return;

  for (int side = 0; side < 2; ++side)
    find_moved_rows(accel, q, v, side ? DIFFERENCE_STEP : -DIFFERENCE_STEP, motion->rows[side], &motion->count[side]);

  memcpy(motion->q, q, q_bytes);
  memcpy(motion->v, v, v_bytes);
  motion->is_fresh = 1;
}

// The rows of a contact on one side of the point, or NULL if it is gone there.
static const hfiMovedRows* find_rows(const hfiRowMotion* motion, int side, hfiContactKey key) {
  for (int i = 0; i < motion->count[side]; ++i)
    if (hfi_same_contact(motion->rows[side][i].key, key)) return &motion->rows[side][i];
  return NULL;
}

// The mean of the slopes on both sides. If they differ too much, the contact jumped to another feature on one side;
// then the smaller slope, which is the slope of the other side, is taken.
static double choose_slope(double ahead, double behind) {
  if (!isfinite(ahead) || !isfinite(behind)) return isfinite(ahead) ? ahead : behind;

  double larger = max2(fabs(ahead), fabs(behind));
  if (fabs(ahead - behind) <= AGREEMENT_SHARE * larger + AGREEMENT_FLOOR) return 0.5 * (ahead + behind);
  return fabs(ahead) < fabs(behind) ? ahead : behind;
}

// Fills Jdot_v of the problem from accel->dense.motion.
static void fill_rates(hfAccel* accel) {
  hfAccelProblem* problem = &accel->dense.problem;
  for (int i = 0; i < problem->ncontact; ++i) {
    hfiContactKey key = hfi_contact_key(accel->contact[i].source);
    const hfiMovedRows* before = find_rows(&accel->dense.motion, 0, key);
    const hfiMovedRows* after = find_rows(&accel->dense.motion, 1, key);

    for (int r = 0; r < problem->contact[i].dim; ++r) {
      int row = problem->contact[i].row + r;
      const double* J = problem->J + (size_t)row * (size_t)problem->nv;
      double here = hfi_dot(J, problem->v, problem->nv) + accel->contact[i].drift[r];

      double ahead = after ? (after->s[r] - here) / DIFFERENCE_STEP : NAN;
      double behind = before ? (here - before->s[r]) / DIFFERENCE_STEP : NAN;
      problem->Jdot_v[row] = choose_slope(ahead, behind);
    }
  }
}

// ---- the problem --------------------------------------------------------------------------------------

// Copies a contact, whose first row is `row`, to `out`, and its rows to the problem's J.
static void copy_contact(const hfAccel* accel, const hfiAccelContact* from, int row, hfAccelContact* out) {
  const int nv = accel->model->nv;
  const hfiContact* contact = from->source;
  *out = (hfAccelContact){
      .geom_a = contact->geom_a,
      .geom_b = contact->geom_b,
      .body_a = contact->body_a,
      .body_b = contact->body_b,
      .feature = contact->feature,
      .dim = from->dim,
      .row = row,
      .p_W = contact->p_W,
      .n_W = contact->n,
      .t1_W = contact->t1,
      .t2_W = contact->t2,
      .law = from->law,
  };

  double* J = accel->dense.problem.J + (size_t)row * (size_t)nv;
  memset(J, 0, (size_t)(from->dim * nv) * sizeof *J);
  for (int r = 0; r < from->dim; ++r)
    for (int k = 0; k < from->n; ++k) J[r * nv + from->cols[k]] = from->J[r * from->n + k];
}

// Fills and returns the problem at a point; NULL if it has no factors. It counts no evaluation, because the caller asks
// for no rate.
const hfAccelProblem* hf_accel_problem(hfAccel* accel, double t, const double* q, const double* v, const double* act) {
  hfAccelProblem* problem = &accel->dense.problem;
  const size_t bytes = (size_t)accel->model->nv * sizeof *v;
  // row velocities at displaced points, for Jdot v; they move the world, so they come before the point itself
  update_motion(accel, q, v);
  if (hfi_accel_gather_forces(accel, t, q, v, act, NULL)) return NULL;
  --accel->statistics.evaluations;

  problem->nv = accel->model->nv;
  hf_dynamics_dense_mass_matrix(accel->dynamics, problem->M);
  memcpy(problem->tau, accel->tau, bytes);
  memcpy(problem->v, v, bytes);

  // contacts
  problem->ncontact = accel->ncontact;
  problem->nrow = 0;
  for (int i = 0; i < accel->ncontact; ++i) {
    copy_contact(accel, &accel->contact[i], problem->nrow, &problem->contact[i]);
    problem->nrow += accel->contact[i].dim;
  }
  fill_rates(accel);

  // equalities
  problem->nequality = accel->equalities.count;
  problem->Je = accel->equalities.J;
  problem->Jedot_v = accel->equalities.Jdot_v;
  problem->error = accel->equalities.error;
  problem->reference = accel->equalities.target;
  return problem;
}
