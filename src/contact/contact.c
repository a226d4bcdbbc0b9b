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

void hfi_contact_materials(const hfiScene* scene, const hfiSoftness* softness, hfiMaterial* out) {
  for (int i = 0; i < scene->ncandidate; ++i) {
    const hfiCandidate* c = &scene->candidate[i];
    out[i] = hfi_material_combine(scene->model, softness, c->a, c->b, c->pair);
  }
}

void hfi_contact_extents(const hfModel* m, double* out) {
  for (int g = 0; g < m->ngeom; ++g)
    out[g] = v3_norm(v3_load(hf_model_geom_pos(m) + 3 * g)) + hf_model_geom_rbound(m)[g];
}

// Velocity of a body's point at p_W where the links have velocities V.
static hfMotion point_velocity(const hfDynamics* d, const hfMotion* V, int body, hfVec3 p_W) {
  int link = d->body_link[body];
  hfMotion at = V[link];
  at.v = v3_add(at.v, v3_cross(at.w, v3_sub(p_W, hfi_link_reference(d, link))));
  return at;
}

void hfi_contact_reach(const hfDynamics* d, const hfMotion* velocities, double h, const double* extent, double* reach) {
  const hfModel* m = d->model;
  const int32_t *adr = hf_model_body_geomadr(m), *num = hf_model_body_geomnum(m);
  double fall = h * h * v3_norm(d->gravity);
  for (int b = 0; b < m->nbody; ++b) {
    if (!num[b]) continue;
    double base = 0, turn = 0; // Nothing moves a body without dofs.
    if (hf_model_body_lastdof(m)[b] >= 0) {
      hfMotion V = point_velocity(d, velocities, b, d->X_WB[b].p);
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

// How fast velocities V of the links and a fall of time t carry a body's point along n [m/s].
static double speed_along(const hfDynamics* d, const hfMotion* V, double t, int body, hfVec3 p_W, hfVec3 n) {
  hfVec3 v = point_velocity(d, V, body, p_W).v;
  if (t > 0 && hf_model_body_lastdof(d->model)[body] >= 0) v = v3_axpy(t, d->gravity, v);
  return v3_dot(n, v);
}

// How fast the bodies of a contact come apart, at least: both moving, or one while the other, touched, is
// stopped [m/s].
static double opening_speed(const hfDynamics* d, const hfMotion* V, double t, const hfiRawContact* r,
                            const int32_t* touched) {
  const int32_t *body = hf_model_geom_body(d->model), *tree = hf_model_body_tree(d->model);
  int a = body[r->geom_a], b = body[r->geom_b];
  double away_a = speed_along(d, V, t, a, r->point.p_WCa, r->point.n_W),
         away_b = -speed_along(d, V, t, b, r->point.p_WCb, r->point.n_W);
  double opening = away_a + away_b;
  if (tree[a] >= 0 && touched[tree[a]]) opening = min2(opening, away_b);
  if (tree[b] >= 0 && touched[tree[b]]) opening = min2(opening, away_a);
  return opening;
}

// Does the contact close within h by the free motion v0 + h g, or by the motion `found` of a solved step?
static int closes(const hfDynamics* d, double h, const hfMotion* found, const hfiRawContact* r,
                  const int32_t* touched) {
  if (r->depth > h * opening_speed(d, d->V, h, r, touched)) return 1;
  return found && r->depth > h * opening_speed(d, found, 0, r, touched);
}

int hfi_contact_missed(const hfDynamics* d, const hfMotion* V, double h, double tolerance, const hfiRawContact* raw,
                       int nraw, int32_t* touched) {
  int count = 0;
  memset(touched, 0, sizeof *touched * (size_t)d->model->ntree);
  for (int i = 0; i < nraw; ++i)
    if (!raw[i].acts) count += raw[i].depth - h * opening_speed(d, V, 0, &raw[i], touched) > tolerance;
  return count;
}

// Sets `acts` of the contacts that close (rules 1 to 3).
static void choose_acting(const hfDynamics* d, double h, const hfMotion* found, hfiRawContact* raw,
                          int nraw, int32_t* touched) {
  memset(touched, 0, sizeof *touched * (size_t)d->model->ntree);
  for (int i = 0; i < nraw; ++i)
    if (raw[i].acts) mark_touched(d->model, &raw[i], touched);
  for (int again = 1; again;) {
    again = 0;
    for (int i = 0; i < nraw; ++i) {
      if (raw[i].acts || !closes(d, h, found, &raw[i], touched)) continue;
      raw[i].acts = again = 1;
      mark_touched(d->model, &raw[i], touched);
    }
  }
}

void hfi_contact_choose(const hfModel* m, const hfDynamics* d, const hfMotion* found, double h, double reach,
                        const hfiMaterial* listed,
                        hfiRawContact* raw, int nraw, int32_t* touched) {
  for (int i = 0; i < nraw; ++i) {
    hfiRawContact* r = &raw[i];
    r->depth = r->point.depth + (listed ? listed[r->candidate].include_margin
                                        : hfi_material_margin(m, r->geom_a, r->geom_b, r->pair));
    r->acts = r->depth > -reach;
  }
  if (d) choose_acting(d, h, found, raw, nraw, touched);
}

int hfi_contact_fill(const hfModel* m, const hfiMaterial* listed, const hfiSoftness* softness, const hfiRawContact* raw, int nraw,
                     hfiContact* out) {
  int count = 0, last = -1;
  hfiMaterial combined = {0};
  for (int i = 0; i < nraw; ++i) {
    const hfiRawContact* r = &raw[i];
    if (!r->acts) continue;
    if (!listed && r->candidate != last)
      combined = hfi_material_combine(m, softness, r->geom_a, r->geom_b, r->pair);
    last = r->candidate;
    fill_contact(&out[count++], m, r, listed ? &listed[r->candidate] : &combined);
  }
  return count;
}
