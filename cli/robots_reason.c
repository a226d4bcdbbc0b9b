// A scene behaves alike where at the end no joint differs by more than 0.02 rad or 5 mm and, if both engines are at
// rest, the deepest points and the forces of each pair of bodies differ by at most 10 %.
//
// Where it does not, runs in which one thing is different tell why:
// - ours: with MuJoCo's default softness (the field mujoco_softness), and with friction that creeps as well;
// - MuJoCo's: a start that differs by 1e-6, half the step, its recipe against creep, and a start at our end;
// - both, with steps of an eighth of the length: as they are, with that recipe in MuJoCo, without the friction of
//   geoms, without contacts, and without limits.
#include "robots_reason.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const double ANGLE = 0.02;     // Joints of scenes that behave alike differ by at most this angle [rad],
static const double LENGTH = 0.005;   // and by at most this length [m].
static const double FAR_ANGLE = 1;    // Runs whose joints differ by this angle [rad] have no determined end,
static const double FAR_LENGTH = 0.1; // nor have those that differ by this length [m].
static const double SHARE = 0.1;      // Depths and forces of scenes that behave alike differ by at most this share [-].
static const double RESTING = 0.01;   // The largest speed of a scene at rest [m/s or rad/s].
static const double OVERLAP = 0.001;  // Contacts that begin deeper than this throw bodies apart [m].

// The distance of runs of which one could not be made.
static const outcomeDistance NO_RUN = {INFINITY, INFINITY};

// What is known of a scene that is not alike.
typedef struct evidence {
  trial* t;
  int unstable;       // 1: MuJoCo found accelerations that are not finite or huge
  int own_parameters; // 1: the scene has contact parameters of ours

  // our runs with MuJoCo's default softness
  comparison soft;
  outcome soft_end;
  comparison creeping;               // with friction that creeps as MuJoCo's does, too
  outcomeDistance creeping_own;      // how far its end is from soft_end
  outcomeContacts creeping_contacts; // its contacts beside those of soft_end

  // how far MuJoCo is from itself
  outcomeDistance shifted;         // with a shifted start
  outcomeDistance half;            // with half the step
  outcomeDistance recipe;          // with its recipe
  outcomeContacts recipe_contacts; // contacts of that run beside those of its default
  outcomeDistance fine_recipe;     // at an eighth of the step, with its recipe

  // how far the engines are apart with mujoco_softness at an eighth of the step
  outcomeDistance fine;
  outcomeDistance creepless;
  outcomeDistance frictionless;
  outcomeDistance contactless;
  outcomeDistance limitless;
} evidence;

// Are joints as near to each other as those of scenes that behave alike?
static int is_near(outcomeDistance x) {
  return x.angle <= ANGLE && x.length <= LENGTH;
}

// Is a distance at an eighth of the step within the bounds?
// Or is it so much smaller than x that errors of the steps explain the rest?
static int shrinks(outcomeDistance fine, outcomeDistance x) {
  return fine.angle <= fmax(ANGLE, x.angle / 4) && fine.length <= fmax(LENGTH, x.length / 4);
}

// Is MuJoCo so far from itself in another run that this explains how far we are from it?
// A small difference of its own explains no large one. But what differs by FAR_ANGLE or FAR_LENGTH has no
// determined end: how far a thing has fallen does not count.
static int covers(outcomeDistance own, outcomeDistance apart) {
  int covers_angle = apart.angle <= ANGLE || own.angle >= fmin(apart.angle / 4, FAR_ANGLE);
  int covers_length = apart.length <= LENGTH || own.length >= fmin(apart.length / 4, FAR_LENGTH);
  return !is_near(own) && covers_angle && covers_length;
}

// Do depths and forces of the pairs of bodies agree?
static int contacts_agree(const outcomeContacts* c) {
  return c->depth <= SHARE && c->force <= SHARE;
}

// The same as covers, for contacts.
static int contacts_cover(const outcomeContacts* own, const outcomeContacts* apart) {
  int covers_depth = apart->depth <= SHARE || own->depth >= apart->depth / 4;
  int covers_force = apart->force <= SHARE || own->force >= apart->force / 4;
  return covers_depth && covers_force;
}

// Do depths and the parts of forces along the normals agree? Friction that holds nothing fades in MuJoCo.
static int normals_agree(const outcomeContacts* c) {
  return c->depth <= SHARE && c->normal <= SHARE;
}

// Does the scene behave alike beside MuJoCo as the file sets it?
static int is_alike(const comparison* c) {
  return is_near(c->apart) && (!c->resting || contacts_agree(&c->contacts));
}

// Does the scene rest alike beside MuJoCo with its recipe against creep?
static int is_alike_with_recipe(const comparison* c) {
  return is_near(c->recipe) && c->recipe_resting && contacts_agree(&c->recipe_contacts);
}

// Are both engines at rest at the end?
static int are_resting(const outcome* ours, const outcome* peer) {
  return ours->speed < RESTING && peer->speed < RESTING;
}

// Compares an outcome of ours with MuJoCo's as the file sets it and with its recipe.
static comparison compare(const hfModel* m, const outcome* ours, const outcome peer[PEER_RUNS]) {
  return (comparison){.apart = outcome_distance(m, ours, &peer[PEER_DEFAULT]),
                      .recipe = outcome_distance(m, ours, &peer[PEER_RECIPE]),
                      .resting = are_resting(ours, &peer[PEER_DEFAULT]),
                      .recipe_resting = are_resting(ours, &peer[PEER_RECIPE]),
                      .contacts = outcome_contacts(ours, &peer[PEER_DEFAULT]),
                      .recipe_contacts = outcome_contacts(ours, &peer[PEER_RECIPE])};
}

// ---- runs that tell why -----------------------------------------------------------------------------

// Is one of n numbers given? Numbers that are not given are negative.
static int any_given(const double* x, int n) {
  for (int i = 0; i < n; ++i)
    if (x[i] >= 0) return 1;
  return 0;
}

// Does the scene say how stiff or elastic contacts are, in our own words?
static int has_own_parameters(const hfModel* m) {
  int elastic = 0;
  for (int g = 0; g < m->ngeom; ++g) elastic |= hf_model_geom_restitution(m)[g] > 0;

  return elastic || m->world.stiffness < 1e6 /* no default is as soft */ ||
         any_given(hf_model_geom_stiffness(m), m->ngeom) || any_given(hf_model_geom_dissipation(m), m->ngeom);
}

// Runs the scene with MuJoCo's default softness and a law of friction (hfFrictionLaw; -1: the law of the scene).
// Takes the end of the run. The sim is then made anew with our configuration. Returns 0, or -1 if any of that fails.
static int run_soft(trial* t, int friction, outcome* end, hfError* error) {
  int failed = trial_make_sim(t, 1, friction, error) != 0 || trial_run(t, error) != 0 ||
               outcome_take(end, t->w.model, t->w.sim, t->w.state) != 0;

  // also after a failure the next run needs the sim of our configuration
  return trial_make_sim(t, 0, -1, error) != 0 || failed ? -1 : 0;
}

// Compares our run with MuJoCo's default softness with the peer's. Sets soft and soft_end. Returns 0 or -1.
static int compare_soft(evidence* e, const outcome peer[PEER_RUNS], hfError* error) {
  if (run_soft(e->t, -1, &e->soft_end, error) != 0) return -1;
  if (trial_keep_end(e->t) != 0) return -1;

  e->soft = compare(e->t->w.model, &e->soft_end, peer);
  return 0;
}

// Compares our run with regularised friction, which creeps where anchored friction sticks.
// Sets the creeping members of the evidence. Returns 0 where that law does not act.
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
  if (!ours->q || !peer->q) return NO_RUN;
  return outcome_distance(m, ours, peer);
}

// Runs both engines at an eighth of the step, and sets the distances of these runs in the evidence.
// Our friction does not creep. So one run of ours goes with two of MuJoCo: as it is, and with its recipe against creep.
static void run_experiments(evidence* e) {
  static const peerRun ours_too[] = {PEER_FINE, PEER_FRICTIONLESS, PEER_CONTACTLESS, PEER_LIMITLESS};
  const hfModel* m = e->t->w.model;
  char why[128];
  outcome* peer = calloc(PEER_RUNS, sizeof *peer);
  outcome* ours = calloc(PEER_RUNS, sizeof *ours);

  // without memory nothing is near, and MuJoCo does not differ from itself
  e->fine = NO_RUN;
  e->creepless = NO_RUN;
  e->frictionless = NO_RUN;
  e->contactless = NO_RUN;
  e->limitless = NO_RUN;
  e->fine_recipe = (outcomeDistance){0, 0};

  if (peer && ours) {
    trial_ask_peer(e->t, peer, PEER_FINE, PEER_LIMITLESS, why, sizeof why);
    for (size_t k = 0; k < sizeof ours_too / sizeof *ours_too; ++k)
      trial_vary(e->t, ours_too[k], &ours[ours_too[k]], NULL);

    e->fine = distance_of(m, &ours[PEER_FINE], &peer[PEER_FINE]);
    e->creepless = distance_of(m, &ours[PEER_FINE], &peer[PEER_CREEPLESS]);
    e->fine_recipe = distance_of(m, &peer[PEER_CREEPLESS], &peer[PEER_FINE]);
    e->frictionless = distance_of(m, &ours[PEER_FRICTIONLESS], &peer[PEER_FRICTIONLESS]);
    e->contactless = distance_of(m, &ours[PEER_CONTACTLESS], &peer[PEER_CONTACTLESS]);
    e->limitless = distance_of(m, &ours[PEER_LIMITLESS], &peer[PEER_LIMITLESS]);

    for (int k = 0; k < PEER_RUNS; ++k) {
      outcome_free(&peer[k]);
      outcome_free(&ours[k]);
    }
  }
  free(peer);
  free(ours);
}

// Starts MuJoCo from our end. Does it stay there, with our depths and normal forces, although its own are others?
// Then both ends are places of rest of one scene. own: how the contacts of MuJoCo's two runs differ.
static int rests_at_our_end(const evidence* e, const outcome* base, outcomeContacts* own) {
  char why[128];
  outcome* peer = calloc(PEER_RUNS, sizeof *peer);
  if (!peer) return 0;

  int rests = 0;
  const outcome* stays = peer + PEER_STAYS;
  if (trial_ask_peer(e->t, peer, PEER_STAYS, PEER_STAYS, why, sizeof why) == 0) {
    outcomeContacts from_ours = outcome_contacts(&e->soft_end, stays);
    *own = outcome_contacts(stays, base);
    rests = are_resting(&e->soft_end, stays) && is_near(outcome_distance(e->t->w.model, &e->soft_end, stays)) &&
            normals_agree(&from_ours) && !contacts_agree(own);
  }

  outcome_free(&peer[PEER_STAYS]);
  free(peer);
  return rests;
}

// ---- words ------------------------------------------------------------------------------------------

static const char OWN_PARAMETERS[] = "the scene has contact parameters of ours (hf.*), which MuJoCo does not read";

static int give_reason(verdict* v, const char* format, ...) HF_PRINTF(2, 3);

// Writes the reason of a verdict. Returns 1, as all that explain do where they found a reason.
static int give_reason(verdict* v, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(v->reason, sizeof v->reason, format, arguments);
  va_end(arguments);
  return 1;
}

// Runs the experiments, and gives what they show as the reason of joints that differ.
// Returns 1 if there is a reason, 0 where they show none.
static int explain_by_experiments(verdict* v, evidence* e) {
  static const char fine[] = "at an eighth of the step, with mujoco_softness,";
  run_experiments(e);
  double overlap = trial_overlap(e->t);
  outcomeDistance beyond = trial_beyond_limits(e->t);
  double angle = e->fine.angle;
  double length = e->fine.length;

  // shorter steps, and what makes MuJoCo's friction creep
  // shrinks: the first distance is within the bounds, or far smaller than the second
  if (shrinks(e->fine, e->soft.apart) && shrinks(e->fine, v->ours.apart))
    return give_reason(v, "length of the steps: %s %.2g rad, %.2g m apart", fine, angle, length);
  if (is_near(e->creepless))
    return give_reason(v, "MuJoCo creeps: %s %.2g rad, %.2g m apart, and alike with its recipe", fine, angle, length);

  // runs without a part of the physics
  if (is_near(e->frictionless))
    return give_reason(v, "friction: %s %.2g rad, %.2g m apart, and alike without it", fine, angle, length);
  if (is_near(e->contactless) && overlap > OVERLAP)
    return give_reason(v,
                       "parts that overlap by %.2g mm at the start: %s %.2g rad, %.2g m apart, "
                       "and alike without contacts",
                       1e3 * overlap, fine, angle, length);
  if (is_near(e->limitless) && !is_near(beyond))
    return give_reason(v,
                       "joints that start up to %.2g rad, %.2g m beyond their limits: %s %.2g rad, %.2g m apart, "
                       "and alike without limits",
                       beyond.angle, beyond.length, fine, angle, length);
  return 0;
}

// Says that the scene is chaotic. Returns 1.
static int explain_by_chaos(verdict* v, const evidence* e) {
  return give_reason(v, "chaos: a start that differs by 1e-6 takes MuJoCo %.2g rad, %.2g m away", e->shifted.angle,
                     e->shifted.length);
}

// Says what friction that creeps does to our run. Returns 0 where that does not tell.
static int explain_by_creep(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  static const char setting[] = "with mujoco_softness and regularised friction";
  if (!compare_creeping(e, peer)) return 0;

  if (is_alike(&e->creeping)) return give_reason(v, "MuJoCo creeps: %s, which creeps, it is alike", setting);
  if (covers(e->creeping_own, e->soft.apart))
    return give_reason(v, "friction decides: %s we are %.2g rad, %.2g m away from ourselves", setting,
                       e->creeping_own.angle, e->creeping_own.length);

  // joints are alike, and our own contacts differ as much from each other as from MuJoCo's
  const outcomeContacts* own = &e->creeping_contacts;
  if (is_near(e->soft.apart) && is_near(e->creeping_own) && !contacts_agree(own) &&
      contacts_cover(own, &e->soft.contacts))
    return give_reason(v, "friction decides: %s our depths and forces differ by %.0f %% and %.0f %% from our own",
                       setting, 100 * own->depth, 100 * own->force);
  return 0;
}

// Gives the reason why depths or forces differ, as far as the runs tell that are already made.
// Returns 1 if there is a reason, 0 where they show none.
static int explain_contacts_by_runs(verdict* v, const evidence* e) {
  const outcomeContacts* soft = &e->soft.contacts;
  const outcomeContacts* recipe = &e->recipe_contacts;
  if (e->own_parameters) return give_reason(v, "%s", OWN_PARAMETERS);

  // the same load at other points
  if (soft->force <= SHARE && soft->depth_same_places <= SHARE)
    return give_reason(v, "depths: the engines have other contact points, which share the load");
  if (soft->depth <= SHARE && soft->force_a_point <= SHARE)
    return give_reason(v, "forces: the engines have other contact points, as deep and each with the same force, "
                          "of a body that hardly yields");

  // friction
  if (is_alike_with_recipe(&v->ours) || is_alike_with_recipe(&e->soft))
    return give_reason(v, "MuJoCo creeps: with its recipe depths and forces are alike");
  if (normals_agree(soft))
    return give_reason(v,
                       "friction: normal forces are alike, and differ by %.0f %% at most; "
                       "friction that holds nothing fades in MuJoCo",
                       100 * soft->normal);
  if (!is_near(e->recipe))
    return give_reason(v, "friction decides: MuJoCo with its recipe is %.2g rad, %.2g m away from itself",
                       e->recipe.angle, e->recipe.length);
  if (recipe->force > SHARE)
    return give_reason(v, "friction decides: with its recipe MuJoCo has forces that differ by %.0f %% from its own",
                       100 * recipe->force);
  return 0;
}

// Says why depths or forces differ where joints do not, or not with mujoco_softness.
static void explain_contacts(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  if (explain_contacts_by_runs(v, e)) return;
  // our friction made to creep as that of MuJoCo does
  if (explain_by_creep(v, e, peer)) return;

  outcomeContacts own;
  if (rests_at_our_end(e, &peer[PEER_DEFAULT], &own)) {
    give_reason(v,
                "two places of rest: from our end, with mujoco_softness, MuJoCo stays there, "
                "with depths and forces that differ by %.0f %% and %.0f %% from its own",
                100 * own.depth, 100 * own.force);
    return;
  }

  v->differs = 1;
  give_reason(v, "contacts differ; with mujoco_softness %.0f %%, %.0f %%", 100 * e->soft.contacts.depth,
              100 * e->soft.contacts.force);
}

// Says why contacts differ where joints differ by our stiffness alone.
static void explain_rest(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  enum { PREFIX = 64 }; // room for the words before the rest [characters]
  char rest[sizeof v->reason - PREFIX];

  explain_contacts(v, e, peer);
  snprintf(rest, sizeof rest, "%.*s", (int)sizeof rest - 1, v->reason);
  give_reason(v, "our stiffness: joints are alike with mujoco_softness; %s", rest);
}

// Says why joints differ, as far as whole runs of the two engines tell. Returns 0 where they do not tell.
static int explain_joints_by_runs(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  if (covers(e->shifted, v->ours.apart)) return explain_by_chaos(v, e);
  if (is_near(v->ours.recipe)) return give_reason(v, "MuJoCo creeps: with its recipe it is alike");
  if (e->own_parameters) return give_reason(v, "%s", OWN_PARAMETERS);

  if (is_near(e->soft.apart)) {
    explain_rest(v, e, peer);
    return 1;
  }
  if (is_near(e->soft.recipe))
    return give_reason(v, "MuJoCo creeps: with its recipe and mujoco_softness it is alike");
  return 0;
}

// Says how far MuJoCo is from itself where that explains joints that differ. Returns 0 where it does not.
static int explain_by_peer(verdict* v, const evidence* e) {
  if (covers(e->half, v->ours.apart))
    return give_reason(v, "MuJoCo at half the step is %.2g rad, %.2g m away", e->half.angle, e->half.length);
  if (covers(e->recipe, v->ours.apart))
    return give_reason(v, "friction decides: MuJoCo with its recipe is %.2g rad, %.2g m away from itself",
                       e->recipe.angle, e->recipe.length);

  if (!is_near(e->shifted)) return explain_by_chaos(v, e);
  if (covers(e->fine_recipe, e->fine))
    return give_reason(v,
                       "friction decides: at an eighth of the step MuJoCo with its recipe is %.2g rad, %.2g m away "
                       "from itself, and %.2g rad, %.2g m from us",
                       e->fine_recipe.angle, e->fine_recipe.length, e->creepless.angle, e->creepless.length);
  return 0;
}

// Gives the reason why joints differ; where no measurement tells it, sets `differs`. The first cause that is found
// counts. Chaos as large as the difference is in the first group of causes. Smaller chaos comes after the experiments,
// because it can have enlarged a difference that has another cause.
static void explain_joints(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  // whole runs: chaos as large as the difference, creep that the recipe stops, parameters of ours, our stiffness
  if (explain_joints_by_runs(v, e, peer)) return;
  // runs at an eighth of the step: length of the steps, creep, friction, overlaps and limits at the start
  if (explain_by_experiments(v, e)) return;

  // elements of the file that our reader leaves out
  if (e->t->left_out[0]) {
    give_reason(v, "left out: %.140s", e->t->left_out);
    return;
  }
  // MuJoCo is as far from itself, at half the step or with its recipe, as it is from us; or there is some chaos
  if (explain_by_peer(v, e)) return;
  // our friction made to creep as that of MuJoCo does
  if (explain_by_creep(v, e, peer)) return;

  // only contacts are left as the cause
  if (is_near(e->contactless)) {
    give_reason(v,
                "contacts: at an eighth of the step, with mujoco_softness, %.2g rad, %.2g m apart, "
                "without friction %.2g rad, %.2g m, and alike without contacts",
                e->fine.angle, e->fine.length, e->frictionless.angle, e->frictionless.length);
    return;
  }
  v->differs = 1;
  give_reason(v, "differs; with mujoco_softness %.2g rad, %.2g m", e->soft.apart.angle, e->soft.apart.length);
}

// Writes the reason of a scene that is not alike.
static void explain(verdict* v, evidence* e, const outcome peer[PEER_RUNS]) {
  if (e->unstable)
    give_reason(v, "MuJoCo is unstable: it finds accelerations that are not finite or huge, and starts again");
  else if (is_alike(&e->soft))
    give_reason(v, "%s", e->own_parameters ? OWN_PARAMETERS : "our stiffness: alike with mujoco_softness");
  else if (!is_near(v->ours.apart))
    explain_joints(v, e, peer);
  else
    explain_contacts(v, e, peer);
}

// ---- a scene ----------------------------------------------------------------------------------------

// Compares our outcome with the peer's first runs, and gives the reason where they are not alike. Sets the verdict;
// `compared` stays 0 where the run with the peer's softness fails.
static void judge(verdict* v, trial* t, const outcome* ours, const outcome peer[PEER_RUNS]) {
  const hfModel* m = t->w.model;
  const outcome* base = &peer[PEER_DEFAULT];
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

  hfError error = {HF_OK, ""};
  if (compare_soft(&e, peer, &error) == 0) {
    explain(v, &e, peer);
  } else {
    v->compared = 0;
    give_reason(v, "%.250s", error.message);
  }
  outcome_free(&e.soft_end);
}

// Compares our run of a scene with MuJoCo's, and finds the reason if they differ.
verdict verdict_find(trial* t) {
  verdict v = {.reason = "out of memory"};
  outcome ours = {0};
  outcome* peer = calloc(PEER_RUNS, sizeof *peer);
  if (!peer) return v;

  if (outcome_take(&ours, t->w.model, t->w.sim, t->w.state) == 0 &&
      trial_ask_peer(t, peer, PEER_DEFAULT, PEER_RECIPE, v.reason, sizeof v.reason) == 0) {
    v.reason[0] = 0;
    judge(&v, t, &ours, peer);
  }

  outcome_free(&ours);
  for (int k = 0; k < PEER_RUNS; ++k) outcome_free(&peer[k]);
  free(peer);
  return v;
}
