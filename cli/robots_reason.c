// A scene behaves alike where at the end no joint differs by more than 0.02 rad or 5 mm and, if both engines are at rest, the
// deepest points and the forces of each pair of bodies differ by at most 10 %. Where it does not, runs in which one thing is
// different tell why: MuJoCo's default softness here (the field mujoco_softness), and friction that creeps with it; in MuJoCo a start that differs by 1e-6, half
// the step, its recipe against creep, and a start at our end; and in both engines steps of an eighth of the length: as it is, with that recipe in MuJoCo, without the
// friction of geoms, without contacts, and without limits.
#include "robots_reason.h"

#include <math.h>
#include <stdlib.h>

static const double ANGLE = 0.02, LENGTH = 0.005; // how far joints of scenes that behave alike differ [rad], [m]
static const double FAR_ANGLE = 1, FAR_LENGTH = 0.1; // how far joints of runs differ that have no determined end [rad], [m]
static const double SHARE = 0.1;                  // how far their depths and forces differ [-]
static const double RESTING = 0.01;               // the largest speed of a scene at rest [m/s or rad/s]
static const double OVERLAP = 0.001;              // contacts that begin deeper than this throw bodies apart [m]

// What is known of a scene that is not alike.
typedef struct evidence {
  trial* t;
  comparison soft;                                      // our run with MuJoCo's default softness
  outcome soft_end;                                     // and its end
  comparison creeping;                                  // and with friction that creeps as MuJoCo's does, too
  outcomeDistance creeping_own;                         // how far its end is from soft_end
  outcomeContacts creeping_contacts;                    // its contacts beside those of soft_end
  outcomeDistance shifted, half, recipe;                // how far MuJoCo differs from itself: with a shifted start, half the step, its recipe
  outcomeContacts recipe_contacts;                      // contacts of MuJoCo's run with its recipe, compared with its default
  int unstable;                                         // 1: MuJoCo found accelerations that are not finite or huge
  int own_parameters;                                   // 1: the scene has contact parameters of ours
  outcomeDistance fine, creepless, frictionless, contactless, limitless; // how far the engines differ with mujoco_softness at an eighth of the step
  outcomeDistance fine_recipe;                          // how far MuJoCo differs from itself at an eighth of the step with its recipe
} evidence;

static int is_near(outcomeDistance x) { return x.angle <= ANGLE && x.length <= LENGTH; }

// Is a distance at an eighth of the step within the bounds, or so much smaller that errors of the steps explain the rest?
static int shrinks(outcomeDistance fine, outcomeDistance x) {
  return fine.angle <= fmax(ANGLE, x.angle / 4) && fine.length <= fmax(LENGTH, x.length / 4);
}

// Is MuJoCo so far from itself in another run that this explains how far we are from it? A small difference of its own explains no large one, but
// what differs by FAR has no determined end: how far a thing has fallen does not count.
static int covers(outcomeDistance own, outcomeDistance apart) {
  return !is_near(own) && (apart.angle <= ANGLE || own.angle >= fmin(apart.angle / 4, FAR_ANGLE)) &&
         (apart.length <= LENGTH || own.length >= fmin(apart.length / 4, FAR_LENGTH));
}

static int contacts_agree(const outcomeContacts* c) { return c->depth <= SHARE && c->force <= SHARE; }

// The same as covers, for contacts.
static int contacts_cover(const outcomeContacts* own, const outcomeContacts* apart) {
  return (apart->depth <= SHARE || own->depth >= apart->depth / 4) && (apart->force <= SHARE || own->force >= apart->force / 4);
}

// Do depths and the parts of forces along the normals agree? Friction that holds nothing fades in MuJoCo.
static int normals_agree(const outcomeContacts* c) { return c->depth <= SHARE && c->normal <= SHARE; }

static int is_alike(const comparison* c) { return is_near(c->apart) && (!c->resting || contacts_agree(&c->contacts)); }

static int is_alike_with_recipe(const comparison* c) { return is_near(c->recipe) && c->recipe_resting && contacts_agree(&c->recipe_contacts); }

static int are_resting(const outcome* ours, const outcome* peer) { return ours->speed < RESTING && peer->speed < RESTING; }

static comparison compare(const hfModel* m, const outcome* ours, const outcome peer[PEER_RUNS]) {
  comparison c = {.apart = outcome_distance(m, ours, &peer[PEER_DEFAULT]),
                  .recipe = outcome_distance(m, ours, &peer[PEER_RECIPE]),
                  .resting = are_resting(ours, &peer[PEER_DEFAULT]),
                  .recipe_resting = are_resting(ours, &peer[PEER_RECIPE]),
                  .contacts = outcome_contacts(ours, &peer[PEER_DEFAULT]),
                  .recipe_contacts = outcome_contacts(ours, &peer[PEER_RECIPE])};
  return c;
}

// ---- runs that tell why -----------------------------------------------------------------------------

static int any_given(const double* x, int n) {
  for (int i = 0; i < n; ++i)
    if (x[i] >= 0) return 1;
  return 0;
}

// Does the scene say how stiff or elastic contacts are, in our own words?
static int has_own_parameters(const hfModel* m) {
  const hfWorld* w = &m->world;
  int elastic = 0;
  for (int g = 0; g < m->ngeom; ++g) elastic |= hf_model_geom_restitution(m)[g] > 0;
  return elastic || w->stiffness < 1e6 /* no default is as soft */ || any_given(hf_model_geom_stiffness(m), m->ngeom) ||
         any_given(hf_model_geom_dissipation(m), m->ngeom);
}

// A run with MuJoCo's default softness and a law of friction, -1: the scene's. The sim is then that of our configuration again.
static int run_soft(trial* t, int friction, outcome* end, hfError* error) {
  int failed = trial_make_sim(t, 1, friction, error) != 0 || trial_run(t, error) != 0 || outcome_take(end, t->w.model, t->w.sim, t->w.state) != 0;
  return trial_make_sim(t, 0, -1, error) != 0 || failed ? -1 : 0;
}

static int compare_soft(evidence* e, const outcome peer[PEER_RUNS], hfError* error) {
  if (run_soft(e->t, -1, &e->soft_end, error) != 0 || trial_keep_end(e->t) != 0) return -1;
  e->soft = compare(e->t->w.model, &e->soft_end, peer);
  return 0;
}

// Compares our run with regularised friction, which creeps where anchored friction sticks. Returns 0 where that law does not act.
static int compare_creeping(evidence* e, const outcome peer[PEER_RUNS]) {
  const hfModel* m = e->t->w.model;
  outcome end = {0};
  int made = run_soft(e->t, HF_FRICTION_REGULARISED, &end, NULL) == 0;
  if (made) {
    e->creeping = compare(m, &end, peer);
    e->creeping_own = outcome_distance(m, &end, &e->soft_end);
    e->creeping_contacts = outcome_contacts(&end, &e->soft_end);
  }
  outcome_free(&end);
  return made;
}

// How far two runs are apart; infinitely far if one of them could not be made.
static outcomeDistance distance_of(const hfModel* m, const outcome* ours, const outcome* peer) {
  return ours->q && peer->q ? outcome_distance(m, ours, peer) : (outcomeDistance){INFINITY, INFINITY};
}

static void compare_experiments(evidence* e, const outcome ours[PEER_RUNS], const outcome peer[PEER_RUNS]) {
  const hfModel* m = e->t->w.model;
  e->fine = distance_of(m, &ours[PEER_FINE], &peer[PEER_FINE]);
  e->creepless = distance_of(m, &ours[PEER_FINE], &peer[PEER_CREEPLESS]);
  e->fine_recipe = distance_of(m, &peer[PEER_CREEPLESS], &peer[PEER_FINE]);
  e->frictionless = distance_of(m, &ours[PEER_FRICTIONLESS], &peer[PEER_FRICTIONLESS]);
  e->contactless = distance_of(m, &ours[PEER_CONTACTLESS], &peer[PEER_CONTACTLESS]);
  e->limitless = distance_of(m, &ours[PEER_LIMITLESS], &peer[PEER_LIMITLESS]);
}

// Both engines at an eighth of the step. Our friction does not creep, so that one run of ours goes with two of MuJoCo: as it is, and with its
// recipe against creep.
static void run_experiments(evidence* e) {
  char why[128];
  outcome *peer = calloc(PEER_RUNS, sizeof *peer), *ours = calloc(PEER_RUNS, sizeof *ours);
  e->fine = e->creepless = e->frictionless = e->contactless = e->limitless = (outcomeDistance){INFINITY, INFINITY},
  e->fine_recipe = (outcomeDistance){0, 0};
  if (peer && ours) {
    trial_ask_peer(e->t, peer, PEER_FINE, PEER_LIMITLESS, why, sizeof why);
    trial_vary(e->t, PEER_FINE, &ours[PEER_FINE], NULL);
    trial_vary(e->t, PEER_FRICTIONLESS, &ours[PEER_FRICTIONLESS], NULL);
    trial_vary(e->t, PEER_CONTACTLESS, &ours[PEER_CONTACTLESS], NULL);
    trial_vary(e->t, PEER_LIMITLESS, &ours[PEER_LIMITLESS], NULL);
    compare_experiments(e, ours, peer);
  }
  for (int k = 0; peer && ours && k < PEER_RUNS; ++k) outcome_free(&peer[k]), outcome_free(&ours[k]);
  free(peer), free(ours);
}

// MuJoCo from our end. Does it stay there, with our depths and normal forces, although its own are others? Then both ends are places of rest of one scene.
// own: how the contacts of its two runs differ.
static int rests_at_our_end(const evidence* e, const outcome* base, outcomeContacts* own) {
  char why[128];
  outcome* peer = calloc(PEER_RUNS, sizeof *peer);
  const outcome* stays = peer + PEER_STAYS;
  int rests = 0;
  if (peer && trial_ask_peer(e->t, peer, PEER_STAYS, PEER_STAYS, why, sizeof why) == 0) {
    outcomeContacts from_ours = outcome_contacts(&e->soft_end, stays);
    *own = outcome_contacts(stays, base);
    rests = are_resting(&e->soft_end, stays) && is_near(outcome_distance(e->t->w.model, &e->soft_end, stays)) && normals_agree(&from_ours) &&
            !contacts_agree(own);
  }
  if (peer) outcome_free(&peer[PEER_STAYS]);
  free(peer);
  return rests;
}

// ---- words ------------------------------------------------------------------------------------------

static const char OWN_PARAMETERS[] = "the scene has contact parameters of ours (hf.*), which MuJoCo does not read";

// Says what the experiments showed about joints that differ. Returns 0 where they do not tell.
static int explain_by_experiments(verdict* v, evidence* e) {
  static const char fine[] = "at an eighth of the step, with mujoco_softness,";
  size_t size = sizeof v->reason;
  run_experiments(e);
  double overlap = trial_overlap(e->t);
  outcomeDistance beyond = trial_beyond_limits(e->t);
  if (shrinks(e->fine, e->soft.apart) && shrinks(e->fine, v->ours.apart))
    snprintf(v->reason, size, "length of the steps: %s %.2g rad, %.2g m apart", fine, e->fine.angle, e->fine.length);
  else if (is_near(e->creepless))
    snprintf(v->reason, size, "MuJoCo creeps: %s %.2g rad, %.2g m apart, and alike with its recipe", fine, e->fine.angle, e->fine.length);
  else if (is_near(e->frictionless))
    snprintf(v->reason, size, "friction: %s %.2g rad, %.2g m apart, and alike without it", fine, e->fine.angle, e->fine.length);
  else if (is_near(e->contactless) && overlap > OVERLAP)
    snprintf(v->reason, size, "parts that overlap by %.2g mm at the start: %s %.2g rad, %.2g m apart, and alike without contacts", 1e3 * overlap, fine,
             e->fine.angle, e->fine.length);
  else if (is_near(e->limitless) && !is_near(beyond))
    snprintf(v->reason, size, "joints that start up to %.2g rad, %.2g m beyond their limits: %s %.2g rad, %.2g m apart, and alike without limits",
             beyond.angle, beyond.length, fine, e->fine.angle, e->fine.length);
  else
    return 0;
  return 1;
}

static void explain_by_chaos(verdict* v, const evidence* e) {
  snprintf(v->reason, sizeof v->reason, "chaos: a start that differs by 1e-6 takes MuJoCo %.2g rad, %.2g m away", e->shifted.angle, e->shifted.length);
}

// Says what friction that creeps does to our run. Returns 0 where that does not tell.
static int explain_by_creep(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  static const char setting[] = "with mujoco_softness and regularised friction";
  const outcomeContacts* own = &e->creeping_contacts;
  size_t size = sizeof v->reason;
  if (!compare_creeping(e, peer)) return 0;
  if (is_alike(&e->creeping))
    snprintf(v->reason, size, "MuJoCo creeps: %s, which creeps, it is alike", setting);
  else if (covers(e->creeping_own, e->soft.apart))
    snprintf(v->reason, size, "friction decides: %s we are %.2g rad, %.2g m away from ourselves", setting, e->creeping_own.angle,
             e->creeping_own.length);
  else if (is_near(e->soft.apart) && is_near(e->creeping_own) && !contacts_agree(own) && contacts_cover(own, &e->soft.contacts))
    snprintf(v->reason, size, "friction decides: %s our depths and forces differ by %.0f %% and %.0f %% from our own", setting, 100 * own->depth,
             100 * own->force);
  else
    return 0;
  return 1;
}

// Says why depths or forces differ where joints do not, or not with mujoco_softness.
static void explain_contacts(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  size_t size = sizeof v->reason;
  outcomeContacts own;
  const outcomeContacts *soft = &e->soft.contacts, *recipe = &e->recipe_contacts;
  if (e->own_parameters)
    snprintf(v->reason, size, "%s", OWN_PARAMETERS);
  else if (soft->force <= SHARE && soft->depth_same_places <= SHARE)
    snprintf(v->reason, size, "depths: the engines have other contact points, which share the load");
  else if (soft->depth <= SHARE && soft->force_a_point <= SHARE)
    snprintf(v->reason, size, "forces: the engines have other contact points, as deep and each with the same force, of a body that hardly yields");
  else if (is_alike_with_recipe(&v->ours) || is_alike_with_recipe(&e->soft))
    snprintf(v->reason, size, "MuJoCo creeps: with its recipe depths and forces are alike");
  else if (normals_agree(soft))
    snprintf(v->reason, size, "friction: normal forces are alike, and differ by %.0f %% at most; friction that holds nothing fades in MuJoCo", 100 * soft->normal);
  else if (!is_near(e->recipe))
    snprintf(v->reason, size, "friction decides: MuJoCo with its recipe is %.2g rad, %.2g m away from itself", e->recipe.angle, e->recipe.length);
  else if (recipe->force > SHARE)
    snprintf(v->reason, size, "friction decides: with its recipe MuJoCo has forces that differ by %.0f %% from its own", 100 * recipe->force);
  else if (explain_by_creep(v, e, peer))
    return;
  else if (rests_at_our_end(e, &peer[PEER_DEFAULT], &own))
    snprintf(v->reason, size,
             "two places of rest: from our end, with mujoco_softness, MuJoCo stays there, with depths and forces that differ by %.0f %% and %.0f %% "
             "from its own",
             100 * own.depth, 100 * own.force);
  else {
    v->differs = 1;
    snprintf(v->reason, size, "contacts differ; with mujoco_softness %.0f %%, %.0f %%", 100 * soft->depth, 100 * soft->force);
  }
}

// The same where joints differ by our stiffness alone.
static void explain_rest(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  enum { PREFIX = 64 };
  char rest[sizeof v->reason - PREFIX];
  explain_contacts(v, e, peer);
  snprintf(rest, sizeof rest, "%.*s", (int)sizeof rest - 1, v->reason);
  snprintf(v->reason, sizeof v->reason, "our stiffness: joints are alike with mujoco_softness; %s", rest);
}

// Says why joints differ, as far as measurements tell. Chaos of its own size comes first; smaller chaos can have made a difference large that has
// another cause, for which the experiments look before.
static void explain_joints(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  size_t size = sizeof v->reason;
  if (covers(e->shifted, v->ours.apart))
    explain_by_chaos(v, e);
  else if (is_near(v->ours.recipe))
    snprintf(v->reason, size, "MuJoCo creeps: with its recipe it is alike");
  else if (e->own_parameters)
    snprintf(v->reason, size, "%s", OWN_PARAMETERS);
  else if (is_near(e->soft.apart))
    explain_rest(v, e, peer);
  else if (is_near(e->soft.recipe))
    snprintf(v->reason, size, "MuJoCo creeps: with its recipe and mujoco_softness it is alike");
  else if (explain_by_experiments(v, e))
    return;
  else if (e->t->left_out[0])
    snprintf(v->reason, size, "left out: %.140s", e->t->left_out);
  else if (covers(e->half, v->ours.apart))
    snprintf(v->reason, size, "MuJoCo at half the step is %.2g rad, %.2g m away", e->half.angle, e->half.length);
  else if (covers(e->recipe, v->ours.apart))
    snprintf(v->reason, size, "friction decides: MuJoCo with its recipe is %.2g rad, %.2g m away from itself", e->recipe.angle, e->recipe.length);
  else if (!is_near(e->shifted))
    explain_by_chaos(v, e);
  else if (covers(e->fine_recipe, e->fine))
    snprintf(v->reason, size, "friction decides: at an eighth of the step MuJoCo with its recipe is %.2g rad, %.2g m away from itself, and %.2g rad, %.2g m from us",
             e->fine_recipe.angle, e->fine_recipe.length, e->creepless.angle, e->creepless.length);
  else if (explain_by_creep(v, e, peer))
    return;
  else if (is_near(e->contactless))
    snprintf(v->reason, size, "contacts: at an eighth of the step, with mujoco_softness, %.2g rad, %.2g m apart, without friction %.2g rad, %.2g m, and alike without contacts",
             e->fine.angle, e->fine.length, e->frictionless.angle, e->frictionless.length);
  else {
    v->differs = 1;
    snprintf(v->reason, size, "differs; with mujoco_softness %.2g rad, %.2g m", e->soft.apart.angle, e->soft.apart.length);
  }
}

static void explain(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  if (e->unstable)
    snprintf(v->reason, sizeof v->reason, "MuJoCo is unstable: it finds accelerations that are not finite or huge, and starts again");
  else if (is_alike(&e->soft))
    snprintf(v->reason, sizeof v->reason, "%s", e->own_parameters ? OWN_PARAMETERS : "our stiffness: alike with mujoco_softness");
  else if (!is_near(v->ours.apart))
    explain_joints(v, e, peer);
  else
    explain_contacts(v, e, peer);
}

// ---- a scene ----------------------------------------------------------------------------------------

// Judges our outcome beside the peer's first runs.
static void judge(verdict* v, trial* t, const outcome* ours, const outcome peer[PEER_RUNS]) {
  const hfModel* m = t->w.model;
  const outcome* base = &peer[PEER_DEFAULT];
  hfError error = {HF_OK, ""};
  evidence e = {.t = t,
                .shifted = outcome_distance(m, base, &peer[PEER_SHIFTED]),
                .half = outcome_distance(m, base, &peer[PEER_HALF]),
                .recipe = outcome_distance(m, base, &peer[PEER_RECIPE]),
                .recipe_contacts = outcome_contacts(&peer[PEER_RECIPE], base),
                .unstable = isinf(base->speed),
                .own_parameters = has_own_parameters(m)};
  v->ours = compare(m, ours, peer);
  v->compared = 1;
  if (is_alike(&v->ours) && !e.unstable) return;
  if (compare_soft(&e, peer, &error) == 0)
    explain(v, &e, peer);
  else {
    v->compared = 0;
    snprintf(v->reason, sizeof v->reason, "%.250s", error.message);
  }
  outcome_free(&e.soft_end);
}

verdict verdict_find(trial* t) {
  verdict v = {.reason = "out of memory"};
  outcome ours = {0}, *peer = calloc(PEER_RUNS, sizeof *peer);
  if (peer && outcome_take(&ours, t->w.model, t->w.sim, t->w.state) == 0 &&
      trial_ask_peer(t, peer, PEER_DEFAULT, PEER_RECIPE, v.reason, sizeof v.reason) == 0) {
    v.reason[0] = 0;
    judge(&v, t, &ours, peer);
  }
  outcome_free(&ours);
  for (int k = 0; peer && k < PEER_RUNS; ++k) outcome_free(&peer[k]);
  free(peer);
  return v;
}
