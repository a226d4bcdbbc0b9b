// Stepping: every lane takes worlds one after the other, each through all steps of the call.
//
// A lane takes the worlds of its own range first, and then worlds of other ranges that no lane has taken yet, a few at
// a time. So no thread waits while another one, whose worlds cost more or whose processor is slower, has many worlds
// left. Which thread steps a world has no effect on the world.
#include "sim/batch/batch.h"

#include "base/error.h"
#include "math/vec3.h"
#include "model/object.h"
#include "sim/sim.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What a call asks for.
typedef struct Call {
  hfBatch* batch;
  int nstep;      // 0: evaluate
  hfBatchRun run; // complete: zeros are replaced by their defaults
} Call;

// ---- results of one world --------------------------------------------------------------------------

// Writes positions and quaternions of all bodies (7 each).
static void copy_poses(const hfBatch* b, const hfSim* sim, double* to) {
  const hfDynamics* d = hf_sim_dynamics(sim);
  for (int i = 0; i < b->model->nbody; ++i, to += 7) {
    v3_store(to, hf_dynamics_body_pose(d, i).p);
    q_store(to + 3, hf_dynamics_body_quat(d, i));
  }
}

// Copies the results of world w that are used, and its contacts, from the sim that stepped it.
static void copy_results(hfBatch* b, const hfSim* sim, int w) {
  const double* from[HF_BATCH_FIELDS] = {NULL};
  if (b->used[HF_BATCH_SENSORS]) from[HF_BATCH_SENSORS] = hf_sim_sensors(sim);
  if (b->used[HF_BATCH_ACTUATOR_FORCE]) from[HF_BATCH_ACTUATOR_FORCE] = hf_sim_actuator_force(sim);
  from[HF_BATCH_ACCELERATION] = hf_sim_acceleration(sim);

  for (int f = HF_BATCH_SENSORS; f < HF_BATCH_POSE; ++f) {
    size_t width = (size_t)hfi_batch_width(b->model, (hfBatchField)f);
    if (b->used[f] && width) memcpy(b->field[f] + (size_t)w * width, from[f], width * sizeof(double));
  }
  if (b->used[HF_BATCH_POSE])
    copy_poses(b, sim, b->field[HF_BATCH_POSE] + (size_t)w * (size_t)hfi_batch_width(b->model, HF_BATCH_POSE));

  int count = hf_sim_contact_count(sim);
  int room = b->config.max_contacts;
  hfContact* contact = b->contact + (size_t)w * (size_t)room;
  b->report[w].kept = count < room ? count : room;
  for (int i = 0; i < b->report[w].kept; ++i) contact[i] = hf_sim_contact(sim, i);
}

// Keeps the larger one of two violations.
static void keep_larger(hfViolation* worst, const hfViolation* x) {
  if (x->amount > worst->amount) *worst = *x;
}

// Keeps the larger violation of each kind.
static void keep_violations(hfViolations* worst, const hfViolations* x) {
  keep_larger(&worst->equality_distance, &x->equality_distance);
  keep_larger(&worst->equality_angle, &x->equality_angle);
  keep_larger(&worst->limit_distance, &x->limit_distance);
  keep_larger(&worst->limit_angle, &x->limit_angle);
}

// Adds a step to the report of a world over a call: the first status other than HF_OK; contacts of the last step; the
// sum of iterations; the largest of the other numbers.
static void add_report(hfWorldReport* total, hfStatus status, const hfStepReport* step) {
  if (total->status == HF_OK) total->status = status;
  ++total->steps;
  total->ncontact = step->ncontact;
  total->nstick = step->nstick;
  total->iterations += step->solve.iterations;

  if (step->ndropped > total->ndropped) total->ndropped = step->ndropped;
  if (step->solve.rung > total->rung) total->rung = step->solve.rung;
  if (step->solve.residual > total->residual) total->residual = step->solve.residual;
  if (step->max_depth > total->max_depth) total->max_depth = step->max_depth;
  keep_violations(&total->violation, &step->violation);

  // how many steps let go of something, and what the first of them let go
  if (!step->nlet_go) return;
  ++total->steps_letting_go;
  if (total->steps_letting_go > 1) return;
  total->let_go_kind = step->let_go_kind;
  total->let_go = step->let_go;
}

// Writes a row of n numbers, NaN if there are none, into an array of results that the caller may have left out.
static void write_row(double* array, const Call* c, int w, int64_t row, int n, const double* from) {
  if (!array) return;
  double* to = array + ((int64_t)w * c->run.rows + row) * n;
  for (int i = 0; i < n; ++i) to[i] = from ? from[i] : NAN;
}

// Writes row `row` of a world's results. If sim is NULL, because the world was refused, all numbers are NaN.
static void write_rows(const Call* c, int w, int64_t row, const hfSim* sim) {
  const hfModel* m = c->batch->model;
  const hfState* s = hfi_batch_state(c->batch, w);
  write_row(c->run.time, c, w, row, 1, sim ? &s->time : NULL);
  write_row(c->run.q, c, w, row, m->nq, sim ? hf_state_q(s) : NULL);
  write_row(c->run.v, c, w, row, m->nv, sim ? hf_state_v(s) : NULL);
  write_row(c->run.act, c, w, row, m->na, sim ? hf_state_act(s) : NULL);
  write_row(c->run.sensors, c, w, row, m->nsensordata, sim && c->run.sensors ? hf_sim_sensors(sim) : NULL);
}

// Notes the refusal of world w; the lane keeps the one of its first world.
static void refuse_world(hfBatch* b, hfiLane* lane, int w, hfStatus status, const hfError* error) {
  b->report[w].status = status;
  if (lane->refused >= 0 && lane->refused < w) return;
  lane->refused = w;
  lane->error = *error;
}

// ---- one world, one lane ---------------------------------------------------------------------------

// Takes the steps of world w of a call and returns how many it took before it was refused. Results are written after
// each `every` steps.
static int take_steps(const Call* c, hfiLane* lane, hfSim* sim, int w) {
  hfBatch* b = c->batch;
  hfInput input = hfi_batch_input(b, w);
  hfStepReport step;
  hfError error;

  for (int i = 0; i < c->nstep; ++i) {
    if (c->run.ctrl) { // the pointer is copied as bits: a step only reads its controls, but the input is not const
      // the controls of step i in world w; both distances count numbers
      const double* ctrl = c->run.ctrl + w * c->run.ctrl_world + i * c->run.ctrl_step;
      memcpy(&input.ctrl, &ctrl, sizeof ctrl);
    }

    hfStatus status = hfi_sim_step_unplaced(sim, hfi_batch_state(b, w), &input, &step, &error);
    if (status < 0) {
      refuse_world(b, lane, w, status, &error);
      return i;
    }
    add_report(&b->report[w], status, &step);
    if ((i + 1) % c->run.every == 0) write_rows(c, w, (i + 1) / c->run.every - 1, sim);
  }
  return c->nstep;
}

// Takes all steps of the call in world w and writes its results. A world that an earlier call refused takes none if the
// call resumes.
static void step_world(const Call* c, hfiLane* lane, int w) {
  hfBatch* b = c->batch;
  if (!c->run.resume) b->report[w] = (hfWorldReport){0};

  int taken = 0;
  if (b->report[w].status >= 0) {
    hfError error;
    hfSim* sim = hfi_batch_sim(b, lane, w, &error);
    if (sim) taken = take_steps(c, lane, sim, w);
    else refuse_world(b, lane, w, error.status, &error);
    if (taken > 0) copy_results(b, sim, w);
  }

  // rows of steps that were not taken
  for (int64_t row = taken / c->run.every; row < c->nstep / c->run.every; ++row) write_rows(c, w, row, NULL);
}

// Evaluates world w at its state and copies its results.
static void evaluate_world(const Call* c, hfiLane* lane, int w) {
  hfBatch* b = c->batch;
  hfInput input = hfi_batch_input(b, w);
  b->report[w] = (hfWorldReport){0};

  hfError error;
  hfSim* sim = hfi_batch_sim(b, lane, w, &error);
  hfStatus status = sim ? hf_sim_evaluate(sim, hfi_batch_state(b, w), &input, &error) : error.status;
  if (status < 0) {
    refuse_world(b, lane, w, status, &error);
    return;
  }

  b->report[w].status = status;
  b->report[w].ncontact = hf_sim_contact_count(sim);
  copy_results(b, sim, w);
}

// A thread takes its worlds in about so many portions in a call [-], each of at most so many worlds [-]. Portions are
// small enough that no thread waits long at the end of a call, and large enough that taking them costs little and that
// threads seldom write to the same cache line.
enum { PORTIONS_PER_LANE = 64, LARGEST_PORTION = 8 };

// Returns how many worlds a thread takes at a time.
static int choose_portion(const hfBatch* b) {
  int count = b->nworld / (PORTIONS_PER_LANE * b->nlane);
  if (count < 1) return 1;
  return count < LARGEST_PORTION ? count : LARGEST_PORTION;
}

// Lets a lane step or evaluate the worlds of a range that no lane has taken yet.
static void run_range(const Call* c, hfiLane* lane, hfiLane* range) {
  int count = choose_portion(c->batch);
  for (int first; (first = atomic_fetch_add(&range->next, count)) < range->last;)
    for (int w = first; w < first + count && w < range->last; ++w) {
      if (c->run.mask && !c->run.mask[w]) continue;
      if (c->nstep) step_world(c, lane, w);
      else evaluate_world(c, lane, w);
    }
}

// Does the work of lane `part` in a call: first the worlds of its own range, then worlds of the other ranges.
static void run_lane(void* context, int part) {
  const Call* c = context;
  hfBatch* b = c->batch;
  for (int i = 0; i < b->nlane; ++i) run_range(c, &b->lane[part], &b->lane[(part + i) % b->nlane]);
}

// Steps or evaluates all worlds of a call, each lane in its thread.
static void run_all_lanes(Call* c) {
  hfBatch* b = c->batch;
  for (int i = 0; i < b->nlane; ++i) {
    b->lane[i].next = b->lane[i].first;
    b->lane[i].refused = -1;
  }
  hfi_workers_run(hfi_threads_workers(b->threads), b->nlane, run_lane, c);
}

// ---- a call ----------------------------------------------------------------------------------------

// Writes into *error which world is the first with a difficulty, and what it is. count: worlds with a difficulty.
static hfStatus quote_difficulty(const hfBatch* b, int world, int count, hfError* error) {
  const hfWorldReport* r = &b->report[world];
  const char* name = hf_status_name(r->status);
  const char* others = count > 1 ? "; other worlds report difficulties, too" : "";
  if (r->status != HF_LET_GO) return hfi_refuse(error, HF_FLAGGED, "world %d: %s%s", world, name, others);
  return hfi_refuse(error, HF_FLAGGED, "world %d: %s: %s%s", world, name,
                    hfi_model_label(b->model, (hfObjectKind)r->let_go_kind, r->let_go).text, others);
}

// Returns HF_FLAGGED if some world of the call has a status other than HF_OK. *error quotes the first refusal, or
// without one the first difficulty.
static hfStatus summarise_call(const Call* c, hfError* error) {
  const hfBatch* b = c->batch;
  // from the last world to the first, so that `flagged` becomes the first one that is not well
  int flagged = -1;
  int count = 0;
  for (int w = b->nworld - 1; w >= 0; --w) {
    if (b->report[w].status == HF_OK || (c->run.mask && !c->run.mask[w])) continue;
    flagged = w;
    ++count;
  }
  if (!count) return HF_OK;

  // the first refusal comes before difficulties
  const hfiLane* first = NULL;
  for (int i = 0; i < b->nlane; ++i) {
    const hfiLane* lane = &b->lane[i];
    if (lane->refused >= 0 && (!first || lane->refused < first->refused)) first = lane;
  }
  if (first) return hfi_refuse(error, HF_FLAGGED, "world %d: %s", first->refused, first->error.message);
  return quote_difficulty(b, flagged, count, error);
}

// Takes nstep steps in the worlds of the run's mask, with its controls, and writes the rows that it asks for. Returns
// HF_FLAGGED if a world has a status other than HF_OK.
hfStatus hf_batch_step(hfBatch* b, int nstep, const hfBatchRun* run, hfError* error) {
  hfi_clear_error(error);
  if (nstep < 1) return hfi_refuse(error, HF_ERROR_ARGUMENT, "steps must be at least 1, are %d", nstep);
  Call c = {.batch = b, .nstep = nstep};
  if (run) c.run = *run;
  if (c.run.every < 0 || c.run.rows < 0)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "every and rows must not be negative");

  if (c.run.every == 0) c.run.every = 1;
  int written = nstep / c.run.every;
  if (c.run.rows == 0) c.run.rows = written;
  if (c.run.rows < written)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "rows must be at least %d, are %lld", written, (long long)c.run.rows);

  run_all_lanes(&c);
  return summarise_call(&c, error);
}

hfStatus hf_batch_evaluate(hfBatch* b, const uint8_t* mask, hfError* error) {
  hfi_clear_error(error);
  Call c = {.batch = b, .nstep = 0, .run = {.mask = mask, .every = 1}};
  run_all_lanes(&c);
  return summarise_call(&c, error);
}

const hfWorldReport* hf_batch_reports(const hfBatch* b) { return b->report; }

const hfContact* hf_batch_contacts(const hfBatch* b, int world) {
  assert(world >= 0 && world < b->nworld);
  return b->contact + (size_t)world * (size_t)b->config.max_contacts;
}
