// The state log: one row of CSV with time, q, v and u for each step, and what the configuration asks for
// (docs/reference/command.md).
//
// m: the model, made: the log that is opened.
#include "base/error.h"
#include "io/record/csv.h"
#include "sim/sim.h"

#include <holdfast/record.h>
#include <stdlib.h>

struct hfStateLog {
  hfiOutput out;
  const hfModel* model;
  int sensors, actuator_forces, body_count;
  int32_t* body; // (body_count)
};

hfStateLogConfig hf_state_log_config_default(void) {
  hfStateLogConfig config = {0};
  return config;
}

// ---- the header ---------------------------------------------------------------------------------

// Prints the head of a column: ",SYMBOL[NAME]" or ",SYMBOL[NAME.PART]".
static void print_head(hfStateLog* log, char symbol, const char* name, const char* part) {
  char text[512];
  snprintf(text, sizeof text, "%c[%s%s%s]", symbol, name, *part ? "." : "", part);
  hfi_csv_text(&log->out, text);
}

static const char* const kPosition[] = {"x", "y", "z"};
static const char* const kQuat[] = {"qw", "qx", "qy", "qz"};
static const char* const kLinear[] = {"vx", "vy", "vz"};
static const char* const kAngular[] = {"wx", "wy", "wz"};

// Prints the heads of a joint's coordinates. If the joint has a quaternion, its translations come first.
static void print_joint_heads(hfStateLog* log, char symbol, int j) {
  char buffer[HF_LABEL_SIZE];
  const char* name = hf_model_label(log->model, HF_OBJECT_JOINT, j, buffer);
  hfJointInfo info = hf_joint_info(hf_model_jnt_type(log->model)[j]);
  int is_q = symbol == 'q';
  int count = is_q ? info.nq : info.nv;

  for (int i = 0; i < count; ++i) {
    const char* part = "";
    if (info.quat >= 0) {
      int rotation = i - info.quat; // number of the part of the rotation, below 0 for a translation
      const char* const* translations = is_q ? kPosition : kLinear;
      const char* const* rotations = is_q ? kQuat : kAngular;
      part = rotation < 0 ? translations[i] : rotations[rotation];
    }
    print_head(log, symbol, name, part);
  }
}

// Prints the heads of all sensors, with a number for each of several values.
static void print_sensor_heads(hfStateLog* log) {
  char buffer[HF_LABEL_SIZE];
  char part[16];

  for (int i = 0; i < log->model->nsensor; ++i) {
    int dim = hf_model_sensor_dim(log->model)[i];
    for (int k = 0; k < dim; ++k) {
      snprintf(part, sizeof part, "%d", k);
      print_head(log, 's', hf_model_label(log->model, HF_OBJECT_SENSOR, i, buffer), dim > 1 ? part : "");
    }
  }
}

// Prints the first row: the names of all columns.
static void print_heads(hfStateLog* log) {
  const hfModel* m = log->model;
  char buffer[HF_LABEL_SIZE];
  hfi_output_print(&log->out, "time");
  for (int j = 0; j < m->njnt; ++j) print_joint_heads(log, 'q', j);
  for (int j = 0; j < m->njnt; ++j) print_joint_heads(log, 'v', j);
  for (int i = 0; i < m->nu; ++i) print_head(log, 'u', hf_model_label(m, HF_OBJECT_ACTUATOR, i, buffer), "");

  for (int i = 0; i < m->nu && log->actuator_forces; ++i)
    print_head(log, 'f', hf_model_label(m, HF_OBJECT_ACTUATOR, i, buffer), "");
  if (log->sensors) print_sensor_heads(log);

  for (int i = 0; i < log->body_count; ++i) {
    const char* name = hf_model_label(m, HF_OBJECT_BODY, log->body[i], buffer);
    for (int k = 0; k < 3; ++k) print_head(log, 'p', name, kPosition[k]);
    for (int k = 0; k < 4; ++k) print_head(log, 'p', name, kQuat[k]);
  }

  hfi_output_print(&log->out, "\n");
}

// ---- rows ---------------------------------------------------------------------------------------

static void print_values(hfiOutput* out, const double* x, int count) {
  for (int i = 0; i < count; ++i) hfi_output_print(out, ",%.17g", x[i]);
}

// Prints time, coordinates, velocities and controls.
static void print_state(hfStateLog* log, const hfState* state, const double* ctrl) {
  hfi_output_print(&log->out, "%.17g", state->time);
  print_values(&log->out, hf_state_q(state), log->model->nq);
  print_values(&log->out, hf_state_v(state), log->model->nv);
  print_values(&log->out, ctrl, log->model->nu);
}

// Writes a row of a state and its controls. Refuses a log with further columns.
hfStatus hf_state_log_add(hfStateLog* log, const hfState* state, const double* ctrl, hfError* error) {
  hfi_clear_error(error);
  if (log->sensors || log->actuator_forces || log->body_count)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "this log has columns that hf_state_log_add_step fills");
  print_state(log, state, ctrl);
  hfi_output_print(&log->out, "\n");
  return hfi_output_flush(&log->out, error);
}

// Writes a row after a step, with all columns of the log.
hfStatus hf_state_log_add_step(hfStateLog* log, hfSim* sim, const hfState* state, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = log->body_count > 0 ? hfi_sim_complete_at(sim, state, error) : HF_OK;
  if (status < 0) return status;

  print_state(log, state, hf_sim_ctrl(sim));
  if (log->actuator_forces) print_values(&log->out, hf_sim_actuator_force(sim), log->model->nu);
  if (log->sensors) print_values(&log->out, hf_sim_sensors(sim), log->model->nsensordata);

  for (int i = 0; i < log->body_count; ++i) {
    hfVec3 p = hf_dynamics_body_pose(hf_sim_dynamics(sim), log->body[i]).p;
    hfQuat q = hf_dynamics_body_quat(hf_sim_dynamics(sim), log->body[i]);
    const double numbers[7] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
    print_values(&log->out, numbers, 7);
  }

  hfi_output_print(&log->out, "\n");
  return hfi_output_flush(&log->out, error);
}

// ---- life ---------------------------------------------------------------------------------------

// The id of a body by its name, or by "#ID" as the columns name it. -1: there is none.
static int find_body(const hfModel* model, const char* name) {
  char buffer[24];
  int id = hf_model_find(model, HF_OBJECT_BODY, name);
  for (int i = 0; id < 0 && *name == '#' && i < model->nbody; ++i)
    if (snprintf(buffer, sizeof buffer, "#%d", i) > 0 && strcmp(buffer, name) == 0) id = i;
  return id;
}

// Finds the bodies that the configuration names.
static hfStatus find_bodies(const hfModel* model, const hfStateLogConfig* config, int32_t** ids, hfError* error) {
  int32_t* found = calloc((size_t)config->body_count + 1, sizeof *found);
  if (!found) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  for (int i = 0; i < config->body_count; ++i) {
    found[i] = find_body(model, config->body[i]);
    if (found[i] < 0) {
      free(found);
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "the model has no body \"%s\"", config->body[i]);
    }
  }

  *ids = found;
  return HF_OK;
}

// Opens a log with the columns that the configuration asks for (NULL: none), and writes its first line.
hfStatus hf_state_log_open_columns(hfStateLog** log, const char* path, const hfModel* model,
                                   const hfStateLogConfig* config, hfError* error) {
  hfi_clear_error(error);
  hfStateLogConfig none = hf_state_log_config_default();
  int32_t* body = NULL;
  if (!config) config = &none;

  hfStatus status = find_bodies(model, config, &body, error);
  if (status != HF_OK) return status;

  hfStateLog* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_ROWS, &status, error);
  if (!made) {
    free(body);
    return status;
  }

  made->model = model;
  made->sensors = config->sensors;
  made->actuator_forces = config->actuator_forces;
  made->body_count = config->body_count;
  made->body = body;
  print_heads(made);
  *log = made;
  return HF_OK;
}

hfStatus hf_state_log_open(hfStateLog** log, const char* path, const hfModel* model, hfError* error) {
  hfi_clear_error(error);
  return hf_state_log_open_columns(log, path, model, NULL, error);
}

hfStatus hf_state_log_close(hfStateLog* log, hfError* error) {
  hfi_clear_error(error);
  if (log) free(log->body);
  return hfi_output_destroy(log, error);
}

void hf_state_log_discard(hfStateLog* log) {
  if (log) free(log->body);
  hfi_output_abandon(log);
}
