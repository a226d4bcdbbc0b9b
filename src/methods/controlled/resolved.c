// Stretches of a step in continuous time (docs/theory/accuracy.md, "Resolved motion").
//
// The laws of discrete time have a limit h -> 0, which is the equation of continuous time. An explicit method of higher
// order follows it with less work than steps of discrete time, unless these can be much longer than its stability
// allows. The two take turns. With the largest rate lambda of the equation:
//
//   1. The explicit method takes steps. Where h lambda > STIFF_STEP, its stability bounds them, not its accuracy. After `patience` such steps
//      discrete time has its turn.
//   2. Discrete time tries a step of LEAP_STEP/lambda, as long as several explicit ones, and goes on while its error allows steps of that length.
//      Then the explicit method has its turn again. If discrete time could not take even one such step, patience is doubled.
#include "methods/controlled/controlled.h"

#include "base/finite.h"
#include "math/elementary.h"
#include "model/state_parts.h"
#include "methods/ode/butcher.h"

#include <string.h>

enum {
  LEAST_PATIENCE = 8, // Stiff steps before the first try.
  MOST_DOUBLINGS = 8,
};
// Bounds of h lambda. The explicit methods are stable up to about 2.5 [-].
static const double STIFF_STEP = 1.5, LEAP_STEP = 8;
// A step of the explicit methods may have this share of the accuracy, because impacts multiply its error [-]. The
// second number is for motion without contacts, where the method of fifth order has a far smaller error than its
// estimate.
static const double STEP_SHARE = 0.002, APART_SHARE = 0.5;
// The shortest step over that of the sim, as in rk3: where a contact closes or begins to stick, the rate of its
// deformation jumps, and a step across that is as short as the accuracy asks for. But if the user's smallest_step is
// longer than BOUNDING_STEP times the sim's step, it is meant to bound the work, and explicit steps keep to it, too
// [-].
static const double SMALLEST_STEP = 1e-9, BOUNDING_STEP = 1e-6;
// While discrete time goes on, lambda is multiplied by this in each step of the sim, so that an explicit method is
// tried again some time [-].
static const double KEPT_STIFFNESS = 0.9;
// lambda after an explicit method has failed, times the step of the sim [-].
static const double UNKNOWN_STIFFNESS = 1e3;

// ---- creation ------------------------------------------------------------------------------------------

// Creates an explicit method. apart: 1 for motion without contacts, which is smooth.
static hfStatus create_part(hfiContinuous** part, hfiWorld* world, const hfSimConfig* config, int apart,
                            hfError* error) {
  hfAccelConfig accel = hfi_accel_config_of(config);
  accel.reach = HFI_FOLLOWED_GAP;

  int bounds_work = config->smallest_step > BOUNDING_STEP * config->step;
  double shortest = (bounds_work ? 1 : SMALLEST_STEP) * config->step;
  hfIntegratorConfig integrator = hf_integrator_config_default();
  integrator.method = apart ? HFI_METHOD_RK5 : HF_METHOD_RK3;
  integrator.accuracy = (apart ? APART_SHARE : STEP_SHARE) * config->accuracy;
  integrator.step = config->step;
  integrator.smallest_step = min2(config->smallest_step, shortest);

  hfStatus status = hfi_continuous_create(part, world, &accel, &integrator, HFI_VELOCITY_TIME, error);
  if (status == HF_OK) (*part)->accel->equation.domain = apart ? HFI_DOMAIN_APART : HFI_DOMAIN_TOUCHING;
  return status;
}

hfStatus hfi_resolved_create(hfiResolved* resolved, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  hfStatus status = create_part(&resolved->apart, world, config, 1, error);
  return status == HF_OK ? create_part(&resolved->touching, world, config, 0, error) : status;
}

void hfi_resolved_free(hfiResolved* resolved) {
  hfi_continuous_free(resolved->apart);
  hfi_continuous_free(resolved->touching);
}

// ---- where the laws agree ----------------------------------------------------------------------------

int hfi_resolved_applies(const hfiControlled* c, const hfInput* in) {
  const hfModel* m = c->world->model;
  const hfSimConfig* config = hfi_discrete_config(c->discrete);
  if (config->method != HF_METHOD_TAMSI || !config->gyroscopic || m->nv == 0 || m->nmocap > 0) return 0;
  if (c->world->has_restitution || c->world->has_dynamic_friction) return 0;

  int any_loss = hfi_any_nonzero(hf_model_dof_frictionloss(m), m->nv) ||
      hfi_any_nonzero(hf_model_tendon_frictionloss(m), m->ntendon);
  return m->neq == 0 && !any_loss && !hfi_world_targets(c->world, in);
}

// ---- pace --------------------------------------------------------------------------------------------

// A pace in the 64 bits that the state has for it.
typedef struct kept {
  float h;            // length of the next step; negative if the explicit method goes on
  uint16_t stiffness; // upper half of lambda as a float
  // The upper 4 bits: how often patience was doubled. The lower 12 bits: if the explicit method goes on, the number of
  // stiff steps that it may still take; if discrete time goes on, the exponent x of span = step 2^(-x/SPAN_SCALE).
  uint16_t patience;
} kept;
_Static_assert(sizeof(kept) == sizeof(int64_t), "a pace fits into a number of the state");
enum { DOUBLINGS_SHIFT = 12, PATIENCE_MASK = (1 << DOUBLINGS_SHIFT) - 1, SPAN_SCALE = 128 };

static float float_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static uint32_t bits_of_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

hfiPace hfi_pace_recall(const hfiControlled* c, const hfState* state) {
  kept k;
  memcpy(&k, &hf_state_discrete(state)[HFI_WORD_PACE], sizeof k);
  double stiffness = float_of_bits((uint32_t)k.stiffness << 16);
  int is_pace = isfinite(k.h) && k.h != 0 && stiffness >= 0 && isfinite(stiffness);
  if (!is_pace) return (hfiPace){.h = c->step, .resolved = 1, .patience = LEAST_PATIENCE};

  hfiPace pace = {.h = clamp(fabs((double)k.h), c->smallest, c->step),
                  .stiffness = stiffness,
                  .resolved = k.h < 0,
                  .doublings = imin2(k.patience >> DOUBLINGS_SHIFT, MOST_DOUBLINGS),
                  .leaped = 1};
  int low = k.patience & PATIENCE_MASK;
  if (pace.resolved) pace.patience = low;
  else pace.span = c->step * hfi_exp2(-low / (double)SPAN_SCALE);
  return pace;
}

// The exponent of the span, in parts of SPAN_SCALE.
static int32_t span_code(const hfiControlled* c, double span) {
  if (!(span > 0)) return PATIENCE_MASK;
  return (int32_t)clamp(floor(SPAN_SCALE * hfi_log2(c->step / span) + 0.5), 0, PATIENCE_MASK);
}

void hfi_pace_keep(const hfiControlled* c, hfState* state, const hfiPace* pace) {
  double stiffness = pace->resolved ? pace->stiffness : KEPT_STIFFNESS * pace->stiffness;
  int32_t low = pace->resolved ? pace->patience : span_code(c, pace->span);
  kept k = {.h = (float)(pace->resolved ? -pace->h : pace->h),
            .stiffness = (uint16_t)(bits_of_float((float)stiffness) >> 16),
            .patience = (uint16_t)(low | pace->doublings << DOUBLINGS_SHIFT)};
  memcpy(&hf_state_mutable_discrete(state)[HFI_WORD_PACE], &k, sizeof k);
}

int hfi_pace_hand_over(hfiPace* pace, double h) {
  if (!(h * pace->stiffness < LEAP_STEP)) return 0;
  int doublings = pace->leaped ? 0 : pace->doublings + 1;
  pace->h = min2(h, STIFF_STEP / pace->stiffness);
  pace->resolved = 1;
  pace->doublings = imin2(doublings, MOST_DOUBLINGS);
  pace->patience = LEAST_PATIENCE << pace->doublings;
  return 1;
}

// ---- a stretch -----------------------------------------------------------------------------------------

hfStatus hfi_resolved_advance(hfiControlled* c, hfState* state, const hfInput* in, double rest, int most,
                              hfiPace* pace, hfError* error) {
  // contacts near the state decide which method follows it
  hfi_world_place(c->world, hf_state_q(state), in);
  hfi_near_find(&c->world->near, HFI_FOLLOWED_GAP, 0, NULL);
  hfiContinuous* part = c->world->near.ncontact ? c->resolved.touching : c->resolved.apart;
  c->resolved.last = part;

  // how long it may
  hfiStiffnessWatch* watch = hfi_integrator_watch(part->integrator);
  watch->limit = STIFF_STEP;
  watch->left = pace->patience;
  watch->most = LEAST_PATIENCE << pace->doublings;
  watch->rest = 0;
  watch->least = INFINITY;
  hfi_integrator_limit(part->integrator, most);
  part->first = pace->h;
  part->accel->anchors.span = pace->span;
  pace->span = 0;
  hfStatus status = hfi_continuous_step(part, state, in, rest, error);
  if (status < 0) return status;

  // how the motion continues
  pace->failed = status > 0;
  pace->patience = imax2(watch->left, 0);
  pace->resolved = !pace->failed && watch->left >= 0;
  pace->leaped = 0;
  pace->stiffness = pace->failed ? UNKNOWN_STIFFNESS / c->step : hfi_watched_stiffness(watch);
  double next = LEAP_STEP / pace->stiffness;
  if (pace->resolved) next = hf_integrator_next_step(part->integrator);
  else if (pace->failed) next = pace->h;
  pace->h = clamp(next, c->smallest, c->step);
  return HF_OK;
}
