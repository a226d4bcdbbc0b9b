// Contacts from the points that geometry found: frames, materials, and which of them act in a step.
//
// The contact point C lies between the witness points Ca and Cb on the two surfaces, nearer to that of the stiffer body:
//
//   p_WC = w p_WCa + (1 - w) p_WCb,   w = k_a/(k_a + k_b)
//
// Which contacts act. A contact acts if it is deeper than -reach. With dynamics it also acts if it would close within
// the step (anticipation):
//   1. Mark the trees that have a contact that acts: they may be stopped by it.
//   2. A contact closes if the free motion of both bodies closes it, or the free motion of one body while the other,
//      marked, stands still.
//   3. Contacts that close act too, and mark their trees. Repeat until no contact is added: a stack falls as one, its
//      lowest body meets the floor, the next one meets that, all in one step.
#include "contact/contact.h"

#include <string.h>

static void fill_contact(hfiContact* c, const hfModel* m, const hfiRawContact* r,
                         const hfiMaterial* material) {
  c->geom_a = r->geom_a, c->geom_b = r->geom_b, c->pair = r->pair;
  c->feature = r->point.feature;
  c->body_a = hf_model_geom_body(m)[r->geom_a], c->body_b = hf_model_geom_body(m)[r->geom_b];
  c->p_W = v3_add(v3_scale(material->weight_a, r->point.p_WCa),
                  v3_scale(1 - material->weight_a, r->point.p_WCb));
  c->n = r->point.n_W;
  v3_tangents(c->n, &c->t1, &c->t2);
  c->depth = r->depth;
  c->material = *material;
  c->known = 0;
  c->slip_speed = 0;
  c->p_BC = c->xi_W = c->twist_W = v3_zero();
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
    double base = 0, turn = 0; // Nothing moves a body without dofs.
    if (hf_model_body_lastdof(m)[b] >= 0) {
      hfMotion V = hfi_point_velocity(d, b, d->X_WB[b].p);
      base = h * v3_norm(V.v) + fall, turn = h * v3_norm(V.w);
    }
    for (int g = adr[b], end = g + num[b]; g < end; ++g) reach[g] = base + turn * extent[g];
  }
}

// ---- which contacts act --------------------------------------------------------------------------

// Marks the trees of the two bodies of a contact.
static void mark_touched(const hfModel* m, const hfiRawContact* r, int32_t* touched) {
  const int32_t *body = hf_model_geom_body(m), *tree = hf_model_body_tree(m);
  if (tree[body[r->geom_a]] >= 0) touched[tree[body[r->geom_a]]] = 1;
  if (tree[body[r->geom_b]] >= 0) touched[tree[body[r->geom_b]]] = 1;
}

// Returns the velocity of a point of a body along n in free motion, v0 + h g [m/s].
static double free_speed(const hfDynamics* d, double h, int body, hfVec3 p_W, hfVec3 n) {
  hfVec3 v = hfi_point_velocity(d, body, p_W).v;
  if (hf_model_body_lastdof(d->model)[body] >= 0) v = v3_axpy(h, d->gravity, v);
  return v3_dot(n, v);
}

// Does the contact close within h (rule 2)?
static int closes(const hfDynamics* d, double h, const hfiRawContact* r, const int32_t* touched) {
  const int32_t *body = hf_model_geom_body(d->model), *tree = hf_model_body_tree(d->model);
  int a = body[r->geom_a], b = body[r->geom_b];
  double away_a = free_speed(d, h, a, r->point.p_WCa, r->point.n_W),
         away_b = -free_speed(d, h, b, r->point.p_WCb, r->point.n_W);
  double opening = away_a + away_b;
  if (tree[a] >= 0 && touched[tree[a]]) opening = min2(opening, away_b);
  if (tree[b] >= 0 && touched[tree[b]]) opening = min2(opening, away_a);
  return r->depth > h * opening;
}

// Sets `acts` of the contacts that close (rules 1 to 3).
static void choose_acting(const hfDynamics* d, double h, hfiRawContact* raw, int nraw,
                          int32_t* touched) {
  memset(touched, 0, sizeof *touched * (size_t)d->model->ntree);
  for (int i = 0; i < nraw; ++i)
    if (raw[i].acts) mark_touched(d->model, &raw[i], touched);
  for (int again = 1; again;) {
    again = 0;
    for (int i = 0; i < nraw; ++i) {
      if (raw[i].acts || !closes(d, h, &raw[i], touched)) continue;
      raw[i].acts = again = 1;
      mark_touched(d->model, &raw[i], touched);
    }
  }
}

int hfi_contact_set(const hfModel* m, const hfDynamics* d, double h, double reach, const hfiMaterial* listed,
                    hfiRawContact* raw, int nraw, int32_t* touched, hfiContact* out) {
  for (int i = 0; i < nraw; ++i) {
    hfiRawContact* r = &raw[i];
    r->depth = r->point.depth + (listed ? listed[r->candidate].include_margin
                                        : hfi_material_margin(m, r->geom_a, r->geom_b, r->pair));
    r->acts = r->depth > -reach;
  }
  if (d) choose_acting(d, h, raw, nraw, touched);
  int count = 0, last = -1;
  hfiMaterial combined = {0};
  for (int i = 0; i < nraw; ++i) {
    const hfiRawContact* r = &raw[i];
    if (!r->acts) continue;
    if (!listed && r->candidate != last)
      combined = hfi_material_combine(m, r->geom_a, r->geom_b, r->pair);
    last = r->candidate;
    fill_contact(&out[count++], m, r, listed ? &listed[r->candidate] : &combined);
  }
  return count;
}
