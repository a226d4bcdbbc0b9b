// Contacts as an array, and events: a ball that is dropped, bounces and comes to rest; a box that slides and stops.
#include "support/cmocka_all.h"
#include "support/near.h"

#include <holdfast/events.h>
#include <holdfast/holdfast.h>
#include <math.h>
#include <string.h>

typedef struct fixture {
  hfModel* model;
  hfSim* sim;
  hfState* state;
  hfEvents* events;
} fixture;

static void open_fixture(fixture* f, const char* scene) {
  hfError error;
  *f = (fixture){0};
  if (hf_model_parse(&f->model, scene, strlen(scene), "scene", ".", NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  assert_int_equal(hf_sim_create(&f->sim, f->model, NULL, &error), HF_OK);
  f->state = hf_state_create(f->model);
  assert_int_equal(hf_events_create(&f->events, &error), HF_OK);
}

static void close_fixture(fixture* f) {
  hf_events_free(f->events);
  hf_state_free(f->state);
  hf_sim_free(f->sim);
  hf_model_free(f->model);
}

static const hfEvent* step(fixture* f, int* count) {
  hfStepReport report;
  hfError error;
  assert_at_least(hf_sim_step(f->sim, f->state, NULL, &report, &error), 0);
  assert_int_equal(hf_events_update(f->events, f->sim, f->state->time, &report, &error), HF_OK);
  return hf_events_list(f->events, count);
}

// From 0.2 m the ball touches after sqrt(2 0.2/9.81) = 0.2019 s. Touch and leave alternate, the floor is body 0.
static void test_a_ball_touches_and_leaves(void** state) {
  (void)state;
  fixture f;
  open_fixture(&f, "<mujoco><option timestep='0.001'/><custom><numeric name='hf.dissipation' data='0.1'/></custom>"
                   "<worldbody><geom type='plane' size='1 1 1'/>"
                   "<body name='ball' pos='0 0 .3'><freejoint/><geom size='.1' mass='1' condim='1'/></body></worldbody></mujoco>");
  int count, kinds[2] = {0}, last = HF_EVENT_LEAVE;
  double first = 0;
  for (int i = 0; i < 1500; ++i) {
    const hfEvent* e = step(&f, &count);
    for (int k = 0; k < count; ++k) {
      assert_int_equal(e[k].kind, last == HF_EVENT_LEAVE ? HF_EVENT_TOUCH : HF_EVENT_LEAVE);
      assert_true(e[k].body_a == 0 && e[k].body_b == 1 && e[k].time == f.state->time);
      if (!first) first = e[k].time;
      last = e[k].kind;
      kinds[last == HF_EVENT_LEAVE]++;
    }
  }
  assert_near(first, sqrt(2 * 0.2 / 9.81), 2e-3); // two steps: the last of the fall and the first of the contact
  assert_at_least(kinds[0], 2);
  assert_at_least(kinds[1], 1);
  hf_events_reset(f.events); // forgets, so that a ball at rest begins to touch again
  hf_state_reset(f.state, f.model);
  hf_state_mutable_q(f.state)[2] = 0.0999;
  const hfEvent* e = step(&f, &count);
  assert_int_equal(count, 1);
  assert_int_equal(e[0].kind, HF_EVENT_TOUCH);
  close_fixture(&f);
}

// At 1 m/s with mu = 0.5 the box slides for v/(mu g) = 0.204 s, then sticks.
static void test_a_box_slides_and_sticks(void** state) {
  (void)state;
  fixture f;
  open_fixture(&f, "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='9 9 1' friction='.5'/>"
                   "<body name='box' pos='0 0 .1'><freejoint/><geom type='box' size='.2 .2 .1' friction='.5' mass='1'/></body>"
                   "</worldbody></mujoco>");
  hf_state_mutable_v(f.state)[0] = 1;
  int count, slid = 0;
  double stuck = 0;
  for (int i = 0; i < 400; ++i) {
    const hfEvent* e = step(&f, &count);
    for (int k = 0; k < count; ++k) {
      if (e[k].kind == HF_EVENT_SLIDE) slid = 1;
      if (e[k].kind == HF_EVENT_STICK) stuck = e[k].time;
    }
  }
  assert_true(slid);
  assert_near(stuck, 1 / (0.5 * 9.81), 0.02); // rocking of the box on its stiff corners spreads the end of the slide
  close_fixture(&f);
}

// The array has the contacts one by one, as many as fit; the return value says how many there are.
static void test_contacts_as_an_array(void** state) {
  (void)state;
  fixture f;
  open_fixture(&f, "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/>"
                   "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>");
  int count;
  step(&f, &count);
  hfContact all[8], some[2];
  memset(all, 0, sizeof all);
  int n = hf_sim_contacts(f.sim, all, 8);
  assert_int_equal(n, 4); // the corners of a box
  assert_int_equal(n, hf_sim_contact_count(f.sim));
  for (int i = 0; i < n; ++i) {
    hfContact one = hf_sim_contact(f.sim, i);
    assert_memory_equal(&all[i], &one, sizeof one);
  }
  assert_int_equal(hf_sim_contacts(f.sim, some, 2), 4);
  assert_memory_equal(some, all, sizeof some);
  assert_int_equal(hf_sim_contacts(f.sim, NULL, 0), 4);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ball_touches_and_leaves),
      cmocka_unit_test(test_a_box_slides_and_sticks),
      cmocka_unit_test(test_contacts_as_an_array),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
