// Adhesion: an actuator on a body pulls at its contacts, and the material of geoms at theirs.
//
//   tau -= F/n sum_i J_i^T,   J_i the row of the separation speed of contact i of n
//   tau -= a_i J_i^T          a_i adhesion of the geoms of contact i
//
// F is the force of the actuator. A contact counts if its gap is below the margin of its pair plus TOUCHING, even if it does not act because of
// MJCF's `gap`. So a suction cup pulls before it touches.
#include "step/world/world.h"

#include "base/finite.h"

// A contact counts up to this gap beyond its margin [m], because rigid contacts (method mlcp) rest at their margin up to rounding.
static const double TOUCHING = 1e-6;

static int is_of_body(const hfModel* m, const hfiRawContact* c, int body) {
  return hf_model_geom_body(m)[c->geom_a] == body || hf_model_geom_body(m)[c->geom_b] == body;
}

static int is_within_margin(const hfiWorld* w, const hfiRawContact* c) {
  return c->point.depth > -w->scene.cull[c->candidate].margin - TOUCHING;
}

// Pulls the two bodies of a contact together with the force f.
static void pull(const hfiWorld* w, const hfiRawContact* c, double f, double* tau) {
  const hfModel* m = w->model;
  hfVec3 p = v3_scale(0.5, v3_add(c->point.p_WCa, c->point.p_WCb));
  hfForce on_a = {v3(0, 0, 0), v3_scale(-f, c->point.n_W)}, on_b = {v3(0, 0, 0), v3_scale(f, c->point.n_W)};
  hfi_jacobian_transpose_add(&w->dynamics, hf_model_geom_body(m)[c->geom_a], p, on_a, tau);
  hfi_jacobian_transpose_add(&w->dynamics, hf_model_geom_body(m)[c->geom_b], p, on_b, tau);
}

int hfi_any_adhesion(const hfModel* m) {
  if (m->world.disable_contact) return 0;
  for (int i = 0; i < m->nu; ++i)
    if (hf_model_actuator_trntype(m)[i] == HF_TRANSMISSION_BODY && hfi_actuator_acts(m, i)) return 1;
  return 0;
}

int hfi_any_is_sticky(const hfModel* m) {
  return hfi_any_nonzero(hf_model_geom_adhesion(m), m->ngeom) || hfi_any_nonzero(hf_model_pair_adhesion(m), m->npair);
}

static double adhesion_of(const hfiWorld* w, const hfiRawContact* c) {
  return hfi_material_adhesion(w->model, c->geom_a, c->geom_b, c->pair);
}

void hfi_world_let_stick(hfiWorld* w) {
  for (int k = 0; k < w->nfound; ++k) {
    hfiRawContact* c = &w->found[k];
    if (!c->acts && isfinite(c->depth) && is_within_margin(w, c) && adhesion_of(w, c) > 0) c->acts = HFI_ACTS;
  }
}

static void pull_by_materials(const hfiWorld* w, double* tau) {
  for (int k = 0; k < w->nfound; ++k) {
    const hfiRawContact* c = &w->found[k];
    double a = is_within_margin(w, c) ? adhesion_of(w, c) : 0;
    if (a != 0) pull(w, c, a, tau);
  }
}

void hfi_world_add_adhesion(const hfiWorld* w, double* tau) {
  const hfModel* m = w->model;
  if (w->is_sticky) pull_by_materials(w, tau);
  for (int i = 0; i < m->nu; ++i) {
    if (hf_model_actuator_trntype(m)[i] != HF_TRANSMISSION_BODY || !hfi_actuator_acts(m, i)) continue;
    int body = hf_model_actuator_trnid(m)[2 * i], count = 0;
    for (int k = 0; k < w->nfound; ++k) count += is_of_body(m, &w->found[k], body) && is_within_margin(w, &w->found[k]);
    for (int k = 0; k < w->nfound; ++k)
      if (is_of_body(m, &w->found[k], body) && is_within_margin(w, &w->found[k]))
        pull(w, &w->found[k], w->actuation.force[i] / count, tau);
  }
}
