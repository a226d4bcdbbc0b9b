// Recordings: what is written is what is read; damaged ones are refused or cut at the last whole
// frame.
#include "support/near.h"

#include <holdfast/holdfast.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char scene_text[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='ball' pos='0.25 0 0.0999'><freejoint/><geom size='0.1' mass='2'/></body>"
    "</worldbody></mujoco>";

static char path[] = "/tmp/holdfast-recording-XXXXXX";
static hfModel* model;
static hfState* state_after;
static long size_of_file;

enum { FRAMES = 20 };

// Records a ball on the floor: the start and FRAMES steps.
static int record(void** state) {
  (void)state;
  hfError error = {HF_OK, ""};
  hfSim* sim = NULL;
  hfRecorder* recorder = NULL;
  hfSimConfig config = hf_sim_config_default();
  close(mkstemp(path));
  if (hf_model_parse(&model, scene_text, strlen(scene_text), "scene", ".", NULL, NULL, &error) <
          0 ||
      hf_sim_create(&sim, model, &config, &error) < 0 ||
      hf_recorder_open(&recorder, path, model, "a scene", &error) < 0) {
    print_error("%s\n", error.message);
    return -1;
  }
  state_after = hf_state_create(model);
  hf_recorder_add_frame(recorder, sim, state_after, NULL, &error);
  for (int i = 0; i < FRAMES; ++i) {
    if (hf_sim_step(sim, state_after, NULL, NULL, &error) < 0) return -1;
    if (hf_recorder_add_frame(recorder, sim, state_after, NULL, &error) < 0) return -1;
  }
  if (hf_recorder_close(recorder, &error) < 0) return -1;
  hf_sim_free(sim);
  FILE* file = fopen(path, "r");
  fseek(file, 0, SEEK_END);
  size_of_file = ftell(file);
  return fclose(file);
}

static int clean(void** state) {
  (void)state;
  hf_state_free(state_after);
  hf_model_free(model);
  return remove(path);
}

static void test_reads_what_was_written(void** state) {
  (void)state;
  hfRecording* r = NULL;
  hfError error = {HF_OK, ""};
  assert_int_equal(hf_recording_read(&r, path, &error), HF_OK);
  assert_string_equal(hf_recording_scene(r), "a scene");
  assert_int_equal(hf_recording_frame_count(r), FRAMES + 1);
  assert_int_equal(hf_recording_model(r)->size, model->size);
  assert_memory_equal(hf_recording_model(r), model, model->size);
  hfFrame first = hf_recording_frame(r, 0), last = hf_recording_frame(r, FRAMES);
  const float start[7] = {0.25f, 0, 0.0999f, 1, 0, 0, 0};
  assert_memory_equal(first.pose + 7, start, sizeof start);
  assert_near(last.time, state_after->time, 0);
  assert_near((double)last.pose[9], hf_state_q(state_after)[2], 1e-8); // single precision of 0.1
  assert_int_equal(last.ncontact, 1);
  assert_near((double)last.contact->p_W[0], 0.25, 1e-8);
  assert_above(last.contact->fn, 0);
  assert_near(fabs((double)last.contact->n_W[2]), 1, 1e-6);
  assert_near((double)last.contact->mu, 1, 1e-6); // MJCF's default
  assert_near((double)last.q[2], hf_state_q(state_after)[2], 1e-8);
  hf_recording_free(r);
}

// A run of `model` that is recorded to a file, from its start on.
typedef struct Run { hfSim* sim; hfRecorder* recorder; hfState* state; hfStepReport report; } Run;

static Run start_run(const char* file, double step, double interval) {
  Run run = {0};
  hfError error = {HF_OK, ""};
  hfSimConfig config = hf_sim_config_default();
  config.step = step;
  assert_int_equal(hf_sim_create(&run.sim, model, &config, &error), HF_OK);
  assert_int_equal(hf_recorder_open(&run.recorder, file, model, "", &error), HF_OK);
  hf_recorder_set_interval(run.recorder, interval);
  run.state = hf_state_create(model);
  assert_int_equal(hf_recorder_check(run.recorder, run.state, &error), HF_OK);
  assert_int_equal(hf_recorder_add(run.recorder, run.sim, run.state, NULL, NULL, &error), HF_OK);
  return run;
}

static void record_step(Run* run) {
  hfError error = {HF_OK, ""};
  assert_int_equal(hf_sim_step(run->sim, run->state, NULL, &run->report, &error), HF_OK);
  assert_int_equal(hf_recorder_add(run->recorder, run->sim, run->state, NULL, &run->report, &error), HF_OK);
}

// Steps of 5 ms with a frame every 1/60 s: the end of the run is the last frame, and is not written twice where it was due.
static void test_last_frame_is_the_end(void** state) {
  (void)state;
  static const char file[] = "/tmp/holdfast-recording-end";
  const struct { int steps; double interval; int frames; } cases[] = {{0, 1.0 / 60, 1}, {3, 1.0 / 60, 2}, {5, 1.0 / 60, 3}, {4, 0.01, 3}, {5, 0, 6}, {5, 1e-300, 6}, {3, 0.004, 4}, {4, 5e-6, 5}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    hfError error = {HF_OK, ""};
    hfRecording* r = NULL;
    Run run = start_run(file, 0.005, cases[k].interval);
    for (int i = 0; i < cases[k].steps; ++i) record_step(&run);
    for (int twice = 0; twice < 2; ++twice) assert_int_equal(hf_recorder_finish(run.recorder, run.sim, run.state, NULL, &error), HF_OK);
    assert_int_equal(hf_recorder_close(run.recorder, &error), HF_OK);
    assert_int_equal(hf_recording_read(&r, file, &error), HF_OK);
    assert_int_equal(hf_recording_frame_count(r), cases[k].frames);
    hfFrame last = hf_recording_frame(r, cases[k].frames - 1);
    assert_near(last.time, run.state->time, 0);
    assert_near((double)last.q[2], hf_state_q(run.state)[2], 1e-8); // single precision of 0.1
    hf_recording_free(r), hf_state_free(run.state), hf_sim_free(run.sim);
  }
  remove(file);
}

// Whoever moves the time of a state far ahead gets one frame there, at once: frames were counted up to it one by one.
static void test_time_that_jumps(void** state) {
  (void)state;
  static const char file[] = "/tmp/holdfast-recording-jump";
  hfError error = {HF_OK, ""};
  hfRecording* r = NULL;
  Run run = start_run(file, 0.005, 1.0 / 60);
  run.state->time = 1e12;
  for (int i = 0; i < 8; ++i) record_step(&run); // two frames in 0.04 s behind the first one there
  assert_int_equal(hf_recorder_close(run.recorder, &error), HF_OK);
  assert_int_equal(hf_recording_read(&r, file, &error), HF_OK);
  assert_int_equal(hf_recording_frame_count(r), 4);
  hf_recording_free(r), hf_state_free(run.state), hf_sim_free(run.sim);
  remove(file);
}

// A state from before the last one can be refused before a step moves it. The end of a run cannot be before its last step.
static void test_check_before_a_step(void** state) {
  (void)state;
  static const char file[] = "/tmp/holdfast-recording-check";
  hfError error = {HF_OK, ""};
  hfReport* html = NULL;
  Run run = start_run(file, 0, 1.0 / 60);
  hfState* start = hf_state_create(model);
  assert_int_equal(hf_report_open(&html, "/tmp/holdfast-recording-check.html", model, &error), HF_OK);
  assert_int_equal(hf_report_add(html, run.sim, run.state, NULL, NULL, &error), HF_OK);
  record_step(&run);
  assert_int_equal(hf_report_add(html, run.sim, run.state, NULL, &run.report, &error), HF_OK);
  assert_int_equal(hf_recorder_check(run.recorder, run.state, &error), HF_OK);
  assert_int_equal(hf_report_check(html, run.state, &error), HF_OK);
  assert_int_equal(hf_recorder_check(run.recorder, start, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_report_check(html, start, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_recorder_finish(run.recorder, run.sim, start, NULL, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(hf_report_finish(html, run.sim, run.state, NULL, &error), HF_OK);
  hf_recorder_discard(run.recorder), hf_report_discard(html);
  hf_state_free(start), hf_state_free(run.state), hf_sim_free(run.sim);
  remove(file);
}

static int open_copy(long size, long at, const char* bytes, size_t count, hfRecording** r,
                     hfError* error) {
  static const char copy[] = "/tmp/holdfast-recording-copy";
  char* content = malloc((size_t)size_of_file);
  FILE* file = fopen(path, "r");
  assert_int_equal(fread(content, 1, (size_t)size_of_file, file), size_of_file);
  fclose(file);
  if (bytes) memcpy(content + at, bytes, count);
  file = fopen(copy, "w");
  assert_int_equal(fwrite(content, 1, (size_t)size, file), size);
  fclose(file);
  free(content);
  hfStatus status = hf_recording_read(r, copy, error);
  remove(copy);
  return status;
}

static void test_cut_off_anywhere(void** state) {
  (void)state;
  // From the file without its last byte down to nothing, in steps that share no factor with a
  // frame.
  int frames = FRAMES + 1;
  for (long size = size_of_file - 1; size >= 0; size -= 37) {
    hfRecording* r = NULL;
    hfError error = {HF_OK, ""};
    if (open_copy(size, 0, NULL, 0, &r, &error) == HF_OK) {
      assert_at_most(hf_recording_frame_count(r), frames);
      frames = hf_recording_frame_count(r);
      assert_at_most(frames, FRAMES);
      hf_recording_free(r);
    } else {
      assert_null(r);
      assert_string_not_equal(error.message, "");
      frames = 0;
    }
  }
  assert_int_equal(frames, 0);
}

static void test_damage_is_refused(void** state) {
  (void)state;
  hfRecording* r = NULL;
  hfError error = {HF_OK, ""};
  assert_int_equal(open_copy(size_of_file, 0, "X", 1, &r, &error), HF_ERROR_PARSE);
  assert_int_equal(open_copy(size_of_file, 8, "\x07", 1, &r, &error), HF_ERROR_UNSUPPORTED);
  const char huge[8] = {-1, -1, -1, -1, -1, -1, -1, 127};
  for (long at = 16; at < 56; at += 8) // every offset and size of the header
    assert_below(open_copy(size_of_file, at, huge, 8, &r, &error), 0);
  assert_true(hf_recording_read(&r, "/no/such/file", &error) == HF_ERROR_FILE);
  assert_true(hf_recording_read(&r, "/", &error) == HF_ERROR_FILE);
  assert_null(r);
}

// Records a box on a floor with mu = 0.5 for 2 s. It is pulled by 0.25 of its weight, and from 1 s on by all of it.
static void record_pull(const char* file) {
  static const char text[] =
      "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='9 9 1' friction='0.5'/>"
      "<body name='block' pos='0 0 0.1'><joint name='x' type='slide' axis='1 0 0'/>"
      "<joint name='z' type='slide' axis='0 0 1'/><geom type='box' size='0.2 0.2 0.1' mass='1' friction='0.5'/>"
      "</body></worldbody><actuator><motor name='pull' joint='x'/></actuator></mujoco>";
  hfError error = {HF_OK, ""};
  hfModel* m = NULL;
  hfSim* sim = NULL;
  hfRecorder* recorder = NULL;
  hfSimConfig config = hf_sim_config_default();
  assert_int_equal(hf_model_parse(&m, text, strlen(text), "scene", ".", NULL, NULL, &error), HF_OK);
  assert_int_equal(hf_sim_create(&sim, m, &config, &error), HF_OK);
  assert_int_equal(hf_recorder_open(&recorder, file, m, "pull", &error), HF_OK);
  hfState* s = hf_state_create(m);
  hfInput* input = hf_input_create(m);
  hfStepReport report;
  assert_int_equal(hf_recorder_add(recorder, sim, s, input, NULL, &error), HF_OK);
  for (int i = 0; i < 1000; ++i) {
    input->ctrl[0] = (i < 500 ? 0.25 : 1) * 9.81;
    assert_int_equal(hf_sim_step(sim, s, input, &report, &error), HF_OK);
    assert_int_equal(hf_recorder_add(recorder, sim, s, input, &report, &error), HF_OK);
  }
  const hfReportLine line = {"a \"name\"", "a value"};
  assert_int_equal(hf_recorder_figures(recorder, &line, 1, &error), HF_OK);
  assert_int_equal(hf_recorder_close(recorder, &error), HF_OK);
  hf_input_free(input), hf_state_free(s), hf_sim_free(sim), hf_model_free(m);
}

// Friction of all contacts of a frame over its bound.
static double used_friction(const hfFrame* f) {
  double friction = 0, bound = 0;
  for (int i = 0; i < f->ncontact; ++i) {
    const float* t = f->contact[i].ft;
    friction += sqrt((double)(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]));
    bound += (double)(f->contact[i].mu * f->contact[i].fn);
  }
  return friction / bound;
}

// The box sticks at half of the bound, then slides at the bound. Frames and events must say so.
static void test_friction_events_and_controls(void** state) {
  (void)state;
  static const char file[] = "/tmp/holdfast-recording-friction";
  hfError error = {HF_OK, ""};
  hfRecording* r = NULL;
  record_pull(file);
  assert_int_equal(hf_recording_read(&r, file, &error), HF_OK);
  int count = hf_recording_frame_count(r);
  assert_true(count == 121 || count == 120); // 60 a second, the start included
  hfFrame early = hf_recording_frame(r, 55);
  assert_near((double)early.ctrl[0], 0.25 * 9.81, 1e-6);
  assert_near(used_friction(&early), 0.5, 1e-3); // 0.25 of the weight, of a bound of 0.5
  hfFrame late = hf_recording_frame(r, count - 1);
  assert_near((double)late.ctrl[0], 9.81, 1e-6);
  assert_near(used_friction(&late), 1, 1e-3);
  int touch = 0, slide = 0;
  double when = 0;
  for (int i = 0; i < hf_recording_event_count(r); ++i) {
    hfEvent e = hf_recording_event(r, i);
    touch += e.kind == HF_EVENT_TOUCH;
    if (e.kind == HF_EVENT_SLIDE && e.time > 0.9) ++slide, when = e.time;
  }
  assert_at_least(touch, 1);
  assert_int_equal(slide, 1);
  assert_near(when, 1, 0.02); // the control changes at 1 s; the anchors stretch first
  assert_string_equal(hf_recording_figures(r), "[[\"a \\\"name\\\"\",\"a value\"]]");
  assert_non_null(strstr(hf_recording_run(r), "\"method\":\"tamsi\""));
  hf_recording_free(r);
  remove(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_what_was_written),
      cmocka_unit_test(test_last_frame_is_the_end), cmocka_unit_test(test_time_that_jumps), cmocka_unit_test(test_check_before_a_step),
      cmocka_unit_test(test_cut_off_anywhere),
      cmocka_unit_test(test_damage_is_refused),
      cmocka_unit_test(test_friction_events_and_controls),
  };
  return cmocka_run_group_tests(tests, record, clean);
}
