// The runs of a scene for holdfast bench robots: ours, and those that a script makes with MuJoCo (robots_trial.h).
#include "robots_trial.h"

#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double DURATION = 2; // [s]
enum { FINE = 8 };                // the number of steps into which the run "fine" of the peer divides each step

// ---- the scene --------------------------------------------------------------------------------------

// Is this said of something that moves no body?
static int moves_nothing(const char* message) {
  return strstr(message, "sensor") || strstr(message, "camera") || strstr(message, "unknown attribute");
}

// Keeps the first thing that the reader left out and that may move bodies.
static void note_left_out(trial* t, const hfDiagnostics* said) {
  for (int i = 0; i < hf_diagnostics_count(said) && !t->left_out[0]; ++i) {
    hfDiagnostic d = hf_diagnostics_get(said, i);
    if (d.severity != HF_WARNING || moves_nothing(d.message)) continue;
    snprintf(t->left_out, sizeof t->left_out, "%s", d.message);
  }
}

// Reads the model. Returns 0, or -1 with the error.
static int load(trial* t, hfError* error) {
  hfDiagnostics* said = hf_diagnostics_create();
  int failed = hf_model_load(&t->w.model, t->path, NULL, said, error) < 0;
  if (said && !failed) note_left_out(t, said);
  hf_diagnostics_free(said);
  return failed ? -1 : 0;
}

// A state and an input at the start of the scene. Returns 0, or -1 without memory.
static int make_start(world* w, hfError* error) {
  w->state = hf_state_create(w->model);
  w->input = hf_input_create(w->model);
  if (!w->state || !w->input) {
    snprintf(error->message, sizeof error->message, "out of memory");
    return -1;
  }
  if (w->model->nkey) hf_state_set_key(w->state, w->input, w->model, 0, NULL);
  return 0;
}

// Makes the sim anew, see robots_trial.h. Returns 0, or -1 with the error.
int trial_make_sim(trial* t, int softness, int friction, hfError* error) {
  hfSimConfig config = hf_sim_config_default();
  config.mujoco_softness = softness;
  config.friction = friction;

  hf_sim_free(t->w.sim);
  t->w.sim = NULL;
  return hf_sim_create(&t->w.sim, t->w.model, &config, error) < 0 ? -1 : 0;
}

// Reads a scene and makes what its runs need. Returns 0, or -1 with the error.
int trial_open(trial* t, const char* path, const char* folder, hfError* error) {
  memset(t, 0, sizeof *t);
  t->path = path;
  snprintf(t->controls, sizeof t->controls, "%s/controls", folder);
  snprintf(t->ours, sizeof t->ours, "%s/ours", folder);
  snprintf(t->binary, sizeof t->binary, "%s/model.mjb", folder);
  snprintf(t->recipe, sizeof t->recipe, "%s/recipe.mjb", folder);

  if (load(t, error) != 0) return -1;
  if (trial_make_sim(t, 0, -1, error) != 0) return -1;
  if (make_start(&t->w, error) != 0) return -1;

  t->steps = (int)ceil(DURATION / hf_sim_step_size(t->w.sim) - 1e-6); // 1e-6 steps: rounding adds no step
  t->ctrl = calloc((size_t)t->steps * (size_t)t->w.model->nu + 1, sizeof *t->ctrl);
  if (t->ctrl) return 0;
  snprintf(error->message, sizeof error->message, "out of memory");
  return -1;
}

// Removes the files that are exchanged, and frees the trial.
void trial_close(trial* t) {
  unlink(t->controls);
  unlink(t->ours);
  unlink(t->binary);
  unlink(t->recipe);
  world_close(&t->w);
  free(t->ctrl);
}

// Sets the state to the start of the scene: its first keyframe, if it has one.
void trial_begin(trial* t) {
  hf_state_reset(t->w.state, t->w.model);
  if (t->w.model->nkey) hf_state_set_key(t->w.state, t->w.input, t->w.model, 0, NULL);
}

// Makes our run of the scene and keeps its controls. Returns 0, or -1 with the error.
int trial_run(trial* t, hfError* error) {
  size_t nu = (size_t)t->w.model->nu;
  trial_begin(t);

  for (int i = 0; i < t->steps; ++i) {
    if (hf_sim_step(t->w.sim, t->w.state, t->w.input, NULL, error) < 0) return -1;
    memcpy(t->ctrl + (size_t)i * nu, hf_sim_ctrl(t->w.sim), sizeof *t->ctrl * nu);
  }
  return 0;
}

// The deepest overlap at the start [m].
double trial_overlap(trial* t) {
  trial_begin(t);
  if (hf_sim_evaluate(t->w.sim, t->w.state, t->w.input, NULL) < 0) return 0;

  double deepest = 0;
  for (int i = 0; i < hf_sim_contact_count(t->w.sim); ++i) deepest = fmax(deepest, hf_sim_contact(t->w.sim, i).depth);
  return deepest;
}

// How far joints are beyond their limits at the start.
outcomeDistance trial_beyond_limits(trial* t) {
  const hfModel* m = t->w.model;
  outcomeDistance beyond = {0, 0};
  trial_begin(t);

  for (int j = 0; j < m->njnt; ++j) {
    hfJointInfo joint = hf_joint_info(hf_model_jnt_type(m)[j]);
    if (!hf_model_jnt_limited(m)[j] || joint.nq != 1) continue;

    double q = hf_state_q(t->w.state)[hf_model_jnt_qposadr(m)[j]];
    const double* range = hf_model_jnt_range(m) + 2 * j;
    double* largest = joint.is_angle ? &beyond.angle : &beyond.length;
    *largest = fmax(*largest, fmax(range[0] - q, q - range[1]));
  }
  return beyond;
}

// ---- the peer ---------------------------------------------------------------------------------------

// Writes x (nx) and y (ny) to a file, as they are in memory.
static int write_numbers(const char* path, const double* x, size_t nx, const double* y, size_t ny) {
  FILE* out = fopen(path, "wb");
  if (!out) return -1;
  size_t written = fwrite(x, sizeof *x, nx, out) + fwrite(y, sizeof *y, ny, out);
  return fclose(out) == 0 && written == nx + ny ? 0 : -1;
}

// Writes the controls of our run to the file that the peer reads. Returns 0 or -1.
static int write_controls(const trial* t) {
  size_t n = (size_t)t->steps * (size_t)t->w.model->nu;
  return write_numbers(t->controls, t->ctrl, n, t->ctrl, 0);
}

int trial_keep_end(const trial* t) {
  const hfModel* m = t->w.model;
  return write_numbers(t->ours, hf_state_q(t->w.state), (size_t)m->nq, hf_state_act(t->w.state), (size_t)m->na);
}

// Adds a word to a command of the shell, in quotes, so that it may hold spaces and quotes.
// Returns 0, or -1 if it does not fit.
static int add_word(char* command, size_t size, const char* word) {
  static const char quote[] = "'\\''"; // ends the quotes, adds one, and begins them again
  size_t n = strlen(command);
  if (n + (sizeof quote - 1) * strlen(word) + sizeof " ''" > size) return -1;

  if (n) command[n++] = ' ';
  command[n++] = '\'';
  for (; *word; ++word) {
    if (*word == '\'')
      n += (size_t)snprintf(command + n, size - n, "%s", quote);
    else
      command[n++] = *word;
  }
  snprintf(command + n, size - n, "'");
  return 0;
}

// The command that makes some of the peer's runs. Returns 0, or -1 if it does not fit.
static int write_command(const trial* t, peerRun first, peerRun last, char* command, size_t size) {
  char script[DATA_PATH], steps[16];
  data_path(script, "bench/robots_peer.py");
  snprintf(steps, sizeof steps, "%d", t->steps);
  const char* python = getenv("HF_PEERS_PYTHON");
  if (!python) python = "python3";

  const char* const words[] = {python, script, t->path, steps, t->controls, t->ours, t->binary, t->recipe};
  command[0] = '\0';
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (add_word(command, size, words[i]) != 0) return -1;
  for (int k = (int)first; k <= (int)last; ++k)
    if (add_word(command, size, outcome_run_name[k]) != 0) return -1;

  static const char silent[] = " 2>/dev/null";
  if (strlen(command) + sizeof silent > size) return -1;
  strcat(command, silent);
  return 0;
}

// Has the script make the peer's runs `first` to `last`. Returns 0, or -1 with the reason in `why`.
int trial_ask_peer(const trial* t, outcome peer[PEER_RUNS], peerRun first, peerRun last, char* why, size_t size) {
  char command[16 * DATA_PATH];

  if (write_controls(t) != 0) {
    snprintf(why, size, "%.100s: cannot write", t->controls);
    return -1;
  }

  if (write_command(t, first, last, command, sizeof command) != 0) {
    snprintf(why, size, "%.100s: the path is too long", t->path);
    return -1;
  }

  FILE* pipe = popen(command, "r");
  int failed = pipe ? outcome_read(peer, first, last, t->w.model, pipe, why, size) : -1;
  if (pipe) pclose(pipe);
  return failed;
}

// ---- variations -------------------------------------------------------------------------------------

// Takes the friction of all geoms away. Returns 0, or -1 with the error.
static int remove_friction(hfBuilder* b, hfError* error) {
  for (int i = 0; i < hf_builder_count(b, HF_OBJECT_GEOM); ++i) {
    hfGeomDef geom = *hf_builder_geom(b, i);
    geom.condim = 1;
    if (hf_builder_set_geom(b, i, &geom, error) < 0) return -1;
  }
  return 0;
}

// Reads the scene as a run of the peer has it: with steps of a FINE part, and without a part of the physics.
static int load_varied(const trial* t, peerRun run, hfModel** model, hfError* error) {
  hfBuilder* b;
  if (hf_builder_load(&b, t->path, NULL, NULL, error) < 0) return -1;

  // MuJoCo keeps time constants of softness above two steps, and so does the model above two of these
  hfWorld* w = hf_builder_world(b);
  w->timestep /= FINE;
  w->disable_contact |= run == PEER_CONTACTLESS;
  w->disable_limit |= run == PEER_LIMITLESS;

  int failed = run == PEER_FRICTIONLESS && remove_friction(b, error) != 0;
  if (!failed) failed = hf_builder_finish(b, model, error) < 0;
  hf_builder_free(b);
  return failed ? -1 : 0;
}

// Each control of the first run acts for FINE steps.
static int run_fine(const trial* t, world* w, hfError* error) {
  size_t nu = (size_t)t->w.model->nu;
  for (int i = 0; i < t->steps; ++i) {
    memcpy(w->input->ctrl, t->ctrl + (size_t)i * nu, sizeof *t->ctrl * nu);
    for (int k = 0; k < FINE; ++k)
      if (hf_sim_step(w->sim, w->state, w->input, NULL, error) < 0) return -1;
  }
  return 0;
}

// Makes our run that goes with a run of the peer at a FINE part of the step. Returns 0, or -1 with the error.
int trial_vary(const trial* t, peerRun run, outcome* out, hfError* error) {
  world w = {0};
  hfSimConfig config = hf_sim_config_default();
  config.mujoco_softness = 1;
  config.step = hf_sim_step_size(t->w.sim) / FINE;

  int failed = load_varied(t, run, &w.model, error) != 0;
  if (!failed) failed = hf_sim_create(&w.sim, w.model, &config, error) < 0;
  if (!failed) failed = make_start(&w, error) != 0;
  if (!failed) failed = run_fine(t, &w, error) != 0;
  if (!failed) failed = outcome_take(out, w.model, w.sim, w.state) != 0;
  world_close(&w);
  return failed ? -1 : 0;
}
