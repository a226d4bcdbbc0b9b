// Writing what refers to the tree: contacts, tendons, equalities and keyframes. Actuators and sensors:
// mjcf_write_acting.c.
//
// w: the writer, d: the definition of object i.
#include "io/mjcf/mjcf_write.h"

#include "io/mjcf/mjcf.h"
#include "build/key.h"
#include "model/actuator.h"

#include <string.h>

// ---- contacts -----------------------------------------------------------------------------------

// Writes a <pair>. MJCF cannot say that a pair takes values from its geoms, so the values are written.
static void write_pair(hfiMjcfWriter* w, int i) {
  const hfPairDef d = hfi_complete_pair(w->b, i);

  hfi_xml_begin(&w->xml, 2, "pair");
  hfi_mjcf_put_name(w, HF_OBJECT_PAIR, i);
  hfi_mjcf_put_reference(w, "geom1", HF_OBJECT_GEOM, d.geom1);
  hfi_mjcf_put_reference(w, "geom2", HF_OBJECT_GEOM, d.geom2);

  hfi_xml_put_int(&w->xml, "condim", d.condim, 3);
  hfi_xml_put_reals(&w->xml, "friction", d.friction, 5);
  hfi_xml_put_real(&w->xml, "margin", d.margin - d.gap, 0);
  hfi_xml_put_real(&w->xml, "gap", d.gap, 0);
  hfi_xml_put_real(&w->xml, "adhesion", d.adhesion, 0);
  hfi_mjcf_put_solver(w, "solref", "solimp", d.solref, d.solimp);

  hfi_xml_print(&w->xml, "/>\n");
}

// Writes <contact>: the pairs, and the pairs of bodies that do not collide.
void hfi_mjcf_write_contacts(hfiMjcfWriter* w) {
  hfi_xml_print(&w->xml, "  <contact>\n");
  for (int i = 0; i < w->b->pair.count; ++i) write_pair(w, i);

  for (int i = 0; i < w->b->exclude.count; ++i) {
    hfi_xml_begin(&w->xml, 2, "exclude");
    hfi_mjcf_put_reference(w, "body1", HF_OBJECT_BODY, w->b->exclude.data[i].body[0]);
    hfi_mjcf_put_reference(w, "body2", HF_OBJECT_BODY, w->b->exclude.data[i].body[1]);
    hfi_xml_print(&w->xml, "/>\n");
  }

  hfi_xml_print(&w->xml, "  </contact>\n");
}

// ---- tendons and equalities ---------------------------------------------------------------------

// Writes a place on the path of a tendon: a site, a geom or a pulley.
static void write_place(hfiMjcfWriter* w, const hfWrapDef* d) {
  static const char* const elements[] = {[HF_WRAP_SITE] = "site", [HF_WRAP_GEOM] = "geom", [HF_WRAP_PULLEY] = "pulley"};

  hfi_xml_begin(&w->xml, 3, elements[d->type]);
  if (d->type == HF_WRAP_SITE) hfi_mjcf_put_reference(w, "site", HF_OBJECT_SITE, d->obj);
  if (d->type == HF_WRAP_GEOM) {
    hfi_mjcf_put_reference(w, "geom", HF_OBJECT_GEOM, d->obj);
    hfi_mjcf_put_reference(w, "sidesite", HF_OBJECT_SITE, d->side);
  }
  if (d->type == HF_WRAP_PULLEY) hfi_xml_put_reals(&w->xml, "divisor", &d->divisor, 1);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes the attributes that tendons of both kinds have.
static void put_tendon(hfiMjcfWriter* w, const hfTendonDef* d, int i) {
  hfi_mjcf_put_name(w, HF_OBJECT_TENDON, i);

  // limits
  hfi_mjcf_put_range(w, "limited", "range", d->limited, d->range);
  if (d->actfrclimited) hfi_mjcf_put_range(w, "actuatorfrclimited", "actuatorfrcrange", 1, d->actfrcrange);
  hfi_xml_put_real(&w->xml, "margin", d->margin, 0);

  // passive forces
  hfi_mjcf_put_polynomial(w, "stiffness", d->stiffness, d->stiffness_poly);
  hfi_mjcf_put_polynomial(w, "damping", d->damping, d->damping_poly);
  hfi_xml_put_real(&w->xml, "frictionloss", d->frictionloss, 0);
  hfi_xml_put_real(&w->xml, "armature", d->armature, 0);
  hfi_xml_put_reals(&w->xml, "springlength", d->springlength, 2);
  hfi_xml_put_real(&w->xml, "springyield", d->springyield, 0);
  hfi_mjcf_put_solver(w, "solreflimit", "solimplimit", d->limit_solref, d->limit_solimp);
}

// Writes a tendon: the joints of a fixed one, or the path of a spatial one.
static void write_tendon(hfiMjcfWriter* w, int i) {
  const hfTendonDef* d = &w->b->tendon.data[i];
  const char* element = d->path_count > 0 ? "spatial" : "fixed";
  hfi_xml_begin(&w->xml, 2, element);
  put_tendon(w, d, i);
  hfi_xml_print(&w->xml, ">\n");

  for (int k = 0; k < d->count; ++k) {
    hfi_xml_begin(&w->xml, 3, "joint");
    hfi_mjcf_put_reference(w, "joint", HF_OBJECT_JOINT, d->joint[k]);
    hfi_xml_put_reals(&w->xml, "coef", &d->coef[k], 1);
    hfi_xml_print(&w->xml, "/>\n");
  }

  for (int k = 0; k < d->path_count; ++k) write_place(w, &d->path[k]);
  hfi_xml_print(&w->xml, "    </%s>\n", element);
}

void hfi_mjcf_write_tendons(hfiMjcfWriter* w) {
  hfi_xml_print(&w->xml, "  <tendon>\n");
  for (int i = 0; i < w->b->tendon.count; ++i) write_tendon(w, i);
  hfi_xml_print(&w->xml, "  </tendon>\n");
}

// Writes the numbers of an equality: anchor and pose, or the coefficients of a coupling.
static void put_equality_data(hfiMjcfWriter* w, const hfEqualityDef* d) {
  int is_between_sites = d->objkind == HF_OBJECT_SITE; // Then the sites give anchor and pose.
  if (d->type == HF_EQUALITY_CONNECT && !is_between_sites) hfi_xml_put_reals(&w->xml, "anchor", d->data, 3);
  if (d->type == HF_EQUALITY_WELD) {
    if (!is_between_sites) {
      hfi_xml_put_reals(&w->xml, "anchor", d->data, 3);
      hfi_xml_put_reals(&w->xml, "relpose", d->data + 3, 7);
    }
    hfi_xml_put_reals(&w->xml, "torquescale", d->data + 10, 1);
  }
  if (d->type == HF_EQUALITY_JOINT || d->type == HF_EQUALITY_TENDON) hfi_xml_put_reals(&w->xml, "polycoef", d->data, 5);
}

// Writes <equality>.
void hfi_mjcf_write_equalities(hfiMjcfWriter* w) {
  static const char* const elements[] = {"connect", "weld", "joint", "tendon"};
  static const struct {
    hfObjectKind kind;
    const char* attribute[2];
  } ends[] = {{HF_OBJECT_BODY, {"body1", "body2"}},
              {HF_OBJECT_SITE, {"site1", "site2"}},
              {HF_OBJECT_JOINT, {"joint1", "joint2"}},
              {HF_OBJECT_TENDON, {"tendon1", "tendon2"}}};

  hfi_xml_print(&w->xml, "  <equality>\n");
  for (int i = 0; i < w->b->equality.count; ++i) {
    const hfEqualityDef* d = &w->b->equality.data[i];
    hfObjectKind kind = hfi_equality_target(d->type, d->objkind);

    hfi_xml_begin(&w->xml, 2, elements[d->type]);
    hfi_mjcf_put_name(w, HF_OBJECT_EQUALITY, i);

    for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k) {
      if (ends[k].kind != kind) continue;
      hfi_mjcf_put_reference(w, ends[k].attribute[0], kind, d->obj1);
      hfi_mjcf_put_reference(w, ends[k].attribute[1], kind, d->obj2);
    }

    hfi_xml_put_bool(&w->xml, "active", d->active);
    put_equality_data(w, d);
    hfi_mjcf_put_solver(w, "solref", "solimp", d->solref, d->solimp);
    hfi_xml_print(&w->xml, "/>\n");
  }
  hfi_xml_print(&w->xml, "  </equality>\n");
}

// ---- keyframes ------------------------------------------------------------------------------------

// Writes ctrl="…" without the controls of motors that have no inputs, because MJCF has none for them.
static void put_controls(hfiMjcfWriter* w, const double* ctrl) {
  const char* gap = "";

  hfi_xml_print(&w->xml, " ctrl=\"");
  for (int i = 0; i < w->b->actuator.count; ++i) {
    if (hfi_lacks_control(&w->b->actuator.data[i])) continue;
    hfi_xml_print(&w->xml, "%s", gap);
    hfi_xml_print_numbers(&w->xml, ctrl + i, 1);
    gap = " ";
  }
  hfi_xml_print(&w->xml, "\"");
}

// Writes an array of a keyframe, unless the keyframe does not give it.
static void put_key_array(hfiMjcfWriter* w, const char* attribute, const double* given, const double* x, int count) {
  if (given && count > 0) hfi_xml_put_reals(&w->xml, attribute, x, count);
}

// Writes what keyframe i gives, in the order of the model. ids: the layout of its numbers in the builder. x: room for
// them in the layout of the model.
static void write_key(hfiMjcfWriter* w, const hfiKeyLayout* ids, const hfiKeyLayout* model, hfiKeyArrays* x, int i) {
  const hfiKey* key = &w->b->key.data[i];
  const hfKeyDef* d = &key->def;
  hfi_key_unfold(w->b, ids, model, key, x);

  hfi_xml_begin(&w->xml, 2, "key");
  hfi_mjcf_put_name(w, HF_OBJECT_KEY, i);
  hfi_xml_put_real(&w->xml, "time", d->time, 0);

  put_key_array(w, "qpos", d->qpos, x->qpos, model->nq);
  put_key_array(w, "qvel", d->qvel, x->qvel, model->nv);
  put_key_array(w, "act", d->act, x->act, model->na);
  put_key_array(w, "mpos", d->mpos, x->mpos, 3 * model->nmocap);
  put_key_array(w, "mquat", d->mquat, x->mquat, 4 * model->nmocap);
  if (d->ctrl && model->nu > 0) put_controls(w, x->ctrl);
  hfi_xml_print(&w->xml, "/>\n");
}

// An array of numbers that lives until the writer is released. NULL and a refusal if there is no memory.
static double* allocate(hfiMjcfWriter* w, int count) {
  double* x = hfi_pool_copy(&w->pool, NULL, sizeof *x * ((size_t)count + 1));
  if (!x) hfi_xml_refuse_memory(&w->xml);
  return x;
}

// Writes all keyframes, which share the room for their numbers.
static void write_all_keys(hfiMjcfWriter* w, const hfiKeyLayout* ids, const hfiKeyLayout* model) {
  hfiKeyArrays x = {.qpos = allocate(w, model->nq),
                    .qvel = allocate(w, model->nv),
                    .act = allocate(w, model->na),
                    .ctrl = allocate(w, model->nu),
                    .mpos = allocate(w, 3 * model->nmocap),
                    .mquat = allocate(w, 4 * model->nmocap)};
  for (int i = 0; !w->xml.status && i < w->b->key.count; ++i) write_key(w, ids, model, &x, i);
}

// Writes <keyframe>.
void hfi_mjcf_write_keys(hfiMjcfWriter* w) {
  hfiOrder order;
  hfiKeyLayout ids = {0};
  hfiKeyLayout model = {0};
  if (w->xml.status == HF_OK) w->xml.status = hfi_order_create(&order, w->b, w->xml.error);
  if (w->xml.status != HF_OK) return;

  w->xml.status = hfi_key_layout_create(&ids, w->b, NULL, w->xml.error);
  if (w->xml.status == HF_OK) w->xml.status = hfi_key_layout_create(&model, w->b, &order, w->xml.error);

  hfi_xml_print(&w->xml, "  <keyframe>\n");
  if (w->xml.status == HF_OK) write_all_keys(w, &ids, &model);
  hfi_xml_print(&w->xml, "  </keyframe>\n");

  hfi_key_layout_release(&ids);
  hfi_key_layout_release(&model);
  hfi_order_release(&order);
}
