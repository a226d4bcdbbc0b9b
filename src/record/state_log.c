// The state log: one row of CSV with time, q, v and u for each step, and what the configuration asks for (docs/reference/command.md).
#include "base/error.h"
#include "math/vec3.h"
#include "record/csv.h"

#include <holdfast/record.h>
#include <stdlib.h>

struct hfStateLog {
  hfiOutput out;
  const hfModel* model;
  int sensors, actuator_forces, body_count;
  const char** body; // names, which the model owns
};

hfStateLogConfig hf_state_log_config_default(void) {
  hfStateLogConfig config = {0};
  return config;
}

// ---- the header ---------------------------------------------------------------------------------

// ",SYMBOL[NAME]" or ",SYMBOL[NAME.PART]".
static void print_head(hfStateLog* log, char symbol, const char* name, const char* part) {
  char text[512];
  snprintf(text, sizeof text, "%c[%s%s%s]", symbol, name, *part ? "." : "", part);
  hfi_csv_text(&log->out, text);
}

static const char* const kPosition[] = {"x", "y", "z"}, *const kQuat[] = {"qw", "qx", "qy", "qz"},
                  *const kLinear[] = {"vx", "vy", "vz"}, *const kAngular[] = {"wx", "wy", "wz"};

// The name of a joint. A free joint without one is called like its body, because most free bodies have such a joint.
static const char* joint_name(const hfModel* m, int j, char buffer[24]) {
  const char* body = hf_model_name(m, HF_OBJECT_BODY, hf_model_jnt_body(m)[j]);
  int nameless = !*hf_model_name(m, HF_OBJECT_JOINT, j), is_free = hf_model_jnt_type(m)[j] == HF_JOINT_FREE;
  if (nameless && is_free && *body && hf_model_find(m, HF_OBJECT_JOINT, body) < 0) return body;
  return hfi_csv_name(m, HF_OBJECT_JOINT, j, buffer);
}

// Prints the heads of a joint's coordinates. If the joint has a quaternion, its translations come first.
static void print_joint_heads(hfStateLog* log, char symbol, int j) {
  char buffer[24];
  const char* name = joint_name(log->model, j, buffer);
  hfJointInfo info = hf_joint_info(hf_model_jnt_type(log->model)[j]);
  int is_q = symbol == 'q', count = is_q ? info.nq : info.nv;
  for (int i = 0; i < count; ++i) {
    const char* part = "";
    if (info.quat >= 0) {
      int turned = i - info.quat;
      part = is_q ? (turned < 0 ? kPosition[i] : kQuat[turned]) : (turned < 0 ? kLinear[i] : kAngular[turned]);
    }
    print_head(log, symbol, name, part);
  }
}

static void print_sensor_heads(hfStateLog* log) {
  char buffer[24], part[16];
  for (int i = 0; i < log->model->nsensor; ++i)
    for (int k = 0; k < hf_model_sensor_dim(log->model)[i]; ++k) {
      snprintf(part, sizeof part, "%d", k);
      print_head(log, 's', hfi_csv_name(log->model, HF_OBJECT_SENSOR, i, buffer),
                 hf_model_sensor_dim(log->model)[i] > 1 ? part : "");
    }
}

static void print_heads(hfStateLog* log) {
  const hfModel* m = log->model;
  char buffer[24];
  hfi_output_print(&log->out, "time");
  for (int j = 0; j < m->njnt; ++j) print_joint_heads(log, 'q', j);
  for (int j = 0; j < m->njnt; ++j) print_joint_heads(log, 'v', j);
  for (int i = 0; i < m->nu; ++i) print_head(log, 'u', hfi_csv_name(m, HF_OBJECT_ACTUATOR, i, buffer), "");
  for (int i = 0; i < m->nu && log->actuator_forces; ++i)
    print_head(log, 'f', hfi_csv_name(m, HF_OBJECT_ACTUATOR, i, buffer), "");
  if (log->sensors) print_sensor_heads(log);
  for (int i = 0; i < log->body_count; ++i) {
    for (int k = 0; k < 3; ++k) print_head(log, 'p', log->body[i], kPosition[k]);
    for (int k = 0; k < 4; ++k) print_head(log, 'p', log->body[i], kQuat[k]);
  }
  hfi_output_print(&log->out, "\n");
}

// ---- rows ---------------------------------------------------------------------------------------

static void print_values(hfiOutput* out, const double* x, int count) {
  for (int i = 0; i < count; ++i) hfi_output_print(out, ",%.17g", x[i]);
}

static void print_state(hfStateLog* log, const hfState* state, const double* ctrl) {
  hfi_output_print(&log->out, "%.17g", state->time);
  print_values(&log->out, hf_state_q(state), log->model->nq);
  print_values(&log->out, hf_state_v(state), log->model->nv);
  print_values(&log->out, ctrl, log->model->nu);
}

hfStatus hf_state_log_write(hfStateLog* log, const hfState* state, const double* ctrl,
                            hfError* error) {
  hfi_clear_error(error);
  if (log->sensors || log->actuator_forces || log->body_count)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "this log has columns that hf_state_log_write_step fills");
  print_state(log, state, ctrl);
  hfi_output_print(&log->out, "\n");
  return hfi_output_flush(&log->out, error);
}

hfStatus hf_state_log_write_step(hfStateLog* log, hfSim* sim, const hfState* state, hfError* error) {
  hfi_clear_error(error);
  print_state(log, state, hf_sim_ctrl(sim));
  if (log->actuator_forces) print_values(&log->out, hf_sim_actuator_force(sim), log->model->nu);
  if (log->sensors) print_values(&log->out, hf_sim_sensors(sim), log->model->nsensordata);
  for (int i = 0; i < log->body_count; ++i) {
    hfPose X;
    hfStatus status = hf_sim_get_body(sim, state, log->body[i], &X, NULL, error);
    if (status < 0) return status;
    hfQuat q = q_from_m3(X.R);
    const double numbers[7] = {X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z};
    print_values(&log->out, numbers, 7);
  }
  hfi_output_print(&log->out, "\n");
  return hfi_output_flush(&log->out, error);
}

// ---- life ---------------------------------------------------------------------------------------

// Finds the bodies that the configuration names. Keeps the names of the model, which live as long as the model; the configuration may be gone by then.
static hfStatus find_bodies(const hfModel* model, const hfStateLogConfig* config, const char*** names, hfError* error) {
  const char** found = calloc((size_t)config->body_count + 1, sizeof *found);
  if (!found) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  for (int i = 0; i < config->body_count; ++i) {
    int id = hf_model_find(model, HF_OBJECT_BODY, config->body[i]);
    if (id < 0) {
      free(found);
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "the model has no body \"%s\"", config->body[i]);
    }
    found[i] = hf_model_name(model, HF_OBJECT_BODY, id);
  }
  *names = found;
  return HF_OK;
}

hfStatus hf_state_log_create(hfStateLog** log, const char* path, const hfModel* model, const hfStateLogConfig* config,
                             hfError* error) {
  hfi_clear_error(error);
  hfStateLogConfig plain = hf_state_log_config_default();
  const char** body = NULL;
  if (!config) config = &plain;
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

hfStatus hf_state_log_open(hfStateLog** log, const char* path, const hfModel* model,
                           hfError* error) {
  hfi_clear_error(error);
  return hf_state_log_create(log, path, model, NULL, error);
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
