// Figures 2 and 3 of the TAMSI paper: where Newton's iterates go near the stick region.
//
//   figure 2  The residual r(v) = v - v0 - h f(v) of the step of figure 4, and Newton's iterates on it. Slopes outside
//             |v| < v_s lead from one side to the other for ever; TALS puts the iterate inside.
//   figure 3  Slip velocities of a point that slides in a plane, as the solver of the step problem iterates: an update that crosses the
//             disc |v| < v_s ends at its point nearest to the centre; another may turn by 60 degrees at most. The
//             iterates are the answers of hf_solver_solve with 1, 2, 3 ... iterations.
//
// v_s is enlarged for both figures, so that the stick region can be seen.
#include "tamsi/box_work.h"

#include <holdfast/solver.h>
#include <math.h>

// ---- figure 2 -------------------------------------------------------------------------------------

static const double WIDE = 0.02;  // v_s in figure 2 [m/s]
static const double STEP = 0.05;  // h in figure 2 [s]
enum { ITERATES = 6, SAMPLES = 241 };

static double box_residual(boxModel* box, double t, double v0, double v) {
  double x[2] = {0, v}, xdot[2];
  box_rhs(box, t, x, xdot);
  return v - v0 - STEP * xdot[1];
}

static double box_slope(boxModel* box, double t, double v) {
  double x[2] = {0, v}, J[4];
  box_jacobian(box, t, x, J);
  return 1 - STEP * J[3];
}

// Newton's path as a polyline: from the v axis to the residual, then along the slope to the next v. Returns the number of points.
static int newton_path(boxModel* box, double t, double v0, int tals, double* x, double* y) {
  int n = 0;
  double v = v0;
  for (int k = 0; k < ITERATES; ++k) {
    double r = box_residual(box, t, v0, v), update[2] = {0, -r / box_slope(box, t, v)}, state[2] = {0, v};
    double alpha = tals ? box_limit(box, t, state, update) : 1;
    x[n] = v, y[n++] = 0;
    x[n] = v, y[n++] = r;
    v += alpha * update[1];
    x[n] = v, y[n++] = (1 - alpha) * r;
  }
  return n;
}

static void figure2(result* r) {
  boxModel box = box_paper(0);
  box.stiction_speed = WIDE;
  double t = 0.25, v0 = 0.35, x[SAMPLES], y[SAMPLES], px[2][3 * ITERATES], py[2][3 * ITERATES]; // The force is zero at t.
  double ex[5] = {-WIDE, -WIDE, NAN, WIDE, WIDE}, ey[5] = {-1.1, 1.1, NAN, -1.1, 1.1};
  int count[2];
  for (int i = 0; i < SAMPLES; ++i) {
    x[i] = -0.4 + 1.4 * i / (SAMPLES - 1);
    y[i] = box_residual(&box, t, v0, x[i]);
  }
  for (int k = 0; k < 2; ++k) count[k] = newton_path(&box, t, v0, k, px[k], py[k]);
  figure f = {.title = "Newton near stiction: a cycle without TALS", .xlabel = "slip velocity v [m/s]", .ylabel = "residual r(v) [m/s]"};
  figure_add(&f, "residual", SAMPLES, x, y, FIGURE_LINE);
  figure_add(&f, "Newton", count[0], px[0], py[0], FIGURE_BOTH);
  figure_add(&f, "Newton with TALS", count[1], px[1], py[1], FIGURE_BOTH);
  figure_add(&f, "edges of stiction", 5, ex, ey, FIGURE_DASHED);
  figure_write(&f, r, "figure2");
}

// ---- figure 3 -------------------------------------------------------------------------------------

static const double DISC = 0.05;   // v_s in figure 3 [m/s]
static const double SHED = 0.4;    // h mu N/m: the speed that friction takes in one step [m/s]
enum { LIMITED = 8, CIRCLE = 73 };

typedef struct planePath {
  int count;
  double x[LIMITED + 1], y[LIMITED + 1]; // slip velocities of the start and of all iterates [m/s]
  int limited;                           // iterates that TALS shortened
} planePath;

// The step of a point of 1 kg on a plane, pushed by `push` [N s], with the solver stopped after `iterations`. The
// normal force is that of the start, so that the slip alone is iterated.
static int solve_plane(const double v0[2], const double push[2], int iterations, double* v, hfSolveReport* report, hfError* error) {
  const double h = 0.01;
  hfContactLaw contact = {.stiffness = 1e4, .depth = 1e-3, .normal_force0 = SHED / h, .mu = {1}, .stiction_speed = {DISC, 1, 1}};
  double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, diag[3] = {0}, start[3] = {v0[0], v0[1], 0};
  double p[3] = {v0[0] + push[0], v0[1] + push[1], -SHED}, J[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, impulse[3];
  int32_t trees[2] = {0, 3}, blocks[2] = {0, 9}, cols[3] = {0, 1, 2};
  hfStepBlock block = {.law = HF_LAW_CONTACT, .dim = 3, .npiece = 1};
  hfStepPiece piece = {.ncol = 3};
  hfStepProblem problem = {.h = h, .nv = 3, .ntree = 1, .nblock = 1, .nrow = 3, .npiece = 1, .ncol = 3, .njac = 9, .ncontact = 1,
                           .tree_start = trees, .M_start = blocks, .M = M, .diag = diag, .p = p, .v0 = start, .block = &block,
                           .piece = &piece, .cols = cols, .J = J, .contact = &contact};
  hfSolverConfig config = hf_solver_config_default();
  hfStepCapacity capacity = hf_step_problem_capacity(&problem);
  hfSolver* solver;
  config.coupling = HF_COUPLING_ONE_WAY;
  config.last_rung = HF_RUNG_TAMSI;
  config.max_iterations = iterations;
  if (hf_solver_create(&solver, &capacity, error) < 0) return CLI_FAILED;
  hfStatus status = hf_solver_solve(solver, &config, &problem, v, impulse, report, error);
  hf_solver_free(solver);
  return status < 0 ? CLI_FAILED : CLI_GOOD;
}

static int trace_plane(const double v0[2], const double push[2], planePath* path, hfError* error) {
  path->count = 1;
  path->x[0] = v0[0], path->y[0] = v0[1];
  for (int k = 1; k <= LIMITED; ++k) {
    double v[3];
    hfSolveReport report;
    if (solve_plane(v0, push, k, v, &report, error) != CLI_GOOD) return CLI_FAILED;
    path->x[k] = v[0], path->y[k] = v[1];
    path->limited = report.limited;
    path->count = k + 1;
    if (report.status == HF_OK) break;
  }
  return CLI_GOOD;
}

// The largest angle by which an update that stays outside of the disc turned the slip [rad].
static double largest_turn(const planePath* p) {
  double largest = 0;
  for (int k = 0; k + 1 < p->count; ++k) {
    double a = hypot(p->x[k], p->y[k]), b = hypot(p->x[k + 1], p->y[k + 1]);
    if (a <= DISC || b <= DISC) continue;
    largest = fmax(largest, acos(fmax(-1, fmin(1, (p->x[k] * p->x[k + 1] + p->y[k] * p->y[k + 1]) / (a * b)))));
  }
  return largest;
}

// The first update without TALS, from v0 outside of the disc. With e along v0 and c across it, the residual is SHED e - push and the matrix 1
// along e, 1 + SHED/|v0| along c. x, y: the points v0 and v0 + dv.
static void first_update(const double v0[2], const double push[2], double x[2], double y[2]) {
  double speed = hypot(v0[0], v0[1]), e[2] = {v0[0] / speed, v0[1] / speed};
  double along = push[0] * e[0] + push[1] * e[1] - SHED, across = (push[1] * e[0] - push[0] * e[1]) / (1 + SHED / speed);
  x[0] = v0[0], x[1] = v0[0] + along * e[0] - across * e[1];
  y[0] = v0[1], y[1] = v0[1] + along * e[1] + across * e[0];
}

static int figure3(result* r) {
  static const double crossing[2] = {0.3, 0.04}, no_push[2] = {0, 0}, turning[2] = {0.25, -0.05}, push[2] = {-0.4, 0.75};
  planePath cross, turn;
  hfError error = {HF_OK, ""};
  if (trace_plane(crossing, no_push, &cross, &error) != CLI_GOOD || trace_plane(turning, push, &turn, &error) != CLI_GOOD)
    return say_error("%s", error.message), CLI_FAILED;
  double x[CIRCLE], y[CIRCLE], full_x[2][2], full_y[2][2];
  first_update(crossing, no_push, full_x[0], full_y[0]);
  first_update(turning, push, full_x[1], full_y[1]);
  for (int i = 0; i < CIRCLE; ++i) {
    double angle = 2 * 3.14159265358979323846 * i / (CIRCLE - 1);
    x[i] = DISC * cos(angle), y[i] = DISC * sin(angle);
  }
  figure f = {.title = "TALS in the plane of slip velocities", .xlabel = "v_x [m/s]", .ylabel = "v_y [m/s]", .equal = 1};
  figure_add(&f, "stick region", CIRCLE, x, y, FIGURE_LINE);
  figure_add(&f, "crosses the region", cross.count, cross.x, cross.y, FIGURE_BOTH);
  figure_add(&f, "its first full update", 2, full_x[0], full_y[0], FIGURE_DASHED);
  figure_add(&f, "turns too far", turn.count, turn.x, turn.y, FIGURE_BOTH);
  figure_add(&f, "its first full update", 2, full_x[1], full_y[1], FIGURE_DASHED);
  figure_write(&f, r, "figure3");
  double lands = hypot(cross.x[1], cross.y[1]) / DISC, angle = largest_turn(&turn), third = 3.14159265358979323846 / 3;
  result_must(r, "fig3-crossing", "an update across the stick region ends inside of it: slip after one iteration over v_s", lands, "below 1",
              cross.limited > 0 && lands < 1, 0);
  result_must(r, "fig3-turning", "an update that turns too far is shortened: largest turn of the slip in an iteration", angle, "pi/3 to 1e-9",
              turn.limited > 0 && fabs(angle - third) < 1e-9, 0);
  return CLI_GOOD;
}

int box_newton_pictures(result* r) {
  figure2(r);
  return figure3(r);
}
