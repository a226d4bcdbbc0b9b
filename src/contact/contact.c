// Contact points from collision results.
//
//   p_WC = w p_WCa + (1 - w) p_WCb,  w = k_a/(k_a + k_b): the softer side gives way
#include "contact/contact.h"

static void fill_contact(hfiContact* c, const hfModel* m, const hfiRawContact* r,
                         const hfiMaterial* material, double depth) {
  c->geom_a = r->geom_a, c->geom_b = r->geom_b, c->pair = r->pair;
  c->feature = r->point.feature;
  c->body_a = hf_model_geom_body(m)[r->geom_a], c->body_b = hf_model_geom_body(m)[r->geom_b];
  c->p_W = v3_add(v3_scale(material->weight_a, r->point.p_WCa),
                  v3_scale(1 - material->weight_a, r->point.p_WCb));
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

void hfi_contact_extents(const hfModel* m, double* out) {
  for (int g = 0; g < m->ngeom; ++g)
    out[g] = v3_norm(v3_load(hf_model_geom_pos(m) + 3 * g)) + hf_model_geom_rbound(m)[g];
}

void hfi_contact_reach(const hfDynamics* d, double h, const double* extent, double* reach) {
  const hfModel* m = d->model;
  const int32_t *adr = hf_model_body_geomadr(m), *num = hf_model_body_geomnum(m);
  double fall = h * h * v3_norm(d->gravity);
  for (int b = 0; b < m->nbody; ++b) {
    if (!num[b]) continue;
    int moves = hf_model_body_lastdof(m)[b] >= 0;
    hfMotion V = moves ? hf_dynamics_point_velocity(d, b, d->X_WB[b].p) : mo_zero();
    double speed = v3_norm(V.v), spin = v3_norm(V.w);
    for (int g = adr[b]; g < adr[b] + num[b]; ++g)
      reach[g] = moves ? h * (speed + spin * extent[g]) + fall : 0;
  }
}

// Depth that the free motion over h reaches: (v0 + h g) along the normal.
static double coming_depth(const hfModel* m, const hfDynamics* d, double h, const hfiRawContact* r,
                           double depth) {
  int a = hf_model_geom_body(m)[r->geom_a], b = hf_model_geom_body(m)[r->geom_b];
  hfVec3 va = hf_dynamics_point_velocity(d, a, r->point.p_WCa).v,
         vb = hf_dynamics_point_velocity(d, b, r->point.p_WCb).v;
  if (hf_model_body_lastdof(m)[a] >= 0) va = v3_axpy(h, d->gravity, va);
  if (hf_model_body_lastdof(m)[b] >= 0) vb = v3_axpy(h, d->gravity, vb);
  return depth - h * v3_dot(r->point.n_W, v3_sub(va, vb));
}

int hfi_contact_set(const hfModel* m, const hfDynamics* d, double h, const hfiMaterial* listed,
                    const hfiRawContact* raw, int nraw, hfiContact* out) {
  int count = 0, last = -1;
  hfiMaterial combined = {0};
  for (int i = 0; i < nraw; ++i) {
    const hfiRawContact* r = &raw[i];
    if (!listed && r->candidate != last)
      combined = hfi_material_combine(m, r->geom_a, r->geom_b, r->pair);
    last = r->candidate;
    const hfiMaterial* material = listed ? &listed[r->candidate] : &combined;
    double depth = r->point.depth + material->include_margin;
    if (depth > 0 || (d && coming_depth(m, d, h, r, depth) > 0))
      fill_contact(&out[count++], m, r, material, depth);
  }
  return count;
}
