// Adding what acts between parts of the tree: tendons, equalities, pairs, excludes.
#include "build/builder_add.h"

#include "base/error.h"
#include <math.h>

static hfStatus check_tendon_joints(const hfBuilder* b, const hfTendonDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_TENDON;
  if (d->count < 1) return hfi_refuse_def(error, d->where, kind, d->name, "has no joints and no path");
  for (int i = 0; i < d->count; ++i) {
    int j = d->joint[i];
    if (j < 0 || j >= b->joint.count || !hfi_joint_is_scalar(b->joint.data[j].type))
      return hfi_refuse_def(error, d->where, kind, d->name, "joint %d is not a hinge or slide joint", j);
    if (!isfinite(d->coef[i]))
      return hfi_refuse_def(error, d->where, kind, d->name, "coef[%d] is not finite: %g", i, d->coef[i]);
  }
  return HF_OK;
}

static int is_site_of_path(const hfTendonDef* d, int i) {
  return i >= 0 && i < d->path_count && d->path[i].type == HF_WRAP_SITE;
}

// Checks the order of a path: a geom must be between two sites, a site must have a neighbour other than a pulley, and a pulley must be followed by a
// site.
static hfStatus check_place(const hfBuilder* b, const hfTendonDef* d, int i, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_TENDON;
  const hfWrapDef* w = &d->path[i];
  int site_after = is_site_of_path(d, i + 1), site_before = is_site_of_path(d, i - 1);
  int geom_after = i + 1 < d->path_count && d->path[i + 1].type == HF_WRAP_GEOM;
  int geom_before = i > 0 && d->path[i - 1].type == HF_WRAP_GEOM;
  switch (w->type) {
  case HF_WRAP_SITE:
    if (!hfi_object_exists(b, HF_OBJECT_SITE, w->obj))
      return hfi_refuse_def(error, d->where, kind, d->name, "site %d does not exist", w->obj);
    if (!site_after && !site_before && !geom_after && !geom_before)
      return hfi_refuse_def(error, d->where, kind, d->name, "place %d: the path has no other site to go to", i);
    return HF_OK;
  case HF_WRAP_GEOM:
    if (!hfi_object_exists(b, HF_OBJECT_GEOM, w->obj) || (w->side >= 0 && !hfi_object_exists(b, HF_OBJECT_SITE, w->side)))
      return hfi_refuse_def(error, d->where, kind, d->name, "geom %d or side site %d does not exist", w->obj, w->side);
    if (b->geom.data[w->obj].type != HF_GEOM_SPHERE && b->geom.data[w->obj].type != HF_GEOM_CYLINDER)
      return hfi_refuse_def(error, d->where, kind, d->name, "can wrap around a sphere or cylinder, not around a %s",
                            hf_geom_type_name(b->geom.data[w->obj].type));
    if (!site_before || !site_after)
      return hfi_refuse_def(error, d->where, kind, d->name, "place %d: a geom must be between two sites", i);
    if (d->armature != 0)
      return hfi_refuse_def(error, d->where, kind, d->name, "a tendon with armature cannot wrap around geoms");
    return HF_OK;
  case HF_WRAP_PULLEY:
    if (!(w->divisor > 0) || !isfinite(w->divisor))
      return hfi_refuse_def(error, d->where, kind, d->name, "the divisor %g of a pulley must be positive", w->divisor);
    return site_after ? HF_OK : hfi_refuse_def(error, d->where, kind, d->name, "place %d: a site must follow a pulley", i);
  default: return hfi_refuse_def(error, d->where, kind, d->name, "place %d: unknown type %d", i, w->type);
  }
}

static hfStatus check_path(const hfBuilder* b, const hfTendonDef* d, hfError* error) {
  if (d->count > 0)
    return hfi_refuse_def(error, d->where, HF_OBJECT_TENDON, d->name, "has both joints and a path");
  hfStatus status = HF_OK;
  for (int i = 0; i < d->path_count && status == HF_OK; ++i) status = check_place(b, d, i, error);
  return status;
}

hfStatus hfi_check_tendon(const hfBuilder* b, const hfTendonDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_TENDON;
  hfStatus status = d->path_count > 0 ? check_path(b, d, error) : check_tendon_joints(b, d, error);
  if (status != HF_OK) return status;
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, range), HFI_NUMBERS(d, margin), HFI_NUMBERS(d, stiffness), HFI_NUMBERS(d, damping),
                                HFI_NUMBERS(d, frictionloss), HFI_NUMBERS(d, armature), HFI_NUMBERS(d, springlength), HFI_NUMBERS(d, springyield),
                                HFI_NUMBERS(d, stiffness_poly), HFI_NUMBERS(d, damping_poly), HFI_NUMBERS(d, limit_solref), HFI_NUMBERS(d, limit_solimp),
                                HFI_RANGE(d, actfrcrange)};
  status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;
  if (d->springyield < 0) return hfi_refuse_def(error, d->where, kind, d->name, "springyield %g cannot be negative", d->springyield);
  if (d->stiffness < 0 || d->damping < 0 || d->frictionloss < 0 || d->armature < 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "stiffness, damping, armature and friction loss cannot be negative");
  if (d->limited && d->range[0] > d->range[1])
    return hfi_refuse_def(error, d->where, kind, d->name, "range [%g, %g] is empty", d->range[0], d->range[1]);
  return HF_OK;
}

hfStatus hfi_own_tendon(hfBuilder* b, hfTendonDef* d, hfError* error) {
  d->joint = hfi_pool_copy(&b->pool, d->joint, sizeof *d->joint * (size_t)d->count);
  d->coef = hfi_pool_copy(&b->pool, d->coef, sizeof *d->coef * (size_t)d->count);
  d->path = hfi_pool_copy(&b->pool, d->path, sizeof *d->path * (size_t)d->path_count);
  return d->joint && d->coef && d->path ? HF_OK : (hfStatus)hfi_refuse_memory(error);
}

int hf_builder_add_tendon(hfBuilder* b, const hfTendonDef* source, hfError* error) {
  hfi_clear_error(error);
  hfTendonDef d = *source;
  hfStatus status = hfi_check_tendon(b, &d, error);
  if (status == HF_OK) status = hfi_own_tendon(b, &d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->tendon, HF_OBJECT_TENDON, d);
  return HFI_APPEND(b->tendon, d);
}

hfStatus hfi_check_equality(const hfBuilder* b, const hfEqualityDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_EQUALITY;
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, data), HFI_NUMBERS(d, solref), HFI_NUMBERS(d, solimp)};
  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;
  int expected = hfi_equality_target(d->type, d->objkind);
  if (expected != HF_OBJECT_JOINT && expected != HF_OBJECT_TENDON && expected != HF_OBJECT_BODY &&
      expected != HF_OBJECT_SITE)
    return hfi_refuse_def(error, d->where, kind, d->name, "connects bodies or sites");
  int optional = expected != HF_OBJECT_SITE;
  if (!hfi_object_exists(b, expected, d->obj1) ||
      (!(optional && d->obj2 < 0) && !hfi_object_exists(b, expected, d->obj2)))
    return hfi_refuse_def(error, d->where, kind, d->name, "names a %s that does not exist",
                          hf_object_kind_name((hfObjectKind)expected));
  int second = expected == HF_OBJECT_BODY && d->obj2 < 0 ? 0 : d->obj2; // Without a second body it is the world.
  if (d->obj1 == second)
    return hfi_refuse_def(error, d->where, kind, d->name, "connects the %s \"%s\" with itself: two different ones are needed",
                          hf_object_kind_name((hfObjectKind)expected), hf_builder_name(b, (hfObjectKind)expected, second));
  if (d->type == HF_EQUALITY_JOINT)
    for (int i = 0; i < 2; ++i) {
      int j = i == 0 ? d->obj1 : d->obj2;
      if (j >= 0 && !hfi_joint_is_scalar(b->joint.data[j].type))
        return hfi_refuse_def(error, d->where, kind, d->name, "joints must be hinge or slide");
    }
  return HF_OK;
}

int hf_builder_add_equality(hfBuilder* b, const hfEqualityDef* source, hfError* error) {
  hfi_clear_error(error);
  hfEqualityDef d = *source;
  hfStatus status = hfi_check_equality(b, &d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->equality, HF_OBJECT_EQUALITY, d);
  return HFI_APPEND(b->equality, d);
}

hfPairDef hfi_complete_pair(const hfBuilder* b, int pair) {
  static const int group[5] = {0, 0, 1, 2, 2}; // index of the coefficients of sliding, torsion and rolling
  hfPairDef d = b->pair.data[pair];
  const hfGeomDef *g1 = &b->geom.data[d.geom1], *g2 = &b->geom.data[d.geom2];
  if (d.condim <= 0) d.condim = imax2(g1->condim, g2->condim);
  for (int k = 0; k < 5; ++k)
    if (!(d.friction[k] >= 0)) d.friction[k] = max2(g1->friction[group[k]], g2->friction[group[k]]);
  if (!(d.margin >= 0)) d.margin = g1->margin + g2->margin;
  if (!(d.gap >= 0)) d.gap = g1->gap + g2->gap;
  return d;
}

hfStatus hfi_check_pair(const hfBuilder* b, const hfPairDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_PAIR;
  if (!hfi_object_exists(b, HF_OBJECT_GEOM, d->geom1) || !hfi_object_exists(b, HF_OBJECT_GEOM, d->geom2) || d->geom1 == d->geom2)
    return hfi_refuse_def(error, d->where, kind, d->name, "needs two different geoms that exist");
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, friction), HFI_NUMBERS(d, margin), HFI_NUMBERS(d, gap), HFI_NUMBERS(d, solref), HFI_NUMBERS(d, solimp),
                                HFI_NUMBERS(d, adhesion)};
  return HFI_CHECK_NUMBERS(numbers, d, kind, error);
}

int hf_builder_add_pair(hfBuilder* b, const hfPairDef* source, hfError* error) {
  hfi_clear_error(error);
  hfPairDef d = *source;
  hfStatus status = hfi_check_pair(b, &d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->pair, HF_OBJECT_PAIR, d);
  return HFI_APPEND(b->pair, d);
}

int hf_builder_add_exclude(hfBuilder* b, int body1, int body2, hfError* error) {
  hfi_clear_error(error);
  if (!hfi_object_exists(b, HF_OBJECT_BODY, body1) || !hfi_object_exists(b, HF_OBJECT_BODY, body2))
    return hfi_refuse(error, HF_ERROR_MODEL, "exclude: body %d or %d does not exist", body1, body2);
  void* grown =
      hfi_grow(b->exclude.data, &b->exclude.capacity, b->exclude.count, sizeof *b->exclude.data);
  if (!grown) return hfi_refuse_memory(error);
  b->exclude.data = grown;
  hfiExclude e = {{body1, body2}};
  return HFI_APPEND(b->exclude, e);
}
