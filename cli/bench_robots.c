// holdfast bench robots FOLDER: every MJCF scene of a folder for 2 s from its first keyframe, beside MuJoCo on the same file.
//
// A scene behaves alike where at the end no joint differs by more than 0.02 rad or 5 mm and, if both engines are at rest, the
// deepest points and the forces of each pair of bodies differ by at most 10 %. Where it does not, the table says whether it does
// with MuJoCo's default softness (the field mujoco_softness), and what MuJoCo itself makes of a start that differs by 1e-6, of
// half the step, and of its recipe against creep.
//
// The time of a step is measured as in bench gripper: runs of the two alternate, and the median of the ratios counts. It is measured beside MuJoCo
// with the settings of the file, and with its recipe for grasps. Scenes that ask for a
// method of continuous time or of events (hf.method) take steps of another kind: their times are shown, but not judged.
#include "experiment.h"

#include "common/world.h"
#include "outcome.h"
#include "peer_mujoco.h"
#include "scene_list.h"
#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAIRS = 5 };
static const double DURATION = 2;                          // [s]
static const double ANGLE = 0.02, LENGTH = 0.005;          // how far joints of scenes that behave alike differ [rad], [m]
static const double SHARE = 0.1;                           // how far their depths and forces differ [-]
static const double RESTING = 0.01;                        // the largest speed of a scene at rest [m/s or rad/s]
static const double OVER = 0.6;                            // the ratio of times that is wanted at most

typedef struct trial {
  world w;
  int steps;
  double* ctrl;        // (steps x nu) the controls of each step
  char controls[1024]; // a file with them
  char left_out[128];  // what the reader left out, "": nothing that acts
  char binary[1024];   // a file with MuJoCo's model
  char recipe[1024];   // and with its recipe for grasps: elliptic cones, impratio 100, noslip iterations
} trial;

// One of our runs beside MuJoCo's.
typedef struct comparison {
  outcomeDistance apart, recipe; // from MuJoCo's run, and from that with its recipe
  int resting;                   // 1: both are at rest
  outcomeContacts contacts;
} comparison;

typedef struct line {
  char reason[160]; // "" where the scene behaves alike
  int compared;     // 0: one of the engines does not run it
  comparison ours, soft; // with our configuration, and with MuJoCo's default softness
  outcomeDistance shifted, half, recipe; // of MuJoCo from itself
  int unstable;                          // 1: MuJoCo found accelerations that are not finite or huge
  double ratio, recipe_ratio; // of times, to MuJoCo's as the file says and with its recipe for grasps; NAN: not measured
  int method;   // hfMethod of our run: steps of other methods than the default are timed, but do not count
} line;

// ---- ours -------------------------------------------------------------------------------------------

static void begin(trial* t) {
  hf_state_reset(t->w.state, t->w.model);
  if (t->w.model->nkey) hf_state_set_key(t->w.state, t->w.input, t->w.model, 0, NULL);
}

// The first thing that the reader left out and that is no sensor.
static void note_left_out(trial* t, const hfDiagnostics* said) {
  for (int i = 0; i < hf_diagnostics_count(said) && !t->left_out[0]; ++i) {
    hfDiagnostic d = hf_diagnostics_get(said, i);
    if (d.severity == HF_WARNING && !strstr(d.message, "sensor") && !strstr(d.message, "unknown attribute"))
      snprintf(t->left_out, sizeof t->left_out, "%s", d.message);
  }
}

static int load(trial* t, const char* path, hfError* error) {
  hfDiagnostics* said = hf_diagnostics_create();
  int failed = hf_model_load(&t->w.model, path, NULL, said, error) < 0;
  if (said && !failed) note_left_out(t, said);
  hf_diagnostics_free(said);
  return failed ? -1 : 0;
}

// Makes the sim, anew if there is one. softness: the field mujoco_softness.
static int make_sim(trial* t, int softness, hfError* error) {
  hfSimConfig config = hf_sim_config_default();
  config.mujoco_softness = softness;
  hf_sim_free(t->w.sim);
  t->w.sim = NULL;
  return hf_sim_create(&t->w.sim, t->w.model, &config, error) < 0 ? -1 : 0;
}

static int open_trial(trial* t, const char* path, hfError* error) {
  if (load(t, path, error) != 0 || make_sim(t, 0, error) != 0) return -1;
  t->w.state = hf_state_create(t->w.model);
  t->w.input = hf_input_create(t->w.model);
  t->steps = (int)ceil(DURATION / hf_sim_step_size(t->w.sim) - 1e-6);
  t->ctrl = calloc((size_t)t->steps * (size_t)t->w.model->nu + 1, sizeof *t->ctrl);
  if (!t->w.state || !t->w.input || !t->ctrl) {
    snprintf(error->message, sizeof error->message, "out of memory");
    return -1;
  }
  begin(t);
  return 0;
}

static void close_trial(trial* t) {
  world_close(&t->w);
  free(t->ctrl);
}

// Steps to the end, and keeps the controls that acted. Returns 0, or -1 where a step was refused.
static int run_ours(trial* t, hfError* error) {
  size_t nu = (size_t)t->w.model->nu;
  begin(t);
  for (int i = 0; i < t->steps; ++i) {
    if (hf_sim_step(t->w.sim, t->w.state, t->w.input, NULL, error) < 0) return -1;
    memcpy(t->ctrl + (size_t)i * nu, hf_sim_ctrl(t->w.sim), sizeof *t->ctrl * nu);
  }
  return 0;
}

static double time_ours(trial* t) {
  begin(t);
  double start = processor_clock();
  for (int i = 0; i < t->steps; ++i) hf_sim_step(t->w.sim, t->w.state, t->w.input, NULL, NULL);
  return processor_clock() - start;
}

// ---- MuJoCo -----------------------------------------------------------------------------------------

static double time_peer(const PeerMujoco* peer, const trial* t, mjModel* m, mjData* d) {
  if (t->w.model->nkey)
    peer->mj_resetDataKeyframe(m, d, 0);
  else
    peer->mj_resetData(m, d);
  double start = processor_clock();
  for (int i = 0; i < t->steps; ++i) {
    if (t->w.model->nu) peer->mj_setState(m, d, t->ctrl + (size_t)i * (size_t)t->w.model->nu, MUJOCO_STATE_CTRL);
    peer->mj_step(m, d);
  }
  return processor_clock() - start;
}

// binary: the file with MuJoCo's model
static double compare_times(const PeerMujoco* peer, trial* t, const char* binary) {
  mjModel* m = peer->mj_loadModel(binary, NULL);
  mjData* d = m ? peer->mj_makeData(m) : NULL;
  double ratio[PAIRS];
  for (int i = 0; i < PAIRS && d; ++i) {
    double mine = time_ours(t);
    ratio[i] = mine / time_peer(peer, t, m, d);
  }
  double middle = d ? median(ratio, PAIRS) : NAN;
  if (d) peer->mj_deleteData(d);
  if (m) peer->mj_deleteModel(m);
  return middle;
}

static int write_controls(const trial* t) {
  size_t count = (size_t)t->steps * (size_t)t->w.model->nu;
  FILE* out = fopen(t->controls, "wb");
  if (!out) return -1;
  size_t written = fwrite(t->ctrl, sizeof *t->ctrl, count, out);
  return fclose(out) == 0 && written == count ? 0 : -1;
}

// Has the script run the scene with our controls.
static int ask_peer(const trial* t, const char* path, outcome peer[PEER_RUNS], char* why, size_t size) {
  char command[8192], script[DATA_PATH];
  const char* python = getenv("HF_PEERS_PYTHON");
  if (write_controls(t) != 0) {
    snprintf(why, size, "%.100s: cannot write", t->controls);
    return -1;
  }
  snprintf(command, sizeof command, "'%s' '%s' '%s' %d '%s' '%s' '%s' 2>/dev/null", python ? python : "python3",
           data_path(script, "bench/robots_peer.py"), path, t->steps, t->controls, t->binary, t->recipe);
  FILE* pipe = popen(command, "r");
  int failed = pipe ? outcome_read(peer, t->w.model, pipe, why, size) : -1;
  if (pipe) pclose(pipe);
  return failed;
}

// ---- one scene --------------------------------------------------------------------------------------

static int is_near(outcomeDistance x) { return x.angle <= ANGLE && x.length <= LENGTH; }

static int contacts_agree(const comparison* c) {
  return !c->resting || (c->contacts.depth <= SHARE && c->contacts.force <= SHARE);
}

static int is_alike(const comparison* c) { return is_near(c->apart) && contacts_agree(c); }

static const char OWN_PARAMETERS[] = "the scene has contact parameters of ours (hf.*), which MuJoCo does not read";

// Says why joints differ, as far as measurements tell.
static void explain_joints(line* l, const char* left_out, int own_parameters) {
  size_t size = sizeof l->reason;
  if (left_out[0])
    snprintf(l->reason, size, "left out: %.140s", left_out);
  else if (!is_near(l->shifted))
    snprintf(l->reason, size, "chaos: a start that differs by 1e-6 takes MuJoCo %.2g rad, %.2g m away", l->shifted.angle,
             l->shifted.length);
  else if (is_near(l->ours.recipe))
    snprintf(l->reason, size, "MuJoCo creeps: with its recipe it is alike");
  else if (own_parameters)
    snprintf(l->reason, size, "%s", OWN_PARAMETERS);
  else if (is_near(l->soft.recipe))
    snprintf(l->reason, size, "MuJoCo creeps: with its recipe and mujoco_softness it is alike");
  else if (!is_near(l->half))
    snprintf(l->reason, size, "MuJoCo at half the step is %.2g rad, %.2g m away", l->half.angle, l->half.length);
  else if (!is_near(l->recipe))
    snprintf(l->reason, size, "friction decides: MuJoCo with its recipe is %.2g rad, %.2g m away from itself", l->recipe.angle, l->recipe.length);
  else
    snprintf(l->reason, size, "differs; with mujoco_softness %.2g rad, %.2g m", l->soft.apart.angle, l->soft.apart.length);
}

static void find_reason(line* l, const char* left_out, int own_parameters) {
  size_t size = sizeof l->reason;
  if (is_alike(&l->ours) && !l->unstable) return;
  if (l->unstable)
    snprintf(l->reason, size, "MuJoCo is unstable: it finds accelerations that are not finite or huge, and starts again");
  else if (is_alike(&l->soft))
    snprintf(l->reason, size, "our stiffness: alike with mujoco_softness");
  else if (!is_near(l->ours.apart))
    explain_joints(l, left_out, own_parameters);
  else if (own_parameters)
    snprintf(l->reason, size, "%s", OWN_PARAMETERS);
  else if (l->soft.contacts.force <= SHARE && l->soft.contacts.other_points)
    snprintf(l->reason, size, "depths: the engines have different numbers of contact points, which share the load");
  else if (l->soft.resting && l->soft.contacts.depth <= SHARE && is_near(l->ours.recipe))
    snprintf(l->reason, size, "MuJoCo creeps: joints are within bounds, forces not yet");
  else
    snprintf(l->reason, size, "%s differ; with mujoco_softness %.0f %%, %.0f %%", contacts_agree(&l->ours) ? "joints" : "contacts",
             100 * l->soft.contacts.depth, 100 * l->soft.contacts.force);
}

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

static comparison compare(const hfModel* m, const outcome* ours, const outcome peer[PEER_RUNS]) {
  comparison c = {.apart = outcome_distance(m, ours, &peer[PEER_DEFAULT]),
                  .recipe = outcome_distance(m, ours, &peer[PEER_RECIPE]),
                  .resting = ours->speed < RESTING && peer[PEER_DEFAULT].speed < RESTING,
                  .contacts = outcome_contacts(ours, &peer[PEER_DEFAULT])};
  return c;
}

// The run with MuJoCo's default softness; the sim is then that of our configuration again.
static int compare_soft(trial* t, const outcome peer[PEER_RUNS], line* l, hfError* error) {
  outcome soft = {0};
  int failed = make_sim(t, 1, error) != 0 || run_ours(t, error) != 0 || outcome_take(&soft, t->w.model, t->w.sim, t->w.state) != 0;
  if (!failed) l->soft = compare(t->w.model, &soft, peer);
  outcome_free(&soft);
  return make_sim(t, 0, error) != 0 ? -1 : failed;
}

static void compare_outcomes(trial* t, const char* path, line* l, hfError* error) {
  const hfModel* m = t->w.model;
  outcome ours, *peer = calloc(PEER_RUNS, sizeof *peer);
  int failed = outcome_take(&ours, m, t->w.sim, t->w.state) != 0 || !peer;
  if (!failed && ask_peer(t, path, peer, l->reason, sizeof l->reason) == 0) {
    l->reason[0] = 0;
    l->ours = l->soft = compare(m, &ours, peer);
    l->shifted = outcome_distance(m, &peer[PEER_DEFAULT], &peer[PEER_SHIFTED]);
    l->half = outcome_distance(m, &peer[PEER_DEFAULT], &peer[PEER_HALF]);
    l->recipe = outcome_distance(m, &peer[PEER_DEFAULT], &peer[PEER_RECIPE]);
    l->unstable = isinf(peer[PEER_DEFAULT].speed);
    l->compared = is_alike(&l->ours) || compare_soft(t, peer, l, error) == 0;
    if (l->compared)
      find_reason(l, t->left_out, has_own_parameters(m));
    else
      snprintf(l->reason, sizeof l->reason, "%.150s", error->message);
  }
  outcome_free(&ours);
  for (int k = 0; peer && k < PEER_RUNS; ++k) outcome_free(&peer[k]);
  free(peer);
}

static line run_scene(const PeerMujoco* peer, const char* path, const char* folder, int timed) {
  line l = {.ratio = NAN, .recipe_ratio = NAN};
  trial t;
  hfError error = {HF_OK, ""};
  memset(&t, 0, sizeof t);
  snprintf(t.controls, sizeof t.controls, "%s/controls", folder);
  snprintf(t.binary, sizeof t.binary, "%s/model.mjb", folder);
  snprintf(t.recipe, sizeof t.recipe, "%s/recipe.mjb", folder);
  if (open_trial(&t, path, &error) == 0 && run_ours(&t, &error) == 0) {
    l.method = t.w.model->world.method;
    compare_outcomes(&t, path, &l, &error);
    if (l.compared && timed) l.ratio = compare_times(peer, &t, t.binary), l.recipe_ratio = compare_times(peer, &t, t.recipe);
  } else
    snprintf(l.reason, sizeof l.reason, "%.150s", error.message);
  unlink(t.controls), unlink(t.binary), unlink(t.recipe);
  close_trial(&t);
  return l;
}

// ---- the table --------------------------------------------------------------------------------------

static int has_default_method(const line* l) { return l->method == HF_METHOD_TAMSI; }

static void print_line(result* r, FILE* table, const char* name, const line* l) {
  char text[512], contacts[64] = "- | - | -", method[48] = "";
  if (!has_default_method(l)) snprintf(method, sizeof method, " (%.40s)", hf_method_name(l->method));
  if (!l->compared) {
    snprintf(text, sizeof text, "| %s | - | - | - | - | - | - | - | %s |", name, l->reason);
  } else {
    if (l->ours.resting && (l->ours.contacts.deepest_peer > 0 || l->ours.contacts.deepest_ours > 0))
      snprintf(contacts, sizeof contacts, "%.3g, %.3g | %.0f | %.0f", 1e3 * l->ours.contacts.deepest_ours,
               1e3 * l->ours.contacts.deepest_peer, 100 * l->ours.contacts.depth, 100 * l->ours.contacts.force);
    snprintf(text, sizeof text, "| %s | %.2g | %.2g | %s | %.2f%s | %.2f | %s |", name, l->ours.apart.angle, 1e3 * l->ours.apart.length, contacts,
             l->ratio, method, l->recipe_ratio, l->reason);
  }
  result_note(r, "%s", text);
  if (table) fprintf(table, "%s\n", text);
}

static void print_head(result* r, FILE* table) {
  static const char head[] = "| scene | rad | mm | depth [mm] ours, MuJoCo | % | force % | time | recipe | |\n|---|---|---|---|---|---|---|---|---|";
  result_note(r, "%s", head);
  if (table) fprintf(table, "%s\n", head);
}

// ratio, recipe: scratch (n)
static void sum_up(result* r, const line* lines, int n, double* ratio, double* recipe) {
  int compared = 0, alike = 0, explained = 0, timed = 0, slow = 0;
  for (int i = 0; i < n; ++i) {
    const line* l = &lines[i];
    int differs = strstr(l->reason, "; with mujoco_softness") != NULL; // the last resort of explain_joints and find_reason
    compared += l->compared, alike += l->compared && !l->reason[0], explained += l->compared && l->reason[0] && !differs;
    if (isnan(l->ratio) || !has_default_method(l)) continue;
    recipe[timed] = l->recipe_ratio, ratio[timed++] = l->ratio, slow += l->ratio > OVER;
  }
  result_figure(r, "compared", compared, "scenes");
  result_figure(r, "not_compared", n - compared, "scenes");
  result_figure(r, "alike", alike, "scenes");
  result_figure(r, "explained", explained, "scenes");
  result_must(r, "alike", "scenes that neither behave alike nor have a reason", compared - alike - explained, "none",
              alike + explained == compared, 0);
  if (!timed) return;
  result_must(r, "slow", "scenes whose step takes more than 0.6 of MuJoCo's", slow, "none", !slow, 1);
  double middle = median(ratio, timed);
  result_must(r, "median", "median of our time over MuJoCo's", middle, "at most 0.4", middle <= 0.4, 1);
  result_figure(r, "median_with_recipe", median(recipe, timed), "-");
}

// folder: an existing one for the files that the two programs exchange.
static int run_all(const PeerMujoco* peer, const experimentOptions* options, const sceneList* list, const char* folder,
                   result* r) {
  line* lines = calloc((size_t)list->count + 1, sizeof *lines);
  double* ratio = calloc(2 * (size_t)list->count + 1, sizeof *ratio);
  if (lines && ratio) {
    FILE* table = result_open(r, "robots.md");
    print_head(r, table);
    for (int i = 0; i < list->count; ++i) {
      show_progress((double)i / list->count, "%s", list->path[i] + list->skip);
      lines[i] = run_scene(peer, list->path[i], folder, !options->quick);
      print_line(r, table, list->path[i] + list->skip, &lines[i]);
    }
    if (table) result_close(r, table);
    sum_up(r, lines, list->count, ratio, ratio + list->count);
  } else
    say_error("out of memory");
  int status = lines && ratio ? CLI_GOOD : CLI_FAILED;
  free(lines), free(ratio);
  return status;
}

static int run(const experimentOptions* options, result* r) {
  PeerMujoco peer;
  sceneList list;
  if (peer_mujoco_open(&peer) != 0) {
    say_error("no MuJoCo found: HF_PEERS_PYTHON names a Python that has the package mujoco");
    return CLI_FAILED;
  }
  char exchange[] = "/tmp/holdfast-robots-XXXXXX";
  int status = CLI_FAILED;
  if (scene_list_make(&list, options->folder) != 0)
    say_error("%s: cannot read the folder, or out of memory", options->folder);
  else if (!mkdtemp(exchange))
    say_error("%s: cannot make the folder", exchange);
  else if (!list.count)
    say_error("%s: there is no MJCF scene in this folder", options->folder);
  else
    status = run_all(&peer, options, &list, exchange, r);
  rmdir(exchange);
  scene_list_free(&list);
  peer_mujoco_close(&peer);
  return status;
}

const experiment experiment_bench_robots = {"robots", "every MJCF scene of a FOLDER for 2 s, beside MuJoCo", run};
