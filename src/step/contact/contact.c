// Contacts from the points that geometry found: frames and materials; and what a contact reports. near/ decides which
// points become contacts.
//
// The contact point C lies between the witness points Ca and Cb on the two surfaces, nearer to that of the stiffer
// body:
//
//   p_WC = w p_WCa + (1 - w) p_WCb,   w = k_a/(k_a + k_b) (weight_a of the material)
#include "step/contact/contact.h"

// ---- materials --------------------------------------------------------------------------------------

// Writes the materials of all candidates of a listed scene.
void hfi_contact_materials(const hfiScene* scene, hfiSoftness* softness, hfiMaterial* out) {
  for (int i = 0; i < scene->pairs.count; ++i) {
    const hfiCandidate* c = &scene->pairs.candidate[i];
    out[i] = hfi_material_combine(scene->model, softness, c->a, c->b, c->pair);
  }
}

// ---- contacts of the points -------------------------------------------------------------------------

// Makes contact *c of the raw point r, whose two geoms have this material. What a state remembers of it is not known
// yet. t1 and t2 follow from n and the world's axes.
static void fill_contact(hfiContact* c, const hfModel* m, const hfiRawContact* r, const hfiMaterial* material) {
  const hfiContactPoint* point = &r->point;

  c->geom_a = r->geom_a;
  c->geom_b = r->geom_b;
  c->pair = r->pair;
  c->feature = point->feature;
  c->body_a = hf_model_geom_body(m)[r->geom_a];
  c->body_b = hf_model_geom_body(m)[r->geom_b];

  // place and frame
  c->p_W = v3_add(v3_scale(material->weight_a, point->p_WCa), v3_scale(1 - material->weight_a, point->p_WCb));
  c->n = point->n_W;
  v3_tangents(c->n, &c->t1, &c->t2);
  c->depth = r->depth;

  // adhesion pulls only while the surfaces are less than include_margin and MJCF's gap apart; depth has the margin in
  // it
  c->material = *material;
  if (material->adhesion != 0) {
    double gap = hfi_material_gap(m, r->geom_a, r->geom_b, r->pair);
    if (!(c->depth > -gap)) c->material.adhesion = 0;
  }

  // nothing is remembered
  c->known = 0;
  c->curved = 0;
  c->slip_speed = 0;
  c->p_BC = v3_zero();
  c->xi_W = v3_zero();
  c->twist_W = v3_zero();
}

// Makes contacts of the raw points that act, in the same order. Returns their number. listed: materials of the
// candidates, or NULL: then they are combined here.
int hfi_contact_fill(const hfModel* m, const hfiMaterial* listed, hfiSoftness* softness, const hfiRawContact* raw,
                     int nraw, hfiContact* out) {
  hfiMaterial combined = {0};
  int count = 0;
  int last = -1; // candidate whose material is in `combined`

  for (int i = 0; i < nraw; ++i) {
    const hfiRawContact* r = &raw[i];
    if (!r->acts) continue;

    if (!listed && r->candidate != last) combined = hfi_material_combine(m, softness, r->geom_a, r->geom_b, r->pair);
    last = r->candidate;
    fill_contact(&out[count++], m, r, listed ? &listed[r->candidate] : &combined);
  }
  return count;
}

// Inserts contacts for the points that act newly among the others, in the order of the points. Returns the number of
// all contacts. contact and number have room for all. number: an entry for each contact, which moves with it, and is
// HFI_NEW_CONTACT for new ones.
int hfi_contact_insert(const hfModel* m, const hfiMaterial* listed, hfiSoftness* softness, hfiRawContact* raw, int nraw,
                       hfiContact* contact, int ncontact, int32_t* number) {
  int added = 0;
  for (int i = 0; i < nraw; ++i) added += raw[i].acts == HFI_ACTS_NEWLY;

  // from the end, so that each contact moves once
  int from = ncontact - 1;
  int to = from + added;
  for (int i = nraw - 1; i >= 0 && to > from; --i) {
    hfiRawContact* r = &raw[i];

    if (r->acts == HFI_ACTS_NEWLY) {
      hfiMaterial combined = {0};
      if (!listed) combined = hfi_material_combine(m, softness, r->geom_a, r->geom_b, r->pair);

      fill_contact(&contact[to], m, r, listed ? &listed[r->candidate] : &combined);
      number[to] = HFI_NEW_CONTACT;
      to--;
      r->acts = HFI_ACTS;
    } else if (r->acts) {
      contact[to] = contact[from];
      number[to] = number[from];
      to--;
      from--;
    }
  }
  return ncontact + added;
}

// ---- what a contact reports ---------------------------------------------------------------------------

// Returns the report of which geoms touch and where, without force and motion.
hfContact hfi_contact_result(const hfiContact* c) {
  return (hfContact){.geom_a = c->geom_a,
                     .geom_b = c->geom_b,
                     .body_a = c->body_a,
                     .body_b = c->body_b,
                     .feature = c->feature,
                     .p_W = c->p_W,
                     .n_W = c->n,
                     .depth = hfi_contact_overlap(c),
                     .mu = c->material.condim >= 3 ? c->material.mu[0] : 0};
}

// Adds the forces f of its `dim` rows to the report. The normal force includes the pull of adhesion.
void hfi_contact_result_force(hfContact* r, const hfiContact* c, int dim, const double* f) {
  r->fn = f[0] - c->material.adhesion;
  if (dim >= 3) r->ft = hfi_in_plane(c, f[1], f[2]);
  if (dim >= 4) r->torque = v3_scale(f[3], c->n);
  if (dim >= 6) r->torque = v3_add(r->torque, hfi_in_plane(c, f[4], f[5]));
}

// Adds the velocities s of its `dim` rows to the report.
void hfi_contact_result_velocity(hfContact* r, const hfiContact* c, int dim, const double* s) {
  r->vn = s[0];
  if (dim >= 3) r->vt = hfi_in_plane(c, s[1], s[2]);
}
