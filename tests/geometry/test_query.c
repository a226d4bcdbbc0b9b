// Rays and distances over a model: a floor, a ball, a box and a ball that is only drawn on a slider, a mesh cube.
#include "geometry/oracle.h"

#include <holdfast/builder.h>
#include <holdfast/geometry.h>

enum { FLOOR, BALL, BOX, DRAWN, CUBE, GEOMS };

typedef struct World { hfModel* model; hfDynamics* dynamics; } World;

static int add_geom(hfBuilder* b, int body, int type, hfVec3 size, hfVec3 pos, int mesh) {
  hfGeomDef d = hf_geom_def_default();
  d.body = body, d.type = type, d.mesh = mesh;
  v3_store(d.size, size);
  v3_store(d.pos, pos);
  return hf_builder_add_geom(b, &d, NULL);
}

static int add_drawn_ball(hfBuilder* b, int body, double radius, hfVec3 pos) {
  hfGeomDef d = hf_geom_def_default();
  d.body = body, d.type = HF_GEOM_SPHERE, d.size[0] = radius, d.contype = d.conaffinity = 0;
  v3_store(d.pos, pos);
  return hf_builder_add_geom(b, &d, NULL);
}

static int make_world(void** state) {
  static World w;
  static const int32_t tri[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  double vert[24];
  for (int i = 0; i < 24; ++i) vert[i] = (i / 3 >> i % 3 & 1) ? 0.1 : -0.1;
  hfBuilder* b = hf_builder_create();
  hfError error;
  hfMeshDef mesh = {.nvert = 8, .ntri = 12, .vert = vert, .tri = tri, .nhulltri = 12, .hulltri = tri};
  int cube = hf_builder_add_mesh(b, &mesh, &error);
  assert_at_least(cube, 0);
  add_geom(b, 0, HF_GEOM_PLANE, v3(0, 0, 0), v3(0, 0, -1), -1);
  add_geom(b, 0, HF_GEOM_SPHERE, v3(0.2, 0, 0), v3(0, 0, 0), -1);
  hfBodyDef body = hf_body_def_default();
  int id = hf_builder_add_body(b, &body, NULL);
  hfJointDef slide = hf_joint_def_default();
  slide.body = id, slide.type = HF_JOINT_SLIDE, slide.axis[0] = 1, slide.axis[1] = slide.axis[2] = 0;
  hf_builder_add_joint(b, &slide, NULL);
  add_geom(b, id, HF_GEOM_BOX, v3(0.1, 0.1, 0.1), v3(0.5, 0, 0), -1);
  add_drawn_ball(b, id, 0.05, v3(0.5, 0, 0.5));
  body.pos[1] = 1;
  id = hf_builder_add_body(b, &body, NULL);
  add_geom(b, id, HF_GEOM_MESH, v3(0, 0, 0), v3(0, 0, 0), cube);
  if (hf_builder_finish(b, &w.model, &error) != HF_OK) fail_msg("%s", error.message);
  hf_builder_free(b);
  assert_int_equal(hf_dynamics_create(&w.dynamics, w.model, &error), HF_OK);
  *state = &w;
  return 0;
}

static int drop_world(void** state) {
  World* w = *state;
  hf_dynamics_free(w->dynamics);
  hf_model_free(w->model);
  return 0;
}

static void move_to(World* w, double x) { hf_dynamics_set_position(w->dynamics, &x, NULL); }

static void a_ray_finds_the_nearest_geom(void** state) {
  World* w = *state;
  hfRayHit hit;
  move_to(w, 0);
  assert_true(hf_ray_cast(w->dynamics, v3(2, 0, 0), v3(-3, 0, 0), INFINITY, -1, NULL, &hit));
  assert_int_equal(hit.geom, BOX);
  assert_near(hit.distance, 1.4, 1e-15);
  assert_near(hit.n_W.x, 1, 0);
  assert_near(hit.p_W.x, 0.6, 1e-15);
  const double sizes[] = {1e-308, 1e-200, 1e200, 1.7e308}; // the direction counts, not how long it is
  for (int i = 0; i < 4; ++i) {
    assert_true(hf_ray_cast(w->dynamics, v3(2, 0, 0), v3(-sizes[i], 0, 0), INFINITY, -1, NULL, &hit));
    assert_near(hit.distance, 1.4, 1e-15);
  }
  move_to(w, 0.25); // the box moves with its joint
  assert_true(hf_ray_cast(w->dynamics, v3(2, 0, 0), v3(-3, 0, 0), INFINITY, -1, NULL, &hit));
  assert_near(hit.distance, 1.15, 1e-15);
  assert_true(hf_ray_cast(w->dynamics, v3(0.02, 1.03, 5), v3(0, 0, -1), INFINITY, -1, NULL, &hit));
  assert_int_equal(hit.geom, CUBE);
  assert_near(hit.distance, 4.9, 1e-15 * 4);
}

// Nothing touches a geom that is only drawn, but rays and distances find it where its joint has taken it.
static void geoms_that_are_only_drawn_are_where_they_move(void** state) {
  World* w = *state;
  hfRayHit hit;
  hfGeomDistance x;
  move_to(w, 0.25);
  assert_true(hf_ray_cast(w->dynamics, v3(2, 0, 0.5), v3(-1, 0, 0), INFINITY, -1, NULL, &hit));
  assert_int_equal(hit.geom, DRAWN);
  assert_near(hit.distance, 1.2, 1e-15);
  assert_true(hf_geom_distance(w->dynamics, DRAWN, FLOOR, INFINITY, &x));
  assert_near(x.p_Wa.x, 0.75, 1e-15);
  assert_near(x.distance, 1.45, 1e-15);
}

static void a_ray_passes_what_is_left_out(void** state) {
  World* w = *state;
  hfRayHit hit;
  move_to(w, 0);
  uint8_t include[GEOMS] = {1, 1, 1, 1, 1};
  int box_body = hf_model_geom_body(w->model)[BOX];
  assert_true(hf_ray_cast(w->dynamics, v3(2, 0, 0), v3(-1, 0, 0), INFINITY, box_body, NULL, &hit));
  assert_int_equal(hit.geom, BALL);
  assert_near(hit.distance, 1.8, 1e-15);
  include[BOX] = include[BALL] = 0;
  assert_false(hf_ray_cast(w->dynamics, v3(2, 0, 0), v3(-1, 0, 0), INFINITY, -1, include, &hit));
  assert_false(hf_ray_cast(w->dynamics, v3(2, 0, 0), v3(-1, 0, 0), 1.3, -1, NULL, &hit)); // too far
  assert_true(hf_ray_cast(w->dynamics, v3(0.3, 0.3, 5), v3(0, 0, -1), INFINITY, -1, NULL, &hit));
  assert_int_equal(hit.geom, FLOOR);
  assert_near(hit.distance, 6, 1e-15);
}

static void distances_of_geoms(void** state) {
  World* w = *state;
  hfGeomDistance x;
  move_to(w, 0);
  assert_true(hf_geom_distance(w->dynamics, BOX, BALL, INFINITY, &x));
  assert_near(x.distance, 0.2, 1e-15);
  assert_near(x.n_W.x, 1, 1e-15); // from the ball into the box
  assert_near(x.p_Wa.x, 0.4, 1e-15);
  assert_near(x.p_Wb.x, 0.2, 1e-15);
  assert_true(hf_geom_distance(w->dynamics, FLOOR, CUBE, INFINITY, &x));
  assert_near(x.distance, 0.9, 1e-15);
  assert_near(x.n_W.z, -1, 1e-15);
  assert_true(hf_geom_distance(w->dynamics, BOX, CUBE, INFINITY, &x)); // edge to edge: (0.3, 0.8)
  assert_near(x.distance, sqrt(0.09 + 0.64), 1e-14);
  assert_false(hf_geom_distance(w->dynamics, BOX, CUBE, 0.5, &x));
  move_to(w, -0.25); // 5 cm deep
  assert_true(hf_geom_distance(w->dynamics, BOX, BALL, 0, &x));
  assert_near(x.distance, -0.05, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ray_finds_the_nearest_geom),
      cmocka_unit_test(geoms_that_are_only_drawn_are_where_they_move),
      cmocka_unit_test(a_ray_passes_what_is_left_out),
      cmocka_unit_test(distances_of_geoms),
  };
  return cmocka_run_group_tests(tests, make_world, drop_world);
}
