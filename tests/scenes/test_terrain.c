// Bodies on height fields: flat ones are planes, slopes and valleys follow closed forms, and MuJoCo finds the same rests and rays.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/peer.h"

#include <holdfast/holdfast.h>

enum { SIDE = 21 };
static const double GRAVITY = 9.81;

typedef double heightFunction(double x, double y);

static int add_field(hfBuilder* b, int n, double half, heightFunction* height) {
  double* z = malloc(sizeof *z * (size_t)(n * n));
  for (int i = 0; i < n * n; ++i) z[i] = height(half * (2.0 * (i % n) / (n - 1) - 1), half * (2.0 * (i / n) / (n - 1) - 1));
  hfHeightFieldDef d = hf_height_field_def_default();
  d.nrow = d.ncol = n, d.half_size[0] = d.half_size[1] = half, d.base = 2, d.height = z;
  hfError error;
  int id = hf_builder_add_height_field(b, &d, &error);
  if (id < 0) fail_msg("%s", error.message);
  free(z);
  return id;
}

static int add_cube(hfBuilder* b, double h) {
  static const int32_t tri[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  double vert[24];
  for (int i = 0; i < 24; ++i) vert[i] = (i / 3 >> i % 3 & 1) ? h : -h;
  hfMeshDef mesh = {.nvert = 8, .ntri = 12, .vert = vert, .tri = tri, .nhulltri = 12, .hulltri = tri};
  return hf_builder_add_mesh(b, &mesh, NULL);
}

// A free body of 1 kg over the ground, which is a field or, where height is NULL, a plane through the origin with this slope along x.
static hfModel* make_model(int type, heightFunction* height, int n, double half, double slope, double mu, const double pos[3]) {
  hfBuilder* b = hf_builder_create();
  hfGeomDef ground = hf_geom_def_default(), geom = hf_geom_def_default();
  hfBodyDef body = hf_body_def_default();
  hfJointDef joint = hf_joint_def_default();
  ground.type = height ? HF_GEOM_HFIELD : HF_GEOM_PLANE;
  if (height) ground.hfield = add_field(b, n, half, height);
  else ground.quat[0] = cos(0.5 * atan(slope)), ground.quat[2] = -sin(0.5 * atan(slope));
  geom.type = type, geom.mass = 1;
  geom.size[0] = 0.05, geom.size[1] = 0.04, geom.size[2] = 0.03;
  if (type == HF_GEOM_MESH) geom.mesh = add_cube(b, 0.04);
  ground.friction[0] = geom.friction[0] = mu;
  for (int i = 0; i < 3; ++i) body.pos[i] = pos[i];
  body.quat[0] = cos(0.5 * atan(slope)), body.quat[2] = -sin(0.5 * atan(slope));
  hfError error;
  hfModel* model = NULL;
  geom.body = joint.body = hf_builder_add_body(b, &body, &error);
  joint.type = HF_JOINT_FREE;
  assert_at_least(hf_builder_add_joint(b, &joint, &error), 0);
  if (hf_builder_add_geom(b, &ground, &error) < 0 || hf_builder_add_geom(b, &geom, &error) < 0 || hf_builder_finish(b, &model, &error) < 0)
    fail_msg("%s", error.message);
  hf_builder_free(b);
  return model;
}

typedef struct Run {
  hfModel* model;
  hfSim* sim;
  hfState* state;
} Run;

static Run open_run(hfModel* model) {
  Run r = {model, NULL, hf_state_create(model)};
  hfSimConfig config = hf_sim_config_default();
  hfError error;
  if (hf_sim_create(&r.sim, model, &config, &error) < 0) fail_msg("%s", error.message);
  return r;
}

static void advance(Run* r, int steps) {
  hfError error;
  hfStepReport report;
  for (int k = 0; k < steps; ++k)
    if (hf_sim_step(r->sim, r->state, NULL, &report, &error) < 0) fail_msg("%s", error.message);
}

static void close_run(Run* r) {
  hf_sim_free(r->sim);
  hf_state_free(r->state);
  hf_model_free(r->model);
}

// ---- flat fields -----------------------------------------------------------------------------------

static double level(double x, double y) { return 0 * x * y; }

// Thrown over the floor with a spin, every shape goes the way it goes over a plane: 1e-9 after half a second over some thirty cells.
static void sliding_over_a_flat_field_is_sliding_over_a_plane(void** state) {
  (void)state;
  for (int type = HF_GEOM_SPHERE; type <= HF_GEOM_MESH; ++type) {
    const double pos[3] = {-0.4, -0.35, type == HF_GEOM_ELLIPSOID ? 0.03 : 0.05};
    Run run[2] = {open_run(make_model(type, level, 61, 0.6, 0, 0.3, pos)), open_run(make_model(type, NULL, 0, 0, 0, 0.3, pos))};
    for (int k = 0; k < 2; ++k) {
      double* v = hf_state_mutable_v(run[k].state);
      v[0] = 1.3, v[1] = 0.9, v[5] = 3;
      advance(&run[k], 250);
    }
    const double *q = hf_state_q(run[0].state), *p = hf_state_q(run[1].state);
    assert_above(p[0], -0.2); // it went some way
    for (int i = 0; i < 7; ++i) assert_near(q[i], p[i], 1e-9);
    for (int k = 0; k < 2; ++k) close_run(&run[k]);
  }
}

// ---- slopes and valleys ----------------------------------------------------------------------------

static double incline(double x, double y) { return 0.5 * x + 0 * y; }

// A block slides down a slope with a = g (sin - mu cos).
static void a_block_slides_down_a_slope(void** state) {
  (void)state;
  const double slope = 0.5, mu = 0.3, cosine = 1 / sqrt(1 + slope * slope), sine = slope * cosine, a = GRAVITY * (sine - mu * cosine);
  const double pos[3] = {0.5, 0.1, 0.25 + 0.03 / cosine};
  Run r = open_run(make_model(HF_GEOM_BOX, incline, SIDE, 1, slope, mu, pos));
  advance(&r, 50); // it settles into its contacts
  const double* v = hf_state_v(r.state);
  double before = -(v[0] * cosine + v[2] * sine);
  advance(&r, 100);
  double after = -(v[0] * cosine + v[2] * sine);
  assert_near((after - before) / 0.2, a, 1e-6 * a); // the slope's heights are exact, and the friction law is at its bound
  assert_near(v[1], 0, 1e-12);
  close_run(&r);
}

static double valley(double x, double y) { return 0.75 * fabs(x) + 0 * y; }

// A ball lies between the two sides of a valley: each carries m g/(2 cos), and is pressed in by that over the stiffness.
static void a_ball_rests_at_the_bottom_of_a_valley(void** state) {
  (void)state;
  const double cosine = 0.8, pos[3] = {0.001, 0.013, 0.07};
  Run r = open_run(make_model(HF_GEOM_SPHERE, valley, SIDE, 1, 0, 0.0, pos));
  advance(&r, 2000);
  hfContact c[8];
  int n = hf_sim_contact_count(r.sim);
  assert_int_equal(n, 2);
  double force = GRAVITY / (2 * cosine), k = 5e5; // two stiffnesses of 1e6 N/m in series
  for (int i = 0; i < n; ++i) {
    c[i] = hf_sim_contact(r.sim, i);
    assert_near(c[i].fn, force, 1e-6 * force);
    assert_near(fabs(c[i].n_W.z), cosine, 1e-9);
    assert_near(c[i].depth, force / k, 1e-6 * force / k);
  }
  assert_near(hf_state_q(r.state)[0], 0, 1e-8);
  assert_near(hf_state_q(r.state)[2], (0.05 - force / k) / cosine, 1e-9);
  close_run(&r);
}

// A cube stands on its edge at the bottom of a valley whose sides are its faces' slopes: two faces lie on two faces.
static double right_valley(double x, double y) { return fabs(x) + 0 * y; }

static void a_cube_lies_in_a_valley_of_its_own_shape(void** state) {
  (void)state;
  const double pos[3] = {0, 0.013, 0.04 * 1.4142135623730951 + 1e-4};
  hfModel* m = make_model(HF_GEOM_MESH, right_valley, SIDE, 1, 1, 0.5, pos);
  Run r = open_run(m);
  advance(&r, 1000);
  const double *q = hf_state_q(r.state), *v = hf_state_v(r.state);
  for (int i = 0; i < 6; ++i) assert_near(v[i], 0, 1e-9);
  assert_near(q[0], 0, 1e-6);
  assert_near(q[2], pos[2], 2e-4);
  close_run(&r);
}

// A wide box lies on bumps smaller than itself and stays there.
static double bumps(double x, double y) { return 0.01 * sin(60 * x) * cos(50 * y); }

static void shapes_come_to_rest_on_bumps(void** state) {
  (void)state;
  for (int type = HF_GEOM_CYLINDER; type <= HF_GEOM_MESH; ++type) {
    const double pos[3] = {0.02, -0.01, 0.07};
    Run r = open_run(make_model(type, bumps, 81, 0.5, 0, 0.8, pos));
    advance(&r, 2000);
    const double *q = hf_state_q(r.state), *v = hf_state_v(r.state);
    for (int i = 0; i < 6; ++i) assert_near(v[i], 0, 1e-6);
    assert_above(q[2], 0.03); // on the peaks
    assert_below(q[2], 0.06);
    double total = 0;
    for (int i = 0; i < hf_sim_contact_count(r.sim); ++i) {
      hfContact c = hf_sim_contact(r.sim, i);
      double sign = c.geom_a == 0 ? -1 : 1; // forces are those on A
      total += sign * (c.fn * c.n_W.z + c.ft.z);
    }
    assert_near(total, GRAVITY, 1e-5 * GRAVITY);
    close_run(&r);
  }
}

// Ground of spikes as high as its cells are wide, and smaller than the bodies: no contact is ever deeper than a hit at 1.5 m/s presses in.
static double spikes(double x, double y) {
  double u = sin(1234.5 * x + 77) * 43758.5453, v = sin(987.6 * y + 33) * 24634.6345;
  return 0.02 * sin(40 * (u - floor(u)) + 60 * (v - floor(v)));
}

static void no_contact_is_deep_on_spikes(void** state) {
  (void)state;
  for (int type = HF_GEOM_SPHERE; type <= HF_GEOM_MESH; ++type) {
    const double pos[3] = {0.02, -0.01, 0.17};
    Run r = open_run(make_model(type, spikes, 81, 0.8, 0, 0.8, pos));
    double* v = hf_state_mutable_v(r.state);
    v[0] = 0.5, v[4] = 7, v[5] = -5;
    for (int k = 0; k < 1000; ++k) {
      advance(&r, 1);
      for (int i = 0; i < hf_sim_contact_count(r.sim); ++i)
        if (!(hf_sim_contact(r.sim, i).depth < 2e-3)) fail_msg("type %d: a contact of depth %g at %g s", type, hf_sim_contact(r.sim, i).depth, r.state->time);
    }
    assert_above(hf_state_q(r.state)[2], 0); // it fell through nothing
    close_run(&r);
  }
}

// The example: the quadruped trots from the floor over the bumps and keeps upright.
static void the_quadruped_trots_over_bumps(void** state) {
  (void)state;
  hfModel* model = NULL;
  hfError error;
  if (hf_model_load(&model, HF_SOURCE_DIR "/models/quadruped_terrain.xml", NULL, NULL, &error) < 0) fail_msg("%s", error.message);
  Run r = open_run(model);
  assert_int_equal(hf_state_set_key(r.state, NULL, model, hf_model_find(model, HF_OBJECT_KEY, "trot"), &error), HF_OK);
  int terrain = hf_model_find(model, HF_OBJECT_GEOM, "terrain"), met = 0;
  for (int k = 0; k < 2500; ++k) {
    advance(&r, 1);
    for (int i = 0; i < hf_sim_contact_count(r.sim); ++i) met += hf_sim_contact(r.sim, i).geom_a == terrain;
  }
  const double* q = hf_state_q(r.state);
  assert_above(met, 1000);
  assert_above(q[0], 0.35); // 0.08 m/s for 5 s
  assert_above(q[3] * q[3], 0.99); // cosine of half its turn
  close_run(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sliding_over_a_flat_field_is_sliding_over_a_plane),
      cmocka_unit_test(a_block_slides_down_a_slope),
      cmocka_unit_test(a_ball_rests_at_the_bottom_of_a_valley),
      cmocka_unit_test(a_cube_lies_in_a_valley_of_its_own_shape),
      cmocka_unit_test(shapes_come_to_rest_on_bumps),
      cmocka_unit_test(no_contact_is_deep_on_spikes),
      cmocka_unit_test(the_quadruped_trots_over_bumps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
