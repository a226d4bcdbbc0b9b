// Adding what the tree is made of: bodies, joints, geoms, sites and cameras.
#include "build/inside.h"

#include "base/error.h"
#include "math/elementary.h"
#include "model/joint.h"
#include "model/shape.h"

// Gives the quaternion of a pose unit length. Returns 0 if the pose is not finite or the quaternion is zero.
static int normalise_pose(const double pos[3], double quat[4]) {
  return hfi_all_finite(pos, 3) && hfi_normalise_quat(quat);
}

// ---- bodies ----------------------------------------------------------------------------------------

// Checks pose, mass, inertia and sleep policy of a body, and gives its quaternions unit length. Its parent is checked
// by the table of lists.
hfStatus hfi_check_body(const hfBuilder* b, void* def, hfError* error) {
  (void)b;
  const hfObjectKind kind = HF_OBJECT_BODY;
  hfBodyDef* d = def;
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, com), HFI_NUMBERS(d, inertia), HFI_NUMBERS(d, gravcomp)};

  if (!normalise_pose(d->pos, d->quat)) return HFI_REFUSE(d, kind, "pose is not finite or its quaternion is zero");
  if (!isfinite(d->mass) || d->mass < 0) return HFI_REFUSE(d, kind, "mass %g is negative or not finite", d->mass);

  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;

  // four zeros ask the build to find the principal axes (builder.h)
  if (q_norm(q_load(d->inertia_quat)) != 0 && !hfi_normalise_quat(d->inertia_quat))
    return HFI_REFUSE(d, kind, "quaternion of the inertial frame is not finite or nearly zero");
  if (d->mocap && d->parent != 0) return HFI_REFUSE(d, kind, "a mocap body must be a child of the world");
  if (d->sleep < HF_SLEEP_AUTO || d->sleep > HF_SLEEP_INIT)
    return HFI_REFUSE(d, kind, "sleep policy %d does not exist", d->sleep);

  return HF_OK;
}

// Lets a changed body keep its place in the tree. Refuses to make one with joints a mocap body.
hfStatus hfi_keep_body(const hfBuilder* b, int id, void* def, hfError* error) {
  hfBodyDef* d = def;
  d->parent = b->body.data[id].parent;
  if (d->mocap && hfi_body_has_joints(b, id)) return HFI_REFUSE(d, HF_OBJECT_BODY, "a mocap body has no joints");
  return HF_OK;
}

// ---- joints ----------------------------------------------------------------------------------------

// A shorter axis has no direction [-].
static const double LEAST_AXIS_LENGTH = 1e-10;
// Which joints a body has: bits of b->companions.
enum { HAS_JOINT = 1, HAS_FREE_JOINT = 2, HAS_BALL_JOINT = 4 };

int hfi_body_has_joints(const hfBuilder* b, int body) { return body < b->companions.count && b->companions.data[body]; }

// Refuses a joint that its body cannot have beside its other joints, and makes room for its note.
hfStatus hfi_admit_joint(hfBuilder* b, void* entry, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_JOINT;
  const hfJointDef* d = entry;
  const hfiJointKind* joint = &hfi_joint_kinds[d->type];

  while (b->companions.count <= d->body) {
    if (!hfi_list_reserve(&b->companions.any, sizeof *b->companions.data)) return hfi_refuse_memory(error);
    HFI_APPEND(b->companions, 0);
  }

  // a joint with nworld > 0 is free; one with nbody > 0 turns about the axes of the body, as a ball joint
  int has = b->companions.data[d->body];
  int turns = joint->ntranslation < joint->info.nv;
  if (!has) return HF_OK;
  if (joint->nworld || has & HAS_FREE_JOINT) return HFI_REFUSE(d, kind, "a free joint must be its body's only joint");
  if (joint->nbody && has & HAS_BALL_JOINT) return HFI_REFUSE(d, kind, "a body has at most one ball joint");

  // the rates of a ball joint are about the body's axes, which a later joint would turn
  if (turns && has & HAS_BALL_JOINT)
    return HFI_REFUSE(d, kind, "a %s cannot follow a ball joint on the same body", joint->info.name);
  return HF_OK;
}

// Notes the type of a joint that was added to its body.
void hfi_note_joint(hfBuilder* b, const void* entry) {
  const hfJointDef* d = entry;
  const hfiJointKind* joint = &hfi_joint_kinds[d->type];
  int has = HAS_JOINT;
  if (joint->nworld) has |= HAS_FREE_JOINT;
  if (joint->nbody) has |= HAS_BALL_JOINT;
  b->companions.data[d->body] |= (unsigned char)has;
}

// Refuses numbers of a joint that are not finite or out of their bounds.
static hfStatus check_joint_numbers(const hfJointDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_JOINT;
  const hfiNumbers numbers[] = {
      HFI_NUMBERS(d, pos),          HFI_NUMBERS(d, pitch),          HFI_NUMBERS(d, range),
      HFI_NUMBERS(d, margin),       HFI_NUMBERS(d, ref),            HFI_NUMBERS(d, springref),
      HFI_NUMBERS(d, stiffness),    HFI_NUMBERS(d, damping),        HFI_NUMBERS(d, armature),
      HFI_NUMBERS(d, frictionloss), HFI_NUMBERS(d, springyield),    HFI_NUMBERS(d, stiffness_poly),
      HFI_NUMBERS(d, damping_poly), HFI_NUMBERS(d, bend),           HFI_NUMBERS(d, bend_rest),
      HFI_NUMBERS(d, springdamper), HFI_NUMBERS(d, limit_stiffness), HFI_NUMBERS(d, limit_damping),
      HFI_NUMBERS(d, limit_solref), HFI_NUMBERS(d, limit_solimp),   HFI_RANGE(d, range),
      HFI_RANGE(d, actfrcrange)};
  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;

  for (int k = 0; k < 3; ++k)
    if (d->bend[k] < 0 || (d->bend[k] > 0 && d->type != HF_JOINT_BALL))
      return HFI_REFUSE(d, kind, "bend %g: it cannot be negative, and only a ball joint has it", d->bend[k]);
  if (d->springyield < 0 || (d->springyield > 0 && d->type == HF_JOINT_FREE))
    return HFI_REFUSE(d, kind, "springyield %g: it cannot be negative, and a free joint has none", d->springyield);
  if (d->stiffness < 0 || d->damping < 0 || d->armature < 0 || d->frictionloss < 0 || d->limit_stiffness < 0 ||
      d->limit_damping < 0)
    return HFI_REFUSE(d, kind, "stiffness, damping, armature and friction loss cannot be negative");

  return HF_OK;
}

// Checks a joint by its type, and gives its axis unit length. Joints beside it: hfi_admit_joint.
hfStatus hfi_check_joint(const hfBuilder* b, void* def, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_JOINT;
  hfJointDef* d = def;
  if (d->body == 0) return HFI_REFUSE(d, kind, "the world cannot have a joint");
  if (d->type < 0 || d->type >= HFI_JOINT_TYPES) return HFI_REFUSE(d, kind, "unknown type %d", d->type);

  const hfiJointKind* joint = &hfi_joint_kinds[d->type];
  if (b->body.data[d->body].mocap) return HFI_REFUSE(d, kind, "a mocap body has no joints");
  if (joint->nworld && b->body.data[d->body].parent != 0)
    return HFI_REFUSE(d, kind,
                      "a free joint belongs to a child of the world; a model that is attached to another body "
                      "needs a base without one (SDFormat: fixed_base, --fixed; hf_builder_remove)");

  if (joint->uses_axis) {
    double length = v3_norm(v3_load(d->axis));
    if (!(length > LEAST_AXIS_LENGTH) || !isfinite(length)) return HFI_REFUSE(d, kind, "axis has no direction");
    v3_store(d->axis, v3_unit_once(v3_load(d->axis)));
  } else if (!hfi_all_finite(d->axis, 3)) {
    return HFI_REFUSE(d, kind, "axis is not finite");
  }

  return check_joint_numbers(d, error);
}

// Lets a changed joint keep its body and its type.
hfStatus hfi_keep_joint(const hfBuilder* b, int id, void* def, hfError* error) {
  (void)error;
  hfJointDef* d = def;
  d->body = b->joint.data[id].body;
  d->type = b->joint.data[id].type;
  return HF_OK;
}

// ---- geoms -----------------------------------------------------------------------------------------

// Checks pose, shape and size, and gives the quaternion unit length.
static hfStatus check_shape(hfGeomDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_GEOM;
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, size), HFI_NUMBERS(d, fitscale)};
  if (d->type < 0 || d->type >= HFI_SHAPES) return HFI_REFUSE(d, kind, "unknown type %d", d->type);
  if (!normalise_pose(d->pos, d->quat)) return HFI_REFUSE(d, kind, "pose is not finite or its quaternion is zero");

  // a mesh gives the shape, or the size of a primitive that is fitted to it
  const hfiShapeKind* shape = &hfi_shape_kinds[d->type];
  if (shape->uses_mesh && d->mesh < 0) return HFI_REFUSE(d, kind, "mesh %d does not exist", d->mesh);
  if (d->mesh >= 0 && !shape->uses_mesh && !shape->fit)
    return HFI_REFUSE(d, kind, "a %s cannot be fitted to a mesh", shape->name);
  if (d->mesh_fit < 0 || d->mesh_fit > 2) return HFI_REFUSE(d, kind, "mesh_fit %d does not exist", d->mesh_fit);
  if (shape->uses_hfield && d->hfield < 0) return HFI_REFUSE(d, kind, "height field %d does not exist", d->hfield);
  if (!shape->uses_hfield && d->hfield >= 0)
    return HFI_REFUSE(d, kind, "a geom of another type cannot have height field %d", d->hfield);

  for (int i = 0; i < shape->nsize && d->mesh < 0; ++i)
    if (!(d->size[i] > 0) || !isfinite(d->size[i]))
      return HFI_REFUSE(d, kind, "size %d must be positive, is %g", i, d->size[i]);
  if (!(d->fitscale > 0) || !isfinite(d->fitscale))
    return HFI_REFUSE(d, kind, "fitscale must be positive, is %g", d->fitscale);

  return HFI_CHECK_NUMBERS(numbers, d, kind, error);
}

// Checks mass, contact, fluid and colour.
static hfStatus check_substance(const hfGeomDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_GEOM;
  const hfiNumbers numbers[] = {
      HFI_NUMBERS(d, mass),        HFI_NUMBERS(d, density),         HFI_NUMBERS(d, friction),
      HFI_NUMBERS(d, friction_dynamic), HFI_NUMBERS(d, margin),     HFI_NUMBERS(d, gap),
      HFI_NUMBERS(d, solmix),      HFI_NUMBERS(d, solref),          HFI_NUMBERS(d, solimp),
      HFI_NUMBERS(d, stiffness),   HFI_NUMBERS(d, dissipation),     HFI_NUMBERS(d, stiction_speed),
      HFI_NUMBERS(d, tangential_stiffness), HFI_NUMBERS(d, tangential_damping), HFI_NUMBERS(d, restitution),
      HFI_NUMBERS(d, surface_velocity), HFI_NUMBERS(d, adhesion),   HFI_NUMBERS(d, fluidcoef)};
  if (d->condim != 1 && d->condim != 3 && d->condim != 4 && d->condim != 6)
    return HFI_REFUSE(d, kind, "condim must be 1, 3, 4 or 6, is %d", d->condim);

  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;

  if (d->friction[0] < 0 || d->friction[1] < 0 || d->friction[2] < 0)
    return HFI_REFUSE(d, kind, "friction cannot be negative");
  // a mass below zero: the density gives it
  if (d->mass < 0 && d->density < 0) return HFI_REFUSE(d, kind, "density %g is negative", d->density);
  if (d->restitution < 0 || d->restitution > 1)
    return HFI_REFUSE(d, kind, "restitution must be between 0 and 1, is %g", d->restitution);

  const char* zero = NULL;
  if (d->stiction_speed == 0) zero = "stiction_speed";
  if (d->tangential_stiffness == 0) zero = "tangential_stiffness";
  if (d->stiffness == 0) zero = "stiffness";
  if (zero) return HFI_REFUSE(d, kind, "%s must be positive, or negative for the world's default", zero);

  for (int k = 0; k < 4; ++k)
    if (!isfinite(d->rgba[k])) return HFI_REFUSE(d, kind, "rgba[%d] is not finite: %g", k, (double)d->rgba[k]);
  return HF_OK;
}

hfStatus hfi_check_geom(const hfBuilder* b, void* def, hfError* error) {
  (void)b;
  hfStatus status = check_shape(def, error);
  return status == HF_OK ? check_substance(def, error) : status;
}

// ---- sites -----------------------------------------------------------------------------------------

// Checks shape, size and pose of a site.
hfStatus hfi_check_site(const hfBuilder* b, void* def, hfError* error) {
  (void)b;
  hfSiteDef* d = def;
  if (d->type < 0 || d->type >= HFI_SHAPES || !hfi_shape_kinds[d->type].solid)
    return HFI_REFUSE(d, HF_OBJECT_SITE, "type %d is no shape of a site", d->type);
  if (!hfi_all_finite(d->size, 3) || !normalise_pose(d->pos, d->quat))
    return HFI_REFUSE(d, HF_OBJECT_SITE, "pose is not finite or its quaternion is zero");
  return HF_OK;
}

// ---- cameras ---------------------------------------------------------------------------------------

static int is_positive(const double x[2]) { return isfinite(x[0]) && isfinite(x[1]) && x[0] > 0 && x[1] > 0; }

// Checks the picture, and sets fovy from the chip if there is one.
static hfStatus check_lens(hfCameraDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_CAMERA;
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, sensorsize), HFI_NUMBERS(d, focal), HFI_NUMBERS(d, principal)};

  for (int k = 0; k < 2; ++k)
    if (d->resolution[k] < 1 || d->resolution[k] > HFI_MOST_PIXELS_WIDE)
      return HFI_REFUSE(d, kind, "resolution must be 1 to %d pixels each way, is %d x %d", HFI_MOST_PIXELS_WIDE,
                        d->resolution[0], d->resolution[1]);

  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;

  int has_chip = d->sensorsize[0] != 0 || d->sensorsize[1] != 0;
  if (has_chip) {
    if (!is_positive(d->sensorsize) || !is_positive(d->focal))
      return HFI_REFUSE(d, kind, "sensorsize and focal must be positive");
    if (d->orthographic) return HFI_REFUSE(d, kind, "an orthographic camera has no chip: give its height by fovy");
    d->fovy = 2 * hfi_atan(0.5 * d->sensorsize[1] / d->focal[1]);
  }
  if (!isfinite(d->fovy) || d->fovy <= 0 || (!d->orthographic && d->fovy >= HFI_PI))
    return HFI_REFUSE(d, kind, "fovy must be between 0 and 180 degrees, is %g degrees (%g rad)", d->fovy * 180 / HFI_PI,
                      d->fovy);

  return HF_OK;
}

// Checks mode, target, pose and lens of a camera.
hfStatus hfi_check_camera(const hfBuilder* b, void* def, hfError* error) {
  (void)b;
  const hfObjectKind kind = HF_OBJECT_CAMERA;
  hfCameraDef* d = def;
  if (d->mode < HF_CAMERA_FIXED || d->mode > HF_CAMERA_TARGET_COM)
    return HFI_REFUSE(d, kind, "unknown mode %d", d->mode);

  if ((d->mode >= HF_CAMERA_TARGET) != (d->target >= 0))
    return HFI_REFUSE(d, kind,
                      "target %d: a camera that looks at a target needs the id of a body, any other camera needs -1",
                      d->target);
  if (!normalise_pose(d->pos, d->quat)) return HFI_REFUSE(d, kind, "pose is not finite or its quaternion is zero");

  return check_lens(d, error);
}
