// Sessions: going back and on gives the same bits, changed values act, wrong commands change nothing.
#include "support/near.h"

#include "io/live/session.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char scene_text[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='ball' pos='0 0 0.3'><freejoint/><geom size='0.1' mass='2'/></body>"
    "<body name='cart' pos='0 1 0.5'><joint name='rail' type='slide' axis='1 0 0'/>"
    "<geom type='box' size='0.1 0.1 0.1' mass='2' contype='0' conaffinity='0'/></body></worldbody>"
    "<actuator><motor name='push' joint='rail'/></actuator>"
    "<keyframe><key name='low' qpos='0 0 0.1 1 0 0 0 0.5'/></keyframe></mujoco>";

static hfModel* model;
static hfiSession session;
static hfiBytes out;

static int begin(void** state) {
  (void)state;
  hfError error = {HF_OK, ""};
  hfSimConfig config = hf_sim_config_default();
  if (hf_model_parse(&model, scene_text, strlen(scene_text), "scene", ".", NULL, NULL, &error) < 0)
    return -1;
  hfState* start = hf_state_create(model);
  int status = hfi_session_open(&session, model, &config, start, NULL, 60, &error);
  hf_state_free(start);
  return status;
}

static int end(void** state) {
  (void)state;
  hfi_session_close(&session);
  hf_model_free(model);
  hfi_bytes_release(&out);
  return 0;
}

static hfStatus order(uint32_t kind, uint32_t index, double a, double b) {
  hfError error = {HF_OK, ""};
  hfiCommand command = {.kind = kind, .index = index, .x = {a, b}};
  return hfi_session_command(&session, &command, &error);
}

// Steps and makes a moment of the history every tenth step, as the live view does at its pictures.
static void walk(int steps) {
  for (int i = 0; i < steps; ++i) {
    out.size = 0;
    assert_int_equal(hfi_session_step(&session, &out), HF_OK);
    if (i % 10 == 9) hfi_session_frame(&session, 0, &out);
  }
}

// Two seconds at 60 moments a second are 120 moments, at 30 a second 60; bytes are those of what is held.
static void test_history_is_bounded(void** state) {
  (void)state;
  enum { RATES = 2, BYTES = 100 };
  static const double rate[RATES] = {120, 30};
  static const int held[RATES] = {120, 61};
  char bytes[BYTES] = {1};
  for (int k = 0; k < RATES; ++k) {
    hfiHistory history;
    assert_true(hfi_history_open(&history, 2));
    for (int i = 0; i < 1000; ++i) hfi_history_add(&history, i / rate[k], bytes, 40, bytes, BYTES);
    assert_int_equal(history.count, held[k]);
    assert_int_equal(history.bytes, held[k] * (40 + BYTES));
    const hfiMoment* last = hfi_history_at(&history, history.count - 1);
    assert_near(last->time, 999 / rate[k], 0);
    assert_memory_equal(hfi_moment_chunks(last), bytes, 40);
    hfi_history_cut(&history, -1);
    assert_int_equal(history.bytes, 0);
    hfi_history_close(&history);
  }
}

// Steps that were asked for wait when there is no time for them, so that a world with slow steps still answers.
static void test_single_steps_keep_to_the_budget(void** state) {
  (void)state;
  uint64_t before = session.steps;
  assert_int_equal(order(HFI_COMMAND_STEP, 50, 0, 0), HF_OK);
  out.size = 0;
  hfi_session_advance(&session, 0, -1, &out);
  assert_int_equal(session.steps - before, 0);
  hfi_session_advance(&session, 0, 3600, &out);
  assert_int_equal(session.steps - before, 50);
}

static void test_going_back_gives_the_same_bits(void** state) {
  (void)state;
  walk(200);
  char* first = malloc(session.state->size);
  memcpy(first, session.state, session.state->size);
  double past = session.state->time - 0.1;
  assert_int_equal(order(HFI_COMMAND_SEEK, 0, past, 0), HF_OK);
  assert_near(session.state->time, past, 1e-9);
  walk(50);
  size_t used =
      (size_t)session.state->off_memory + (size_t)session.state->nmemory * sizeof(hfContactMemory);
  assert_memory_equal(session.state, first, used);
  free(first);
  double oldest = hfi_history_at(&session.history, 0)->time;
  assert_int_equal(order(HFI_COMMAND_SEEK, 0, oldest - 5, 0), HF_OK); // what went is not asked for in vain
  assert_near(session.state->time, oldest, 0);
}

// m dv/dt = f; the scale of actuation multiplies what the motor makes of a control.
static void test_controls_and_scales_act(void** state) {
  (void)state;
  int v = hf_model_jnt_dofadr(model)[hf_model_find(model, HF_OBJECT_JOINT, "rail")];
  assert_int_equal(order(HFI_COMMAND_CONTROL, 0, 4, 0), HF_OK);
  walk(100);
  assert_near(hf_state_v(session.state)[v], 4 * 0.2 / 2, 1e-12);
  assert_int_equal(order(HFI_COMMAND_SCALE, HFI_SCALE_ACTUATION, 3, 0), HF_OK);
  walk(100);
  assert_near(hf_state_v(session.state)[v], (4 + 12) * 0.2 / 2, 1e-12);
  assert_int_equal(order(HFI_COMMAND_RELEASE, 0, 0, 0), HF_OK);
  walk(100);
  assert_near(hf_state_v(session.state)[v], (4 + 12) * 0.2 / 2, 1e-12);
}

// A session of 2 kg on a rail that a signal of the scene pushes with 3 N.
typedef struct driven {
  hfModel* model;
  hfState* start;
  hfiSession session;
} driven;

static driven open_driven(const hfInput* input) {
  static const char text[] = "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><body><joint name='rail' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/></body>"
                             "</worldbody><actuator><motor name='push' joint='rail'/></actuator><custom><text name='hf.signal.push' data='constant 3'/></custom></mujoco>";
  hfError error = {HF_OK, ""};
  hfSimConfig config = hf_sim_config_default();
  driven d = {0};
  assert_int_equal(hf_model_parse(&d.model, text, strlen(text), "scene", ".", NULL, NULL, &error), HF_OK);
  d.start = hf_state_create(d.model);
  assert_int_equal(hfi_session_open(&d.session, d.model, &config, d.start, input, 60, &error), HF_OK);
  return d;
}

static void close_driven(driven* d) {
  hfi_session_close(&d->session);
  hf_state_free(d->start);
  hf_model_free(d->model);
}

static double step_driven(driven* d, int count) {
  for (int i = 0; i < count; ++i) {
    out.size = 0;
    assert_int_equal(hfi_session_step(&d->session, &out), HF_OK);
  }
  return hf_state_v(d->session.state)[0];
}

// What the user holds wins over a signal of the scene; released, the signal acts again: v = f t/m of 3 N, 7 N and 3 N on 2 kg.
static void test_a_held_control_wins_over_a_signal(void** state) {
  (void)state;
  hfError error = {HF_OK, ""};
  driven d = open_driven(NULL);
  const double held[] = {NAN, 7, NAN}, force[] = {3, 7, 3};
  double impulse = 0;
  for (int k = 0; k < 3; ++k) {
    hfiCommand command = {.kind = isnan(held[k]) ? HFI_COMMAND_RELEASE : HFI_COMMAND_CONTROL, .x = {held[k], 0}};
    if (isnan(held[k])) command.x[0] = 0;
    assert_int_equal(hfi_session_command(&d.session, &command, &error), HF_OK);
    impulse += force[k] * 0.2;
    assert_near(step_driven(&d, 100), impulse / 2, 1e-12); // rounding of 300 steps
  }
  close_driven(&d);
}

// A session that began with 7 N goes on from a state of a run without controls of its own: there the signal acts.
static void test_a_state_without_controls_leaves_them_to_signals(void** state) {
  (void)state;
  hfError error = {HF_OK, ""};
  double ctrl = 7;
  hfInput input = {.ctrl = &ctrl};
  driven d = open_driven(&input);
  hfiBytes recorded = {0};
  hfi_stream_state(d.model, d.start, NULL, &recorded);
  assert_near(step_driven(&d, 1), 7 * 0.002 / 2, 1e-15); // a step from rest
  const char* payload = recorded.data + sizeof(hfiChunkHeader);
  assert_int_equal(hfi_session_restore(&d.session, payload, recorded.size - sizeof(hfiChunkHeader), 1, &error), HF_OK);
  assert_near(step_driven(&d, 1), 3 * 0.002 / 2, 1e-15);
  hfi_bytes_release(&recorded);
  close_driven(&d);
}

// The floor carries the ball: fn = m g, after a second what is left of the drop is below 1e-4 of it.
static void test_mass_scales_what_floats(void** state) {
  (void)state;
  assert_int_equal(order(HFI_COMMAND_SCALE, HFI_SCALE_MASS, 2, 0), HF_OK);
  walk(1500);
  assert_int_equal(hf_sim_contact_count(session.sim), 1);
  assert_near(hf_sim_contact(session.sim, 0).fn, 4 * 9.81, 4e-3);
}

static void test_reset_joint_keyframe(void** state) {
  (void)state;
  walk(20);
  assert_int_equal(order(HFI_COMMAND_RESET, 0, 0, 0), HF_OK);
  assert_near(session.state->time, 0, 0);
  assert_near(hf_state_q(session.state)[2], 0.3, 0);
  assert_int_equal(order(HFI_COMMAND_RESET, 1, 0, 0), HF_OK);
  assert_near(hf_state_q(session.state)[7], 0.5, 0);
  assert_int_equal(order(HFI_COMMAND_JOINT, 1, -0.25, 0), HF_OK);
  assert_near(hf_state_q(session.state)[7], -0.25, 0);
}

static void test_wrong_commands_change_nothing(void** state) {
  (void)state;
  char* before = malloc(session.state->size);
  memcpy(before, session.state, session.state->size);
  assert_below(order(HFI_COMMAND_PLAY, 0, -1, 0), 0);
  assert_below(order(HFI_COMMAND_RESET, 2, 0, 0), 0);
  assert_below(order(HFI_COMMAND_SEEK, 0, -5, 0), 0);
  assert_below(order(HFI_COMMAND_CONTROL, 1, 0, 0), 0);
  assert_below(order(HFI_COMMAND_JOINT, 0, 0, 0), 0); // free
  assert_below(order(HFI_COMMAND_JOINT, 7, 0, 0), 0);
  assert_below(order(HFI_COMMAND_DRAG, 0, 0, 0), 0); // the world
  assert_below(order(HFI_COMMAND_DRAG, 99, 0, 0), 0);
  assert_below(order(HFI_COMMAND_FIELD, HF_MODEL_FIELD_COUNT, 0, 0), 0);
  assert_below(order(HFI_COMMAND_FIELD, HF_FIELD_body_mass, 99, 1), 0);
  assert_below(order(HFI_COMMAND_FIELD, HF_FIELD_body_mass, 1, -1), 0); // no mass
  assert_below(order(HFI_COMMAND_SCALE, HFI_SCALES, 1, 0), 0);
  assert_below(order(HFI_COMMAND_SCALE, 0, 0, 0), 0);
  assert_below(order(HFI_COMMAND_OPTION, 9999, 0, 0), 0);
  assert_below(order(HFI_COMMAND_OPTION, 1, 77, 0), 0); // no such method
  assert_below(order(HFI_COMMAND_OPTION, 65536 + 1, HF_METHOD_CONVEX, 0), 0); // not taken for option 1
  assert_below(order(HFI_COMMAND_OPTION, UINT32_MAX, 0, 0), 0);
  assert_below(order(HFI_COMMAND_SAVE, 0, 0, 0), 0);    // for the server
  assert_memory_equal(session.state, before, session.state->size);
  free(before);
  walk(10);
}

// A slider that is refused lets the others act. The motor's gain times 100 is not finite; doubled masses are 4 kg.
static void test_a_refused_slider_goes_back(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body><freejoint/><geom size='0.1' mass='2'/></body>"
      "<body><joint name='rail' type='slide'/><geom size='0.1' mass='2' contype='0' conaffinity='0'/></body>"
      "</worldbody><actuator><general joint='rail' gainprm='1e307'/></actuator></mujoco>";
  hfError error = {HF_OK, ""};
  hfSimConfig config = hf_sim_config_default();
  assert_int_equal(hf_model_parse(&model, text, strlen(text), "scene", ".", NULL, NULL, &error), HF_OK);
  hfState* start = hf_state_create(model);
  assert_int_equal(hfi_session_open(&session, model, &config, start, NULL, 60, &error), HF_OK);
  hf_state_free(start);

  assert_below(order(HFI_COMMAND_SCALE, HFI_SCALE_ACTUATION, 100, 0), 0);
  assert_true(session.scale[HFI_SCALE_ACTUATION] == 1);
  assert_int_equal(order(HFI_COMMAND_SCALE, HFI_SCALE_MASS, 2, 0), HF_OK);
  const hfModel* changed = hf_params_model(session.params);
  assert_true(hf_model_body_mass(changed)[1] == 4);
  assert_true(hf_model_actuator_gainprm(changed)[0] == 1e307);
  end(state);
}

static int set_option(const char* name, double value) {
  uint32_t i = 0;
  while (strcmp(hf_sim_config_name((int)i), name) != 0) ++i;
  return order(HFI_COMMAND_OPTION, i, value, 0);
}

// A page changes the method whatever the options of the former one are: those that the new method does not read get their defaults.
static void test_the_method_changes_with_its_options(void** state) {
  (void)state;
  assert_int_equal(set_option("friction", HF_FRICTION_REGULARISED), HF_OK);
  assert_int_equal(set_option("near_rigid", 0.5), HF_OK);
  assert_int_equal(set_option("mlcp.edges", 12), HF_ERROR_UNSUPPORTED);
  for (int method = HF_METHOD_SWITCHING; method >= HF_METHOD_TAMSI; --method) {
    assert_int_equal(set_option("method", method), HF_OK);
    const hfSimConfig* config = hf_sim_config(session.sim);
    assert_int_equal(config->method, method);
    assert_int_equal(config->solver.first_rung, method == HF_METHOD_CONVEX ? HF_RUNG_CONVEX : HF_RUNG_TAMSI);
    session.config = *config; // complete, as a page has it from a recording
  }
  assert_true(hf_sim_config(session.sim)->near_rigid == hf_sim_config_default().near_rigid);
}

// States of recordings are bytes from outside: cut off or of another model they are refused.
static void test_damaged_states_are_refused(void** state) {
  (void)state;
  hfError error;
  out.size = 0;
  hfi_session_state(&session, &out);
  const char* payload = out.data + sizeof(hfiChunkHeader);
  size_t size = out.size - sizeof(hfiChunkHeader);
  assert_int_equal(hfi_session_restore(&session, payload, size, 1, &error), HF_OK);
  for (size_t cut = 0; cut + 8 < size; cut += 7)
    assert_below(hfi_session_restore(&session, payload, cut, 1, &error), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_history_is_bounded),
      cmocka_unit_test_setup_teardown(test_single_steps_keep_to_the_budget, begin, end),
      cmocka_unit_test_setup_teardown(test_going_back_gives_the_same_bits, begin, end),
      cmocka_unit_test_setup_teardown(test_controls_and_scales_act, begin, end),
      cmocka_unit_test_setup_teardown(test_a_state_without_controls_leaves_them_to_signals, begin, end),
      cmocka_unit_test_setup_teardown(test_a_held_control_wins_over_a_signal, begin, end),
      cmocka_unit_test_setup_teardown(test_mass_scales_what_floats, begin, end),
      cmocka_unit_test_setup_teardown(test_reset_joint_keyframe, begin, end),
      cmocka_unit_test_setup_teardown(test_wrong_commands_change_nothing, begin, end),
      cmocka_unit_test(test_a_refused_slider_goes_back),
      cmocka_unit_test_setup_teardown(test_the_method_changes_with_its_options, begin, end),
      cmocka_unit_test_setup_teardown(test_damaged_states_are_refused, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
