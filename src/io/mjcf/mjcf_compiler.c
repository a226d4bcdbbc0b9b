// <compiler> says how a file is to be read, <option> sets the physics of the whole world.
//
// m: the document, r: its reader, w: the world of the builder, s: the search for lengths of muscles.
#include "io/mjcf/mjcf.h"

#include <holdfast/step_problem.h>
#include <ctype.h>
#include <stddef.h>
#include <string.h>

// ---- compiler -----------------------------------------------------------------------------------

// Reads eulerseq, three letters.
static void read_euler_sequence(hfiMjcf* m, const hfiElem* elem) {
  const char* text = hfi_attr(elem, "eulerseq");
  if (!text) return;
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
    hfi_fail(m->r, elem, HF_ERROR_PARSE, "eulerseq: \"%.20s\" is not three of x, y, z, X, Y, Z", text);
  else
    memcpy(m->compiler.eulerseq, text, 4);
}

// Reads the folders of asset files.
static void read_folders(hfiMjcf* m, const hfiElem* elem) {
  const char* meshdir = hfi_attr(elem, "meshdir");
  const char* assetdir = hfi_attr(elem, "assetdir");
  if (meshdir) m->compiler.meshdir = meshdir;
  if (assetdir) m->compiler.assetdir = assetdir;
}

// Reads the rules about masses and inertias into m->compiler.build.
static void read_inertia_rules(hfiMjcf* m, const hfiElem* elem) {
  static const hfiKeyword inference[] = {{"false", 0}, {"true", 1}, {"auto", -1}, {NULL, 0}};
  hfiReader* r = m->r;
  hfBuildConfig* config = &m->compiler.build;
  int group[2] = {config->inertia_group_min, config->inertia_group_max};
  hfi_read_keyword(r, elem, "inertiafromgeom", inference, &config->inertia_from_geom);
  hfi_read_ints(r, elem, "inertiagrouprange", 2, 2, group);
  config->inertia_group_min = group[0];
  config->inertia_group_max = group[1];

  hfi_read_real(r, elem, "boundmass", &config->bound_mass);
  hfi_read_real(r, elem, "boundinertia", &config->bound_inertia);
  hfi_read_real(r, elem, "settotalmass", &config->total_mass);
  hfi_read_bool(r, elem, "balanceinertia", &config->balance_inertia);
  if (config->bound_mass < 0 || config->bound_inertia < 0)
    hfi_fail(r, elem, HF_ERROR_MODEL, "boundmass and boundinertia cannot be negative");
}

// Reads <lengthrange>: how lengths of muscles are found that no file gives.
static void read_length_search(hfiMjcf* m, const hfiElem* compiler) {
  static const hfiKeyword modes[] = {{"none", 1}, {"muscle", 0}, {"muscleuser", 0}, {"all", 0}, {NULL, 0}};
  hfiLengthSearch* s = &m->compiler.lengths;

  for (hfiElem* e = hfi_child(compiler, "lengthrange"); e; e = hfi_next(e, "lengthrange")) {
    e->used = 1;
    hfi_read_keyword(m->r, e, "mode", modes, &s->none);
    hfi_read_bool(m->r, e, "useexisting", &s->useexisting);
    hfi_read_bool(m->r, e, "uselimit", &s->uselimit);
    hfi_read_real(m->r, e, "accel", &s->accel);
    hfi_read_real(m->r, e, "maxforce", &s->maxforce);
    hfi_read_real(m->r, e, "timeconst", &s->timeconst);
    hfi_read_real(m->r, e, "timestep", &s->timestep);
    hfi_read_real(m->r, e, "inttotal", &s->inttotal);
    hfi_read_real(m->r, e, "interval", &s->interval);
    hfi_read_real(m->r, e, "tolrange", &s->tolrange);

    double most_time = 1e5 * s->timestep;
    int is_valid = s->accel > 0 && s->timestep > 0 && s->inttotal >= s->timestep && s->inttotal <= most_time;
    if (!m->r->status && !is_valid)
      hfi_fail(m->r, e, HF_ERROR_MODEL, "accel and timestep must be positive, and inttotal 1 to 100000 timesteps");
  }
}

// Reads <compiler> into m->compiler. Attributes that are not given stay.
void hfi_mjcf_read_compiler(hfiMjcf* m, hfiElem* elem) {
  static const hfiKeyword angles[] = {{"radian", 0}, {"degree", 1}, {NULL, 0}};
  static const hfiKeyword coordinates[] = {{"local", 0}, {"global", 1}, {NULL, 0}};
  static const hfiKeyword conflicts[] = {
      {"warning", HFI_CONFLICT_WARNING}, {"error", HFI_CONFLICT_ERROR}, {"merge", HFI_CONFLICT_MERGE}, {NULL, 0}};
  hfiReader* r = m->r;

  int is_global = 0;
  hfi_read_keyword(r, elem, "conflict", conflicts, &m->compiler.conflict);
  hfi_read_keyword(r, elem, "angle", angles, &m->compiler.degree);
  hfi_read_keyword(r, elem, "coordinate", coordinates, &is_global);
  if (is_global)
    hfi_fail(r, elem, HF_ERROR_UNSUPPORTED, "coordinate=\"global\" is not supported (MuJoCo dropped it too)");
  hfi_read_bool(r, elem, "autolimits", &m->compiler.autolimits);
  hfi_read_bool(r, elem, "strippath", &m->compiler.strippath);
  hfi_read_bool(r, elem, "fitaabb", &m->compiler.fitaabb);

  int align = 0;
  if (hfi_read_bool(r, elem, "alignfree", &align) && align)
    hfi_note(r, elem, HF_WARNING,
             "alignfree: free bodies keep the frame they are written in; their qpos differs from MuJoCo's");

  read_euler_sequence(m, elem);
  read_folders(m, elem);
  read_inertia_rules(m, elem);
  read_length_search(m, elem);
}

// ---- option -------------------------------------------------------------------------------------

static const hfiKeyword switches[] = {{"disable", 1}, {"enable", 0}, {NULL, 0}};
static const hfiKeyword cones[] = {{"pyramidal", 1}, {"elliptic", 0}, {NULL, 0}};

// Reads <flag>: what is switched off in the world, and the override of contacts.
static void read_flags(hfiMjcf* m, const hfiElem* elem) {
  hfWorld* w = hf_builder_world(m->r->builder);
  const struct {
    const char* name;
    int32_t* disable;
  } flags[] = {
      {"contact", &w->disable_contact},
      {"limit", &w->disable_limit},
      {"frictionloss", &w->disable_frictionloss},
      {"spring", &w->disable_spring},
      {"damper", &w->disable_damper},
      {"gravity", &w->disable_gravity},
      {"equality", &w->disable_equality},
      {"actuation", &w->disable_actuation},
      {"clampctrl", &w->disable_clamp_control},
  };
  // 1 for the word "disable", 0 for "enable"
  int off = 0;

  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
    if (hfi_read_keyword(m->r, elem, flags[i].name, switches, &off)) *flags[i].disable = off;
  if (hfi_read_keyword(m->r, elem, "filterparent", switches, &off)) w->filter_parent = !off;
  if (hfi_read_keyword(m->r, elem, "sleep", switches, &off)) w->sleep = !off;

  // flags that stand for several
  if (hfi_read_keyword(m->r, elem, "passive", switches, &off)) {
    w->disable_spring = off;
    w->disable_damper = off;
  }
  if (hfi_read_keyword(m->r, elem, "constraint", switches, &off) && off) {
    w->disable_contact = 1;
    w->disable_limit = 1;
    w->disable_frictionloss = 1;
    w->disable_equality = 1;
  }
  if (hfi_read_keyword(m->r, elem, "override", switches, &off)) m->override.active = !off;
}

// Reads the medium around all bodies.
static void read_fluid(hfiMjcf* m, const hfiElem* elem) {
  hfWorld* w = hf_builder_world(m->r->builder);
  hfi_read_real(m->r, elem, "density", &w->density);
  hfi_read_real(m->r, elem, "viscosity", &w->viscosity);
  hfi_read_reals(m->r, elem, "wind", 3, 3, w->wind);
  if (w->density < 0 || w->viscosity < 0)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "density and viscosity cannot be negative");
}

// Reads which groups of actuators do not act: bit g of disabled_groups for group g.
static void read_disabled_groups(hfiMjcf* m, const hfiElem* elem) {
  enum { LAST_GROUP = 30 };
  double group[LAST_GROUP + 1];
  int count = hfi_read_reals(m->r, elem, "actuatorgroupdisable", 0, LAST_GROUP + 1, group);
  if (!hfi_attr(elem, "actuatorgroupdisable")) return;

  hfWorld* w = hf_builder_world(m->r->builder);
  w->disabled_groups = 0;
  for (int i = 0; i < count; ++i) {
    if (group[i] >= 0 && group[i] <= LAST_GROUP && group[i] == floor(group[i]))
      w->disabled_groups |= 1 << (int)group[i];
    else
      hfi_fail(m->r, elem, HF_ERROR_MODEL, "actuatorgroupdisable: a group that can be switched off is 0 to %d, not %g",
               LAST_GROUP, group[i]);
  }
}

// Reads <option> into the world of the builder, and its override of contacts into m->override.
void hfi_mjcf_read_option(hfiMjcf* m, hfiElem* elem) {
  hfiReader* r = m->r;
  hfWorld* w = hf_builder_world(r->builder);
  hfi_read_real(r, elem, "timestep", &w->timestep);
  if (!(w->timestep > 0)) hfi_fail(r, elem, HF_ERROR_MODEL, "timestep must be positive, is %g", w->timestep);

  hfi_read_reals(r, elem, "gravity", 3, 3, w->gravity);
  hfi_read_reals(r, elem, "magnetic", 3, 3, w->magnetic);
  hfi_read_real(r, elem, "impratio", &w->impratio);
  if (!(w->impratio > 0)) hfi_fail(r, elem, HF_ERROR_MODEL, "impratio must be positive, is %g", w->impratio);

  hfi_read_keyword(r, elem, "cone", cones, &w->pyramidal_cone);
  hfi_read_real(r, elem, "sleep_tolerance", &w->sleep_speed);
  if (!(w->sleep_speed > 0))
    hfi_fail(r, elem, HF_ERROR_MODEL, "sleep_tolerance must be positive, is %g", w->sleep_speed);

  read_fluid(m, elem);
  read_disabled_groups(m, elem);

  hfi_read_real(r, elem, "o_margin", &m->override.margin);
  hfi_read_reals(r, elem, "o_solref", 1, 2, m->override.solref);
  hfi_read_reals(r, elem, "o_solimp", 1, 5, m->override.solimp);
  hfi_read_reals(r, elem, "o_friction", 1, 5, m->override.friction);

  for (hfiElem* flag = hfi_child(elem, "flag"); flag; flag = hfi_next(flag, "flag")) read_flags(m, flag);
}

// ---- options of attached models -----------------------------------------------------------------

// The attributes of <option> and <flag> that can differ, and where hfWorld has them.
#define OPTION(attr, field) {attr, 0, offsetof(hfWorld, field), sizeof(((hfWorld*)0)->field)}
#define FLAG(attr, field) {attr, 1, offsetof(hfWorld, field), sizeof(((hfWorld*)0)->field)}
static const struct {
  const char* attr;
  int is_flag;
  size_t offset, size;
} SETTINGS[] = {OPTION("timestep", timestep),
                OPTION("gravity", gravity),
                OPTION("magnetic", magnetic),
                OPTION("density", density),
                OPTION("viscosity", viscosity),
                OPTION("wind", wind),
                OPTION("impratio", impratio),
                OPTION("cone", pyramidal_cone),
                OPTION("sleep_tolerance", sleep_speed),
                OPTION("actuatorgroupdisable", disabled_groups),
                FLAG("contact", disable_contact),
                FLAG("limit", disable_limit),
                FLAG("frictionloss", disable_frictionloss),
                FLAG("spring", disable_spring),
                FLAG("damper", disable_damper),
                FLAG("gravity", disable_gravity),
                FLAG("equality", disable_equality),
                FLAG("actuation", disable_actuation),
                FLAG("clampctrl", disable_clamp_control),
                FLAG("filterparent", filter_parent),
                FLAG("sleep", sleep)};

// Whether the file itself gives an option or flag.
static int gives_setting(const hfiMjcf* m, const char* attr, int is_flag) {
  for (hfiElem* e = hfi_child(m->root, "option"); e; e = hfi_next(e, "option")) {
    if (!is_flag && hfi_attr(e, attr)) return 1;
    for (hfiElem* flag = hfi_child(e, "flag"); is_flag && flag; flag = hfi_next(flag, "flag"))
      if (hfi_attr(flag, attr)) return 1;
  }
  return 0;
}

// The world with the options that a document gives over default_options. The builder's world and the document's
// override are used for that, and restored.
static hfWorld read_options_of(hfiMjcf* doc, const hfWorld* default_options) {
  hfWorld* now = hf_builder_world(doc->r->builder);
  hfWorld outer = *now;
  hfiOverride override = doc->override;

  *now = *default_options;
  for (hfiElem* e = hfi_child(doc->root, "option"); e && !doc->r->status; e = hfi_next(e, "option"))
    hfi_mjcf_read_option(doc, e);

  hfWorld given = *now;
  *now = outer;
  doc->override = override;
  return given;
}

// Compares the options of a model that is attached with those of the file. An option that the attached model changes
// from its default, to another value than the file's, is
//
//   refused      if the file changes it, too, or, with conflict="error", if the file only writes its default
//   taken over   with conflict="merge", if the file does not write it; a flag even if the file writes its default
//   left alone   otherwise, and always with conflict="warning"
//
// mine, theirs, usual: the value in the file, in the attached model, and the default.
void hfi_mjcf_merge_options(hfiMjcf* m, hfiMjcf* attached, const hfiElem* elem) {
  if (m->compiler.conflict == HFI_CONFLICT_WARNING || m->attached || m->r->skeleton) return;
  hfWorld attached_options = read_options_of(attached, &m->default_options);

  for (size_t i = 0; i < sizeof SETTINGS / sizeof *SETTINGS && !m->r->status; ++i) {
    size_t size = SETTINGS[i].size;
    int is_flag = SETTINGS[i].is_flag;
    char* mine = (char*)hf_builder_world(m->r->builder) + SETTINGS[i].offset;
    const char* theirs = (const char*)&attached_options + SETTINGS[i].offset;
    const char* usual = (const char*)&m->default_options + SETTINGS[i].offset;
    if (memcmp(theirs, usual, size) == 0 || memcmp(theirs, mine, size) == 0) continue;

    int is_written = gives_setting(m, SETTINGS[i].attr, is_flag);
    int merges = m->compiler.conflict == HFI_CONFLICT_MERGE;
    if (memcmp(mine, usual, size) != 0 || (is_written && !merges)) {
      hfi_fail(m->r, elem, HF_ERROR_MODEL,
               "%s %s of the attached model differs from that of the file, "
               "which the compiler's conflict does not allow",
               is_flag ? "flag" : "option", SETTINGS[i].attr);
    } else if (merges && (is_flag || !is_written)) {
      // As in MuJoCo, a flag is merged even if the file writes its default.
      memcpy(mine, theirs, size);
    }
  }
}
