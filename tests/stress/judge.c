// Runs a random world and judges it.
//
// Energy: with the kinetic energy T, the potential V of gravity and springs, and the work W of the actuators,
//
//   growth = (T + V - T0 - V0 - W)/(T0 + |V - V0| + sum |dW| + E),  the largest values so far below the line.
//
// W is the sum of h f s over the steps, with force f and speed s at their ends, for the default method, whose steps are that sum. Within
// a step of another method a stiff servo may push and brake: W is then what it can do at most. Its force is clip(c + b l + d s) with
// length l and b, d <= 0, so that f s <= clip(c + b l) s, and the work from l0 to l1 is at most the integral of clip(c + b l) over l.
//
// Contacts, limits, friction, dampers and equalities can only take energy, but for E, what they hold at the start:
//   overlaps       sum f_n depth/2, the work that their forces do until they part
//   limits         a joint that starts beyond its limit comes back at the release speed u: M_ii u^2/2 for each limited dof. In
//                  continuous time limits are springs, which hold k x^2/2. On its way back a limit lifts what hangs on the joint and pushes
//                  against drives: f min(s, u) h with its force f and speed s is work of the step, while the joint is beyond its limit
//   equalities     a group of rows (a weld has two) gives at most what the mass m of its trees has at u, m u^2/2, or what the
//                  mean inverse mass w of the rows says, u^2/(2 w). A row of n that has an entry of at least 1 has
//                  w >= 1/(n sum M_ii), so that this is at most 3 u^2 sum M_ii/2. One that is open works as a winch: it lifts
//                  parts and stretches springs while it closes. f.s h with its force f and row velocity s, |s| <= u or what it is at the
//                  start, is work of the step until all equalities have been closed once: what opens again opened by itself
//   rounding       every dof at a speed of ROUNDING, for worlds in which nothing moves
#include "stress/judge.h"

#include "stress/world.h"
#include "support/cmocka_all.h"

#include "step/actuation/actuation.h"
#include "sim/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double ROUNDING = 1e-6; // Speed that counts as rest [m/s or rad/s].
static const double GROWTH = 1;      // Growth from which a world counts as one that blew up [-].
static const double OPEN = 1e-3;     // Error from which an equality is open [m or rad].

typedef struct trial {
  hfModel* model;
  hfSim* sim;
  hfState* state;
  hfInput* input;
  hfDynamics* dynamics;
  hfActuation* actuation;
  double work, moved, drop, released;        // W, sum |dW|, |V - V0|, E [J]
  double kinetic;                            // T0 [J]
  double potential;                          // V0 [J]
  double* length;                            // (nu) of the actuators at the start of the step
  double* limit;                             // (nsensordata) sensors of the limits at the start of the step
  double pull;                               // power of the equalities at the start of the step [W]
  int* closed;                               // (neq) 1: the equality has been closed
  double* speed;                             // (neq x 2) the fastest that its translation and rotation may close [m/s or rad/s]
  int32_t* cols;                             // (nv) scratch for an equality's Jacobian
  double* J;                                 // (6 x nv) and its entries
  double* times;                             // of the steps [s]
  double* start;                             // (nq) positions of the start
} trial;

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// T and V, and the power of the actuators.
static double measure(trial* t, double* kinetic, double* potential) {
  const double* q = hf_state_q(t->state);
  double power = 0;
  hf_dynamics_set_position(t->dynamics, q, NULL);
  hf_dynamics_set_velocity(t->dynamics, hf_state_v(t->state));
  hf_actuation_update(t->actuation, t->dynamics, q);
  for (int i = 0; i < t->model->nu; ++i) power += hf_sim_actuator_force(t->sim)[i] * hf_actuation_velocity(t->actuation)[i];
  *kinetic = hf_dynamics_kinetic_energy(t->dynamics);
  *potential = hf_dynamics_potential_energy(t->dynamics, q);
  return power;
}

// Integral of clip(y) from 0.
static double integral_of_clip(double y, double lo, double hi) {
  if (y > hi) return hi * y - 0.5 * hi * hi;
  return y < lo ? lo * y - 0.5 * lo * lo : 0.5 * y * y;
}

// The most work that actuator i does while its length goes from `from` to `to`.
static double most_work(const trial* t, int i, double from, double to) {
  const hfModel* m = t->model;
  const double* bias = hf_model_actuator_biasprm(m) + 3 * i;
  double lo = -INFINITY, hi = INFINITY, c = hf_model_actuator_gainprm(m)[3 * i] * t->input->ctrl[i] + bias[0], b = bias[1];
  if (hf_model_actuator_forcelimited(m)[i]) lo = hf_model_actuator_forcerange(m)[2 * i], hi = hf_model_actuator_forcerange(m)[2 * i + 1];
  if (b == 0) return fmax(lo, fmin(c, hi)) * (to - from);
  return (integral_of_clip(c + b * to, lo, hi) - integral_of_clip(c + b * from, lo, hi)) / b;
}

// The same of all actuators, over the step that ends at the lengths in t->actuation.
static double most_work_of_step(trial* t) {
  double sum = 0;
  for (int i = 0; i < t->model->nu; ++i) {
    double length = hf_actuation_length(t->actuation)[i];
    sum += most_work(t, i, t->length[i], length);
    t->length[i] = length;
  }
  return sum;
}

// Work of the limits that were exceeded when the step began. Keeps the sensors for the next step.
static double limit_work(trial* t, double h) {
  const double *now = hf_sim_sensors(t->sim), u = t->model->world.release_speed;
  double power = 0;
  for (int i = 0; i + WORLD_LIMIT_SENSORS <= t->model->nsensordata; i += WORLD_LIMIT_SENSORS)
    if (t->limit[i] < 0) power += now[i + 2] * fmin(now[i + 1], u);
  memcpy(t->limit, now, sizeof *now * (size_t)t->model->nsensordata);
  return h * power;
}

static double norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

// Power of n <= 3 rows with the forces f and the velocities s, of which the part up to the speed u counts.
static double winch_power(const double* f, const double* s, int n, double u) {
  double power = 0, speed = norm(s, n);
  for (int i = 0; i < n; ++i) power += f[i] * s[i];
  return speed > u ? power * u / speed : power;
}

// The fastest that the rows of equality i may move while they close: at the release speed, or as the start has them move.
static void find_start_speed(trial* t, int i) {
  const double* v = hf_state_v(t->state);
  hfiEquality e = hfi_equality_evaluate(t->actuation, t->dynamics, i, hf_state_q(t->state));
  int ncol = hfi_equality_jacobian(t->actuation, t->dynamics, i, &e, t->cols, t->J);
  for (int k = 0; k < e.dim; k += 3) {
    double s[3] = {0};
    for (int r = 0; r < 3 && k + r < e.dim; ++r)
      for (int c = 0; c < ncol; ++c) s[r] += t->J[(k + r) * ncol + c] * v[t->cols[c]];
    t->speed[2 * i + k / 3] = fmax(t->model->world.release_speed, norm(s, 3));
  }
}

// Work of the equalities as long as one of them has never been closed. A step of discrete time has the forces of its end only; in continuous
// time the power is the mean of both ends, but for the first step, whose start is not known. Keeps the power for the next step.
static double equality_work(trial* t, int method, double h) {
  double power = 0, before = t->pull;
  int open = 0;
  for (int i = 0; i < t->model->neq; ++i) {
    const double *f = t->sim->constraint.equality + 6 * i, *s = t->sim->constraint.equality_speed + 6 * i;
    hfiEquality e = hfi_equality_evaluate(t->actuation, t->dynamics, i, hf_state_q(t->state));
    open += !t->closed[i];
    t->closed[i] |= norm(e.r, e.dim) < OPEN;
    for (int k = 0; k < e.dim; k += 3) power += winch_power(f + k, s + k, e.dim < 3 ? e.dim : 3, t->speed[2 * i + k / 3]);
  }
  t->pull = power;
  return open ? h * (method <= HF_METHOD_MLCP || t->state->time <= h ? power : 0.5 * (before + power)) : 0;
}

static double diagonal_mass(const trial* t, int dof) {
  return hf_dynamics_mass_matrix(t->dynamics)[hf_model_dof_Madr(t->model)[dof] + hf_model_dof_depth(t->model)[dof]];
}

// In continuous time a limit is a spring with the time constant T: k = m/T^2.
static double limit_energy(const trial* t) {
  static const double T = 0.005;
  const hfModel* m = t->model;
  double sum = 0;
  for (int j = 0; j < m->njnt; ++j) {
    if (!hf_model_jnt_limited(m)[j]) continue;
    double q = hf_state_q(t->state)[hf_model_jnt_qposadr(m)[j]];
    const double* range = hf_model_jnt_range(m) + 2 * j;
    double beyond = fmax(0, fmax(range[0] - q, q - range[1]));
    sum += 0.5 * diagonal_mass(t, hf_model_jnt_dofadr(m)[j]) * beyond * beyond / (T * T);
  }
  return sum;
}

static int equality_groups(const hfModel* m) {
  int count = 0;
  for (int i = 0; i < m->neq; ++i) count += hf_model_eq_type(m)[i] == HF_EQUALITY_WELD ? 2 : 1;
  return count;
}

// What limits and equalities may release at the start.
static double release_energy(const trial* t) {
  const hfModel* m = t->model;
  double mass = 0, all = 0, u = m->world.release_speed;
  for (int i = 0; i < m->nv; ++i) all += diagonal_mass(t, i);
  for (int i = 0; i < m->nv; ++i) mass += hf_model_jnt_limited(m)[hf_model_dof_jnt(m)[i]] * diagonal_mass(t, i);
  mass += equality_groups(m) * (3 * all + hf_model_body_subtreemass(m)[0]);
  return 0.5 * u * u * mass + 0.5 * ROUNDING * ROUNDING * all;
}

// Returns 0 where the method has not the memory for the world, with a message. Every other refusal of a sim is a failure.
static int create_sim(trial* t, uint64_t seed, int method, hfError* error) {
  hfSimConfig config = hf_sim_config_default();
  config.method = method;
  hfStatus status = hf_sim_create(&t->sim, t->model, &config, error);
  if (status < 0 && status != HF_ERROR_MEMORY) fail_msg("seed %llu: %s", (unsigned long long)seed, error->message);
  if (status < 0) assert_true(error->message[0] != 0);
  else t->sim->sensors.reads_constraints = 1; // the judge reads the forces of equalities
  return status >= 0;
}

// The positions of the keyframe as they are written. Those of the model have quaternions of length 1 to the last bit: from them many worlds, which are
// chaotic, would go another way than they went when their faults were mended.
static void read_start(trial* t, char* text) {
  static const char before[] = "<key qpos=\"";
  char* next = strstr(text, before);
  assert_non_null(next);
  t->start = calloc((size_t)t->model->nq + 1, sizeof *t->start);
  next += strlen(before);
  for (int i = 0; i < t->model->nq; ++i) t->start[i] = strtod(next, &next);
}

static void load_world(trial* t, uint64_t seed) {
  char* text = malloc(WORLD_TEXT);
  hfError error;
  size_t length = world_write(seed, text, WORLD_TEXT);
  if (hf_model_parse(&t->model, text, length, "world.xml", ".", NULL, NULL, &error) < 0)
    fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
  read_start(t, text);
  free(text);
}

static void open_trial(trial* t, int method, int steps, int as_written) {
  hfError error;
  t->state = hf_state_create(t->model);
  t->input = hf_input_create(t->model);
  assert_int_equal(hf_state_set_key(t->state, t->input, t->model, 0, &error), HF_OK);
  if (as_written) memcpy(hf_state_mutable_q(t->state), t->start, (size_t)t->model->nq * sizeof *t->start);
  assert_int_equal(hf_dynamics_create(&t->dynamics, t->model, NULL), HF_OK);
  assert_int_equal(hf_actuation_create(&t->actuation, t->model, NULL), HF_OK);
  t->times = calloc((size_t)steps, sizeof *t->times);
  assert_int_equal(hf_sim_evaluate(t->sim, t->state, t->input, &error), HF_OK);
  for (int i = 0; i < hf_sim_contact_count(t->sim); ++i) {
    hfContact c = hf_sim_contact(t->sim, i);
    if (c.depth > 0) t->released += 0.5 * c.fn * c.depth;
  }
  measure(t, &t->kinetic, &t->potential);
  t->length = calloc((size_t)t->model->nu + 1, sizeof *t->length);
  t->limit = calloc((size_t)t->model->nsensordata + 1, sizeof *t->limit);
  t->closed = calloc((size_t)t->model->neq + 1, sizeof *t->closed);
  t->speed = calloc(2 * (size_t)t->model->neq + 1, sizeof *t->speed);
  t->cols = calloc((size_t)t->model->nv + 1, sizeof *t->cols);
  t->J = calloc(6 * (size_t)t->model->nv + 1, sizeof *t->J);
  most_work_of_step(t); // keeps the lengths
  limit_work(t, 0);     // and the sensors
  for (int i = 0; i < t->model->neq; ++i) find_start_speed(t, i);
  hf_dynamics_update_mass_matrix(t->dynamics);
  t->released += release_energy(t);
  if (method > HF_METHOD_MLCP) t->released += limit_energy(t);
}

static void close_trial(trial* t) {
  hf_sim_free(t->sim);
  hf_state_free(t->state);
  hf_input_free(t->input);
  hf_dynamics_free(t->dynamics);
  hf_actuation_free(t->actuation);
  hf_model_free(t->model);
  free(t->times), free(t->start);
  free(t->length);
  free(t->limit);
  free(t->closed);
  free(t->speed);
  free(t->cols);
  free(t->J);
}

static int all_finite(const double* x, int n) {
  for (int i = 0; i < n; ++i)
    if (!isfinite(x[i])) return 0;
  return 1;
}

// Every number that a user can read after a step.
static int outputs_finite(const trial* t, const hfStepReport* r) {
  const hfModel* m = t->model;
  int finite = all_finite(hf_state_q(t->state), m->nq) && all_finite(hf_state_v(t->state), m->nv) &&
               all_finite(hf_sim_actuator_force(t->sim), m->nu) && all_finite(hf_sim_acceleration(t->sim), m->nv) &&
               isfinite(t->state->time) && isfinite(r->max_depth) && isfinite(r->solve.residual) &&
               isfinite(r->solve.coupled_residual);
  for (int i = 0; i < hf_sim_contact_count(t->sim) && finite; ++i) {
    hfContact c = hf_sim_contact(t->sim, i);
    finite = isfinite(c.fn) && isfinite(c.depth) && isfinite(c.p_W.x) && isfinite(c.n_W.x) && isfinite(c.ft.x) && isfinite(c.vt.x) && isfinite(c.vn);
  }
  return finite;
}

static double energy_growth(trial* t, int method, double h) {
  double T, V, power = measure(t, &T, &V), most = most_work_of_step(t), work = method == HF_METHOD_TAMSI ? h * power : most;
  double by_limits = limit_work(t, h), by_equalities = equality_work(t, method, h);
  t->work += work + by_limits + by_equalities;
  t->moved += fabs(work) + fabs(by_limits) + fabs(by_equalities);
  t->drop = fmax(t->drop, fabs(V - t->potential));
  double growth = (T + V - t->kinetic - t->potential - t->work) / (t->kinetic + t->drop + t->moved + t->released);
  return isfinite(growth) ? growth : INFINITY;
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// as_written: the start has the quaternions of the file; else those of the model's keyframe, of length 1.
static verdict judge_start(uint64_t seed, int method, int steps, double seconds, double gain, int as_written) {
  verdict v = {.finite = 1};
  trial t = {0};
  double spent = 0;
  load_world(&t, seed);
  v.refused = !create_sim(&t, seed, method, &v.error);
  if (v.refused) {
    free(t.start);
    hf_model_free(t.model);
    return v;
  }
  open_trial(&t, method, steps, as_written);
  v.released = t.released;
  for (; v.steps < steps && spent < seconds && !v.stopped && v.finite; ++v.steps) {
    hfStepReport report;
    double time = t.state->time, before = processor_time();
    hfStatus status = hf_sim_step(t.sim, t.state, t.input, &report, &v.error);
    t.times[v.steps] = processor_time() - before;
    for (int i = 0; gain != 0 && i < t.model->nv; ++i) hf_state_mutable_v(t.state)[i] *= 1 + gain;
    if (t.times[v.steps] > v.worst) v.worst = t.times[v.steps], v.contacts = status < 0 ? 0 : report.ncontact;
    spent += t.times[v.steps];
    if (status != HF_OK && v.status == HF_OK) v.status = status;
    v.flagged |= status > 0;
    v.stopped = status < 0 || t.state->time <= time;
    if (status >= 0) v.finite = outputs_finite(&t, &report);
    if (v.finite) v.growth = fmax(v.growth, energy_growth(&t, method, t.state->time - time));
    v.grew = v.growth > GROWTH;
  }
  qsort(t.times, (size_t)v.steps, sizeof *t.times, compare);
  v.median = 2 * v.steps > steps ? t.times[steps / 2] : INFINITY; // at most, of a run that was cut short
  close_trial(&t);
  return v;
}

verdict judge_world(uint64_t seed, int method, int steps, double seconds) { return judge_start(seed, method, steps, seconds, 0, 1); }

verdict judge_keyframe(uint64_t seed, int method, int steps, double seconds) { return judge_start(seed, method, steps, seconds, 0, 0); }

verdict judge_faulty_world(uint64_t seed, int method, int steps, double seconds, double gain) { return judge_start(seed, method, steps, seconds, gain, 1); }
