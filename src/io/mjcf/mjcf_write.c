// hf_builder_write_mjcf: the definitions of a builder as one MJCF file. Reading this file gives the same definitions
// again, in the order of the finished model. Angles are in radians, meshes are written as vertices and triangles, and
// parameters that MJCF lacks are in <custom>.
//
// w: the writer, b: its builder, d: the definition of an object.
#include "io/mjcf/mjcf_write.h"

#include "base/error.h"
#include "base/locale.h"

#include <holdfast/import.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------

// Lists the names that objects have.
static void collect_names(hfiMjcfWriter* w) {
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    hfObjectKind kind = (hfObjectKind)k;
    for (int i = 0; i < hf_builder_count(w->b, kind); ++i) {
      const char* name = hf_builder_name(w->b, kind, i);
      w->name[k][i] = *name ? name : NULL;
    }
  }
}

// Gives an object a unique name if it has none, because another object refers to it. kind: hfObjectKind. Does nothing
// if there is no object (id < 0).
static void ensure_name(hfiMjcfWriter* w, int kind, int id) {
  if (kind == HF_OBJECT_INERTIAL) kind = HF_OBJECT_BODY;
  if (kind == HF_OBJECT_NONE || id < 0 || w->name[kind][id] || w->xml.status) return;

  char name[64];
  int length = snprintf(name, sizeof name, "%s_%d", hf_object_kind_name((hfObjectKind)kind), id);
  while (hf_builder_find(w->b, (hfObjectKind)kind, name) >= 0 && length < (int)sizeof name - 1) {
    name[length++] = '_';
    name[length] = 0;
  }

  w->name[kind][id] = hfi_pool_string(&w->pool, name);
  if (!w->name[kind][id]) hfi_xml_refuse_memory(&w->xml);
}

// Whether a geom has parameters of contact that MJCF lacks. They stand in <custom>, under the name of the geom.
static int has_contact_parameters(const hfGeomDef* d) {
  return d->stiffness >= 0 || d->dissipation >= 0 || d->stiction_speed >= 0 || d->tangential_stiffness >= 0 ||
         d->tangential_damping >= 0 || d->friction_dynamic >= 0 || d->restitution > 0;
}

// Names all objects without a name to which another object or <custom> refers.
static void name_referenced_objects(hfiMjcfWriter* w) {
  const hfBuilder* b = w->b;
  for (int i = 0; i < b->geom.count; ++i)
    if (has_contact_parameters(&b->geom.data[i])) ensure_name(w, HF_OBJECT_GEOM, i);
  for (int i = 0; i < b->mesh.count; ++i) ensure_name(w, HF_OBJECT_MESH, i);
  for (int i = 0; i < b->hfield.count; ++i) ensure_name(w, HF_OBJECT_HFIELD, i);

  for (int i = 0; i < b->pair.count; ++i) {
    ensure_name(w, HF_OBJECT_GEOM, b->pair.data[i].geom1);
    ensure_name(w, HF_OBJECT_GEOM, b->pair.data[i].geom2);
  }
  for (int i = 0; i < b->camera.count; ++i) ensure_name(w, HF_OBJECT_BODY, b->camera.data[i].target);
  for (int i = 0; i < b->exclude.count; ++i)
    for (int k = 0; k < 2; ++k) ensure_name(w, HF_OBJECT_BODY, b->exclude.data[i].body[k]);

  for (int i = 0; i < b->tendon.count; ++i) {
    const hfTendonDef* d = &b->tendon.data[i];
    for (int k = 0; k < d->count; ++k) ensure_name(w, HF_OBJECT_JOINT, d->joint[k]);
    for (int k = 0; k < d->path_count; ++k) {
      const hfWrapDef* place = &d->path[k];
      if (place->type != HF_WRAP_PULLEY)
        ensure_name(w, place->type == HF_WRAP_SITE ? HF_OBJECT_SITE : HF_OBJECT_GEOM, place->obj);
      ensure_name(w, HF_OBJECT_SITE, place->side);
    }
  }

  for (int i = 0; i < b->equality.count; ++i) {
    const hfEqualityDef* d = &b->equality.data[i];
    int kind = hfi_equality_target(d->type, d->objkind);
    ensure_name(w, kind, d->obj1);
    ensure_name(w, kind, d->obj2);
  }

  for (int i = 0; i < b->actuator.count; ++i) {
    const hfActuatorDef* d = &b->actuator.data[i];
    ensure_name(w, hfi_transmission_target(d->trntype), d->trnid[0]);
    ensure_name(w, HF_OBJECT_SITE, d->trnid[1]);
    if (d->drive != HF_DRIVE_SERVO || d->signal != HF_SIGNAL_NONE) ensure_name(w, HF_OBJECT_ACTUATOR, i);

    // the numbers of a feedback begin with how many joints it measures, and their ids
    int joints = d->signal == HF_SIGNAL_FEEDBACK ? (int)d->signal_data[0] : 0;
    for (int k = 1; k <= joints; ++k) ensure_name(w, HF_OBJECT_JOINT, (int)d->signal_data[k]);
  }

  for (int i = 0; i < b->sensor.count; ++i) {
    const hfSensorDef* d = &b->sensor.data[i];
    ensure_name(w, d->objkind, d->obj);
    ensure_name(w, d->refkind, d->ref);
  }
}

// Makes an array of names for each kind of objects. Returns 0 if there is no memory.
static int make_name_lists(hfiMjcfWriter* w) {
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    w->name[k] = calloc((size_t)hf_builder_count(w->b, (hfObjectKind)k) + 1, sizeof *w->name[k]);
    if (!w->name[k]) return 0;
  }
  return 1;
}

// ---- world and compiler -------------------------------------------------------------------------

// Writes the rules about masses and inertias that are not the usual ones.
static void put_inertia_rules(hfiMjcfWriter* w) {
  static const char* const inference[] = {"auto", "false", "true"}; // -1, 0, 1
  const hfBuildConfig* c = &w->b->config;
  if (c->inertia_from_geom != -1) hfi_xml_put_text(&w->xml, "inertiafromgeom", inference[1 + c->inertia_from_geom]);

  const double group[2] = {c->inertia_group_min, c->inertia_group_max};
  if (group[0] != 0 || group[1] != 5) hfi_xml_put_reals(&w->xml, "inertiagrouprange", group, 2);
  hfi_xml_put_real(&w->xml, "boundmass", c->bound_mass, 0);
  hfi_xml_put_real(&w->xml, "boundinertia", c->bound_inertia, 0);
  hfi_xml_put_real(&w->xml, "settotalmass", c->total_mass, 0);
  if (c->balance_inertia) hfi_xml_put_bool(&w->xml, "balanceinertia", 1);
}

// Writes <compiler>. Refuses a builder in which geoms are fitted to their meshes in two ways.
static void write_compiler(hfiMjcfWriter* w) {
  enum { FIT_BOUNDING_BOX = 2 };
  int fit = 0; // hfGeomDef.mesh_fit of the geoms that are fitted to a mesh; 0: none so far
  for (int i = 0; i < w->b->geom.count; ++i) {
    const hfGeomDef* d = &w->b->geom.data[i];
    if (d->mesh < 0 || d->type == HF_GEOM_MESH) continue;
    if (fit && fit != d->mesh_fit)
      hfi_xml_refuse(&w->xml,
                     "MJCF cannot fit one geom to the inertia box and another one to the bounding box of its mesh");
    fit = d->mesh_fit;
  }

  hfi_xml_begin(&w->xml, 1, "compiler angle=\"radian\" autolimits=\"false\"");
  if (fit == FIT_BOUNDING_BOX) hfi_xml_put_bool(&w->xml, "fitaabb", 1);
  if (!w->all_inertias) put_inertia_rules(w);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes which groups of actuators do not act.
static void put_disabled_groups(hfiMjcfWriter* w, int groups) {
  const char* gap = "";
  hfi_xml_print(&w->xml, " actuatorgroupdisable=\"");
  for (int g = 0; g < 31; ++g) {
    if (!(groups >> g & 1)) continue;
    hfi_xml_print(&w->xml, "%s%d", gap, g);
    gap = " ";
  }
  hfi_xml_print(&w->xml, "\"");
}

// Writes <option> and its flags.
static void write_option(hfiMjcfWriter* w) {
  const hfWorld* v = &w->b->world;
  const struct {
    const char* flag;
    int off;
  } flags[] = {{"contact", v->disable_contact},
               {"limit", v->disable_limit},
               {"frictionloss", v->disable_frictionloss},
               {"spring", v->disable_spring},
               {"damper", v->disable_damper},
               {"gravity", v->disable_gravity},
               {"equality", v->disable_equality},
               {"actuation", v->disable_actuation},
               {"clampctrl", v->disable_clamp_control},
               {"filterparent", !v->filter_parent}};

  // The last argument of put_real is MuJoCo's default, which is not written. The integrator is for MuJoCo, whose
  // explicit steps are unstable if servos are too stiff for the step.
  hfi_xml_begin(&w->xml, 1, "option");
  hfi_xml_put_text(&w->xml, "integrator", "implicitfast");
  hfi_xml_put_reals(&w->xml, "timestep", &v->timestep, 1);
  hfi_xml_put_reals(&w->xml, "gravity", v->gravity, 3);
  hfi_xml_put_reals(&w->xml, "magnetic", v->magnetic, 3);
  hfi_xml_put_real(&w->xml, "density", v->density, 0);
  hfi_xml_put_real(&w->xml, "viscosity", v->viscosity, 0);
  hfi_xml_put_reals(&w->xml, "wind", v->wind, 3);
  hfi_xml_put_real(&w->xml, "impratio", v->impratio, 1);
  hfi_xml_put_real(&w->xml, "sleep_tolerance", v->sleep_speed, 1e-3);

  if (!v->pyramidal_cone) hfi_xml_put_text(&w->xml, "cone", "elliptic");
  if (v->disabled_groups) put_disabled_groups(w, v->disabled_groups);

  hfi_xml_print(&w->xml, "><flag");
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
    if (flags[i].off) hfi_xml_put_text(&w->xml, flags[i].flag, "disable");
  if (v->sleep) hfi_xml_put_text(&w->xml, "sleep", "enable");
  hfi_xml_print(&w->xml, "/></option>\n");
}

// ---- the file -----------------------------------------------------------------------------------

// Writes the whole document, in the order in which its parts refer to each other.
static void write_document(hfiMjcfWriter* w) {
  hfi_xml_print(&w->xml, "<mujoco model=\"holdfast\">\n"); // Drake needs a name.

  write_compiler(w);
  write_option(w);
  hfi_mjcf_write_custom(w);
  hfi_mjcf_write_assets(w);
  hfi_mjcf_write_tree(w);
  hfi_mjcf_write_contacts(w);
  hfi_mjcf_write_tendons(w);
  hfi_mjcf_write_equalities(w);
  hfi_mjcf_write_actuators(w);
  hfi_mjcf_write_sensors(w);
  hfi_mjcf_write_keys(w);

  hfi_xml_print(&w->xml, "</mujoco>\n");
}

// Sets w->model and w->all_inertias if bodies of the builder follow different rules about inertia.
static hfStatus compute_inertias(hfiMjcfWriter* w, hfError* error) {
  const hfBuildConfig* config = &w->b->config;
  int has_own_rules = 0;
  for (int i = 1; i < w->b->body.count && !has_own_rules; ++i) has_own_rules = hfi_builder_has_own_rules(w->b, i);
  if (!has_own_rules) return HF_OK;

  w->all_inertias = config->inertia_from_geom == 1 || config->bound_mass > 0 || config->bound_inertia > 0 ||
                    config->total_mass > 0;
  hfBuilder* unchanged = (hfBuilder*)(uintptr_t)w->b; // hf_builder_finish changes nothing in the builder.
  return hf_builder_finish(unchanged, &w->model, error);
}

// Writes what a builder holds as an MJCF file. Refuses what MJCF cannot say; there is no file then.
hfStatus hf_builder_write_mjcf(const hfBuilder* b, const char* path, hfError* error) {
  hfi_clear_error(error);
  hfiMjcfWriter w = {.b = b, .xml = {.path = path, .error = error}};
  hfStatus status = hfi_check_builder(b, error);
  if (status == HF_OK) status = compute_inertias(&w, error);
  if (status == HF_OK) status = hfi_output_open(&w.xml.out, path, HFI_OUTPUT_WHOLE, error);
  if (status != HF_OK) {
    hf_model_free(w.model);
    return status;
  }

  locale_t outer = hfi_enter_c_locale();
  if (make_name_lists(&w)) {
    collect_names(&w);
    name_referenced_objects(&w);
    if (!w.xml.status) write_document(&w);
  } else {
    hfi_xml_refuse_memory(&w.xml);
  }
  hfi_leave_c_locale(outer);

  for (int k = 0; k < HF_OBJECT_KINDS; ++k) free(w.name[k]);
  hfi_pool_release(&w.pool);
  hf_model_free(w.model);

  if (w.xml.status) {
    hfi_output_discard(&w.xml.out);
    return w.xml.status;
  }
  return hfi_output_close(&w.xml.out, error);
}
