// Bodies with edges that slide over a floor of tiles, and that meet a step in it.
#include "support/sim_world.h"
#include "support/tiles.h"
#include "step/near/inside.h"
#include "step/world/world.h"

#include <math.h>
#include <string.h>

static const char* const box_tile = "type='box' size='.025 .2 .02'";
static const char* const box = "<geom type='box' size='.05 .04 .03' mass='.5' friction='0'/>";
static const double steps[3] = {1e-3, 5e-3, 1e-2}; // [s]

typedef struct slide { const char *tile, *attributes, *body; int method, raised_from; double step, height, speed, time; } slide;
typedef struct outcome { double x, v, lowest, highest; } outcome;

// Slides along x and reports where the body has come to, how fast it is, and between which heights its origin was.
static outcome run(const slide* s) {
  char xml[16000];
  write_tiles(xml, sizeof xml, s->tile, 40 + (int)(s->speed * s->time / 0.05), s->raised_from, s->height, s->attributes, s->body);
  simWorld w = sim_world_make_method(xml, s->method, s->step, 1e-8);
  sim_v(&w)[0] = s->speed;
  outcome o = {0, 0, 1, -1};
  while (w.state->time < s->time - 0.5 * s->step) {
    sim_world_step(&w, 1);
    o.lowest = fmin(o.lowest, sim_q(&w)[2]), o.highest = fmax(o.highest, sim_q(&w)[2]);
  }
  o.x = sim_q(&w)[0], o.v = sim_v(&w)[0];
  sim_world_free(&w);
  return o;
}

// A floor of tiles is a floor: without friction nothing brakes, and nothing lifts, what slides over it. A body of 0.5 kg lies 5 um deep, and rocks by
// about that as it comes from tile to tile.
static void slides_on(slide s) {
  outcome o = run(&s);
  if (!(fabs(o.v - s.speed) < 0.01 * s.speed && fabs(o.x - s.speed * s.time) < 0.01 * s.speed * s.time)) fail_msg("v = %g, x = %g of %s", o.v, o.x, s.body);
  assert_above(o.lowest, 0.03 - 5e-5);
  assert_below(o.highest, 0.03 + 5e-5);
}

static void test_shapes(void** state) {
  (void)state;
  static const char* const bodies[] = {
    "<geom type='box' size='.05 .04 .03' mass='.5' friction='0'/>", "<geom type='cylinder' size='.04 .03' mass='.5' friction='0'/>",
    "<geom type='mesh' mesh='tile' mass='.5' pos='0 0 -.01' friction='0'/>",
    ("<geom type='box' size='.01 .01 .03' pos='.06 .04 0' mass='.1' friction='0'/><geom type='box' size='.01 .01 .03' pos='-.06 .04 0' mass='.1' friction='0'/>"
    "<geom type='box' size='.01 .01 .03' pos='.06 -.04 0' mass='.1' friction='0'/><geom type='box' size='.01 .01 .03' pos='-.06 -.04 0' mass='.1' friction='0'/>")};
  static const double speeds[3] = {0.1, 1, 5};
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        slides_on((slide){box_tile, "pos='0 0 .03'", bodies[k], HF_METHOD_TAMSI, 1000, steps[i], 0, speeds[j], 0.5});
}

static void test_turned_boxes(void** state) {
  (void)state;
  static const char* const turns[3] = {"pos='0 0 .03' euler='0 0 3'", "pos='0 0 .03' euler='0 0 20'", "pos='0 0 .03' euler='0 0 45'"};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) slides_on((slide){box_tile, turns[k], box, HF_METHOD_TAMSI, 1000, steps[i], 0, 1, 0.5});
}

static void test_mesh_tiles(void** state) {
  (void)state;
  for (int i = 0; i < 3; ++i) slides_on((slide){"type='mesh' mesh='tile'", "pos='0 0 .03'", box, HF_METHOD_TAMSI, 1000, steps[i], 0, 1, 0.5});
}

// From tiles to a flat height field and back. The wall of a field holds only points that are nearer to it than to the surface.
static void test_height_field(void** state) {
  (void)state;
  static const double origin[2] = {0.625, -0.375}; // the field begins, or ends, where a tile ends [m]
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 3; ++i) {
      char xml[16000];
      int n = snprintf(xml, sizeof xml, "<mujoco><asset><hfield name='field' nrow='3' ncol='3' size='.5 .2 .02 .04' elevation='1 1 1 1 1 1 1 1 1'/></asset><worldbody>"
                       "<geom type='hfield' hfield='field' pos='%g 0 0' friction='0'/>", origin[k]);
      for (int tile = -6; tile < 9; ++tile)
        if ((tile < 3) == (k == 0))
          n += snprintf(xml + n, sizeof xml - (size_t)n, "<geom type='box' size='.025 .2 .02' pos='%g 0 -.02' friction='0'/>", 0.05 * tile);
      snprintf(xml + n, sizeof xml - (size_t)n, "<body pos='0 0 .03'><freejoint/>%s</body></worldbody></mujoco>", box);
      simWorld w = sim_world_make(xml, steps[i], 1e-8);
      sim_v(&w)[0] = 1;
      sim_world_step(&w, (int)lround(0.3 / steps[i]));
      assert_below(fabs(sim_v(&w)[0] - 1), 0.01);
      assert_below(fabs(sim_q(&w)[0] - 0.3), 0.003);
      assert_below(fabs(sim_q(&w)[2] - 0.03), 5e-5);
      sim_world_free(&w);
    }
}

// A box at 1 m/s on a plate, and a second plate that rises from its edge by an angle [rad].
static simWorld slide_over_kink(double rise, double step) {
  const double far = 0.3, half = 0.02; // half sizes of the second plate [m]
  char xml[2000];
  snprintf(xml, sizeof xml, "<mujoco><compiler angle='radian'/><worldbody><geom type='box' size='.3 .3 .02' pos='-.2 0 -.02' friction='0'/>"
           "<geom type='box' size='.3 .3 .02' pos='%.17g 0 %.17g' euler='0 %.17g 0' friction='0'/><body pos='-.2 0 .03'><freejoint/>%s</body></worldbody></mujoco>",
           0.1 + far * cos(rise) + half * sin(rise), far * sin(rise) - half * cos(rise), -rise, box);
  simWorld w = sim_world_make(xml, step, 1e-8);
  sim_v(&w)[0] = 1;
  return w;
}

// Twice the energy of a box over its mass [m^2/s^2], which is 1 at the start; what its spin has is left out.
static double energy_of(simWorld* w) {
  const double *q = sim_q(w), *v = sim_v(w);
  return v[0] * v[0] + v[2] * v[2] + 2 * 9.81 * (q[2] - 0.03);
}

// Where the floor falls off by 5 degrees the box loses 3 % as it tips over the edge and falls flat. At the edge the next plate threw it back.
static void test_falling_edge(void** state) {
  (void)state;
  for (int i = 0; i < 3; ++i) {
    simWorld w = slide_over_kink(-5 * acos(-1.0) / 180, steps[i]);
    sim_world_step(&w, (int)lround(0.5 / steps[i]));
    assert_below(fabs(energy_of(&w) - 1), 0.06);
    assert_above(sim_q(&w)[0], 0.3);
    sim_world_free(&w);
  }
}

// A floor that rises by an angle a takes what moves towards it, sin^2 a of the energy at most, where the front of the box meets it, and once more where the
// box comes to lie on it. The rest carries the box up the ramp, which threw it back as a wall does. The first step on the ramp ends h v sin a deep in it,
// from where the box is lifted.
static void test_rising_edge(void** state) {
  (void)state;
  const double rise[4] = {1, 5, 15, 30};
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i) {
      double angle = rise[k] * acos(-1.0) / 180;
      simWorld w = slide_over_kink(angle, steps[i]);
      sim_world_step(&w, (int)lround(0.32 / steps[i]));
      assert_above(energy_of(&w), 1 - 2 * sin(angle) * sin(angle));
      assert_below(energy_of(&w), 1 + 2 * 9.81 * steps[i] * sin(angle));
      sim_world_free(&w);
    }
}

static void test_methods(void** state) {
  (void)state;
  static const int methods[3] = {HF_METHOD_CONVEX, HF_METHOD_MLCP, HF_METHOD_SWITCHING};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 2; ++i) slides_on((slide){box_tile, "pos='0 0 .03'", box, methods[k], 1000, steps[i], 0, 1, 0.3});
}

// With friction it comes to rest after v^2/(2 mu g), within what a step of first order leaves: h v.
static void test_friction(void** state) {
  (void)state;
  for (int i = 0; i < 3; ++i) {
    slide s = {box_tile, "pos='0 0 .03'", "<geom type='box' size='.05 .04 .03' mass='.5' friction='.3'/>", HF_METHOD_TAMSI, 1000, steps[i], 0, 2, 1};
    outcome o = run(&s);
    assert_below(fabs(o.v), 1e-6);
    assert_below(fabs(o.x - 2 * 2 / (2 * 0.3 * 9.81)), 2 * steps[i]);
  }
}

// A body that falls on the tiles while it slides comes on as it would on a plane.
static void test_landing(void** state) {
  (void)state;
  for (int i = 0; i < 3; ++i) {
    slide s = {box_tile, "pos='0 0 .06'", box, HF_METHOD_TAMSI, 1000, steps[i], 0, 1, 0.5};
    outcome o = run(&s);
    assert_below(fabs(o.v - 1), 0.01);
    assert_below(fabs(o.x - 0.5), 0.005);
  }
}

// A step in the floor is a wall, whose contact is one like others: at 0.5 m/s the front of a box comes no further than the tile from number 8 on, at
// x = 0.375 m, which gives way by um.
static void test_step(void** state) {
  (void)state;
  static const double heights[3] = {1e-4, 1e-3, 5e-3}; // [m]
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) {
      slide s = {box_tile, "pos='0 0 .03'", box, HF_METHOD_TAMSI, 8, steps[i], heights[k], 0.5, 1};
      outcome o = run(&s);
      assert_below(o.x + 0.05, 0.3755);
      assert_above(o.lowest, 0.03 - 1e-4);
    }
}

// A wedge and a box are pressed against a wall that stands on the floor. The wedge lies some um deep in the floor, so that it meets the lower edge of the wall
// with a face that leans away from it. The contact of the box does not cover that: the wedge comes to rest.
static void test_wedge(void** state) {
  (void)state;
  for (double lean = 0.005; lean < 0.06; lean += 0.005) { // how far the upper edge of the face is behind the lower one [m]
    char xml[2000];
    snprintf(xml, sizeof xml, "<mujoco><option gravity='-5 0 -9.81'/><asset><mesh name='wedge' vertex='0 -.03 0  .06 -.03 0  %.17g -.03 .06  .06 -.03 .06"
             "  0 .03 0  .06 .03 0  %.17g .03 .06  .06 .03 .06'/></asset><default><geom friction='.1'/></default><worldbody><geom type='plane' size='9 9 1'/>"
             "<geom type='box' pos='-.05 0 .5' size='.05 .5 .5'/><body pos='.001 0 .0001'><freejoint/><geom type='mesh' mesh='wedge'/></body>"
             "<body pos='.031 .2 .0301'><freejoint/><geom type='box' size='.03 .03 .03'/></body></worldbody></mujoco>", lean, lean);
    simWorld w = sim_world_make(xml, 5e-3, 1e-8);
    sim_world_step(&w, 400);
    for (int i = 0; i < w.model->nv; ++i) assert_below(fabs(sim_v(&w)[i]), 1e-6);
    sim_world_free(&w);
  }
}

// Three bodies of a settled heap: a gem lies with a face on the end of a cylinder and with another face on a second gem. The deepest point of gem and
// cylinder, on the rim, has the normal of the overlap, which differs from that of the face in its last bits. It belongs to the points of the face beside
// it. As a group of its own it was covered while the gem was slow, and pushed it up in the next step.
static void test_deepest_point_of_a_face(void** state) {
  (void)state;
  static const double q[21] = {
      0.00062103101504507258, -0.048659426600576219, 0.17063625745605732, 0.42202006243726337,  0.19538767755062986,  0.34851567694683111,  -0.81379330624189306,
      0.039762672504719931,   -0.060481731675077234, 0.19629148799035995, 0.090458130258477251, -0.78725292604911201, 0.57757441232085671,  -0.19610699969524059,
      0.0065598387314108157,  -0.047433037965144018, 0.23267505281546197, 0.34313503792030575,  -0.66567315471485855, -0.65178972701923044, -0.11961500154911822};
  simWorld w = sim_world_make("<mujoco><asset><mesh name='gem' vertex='.035 0 0  -.035 0 0  0 .03 0  0 -.03 0  0 0 .04  0 0 -.025  .02 .02 .02  -.02 -.02 .015'/></asset>"
                              "<worldbody><body><freejoint/><geom type='mesh' mesh='gem'/></body><body pos='1 0 0'><freejoint/><geom type='cylinder' size='.0280048324 .0280048324'/>"
                              "</body><body pos='2 0 0'><freejoint/><geom type='mesh' mesh='gem'/></body></worldbody></mujoco>", 5e-3, 1e-8);
  memcpy(sim_q(&w), q, sizeof q);
  assert_int_equal(hf_sim_evaluate(w.sim, w.state, NULL, NULL), HF_OK);
  double deepest = 0;
  for (int i = 0; i < hf_sim_contact_count(w.sim); ++i) {
    hfContact c = hf_sim_contact(w.sim, i);
    if (c.body_a == 2 && c.body_b == 3) deepest = fmax(deepest, c.depth);
  }
  assert_above(deepest, 1e-5); // The points of the face alone are 1 um deep.
  sim_world_free(&w);
}

// Three bodies of a settled heap: a capsule lies on a face of a box, and another one is held by an edge of that face, with a normal across it. Pushed further into
// the second capsule, the box would leave it another way, as it leaves a ramp. But the two capsules are no floor and ramp of one body: the edge holds.
static void test_round_body_beside_an_edge(void** state) {
  (void)state;
  static const double q[21] = {0.076093055, -0.153089864, 0.113004371, 0.487323030,  0.483969082, 0.225734787, 0.690893622,
                               0.080324797, -0.184086514, 0.170305843, -0.340797565, 0.724123295, 0.510611604, 0.314290093,
                               0.128315473, -0.131231189, 0.185411278, -0.069393540, 0.875974559, 0.208552353, -0.429370498};
  simWorld w = sim_world_make("<mujoco><worldbody><body><freejoint/><geom type='box' size='.0293371427 .0195580951 .0332487617'/></body>"
                              "<body pos='1 0 0'><freejoint/><geom type='capsule' size='.0161669883 .0242504824'/></body>"
                              "<body pos='2 0 0'><freejoint/><geom type='capsule' size='.0185476765 .0278215148'/></body></worldbody></mujoco>",
                              5e-3, 1e-8);
  int held[4] = {0};
  memcpy(sim_q(&w), q, sizeof q);
  assert_int_equal(hf_sim_evaluate(w.sim, w.state, NULL, NULL), HF_OK);
  for (int i = 0; i < hf_sim_contact_count(w.sim); ++i) {
    hfContact c = hf_sim_contact(w.sim, i);
    if (c.body_a == 1 && c.depth > 5e-6) held[c.body_b] = 1; // The box is 6.6 and 9.3 um deep in the capsules.
  }
  assert_true(held[2]);
  assert_true(held[3]);
  sim_world_free(&w);
}

// A found point of depth d between a tile (geom 0 or 1) and the box on both (geom 2), with a normal out of the box.
static hfiRawContact touch(int tile, hfVec3 n, double depth) {
  return (hfiRawContact){
      .geom_a = tile, .geom_b = 2, .pair = -1, .candidate = tile, .point = {.n_W = n, .depth = depth}, .depth = depth, .acts = HFI_ACTS};
}

// The points of a face have one normal. A box lies 5 um deep on two tiles, and has points with the side of the second one, whose normals turn by 4 mrad from
// point to point. The first two are a group, which the contact with the first tile covers. The others are another one, which is too deep to be covered: each of
// them is near to the point before it, but not to the first.
static void test_normals_that_turn(void** state) {
  (void)state;
  hfModel* m =
      parse_model("<mujoco><worldbody><geom type='box' size='.025 .2 .02' pos='-.025 0 -.02'/><geom type='box' size='.025 .2 .02' pos='.025 0 -.02'/>"
                  "<body pos='0 0 .029995'><freejoint/><geom type='box' size='.05 .04 .03'/></body></worldbody></mujoco>");
  hfiWorldConfig config = {.max_contacts = 16};
  hfiWorld* w = NULL;
  assert_int_equal(hfi_world_create(&w, m, &config, NULL), HF_OK);
  hfState* s = hf_state_create(m);
  hfi_world_place(w, hf_state_q(s), NULL);
  w->near.found[0] = touch(0, v3(0, 0, -1), 5e-6);
  for (int i = 0; i < 4; ++i) w->near.found[1 + i] = touch(1, v3(cos(4e-3 * i), sin(4e-3 * i), 0), i == 3 ? 1e-4 : 1e-6);
  w->near.nfound = 5;
  hfi_near_drop_covered(&w->near, w->dynamics.V, 0, HFI_ACTS);
  static const int acts[5] = {1, 0, 0, 1, 1};
  for (int i = 0; i < 5; ++i) assert_int_equal(w->near.found[i].acts != 0, acts[i]);
  hf_state_free(s), hfi_world_free(w), hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes),
                                     cmocka_unit_test(test_turned_boxes),
                                     cmocka_unit_test(test_mesh_tiles),
                                     cmocka_unit_test(test_height_field),
                                     cmocka_unit_test(test_falling_edge),
                                     cmocka_unit_test(test_rising_edge),
                                     cmocka_unit_test(test_methods),
                                     cmocka_unit_test(test_friction),
                                     cmocka_unit_test(test_landing),
                                     cmocka_unit_test(test_step),
                                     cmocka_unit_test(test_wedge),
                                     cmocka_unit_test(test_deepest_point_of_a_face),
                                     cmocka_unit_test(test_round_body_beside_an_edge),
                                     cmocka_unit_test(test_normals_that_turn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
