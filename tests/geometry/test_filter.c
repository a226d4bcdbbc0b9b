// Which pairs of geoms may touch, against the rules applied to one pair after the other, and what that costs.
#include "support/cmocka_all.h"

#include "step/geometry/filter.h"
#include "support/random.h"
#include "support/sim_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 22 };

static void append(char* text, const char* more) { memcpy(text + strlen(text), more, strlen(more) + 1); }

// A body with up to three geoms and some children, fixed to its parent, moving or moved by a mocap pose.
static void append_body(char* text, testRandom* r, int depth, int* nbody, int* ngeom) {
  static const char* const joints[] = {"", "<joint/>", "<joint type='slide'/>", "<freejoint/>"};
  char line[200];
  int top = depth == 0, mocap = top && random_chance(r, 0.15);
  snprintf(line, sizeof line, "<body name='b%d'%s><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>%s", (*nbody)++, mocap ? " mocap='true'" : "",
           mocap ? "" : joints[random_int(r, top ? 4 : 3)]);
  append(text, line);
  for (int n = random_int(r, 4); n > 0; --n) {
    snprintf(line, sizeof line, "<geom name='g%d' size='.1' contype='%d' conaffinity='%d'/>", (*ngeom)++, random_int(r, 4), random_int(r, 4));
    append(text, line);
  }
  for (int n = depth < 3 ? random_int(r, 3) : 0; n > 0; --n) append_body(text, r, depth + 1, nbody, ngeom);
  append(text, "</body>");
}

static hfModel* random_model(testRandom* r) {
  static char text[TEXT];
  char line[200];
  int nbody = 0, ngeom = 1;
  snprintf(text, sizeof text, "<mujoco><option><flag filterparent='%s'/></option><worldbody><geom name='g0' type='plane' size='1 1 1'/>", random_chance(r, 0.5) ? "enable" : "disable");
  for (int n = 1 + random_int(r, 5); n > 0; --n) append_body(text, r, 0, &nbody, &ngeom);
  append(text, "</worldbody><contact>");
  for (int n = random_int(r, 4); n > 0; --n) {
    int a = random_int(r, nbody), b = random_int(r, nbody);
    snprintf(line, sizeof line, "<exclude body1='b%d' body2='b%d'/>", a, b);
    if (a != b) append(text, line);
  }
  for (int n = random_int(r, 4); n > 0; --n) {
    int a = random_int(r, ngeom), b = random_int(r, ngeom);
    snprintf(line, sizeof line, "<pair geom1='g%d' geom2='g%d'/>", a, b);
    if (a != b) append(text, line);
  }
  append(text, "</contact></mujoco>");
  return parse_model(text);
}

static int is_in(const int32_t* list, int count, int a, int b) {
  for (int i = 0; i < count; ++i)
    if ((list[2 * i] == a && list[2 * i + 1] == b) || (list[2 * i] == b && list[2 * i + 1] == a)) return 1;
  return 0;
}

// The moving body to which a body is fixed, found by going up.
static int carrier(const hfModel* m, int b) {
  while (b && hf_model_body_dofnum(m)[b] == 0 && hf_model_body_mocap(m)[b] < 0) b = hf_model_body_parent(m)[b];
  return b;
}

static int may_touch(const hfModel* m, int a, int b) {
  const int32_t *type = hf_model_geom_contype(m), *affinity = hf_model_geom_conaffinity(m), *parent = hf_model_body_parent(m);
  int x = hf_model_geom_body(m)[a], y = hf_model_geom_body(m)[b], cx = carrier(m, x), cy = carrier(m, y);
  if (!((type[a] & affinity[b]) || (type[b] & affinity[a])) || cx == cy) return 0;
  if (hf_model_body_tree(m)[x] < 0 && hf_model_body_tree(m)[y] < 0) return 0;
  if (m->world.filter_parent && cx && cy && (carrier(m, parent[cx]) == cy || carrier(m, parent[cy]) == cx)) return 0;
  return !is_in(hf_model_exclude_body(m), m->nexclude, x, y) && !is_in(hf_model_pair_geom(m), m->npair, a, b);
}

static hfiFilter make_filter(const hfModel* m, void** memory) {
  hfiFilter f;
  hfiArena plan = hfi_arena(NULL, 0);
  hfi_filter_init(&f, m, &plan);
  hfiArena arena = hfi_arena_allocate(&plan, NULL);
  hfi_filter_init(&f, m, &arena);
  *memory = arena.base;
  return f;
}

// All pairs are judged as by the rules, and all that may touch are among the partners of both geoms.
static void test_random_models(void** state) {
  (void)state;
  testRandom r = {41};
  int allowed = 0, named = 0;
  for (int trial = 0; trial < 300; ++trial) {
    hfModel* m = random_model(&r);
    void* memory;
    hfiFilter f = make_filter(m, &memory);
    int count = 0;
    for (int a = 0; a < m->ngeom; ++a) {
      hfiPartners others = hfi_filter_partners(&f, a);
      int next = f.geom[a].next, listed = 0, expected = 0;
      for (int k = 0; k < others.count; ++k) assert_true(k < next ? others.geom[k] <= a : others.geom[k] > a);
      for (int k = next; k < others.count; ++k) listed += hfi_filter_test(&f, a, others.geom[k]);
      for (int b = a + 1; b < m->ngeom; ++b) {
        assert_int_equal(hfi_filter_test(&f, a, b), may_touch(m, a, b));
        expected += may_touch(m, a, b);
        named += hfi_filter_is_named(&f, a, b);
      }
      assert_int_equal(listed, expected);
      count += expected;
    }
    assert_int_equal(hfi_filter_count(&f, 1 << 20), count);
    assert_int_equal(hfi_filter_count(&f, 3), count < 3 ? count : 3);
    allowed += count;
    hfi_release(memory);
    hf_model_free(m);
  }
  printf("%d pairs may touch, %d are named\n", allowed, named);
  assert_above(allowed, 1000);
  assert_above(named, 100);
}

// A filter of 3,000 geoms needs ten times the memory of one of 300 geoms; one bit for each pair would need a hundred times.
static void test_memory_grows_with_geoms(void** state) {
  (void)state;
  static char text[TEXT];
  size_t used[2];
  for (int k = 0; k < 2; ++k) {
    int n = k ? 3000 : 300;
    snprintf(text, sizeof text, "<mujoco><worldbody>");
    size_t at = strlen(text);
    for (int i = 0; i < n; ++i) at += (size_t)snprintf(text + at, sizeof text - at, "<body pos='%d 0 0'><freejoint/><geom size='.1'/></body>", i);
    snprintf(text + at, sizeof text - at, "</worldbody></mujoco>");
    hfModel* m = parse_model(text);
    hfiFilter f;
    hfiArena plan = hfi_arena(NULL, 0);
    hfi_filter_init(&f, m, &plan);
    used[k] = plan.used;
    hf_model_free(m);
  }
  assert_below(used[1], 11 * used[0]); // Arrays are aligned.
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_models),
      cmocka_unit_test(test_memory_grows_with_geoms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
