// The state and the input with which a run or an evaluation starts.
#include "start.h"

#include "numbers.h"
#include "object.h"
#include "stored_option.h"

#include <math.h>

enum { KEY_KEYFRAME = 0x2000, KEY_QPOS, KEY_QVEL, KEY_ACT, KEY_CTRL };

static const struct argp_option options[] = {
    {0, 0, 0, 0,
     "Start (vectors are quoted numbers, separated by spaces or commas, or @FILE):", 80},
    {"keyframe", KEY_KEYFRAME, "NAME", 0,
     "Start from this keyframe of the model, by name or #NUMBER", 0},
    {"qpos", KEY_QPOS, "VECTOR", 0, "Positions; quaternions are w x y z", 0},
    {"qvel", KEY_QVEL, "VECTOR", 0, "Velocities", 0},
    {"act", KEY_ACT, "VECTOR", 0, "Activations of the actuators that have one", 0},
    {"ctrl", KEY_CTRL, "VECTOR", 0, "Controls, held during the run", 0},
    {0}};

static const storedOption stored[] = {STORE_TEXT(KEY_KEYFRAME, startOptions, keyframe),
                                      STORE_TEXT(KEY_QPOS, startOptions, qpos),
                                      STORE_TEXT(KEY_QVEL, startOptions, qvel),
                                      STORE_TEXT(KEY_ACT, startOptions, act),
                                      STORE_TEXT(KEY_CTRL, startOptions, ctrl),
                                      {0}};

// The parser of argp for the options of a start; its input is the startOptions.
static error_t parse(int key, char* argument, struct argp_state* state) {
  startOptions* o = state->input;
  if (key == ARGP_KEY_INIT) {
    *o = (startOptions){0};
    return 0;
  }
  return store_option(stored, o, key, argument) ? 0 : ARGP_ERR_UNKNOWN;
}

const struct argp start_argp = {.options = options, .parser = parse};

// Sets state and input to a keyframe. Returns the exit status, with a message if it is not CLI_GOOD.
static int set_key(const char* name, const hfModel* model, start* s) {
  int key = find_object("--keyframe", model, HF_OBJECT_KEY, name);
  if (key < 0) return CLI_MISUSED;

  hfError error = {HF_OK, ""};
  hfStatus status = hf_state_set_key(s->state, s->input, model, key, &error);
  if (status < 0) say_error("%s", error.message);
  return exit_status_of(status);
}

// Normalises the quaternions of free and ball joints in q: a user means the orientation, not its length.
// Returns the exit status: a quaternion of length zero is refused.
static int normalise_rotations(const hfModel* model, double* q) {
  static const double LEAST_LENGTH = 1e-6; // A shorter quaternion has no direction [-].
  static const double ROUNDING = 1e-14;    // A length this close to 1 stays, so that what was printed is read again.

  for (int j = 0; j < model->njnt; ++j) {
    int quat = hf_joint_info(hf_model_jnt_type(model)[j]).quat; // its place in the coordinates of the joint
    if (quat < 0) continue;

    double* r = q + hf_model_jnt_qposadr(model)[j] + quat;
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    if (length < LEAST_LENGTH) {
      char buffer[HF_LABEL_SIZE];
      say_error("--qpos: the quaternion of joint %s is zero", hf_model_label(model, HF_OBJECT_JOINT, j, buffer));
      return CLI_MISUSED;
    }
    if (fabs(length - 1) <= ROUNDING) continue;
    for (int i = 0; i < 4; ++i) r[i] /= length;
  }
  return CLI_GOOD;
}

// Sets the vectors that options give. Returns the exit status, with a message if it is not CLI_GOOD.
static int set_vectors(const startOptions* o, const hfModel* model, start* s) {
  double* q = hf_state_mutable_q(s->state);
  int status = CLI_GOOD;
  if (o->qpos) status = parse_vector("--qpos", o->qpos, q, model->nq);
  if (status == CLI_GOOD && o->qpos) status = normalise_rotations(model, q);

  if (status == CLI_GOOD && o->qvel) status = parse_vector("--qvel", o->qvel, hf_state_mutable_v(s->state), model->nv);
  if (status == CLI_GOOD && o->act) status = parse_vector("--act", o->act, hf_state_mutable_act(s->state), model->na);
  if (status == CLI_GOOD && o->ctrl) status = parse_vector("--ctrl", o->ctrl, s->input->ctrl, model->nu);
  return status;
}

// Makes the state and the input of the options. Returns the exit status; free_start is needed in every case.
int make_start(const startOptions* o, const hfModel* model, start* made) {
  *made = (start){hf_state_create(model), hf_input_create(model)};
  if (!made->state || !made->input) {
    say_error("out of memory");
    return CLI_FAILED;
  }

  int status = o->keyframe ? set_key(o->keyframe, model, made) : CLI_GOOD;
  if (status == CLI_GOOD) status = set_vectors(o, model, made);
  return status;
}

void free_start(start* made) {
  hf_state_free(made->state);
  hf_input_free(made->input);
}
