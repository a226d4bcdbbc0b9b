// holdfast bench robots FOLDER: every MJCF scene of a folder for 2 s from its first keyframe,
// beside MuJoCo on the same file.
//
// robots_reason.c says which scenes behave alike, and why others do not.
//
// The time of a step is measured as in bench gripper: runs of the two alternate, and the median of the ratios counts.
// It is measured beside MuJoCo with the settings of the file, and with its recipe for grasps. Scenes that ask for a
// method of continuous time or of events (hf.method) take steps of another kind: their times are shown, not judged.
#include "experiment.h"

#include "guard.h"
#include "peer_mujoco.h"
#include "robots_reason.h"
#include "scene_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FEW_PAIRS = 5, MOST_PAIRS = 101 }; // numbers of pairs of runs of one scene
// No pair begins after the others took this time [s]: LONG_ENOUGH if there are fewer than FEW_PAIRS, else SHORT.
// So short runs, which anything else on the processor disturbs, are repeated until single ratios do not matter.
static const double LONG_ENOUGH = 20;
static const double SHORT = 1;
static const double OVER = 0.6; // largest ratio of times that is wanted [-]

typedef struct line {
  verdict v;
  double ratio;        // our time over MuJoCo's as the file sets it; NAN: not measured [-]
  double recipe_ratio; // our time over MuJoCo's with its recipe for grasps; NAN: not measured [-]
  int method;          // hfMethod of our run: steps of other methods than the default are timed, but do not count
} line;

// ---- times ------------------------------------------------------------------------------------------

// Makes our run of a scene anew. Returns the processor time [s].
static double time_ours(trial* t) {
  trial_begin(t);
  double start = processor_clock();
  for (int i = 0; i < t->steps; ++i) hf_sim_step(t->w.sim, t->w.state, t->w.input, NULL, NULL);
  return processor_clock() - start;
}

// Makes MuJoCo's run of the scene, with the controls of ours. Returns the processor time [s].
static double time_peer(const PeerMujoco* peer, const trial* t, mjModel* m, mjData* d) {
  size_t nu = (size_t)t->w.model->nu;
  if (t->w.model->nkey)
    peer->mj_resetDataKeyframe(m, d, 0);
  else
    peer->mj_resetData(m, d);

  double start = processor_clock();
  for (int i = 0; i < t->steps; ++i) {
    if (nu) peer->mj_setState(m, d, t->ctrl + (size_t)i * nu, MUJOCO_STATE_CTRL);
    peer->mj_step(m, d);
  }
  return processor_clock() - start;
}

// Our time over MuJoCo's: the median of pairs of runs. NAN: MuJoCo does not load its model.
// binary: the file with MuJoCo's model
static double compare_times(const PeerMujoco* peer, trial* t, const char* binary) {
  mjModel* m = peer->mj_loadModel(binary, NULL);
  mjData* d = m ? peer->mj_makeData(m) : NULL;

  double ratio[MOST_PAIRS];
  double spent = 0;
  int pairs = 0;
  while (d && pairs < MOST_PAIRS && spent < (pairs < FEW_PAIRS ? LONG_ENOUGH : SHORT)) {
    double mine = time_ours(t);
    double theirs = time_peer(peer, t, m, d);
    ratio[pairs++] = mine / theirs;
    spent += mine + theirs;
  }
  double middle = d ? median(ratio, pairs) : NAN;

  if (d) peer->mj_deleteData(d);
  if (m) peer->mj_deleteModel(m);
  return middle;
}

// Makes the runs of a scene. folder: for files that are exchanged; timed: 1 measures times, too.
static line run_scene(const PeerMujoco* peer, const char* path, const char* folder, int timed) {
  line l = {.ratio = NAN, .recipe_ratio = NAN};
  trial t;
  hfError error = {HF_OK, ""};

  if (trial_open(&t, path, folder, &error) == 0 && trial_run(&t, &error) == 0) {
    l.method = t.w.model->world.method;
    l.v = verdict_find(&t);
    if (l.v.compared && timed) {
      l.ratio = compare_times(peer, &t, t.binary);
      l.recipe_ratio = compare_times(peer, &t, t.recipe);
    }
  } else {
    snprintf(l.v.reason, sizeof l.v.reason, "%.250s", error.message);
  }

  trial_close(&t);
  return l;
}

// ---- the table --------------------------------------------------------------------------------------

// Do the times of a scene count?
static int has_default_method(const line* l) {
  return l->method == HF_METHOD_TAMSI;
}

// Writes the line of a scene to the result and, where there is one, to the table.
static void print_line(result* r, FILE* table, const char* name, const line* l) {
  char text[768], contacts[64] = "- | - | -", method[48] = "";
  const comparison* ours = &l->v.ours;
  const outcomeContacts* c = &ours->contacts;

  if (!has_default_method(l)) snprintf(method, sizeof method, " (%.40s)", hf_method_name(l->method));
  if (ours->resting && (c->deepest_peer > 0 || c->deepest_ours > 0))
    snprintf(contacts, sizeof contacts, "%.3g, %.3g | %.0f | %.0f", 1e3 * c->deepest_ours, 1e3 * c->deepest_peer,
             100 * c->depth, 100 * c->force);

  if (l->v.compared)
    snprintf(text, sizeof text, "| %s | %.2g | %.2g | %s | %.2f%s | %.2f | %s |", name, ours->apart.angle,
             1e3 * ours->apart.length, contacts, l->ratio, method, l->recipe_ratio, l->v.reason);
  else
    snprintf(text, sizeof text, "| %s | - | - | - | - | - | - | - | %s |", name, l->v.reason);
  result_note(r, "%s", text);
  if (table) fprintf(table, "%s\n", text);
}

// Writes the head of the table, as print_line writes its lines.
static void print_head(result* r, FILE* table) {
  static const char head[] = "| scene | rad | mm | depth [mm] ours, MuJoCo | % | force % | time | recipe | |\n"
                             "|---|---|---|---|---|---|---|---|---|";
  result_note(r, "%s", head);
  if (table) fprintf(table, "%s\n", head);
}

// Writes the figures of n lines, one for each scene, and judges them. ratio, recipe: scratch (n) for our time over the
// time of MuJoCo as the file sets it, and with its recipe.
static void sum_up(result* r, const line* lines, int n, double* ratio, double* recipe) {
  int compared = 0, alike = 0, explained = 0, timed = 0, slow = 0;
  for (int i = 0; i < n; ++i) {
    const line* l = &lines[i];
    const verdict* v = &l->v;
    compared += v->compared;
    alike += v->compared && !v->reason[0];
    explained += v->compared && v->reason[0] && !v->differs;

    // a scene that was not timed, or is shown only
    if (isnan(l->ratio) || !has_default_method(l)) continue;
    ratio[timed] = l->ratio;
    recipe[timed] = l->recipe_ratio;
    ++timed;
    slow += l->ratio > OVER;
  }

  result_figure(r, "compared", compared, "scenes");
  result_figure(r, "not_compared", n - compared, "scenes");
  result_figure(r, "alike", alike, "scenes");
  result_figure(r, "explained", explained, "scenes");
  result_must(r, "alike", "scenes that neither behave alike nor have a reason", compared - alike - explained, "none",
              alike + explained == compared, 0);
  if (!timed) return;

  double middle = median(ratio, timed);
  result_must(r, "slow", "scenes whose step takes more than 0.6 of MuJoCo's", slow, "none", !slow, 1);
  result_must(r, "median", "median of our time over MuJoCo's", middle, "at most 0.4", middle <= 0.4, 1);
  result_figure(r, "median_with_recipe", median(recipe, timed), "-");
}

// Runs all scenes of the list. Returns the exit status.
// folder: an existing one for the files that the two programs exchange
static int run_all(const PeerMujoco* peer, const experimentOptions* options, const sceneList* list, const char* folder,
                   result* r) {
  line* lines = calloc((size_t)list->count + 1, sizeof *lines);
  double* ratio = calloc(2 * (size_t)list->count + 1, sizeof *ratio);
  int status = CLI_FAILED;

  if (lines && ratio) {
    FILE* table = result_open(r, "robots.md");
    print_head(r, table);
    for (int i = 0; i < list->count; ++i) {
      const char* name = list->path[i] + list->skip;
      show_progress((double)i / list->count, "%s", name);
      lines[i] = run_scene(peer, list->path[i], folder, !options->quick);
      print_line(r, table, name, &lines[i]);
    }
    if (table) result_close(r, table);
    sum_up(r, lines, list->count, ratio, ratio + list->count);
    status = CLI_GOOD;
  } else {
    say_error("out of memory");
  }

  free(lines);
  free(ratio);
  return status;
}

// The experiment: opens MuJoCo, lists the scenes of the folder and runs them. Returns the exit status.
static int run(const experimentOptions* options, result* r) {
  PeerMujoco peer;
  sceneList list;
  if (peer_mujoco_open(&peer) != 0) {
    say_error("no MuJoCo found: HF_PEERS_PYTHON names a Python that has the package mujoco");
    return CLI_FAILED;
  }

  char exchange[TEMPORARY_PATH];
  int status = CLI_FAILED;
  if (scene_list_make(&list, options->folder) != 0) {
    say_error("%s: cannot read the folder, or out of memory", options->folder);
  } else if (!list.count) {
    say_error("%s: there is no MJCF scene in this folder", options->folder);
  } else if (make_temporary_folder(exchange, "robots") == 0) {
    status = run_all(&peer, options, &list, exchange, r);
    rmdir(exchange);
  }

  scene_list_free(&list);
  peer_mujoco_close(&peer);
  return status;
}

const experiment experiment_bench_robots = {"robots", "every MJCF scene of a FOLDER for 2 s, beside MuJoCo", run};
