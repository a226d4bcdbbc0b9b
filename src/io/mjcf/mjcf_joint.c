// <joint> and <freejoint>.
//
// m: the document, r: its reader, s: the spec of a joint, d: the definition in it.
#include "io/mjcf/mjcf.h"
#include "model/joint.h"

typedef struct JointSpec {
  hfJointDef def;
  int limited, actfrclimited; // 0, 1, or -1: the range decides
} JointSpec;

static JointSpec default_joint(void) {
  JointSpec s = {.def = hf_joint_def_default(), .limited = -1, .actfrclimited = -1};
  return s;
}

// Reads the attributes of one element into a JointSpec. Angles stay in the unit of the file.
static void apply_joint(hfiMjcf* m, const hfiElem* elem, void* data) {
  hfiKeyword types[HFI_JOINT_TYPES + 1] = {{NULL, 0}};
  for (int i = 0; i < HFI_JOINT_TYPES; ++i) types[i] = (hfiKeyword){hfi_joint_kinds[i].info.name, i};
  hfiReader* r = m->r;
  JointSpec* s = data;
  hfJointDef* d = &s->def;

  // coordinates
  hfi_read_keyword(r, elem, "type", types, &d->type);
  hfi_read_reals(r, elem, "pos", 3, 3, d->pos);
  hfi_read_reals(r, elem, "axis", 3, 3, d->axis);
  hfi_read_real(r, elem, "pitch", &d->pitch);
  hfi_read_real(r, elem, "ref", &d->ref);

  // limits
  hfi_read_range(r, elem, "range", d->range);
  hfi_read_range(r, elem, "actuatorfrcrange", d->actfrcrange);
  hfi_mjcf_read_limited(m, elem, "limited", &s->limited);
  hfi_mjcf_read_limited(m, elem, "actuatorfrclimited", &s->actfrclimited);
  hfi_read_bool(r, elem, "actuatorgravcomp", &d->actgravcomp);
  hfi_read_real(r, elem, "margin", &d->margin);
  hfi_mjcf_read_solver(m, elem, "solreflimit", "solimplimit", d->limit_solref, d->limit_solimp);

  // passive forces and rotor
  hfi_read_real(r, elem, "springref", &d->springref);
  hfi_read_reals(r, elem, "springdamper", 2, 2, d->springdamper);
  hfi_mjcf_read_polynomial(m, elem, "stiffness", &d->stiffness, d->stiffness_poly);
  hfi_mjcf_read_polynomial(m, elem, "damping", &d->damping, d->damping_poly);
  hfi_read_real(r, elem, "armature", &d->armature);
  hfi_read_real(r, elem, "frictionloss", &d->frictionloss);
  hfi_read_real(r, elem, "springyield", &d->springyield);
  hfi_read_reals(r, elem, "bend", 3, 3, d->bend);
  hfi_read_reals(r, elem, "bendrest", 3, 3, d->bend_rest);

  double ignored[5];
  int has_softness = hfi_read_reals(r, elem, "solreffriction", 1, 2, ignored);
  has_softness += hfi_read_reals(r, elem, "solimpfriction", 1, 5, ignored);
  if (has_softness) hfi_note(r, elem, HF_NOTE, "solreffriction, solimpfriction: joint friction is near-rigid instead");
}

void hfi_mjcf_check_joint(hfiMjcf* m, hfiElem* elem) {
  JointSpec s = default_joint();
  apply_joint(m, elem, &s);
}

// Converts angles from the file's unit to radians.
static void convert_angles(const hfiMjcf* m, hfJointDef* d) {
  if (!hfi_joint_kinds[d->type].info.is_angle) return;
  for (int i = 0; i < 2; ++i) d->range[i] = hfi_mjcf_angle(m, d->range[i]);
  d->ref = hfi_mjcf_angle(m, d->ref);
  d->springref = hfi_mjcf_angle(m, d->springref);
  d->springyield = hfi_mjcf_angle(m, d->springyield);
  for (int k = 0; k < 3; ++k) d->bend_rest[k] = hfi_mjcf_angle(m, d->bend_rest[k]);
}

// Completes the definition for its place in the tree, and adds it to the builder.
static void add_joint(hfiMjcf* m, const hfiScope* scope, hfiElem* elem, JointSpec* s) {
  hfiReader* r = m->r;
  hfJointDef* d = &s->def;
  const hfiJointKind* kind = &hfi_joint_kinds[d->type];
  if (scope->body == 0) hfi_fail(r, elem, HF_ERROR_MODEL, "the world cannot have joints");

  // As in MuJoCo, a ball joint with the range 0 0 cannot turn at all.
  int is_held = d->type == HF_JOINT_BALL && s->limited == 1 && d->range[0] == 0 && d->range[1] == 0;
  d->limited = is_held || (kind->limits && hfi_mjcf_limited(m, elem, "limited", s->limited, d->range));
  d->actfrclimited = hfi_joint_is_scalar(d->type) &&
                     hfi_mjcf_limited(m, elem, "actuatorfrclimited", s->actfrclimited, d->actfrcrange);
  convert_angles(m, d);
  hfi_drop_negative(r, elem, "damping", &d->damping);
  hfi_drop_negative(r, elem, "frictionloss", &d->frictionloss);

  // its place in the body, and names
  if (kind->uses_anchor) {
    v3_store(d->pos, v3_add(scope->frame.p, q_rotate(scope->frame.q, v3_load(d->pos))));
    v3_store(d->axis, q_rotate(scope->frame.q, v3_load(d->axis)));
  }
  d->name = hfi_mjcf_name(m, elem);
  d->where = hfi_where(r, elem);
  d->body = scope->body;

  // what actuators add to the joint
  const char* name = hfi_attr(elem, "name");
  hfi_mjcf_reflected(m, "joint", name, &d->armature, &d->damping, d->damping_poly);
  hfi_mjcf_reflected(m, "jointinparent", name, &d->armature, &d->damping, d->damping_poly);
  if (!r->status) hfi_keep(r, elem, hf_builder_add_joint(r->builder, d, &r->scratch));
}

// Reads a joint and adds it to the builder. The defaults of <joint> do not apply to a <freejoint>.
void hfi_mjcf_read_joint(hfiMjcf* m, const hfiScope* scope, hfiElem* elem) {
  JointSpec s = default_joint();

  if (hfi_is(elem, "freejoint")) {
    static const hfiKeyword aligns[] = {{"false", 0}, {"true", 1}, {"auto", 0}, {NULL, 0}};
    int align = 0;
    s.def.type = HF_JOINT_FREE;
    if (hfi_read_keyword(m->r, elem, "align", aligns, &align) && align)
      hfi_note(m->r, elem, HF_WARNING,
               "align: the body keeps the frame it is written in; its qpos differs from MuJoCo's");
  } else {
    hfi_mjcf_apply(m, hfi_mjcf_class(m, elem, scope->childclass), "joint", elem, apply_joint, &s);
  }
  if (!m->r->status) add_joint(m, scope, elem, &s);
}
