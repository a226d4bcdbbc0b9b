// <contact>, <equality> and <tendon>.
//
// m: the document, r: its reader, d: the definition that is filled, s: the spec of a tendon, e: a child element.
#include "io/mjcf/mjcf.h"

#include <string.h>

// ---- contact ------------------------------------------------------------------------------------

// Reads the attributes of one element into an hfPairDef.
static void apply_pair(hfiMjcf* m, const hfiElem* elem, void* data) {
  hfPairDef* d = data;
  double ignored[2];
  hfi_read_int(m->r, elem, "condim", &d->condim);
  hfi_read_reals(m->r, elem, "friction", 1, 5, d->friction);
  hfi_read_real(m->r, elem, "margin", &d->margin);
  hfi_read_real(m->r, elem, "gap", &d->gap);
  hfi_mjcf_read_solver(m, elem, "solref", "solimp", d->solref, d->solimp);

  if (hfi_read_reals(m->r, elem, "solreffriction", 1, 2, ignored))
    hfi_note(m->r, elem, HF_NOTE, "solreffriction of a pair: friction follows the contact's own law instead");
  hfi_read_real(m->r, elem, "adhesion", &d->adhesion);
}

// The defaults of a pair. It takes no parameter from its geoms.
static hfPairDef default_pair(void) {
  hfPairDef d = hf_pair_def_default();
  static const double friction[5] = {1, 1, 0.005, 0.0001, 0.0001};

  memcpy(d.friction, friction, sizeof friction);
  d.condim = 3;
  d.margin = 0;
  d.gap = 0;
  return d;
}

void hfi_mjcf_check_pair(hfiMjcf* m, hfiElem* elem) {
  hfPairDef d = default_pair();
  apply_pair(m, elem, &d);
}

// Reads a <pair>. An override takes the place of its parameters.
static void read_pair(hfiMjcf* m, hfiElem* elem) {
  hfiReader* r = m->r;
  hfPairDef d = default_pair();
  hfi_mjcf_apply(m, hfi_mjcf_class(m, elem, NULL), "pair", elem, apply_pair, &d);

  d.geom1 = hfi_mjcf_find_required(m, elem, "geom1", HF_OBJECT_GEOM);
  d.geom2 = hfi_mjcf_find_required(m, elem, "geom2", HF_OBJECT_GEOM);
  if (r->status || d.geom1 < 0 || d.geom2 < 0) return;

  if (m->override.active) {
    d.margin = m->override.margin;
    memcpy(d.solref, m->override.solref, sizeof d.solref);
    memcpy(d.solimp, m->override.solimp, sizeof d.solimp);
    memcpy(d.friction, m->override.friction, sizeof d.friction);
  }

  d.margin += d.gap; // In MJCF contacts act below margin; in Holdfast they are found below it.
  d.name = hfi_mjcf_name(m, elem);
  d.where = hfi_where(r, elem);
  hfi_keep(r, elem, hf_builder_add_pair(r->builder, &d, &r->scratch));
}

// Reads an <exclude>: two bodies that do not collide.
static void read_exclude(hfiMjcf* m, hfiElem* elem) {
  hfiReader* r = m->r;
  hfi_attr(elem, "name");
  int body1 = hfi_mjcf_find_required(m, elem, "body1", HF_OBJECT_BODY);
  int body2 = hfi_mjcf_find_required(m, elem, "body2", HF_OBJECT_BODY);
  if (r->status || body1 < 0 || body2 < 0) return;
  hfi_keep(r, elem, hf_builder_add_exclude(r->builder, body1, body2, &r->scratch));
}

// Reads a child of <contact>: a <pair> or an <exclude>. Others are left.
void hfi_mjcf_read_contact(hfiMjcf* m, hfiElem* elem) {
  int is_pair = hfi_is(elem, "pair");
  if (!is_pair && !hfi_is(elem, "exclude")) return;

  elem->used = 1;
  if (is_pair)
    read_pair(m, elem);
  else
    read_exclude(m, elem);
}

// ---- equality -----------------------------------------------------------------------------------

// Reads the attributes that all equalities have.
static void apply_equality(hfiMjcf* m, const hfiElem* elem, void* data) {
  hfEqualityDef* d = data;
  hfi_read_bool(m->r, elem, "active", &d->active);
  hfi_mjcf_read_solver(m, elem, "solref", "solimp", d->solref, d->solimp);
}

void hfi_mjcf_check_equality(hfiMjcf* m, hfiElem* elem) {
  hfEqualityDef d = hf_equality_def_default();
  apply_equality(m, elem, &d);
}

// Finds the two ends of an equality: two bodies, of which the second may be the world, or two sites.
static void find_ends(hfiMjcf* m, const hfiElem* elem, hfEqualityDef* d) {
  int names_sites = hfi_attr(elem, "site1") || hfi_attr(elem, "site2");
  int names_bodies = hfi_attr(elem, "body1") || hfi_attr(elem, "body2");
  if (names_sites == names_bodies) {
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "either body1 (and body2), or site1 and site2 are needed");
    return;
  }

  if (names_sites) {
    d->objkind = HF_OBJECT_SITE;
    d->obj1 = hfi_mjcf_find_required(m, elem, "site1", HF_OBJECT_SITE);
    d->obj2 = hfi_mjcf_find_required(m, elem, "site2", HF_OBJECT_SITE);
  } else {
    d->objkind = HF_OBJECT_BODY;
    d->obj1 = hfi_mjcf_find_required(m, elem, "body1", HF_OBJECT_BODY);
    d->obj2 = hfi_attr(elem, "body2") ? hfi_mjcf_find(m, elem, "body2", HF_OBJECT_BODY) : 0;
  }
}

// Reads a <connect>: its ends and, between bodies, the anchor.
static void read_connect(hfiMjcf* m, const hfiElem* elem, hfEqualityDef* d) {
  d->type = HF_EQUALITY_CONNECT;
  find_ends(m, elem, d);
  int has_anchor = hfi_read_reals(m->r, elem, "anchor", 3, 3, d->data);
  if (d->objkind == HF_OBJECT_BODY && !has_anchor) hfi_require(m->r, elem, "anchor");
}

// Reads a <weld>. data: anchor (3), relative pose (3 + 4), scale of the torque.
static void read_weld(hfiMjcf* m, const hfiElem* elem, hfEqualityDef* d) {
  d->type = HF_EQUALITY_WELD;
  find_ends(m, elem, d);
  d->data[10] = 1;
  hfi_read_reals(m->r, elem, "anchor", 3, 3, d->data);
  hfi_read_reals(m->r, elem, "relpose", 7, 7, d->data + 3);
  hfi_read_real(m->r, elem, "torquescale", d->data + 10);
}

// Reads an equality joint1 = polynomial of joint2, or the same for tendons. data: the five coefficients.
static void read_coupling(hfiMjcf* m, const hfiElem* elem, hfEqualityDef* d) {
  if (hfi_is(elem, "joint")) {
    d->type = HF_EQUALITY_JOINT;
    d->objkind = HF_OBJECT_JOINT;
    d->obj1 = hfi_mjcf_find_required(m, elem, "joint1", HF_OBJECT_JOINT);
    d->obj2 = hfi_mjcf_find(m, elem, "joint2", HF_OBJECT_JOINT);
  } else {
    d->type = HF_EQUALITY_TENDON;
    d->objkind = HF_OBJECT_TENDON;
    d->obj1 = hfi_mjcf_find_required(m, elem, "tendon1", HF_OBJECT_TENDON);
    d->obj2 = hfi_mjcf_find(m, elem, "tendon2", HF_OBJECT_TENDON);
  }

  d->data[1] = 1;
  hfi_read_reals(m->r, elem, "polycoef", 1, 5, d->data);
}

// Reads a child of <equality> and adds it to the builder. One that refers to something left out is left out, too.
void hfi_mjcf_read_equality(hfiMjcf* m, hfiElem* elem) {
  typedef void (*Read)(hfiMjcf*, const hfiElem*, hfEqualityDef*);
  static const struct {
    const char* kind;
    Read read;
  } kinds[] = {{"connect", read_connect},
               {"weld", read_weld},
               {"joint", read_coupling},
               {"tendon", read_coupling}};
  hfiReader* r = m->r;

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (!hfi_is(elem, kinds[i].kind)) continue;
    elem->used = 1;

    hfEqualityDef d = hf_equality_def_default();
    hfi_mjcf_apply(m, hfi_mjcf_class(m, elem, NULL), "equality", elem, apply_equality, &d);
    kinds[i].read(m, elem, &d);
    if (r->status) return;
    hfi_attr(elem, "name"); // The name of an equality that is left out counts as used, too.

    if (d.obj1 == HFI_LEFT_OUT || d.obj2 == HFI_LEFT_OUT) {
      if (!m->attached) hfi_note(r, elem, HF_WARNING, "equality left out: it refers to something that was left out");
      return;
    }
    d.name = hfi_mjcf_name(m, elem);
    d.where = hfi_where(r, elem);
    hfi_keep(r, elem, hf_builder_add_equality(r->builder, &d, &r->scratch));
  }
}

// ---- tendon -------------------------------------------------------------------------------------

typedef struct TendonSpec {
  hfTendonDef def;
  int limited, actfrclimited; // 0, 1, or -1: the range decides
} TendonSpec;

static TendonSpec default_tendon(void) {
  TendonSpec s = {.def = hf_tendon_def_default(), .limited = -1, .actfrclimited = -1};
  return s;
}

// Reads the attributes of one element into a TendonSpec.
static void apply_tendon(hfiMjcf* m, const hfiElem* elem, void* data) {
  hfiReader* r = m->r;
  TendonSpec* s = data;
  hfTendonDef* d = &s->def;

  // limits
  hfi_mjcf_read_limited(m, elem, "limited", &s->limited);
  hfi_mjcf_read_limited(m, elem, "actuatorfrclimited", &s->actfrclimited);
  hfi_read_range(r, elem, "range", d->range);
  hfi_read_range(r, elem, "actuatorfrcrange", d->actfrcrange);
  hfi_read_real(r, elem, "margin", &d->margin);
  hfi_mjcf_read_solver(m, elem, "solreflimit", "solimplimit", d->limit_solref, d->limit_solimp);

  // passive forces
  hfi_mjcf_read_polynomial(m, elem, "stiffness", &d->stiffness, d->stiffness_poly);
  hfi_mjcf_read_polynomial(m, elem, "damping", &d->damping, d->damping_poly);
  hfi_read_real(r, elem, "frictionloss", &d->frictionloss);
  hfi_read_real(r, elem, "armature", &d->armature);
  if (hfi_read_reals(r, elem, "springlength", 1, 2, d->springlength) == 1) d->springlength[1] = d->springlength[0];
  hfi_read_real(r, elem, "springyield", &d->springyield);

  double ignored[5];
  int has_softness = hfi_read_reals(r, elem, "solreffriction", 1, 2, ignored);
  has_softness += hfi_read_reals(r, elem, "solimpfriction", 1, 5, ignored);
  if (has_softness)
    hfi_note(r, elem, HF_NOTE, "solreffriction, solimpfriction: the friction of a tendon is near-rigid instead");
}

void hfi_mjcf_check_tendon(hfiMjcf* m, hfiElem* elem) {
  TendonSpec s = default_tendon();
  apply_tendon(m, elem, &s);
}

// Reads the joints of a fixed tendon and their coefficients. Returns 0 if one of the joints was left out.
static int read_joints(hfiMjcf* m, hfiElem* elem, hfTendonDef* d) {
  int count = 0;
  for (hfiElem* e = hfi_child(elem, "joint"); e; e = hfi_next(e, "joint")) ++count;
  int* joint = HFI_NEW(m->r, int, count);
  double* coef = HFI_NEW(m->r, double, count);

  int i = 0;
  int left_out = 0;
  for (hfiElem* e = hfi_child(elem, "joint"); e && !m->r->status; e = hfi_next(e, "joint"), ++i) {
    joint[i] = hfi_mjcf_find_required(m, e, "joint", HF_OBJECT_JOINT);
    hfi_require(m->r, e, "coef");
    hfi_read_real(m->r, e, "coef", &coef[i]);
    left_out |= joint[i] == HFI_LEFT_OUT;
  }

  d->count = count;
  d->joint = joint;
  d->coef = coef;
  return !left_out;
}

// Reads a place on the path of a spatial tendon: a site, a geom or a pulley.
static hfWrapDef read_place(hfiMjcf* m, hfiElem* e) {
  hfWrapDef w = {.obj = -1, .side = -1, .divisor = 1};
  e->used = 1;

  if (hfi_is(e, "site")) {
    w.type = HF_WRAP_SITE;
    w.obj = hfi_mjcf_find_required(m, e, "site", HF_OBJECT_SITE);
  } else if (hfi_is(e, "geom")) {
    w.type = HF_WRAP_GEOM;
    w.obj = hfi_mjcf_find_required(m, e, "geom", HF_OBJECT_GEOM);
    w.side = hfi_mjcf_find(m, e, "sidesite", HF_OBJECT_SITE);
  } else {
    w.type = HF_WRAP_PULLEY;
    hfi_require(m->r, e, "divisor");
    hfi_read_real(m->r, e, "divisor", &w.divisor);
  }
  return w;
}

static int is_place(const hfiElem* e) { return hfi_is(e, "site") || hfi_is(e, "geom") || hfi_is(e, "pulley"); }

// Reads the path of a spatial tendon. Returns 0 if something on it was left out.
static int read_path(hfiMjcf* m, hfiElem* elem, hfTendonDef* d) {
  int count = 0;
  for (hfiElem* e = elem->child; e; e = e->next) count += is_place(e);
  hfWrapDef* path = HFI_NEW(m->r, hfWrapDef, count);

  int i = 0;
  int left_out = 0;
  for (hfiElem* e = elem->child; e && !m->r->status; e = e->next) {
    if (!is_place(e)) continue;
    path[i] = read_place(m, e);
    left_out |= path[i].obj == HFI_LEFT_OUT || path[i].side == HFI_LEFT_OUT;
    ++i;
  }

  d->path_count = count;
  d->path = path;
  return !left_out;
}

// Reads a child of <tendon> and adds it to the builder. One that refers to something left out is left out, too.
void hfi_mjcf_read_tendon(hfiMjcf* m, hfiElem* elem) {
  hfiReader* r = m->r;
  int is_spatial = hfi_is(elem, "spatial");
  if (!is_spatial && !hfi_is(elem, "fixed")) return;
  elem->used = 1;

  TendonSpec s = default_tendon();
  hfi_mjcf_apply(m, hfi_mjcf_class(m, elem, NULL), "tendon", elem, apply_tendon, &s);
  if (r->status) return;

  int is_complete = is_spatial ? read_path(m, elem, &s.def) : read_joints(m, elem, &s.def);
  if (!is_complete) {
    hfi_mjcf_leave_out(m, HF_OBJECT_TENDON, elem);
    if (!m->attached) hfi_note(r, elem, HF_WARNING, "tendon left out: it refers to something that was left out");
    return;
  }

  s.def.limited = hfi_mjcf_limited(m, elem, "limited", s.limited, s.def.range);
  hfi_drop_negative(r, elem, "damping", &s.def.damping);
  hfi_drop_negative(r, elem, "frictionloss", &s.def.frictionloss);
  s.def.actfrclimited = hfi_mjcf_limited(m, elem, "actuatorfrclimited", s.actfrclimited, s.def.actfrcrange);

  // its name, and what actuators add to it
  s.def.name = hfi_mjcf_name(m, elem);
  s.def.where = hfi_where(r, elem);
  hfi_mjcf_reflected(m, "tendon", hfi_attr(elem, "name"), &s.def.armature, &s.def.damping, s.def.damping_poly);
  if (!r->status) hfi_keep(r, elem, hf_builder_add_tendon(r->builder, &s.def, &r->scratch));
}
