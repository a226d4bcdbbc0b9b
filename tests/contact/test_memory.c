// What a state remembers of contacts belongs to pair and feature: the order in which contacts come does not count.
#include "support/cmocka_all.h"

#include "step/contact/memory.h"
#include "support/random_pose.h"
#include "support/random_tree.h"

#include <string.h>

enum { PAIRS = 5, FEATURES = 4, CONTACTS = PAIRS * FEATURES, MOST_NV = 256 };

// Contacts of the pairs (0, 1), (0, 2), ... between random bodies, sorted as they are stored.
static void make_contacts(testRandom* r, const hfModel* m, hfiContact* contacts) {
  memset(contacts, 0, sizeof *contacts * CONTACTS);
  for (int i = 0; i < CONTACTS; ++i) {
    hfiContact* c = &contacts[i];
    c->geom_b = 1 + i / FEATURES, c->feature = (uint32_t)(i % FEATURES);
    c->body_a = i % FEATURES ? c[-1].body_a : random_int(r, m->nbody), c->body_b = i % FEATURES ? c[-1].body_b : random_int(r, m->nbody);
    c->p_W = random_vector(r), c->n = random_unit(r);
    v3_tangents(c->n, &c->t1, &c->t2);
    c->material.condim = 6;
    c->xi_W = hfi_across(c->n, random_vector(r)), c->twist_W = random_vector(r);
  }
}

static void test_any_order(void** state) {
  (void)state;
  testRandom r = {7};
  RandomTree spec = random_tree_default();
  hfModel* m = random_tree_build(&r, &spec);
  assert_at_most(m->nv, MOST_NV);
  hfDynamics* d = NULL;
  assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
  double q[2 * MOST_NV], v[MOST_NV];
  random_tree_state(&r, m, q, v);
  hf_dynamics_set_position(d, q, NULL);
  hf_dynamics_set_velocity(d, v);
  static hfiContact contacts[CONTACTS], reversed[CONTACTS], single[CONTACTS];
  hfiContactOutcome outcome[CONTACTS] = {{0}};
  make_contacts(&r, m, contacts);
  for (int i = 0; i < CONTACTS; ++i) outcome[i].slip_speed = i;
  void* block = malloc(hf_state_size(m, CONTACTS));
  hfState* s = hf_state_init(block, m, CONTACTS);
  hfiContactStep step = {NULL, 1e-3, d->X_WB, d->X_WB, contacts, outcome, CONTACTS};
  assert_int_equal(hfi_memory_store(s, &step), 0);
  for (int i = 0; i < CONTACTS; ++i) contacts[i].xi_W = contacts[i].twist_W = v3_zero();
  for (int i = 0; i < CONTACTS; ++i) reversed[CONTACTS - 1 - i] = single[i] = contacts[i];
  hfi_memory_recall(s, d, NULL, 1e-3, contacts, CONTACTS);
  hfi_memory_recall(s, d, NULL, 1e-3, reversed, CONTACTS);
  for (int i = 0; i < CONTACTS; ++i) {
    hfi_memory_recall(s, d, NULL, 1e-3, &single[i], 1);
    assert_int_equal(contacts[i].known, 1);
    assert_true(contacts[i].slip_speed == i);
    assert_memory_equal(&contacts[i], &reversed[CONTACTS - 1 - i], sizeof *contacts);
    assert_memory_equal(&contacts[i], &single[i], sizeof *contacts);
  }
  free(block);
  hf_dynamics_free(d);
  hf_model_free(m);
}

// Contacts that touch are remembered and those that are open are not if there is no room for all; the first touching ones if there is none for these.
static void test_open_contacts_give_way(void** state) {
  (void)state;
  testRandom r = {8};
  RandomTree spec = random_tree_default();
  hfModel* m = random_tree_build(&r, &spec);
  hfDynamics* d = NULL;
  assert_int_equal(hf_dynamics_create(&d, m, NULL), HF_OK);
  hf_dynamics_set_position(d, hf_model_qpos0(m), NULL);
  static hfiContact contacts[CONTACTS];
  hfiContactOutcome outcome[CONTACTS] = {{0}};
  make_contacts(&r, m, contacts);
  for (int i = 0; i < CONTACTS; ++i) contacts[i].depth = i % 3 == 1 ? 1e-6 : -1e-9; // 7 of 20 touch
  hfiContactStep step = {NULL, 1e-3, d->X_WB, d->X_WB, contacts, outcome, CONTACTS};
  for (int room = 5; room <= CONTACTS; ++room) {
    void* block = malloc(hf_state_size(m, room));
    hfState* s = hf_state_init(block, m, room);
    int all = room == CONTACTS, kept = all ? CONTACTS : room < 7 ? room : 7;
    assert_int_equal(hfi_memory_store(s, &step), all ? 0 : 7 - kept);
    assert_int_equal(s->nmemory, kept);
    for (int k = 0; k < kept; ++k) {
      hfiContactKey key = hfi_contact_key(&contacts[all ? k : 3 * k + 1]);
      assert_true(hf_state_memory(s)[k].key_pair == key.pair && hf_state_memory(s)[k].key_feature == key.feature);
    }
    free(block);
  }
  hf_dynamics_free(d);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_order), cmocka_unit_test(test_open_contacts_give_way)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
