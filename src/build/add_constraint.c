// Adding what acts between parts of the tree: tendons, equalities, pairs and excluded pairs.
#include "build/inside.h"

#include "base/error.h"

// ---- tendons ---------------------------------------------------------------------------------------

// Checks the joints of a fixed tendon.
static hfStatus check_tendon_joints(const hfBuilder* b, const hfTendonDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_TENDON;
  if (d->count < 1) return HFI_REFUSE(d, kind, "has no joints and no path");
  if (!d->joint || !d->coef) return HFI_REFUSE(d, kind, "lacks its joints or their coefficients");

  for (int i = 0; i < d->count; ++i) {
    int j = d->joint[i];
    if (!hfi_object_exists(b, HF_OBJECT_JOINT, j) || !hfi_joint_is_scalar(b->joint.data[j].type))
      return HFI_REFUSE(d, kind, "joint %d is not a hinge or slide joint", j);
    if (!isfinite(d->coef[i])) return HFI_REFUSE(d, kind, "coef[%d] is not finite: %g", i, d->coef[i]);
  }

  return HF_OK;
}

// Is place i of the path there, and of this type?
static int is_place(const hfTendonDef* d, int i, hfWrapType type) {
  return i >= 0 && i < d->path_count && d->path[i].type == (int32_t)type;
}

// Checks one place of a path. A geom must be between two sites, a site must have a neighbour other than a pulley, and a
// pulley must be followed by a site.
static hfStatus check_place(const hfBuilder* b, const hfTendonDef* d, int i, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_TENDON;
  const hfWrapDef* w = &d->path[i];
  int site_before = is_place(d, i - 1, HF_WRAP_SITE);
  int site_after = is_place(d, i + 1, HF_WRAP_SITE);
  if (w->side != -1 && !hfi_object_exists(b, HF_OBJECT_SITE, w->side))
    return HFI_REFUSE(d, kind, "side site %d does not exist", w->side);

  switch (w->type) {
  case HF_WRAP_SITE:
    if (!hfi_object_exists(b, HF_OBJECT_SITE, w->obj)) return HFI_REFUSE(d, kind, "site %d does not exist", w->obj);
    if (!site_after && !site_before && !is_place(d, i + 1, HF_WRAP_GEOM) && !is_place(d, i - 1, HF_WRAP_GEOM))
      return HFI_REFUSE(d, kind, "place %d: the path has no other site to go to", i);
    return HF_OK;

  case HF_WRAP_GEOM:
    if (!hfi_object_exists(b, HF_OBJECT_GEOM, w->obj)) return HFI_REFUSE(d, kind, "geom %d does not exist", w->obj);
    if (b->geom.data[w->obj].type != HF_GEOM_SPHERE && b->geom.data[w->obj].type != HF_GEOM_CYLINDER)
      return HFI_REFUSE(d, kind, "can wrap around a sphere or cylinder, not around a %s",
                        hf_geom_type_name(b->geom.data[w->obj].type));
    if (!site_before || !site_after) return HFI_REFUSE(d, kind, "place %d: a geom must be between two sites", i);
    if (d->armature != 0) return HFI_REFUSE(d, kind, "a tendon with armature cannot wrap around geoms");
    return HF_OK;

  case HF_WRAP_PULLEY:
    if (!(w->divisor > 0) || !isfinite(w->divisor))
      return HFI_REFUSE(d, kind, "the divisor %g of a pulley must be positive", w->divisor);
    if (!site_after) return HFI_REFUSE(d, kind, "place %d: a site must follow a pulley", i);
    return HF_OK;

  default:
    return HFI_REFUSE(d, kind, "place %d: unknown type %d", i, w->type);
  }
}

// Checks the path of a spatial tendon.
static hfStatus check_path(const hfBuilder* b, const hfTendonDef* d, hfError* error) {
  if (d->count > 0) return HFI_REFUSE(d, HF_OBJECT_TENDON, "has both joints and a path");
  if (!d->path) return HFI_REFUSE(d, HF_OBJECT_TENDON, "lacks its path");

  hfStatus status = HF_OK;
  for (int i = 0; i < d->path_count && status == HF_OK; ++i) status = check_place(b, d, i, error);
  return status;
}

// Checks the path or the joints of a tendon, then its numbers.
hfStatus hfi_check_tendon(const hfBuilder* b, void* def, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_TENDON;
  const hfTendonDef* d = def;
  const hfiNumbers numbers[] = {
      HFI_NUMBERS(d, range),        HFI_NUMBERS(d, margin),       HFI_NUMBERS(d, stiffness),
      HFI_NUMBERS(d, damping),      HFI_NUMBERS(d, frictionloss), HFI_NUMBERS(d, armature),
      HFI_NUMBERS(d, springlength), HFI_NUMBERS(d, springyield),  HFI_NUMBERS(d, stiffness_poly),
      HFI_NUMBERS(d, damping_poly), HFI_NUMBERS(d, limit_solref), HFI_NUMBERS(d, limit_solimp),
      HFI_RANGE(d, range),          HFI_RANGE(d, actfrcrange)};
  if (d->count < 0 || d->path_count < 0) return HFI_REFUSE(d, kind, "has a negative number of joints or places");

  hfStatus status = d->path_count > 0 ? check_path(b, d, error) : check_tendon_joints(b, d, error);
  if (status == HF_OK) status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;

  if (d->springyield < 0) return HFI_REFUSE(d, kind, "springyield %g cannot be negative", d->springyield);
  if (d->stiffness < 0 || d->damping < 0 || d->frictionloss < 0 || d->armature < 0)
    return HFI_REFUSE(d, kind, "stiffness, damping, armature and friction loss cannot be negative");
  return HF_OK;
}

// Copies joints, coefficients and path into the pool.
hfStatus hfi_own_tendon(hfBuilder* b, void* def, hfError* error) {
  hfTendonDef* d = def;
  d->joint = hfi_pool_copy(&b->pool, d->joint, sizeof *d->joint * (size_t)d->count);
  d->coef = hfi_pool_copy(&b->pool, d->coef, sizeof *d->coef * (size_t)d->count);
  d->path = hfi_pool_copy(&b->pool, d->path, sizeof *d->path * (size_t)d->path_count);
  return d->joint && d->coef && d->path ? HF_OK : hfi_refuse_memory(error);
}

// ---- equalities ------------------------------------------------------------------------------------

// Checks that an equality connects two different objects of the kind that its type connects.
hfStatus hfi_check_equality(const hfBuilder* b, void* def, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_EQUALITY;
  const hfEqualityDef* d = def;
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, data), HFI_NUMBERS(d, solref), HFI_NUMBERS(d, solimp)};
  if (d->type < HF_EQUALITY_CONNECT || d->type > HF_EQUALITY_TENDON)
    return HFI_REFUSE(d, kind, "unknown type %d", d->type);

  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;

  hfObjectKind target = hfi_equality_target(d->type, d->objkind);
  int attaches = d->type == HF_EQUALITY_CONNECT || d->type == HF_EQUALITY_WELD;
  if (attaches && target != HF_OBJECT_BODY && target != HF_OBJECT_SITE)
    return HFI_REFUSE(d, kind, "connects bodies or sites");
  if (target == HF_OBJECT_SITE && d->obj2 < 0) return HFI_REFUSE(d, kind, "names a site that does not exist");

  // without a second body it is the world
  int second = target == HF_OBJECT_BODY && d->obj2 < 0 ? 0 : d->obj2;
  if (d->obj1 == second)
    return HFI_REFUSE(d, kind, "connects the %s \"%s\" with itself: two different ones are needed",
                      hf_object_kind_name(target), hf_builder_name(b, target, second));

  for (int i = 0; d->type == HF_EQUALITY_JOINT && i < 2; ++i) {
    int j = i == 0 ? d->obj1 : d->obj2;
    if (j >= 0 && !hfi_joint_is_scalar(b->joint.data[j].type))
      return HFI_REFUSE(d, kind, "joints must be hinge or slide");
  }

  return HF_OK;
}

// ---- pairs -----------------------------------------------------------------------------------------

// Values below 0 are those of the geoms: the larger friction and dimension, the sums of margins and gaps.
hfPairDef hfi_complete_pair(const hfBuilder* b, int pair) {
  static const int coefficient[5] = {0, 0, 1, 2, 2}; // of a geom: sliding, torsion or rolling
  hfPairDef d = b->pair.data[pair];
  const hfGeomDef* g1 = &b->geom.data[d.geom1];
  const hfGeomDef* g2 = &b->geom.data[d.geom2];

  if (d.condim <= 0) d.condim = imax2(g1->condim, g2->condim);
  for (int k = 0; k < 5; ++k)
    if (!(d.friction[k] >= 0)) d.friction[k] = max2(g1->friction[coefficient[k]], g2->friction[coefficient[k]]);
  if (!(d.margin >= 0)) d.margin = g1->margin + g2->margin;
  if (!(d.gap >= 0)) d.gap = g1->gap + g2->gap;

  return d;
}

// Checks that a pair has two different geoms, and its numbers.
hfStatus hfi_check_pair(const hfBuilder* b, void* def, hfError* error) {
  (void)b;
  const hfObjectKind kind = HF_OBJECT_PAIR;
  const hfPairDef* d = def;
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, friction), HFI_NUMBERS(d, margin), HFI_NUMBERS(d, gap),
                                HFI_NUMBERS(d, solref),   HFI_NUMBERS(d, solimp), HFI_NUMBERS(d, adhesion)};
  if (d->geom1 == d->geom2) return HFI_REFUSE(d, kind, "needs two different geoms that exist");
  if (d->condim > 0 && d->condim != 1 && d->condim != 3 && d->condim != 4 && d->condim != 6)
    return HFI_REFUSE(d, kind, "condim must be 1, 3, 4 or 6, is %d", d->condim);

  return HFI_CHECK_NUMBERS(numbers, d, kind, error);
}

// Adds a pair of bodies whose geoms do not touch each other, and returns its index. Excluded pairs have no names and no
// definitions, so that they stand beside the table of kinds.
int hf_builder_add_exclude(hfBuilder* b, int body1, int body2, hfError* error) {
  hfi_clear_error(error);
  if (!hfi_object_exists(b, HF_OBJECT_BODY, body1) || !hfi_object_exists(b, HF_OBJECT_BODY, body2))
    return hfi_refuse(error, HF_ERROR_MODEL, "exclude: body %d or %d does not exist", body1, body2);
  if (!hfi_list_reserve(&b->exclude.any, sizeof *b->exclude.data)) return hfi_refuse_memory(error);

  hfiExclude exclude = {{body1, body2}};
  return HFI_APPEND(b->exclude, exclude);
}
