// Spatial tendons: every way of wrapping against MuJoCo and finite differences, an Atwood machine, refusals, files.
#include "support/mujoco_scene.h"
#include "support/near.h"

#include <holdfast/holdfast.h>

#include <unistd.h>

// ---- MuJoCo -----------------------------------------------------------------------------------------

enum { KINDS = 6, INSIDE = 2 }; // tendons of the scene: for each shape without a side, with one outside, with one inside

static void place(mujocoScene* s, const double* q) {
  hf_dynamics_set_position(s->dynamics, q, NULL);
  hf_actuation_update(s->actuation, s->dynamics, q);
}

// Central differences of the length with the step 1e-6 have an error near 1e-9 of rounding and truncation on lengths of order
// 1 with curvatures up to 1/(5 mm); the tolerance allows for the latter.
static void compare_with_differences(mujocoScene* s, const double* q, int tendon, const double* row) {
  const hfModel* m = s->model;
  double *moved = malloc(sizeof *moved * (size_t)m->nq), *v = calloc((size_t)m->nv, sizeof *v), length[2];
  for (int i = 0; i < m->nv; ++i) {
    v[i] = 1;
    for (int k = 0; k < 2; ++k) {
      memcpy(moved, q, sizeof *moved * (size_t)m->nq);
      hf_model_integrate(m, moved, v, k ? 1e-6 : -1e-6);
      place(s, moved);
      length[k] = hf_actuation_tendon_length(s->actuation)[tendon];
    }
    v[i] = 0;
    assert_near((length[1] - length[0]) / 2e-6, row[i], 2e-5);
  }
  free(moved), free(v);
}

// Lengths agree to 1e-12. MuJoCo finds the point of touch inside of a geom by an iteration that it ends at 1e-6; the length is
// stationary there, but the moment is off by that much, and by more where p0 or p1 is near the surface: differences decide.
static void compare_tendons(mujocoScene* s, const double* q, const double* length, const double* moment) {
  int nv = s->model->nv;
  double* row = malloc(sizeof *row * (size_t)nv);
  for (int t = 0; t < KINDS; ++t) {
    place(s, q);
    peer_compare("length", hf_actuation_tendon_length(s->actuation) + t, length + t, 1, 1e-12);
    hf_actuation_tendon_moment(s->actuation, t, row);
    peer_compare("moment", row, moment + t * nv, nv, t % 3 == INSIDE ? 1e-3 : 1e-11);
    if (t % 3 == INSIDE) compare_with_differences(s, q, t, row);
  }
  free(row);
}

static void test_wrapping(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_tendons_XXXXXX", arguments[32];
  int states = is_full() ? 5000 : 300, wrapped[KINDS] = {0};
  snprintf(arguments, sizeof arguments, "%d 20260501", states);
  if (peer_run(folder, "actuation/mujoco_tendons.py", arguments) != 0) skip();
  mujocoScene s;
  mujoco_scene_load(&s, folder, "scene", "states");
  FILE* in = s.in;
  for (int i = 0; i < states; ++i) {
    double *q = peer_row(in, "qpos", s.model->nq), *length = peer_row(in, "length", KINDS), *touch = peer_row(in, "wrapped", KINDS);
    double* moment = peer_row(in, "moment", KINDS * s.model->nv);
    compare_tendons(&s, q, length, moment);
    for (int t = 0; t < KINDS; ++t) wrapped[t] += touch[t] != 0;
    free(q), free(length), free(touch), free(moment);
  }
  for (int t = 0; t < KINDS; ++t) assert_in_range(wrapped[t], states / 60, states - states / 60); // both cases occur
  peer_remove(folder);
  mujoco_scene_close(&s);
}

// ---- an Atwood machine ------------------------------------------------------------------------------

static const char* const ATWOOD =
    "<mujoco><option timestep='0.001'/><worldbody>"
    "<geom name='wheel' type='cylinder' size='0.1 0.02' euler='90 0 0' pos='0 0 1' contype='0' conaffinity='0'/>"
    "<site name='above' pos='0 0 1.5'/>"
    "<body pos='0.1 0 0.5'><joint name='right' type='slide' axis='0 0 1'/><geom size='.02' mass='2'/><site name='r'/></body>"
    "<body pos='-0.1 0 0.5'><joint name='left' type='slide' axis='0 0 1'/><geom size='.02' mass='1'/><site name='l'/></body>"
    "</worldbody><tendon><spatial name='rope' range='0 %s'>"
    "<site site='r'/><geom geom='wheel' sidesite='above'/><site site='l'/></spatial></tendon>"
    "<sensor><tendonlimitfrc tendon='rope'/><tendonpos tendon='rope'/></sensor></mujoco>";

// Two masses on a rope over a wheel without inertia: a = g (m2 - m1)/(m2 + m1), tension 2 g m1 m2/(m1 + m2). Straight parts of
// 0.5 m and half a turn are 1 + 0.1 pi long. A near-rigid limit gives way by 1/(1 + 3948) of what it holds.
static void test_atwood(void** state) {
  (void)state;
  char text[2048];
  hfModel* m = NULL;
  hfSim* sim = NULL;
  hfError error;
  snprintf(text, sizeof text, ATWOOD, "1.3141592653589793");
  if (hf_model_parse(&m, text, strlen(text), "atwood", NULL, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  if (hf_sim_create(&sim, m, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  hfState* s = hf_state_create(m);
  for (int i = 0; i < 200; ++i) assert_int_equal(hf_sim_step(sim, s, NULL, NULL, &error), HF_OK);
  double g = 9.81, v = g / 3 * 0.2;
  assert_near(hf_state_v(s)[0], -v, 1e-3 * v);
  assert_near(hf_state_v(s)[1], v, 1e-3 * v);
  assert_near(hf_sim_sensors(sim)[0], 2 * g * 2 / 3, 1e-3 * g);
  assert_near(hf_sim_sensors(sim)[1], 1 + 0.1 * 3.14159265358979, 1e-4);
  hf_state_free(s), hf_sim_free(sim), hf_model_free(m);
}

// ---- a span on one body -----------------------------------------------------------------------------

// A lever turns about y. Its tendon comes from a point of the world, 1 m above the hinge, to the lever's site at x = -0.3 m and goes on around a wheel of radius
// 0.1 m on the lever to the site at x = 0.3 m, also through a pulley. What is on the lever keeps its length, 2 sqrt(L^2 - r^2) + r (pi - 2 acos(r/L)).
static void test_constant_span(void** state) {
  (void)state;
  static const char text[] = "<mujoco><worldbody><site name='top' pos='0 0 1'/><body><joint type='hinge' axis='0 1 0'/><geom size='.05' mass='1'/>"
                             "<geom name='wheel' type='cylinder' size='0.1 0.02' euler='90 0 0' mass='0' contype='0' conaffinity='0'/>"
                             "<site name='a' pos='-0.3 0 0'/><site name='b' pos='0.3 0 0'/><site name='over' pos='0 0 0.3'/></body></worldbody>"
                             "<tendon><spatial><site site='top'/><site site='a'/><geom geom='wheel' sidesite='over'/><site site='b'/>"
                             "<pulley divisor='2'/><site site='a'/><site site='b'/></spatial></tendon></mujoco>";
  hfModel* m = NULL;
  hfError error;
  mujocoScene s = {0};
  if (hf_model_parse(&m, text, strlen(text), "lever", NULL, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  assert_int_equal(hf_dynamics_create(&s.dynamics, m, &error), HF_OK);
  assert_int_equal(hf_actuation_create(&s.actuation, m, &error), HF_OK);
  double constant = 2 * sqrt(0.09 - 0.01) + 0.1 * (3.14159265358979324 - 2 * acos(1.0 / 3)) + 0.5 * 0.6;
  for (double q = -1; q < 1; q += 0.1) {
    place(&s, &q);
    double x = -0.3 * cos(q), z = 0.3 * sin(q), free = sqrt(x * x + (1 - z) * (1 - z));
    assert_near(hf_actuation_tendon_length(s.actuation)[0], free + constant, 1e-14); // rounding of lengths of 2 m
  }
  hf_actuation_free(s.actuation), hf_dynamics_free(s.dynamics), hf_model_free(m);
}

// ---- refusals and files -----------------------------------------------------------------------------

static const char* refusal(const char* path) {
  static hfError error;
  char text[1024];
  hfModel* m = NULL;
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom name='ball' size='.1'/><geom name='box' type='box' size='.1 .1 .1'/><site name='a'/>"
           "<site name='b' pos='1 0 0'/></worldbody><tendon>%s</tendon></mujoco>", path);
  assert_int_equal(hf_model_parse(&m, text, strlen(text), "scene", NULL, NULL, NULL, &error), HF_ERROR_MODEL);
  return error.message;
}

static void test_refusals(void** state) {
  (void)state;
  static const struct { const char *path, *what; } cases[] = {
      {"<spatial><site site='a'/></spatial>", "no other site to go to"},
      {"<spatial><site site='a'/><geom geom='ball'/></spatial>", "between two sites"},
      {"<spatial><site site='a'/><geom geom='box'/><site site='b'/></spatial>", "not around a box"},
      {"<spatial><site site='a'/><site site='b'/><pulley divisor='2'/></spatial>", "a site must follow a pulley"},
      {"<spatial><pulley divisor='0'/><site site='a'/><site site='b'/></spatial>", "must be positive"},
      {"<spatial armature='1'><site site='a'/><geom geom='ball'/><site site='b'/></spatial>", "cannot wrap"},
      {"<spatial/>", "no joints and no path"},
      {"<spatial><site site='nowhere'/><site site='b'/></spatial>", "nowhere"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char* message = refusal(cases[i].path);
    if (!strstr(message, cases[i].what)) fail_msg("case %zu: %s", i, message);
  }
}

static void test_file(void** state) {
  (void)state;
  char text[2048], path[] = "/tmp/holdfast_tendon_XXXXXX";
  hfModel *m = NULL, *read = NULL;
  hfError error;
  snprintf(text, sizeof text, ATWOOD, "2");
  if (hf_model_parse(&m, text, strlen(text), "atwood", NULL, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  int file = mkstemp(path);
  assert_at_least(file, 0);
  assert_int_equal(hf_model_write(m, path, &error), HF_OK);
  if (hf_model_read(&read, path, &error) != HF_OK) fail_msg("%s", error.message);
  assert_int_equal(read->size, m->size);
  assert_memory_equal(read, m, (size_t)m->size);
  // A wrap that names nothing is refused: 7 is a site that is not there.
  ((int32_t*)((uintptr_t)read + (uintptr_t)read->offset[HF_FIELD_wrap_obj]))[0] = 7;
  assert_int_equal(hf_model_validate(read, (size_t)read->size, &error), HF_ERROR_MODEL);
  close(file), remove(path);
  hf_model_free(m), hf_model_free(read);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrapping), cmocka_unit_test(test_atwood), cmocka_unit_test(test_constant_span), cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
