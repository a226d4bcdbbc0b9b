// Equalities: their rows in a step, made of the errors r and Jacobians of equality.c.
//
// A group is the one row of a joint or tendon, or the three rows of a translation or a rotation. A row pulls with the
// force -kappa (s - s0) at its velocity s = J v.
//
// Near-rigid rows (docs/theory/equalities.md, "Equalities") remove their error within a step: they aim at
//
//   s0 = -r/(h (1 + beta/pi)),     |s0| <= u + c,     s0^T W^-1 s0 <= m u^2
//
//   h  step   beta  near_rigid   u  release speed   W  inverse masses J M^-1 J^T   m  mass of what the equality moves
//   c  speed at which the equality opens because a step moves points of turning bodies along straight lines
//
// Soft rows. Where the model gives MuJoCo's solref and solimp, the rows have MuJoCo's law (step/law/solref.h) at the
// violation |r|, for the inverse mass of the equality at the reference pose. MuJoCo measures the rotation of a weld by
// g r, g = torquescale/2: its law for that row gives g^2 times the slope for ours. Over a step h from speed s_start of
// a row, with the inertial acceleration c (compute_inertial_acceleration),
//
//   f = -(secant r + mass b s + mass ((s - s_start)/h + c) + h tangent s)
#include "step/actuation/inside.h"

#include "base/compile.h"
#include "step/law/solref.h"
#include "linalg/dense.h"

#include <string.h>

// The error of the linear motion is corrected for turns up to this in a step [rad].
static const double LARGEST_CORRECTED_TURN = 0.05;
// If a body turns by more than this in a step, the linear motion says nothing about the true one [rad].
static const double FAR_TURN = 0.3;
// If bodies turn by this in a step, half of their inertial acceleration counts in soft rows [rad].
static const double HALVING_TURN = 0.05;
// If the two attachment points are further apart than this, both forces act at one point [m].
static const double JOINING_DISTANCE = 1e-3;
// Rows with a larger error than this become steeper in proportion to the error [m or rad]. The opening of an equality
// under a steady load then grows only with the square root of the load. So it stays far smaller than a light body: at
// a larger opening the forces would turn such a body instead of holding it.
static const double LARGE_ERROR = 1e-3;
// Rows are overloaded if their error would need a slope that is more than this many times the slope that they may have
// [-]. They pull with less than a tenth of the force that they need.
static const double OVERLOAD_RATIO = 10;

// The numbers of an equality in eq_data: how many, and where the torquescale of a weld is.
enum { EQ_DATA_SIZE = 11, EQ_TORQUESCALE = 10 };

// One group of an equality, and what its rows depend on.
typedef struct Group {
  hfActuation* a;
  const hfDynamics* d;
  const hfiActuationStep* step;
  const hfiEquality* e;
  int id;              // number of the equality
  int is_rotation;     // 1: the last three rows of a weld
  int n, ncol;         // rows, columns
  const int32_t* cols; // (ncol) dofs
  const double* J;     // (n x ncol)
  const double* r;     // (n) errors [m or rad]
  hfSaturatedRow* row; // (n) to be filled
  double steeper;      // factor by which near-rigid rows are steeper (join_attachment)
} Group;

// Returns the group of equality e, of number i, that begins with row `first` of the block of ncol columns that is being
// written.
static Group make_group(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, const hfiEquality* e, int i,
                      int ncol, int first) {
  hfiRowSpace block = hfi_rows_next(&a->rows);
  Group g = {.a = a, .d = d, .step = step, .e = e, .id = i, .is_rotation = first > 0, .steeper = 1};
  g.n = imin2(e->dim, 3);
  g.ncol = ncol;
  g.cols = block.cols;
  g.J = block.J + first * ncol;
  g.r = e->r + first;
  g.row = block.row + first;
  return g;
}

// Returns the mean inverse mass of the rows at the present pose [1/kg or 1/(kg m^2)].
static double find_mean_inverse_mass(const Group* g) {
  double w = 0;
  for (int i = 0; i < g->n; ++i) w += hfi_inverse_mass(g->d, g->a->dense, g->ncol, g->cols, g->J + i * g->ncol) / g->n;
  return w;
}

// Returns an upper bound of the angle by which a body of the equality turns in the step [rad]. Lengths of slides in
// metres count, too.
static double bound_turn(const Group* g) {
  double turn = 0;
  for (int k = 0; k < g->ncol; ++k) turn += g->step->h * fabs(g->d->v[g->cols[k]]);
  return turn;
}

// ---- near-rigid rows: how fast they close -----------------------------------------------------------

// Returns the largest speed at which rows with these n entries of J remove their error [m/s or rad/s]. It is the
// world's release speed u, or less: a single dof that moves at u does not remove the error faster. So an equality that
// is violated at the start does not throw its bodies, however short its lever is. An equality with a mocap body has no
// such bound: it must follow the body, whose velocity no step knows.
double hfi_equality_release_speed(const hfModel* m, const hfiEquality* e, const double* J, int n) {
  for (int k = 0; e->dim > 1 && k < 2; ++k)
    if (hf_model_body_mocap(m)[hf_model_body_weld(m)[e->body[k]]] >= 0) return INFINITY;

  double lever = 0;
  for (int i = 0; i < n; ++i) lever = max2(lever, fabs(J[i]));
  return m->world.release_speed * min2(1, lever);
}

// Returns the mass of the trees of the two bodies; a tree counts once [kg].
double hfi_equality_mass(const hfModel* m, const hfiEquality* e) {
  int tree[2] = {hf_model_body_tree(m)[e->body[0]], hf_model_body_tree(m)[e->body[1]]};
  double mass = 0;
  for (int k = 0; k < 2; ++k) {
    int counts = tree[k] >= 0 && (k == 0 || tree[1] != tree[0]);
    if (counts) mass += hf_model_body_subtreemass(m)[hf_model_tree_body(m)[tree[k]]];
  }
  return mass;
}

// Returns the rate at which the error of an equality grows because a step moves bodies linearly although they turn:
// about h |v| |J| |v|/2. The error must be removed at the same rate, or a loop that turns quickly would open.
static double find_curvature_speed(const Group* g) {
  const double* v = g->d->v;
  double turn = bound_turn(g);
  double fastest = 0;

  for (int i = 0; i < g->n; ++i) {
    double speed = 0;
    for (int k = 0; k < g->ncol; ++k) speed += fabs(g->J[i * g->ncol + k] * v[g->cols[k]]);
    fastest = max2(fastest, speed);
  }
  return turn > FAR_TURN ? 0 : 0.5 * min2(turn, LARGEST_CORRECTED_TURN) * fastest;
}

// Writes W = J M^-1 J^T of three rows, one column of M^-1 J^T after the other.
static void compute_inverse_masses(const Group* g, double W[9]) {
  double* x = g->a->dense; // scratch, zero before and after

  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < g->ncol; ++k) x[g->cols[k]] += g->J[i * g->ncol + k];
    hf_dynamics_solve(g->d, x);

    for (int j = 0; j < 3; ++j) {
      W[3 * i + j] = 0;
      for (int k = 0; k < g->ncol; ++k) W[3 * i + j] += g->J[j * g->ncol + k] * x[g->cols[k]];
    }

    memset(x, 0, sizeof *x * (size_t)g->d->model->nv);
  }
}

// Returns the factor, at most 1, by which the velocities s0 of three rows are reduced so that they give no more energy
// than `mass` has at speed u. A motion with row velocities s has at least the energy s^T W^-1 s/2, with the inverse
// masses W of the rows. This energy has no bound if the bodies can hardly follow, as an arm that is stretched out, or
// bodies that are tied to places out of reach. W includes the compliance of the rows, which are near-rigid for the
// inverse mass w.
static double find_release_share(const Group* g, double w, double mass, double u) {
  double s0[3] = {g->row[0].s0, g->row[1].s0, g->row[2].s0};
  double speed2 = sqr(s0[0]) + sqr(s0[1]) + sqr(s0[2]);

  // the speeds are small enough for any W, because s^T W^-1 s <= s^2/softness. softness: the compliance of the rows.
  double softness = w * sqr(g->step->near_rigid / (2 * HFI_PI));
  if (!(speed2 > mass * sqr(u) * softness)) return 1;

  // x = W^-1 s0
  double W[9];
  double x[3] = {s0[0], s0[1], s0[2]};
  compute_inverse_masses(g, W);
  for (int i = 0; i < 3; ++i) W[4 * i] += softness;
  if (hfi_cholesky(W, 3, 3) != 0) return 0;
  hfi_cholesky_solve(W, 3, 3, x);

  double twice_energy = x[0] * s0[0] + x[1] * s0[1] + x[2] * s0[2];
  return min2(1, u * sqrt(mass / twice_energy));
}

// Makes the rows steeper by three factors: g->steeper; one that grows with their error |r| [m or rad]; and, if their
// speed |s0| must be reduced to `fastest`, the factor of this reduction. hfi_strengthen_slowed_row bounds the product.
// Remembers rows that are overloaded. Returns the factor by which the rows got steeper.
HFI_NOINLINE static double steepen_rows(const Group* g, double speed, double fastest, double error) {
  hfiRowNotes* notes = &g->a->notes;
  double slowing = max2(1, speed / fastest);
  double wanted = slowing * g->steeper * max2(1, error / LARGE_ERROR);
  double strength = hfi_strengthen_slowed_row(wanted);

  for (int i = 0; i < g->n; ++i) {
    g->row[i].s0 /= slowing;
    g->row[i].kappa *= strength;
  }

  // rows that stay far too weak are overloaded
  if (wanted > OVERLOAD_RATIO * strength)
    notes->overload[notes->noverload++] = (hfiOverload){g->id, g->is_rotation, g->a->rows.nblock, g->n, error};
  return strength;
}

// Fills the near-rigid rows of a group: g->row[i] aims at s0 = -r/removal_time with `scale` times the near-rigid slope
// for the mean inverse mass w. Rows become steeper if their error is large, and slower if they are too fast
// (steepen_rows). mass: what the equality moves [kg], or for a rotation an inertia [kg m^2]. It bounds the energy of a
// release (find_release_share), and is not read if the group has one row.
static void fill_rigid_rows(const Group* g, double w, double scale, double mass) {
  double removal_time = g->step->h * (1 + g->step->near_rigid / HFI_PI);
  double u = hfi_equality_release_speed(g->a->model, g->e, g->J, g->n * g->ncol); // INFINITY with a mocap body
  double fastest = u + find_curvature_speed(g);

  // rows that aim at removing the error within removal_time
  double speed2 = 0;
  for (int i = 0; i < g->n; ++i) {
    g->row[i] = hfi_compliant_row(&g->a->rows, g->step, (hfiCompliance){0, 0}, w, g->r[i], removal_time);
    g->row[i].kappa *= scale;
    speed2 += sqr(g->row[i].s0);
  }

  // rows that are too fast, or whose error, speed times removal_time, is above LARGE_ERROR
  double strength = 1;
  double ordinary_speed = min2(fastest, LARGE_ERROR / removal_time);
  if (speed2 > sqr(ordinary_speed)) strength = steepen_rows(g, sqrt(speed2), fastest, sqrt(speed2) * removal_time);

  // three rows must not give more energy than a release may
  double share = g->n == 3 && isfinite(u) ? find_release_share(g, w / strength, mass, u) : 1;
  for (int i = 0; share < 1 && i < g->n; ++i) g->row[i].s0 *= share;
}

// Fills the rows of a near-rigid group. The torquescale of a weld makes its rotation softer.
static void fill_rigid_group(const Group* g) {
  double w = find_mean_inverse_mass(g);
  double torque_scale = hf_model_eq_data(g->a->model)[EQ_DATA_SIZE * g->id + EQ_TORQUESCALE];
  if (g->is_rotation) {
    fill_rigid_rows(g, w, min2(1, sqr(torque_scale)), 1 / w);
    return;
  }
  fill_rigid_rows(g, w, 1, g->e->dim > 1 ? hfi_equality_mass(g->a->model, g->e) : 0);
}

// ---- soft rows --------------------------------------------------------------------------------------

// Returns the inverse mass of the rows at the reference pose if it is known, otherwise at the present pose.
static double find_soft_inverse_mass(const Group* g) {
  double w = g->a->reference_mass.equality[2 * g->id + g->is_rotation];
  return w > 0 ? w : find_mean_inverse_mass(g);
}

// Returns the size of the violation as MuJoCo measures it: half_scale is half the torquescale.
static double measure_violation(const hfiEquality* e, double half_scale) {
  double sum = 0;
  for (int i = 0; i < e->dim; ++i) sum += sqr(e->r[i] * (i < 3 ? 1 : half_scale));
  return sqrt(sum);
}

// Computes the accelerations c of three rows of an attachment [m/s^2 or rad/s^2] that the change of their speeds, (s -
// s_start)/h, does not contain: Jdot v, by which points of turning bodies accelerate, and that of the free spin of
// free bodies, whose velocities `spun` are those after half a step of it (step/dynamics/flight.h). Both are known at
// the start of the step. Where bodies turn far, they are others at its end, and the step takes a share of them only:
// with all of them such bodies would gain energy.
//
//   v      velocities of the start; NULL in the step: those of the dynamics     spun   velocities of the dynamics
//   rate   Jdot v of all rows of the attachment: rows 0 to 2 of its place, 3 to 5 of the rotation of a weld
static void compute_inertial_acceleration(const Group* g, double* c) {
  const double* v = g->step->v ? g->step->v : g->d->v;
  const double* spun = g->d->v;
  const double h = g->step->h;
  const hfiEquality* e = g->e;
  double rate[6];
  hfi_attachment_rate(g->d, e, rate);

  // the frame of body 2, in which the rotation error is measured, turns, too
  if (g->is_rotation) {
    hfVec3 w1 = hf_dynamics_point_velocity(g->d, e->body[0], e->p_W[0]).w;
    hfVec3 w2 = hf_dynamics_point_velocity(g->d, e->body[1], e->p_W[1]).w;
    v3_store(rate + 3, v3_sub(v3_load(rate + 3), m3_mulv(e->turn, v3_cross(w2, w1))));
  }

  // the share of them that the step takes
  double turn = bound_turn(g);
  double share = turn > FAR_TURN ? 0 : 1 / (1 + sqr(turn / HALVING_TURN));

  // c: of points that turn, and of free spin, which has changed the velocities by J (spun - v) in half a step
  for (int i = 0; i < g->n; ++i) {
    double spin = 0;
    for (int k = 0; k < g->ncol; ++k) spin += g->J[i * g->ncol + k] * (spun[g->cols[k]] - v[g->cols[k]]);
    c[i] = share * (rate[3 * g->is_rotation + i] + 2 * spin / h);
  }
}

// Fills the rows of a group with MuJoCo's law (the head of this file). half_scale is g of the head, and scale is g^2,
// for the rotation of a weld only. p has secant, tangent and mass of the law at the violation.
static void fill_soft_group(const Group* g) {
  const hfModel* m = g->a->model;
  const double* solref = hf_model_eq_solref(m) + 2 * g->id;
  const double* solimp = hf_model_eq_solimp(m) + 5 * g->id;
  const hfSaturatedRow inert = {0, 1, -INFINITY, INFINITY}; // for rows that move nothing: J v = 0, so no force
  double half_scale = 0.5 * hf_model_eq_data(m)[EQ_DATA_SIZE * g->id + EQ_TORQUESCALE];
  double scale = g->is_rotation ? sqr(half_scale) : 1;
  double w = find_soft_inverse_mass(g);
  double h = g->step->h;

  // the law at the violation, and its slope over the step; an equality without a solref has MuJoCo's default one
  if (solref[0] == 0) {
    solref = HFI_DEFAULT_SOLREF;
    solimp = HFI_DEFAULT_SOLIMP;
  }
  hfiSoftLaw law = hfi_soft_law(solref, solimp, w, m->world.timestep);
  hfiSoftPoint p = hfi_soft_point(&law, measure_violation(g->e, half_scale));
  double kappa = h * p.tangent + p.mass * (law.b + 1 / h);
  double inertial[3] = {0};
  if (g->e->dim > 1) compute_inertial_acceleration(g, inertial);

  // the rows: force -kappa (s - s0), with s0 = (mass (s_start - h c)/h - secant r)/kappa
  for (int i = 0; i < g->n; ++i) {
    double speed = -h * inertial[i]; // s_start - h c
    for (int k = 0; k < g->ncol; ++k) speed += g->J[i * g->ncol + k] * g->d->v[g->cols[k]];
    hfSaturatedRow row = {(p.mass * speed / h - p.secant * g->r[i]) / kappa, kappa * scale, -INFINITY, INFINITY};
    g->row[i] = w > 0 ? row : inert;
  }
}

// ---- all equalities ---------------------------------------------------------------------------------

// Whether equality i has MuJoCo's law in this step.
static int is_soft(const hfModel* m, const hfiActuationStep* step, int i) {
  return (hf_model_eq_solref(m)[2 * i] != 0 || step->soft_defaults) && !step->rigid_equalities;
}

// Moves the two points of equality i to the middle between them if both bodies move, and writes its Jacobian there.
// Opposite forces at points that are apart are a torque on both bodies together, unless they act along the line between
// the points. Such a torque would spin bodies whose tie cannot be closed ever faster. If one body is fixed or a mocap
// body, the points stay.
//
// The lever to the middle makes the rows softer, the more so the wider the equality is open. Returns the factor by
// which the rows have to be steeper to be as stiff as at their own points.
static double join_attachment(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int i, int ncol,
                              hfiEquality* e) {
  int both_move = d->body_link[e->body[0]] && d->body_link[e->body[1]];
  if (v3_norm(v3_sub(e->p_W[0], e->p_W[1])) < JOINING_DISTANCE || !both_move) return 1;

  Group g = make_group(a, d, step, e, i, ncol, 0);
  hfiRowSpace block = hfi_rows_next(&a->rows);

  double apart_inverse_mass = find_mean_inverse_mass(&g);

  e->p_W[0] = v3_scale(0.5, v3_add(e->p_W[0], e->p_W[1]));
  e->p_W[1] = e->p_W[0];

  hfi_equality_jacobian(a, d, i, e, block.cols, block.J);

  return apart_inverse_mass > 0 ? max2(1, find_mean_inverse_mass(&g) / apart_inverse_mass) : 1;
}

// Appends the rows of equality i as one block, if it acts and moves something. Columns, J and row laws are written to
// the free end of the problem's arrays (hfi_rows_next) before the block is appended.
static void add_equality(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int i) {
  hfiRowSpace block = hfi_rows_next(&a->rows);
  hfiEquality e = hfi_equality_evaluate(a, d, i, step->q);
  if (e.dim == 0) return;

  int ncol = hfi_equality_jacobian(a, d, i, &e, block.cols, block.J);
  if (ncol == 0) return;

  // one group after the other: translation, then rotation
  int soft = is_soft(a->model, step, i);
  double steeper = e.dim > 1 && !soft ? join_attachment(a, d, step, i, ncol, &e) : 1;
  for (int first = 0; first < e.dim; first += 3) {
    Group g = make_group(a, d, step, &e, i, ncol, first);
    if (first == 0) g.steeper = steeper; // moved points change only the rows of the translation
    if (soft) fill_soft_group(&g);
    else fill_rigid_group(&g);
  }

  hfi_rows_append(&a->rows, (hfiRowOrigin){HFI_ROW_EQUALITY, i}, e.dim, ncol);
}

// Appends the rows of all equalities.
void hfi_equality_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  for (int i = 0; i < a->model->neq; ++i) add_equality(a, d, step, i);
}
