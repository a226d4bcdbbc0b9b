// MuJoCo's elastic cables, a plugin that came with MuJoCo 3:
//
//   <body><plugin plugin="mujoco.elasticity.cable" instance="I"/>...</body>
//   with I in <extension>, or one plugin in a <composite type="cable">
//
// Between two bodies of a cable, a ball joint bends and twists like a beam of the length L between their origins:
//
//   k = (G J, E I_y, E I_z)/L      hfJointDef.bend
//   circle of radius r     J = pi r^4/2,  I_y = I_z = pi r^4/4
//   rectangle 2h x 2w      J = a b^3 (16/3 - 3.36 b/a (1 - b^4/(12 a^4))), a = max(h, w), b = min(h, w)
//                          I_y = (2w)^3 2h/12,  I_z = (2h)^3 2w/12
//
//   G twist, E bend [Pa]    at rest the cable has the shape of the file, or is straight if flat is true
//
// m: the document, c: a body of a cable.
#include "io/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

typedef struct Elasticity {
  double twist, bend; // [Pa]
  int flat;
} Elasticity;

// Lists a body, with its id in the builder, if it has the plugin of cables.
void hfi_mjcf_note_cable(hfiMjcf* m, hfiElem* body, int id) {
  for (hfiElem* e = body->child; e; e = e->next) {
    if (!hfi_mjcf_is_plugin(e, HFI_CABLE_PLUGIN)) continue;
    hfi_attr(e, "plugin");
    e->used = 1;

    const char* name = hfi_attr(e, "instance");
    const hfiElem* instance = hfi_mjcf_find_instance(m, HFI_CABLE_PLUGIN, name ? name : "");
    if (name && !instance) hfi_fail(m->r, e, HF_ERROR_MODEL, "there is no instance \"%s\" of " HFI_CABLE_PLUGIN, name);

    // Plugins that a composite made share the children of one element, which is their parent.
    const hfiElem* own_config = e->child ? e->child->parent : e;
    hfiCableBody* c = HFI_NEW(m->r, hfiCableBody, 1);
    if (!c) return;
    *c = (hfiCableBody){.body = id, .config = instance ? instance : own_config};
    *m->cable_bodies.tail = c;
    m->cable_bodies.tail = &c->next;
  }
}

// Reads the parameters of a cable. Refuses those that the plugin lacks.
static Elasticity read_elasticity(hfiMjcf* m, const hfiElem* config) {
  static const hfiKeyword switches[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
  Elasticity x = {0, 0, 0};
  double ignored;

  for (hfiElem* c = hfi_child(config, "config"); c; c = hfi_next(c, "config")) {
    const char* key = hfi_require(m->r, c, "key");
    if (strcmp(key, "twist") == 0)
      hfi_read_real(m->r, c, "value", &x.twist);
    else if (strcmp(key, "bend") == 0)
      hfi_read_real(m->r, c, "value", &x.bend);
    else if (strcmp(key, "flat") == 0)
      hfi_read_keyword(m->r, c, "value", switches, &x.flat);
    else if (strcmp(key, "vmax") == 0)
      hfi_read_real(m->r, c, "value", &ignored); // vmax only scales colours
    else
      hfi_fail(m->r, c, HF_ERROR_MODEL, HFI_CABLE_PLUGIN " has no parameter \"%.40s\"", key);
  }

  if (!m->r->status && (x.twist < 0 || x.bend < 0))
    hfi_fail(m->r, config, HF_ERROR_MODEL, "twist and bend cannot be negative");
  return x;
}

static const hfGeomDef* first_geom(const hfBuilder* b, int body) {
  for (int i = 0; i < b->geom.count; ++i)
    if (b->geom.data[i].body == body) return &b->geom.data[i];
  return NULL;
}

// The ball joint of a body, or -1.
static int find_ball(const hfBuilder* b, int body) {
  for (int i = 0; i < b->joint.count; ++i)
    if (b->joint.data[i].body == body && b->joint.data[i].type == HF_JOINT_BALL) return i;
  return -1;
}

// Torsion constant and second moments of area about y and z of the section of a geom along x [m^4]; zeros for other
// shapes.
static void compute_section(const hfGeomDef* g, double moment[3]) {
  for (int k = 0; k < 3; ++k) moment[k] = 0;

  if (g && (g->type == HF_GEOM_CAPSULE || g->type == HF_GEOM_CYLINDER)) {
    double r4 = sqr(sqr(g->size[0]));
    moment[0] = HFI_PI * r4 / 2;
    moment[1] = HFI_PI * r4 / 4;
    moment[2] = HFI_PI * r4 / 4;
  } else if (g && g->type == HF_GEOM_BOX) {
    double h = g->size[1];
    double w = g->size[2];
    double a = max2(h, w);
    double b = min2(h, w);

    moment[0] = a * b * b * b * (16. / 3 - 3.36 * b / a * (1 - sqr(sqr(b / a)) / 12));
    moment[1] = 8 * w * w * w * 2 * h / 12;
    moment[2] = 8 * h * h * h * 2 * w / 12;
  }
}

// Gives the joint between a body and the one before it in its cable, which is its parent, the stiffness of a beam.
static void stiffen_joint(hfiMjcf* m, const hfiCableBody* c, const Elasticity* x) {
  hfBuilder* b = m->r->builder;
  const hfBodyDef* body = hf_builder_body(b, c->body);
  int j = find_ball(b, c->body);
  double length = v3_norm(v3_load(body->pos));
  if (j < 0 || !(length > 0)) {
    hfi_note(m->r, c->config, HF_WARNING,
             HFI_CABLE_PLUGIN ": a body without a ball joint, or at the place of the one before it, does not bend");
    return;
  }

  // J, I_y and I_z of the section of the first geom of the body
  double moment[3];
  compute_section(first_geom(b, c->body), moment);
  hfJointDef d = *hf_builder_joint(b, j);
  d.bend[0] = x->twist * moment[0] / length;
  d.bend[1] = x->bend * moment[1] / length;
  d.bend[2] = x->bend * moment[2] / length;
  if (!x->flat) v3_store(d.bend_rest, q_log(q_load(body->quat)));
  hfi_keep(m->r, c->config, (int)hf_builder_set_joint(b, j, &d, &m->r->scratch));
}

// Gives all joints within cables their stiffness. A cable is a chain of listed bodies with the same configuration.
void hfi_mjcf_stiffen_cables(hfiMjcf* m) {
  const hfiCableBody* before = NULL;

  for (const hfiCableBody* c = m->cable_bodies.first; c && !m->r->status; c = c->next) {
    int parent = hf_builder_body(m->r->builder, c->body)->parent;
    int is_first = !before || before->config != c->config || parent != before->body;
    int is_last = !c->next || c->next->config != c->config;
    Elasticity x = read_elasticity(m, c->config);
    if (m->r->status) return;

    if (!is_first)
      stiffen_joint(m, c, &x);
    else if (is_last)
      hfi_note(m->r, c->config, HF_WARNING, HFI_CABLE_PLUGIN ": one body alone is no cable, it has no effect there");
    before = c;
  }
}
