// Steps of a world that does not move are not computed.
//
// The same state and input give the same end of a step (state.h). So if a step ends in the state in which it began, up to the time, the next step
// does the same, as long as input and parameters stay, the sim was not used for something else, and nothing depends on the time itself. The next step
// is then not computed: the time goes on, and contacts, forces, sensors and report stay. All bits are those of a computed step.
#include "base/arena.h"
#include "base/finite.h"
#include "model/state_parts.h"
#include "sim/sim.h"

#include <string.h>

// ---- the input --------------------------------------------------------------------------------------

// An array of an input. Controls are kept apart because signals give them, too.
typedef struct givenArray { const double* x; int n; } givenArray;
enum { NARRAYS = 6 };

static void list_arrays(const hfModel* m, const hfInput* in, givenArray list[NARRAYS]) {
  static const hfInput nothing = {0};
  if (!in) in = &nothing;
  const givenArray all[NARRAYS] = {{in->force, m->nv},
                                   {(const double*)in->wrench, 6 * m->nbody},
                                   {in->mocap_pos, 3 * m->nmocap},
                                   {in->mocap_quat, 4 * m->nmocap},
                                   {in->velocity_target, m->nv},
                                   {in->force_limit, m->nv}};
  memcpy(list, all, sizeof all);
}

static void keep_input(hfSim* s, const hfInput* in) {
  givenArray list[NARRAYS];
  list_arrays(s->model, in, list);
  s->still.given = 0;
  double* copy = s->still.input;
  for (int i = 0; i < NARRAYS; copy += list[i++].n) {
    if (!list[i].x) continue;
    s->still.given |= 1u << i;
    memcpy(copy, list[i].x, sizeof *copy * (size_t)list[i].n);
  }
}

static int has_same_input(const hfSim* s, const hfInput* in) {
  givenArray list[NARRAYS];
  list_arrays(s->model, in, list);
  const double* copy = s->still.input;
  for (int i = 0; i < NARRAYS; copy += list[i++].n) {
    if (!list[i].x != !(s->still.given >> i & 1)) return 0;
    if (list[i].x && memcmp(copy, list[i].x, sizeof *copy * (size_t)list[i].n) != 0) return 0;
  }
  return 1;
}

static int has_same_controls(const hfSim* s, const hfState* state, const hfInput* in) {
  if (!s->model->nu) return 1;
  hfi_world_read_controls(s->world, state->time, in, s->still.now);
  return memcmp(s->still.now, s->still.ctrl, sizeof *s->still.now * (size_t)s->model->nu) == 0;
}

// ---- what depends on the time -----------------------------------------------------------------------

static int any_clock(const hfModel* m) {
  for (int i = 0; i < m->nsensor; ++i)
    if (hf_model_sensor_type(m)[i] == HF_SENSOR_CLOCK) return 1;
  return 0;
}

// Is every signal of the scene read at each step, before it is known whether the step must be computed? Signals of time are. Feedback signals are
// not, and neither are the rates of signals, which drives by inverse dynamics follow.
static int signals_are_read(const hfSim* s, int has_inverse_drives) {
  return !s->model->nsignal || !s->config.scene_signals || (!s->ctrl && !has_inverse_drives);
}

void hfi_still_init(hfSim* s, int has_inverse_drives) {
  const hfModel* m = s->model;
  hf_state_init(s->still.state, m, hf_state_memory_default(m));
  s->still.timeless = s->method->discrete && s->config.accuracy == 0 && !m->nhistory && !any_clock(m) && !(m->nsensor && s->config.noise_seed) && signals_are_read(s, has_inverse_drives);
}

void hfi_still_take(hfSim* s, hfiArena* arena) {
  const hfModel* m = s->model;
  s->still.state = hfi_arena_take(arena, 1, hf_state_size(m, hf_state_memory_default(m)));
  s->still.ctrl = HFI_TAKE(arena, double, m->nu);
  s->still.now = HFI_TAKE(arena, double, m->nu);
  s->still.input = HFI_TAKE(arena, double, 3 * m->nv + 6 * m->nbody + 7 * m->nmocap);
}

// ---- steps ------------------------------------------------------------------------------------------

// Does a step from this state begin where the last step ended? Not after an evaluation, whose results are not those of a step.
static int begins_at_end(const hfSim* s, const hfState* state, const hfInput* in) {
  return s->still.ended && s->stepped && s->still.revision == s->world->revision && hfi_state_same_but_time(s->still.state, state) &&
         has_same_input(s, in) && has_same_controls(s, state, in);
}

int hfi_still_begin(hfSim* s, const hfState* state, const hfInput* in) {
  s->still.began = begins_at_end(s, state, in);
  return s->still.began && s->still.lasts;
}

hfStatus hfi_still_step(hfSim* s, hfState* state, hfStepReport* report) {
  state->time += s->config.step;
  *report = s->still.report;
  return report->status;
}

// Keeps the end of the step, where the next one will most likely begin.
static void keep_end(hfSim* s, const hfState* state, const hfInput* in) {
  s->still.ended = hf_state_copy(s->still.state, state, NULL) == HF_OK;
  s->still.revision = s->world->revision;
  keep_input(s, in);
  memcpy(s->still.ctrl, s->world->given, sizeof *s->still.ctrl * (size_t)s->model->nu);
}

void hfi_still_end(hfSim* s, const hfState* state, const hfInput* in, const hfStepReport* report) {
  s->still.lasts = s->still.ended = 0;
  if (!s->still.timeless || !s->stepped || hfi_any_nonzero(hf_state_v(state), s->model->nv)) return;
  s->still.lasts = s->still.began && hfi_state_same_but_time(s->still.state, state);
  if (s->still.lasts) s->still.ended = 1, s->still.report = *report;
  else keep_end(s, state, in);
}
