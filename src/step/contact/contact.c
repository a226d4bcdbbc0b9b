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
//   4. A contact of a marked tree that is barely open acts, whatever the free motion does, if no other contact of its two
//      geoms acts: contacts with other geoms may turn the body back. For example, a coin leans on a wall, and a step has
//      pushed it out of the wall. The free motion does not bring it back, because gravity is along the wall; only the
//      contact with the floor turns it back.
#include "step/contact/contact.h"

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
  if (material->adhesion != 0 && !(c->depth > -hfi_material_gap(m, r->geom_a, r->geom_b, r->pair))) c->material.adhesion = 0;
  c->known = c->curved = 0;
  c->slip_speed = 0;
  c->p_BC = c->xi_W = c->twist_W = v3_zero();
}

void hfi_contact_materials(const hfiScene* scene, hfiSoftness* softness, hfiMaterial* out) {
  for (int i = 0; i < scene->ncandidate; ++i) {
    const hfiCandidate* c = &scene->candidate[i];
    out[i] = hfi_material_combine(scene->model, softness, c->a, c->b, c->pair);
  }
}

void hfi_contact_extents(const hfModel* m, double* out) {
  for (int g = 0; g < m->ngeom; ++g)
    out[g] = v3_norm(v3_load(hf_model_geom_pos(m) + 3 * g)) + hf_model_geom_rbound(m)[g];
}

hfiFarthest hfi_contact_reach(const hfDynamics* d, const hfMotion* velocities, double h, const hfiScene* scene, const double* extent,
                              const double* push, double* reach) {
  const hfModel* m = d->model;
  const int32_t *body = hf_model_geom_body(m), *lastdof = hf_model_body_lastdof(m), *link = d->body_link, *tree = hf_model_body_tree(m);
  const double fall = h * h * v3_norm(d->gravity);
  double most_base = 0, most_turn = 0, base = 0, turn = 0;
  for (int k = 0, before = -1; k < scene->nactive; ++k) {
    int g = scene->active[k], b = body[g];
    if (b != before) base = turn = 0; // A body without dofs does not move.
    if (b != before && lastdof[b] >= 0) {
      hfMotion V = velocities[link[b]];
      hfVec3 v = v3_add(V.v, v3_cross(V.w, v3_sub(d->X_WB[b].p, d->p_WO[tree[b]])));
      base = h * v3_norm(v) + fall + (push ? push[tree[b]] : 0), turn = h * v3_norm(V.w);
      most_base = max2(most_base, base), most_turn = max2(most_turn, turn);
    }
    before = b;
    reach[g] = base + turn * extent[g];
  }
  return (hfiFarthest){most_base, most_turn};
}

// ---- which contacts act --------------------------------------------------------------------------

// A contact is barely open up to this gap [m]. A body that a step pushed out of another one ends apart from it by about its size times the square of
// the angle by which it turned.
static const double BARELY_OPEN = 1e-6;

// Marks the trees of the two bodies of a contact with the number of the round, unless they are marked already.
static inline void mark_touched(const hfModel* m, const hfiRawContact* r, int round, int32_t* touched) {
  const int32_t *body = hf_model_geom_body(m), *tree = hf_model_body_tree(m);
  int a = tree[body[r->geom_a]], b = tree[body[r->geom_b]];
  if (a >= 0 && !touched[a]) touched[a] = round;
  if (b >= 0 && !touched[b]) touched[b] = round;
}

// Whether a tree of the point was marked in the round `first` or in a later one.
static inline int is_touched_since(const hfModel* m, const hfiRawContact* r, int first, const int32_t* touched) {
  const int32_t *body = hf_model_geom_body(m), *tree = hf_model_body_tree(m);
  int a = tree[body[r->geom_a]], b = tree[body[r->geom_b]];
  return (a >= 0 && touched[a] >= first) || (b >= 0 && touched[b] >= first);
}

// How fast velocities V of the links and a fall of time t carry a body's point along n [m/s]. Nothing moves a body without dofs.
static inline double speed_along(const hfDynamics* d, const hfMotion* V, double t, int body, hfVec3 p_W, hfVec3 n) {
  if (hf_model_body_lastdof(d->model)[body] < 0) return 0;
  hfVec3 v = hfi_contact_velocity(d, V, body, p_W).v;
  if (t > 0) v = v3_axpy(t, d->gravity, v);
  return v3_dot(n, v);
}

// The least speed at which the bodies of a contact come apart [m/s]: if both move, or if one moves while the other is stopped. touched (ntree, or
// NULL) marks the trees that may be stopped.
static double opening_speed(const hfDynamics* d, const hfMotion* V, double t, const hfiRawContact* r,
                            const int32_t* touched) {
  const int32_t *body = hf_model_geom_body(d->model), *tree = hf_model_body_tree(d->model);
  int a = body[r->geom_a], b = body[r->geom_b];
  double away_a = speed_along(d, V, t, a, r->point.p_WCa, r->point.n_W),
         away_b = -speed_along(d, V, t, b, r->point.p_WCb, r->point.n_W);
  double opening = away_a + away_b;
  if (touched && tree[a] >= 0 && touched[tree[a]]) opening = min2(opening, away_b);
  if (touched && tree[b] >= 0 && touched[tree[b]]) opening = min2(opening, away_a);
  return opening;
}

// Does the contact close within h by the free motion v0 + h g (rule 2)?
static int closes(const hfDynamics* d, double h, const hfiRawContact* r, const int32_t* touched) {
  return r->depth > h * opening_speed(d, d->V, h, r, touched);
}

// Sets `acts` of the contacts that close (rules 2 and 3), starting from the trees that touched (ntree) marks. Returns the widest gap of these
// contacts.
static double choose_acting(const hfDynamics* d, double h, hfiRawContact* raw, int nraw, int32_t* touched) {
  double widest = 0;
  for (int round = 2, again = 1; again; ++round) {
    again = 0;
    for (int i = 0; i < nraw; ++i) {
      // A point is examined again only if one of its trees was marked in this round or in the last one.
      if (raw[i].acts || (round > 2 && !is_touched_since(d->model, &raw[i], round - 1, touched))) continue;
      if (!closes(d, h, &raw[i], touched)) continue;
      raw[i].acts = again = HFI_ACTS;
      widest = max2(widest, -raw[i].depth);
      mark_touched(d->model, &raw[i], round, touched);
    }
  }
  return widest;
}

// Lets contacts that are barely open act (rule 4), if no other contact of their pair acts.
static void add_barely_open(const hfModel* m, hfiRawContact* raw, int nraw, const int32_t* touched) {
  for (int begin = 0, end; begin < nraw; begin = end) {
    int acts = raw[begin].acts;
    for (end = begin + 1; end < nraw && raw[end].candidate == raw[begin].candidate; ++end) acts |= raw[end].acts;
    if (acts || !is_touched_since(m, &raw[begin], 1, touched)) continue;
    for (int i = begin; i < end; ++i)
      if (raw[i].depth > -BARELY_OPEN) raw[i].acts = HFI_ACTS;
  }
}

// Sets the depth, to which the margin at which the contact acts is added.
static inline void measure_depth(const hfModel* m, const hfiMaterial* listed, hfiRawContact* r) {
  r->depth = r->point.depth + (listed ? listed[r->candidate].include_margin
                                      : hfi_material_margin(m, r->geom_a, r->geom_b, r->pair));
}

double hfi_contact_choose(const hfModel* m, const hfDynamics* d, double h, double reach, const hfiMaterial* listed,
                          hfiRawContact* raw, int nraw, int32_t* touched) {
  int waiting = 0;
  if (d) memset(touched, 0, sizeof *touched * (size_t)m->ntree);
  for (int i = 0; i < nraw; ++i) {
    measure_depth(m, listed, &raw[i]);
    raw[i].acts = raw[i].depth > -reach;
    if (!raw[i].acts) waiting++;
    else if (d) mark_touched(m, &raw[i], 1, touched);
  }
  if (!d || !waiting) return 0;
  double widest = choose_acting(d, h, raw, nraw, touched);
  add_barely_open(m, raw, nraw, touched);
  return widest;
}

// ---- contacts that a solution closes --------------------------------------------------------------

// An overlap below this share of the smaller bounding radius [-], but at least and at most the two others [m], is left to the next step.
static const double MISSED_SHARE = 0.005, LEAST_MISSED = 5e-5, MOST_MISSED = 2.5e-4;

static double tolerated_overlap(const hfModel* m, const hfiRawContact* r) {
  double a = hf_model_geom_rbound(m)[r->geom_a], b = hf_model_geom_rbound(m)[r->geom_b];
  return clamp(MISSED_SHARE * (a > 0 && b > 0 ? min2(a, b) : a + b), LEAST_MISSED, MOST_MISSED); // A plane has no radius.
}

static inline int tree_is_marked(const hfModel* m, int geom, const int32_t* marked) {
  int tree = hf_model_body_tree(m)[hf_model_geom_body(m)[geom]];
  return tree >= 0 && marked[tree];
}

int hfi_contact_may_be_missed(const hfModel* m, const int32_t* unforeseen, const hfiRawContact* raw, int nraw) {
  for (int i = 0; i < nraw; ++i)
    if (!raw[i].acts && (tree_is_marked(m, raw[i].geom_a, unforeseen) || tree_is_marked(m, raw[i].geom_b, unforeseen)))
      return 1;
  return 0;
}

// If velocities V make one of the n points of a pair overlap by more than is tolerated, all points of the pair that they close act newly.
static int find_missed_of_pair(const hfDynamics* d, const hfMotion* V, double h, const hfiMaterial* listed,
                               hfiRawContact* raw, int n) {
  int missed = 0;
  for (int i = 0; i < n; ++i) {
    hfiRawContact* r = &raw[i];
    if (r->acts || !isfinite(r->depth)) continue;
    measure_depth(d->model, listed, r);
    double overlap = r->depth - h * opening_speed(d, V, 0, r, NULL);
    if (!(overlap > 0)) continue;
    r->acts = HFI_ACTS_NEWLY;
    missed += overlap > tolerated_overlap(d->model, r);
  }
  for (int i = 0; i < n && !missed; ++i)
    if (raw[i].acts == HFI_ACTS_NEWLY) raw[i].acts = 0;
  return missed;
}

int hfi_contact_find_missed(const hfDynamics* d, const hfMotion* V, double h, const int32_t* unforeseen,
                            const hfiMaterial* listed, hfiRawContact* raw, int nraw) {
  int missed = 0;
  for (int begin = 0, end; begin < nraw; begin = end) {
    const hfiRawContact* r = &raw[begin];
    for (end = begin + 1; end < nraw && raw[end].candidate == r->candidate;) ++end;
    if (tree_is_marked(d->model, r->geom_a, unforeseen) || tree_is_marked(d->model, r->geom_b, unforeseen))
      missed += find_missed_of_pair(d, V, h, listed, raw + begin, end - begin);
  }
  return missed;
}

// ---- contacts of the points -----------------------------------------------------------------------

int hfi_contact_fill(const hfModel* m, const hfiMaterial* listed, hfiSoftness* softness, const hfiRawContact* raw, int nraw,
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

int hfi_contact_insert(const hfModel* m, const hfiMaterial* listed, hfiSoftness* softness, hfiRawContact* raw, int nraw,
                       hfiContact* contact, int ncontact, int32_t* number) {
  int added = 0;
  for (int i = 0; i < nraw; ++i) added += raw[i].acts == HFI_ACTS_NEWLY;
  int from = ncontact - 1, to = from + added;
  for (int i = nraw - 1; i >= 0 && to > from; --i) {
    hfiRawContact* r = &raw[i];
    if (r->acts == HFI_ACTS_NEWLY) {
      hfiMaterial combined = {0};
      if (!listed) combined = hfi_material_combine(m, softness, r->geom_a, r->geom_b, r->pair);
      fill_contact(&contact[to], m, r, listed ? &listed[r->candidate] : &combined);
      number[to--] = HFI_NEW_CONTACT;
      r->acts = HFI_ACTS;
    } else if (r->acts) {
      contact[to] = contact[from], number[to--] = number[from--];
    }
  }
  return ncontact + added;
}
