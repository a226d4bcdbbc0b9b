#include "support/random_tree.h"

#include "math/vec3.h"
#include "support/cmocka_all.h"

typedef struct Growth {
  testRandom* r;
  hfBuilder* b;
  const RandomTree* spec;
  int scalar[3], nscalar; // the first hinges and slides
} Growth;

RandomTree random_tree_default(void) {
  RandomTree spec = {.max_bodies = 8, .flags = TREE_ARMATURE, .turn = q_identity()};
  return spec;
}

static void random_vector(testRandom* r, double scale, double* x) {
  for (int i = 0; i < 3; ++i) x[i] = random_uniform(r, -scale, scale);
}

static hfQuat random_rotation(testRandom* r) {
  hfQuat q = {random_normal(r), random_normal(r), random_normal(r), random_normal(r)};
  return q_unit(q);
}

static int must(int id, const hfError* error) {
  if (id < 0) fail_msg("%s", error->message);
  return id;
}

// Inertia of a box of random sides, turned at random.
static void random_inertia(testRandom* r, double mass, double* inertia) {
  double a = sqr(random_uniform(r, 0.1, 0.5)), b = sqr(random_uniform(r, 0.1, 0.5)), c = sqr(random_uniform(r, 0.1, 0.5));
  hfMat3 R = m3_from_quat(random_rotation(r)), D = {{b + c, 0, 0, 0, a + c, 0, 0, 0, a + b}};
  hfMat3 I = m3_mul(m3_mul(R, D), m3_transpose(R));
  const double full[6] = {I.m[0], I.m[4], I.m[8], I.m[1], I.m[2], I.m[5]};
  for (int i = 0; i < 6; ++i) inertia[i] = mass / 12 * full[i];
}

static int add_body(Growth* g, int parent) {
  hfBodyDef d = hf_body_def_default();
  hfError error;
  d.parent = parent;
  random_vector(g->r, 0.5, d.pos);
  hfQuat q = random_rotation(g->r);
  if (parent == 0) {
    v3_store(d.pos, q_rotate(g->spec->turn, v3_load(d.pos)));
    q = q_mul(g->spec->turn, q);
  }
  q_store(d.quat, q);
  d.has_inertial = 1;
  d.mass = random_log(g->r, 0.2, 5);
  random_vector(g->r, 0.2, d.com);
  random_inertia(g->r, d.mass, d.inertia);
  return must(hf_builder_add_body(g->b, &d, &error), &error);
}

static void add_joint(Growth* g, int body, int type) {
  testRandom* r = g->r;
  hfJointDef d = hf_joint_def_default();
  hfError error;
  d.body = body;
  d.type = type;
  if (random_chance(r, 0.7)) random_vector(r, 0.3, d.pos);
  random_vector(r, 1, d.axis);
  if (type == HF_JOINT_SCREW) d.pitch = random_uniform(r, -0.3, 0.3);
  if (g->spec->flags & TREE_SPRINGS) d.stiffness = random_log(r, 1, 100);
  int is_scalar = hf_joint_info(type).nv == 1;
  if (is_scalar) {
    d.ref = random_uniform(r, -0.5, 0.5);
    d.springref = random_uniform(r, -0.5, 0.5);
    if ((g->spec->flags & TREE_ARMATURE) && random_chance(r, 0.5)) d.armature = random_log(r, 0.01, 1);
  }
  int id = must(hf_builder_add_joint(g->b, &d, &error), &error);
  if (is_scalar && g->nscalar < 3) g->scalar[g->nscalar++] = id;
}

static void add_joints(Growth* g, int body, int is_root) {
  static const struct { int count, type[3]; } sets[] = {
      {1, {HF_JOINT_HINGE}}, {1, {HF_JOINT_HINGE}}, {1, {HF_JOINT_SLIDE}}, {1, {HF_JOINT_BALL}}, {1, {HF_JOINT_SCREW}}, {0, {0}},
      {2, {HF_JOINT_HINGE, HF_JOINT_HINGE}}, {3, {HF_JOINT_SLIDE, HF_JOINT_HINGE, HF_JOINT_SLIDE}},
      {2, {HF_JOINT_SLIDE, HF_JOINT_BALL}}, {2, {HF_JOINT_BALL, HF_JOINT_SLIDE}},
      {3, {HF_JOINT_SLIDE, HF_JOINT_SLIDE, HF_JOINT_HINGE}}, {2, {HF_JOINT_SCREW, HF_JOINT_SLIDE}}, {2, {HF_JOINT_HINGE, HF_JOINT_SCREW}}};
  unsigned flags = g->spec->flags;
  int choice = random_int(g->r, (int)(sizeof sets / sizeof *sets)), floats = random_chance(g->r, 0.3);
  if (is_root && ((flags & TREE_FLOATING) || (floats && !(flags & TREE_NO_FREE)))) add_joint(g, body, HF_JOINT_FREE);
  else if (is_root && sets[choice].count == 0) add_joint(g, body, HF_JOINT_HINGE); // a root moves
  else for (int i = 0; i < sets[choice].count; ++i) add_joint(g, body, sets[choice].type[i]);
}

static void add_frames(Growth* g, int body) {
  hfSiteDef site = hf_site_def_default();
  hfGeomDef geom = hf_geom_def_default();
  site.body = geom.body = body;
  random_vector(g->r, 0.3, site.pos);
  q_store(site.quat, random_rotation(g->r));
  random_vector(g->r, 0.3, geom.pos);
  if (random_chance(g->r, 0.5)) q_store(geom.quat, random_rotation(g->r));
  geom.size[0] = random_uniform(g->r, 0.01, 0.1);
  assert_at_least(hf_builder_add_site(g->b, &site, NULL), 0);
  assert_at_least(hf_builder_add_geom(g->b, &geom, NULL), 0);
}

static void add_tendon(Growth* g) {
  double coef[3];
  hfTendonDef d = hf_tendon_def_default();
  hfError error;
  if (g->nscalar == 0) return;
  for (int i = 0; i < g->nscalar; ++i) coef[i] = random_uniform(g->r, -1, 1);
  d.count = g->nscalar;
  d.joint = g->scalar;
  d.coef = coef;
  d.stiffness = random_log(g->r, 1, 100);
  d.springlength[0] = -0.1;
  d.springlength[1] = 0.1;
  must(hf_builder_add_tendon(g->b, &d, &error), &error);
}

static void set_gravity(hfBuilder* b, const RandomTree* spec) {
  hfVec3 gravity = (spec->flags & TREE_NO_GRAVITY) ? v3_zero() : v3(0.5, -1, -9.5);
  v3_store(hf_builder_world(b)->gravity, q_rotate(spec->turn, gravity));
}

hfModel* random_tree_build(testRandom* r, const RandomTree* spec) {
  Growth g = {.r = r, .b = hf_builder_create(), .spec = spec};
  hfModel* model = NULL;
  hfError error;
  assert_non_null(g.b);
  set_gravity(g.b, spec);
  int count = 1 + random_int(r, spec->max_bodies);
  for (int i = 0; i < count; ++i) {
    // mostly long chains, some branches, some new trees
    int parent = random_chance(r, 0.6) ? i : random_int(r, i + 1);
    int body = add_body(&g, parent);
    add_joints(&g, body, parent == 0);
    add_frames(&g, body);
  }
  if (spec->flags & TREE_SPRINGS) add_tendon(&g);
  must(hf_builder_finish(g.b, &model, &error), &error);
  hf_builder_free(g.b);
  return model;
}

void random_tree_state(testRandom* r, const hfModel* model, double* q, double* v) {
  for (int i = 0; i < model->nq; ++i) q[i] = hf_model_qpos0(model)[i] + random_uniform(r, -1, 1);
  for (int j = 0; j < model->njnt; ++j) {
    int quat = hf_joint_info(hf_model_jnt_type(model)[j]).quat;
    if (quat >= 0) q_store(q + hf_model_jnt_qposadr(model)[j] + quat, random_rotation(r));
  }
  for (int i = 0; i < model->nv; ++i) v[i] = random_uniform(r, -1, 1);
}
