// Adhesion: an actuator on a body pulls at its contacts, and the material of geoms at theirs.
//
//   tau -= F/n sum_i J_i^T,   J_i the row of the separation speed of contact i of n
//   tau -= a_i J_i^T          a_i adhesion of the geoms of contact i
//
// F is the force of the actuator. A contact counts if its gap is below the margin of its pair, even if it does not act
// because of MJCF's `gap`. So a suction cup pulls before it touches.
#include "step/world/inside.h"

// Whether a geom of the point belongs to a body, and the point is within the margin of its pair.
static int counts_for_body(const hfiNear* near, const hfiRawContact* c, int body) {
  const int32_t* of_geom = hf_model_geom_body(near->model);
  return (of_geom[c->geom_a] == body || of_geom[c->geom_b] == body) && hfi_near_is_within_margin(near, c);
}

// Pulls the two bodies of a point together with the force f [N]: adds to tau (nv).
static void pull_together(const hfiWorld* w, const hfiRawContact* c, double f, double* tau) {
  const int32_t* body = hf_model_geom_body(w->model);
  hfVec3 p = v3_scale(0.5, v3_add(c->point.p_WCa, c->point.p_WCb));
  hfForce on_a = {v3_zero(), v3_scale(-f, c->point.n_W)};
  hfForce on_b = {v3_zero(), v3_scale(f, c->point.n_W)};

  hfi_jacobian_transpose_add(&w->dynamics, body[c->geom_a], p, on_a, tau);
  hfi_jacobian_transpose_add(&w->dynamics, body[c->geom_b], p, on_b, tau);
}

// Whether an actuator pulls at contacts.
int hfi_any_adhesion(const hfModel* m) {
  if (m->world.disable_contact) return 0;
  for (int i = 0; i < m->nu; ++i)
    if (hf_model_actuator_trntype(m)[i] == HF_TRANSMISSION_BODY && hfi_actuator_acts(m, i)) return 1;
  return 0;
}

// Adds the pull of materials to tau (nv).
static void pull_by_materials(const hfiWorld* w, double* tau) {
  const hfiNear* near = &w->near;

  for (int k = 0; k < near->nfound; ++k) {
    const hfiRawContact* c = &near->found[k];
    if (!hfi_near_is_within_margin(near, c)) continue;
    double a = hfi_material_adhesion(w->model, c->geom_a, c->geom_b, c->pair);
    if (a != 0) pull_together(w, c, a, tau);
  }
}

// Adds to tau (nv) the pull at the contacts found, with the present forces of the actuators.
void hfi_world_add_adhesion(const hfiWorld* w, double* tau) {
  const hfModel* m = w->model;
  const hfiNear* near = &w->near;

  if (near->is_sticky) pull_by_materials(w, tau);
  for (int i = 0; i < m->nu; ++i) {
    if (hf_model_actuator_trntype(m)[i] != HF_TRANSMISSION_BODY || !hfi_actuator_acts(m, i)) continue;

    // the contacts of the actuator's body share its force
    int body = hf_model_actuator_trnid(m)[2 * i];
    int count = 0;
    for (int k = 0; k < near->nfound; ++k) count += counts_for_body(near, &near->found[k], body);
    for (int k = 0; k < near->nfound; ++k) {
      const hfiRawContact* c = &near->found[k];
      if (counts_for_body(near, c, body)) pull_together(w, c, w->actuation.force[i] / count, tau);
    }
  }
}
