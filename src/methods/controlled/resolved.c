// Stretches of a step in continuous time (docs/theory/accuracy.md, "Resolved motion").
//
// The laws of discrete time have a limit h -> 0, which is the equation of continuous time. An explicit method of higher
// order follows it with less work than steps of discrete time, unless these can be much longer than its stability
// allows. The two take turns. With the largest rate lambda of the equation:
//
//   1. The explicit method takes steps. Where h lambda > STIFF_STEP, its stability bounds them, not its accuracy. After
//      `patience` such steps discrete time has its turn.
//   2. Discrete time tries a step of LEAP_STEP/lambda, as long as several explicit ones, and goes on while its error
//      allows steps of that length. Then the explicit method has its turn again. If discrete time could not take even
//      one such step, patience is doubled.
#include "methods/controlled/controlled.h"

#include "base/finite.h"
#include "math/elementary.h"
#include "model/state_parts.h"
#include "methods/ode/butcher.h"

#include <string.h>

enum {
  LEAST_PATIENCE = 8,          // Stiff steps before the first try.
  MOST_PATIENCE_DOUBLINGS = 8, // Most doublings of the patience.
};
// Above this h lambda a step of an explicit method is stiff. These methods are stable up to about 2.5 [-].
static const double STIFF_STEP = 1.5;
// h lambda of the steps that discrete time has to take to be worth it [-].
static const double LEAP_STEP = 8;
// A step of the explicit methods may have this share of the accuracy, because impacts multiply its error [-].
static const double TOUCHING_ERROR_SHARE = 0.002;
// The same for motion without contacts, where the method of fifth order has a far smaller error than its estimate [-].
static const double APART_ERROR_SHARE = 0.5;
// The shortest step over the step of the sim, as in rk3: where a contact closes or begins to stick, the rate of its
// deformation jumps, and a step across that is as short as the accuracy asks for [-].
static const double SMALLEST_EXPLICIT_STEP_SHARE = 1e-9;
// A longer smallest_step of the user, over the step of the sim, is meant to bound the work. Explicit steps then keep to
// it, too [-].
static const double BOUNDING_STEP_SHARE = 1e-6;
// While discrete time goes on, lambda is multiplied by this in each step of the sim, so that an explicit method is
// tried again some time [-].
static const double KEPT_STIFFNESS = 0.9;
// lambda after an explicit method has failed, times the step of the sim [-].
static const double UNKNOWN_STIFFNESS = 1e3;

// ---- creation ------------------------------------------------------------------------------------------

// Creates an explicit method. apart: 1 for motion without contacts, which is smooth.
// `part` becomes an integrator over the world's acceleration problem that stops outside of its domain.
static hfStatus create_part(hfiContinuous** part, hfiWorld* world, const hfSimConfig* config, int apart,
                            hfError* error) {
  hfAccelConfig accel = hfi_accel_config_of(config);
  accel.reach = HFI_FOLLOWED_GAP;

  int bounds_work = config->smallest_step > BOUNDING_STEP_SHARE * config->step;
  double shortest = (bounds_work ? 1 : SMALLEST_EXPLICIT_STEP_SHARE) * config->step;
  hfIntegratorConfig integrator = hf_integrator_config_default();
  integrator.method = apart ? HFI_METHOD_RK5 : HF_METHOD_RK3;
  integrator.accuracy = (apart ? APART_ERROR_SHARE : TOUCHING_ERROR_SHARE) * config->accuracy;
  integrator.step = config->step;
  integrator.smallest_step = min2(config->smallest_step, shortest);

  hfStatus status = hfi_continuous_create(part, world, &accel, &integrator, HFI_VELOCITY_TIME, error);
  if (status == HF_OK) (*part)->accel->equation.domain = apart ? HFI_DOMAIN_APART : HFI_DOMAIN_TOUCHING;
  return status;
}

// Creates both explicit methods.
hfStatus hfi_resolved_create(hfiResolved* resolved, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  hfStatus status = create_part(&resolved->apart, world, config, 1, error);
  return status == HF_OK ? create_part(&resolved->touching, world, config, 0, error) : status;
}

void hfi_resolved_free(hfiResolved* resolved) {
  hfi_continuous_free(resolved->apart);
  hfi_continuous_free(resolved->touching);
}

// ---- where the laws agree ----------------------------------------------------------------------------

// Whether all laws that can act have the limit h -> 0 of continuous time: tamsi without restitution, dynamic friction,
// friction losses, equalities, velocity targets and mocap bodies.
int hfi_resolved_can_apply(const hfiControlled* controlled, const hfInput* input) {
  const hfModel* model = controlled->world->model;
  const hfSimConfig* config = hfi_discrete_config(controlled->discrete);
  if (config->method != HF_METHOD_TAMSI || !config->gyroscopic || model->nv == 0 || model->nmocap > 0) return 0;
  if (controlled->world->has_restitution || controlled->world->has_dynamic_friction) return 0;

  int has_joint_loss = hfi_any_nonzero(hf_model_dof_frictionloss(model), model->nv);
  int has_tendon_loss = hfi_any_nonzero(hf_model_tendon_frictionloss(model), model->ntendon);
  if (has_joint_loss || has_tendon_loss || model->neq > 0) return 0;
  return !hfi_world_targets(controlled->world, input);
}

// ---- pace --------------------------------------------------------------------------------------------

// A pace in the 64 bits that the state has for it.
typedef struct KeptPace {
  float h;            // length of the next step; negative if the explicit method goes on
  uint16_t stiffness; // upper half of lambda as a float
  // The upper 4 bits: how often patience was doubled. The lower 12 bits: if the explicit method goes on, the number of
  // stiff steps that it may still take; if discrete time goes on, the exponent x of span = step 2^(-x/SPAN_SCALE).
  uint16_t patience;
} KeptPace;
_Static_assert(sizeof(KeptPace) == sizeof(int64_t), "a pace fits into a number of the state");
enum {
  DOUBLINGS_SHIFT = 12,                        // place of the doublings in KeptPace.patience [bits]
  PATIENCE_MASK = (1 << DOUBLINGS_SHIFT) - 1,  // the bits below them
  SPAN_SCALE = 128,                            // parts of an exponent of two of the span
};

// The number with these bits.
static float float_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
// The bits of a number.
static uint32_t bits_of_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Reads the pace from a state. A fresh state knows none: an explicit method then tries the whole step.
hfiPace hfi_pace_recall(const hfiControlled* controlled, const hfState* state) {
  KeptPace kept;
  memcpy(&kept, &hf_state_discrete(state)[HFI_WORD_PACE], sizeof kept);
  double stiffness = float_of_bits((uint32_t)kept.stiffness << 16);
  int is_pace = isfinite(kept.h) && kept.h != 0 && stiffness >= 0 && isfinite(stiffness);
  if (!is_pace) return (hfiPace){.h = controlled->step, .resolved = 1, .patience = LEAST_PATIENCE};

  hfiPace pace = {
      .h = clamp(fabs((double)kept.h), controlled->smallest, controlled->step),
      .stiffness = stiffness,
      .resolved = kept.h < 0,
      .doublings = imin2(kept.patience >> DOUBLINGS_SHIFT, MOST_PATIENCE_DOUBLINGS),
      .has_stepped = 1,
  };
  int low = kept.patience & PATIENCE_MASK;
  if (pace.resolved) pace.patience = low;
  else pace.span = controlled->step * hfi_exp2(-low / (double)SPAN_SCALE);
  return pace;
}

// The exponent x of span = step 2^(-x/SPAN_SCALE), rounded; the largest one if there is no span.
static int32_t find_span_exponent(const hfiControlled* controlled, double span) {
  if (!(span > 0)) return PATIENCE_MASK;
  return (int32_t)clamp(floor(SPAN_SCALE * hfi_log2(controlled->step / span) + 0.5), 0, PATIENCE_MASK);
}

// Writes the pace to a state. Stiffness falls while discrete time goes on.
void hfi_pace_store(const hfiControlled* controlled, hfState* state, const hfiPace* pace) {
  double stiffness = pace->resolved ? pace->stiffness : KEPT_STIFFNESS * pace->stiffness;
  int32_t low = pace->resolved ? pace->patience : find_span_exponent(controlled, pace->span);
  KeptPace kept = {
      .h = (float)(pace->resolved ? -pace->h : pace->h),
      .stiffness = (uint16_t)(bits_of_float((float)stiffness) >> 16),
      .patience = (uint16_t)(low | pace->doublings << DOUBLINGS_SHIFT),
  };
  memcpy(&hf_state_mutable_discrete(state)[HFI_WORD_PACE], &kept, sizeof kept);
}

// Hands the motion over to an explicit method if discrete time, whose next step has the length h, is no faster. Returns
// 1 if it does. Patience doubles if discrete time has not taken a step since the explicit method handed over.
int hfi_pace_hand_over(hfiPace* pace, double h) {
  if (!(h * pace->stiffness < LEAP_STEP)) return 0;

  int doublings = pace->has_stepped ? 0 : pace->doublings + 1;
  pace->h = min2(h, STIFF_STEP / pace->stiffness);
  pace->resolved = 1;
  pace->doublings = imin2(doublings, MOST_PATIENCE_DOUBLINGS);
  pace->patience = LEAST_PATIENCE << pace->doublings;
  return 1;
}

// ---- a stretch -----------------------------------------------------------------------------------------

// Lets an explicit method follow the motion for `rest` [s] or less, with at most `most` tries, and sets the pace. Only
// a refusal is returned: after trouble discrete time continues.
hfStatus hfi_resolved_advance(hfiControlled* controlled, hfState* state, const hfInput* input, double rest, int most,
                              hfiPace* pace, hfError* error) {
  // contacts near the state decide which method follows it
  hfi_world_place(controlled->world, hf_state_q(state), input);
  hfi_near_find(&controlled->world->near, HFI_FOLLOWED_GAP, 0, NULL);
  hfiContinuous* part = controlled->world->near.ncontact ? controlled->resolved.touching : controlled->resolved.apart;
  controlled->resolved.last = part;

  // how long it may
  hfiStiffnessWatch* watch = hfi_integrator_watch(part->integrator);
  watch->limit = STIFF_STEP;
  watch->remaining = pace->patience;
  watch->most_remaining = LEAST_PATIENCE << pace->doublings;
  watch->calm_steps = 0;
  watch->least_rate = INFINITY;

  hfi_integrator_limit(part->integrator, most);
  part->first = pace->h;
  part->accel->anchors.span = pace->span;

  pace->span = 0;

  hfStatus status = hfi_continuous_step(part, state, input, rest, error);
  if (status < 0) return status;

  // how the motion continues
  pace->failed = status > 0;
  pace->patience = imax2(watch->remaining, 0);
  pace->resolved = !pace->failed && watch->remaining >= 0;

  pace->has_stepped = 0;
  pace->stiffness = pace->failed ? UNKNOWN_STIFFNESS / controlled->step : hfi_watched_stiffness(watch);
  // the next step
  double next = LEAP_STEP / pace->stiffness;
  if (pace->resolved) next = hf_integrator_next_step(part->integrator);
  else if (pace->failed) next = pace->h;
  pace->h = clamp(next, controlled->smallest, controlled->step);
  return HF_OK;
}
