// Contact points from collision results.
//
//   p_WC = w p_WCa + (1 - w) p_WCb,  w = k_a/(k_a + k_b): the softer side gives way
#include "contact/contact.h"

static void fill_contact(hfiContact* c, const hfModel* m, const hfiRawContact* r, const hfiMaterial* material, double depth) {
  c->geom_a = r->geom_a, c->geom_b = r->geom_b, c->pair = r->pair;
  c->feature = r->point.feature;
  c->body_a = hf_model_geom_body(m)[r->geom_a], c->body_b = hf_model_geom_body(m)[r->geom_b];
  c->p_W = v3_add(v3_scale(material->weight_a, r->point.p_WCa), v3_scale(1 - material->weight_a, r->point.p_WCb));
  c->n = r->point.n_W;
  v3_tangents(c->n, &c->t1, &c->t2);
  c->depth = depth;
  c->material = *material;
  c->known = 0;
  c->slip_speed = 0;
  c->p_AC = c->p_BC = c->xi_W = c->twist_W = v3_zero();
}

void hfi_contact_materials(const hfiScene* scene, hfiMaterial* out) {
  for (int i = 0; i < scene->ncandidate; ++i) {
    const hfiCandidate* c = &scene->candidate[i];
    out[i] = hfi_material_combine(scene->model, c->a, c->b, c->pair);
  }
}

int hfi_contact_set(const hfModel* m, const hfiMaterial* listed, const hfiRawContact* raw, int nraw, hfiContact* out) {
  int count = 0, last = -1;
  hfiMaterial combined = {0};
  for (int i = 0; i < nraw; ++i) {
    const hfiRawContact* r = &raw[i];
    if (!listed && r->candidate != last) combined = hfi_material_combine(m, r->geom_a, r->geom_b, r->pair);
    last = r->candidate;
    const hfiMaterial* material = listed ? &listed[r->candidate] : &combined;
    double depth = r->point.depth + material->include_margin;
    if (depth > 0) fill_contact(&out[count++], m, r, material, depth);
  }
  return count;
}
