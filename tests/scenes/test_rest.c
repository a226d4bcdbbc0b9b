// Things at rest: the forces carry the weight, points lie m g/(n k) deep, and
// the contact set stays the same for 10 s, tilted by 1e-6 rad or not.
#include "scenes/scene.h"

static const double g = 9.81, k = 5e5; // [m/s^2]; two geoms of 1e6 N/m in series

// The pairs of tests/scenes/rest.xml: the mass that rests on the contacts [kg], how many contact points there are, and
// whether they carry equal forces.
typedef struct support {
  const char *below, *above;
  double mass;
  int points, alike;
} support;

static const support supports[] = {
    {"floor", "box", 1, 4, 1},
    {"floor", "box_tilted", 1, 4, 1},
    {"floor", "mesh", 1, 4, 1},
    {"floor", "mesh_tilted", 1, 4, 1},
    {"table", "box_on_table", 1, 4, 1},
    {"table", "box_on_table_tilted", 1, 4, 1},
    {"table", "mesh_on_table", 1, 4, 1},
    {"table", "mesh_on_table_tilted", 1, 4, 1},
    {"slab", "box_on_slab", 1, 4, 1},
    {"slab", "box_on_slab_tilted", 1, 4, 1},
    {"slab", "mesh_on_slab", 1, 4, 1},
    {"slab", "mesh_on_slab_tilted", 1, 4, 1},
    {"floor", "box3", 6, 4, 1},
    {"box3", "box2", 3, 4, 1},
    {"box2", "box1", 1, 4, 1},
    {"floor", "mesh3", 6, 4, 1},
    {"mesh3", "mesh2", 3, 4, 1},
    {"mesh2", "mesh1", 1, 4, 1},
    {"floor", "askew3", 6, 4, 0},
    {"askew3", "askew2", 3, 8, 0},
    {"askew2", "askew1", 1, 8, 0},
    {"floor", "ball", 1, 1, 1},
    {"floor", "egg", 1, 1, 1},
    {"floor", "capsule", 1, 2, 1},
    {"floor", "can", 1, 4, 1},
    {"floor", "can_tilted", 1, 4, 1},
    {"floor", "roller", 1, 2, 1},
    {"table", "can_on_table", 1, 4, 1},
    {"table", "can_on_table_tilted", 1, 4, 1},
    {"slab", "can_on_slab", 1, 4, 1},
};
enum { SUPPORTS = sizeof supports / sizeof *supports };

// The last step's contacts of a pair: force along z on the upper body, and depths.
static void check_support(const sceneRun* run, const support* s) {
  const table* t = &run->contacts;
  int count = 0;
  double carried = 0;
  for (int row = table_row_at(t, table_at(t, -1, "time")); row < t->rows; ++row) {
    if (!touches(run, row, s->below) || !touches(run, row, s->above)) continue;
    double up = strcmp(table_text(t, row, "geom_a"), s->above) == 0 ? 1 : -1;
    carried += up * (table_at(t, row, "fn") * table_at(t, row, "nz") + table_at(t, row, "ftz"));
    // what the solver leaves is 1e-8 of the weight, 1e-13 m
    if (s->alike) assert_near(table_at(t, row, "depth"), s->mass * g / (s->points * k), 1e-12);
    count++;
  }
  assert_int_equal(count, s->points);
  assert_near(carried, s->mass * g, 1e-9 * s->mass * g); // as the project asks
}

// After 2 s what the start has shaken is gone: it decays with 50/s or more.
static void check_weights(const char* options) {
  sceneRun run = run_scene("rest.xml", options);
  for (int i = 0; i < SUPPORTS; ++i) check_support(&run, &supports[i]);
  free_run(&run);
  assert_near(json_value(standard_output, "not_converged", 0), 0, 0);
}

static void test_weights_anchored(void** state) {
  (void)state;
  check_weights("--time 2 --step 0.005 --friction anchored");
}
static void test_weights_regularised(void** state) {
  (void)state;
  check_weights("--time 2 --step 0.005 --friction regularised");
}
static void test_weights_convex(void** state) {
  (void)state;
  check_weights("--time 2 --step 0.005 --method convex");
}

// ---- the contact set: the log has no features, so the library steps the scene -------------------

typedef struct contactKey {
  int a, b;
  uint32_t feature;
} contactKey;

enum { MOST = 512 };
typedef struct contactSet {
  contactKey key[MOST];
  int count;
} contactSet;

static contactSet contacts_of(const hfSim* sim) {
  contactSet set = {.count = hf_sim_contact_count(sim)};
  assert_at_most(set.count, MOST);
  for (int i = 0; i < set.count; ++i) {
    hfContact c = hf_sim_contact(sim, i);
    set.key[i] = (contactKey){c.geom_a, c.geom_b, c.feature};
  }
  return set;
}

static int same_sets(const contactSet* x, const contactSet* y) {
  for (int i = 0; i < x->count && i < y->count; ++i)
    if (x->key[i].a != y->key[i].a || x->key[i].b != y->key[i].b ||
        x->key[i].feature != y->key[i].feature)
      return 0;
  return x->count == y->count;
}

// From 0.5 s on, for 10 s.
static void check_set(int friction, double step) {
  hfModel* model = NULL;
  hfSim* sim = NULL;
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  config.friction = friction;
  config.step = step;
  if (hf_model_load(&model, HF_SOURCE_DIR "/tests/scenes/rest.xml", NULL, NULL, &error) != HF_OK ||
      hf_sim_create(&sim, model, &config, &error) != HF_OK)
    fail_msg("%s", error.message);
  hfState* state = hf_state_create(model);
  assert_non_null(state);
  contactSet first = {.count = 0};
  for (int i = 0; state->time < 10.5; ++i) {
    assert_int_equal(hf_sim_step(sim, state, NULL, NULL, &error), HF_OK);
    if (state->time < 0.5) continue;
    contactSet now = contacts_of(sim);
    if (first.count == 0) first = now;
    if (!same_sets(&first, &now)) fail_msg("the contacts change at %g s", state->time);
  }
  int expected = 0;
  for (int i = 0; i < SUPPORTS; ++i) expected += supports[i].points;
  assert_int_equal(first.count, expected);
  hf_state_free(state);
  hf_sim_free(sim);
  hf_model_free(model);
}

static void test_set_anchored(void** state) {
  (void)state;
  check_set(HF_FRICTION_ANCHORED, 0.005);
}
static void test_set_regularised(void** state) {
  (void)state;
  check_set(HF_FRICTION_REGULARISED, 0.005);
}

// ---- a tower that just touches
// -------------------------------------------------------------------

enum { BLOCKS = 30 };

// Contacts that are open by rounding, between blocks that fall together, must count in the step in
// which the lowest are stopped: else blocks sink in on one side and are thrown. The tower rests up
// to 30 m g/(12 k) deep.
static void check_tower(double h) {
  char options[128];
  snprintf(options, sizeof options, "--time 1 --step %g", h);
  sceneRun run = run_scene("tower.xml", options);
  assert_below(json_value(standard_output, "max_depth", 0), 1.2 * 30 * 0.05 * g / (12 * k));
  for (int i = 0; i < BLOCKS; ++i) {
    int layer = 2 * (i / 6) + i % 6 / 3, place = i % 3 - 1;
    double along = place * 0.05;
    assert_near(position(&run, -1, 7 * i), layer % 2 ? along : 0, 1e-6);
    assert_near(position(&run, -1, 7 * i + 1), layer % 2 ? 0 : along, 1e-6);
    assert_near(position(&run, -1, 7 * i + 2), 0.015 + 0.03 * layer,
                3e-5); // ten layers give by 2.5 um or less
  }
  free_run(&run);
}

static void test_tower(void** state) {
  (void)state;
  check_tower(0.002);
  check_tower(0.005);
  check_tower(0.01);
}

// The whole tower falls at 1 m/s onto the floor: nothing rises faster than a rebound of 1/d = 0.05
// m/s allows for its ten layers, and it ends as it was.
static void test_falling_tower(void** state) {
  (void)state;
  char options[4096] = "--time 1 --step 0.002 --qvel '";
  for (int i = 0; i < BLOCKS; ++i) strcat(options, "0 0 -1 0 0 0 ");
  strcat(options, "'");
  sceneRun run = run_scene("tower.xml", options);
  for (int row = 0; row < run.log.rows; ++row)
    for (int i = 0; i < BLOCKS; ++i) assert_below(velocity(&run, row, 6 * i + 2), 0.5);
  for (int i = 0; i < BLOCKS; ++i)
    assert_near(position(&run, -1, 7 * i + 2), 0.015 + 0.03 * (2 * (i / 6) + i % 6 / 3), 5e-5);
  free_run(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weights_anchored), cmocka_unit_test(test_weights_regularised),
      cmocka_unit_test(test_weights_convex),   cmocka_unit_test(test_set_anchored),
      cmocka_unit_test(test_set_regularised),  cmocka_unit_test(test_tower),
      cmocka_unit_test(test_falling_tower)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
