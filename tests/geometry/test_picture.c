// Cameras: what a definition may be, how each mode moves, what is in a picture.
#include "geometry/oracle.h"

#include <holdfast/builder.h>
#include <holdfast/geometry.h>

// A body on a slide along x with a ball at its origin and a heavier one 1 m above it, and a target on the floor.
typedef struct World {
  hfBuilder* b;
  int mover, target;
} World;

static void add_ball(hfBuilder* b, int body, double mass, double z, float red) {
  hfGeomDef d = hf_geom_def_default();
  d.body = body, d.type = HF_GEOM_SPHERE, d.size[0] = 0.1, d.mass = mass, d.pos[2] = z;
  d.rgba[0] = red, d.rgba[1] = d.rgba[2] = 0;
  assert_at_least(hf_builder_add_geom(b, &d, NULL), 0);
}

static World make_world(void) {
  World w = {.b = hf_builder_create()};
  hfBodyDef body = hf_body_def_default();
  body.name = "mover";
  w.mover = hf_builder_add_body(w.b, &body, NULL);
  hfJointDef slide = hf_joint_def_default();
  slide.body = w.mover, slide.type = HF_JOINT_SLIDE, slide.axis[0] = 1, slide.axis[2] = 0;
  assert_at_least(hf_builder_add_joint(w.b, &slide, NULL), 0);
  add_ball(w.b, w.mover, 1, 0, 1);
  add_ball(w.b, w.mover, 3, 1, 0.5f);
  body.name = "target", body.pos[0] = 0, body.pos[1] = 4;
  w.target = hf_builder_add_body(w.b, &body, NULL);
  return w;
}

static hfCameraDef camera_at(int body, double x, double y, double z) {
  hfCameraDef d = hf_camera_def_default();
  d.body = body, d.pos[0] = x, d.pos[1] = y, d.pos[2] = z;
  return d;
}

enum { MOST_COORDINATES = 8 };

// The model of a world, all coordinates zero but the first one, which is q.
static hfDynamics* finish(World* w, hfModel** model, double q) {
  hfDynamics* d = NULL;
  hfError error;
  if (hf_builder_finish(w->b, model, &error) != HF_OK) fail_msg("%s", error.message);
  hf_builder_free(w->b);
  assert_int_equal(hf_dynamics_create(&d, *model, &error), HF_OK);
  double at[MOST_COORDINATES] = {0};
  assert_in_range((*model)->nq, 1, MOST_COORDINATES);
  at[0] = q;
  hf_dynamics_set_position(d, at, NULL);
  return d;
}

static void drop(hfDynamics* d, hfModel* m) {
  hf_dynamics_free(d);
  hf_model_free(m);
}

static void assert_vec(hfVec3 a, double x, double y, double z) {
  if (!(v3_norm(v3_sub(a, v3(x, y, z))) < 1e-12)) fail_msg("(%g %g %g), expected (%g %g %g)", a.x, a.y, a.z, x, y, z);
}

// A camera of each mode, 2 m behind the body, which moves by 3 m.
static void test_modes(void** state) {
  (void)state;
  World w = make_world();
  for (int mode = HF_CAMERA_FIXED; mode <= HF_CAMERA_TARGET_COM; ++mode) {
    hfCameraDef d = camera_at(mode >= HF_CAMERA_TARGET ? 0 : w.mover, 0, -2, 0);
    d.mode = mode;
    if (mode >= HF_CAMERA_TARGET) d.target = w.mover;
    assert_int_equal(hf_builder_add_camera(w.b, &d, NULL), mode);
  }
  hfModel* m = NULL;
  hfDynamics* d = finish(&w, &m, 3);
  assert_int_equal(m->ncam, 5);
  // Those of the world come first in the model, as bodies do.
  hfPose target = hf_dynamics_camera_pose(d, 0), target_com = hf_dynamics_camera_pose(d, 1), fixed = hf_dynamics_camera_pose(d, 2),
         track = hf_dynamics_camera_pose(d, 3), track_com = hf_dynamics_camera_pose(d, 4);
  assert_vec(fixed.p, 3, -2, 0);
  assert_vec(track.p, 3, -2, 0);
  assert_vec(track_com.p, 3, -2, 0); // The centre of mass, 0.75 m above the origin, moves as the body does.
  assert_vec(target.p, 0, -2, 0);
  double far = sqrt(13);
  assert_vec(m3_col(target.R, 2), -3 / far, -2 / far, 0); // back from the target
  assert_vec(m3_col(target.R, 1), 0, 0, 1);               // a level horizon
  double farther = sqrt(13 + 0.75 * 0.75);
  assert_vec(m3_col(target_com.R, 2), -3 / farther, -2 / farther, -0.75 / farther);
  drop(d, m);
}

static void test_refusals(void** state) {
  (void)state;
  World w = make_world();
  hfCameraDef good = camera_at(0, 0, 0, 1);
  hfError error;
  struct { hfCameraDef def; const char* says; } bad[] = {{good, "body 9"}, {good, "mode 7"}, {good, "target"}, {good, "target"}, {good, "resolution"},
                                                         {good, "fovy"}, {good, "sensorsize"}, {good, "pose"}, {good, "orthographic"}};
  bad[0].def.body = 9;
  bad[1].def.mode = 7;
  bad[2].def.mode = HF_CAMERA_TARGET;
  bad[3].def.target = w.target;
  bad[4].def.resolution[1] = 0;
  bad[5].def.fovy = 3.2;
  bad[6].def.sensorsize[0] = 0.1;
  bad[7].def.quat[0] = 0;
  bad[8].def.orthographic = 1, bad[8].def.sensorsize[0] = bad[8].def.sensorsize[1] = 0.1;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    assert_below(hf_builder_add_camera(w.b, &bad[i].def, &error), 0);
    assert_non_null(strstr(error.message, bad[i].says));
  }
  int id = hf_builder_add_camera(w.b, &good, &error);
  assert_int_equal(id, 0);
  assert_below(hf_builder_set_camera(w.b, id, &bad[5].def, &error), 0);
  assert_true(hf_builder_camera(w.b, id)->fovy == good.fovy);
  assert_null(hf_builder_camera(w.b, 1));
  hf_builder_free(w.b);
}

// A camera that is attached is placed with its world; one whose target stays behind no longer turns.
static void test_attached(void** state) {
  (void)state;
  World guest = make_world(), host = {.b = hf_builder_create()};
  hfCameraDef still = camera_at(0, 1, 0, 0), watching = camera_at(guest.mover, 0, 0, 0);
  watching.mode = HF_CAMERA_TARGET, watching.target = guest.target;
  still.name = "still", watching.name = "watching";
  hf_builder_add_camera(guest.b, &still, NULL);
  hf_builder_add_camera(guest.b, &watching, NULL);
  hfAttachDef place = hf_attach_def_default();
  hfError error;
  place.prefix = "all/", place.pos[2] = 5;
  assert_int_equal(hf_builder_attach(host.b, guest.b, &place, &error), HF_OK);
  hfCameraDef same = camera_at(0, 0, 0, 0);
  same.name = "again/watching", place.prefix = "again/";
  hf_builder_add_camera(host.b, &same, NULL);
  assert_below(hf_builder_attach(host.b, guest.b, &place, &error), 0); // The name of the second camera is used already.
  assert_int_equal(hf_builder_count(host.b, HF_OBJECT_CAMERA), 3);     // The first one is taken back.
  place.prefix = "part/", place.body = "mover";
  assert_int_equal(hf_builder_attach(host.b, guest.b, &place, &error), HF_OK);
  hf_builder_free(guest.b);
  hfModel* m = NULL;
  hfDynamics* d = finish(&host, &m, 0);
  assert_int_equal(m->ncam, 4); // that of the world is no part of the body
  assert_int_equal(hf_model_cam_mode(m)[hf_model_find(m, HF_OBJECT_CAMERA, "part/watching")], HF_CAMERA_FIXED);
  int a = hf_model_find(m, HF_OBJECT_CAMERA, "all/still"), b = hf_model_find(m, HF_OBJECT_CAMERA, "all/watching");
  assert_vec(hf_dynamics_camera_pose(d, a).p, 1, 0, 5);
  assert_int_equal(hf_model_cam_mode(m)[b], HF_CAMERA_TARGET);
  assert_int_equal(hf_model_cam_target(m)[b], hf_model_find(m, HF_OBJECT_BODY, "all/target"));
  drop(d, m);
}

// A camera 2 m above a ball of 0.1 m: the pixel in the middle is 1.9 m away, whatever the angle; the outline of the ball has the angle asin(0.1/2).
static void test_picture(void** state) {
  (void)state;
  enum { SIZE = 101 };
  World w = make_world();
  hfCameraDef def = camera_at(0, 0, 0, 3);
  def.fovy = 0.2, def.resolution[0] = def.resolution[1] = SIZE;
  hf_builder_add_camera(w.b, &def, NULL);
  hfModel* m = NULL;
  hfDynamics* d = finish(&w, &m, 0);
  static uint8_t rgb[SIZE * SIZE][3];
  static double depth[SIZE * SIZE];
  static int32_t geom[SIZE * SIZE];
  hfLens lens = hf_camera_lens(m, 0, 0, 0);
  hf_picture(d, hf_dynamics_camera_pose(d, 0), &lens, -1, &rgb[0][0], depth, geom);
  int middle = SIZE * SIZE / 2, seen = 0;
  assert_int_equal(geom[middle], 1);
  assert_near(depth[middle], 1.9, 1e-12);
  assert_int_equal(rgb[middle][0], (int)(255 * 0.5)); // lit from the eye and from above: all of its colour
  assert_int_equal(rgb[middle][1], 0);
  assert_int_equal(geom[0], -1);
  assert_true(isinf(depth[0]) && rgb[0][0] == 235);
  for (int i = 0; i < SIZE * SIZE; ++i) seen += geom[i] == 1;
  double radius = lens.f[0] * tan(asin(0.05)); // [pixels]
  assert_near(seen, HFI_PI * radius * radius, 2 * HFI_PI * radius * 0.5);
  hf_picture(d, hf_dynamics_camera_pose(d, 0), &lens, 1, NULL, NULL, geom); // without the body that carries the balls
  assert_int_equal(geom[middle], -1);
  drop(d, m);
}

// A chip of 6.4 x 4.8 mm with 640 x 480 pixels of 10 um behind 5 mm; its middle is 1 mm right of the axis and 0.5 mm above it.
static void test_chip(void** state) {
  (void)state;
  World w = make_world();
  hfCameraDef def = camera_at(0, 0, 0, 3);
  def.resolution[0] = 640, def.resolution[1] = 480;
  def.sensorsize[0] = 6.4e-3, def.sensorsize[1] = 4.8e-3, def.focal[0] = 5e-3, def.focal[1] = 6e-3;
  def.principal[0] = 1e-3, def.principal[1] = 0.5e-3;
  hf_builder_add_camera(w.b, &def, NULL);
  assert_near(hf_builder_camera(w.b, 0)->fovy, 2 * atan(2.4 / 6), 1e-15);
  hfModel* m = NULL;
  hfDynamics* d = finish(&w, &m, 0);
  hfLens lens = hf_camera_lens(m, 0, 0, 0);
  assert_near(lens.f[0], 500, 1e-9);
  assert_near(lens.f[1], 600, 1e-9);
  assert_near(lens.c[0], 320 - 100, 1e-9); // the axis is 1 mm left of the middle
  assert_near(lens.c[1], 240 + 50, 1e-9);  // and 0.5 mm below it
  hfLens half = hf_camera_lens(m, 0, 320, 240);
  assert_near(half.f[0], 250, 1e-9);
  assert_near(half.c[1], 145, 1e-9);
  drop(d, m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_modes), cmocka_unit_test(test_refusals), cmocka_unit_test(test_attached), cmocka_unit_test(test_picture),
                                     cmocka_unit_test(test_chip)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
