// <joint> and <freejoint>.
#include "io/mjcf/mjcf.h"
#include "model/joint.h"

#include <string.h>

typedef struct JointSpec {
  hfJointDef def;
  int limited, actfrclimited; // 0, 1, or -1: the range decides
} JointSpec;

static JointSpec default_joint(void) {
  JointSpec s = {.def = hf_joint_def_default(), .limited = -1, .actfrclimited = -1};
  return s;
}

void hfi_mjcf_read_limited(hfiMjcf* m, const hfiElem* elem, const char* attr, int* limited) {
  static const hfiKeyword words[] = {{"false", 0}, {"true", 1}, {"auto", -1}, {NULL, 0}};
  hfi_read_keyword(m->r, elem, attr, words, limited);
}

int hfi_mjcf_limited(hfiMjcf* m, const hfiElem* elem, const char* attr, int limited,
                     const double range[2]) {
  int has_range = range[0] != 0 || range[1] != 0;
  if (range[0] == -HFI_NO_END && range[1] == HFI_NO_END) return 0;
  if (limited == -1 && has_range && !m->autolimits)
    hfi_fail(m->r, elem, HF_ERROR_MODEL,
             "a range is given but %s is not, and the compiler's autolimits is off", attr);
  if (limited == -1 && has_range && range[0] >= range[1])
    hfi_note(m->r, elem, HF_WARNING, "range [%g, %g] is empty: it does not limit", range[0],
             range[1]);
  if (limited == 1 && range[0] >= range[1])
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "%s, but its range [%g, %g] is empty", attr, range[0],
             range[1]);
  return limited == -1 ? range[0] < range[1] : limited;
}

int hfi_mjcf_read_words(hfiMjcf* m, const hfiElem* elem, const char* attr, const char* const* words, int* bits) {
  static const char blanks[] = " \t\r\n";
  const char* text = hfi_attr(elem, attr);
  int next = 0;
  if (!text) return 0;
  while (*(text += strspn(text, blanks))) {
    size_t length = strcspn(text, blanks);
    while (words[next] && (strlen(words[next]) != length || strncmp(words[next], text, length) != 0)) ++next;
    if (!words[next]) {
      hfi_fail(m->r, elem, HF_ERROR_MODEL, "%s: \"%.*s\" is unknown or not in order", attr, (int)(length < 40 ? length : 40), text);
      return 0;
    }
    *bits |= 1 << next++;
    text += length;
  }
  return 1;
}

void hfi_mjcf_read_polynomial(hfiMjcf* m, const hfiElem* elem, const char* attr, double* linear, double poly[2]) {
  double c[3] = {*linear, poly[0], poly[1]};
  if (!hfi_read_reals(m->r, elem, attr, 1, 3, c)) return;
  *linear = c[0], poly[0] = c[1], poly[1] = c[2];
}

static void apply_joint(hfiMjcf* m, const hfiElem* elem, void* data) {
  hfiKeyword types[HFI_JOINT_TYPES + 1] = {{NULL, 0}};
  for (int i = 0; i < HFI_JOINT_TYPES; ++i) types[i] = (hfiKeyword){hfi_joint_kinds[i].info.name, i};
  hfiReader* r = m->r;
  JointSpec* s = data;
  hfJointDef* d = &s->def;
  double ignored[5];
  hfi_read_keyword(r, elem, "type", types, &d->type);
  hfi_read_reals(r, elem, "pos", 3, 3, d->pos);
  hfi_read_reals(r, elem, "axis", 3, 3, d->axis);
  hfi_read_real(r, elem, "pitch", &d->pitch);
  hfi_read_range(r, elem, "range", d->range);
  hfi_read_range(r, elem, "actuatorfrcrange", d->actfrcrange);
  hfi_mjcf_read_limited(m, elem, "limited", &s->limited);
  hfi_mjcf_read_limited(m, elem, "actuatorfrclimited", &s->actfrclimited);
  hfi_read_bool(r, elem, "actuatorgravcomp", &d->actgravcomp);
  hfi_read_real(r, elem, "margin", &d->margin);
  hfi_read_real(r, elem, "ref", &d->ref);
  hfi_read_real(r, elem, "springref", &d->springref);
  hfi_read_reals(r, elem, "springdamper", 2, 2, d->springdamper);
  hfi_mjcf_read_polynomial(m, elem, "stiffness", &d->stiffness, d->stiffness_poly);
  hfi_mjcf_read_polynomial(m, elem, "damping", &d->damping, d->damping_poly);
  hfi_read_real(r, elem, "armature", &d->armature);
  hfi_read_real(r, elem, "frictionloss", &d->frictionloss);
  hfi_read_real(r, elem, "springyield", &d->springyield);
  hfi_read_reals(r, elem, "bend", 3, 3, d->bend);
  hfi_read_reals(r, elem, "bendrest", 3, 3, d->bend_rest);
  hfi_mjcf_read_solver(m, elem, "solreflimit", "solimplimit", d->limit_solref, d->limit_solimp);
  if (hfi_read_reals(r, elem, "solreffriction", 1, 2, ignored) +
      hfi_read_reals(r, elem, "solimpfriction", 1, 5, ignored))
    hfi_note(r, elem, HF_NOTE,
             "solreffriction, solimpfriction: joint friction is near-rigid instead");
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

static void add_joint(hfiMjcf* m, const hfiScope* scope, hfiElem* elem, JointSpec* s) {
  hfiReader* r = m->r;
  hfJointDef* d = &s->def;
  if (scope->body == 0) hfi_fail(r, elem, HF_ERROR_MODEL, "the world cannot have joints");
  const hfiJointKind* kind = &hfi_joint_kinds[d->type];
  int is_held = d->type == HF_JOINT_BALL && s->limited == 1 && d->range[0] == 0 && d->range[1] == 0; // As in MuJoCo, this joint cannot turn at all.
  d->limited = is_held || (kind->limits && hfi_mjcf_limited(m, elem, "limited", s->limited, d->range));
  d->actfrclimited =
      hfi_joint_is_scalar(d->type) &&
      hfi_mjcf_limited(m, elem, "actuatorfrclimited", s->actfrclimited, d->actfrcrange);
  convert_angles(m, d);
  hfi_drop_negative(r, elem, "damping", &d->damping);
  hfi_drop_negative(r, elem, "frictionloss", &d->frictionloss);
  if (kind->uses_anchor) {
    v3_store(d->pos, v3_add(scope->frame.p, q_rotate(scope->frame.q, v3_load(d->pos))));
    v3_store(d->axis, q_rotate(scope->frame.q, v3_load(d->axis)));
  }
  d->name = hfi_mjcf_name(m, elem);
  d->where = hfi_where(r, elem);
  d->body = scope->body;
  hfi_mjcf_reflected(m, "joint", hfi_attr(elem, "name"), &d->armature, &d->damping, d->damping_poly);
  hfi_mjcf_reflected(m, "jointinparent", hfi_attr(elem, "name"), &d->armature, &d->damping, d->damping_poly);
  if (!r->status) hfi_keep(r, elem, hf_builder_add_joint(r->builder, d, &r->scratch));
}

void hfi_mjcf_read_joint(hfiMjcf* m, const hfiScope* scope, hfiElem* elem) {
  JointSpec s = default_joint();
  if (hfi_is(elem, "freejoint")) { // The defaults of <joint> do not apply to it.
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
