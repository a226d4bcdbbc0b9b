// Sensors of contacts, rays, distances and volumes at random states against MuJoCo. The contacts are MuJoCo's own, so that the
// sensors are compared and not the laws of contact. 1e-9: sums in another order; distances and rays have closed forms in both,
// but for the ellipsoid, whose distance is not compared.
#include "support/mujoco_scene.h"

#include "sim/sensor.h"
#include "support/near.h"

enum { WIDTH = 22 }; // numbers of a contact in the file

static hfContact make_contact(const hfModel* m, const double* x) {
  const double *pos = x + 3, *n = x + 6, *t1 = x + 9, *t2 = x + 12, *f = x + 15;
  hfContact c = {.geom_a = (int)x[0], .geom_b = (int)x[1], .depth = -x[2], .fn = f[0]};
  c.body_a = hf_model_geom_body(m)[c.geom_a], c.body_b = hf_model_geom_body(m)[c.geom_b];
  c.p_W = v3_load(pos);
  c.n_W = v3_neg(v3_load(n)); // ours points from B into A, forces are those on A
  c.ft = v3_axpy(-f[1], v3_load(t1), v3_scale(-f[2], v3_load(t2)));
  c.torque = v3_axpy(-f[3], v3_load(n), v3_axpy(-f[4], v3_load(t1), v3_scale(-f[5], v3_load(t2))));
  return c;
}

static void compare_sensors(const hfModel* m, const double* got, const double* want) {
  for (int i = 0; i < m->nsensor; ++i) {
    char what[64];
    int adr = hf_model_sensor_adr(m)[i];
    snprintf(what, sizeof what, "sensor %d (type %d)", i, hf_model_sensor_type(m)[i]);
    peer_compare(what, got + adr, want + adr, hf_model_sensor_dim(m)[i], 1e-9);
  }
}

static void test_sensors(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast_sensors_XXXXXX", arguments[32];
  int states = is_full() ? 1000 : 60, total = 0;
  snprintf(arguments, sizeof arguments, "%d 20260601", states);
  if (peer_run(folder, "sim/mujoco_sensors.py", arguments) != 0) skip();
  mujocoScene w;
  mujoco_scene_load(&w, folder, "scene", "states");
  const hfModel* m = w.model;
  hfDynamics* d = w.dynamics;
  hfActuation* a = w.actuation;
  FILE* in = w.in;
  double *vdot = calloc((size_t)m->nv, sizeof *vdot), *out = malloc(sizeof *out * (size_t)m->nsensordata);
  for (int i = 0; i < states; ++i) {
    double *q = peer_row(in, "qpos", m->nq), *v = peer_row(in, "qvel", m->nv), *n = peer_row(in, "ncontact", 1);
    int count = (int)n[0];
    double *rows = peer_row(in, "contact", WIDTH * count), *want = peer_row(in, "sensor", m->nsensordata);
    hfContact* contact = malloc(sizeof *contact * (size_t)(count + 1));
    for (int k = 0; k < count; ++k) contact[k] = make_contact(m, rows + WIDTH * k);
    hf_dynamics_set_position(d, q, NULL);
    hf_dynamics_set_velocity(d, v);
    hf_actuation_update(a, d, q);
    hfiSensorInput x = {.dynamics = d, .actuation = a, .q = q, .vdot = vdot, .contact = contact, .ncontact = count};
    hfi_sensors(&x, out);
    compare_sensors(m, out, want);
    total += count;
    free(q), free(v), free(n), free(rows), free(want), free(contact);
  }
  assert_above(total, 3 * states);
  free(vdot), free(out);
  peer_remove(folder);
  mujoco_scene_close(&w);
}

// A ball of 1 kg rests above a plane whose margin is 10 mm. The law of the contact pushes within the margin: with the
// stiffness k of the pair the ball rests where k times the deformation carries it, so the gap is margin - m g/k. Reports
// and sensors name the gap, not the deformation. Tolerance: the ball has come to rest to 1e-9 m after 3 s.
static void test_a_margin_is_no_overlap(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><custom><numeric name='hf.stiffness' data='1e6'/></custom>"
      "<worldbody><geom name='floor' type='plane' size='1 1 1' margin='.01'/><body name='ball' pos='0 0 .105'><freejoint/>"
      "<geom name='ball' type='sphere' size='.1' mass='1'/></body></worldbody>"
      "<sensor><contact geom1='ball' geom2='floor' data='dist' num='1'/></sensor></mujoco>";
  hfModel* m = NULL;
  hfSim* sim = NULL;
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  config.step = 1e-3;
  if (hf_model_parse(&m, scene, strlen(scene), "ball.xml", NULL, NULL, NULL, &error) < 0 ||
      hf_sim_create(&sim, m, &config, &error) < 0)
    fail_msg("%s", error.message);
  hfState* x = hf_state_create(m);
  hfStepReport report;
  for (int i = 0; i < 3000; ++i) assert_at_least(hf_sim_step(sim, x, NULL, &report, &error), 0);

  double k = 0.5e6; // two geoms of 1e6 N/m in series
  double gap = hf_state_q(x)[2] - 0.1;
  assert_near(gap, 0.01 - 9.81 / k, 1e-9);
  hfContact contact;
  assert_int_equal(hf_sim_contacts(sim, &contact, 1), 1);
  assert_near(contact.depth, -gap, 1e-9);
  assert_near(hf_sim_sensors(sim)[0], gap, 1e-9);
  assert_at_most(report.max_depth, 0);

  hf_state_free(x);
  hf_sim_free(sim);
  hf_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sensors), cmocka_unit_test(test_a_margin_is_no_overlap)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
