// Contact points from collision results.
//
//   p_WC = w p_WCa + (1 - w) p_WCb,  w = k_a/(k_a + k_b): the softer side gives way
#include "contact/contact.h"

static hfiContact make_contact(const hfModel* m, const hfiRawContact* r, const hfiMaterial* material, double depth) {
  hfiContact c = {.geom_a = r->geom_a, .geom_b = r->geom_b, .pair = r->pair, .feature = r->point.feature};
  c.body_a = hf_model_geom_body(m)[r->geom_a], c.body_b = hf_model_geom_body(m)[r->geom_b];
  c.p_W = v3_add(v3_scale(material->weight_a, r->point.p_WCa), v3_scale(1 - material->weight_a, r->point.p_WCb));
  c.n = r->point.n_W;
  v3_tangents(c.n, &c.t1, &c.t2);
  c.depth = depth;
  c.material = *material;
  return c;
}

int hfi_contact_set(const hfModel* m, const hfiRawContact* raw, int nraw, hfiContact* out) {
  int count = 0, last_a = -1, last_b = -1, last_pair = -1;
  hfiMaterial material = {0};
  for (int i = 0; i < nraw; ++i) {
    const hfiRawContact* r = &raw[i];
    if (r->geom_a != last_a || r->geom_b != last_b || r->pair != last_pair)
      material = hfi_material_combine(m, last_a = r->geom_a, last_b = r->geom_b, last_pair = r->pair);
    double depth = r->point.depth + material.include_margin;
    if (depth > 0) out[count++] = make_contact(m, r, &material, depth);
  }
  return count;
}
