// experiment painleve: a rod that slides on its lower end (models/painleve_rod.xml).
//
//   a_n = b + p N,  p = (1 + 3 cos th (cos th - mu sin th))/m,  b = -g + l w^2 sin th
//
//   p > 0           one rigid solution: certified
//   p < 0, b < 0    no rigid solution
//   p < 0, b > 0    two rigid solutions
//
// The compliant rod has one motion, an impact without collision: the normal force grows at the rate of the layer, friction
// stops the lower end, and the rod is thrown off the floor. For k -> infinity the velocity jumps. The jump is that of the
// layer alone, at a fixed angle and without gravity:
//
//   vn' = ann fn + ant ft,  vt' = ant fn + att ft,  ann = (1 + 3 cos^2 th)/m, ant = -3 sin th cos th/m,
//   att = (1 + 3 sin^2 th)/m
#include "common/figure.h"
#include "common/world.h"
#include "data.h"

#include <holdfast/rigid.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MASS = 1, HALF = 0.5, GRAVITY = 9.81, MU = 2,
                    SPEED = 1;                  // [kg], [m], [m/s^2], [-], [m/s]
static const double TIP = 1e-6;                 // radius of the end [m]
static const double THETA = 1.1071487177940904; // of the keyframes [rad]
static const double DEGREE = 3.14159265358979323846 / 180;

static double push(double theta, double mu) {
  return (1 + 3 * cos(theta) * (cos(theta) - mu * sin(theta))) / MASS;
}

// ---- where the rigid model is refused ---------------------------------------------------------------

typedef struct scan {
  hfModel* model;
  hfParams* params;
  hfRigid* rigid;
} scan;

static int open_scan(scan* s) {
  hfError error = {HF_OK, ""};
  char path[DATA_PATH];
  memset(s, 0, sizeof *s);
  if (hf_model_load(&s->model, data_path(path, "models/painleve_rod.xml"), NULL, NULL, &error) ==
          HF_OK &&
      hf_params_create(&s->params, s->model, &error) == HF_OK)
    return CLI_GOOD;
  say_error("painleve: %s", error.message);
  return CLI_FAILED;
}

static void close_scan(scan* s) {
  hf_rigid_free(s->rigid);
  hf_params_free(s->params);
  hf_model_free(s->model);
}

// The rigid problem of the rod that is dragged at an angle and turns at w, while its end touches the floor.
static const hfRigidProblem* drag_at(scan* s, double theta, double w, double mu) {
  hfError error = {HF_OK, ""};
  const hfRigidProblem* p = NULL;
  hf_params_field(
      s->params, HF_FIELD_geom_friction)[3 * hf_model_find(s->model, HF_OBJECT_GEOM, "floor")] = mu;
  if (hf_params_update(s->params, &error) < 0) return NULL;
  hf_rigid_free(s->rigid); // a new one reads the new friction coefficient
  s->rigid = NULL;
  hfRigidConfig config = hf_rigid_config_default();
  config.max_contacts = 4;
  config.stabilisation = 0; // b as in the theory
  if (hf_rigid_create(&s->rigid, hf_params_model(s->params), &config, &error) < 0) return NULL;
  const double q[3] = {0, HALF * sin(theta) + TIP, theta};
  const double v[3] = {-SPEED - HALF * sin(theta) * w, HALF * cos(theta) * w, w};
  return hf_rigid_evaluate(s->rigid, 0, q, v, NULL, NULL, NULL, 0, &p, &error) < 0 ? NULL : p;
}

static int count_solutions(const hfRigidProblem* p) {
  char work[4096];
  double z[4];
  hfLcp problem = {p->n, p->A, p->b, NULL, NULL};
  hfLcpSolutions solutions = {4, 0, 0, z};
  if (p->n != 1 || hf_lcp_enumerate_work_size(1) > sizeof work) return -1;
  hf_lcp_enumerate(&problem, &solutions, work, sizeof work, NULL);
  return solutions.count;
}

typedef struct caseTally {
  int cases, refused, wrong_refusals, wrong_counts;
  double worst_p; // |A - p|
} caseTally;

static int judge_case(scan* s, double theta, double w, double mu, caseTally* t) {
  const hfRigidProblem* problem = drag_at(s, theta, w, mu);
  double p = push(theta, mu), b = -GRAVITY + HALF * w * w * sin(theta);
  if (!problem || problem->n != 1)
    return say_error("painleve: the end does not touch at %g rad", theta), CLI_FAILED;
  int solutions = count_solutions(problem), want = p > 0 ? 1 : b < 0 ? 0 : 2;
  t->cases++;
  t->refused += !problem->certificate.holds;
  t->worst_p = fmax(t->worst_p, fabs(problem->A[0] - p));
  t->wrong_refusals += problem->certificate.holds != (p > 0);
  t->wrong_counts += solutions != want;
  return CLI_GOOD;
}

// Checks angles and friction coefficients on a grid that avoids p = 0, with the rod at rest and with a rotation so fast that
// b > 0.
static int judge_rigid(int quick, result* r) {
  scan s;
  caseTally t = {0};
  int status = open_scan(&s), steps = quick ? 12 : 40;
  for (int i = 0; i < steps; ++i)
    for (int k = 0; k < steps && status == CLI_GOOD; ++k)
      for (int turning = 0; turning < 2 && status == CLI_GOOD; ++turning) {
        double theta = (3 + 84.0 * i / (steps - 1)) * DEGREE, mu = 3.0 * (k + 0.37) / steps;
        double w = turning ? 1.5 * sqrt(GRAVITY / (HALF * sin(theta))) : 0;
        status = judge_case(&s, theta, w, mu, &t);
      }
  close_scan(&s);
  result_figure(r, "cases", t.cases, "-");
  result_figure(r, "refused", t.refused, "-");
  result_must(r, "refused_where_theory_says", "the rigid model is refused exactly where p < 0",
              t.wrong_refusals, "0 cases otherwise",
              t.wrong_refusals == 0 && t.refused > 0 && t.refused < t.cases, 0);
  result_must(r, "solutions", "rigid solutions: one for p > 0; none or two for p < 0",
              t.wrong_counts, "0 cases otherwise", t.wrong_counts == 0, 0);
  result_must(r, "p_of_theory", "A is p", t.worst_p, "within 1e-4 (the end is a ball of 1 um)",
              t.worst_p < 1e-4, 0);
  return status;
}

// ---- the jump ---------------------------------------------------------------------------------------

typedef struct motion {
  double v[3]; // vx, vz, w of the rod
} motion;

// y = (depth, vn, xi, vt, P, T); k = c = 1 in the layer's units of time.
static void layer_rate(const double* y, double* rate) {
  const double c = cos(THETA), s = sin(THETA), ann = 1 + 3 * c * c, ant = -3 * s * c,
               att = 1 + 3 * s * s;
  double fn = y[0] > 0 ? fmax(0, y[0] - y[1]) : 0, w = y[2] + y[3], bound = MU * fn;
  double ft = -fmin(bound, fmax(-bound, w));
  rate[0] = -y[1];
  rate[1] = ann * fn + ant * ft;
  rate[2] = fabs(w) <= bound ? y[3] : -ft - y[2];
  rate[3] = ant * fn + att * ft;
  rate[4] = fn, rate[5] = ft;
}

static void layer_step(double h, double* y) {
  double k[4][6], x[6];
  for (int stage = 0; stage < 4; ++stage) {
    double a = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h;
    for (int i = 0; i < 6; ++i) x[i] = y[i] + (stage ? a * k[stage - 1][i] : 0);
    layer_rate(x, k[stage]);
  }
  for (int i = 0; i < 6; ++i) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

// The jump in the limit k -> infinity: integrates the layer, from a small deformation along its unstable direction until it
// opens.
static motion limit_of_jump(void) {
  const double p = push(THETA, MU), s = 0.5 * (-p + sqrt(p * p - 4 * p)), seed = 1e-9;
  double y[6] = {seed, -s * seed, 0, -SPEED, 0, 0}, h = 1e-4;
  while (y[0] > 0 && (y[0] - y[1] > 0 || y[4] == 0)) layer_step(h, y);
  double P = y[4], T = y[5], l_over_I = HALF / (MASS * HALF * HALF / 3);
  return (motion){{-SPEED + T / MASS, P / MASS, l_over_I * (sin(THETA) * T - cos(THETA) * P)}};
}

typedef struct passage {
  motion after;
  double begun; // of the contact [s]
  double tip
      [2]; // velocity of the end, along and away from the floor, when it first carries force [m/s]
  int nswitch;
  hfSwitch first;
} passage;

enum { TRACE = 20000 };
typedef struct trace {
  int count;
  double t[TRACE], fn[TRACE], vx[TRACE], vz[TRACE];
} trace;

static void read_tip(const hfState* state, double* tip) {
  const double *q = hf_state_q(state), *v = hf_state_v(state);
  tip[0] = v[0] + HALF * sin(q[2]) * v[2];
  tip[1] = v[1] - HALF * cos(q[2]) * v[2];
}

// Steps the rod through its contact with the floor. eps sets the layer: k = m/eps. file: the name of a recording; NULL: none.
static int pass(const char* keyframe, int contacts, double eps, result* r, const char* file, passage* out, trace* log) {
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_SWITCHING;
  config.step = 0.05 * sqrt(eps);
  config.switching.contact_mode = contacts;
  config.switching.accuracy = 1e-8;
  config.switching.rigid.layer.eps = eps;
  config.switching.rigid.layer.mass = MASS;
  world w;
  hfError error = {HF_OK, ""};
  hfStepReport report;
  memset(out, 0, sizeof *out);
  if (world_open(&w, "painleve_rod.xml", &config, keyframe) != CLI_GOOD) return CLI_FAILED;
  int status = file ? world_record(&w, r, file, 2e-4) : CLI_GOOD, touched = 0;
  for (double end = 0.1; status == CLI_GOOD && w.state->time < end;) {
    if (hf_sim_step(w.sim, w.state, w.input, &report, &error) < 0) {
      say_error("painleve, at %g s: %s", w.state->time, error.message);
      status = CLI_FAILED;
      break;
    }
    if ((status = world_record_step(&w, &report)) != CLI_GOOD) break;
    double fn = 0;
    for (int i = 0; i < hf_sim_contact_count(w.sim); ++i) fn += hf_sim_contact(w.sim, i).fn;
    if (!out->nswitch && report.switching.nswitch) out->first = hf_sim_switch(w.sim, 0);
    out->nswitch += report.switching.nswitch;
    if (fn > 0 && !touched) {
      touched = 1, out->begun = w.state->time;
      read_tip(w.state, out->tip);
    }
    if (log && touched && log->count < TRACE) {
      int i = log->count++;
      log->t[i] = w.state->time, log->fn[i] = fn, log->vx[i] = hf_state_v(w.state)[0],
      log->vz[i] = hf_state_v(w.state)[1];
    }
    if (touched && fn == 0 && hf_state_v(w.state)[1] > 0) break; // thrown off
  }
  memcpy(out->after.v, hf_state_v(w.state), sizeof out->after.v);
  world_close(&w);
  return status;
}

static double distance(const motion* a, const motion* b) {
  double worst = 0;
  for (int i = 0; i < 3; ++i) worst = fmax(worst, fabs(a->v[i] - b->v[i]));
  return worst;
}

static int judge_jump(int quick, result* r) {
  static const double eps[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  trace* log = calloc(1, sizeof *log);
  if (!log) return say_error("out of memory"), CLI_FAILED;
  motion limit = limit_of_jump();
  int n = quick ? 3 : 5, shrinks = 1;
  double off[5], k[5];
  result_figure(r, "limit_vx", limit.v[0], "m/s");
  result_figure(r, "limit_vz", limit.v[1], "m/s");
  result_figure(r, "limit_w", limit.v[2], "rad/s");
  for (int i = 0; i < n; ++i) {
    passage p;
    log->count = 0;
    if (pass("drag", HF_CONTACT_MODEL_COMPLIANT, eps[i], r, NULL, &p, log) != CLI_GOOD)
      return free(log), CLI_FAILED;
    off[i] = distance(&p.after, &limit);
    k[i] = MASS / eps[i];
    char name[64];
    snprintf(name, sizeof name, "jump_error_k_%.0e", k[i]);
    result_figure(r, name, off[i], "m/s, rad/s");
    shrinks &= i == 0 || off[i] < off[i - 1];
  }
  figure f = {.title = "Painleve's rod: the jump as the layer stiffens",
              .xlabel = "k [N/m]",
              .ylabel = "velocity after the jump less its limit [m/s, rad/s]",
              .xlog = 1,
              .ylog = 1};
  figure_add(&f, "compliant", n, k, off, FIGURE_BOTH);
  figure_write(&f, r, "painleve_convergence");
  figure force = {.title = "Impact without collision (stiffest layer)",
                  .xlabel = "time [s]",
                  .ylabel = "normal force [N]"};
  figure_add(&force, "normal force", log->count, log->t, log->fn, FIGURE_LINE);
  figure_write(&force, r, "painleve_force");
  figure speed = {.title = "Velocity of the rod's centre (stiffest layer)",
                  .xlabel = "time [s]",
                  .ylabel = "velocity [m/s]"};
  figure_add(&speed, "vx", log->count, log->t, log->vx, FIGURE_LINE);
  figure_add(&speed, "vz", log->count, log->t, log->vz, FIGURE_DASHED);
  figure_write(&speed, r, "painleve_velocity");
  free(log);
  result_must(r, "jump_converges",
              "the compliant jump converges as k grows: error at the stiffest layer", off[n - 1],
              quick ? "falls with every k, below 0.05 in the end" : "falls with every k, below 0.02 in the end",
              shrinks && off[n - 1] < (quick ? 0.05 : 0.02), 0);
  return CLI_GOOD;
}

// ---- switching --------------------------------------------------------------------------------------

// The rod that is dragged has no rigid motion: the method switching must pass it as compliant contact does.
static int judge_drag(double eps, result* r) {
  passage by_itself, compliant;
  if (pass("drag", HF_CONTACT_MODEL_SWITCHING, eps, r, "drag.hfrec", &by_itself, NULL) != CLI_GOOD ||
      pass("drag", HF_CONTACT_MODEL_COMPLIANT, eps, r, NULL, &compliant, NULL) != CLI_GOOD)
    return CLI_FAILED;
  double off = distance(&by_itself.after, &compliant.after);
  result_note(r, "  drag: first switch at %.6f s to %s (%s)", by_itself.first.time,
              by_itself.first.rigid ? "rigid" : "compliant",
              hf_switch_reason_name(by_itself.first.reason));
  result_must(r, "switching_drag",
              "switching leaves the rigid model by itself, and passes as the compliant one", off,
              "velocities after the jump within 0.02",
              by_itself.nswitch > 0 && !by_itself.first.rigid && off < 0.02, 0);
  return CLI_GOOD;
}

// The rod that is dropped lands with an impact, which has a solution for velocities: the end sticks (restitution is 0).
static int judge_drop(double eps, result* r) {
  passage p;
  if (pass("drop", HF_CONTACT_MODEL_SWITCHING, eps, r, "drop.hfrec", &p, NULL) != CLI_GOOD) return CLI_FAILED;
  double moves = fmax(fabs(p.tip[0]), fabs(p.tip[1]));
  result_figure(r, "landing", p.begun, "s");
  result_must(r, "landing_sticks",
              "a rod that lands in the paradox sticks: speed of its end after the impact", moves,
              "below 0.01 m/s, or compliant by itself",
              moves < 0.01 || (p.nswitch > 0 && !p.first.rigid), 0);
  return CLI_GOOD;
}

static int run(const experimentOptions* options, result* r) {
  int status = judge_rigid(options->quick, r);
  if (status == CLI_GOOD) status = judge_jump(options->quick, r);
  double eps = options->quick ? 1e-5 : 1e-7;
  if (status == CLI_GOOD) status = judge_drag(eps, r);
  if (status == CLI_GOOD) status = judge_drop(eps, r);
  return status;
}

const experiment experiment_painleve = {
    "painleve", "Painleve's rod: refused when rigid, passed when compliant", run};
