// Least widths of shapes against closed forms.
#include "step/geometry/width.h"

#include "support/sim_world.h"

#include <math.h>

static double width_of(const char* xml) {
  hfModel* m = parse_model(xml);
  int mesh = hf_model_geom_mesh(m)[0];
  hfiHull hull;
  if (mesh >= 0) hull = hfi_model_hull(m, mesh);
  hfiShape shape = hfi_model_shape(m, 0, mesh >= 0 ? &hull : NULL, NULL);
  double width = hfi_least_width(&shape);
  hf_model_free(m);
  return width;
}

#define GEOM(text) "<mujoco><worldbody><geom " text "/></worldbody></mujoco>"

static void test_primitives(void** state) {
  (void)state;
  assert_below(fabs(width_of(GEOM("size='.03'")) - 0.06), 1e-15);
  assert_below(fabs(width_of(GEOM("type='capsule' size='.02 .3'")) - 0.04), 1e-15);
  assert_below(fabs(width_of(GEOM("type='cylinder' size='.2 .03'")) - 0.06), 1e-15);
  assert_below(fabs(width_of(GEOM("type='cylinder' size='.02 .3'")) - 0.04), 1e-15);
  assert_below(fabs(width_of(GEOM("type='ellipsoid' size='.2 .01 .3'")) - 0.02), 1e-15);
  assert_below(fabs(width_of(GEOM("type='box' size='.2 .3 .004'")) - 0.008), 1e-15);
  assert_true(isinf(width_of(GEOM("type='plane' size='1 1 1'"))));
}

// A prism with faces across no axis: its least width is that of its two slanted faces, 0.02/sqrt(2). A regular tetrahedron
// of edge sqrt(2) has the width 1 between two edges, and 2/sqrt(3) across a face, which is what counts here.
static void test_hulls(void** state) {
  (void)state;
  static const char* const slanted =
      "<mujoco><asset><mesh name='m' vertex='0 0 -1 1 1 -1 .02 0 -1 1.02 1 -1 0 0 1 1 1 1 .02 0 1 1.02 1 1'/></asset><worldbody>"
      "<geom type='mesh' mesh='m'/></worldbody></mujoco>";
  static const char* const tetrahedron =
      "<mujoco><asset><mesh name='m' vertex='0 0 0 1 1 0 1 0 1 0 1 1'/></asset><worldbody><geom type='mesh' mesh='m'/>"
      "</worldbody></mujoco>";
  assert_below(fabs(width_of(slanted) - 0.02 / sqrt(2)), 1e-12);
  double width = width_of(tetrahedron);
  assert_above(width, 1 - 1e-12);
  assert_below(width, 2 / sqrt(3) + 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_primitives), cmocka_unit_test(test_hulls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
