// Inertias of bodies: given, or inferred from geoms, and repaired by the rules of the body (hfBuildConfig).
#include "build/inside.h"

#include "math/eigen3.h"
#include "model/shape.h"

#include <string.h>

// Mass, centre and inertia of a body, and its inertial frame.
typedef struct Matter {
  hfiMass mass;
  hfQuat axes; // of the inertial frame in the body; zeros: the principal axes
} Matter;

// Returns the mass of a geom if its group counts, otherwise zero. *placed: the geom at its final place; not set if the
// mass is zero.
static hfiMass infer_geom_mass(const hfiFinish* f, int id, hfGeomDef* placed) {
  const hfGeomDef* written = &f->b->geom.data[id];
  const hfiShapeKind* shape = &hfi_shape_kinds[written->type];
  const hfBuildConfig* rules = hfi_builder_rules(f->b, written->body);
  int is_solid = shape->uses_mesh || shape->solid;
  if (!is_solid || written->group < rules->inertia_group_min || written->group > rules->inertia_group_max)
    return (hfiMass){0};

  *placed = shape->uses_mesh ? *written : hfi_finish_place(f, id);
  return hfi_geom_mass(placed, shape->uses_mesh ? &f->mesh_mass[placed->mesh] : NULL);
}

// Returns the matter of all geoms of a body. If only one geom has mass, the inertial frame is that of this geom, or of
// the principal axes of its mesh. Otherwise `axes` are zeros, which stand for the principal axes of the sum.
static Matter infer_matter(const hfiFinish* f, int body) {
  static const double NO_MASS = 1e-14; // a geom with less mass does not count for the inertial frame, as in MuJoCo [kg]
  Matter total = {0};
  int heavy = 0; // geoms that have mass

  for (int k = 0; k < hf_model_body_geomnum(f->m)[body]; ++k) {
    int geom = hf_model_body_geomadr(f->m)[body] + k;
    hfGeomDef d;
    hfiMass mass = infer_geom_mass(f, hfi_order_old(&f->order, HF_OBJECT_GEOM, geom), &d);
    if (mass.mass == 0) continue;

    total.mass = hfi_mass_add(&total.mass, &mass);
    if (mass.mass <= NO_MASS) continue;
    total.axes = q_load(d.quat);
    if (hfi_shape_kinds[d.type].uses_mesh) total.axes = q_mul(total.axes, principal_axes(f->mesh_mass[d.mesh].I));
    ++heavy;
  }
  if (heavy != 1) total.axes = (hfQuat){0};

  return total;
}

// Applies lower bounds and the triangle inequality A + B >= C of principal moments. If the moments change, the
// principal axes stay the same, also between moments that become equal.
static hfStatus repair_matter(const hfBuildConfig* rules, const hfBodyDef* d, Matter* matter, hfError* error) {
  // The triangle inequality may be missed by this share, because files are written with few digits [-].
  static const double TRIANGLE_SLACK_SHARE = 1e-6;

  hfiMass* mass = &matter->mass;
  double moment[3]; // descending
  hfMat3 R;
  if (rules->bound_mass > 0) mass->mass = max2(mass->mass, rules->bound_mass);
  eigen3(mass->I, moment, &R);

  int changed = 0;
  for (int i = 0; i < 3; ++i) {
    if (!(rules->bound_inertia > 0 && moment[i] < rules->bound_inertia)) continue;
    moment[i] = rules->bound_inertia;
    changed = 1;
  }

  if (moment[1] + moment[2] < moment[0] * (1 - TRIANGLE_SLACK_SHARE)) {
    if (!rules->balance_inertia)
      return HFI_REFUSE(d, HF_OBJECT_BODY, "principal moments %g %g %g violate A + B >= C", moment[0], moment[1],
                        moment[2]);
    moment[0] = moment[1] = moment[2] = (moment[0] + moment[1] + moment[2]) / 3;
    changed = 1;
  }

  if (changed) {
    double diagonal[6] = {moment[0], moment[1], moment[2], 0, 0, 0};
    if (!is_principal(matter->axes, mass->I)) matter->axes = principal_axes(mass->I);
    sym3_rotate(R, diagonal, mass->I);
  }

  return HF_OK;
}

// Finds the matter of a body other than the world: given, or inferred from its geoms, then repaired.
static hfStatus find_matter(const hfiFinish* f, int body, const hfBodyDef* d, Matter* matter, hfError* error) {
  const hfBuildConfig* rules = hfi_builder_rules(f->b, hfi_order_old(&f->order, HF_OBJECT_BODY, body));
  int infers = rules->inertia_from_geom == 1 || (rules->inertia_from_geom < 0 && !d->has_inertial);
  if (infers) {
    // a body whose geoms have no mass keeps the inertia that it was given
    Matter of_geoms = infer_matter(f, body);
    if (of_geoms.mass.mass > 0 || !d->has_inertial) *matter = of_geoms;
  }

  // The inertial frame of a body without mass matters only to sensors and to the inverse masses of soft contacts and
  // equalities. As in MuJoCo it is the pose of the body in its parent.
  if (matter->mass.mass == 0 && !d->has_inertial) {
    matter->mass.com = v3_load(d->pos);
    matter->axes = q_load(d->quat);
  }

  return repair_matter(rules, d, matter, error);
}

// Scales all masses and inertias so that the masses sum up to `total` [kg].
static void scale_total_mass(hfModel* m, double total) {
  double sum = 0;
  for (int b = 0; b < m->nbody; ++b) sum += hf_model_body_mass(m)[b];
  if (!(sum > 0)) return;

  for (int b = 0; b < m->nbody; ++b) {
    hfi_set_body_mass(m)[b] *= total / sum;
    for (int i = 0; i < 6; ++i) hfi_set_body_inertia(m)[6 * b + i] *= total / sum;
  }
}

// Finds the matter of each body, then scales all to the total mass if one is given.
hfStatus hfi_finish_inertias(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  for (int b = 0; b < m->nbody; ++b) {
    const hfBodyDef* d = hfi_finish_def(f, HF_OBJECT_BODY, b);
    Matter matter = {.mass = {.mass = d->mass, .com = v3_load(d->com)}, .axes = q_load(d->inertia_quat)};
    memcpy(matter.mass.I, d->inertia, sizeof matter.mass.I);
    hfStatus status = b ? find_matter(f, b, d, &matter, error) : HF_OK;
    if (status != HF_OK) return status;

    hfi_set_body_mass(m)[b] = matter.mass.mass;
    v3_store(hfi_set_body_com(m) + 3 * b, matter.mass.com);
    memcpy(hfi_set_body_inertia(m) + 6 * b, matter.mass.I, sizeof matter.mass.I);
    q_store(hfi_set_body_iquat(m) + 4 * b, matter.axes);
  }
  if (f->b->config.total_mass > 0) scale_total_mass(m, f->b->config.total_mass);

  return HF_OK;
}
