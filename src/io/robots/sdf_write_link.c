// Links of a written SDFormat file: pose, inertia, collisions and visuals.
//
// w: the writer, r: its part that both formats share, m: the model; depth: of an element, from which its indent
// follows.
#include "io/robots/sdf_write.h"

#include "base/finite.h"
#include "io/robots/sdf.h"
#include "model/shape.h"

#include <string.h>

// ---- poses and inertia --------------------------------------------------------------------------

// Writes <pose>: x y z roll pitch yaw, relative to a link if that is not NULL. Writes nothing for the identity.
void hfi_sdf_write_pose(hfiXmlWriter* xml, int depth, hfiPlacement X, const char* relative_to) {
  double x[6];
  v3_store(x, X.p);
  hfi_robot_rpy(X.q, x + 3);
  if (!hfi_any_nonzero(x, 6) && !relative_to) return;

  hfi_xml_begin(xml, depth, "pose");
  if (relative_to) hfi_xml_put_text(xml, "relative_to", relative_to);
  hfi_xml_print(xml, ">");
  hfi_xml_print_numbers(xml, x, 6);
  hfi_xml_print(xml, "</pose>\n");
}

// Writes the inertia of a link; zeros for one that carries no body.
static void write_inertial(hfiRobotWriter* r, const hfiWrittenLink* link, int depth) {
  static const char* const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static const double none[6] = {0};
  static const double upright[4] = {1, 0, 0, 0};
  const hfModel* m = r->m;
  const double* mass = link->carries ? hf_model_body_mass(m) + link->body : none;
  const double* I = link->carries ? hf_model_body_inertia(m) + 6 * link->body : none;

  hfi_xml_print(&r->xml, "%*s<inertial>\n", 2 * depth, "");
  if (*mass > 0) {
    hfiPlacement X = hfi_robot_in_link(link, hf_model_body_com(m) + 3 * link->body, upright);
    hfi_sdf_write_pose(&r->xml, depth + 1, X, NULL);
  }
  hfi_xml_number_element(&r->xml, depth + 1, "mass", mass, 1);
  hfi_xml_print(&r->xml, "%*s<inertia>\n", 2 * depth + 2, "");
  for (int i = 0; i < 6; ++i) hfi_xml_number_element(&r->xml, depth + 2, names[i], I + i, 1);
  hfi_xml_print(&r->xml, "%*s</inertia>\n%*s</inertial>\n", 2 * depth + 2, "", 2 * depth, "");
}

// ---- shapes -------------------------------------------------------------------------------------

// Writes the sizes of a shape as child elements, which have the names and meanings of URDF's attributes.
static void write_sizes(hfiXmlWriter* xml, const hfiUrdfSize* item, const double* size, int depth) {
  for (int k = 0; k < 3 && item[k].attribute; ++k) {
    double x[3];
    for (int i = 0; i < item[k].count; ++i) x[i] = size[i] / item[k].factor;
    hfi_xml_number_element(xml, depth, item[k].attribute, x, item[k].count);
    size += item[k].count;
  }
}

// A plane without a size is drawn as large as this [m].
static const double DRAWN_PLANE_SIZE = 100;

// Writes a height field as an image.
static void write_heightmap(hfiRobotWriter* r, int hfield, int depth) {
  const double* half = hf_model_hfield_size(r->m) + 3 * hfield;
  const double* range = hf_model_hfield_range(r->m) + 2 * hfield;
  const double size[3] = {2 * half[0], 2 * half[1], range[1] > range[0] ? range[1] - range[0] : 1};
  const double pos[3] = {0, 0, range[0]};
  hfi_xml_text_element(&r->xml, depth, "uri", hfi_robot_height_image(r, hfield));
  hfi_xml_number_element(&r->xml, depth, "size", size, 3);
  hfi_xml_number_element(&r->xml, depth, "pos", pos, 3);
}

// Writes the shape of a geom. drawn: a mesh is written as it is drawn, else as its hull.
static void write_shape(hfiRobotWriter* r, int geom, int drawn, int depth) {
  hfiXmlWriter* xml = &r->xml;
  int type = hf_model_geom_type(r->m)[geom];
  const double* size = hf_model_geom_size(r->m) + 3 * geom;
  const char* name = type == HF_GEOM_HFIELD ? "heightmap" : hf_geom_type_name(type);
  hfi_xml_print(xml, "%*s<geometry>\n%*s<%s>\n", 2 * depth, "", 2 * depth + 2, "", name);

  if (type == HF_GEOM_MESH) {
    hfi_xml_text_element(xml, depth + 2, "uri", hfi_robot_mesh(r, hf_model_geom_mesh(r->m)[geom], drawn));
    if (!drawn) hfi_xml_print(xml, "%*s<drake:declare_convex/>\n", 2 * depth + 4, "");
  } else if (type == HF_GEOM_PLANE) {
    // whole lengths; a plane whose half size is 0 has no end and is drawn with DRAWN_PLANE_SIZE
    double extent[2] = {DRAWN_PLANE_SIZE, DRAWN_PLANE_SIZE};
    for (int i = 0; i < 2; ++i)
      if (size[i] > 0) extent[i] = 2 * size[i];
    hfi_xml_number_element(xml, depth + 2, "normal", (double[]){0, 0, 1}, 3);
    hfi_xml_number_element(xml, depth + 2, "size", extent, 2);
  } else if (type == HF_GEOM_HFIELD) {
    write_heightmap(r, hf_model_geom_hfield(r->m)[geom], depth + 2);
  } else if (type == HF_GEOM_ELLIPSOID) {
    hfi_xml_number_element(xml, depth + 2, "radii", size, 3);
  } else {
    write_sizes(xml, hfi_shape_kinds[type].urdf, size, depth + 2);
  }

  hfi_xml_print(xml, "%*s</%s>\n%*s</geometry>\n", 2 * depth + 2, "", name, 2 * depth, "");
}

// ---- surfaces -----------------------------------------------------------------------------------

// Writes parameters of contact as Drake reads them.
static void write_drake_properties(hfiXmlWriter* xml, const hfModel* m, int geom, int depth) {
  const double* mu = hf_model_geom_friction(m) + 3 * geom;
  const double* dynamic = hf_model_geom_friction_dynamic(m) + geom;
  const double* stiffness = hf_model_geom_stiffness(m) + geom;
  const double* dissipation = hf_model_geom_dissipation(m) + geom;
  if (*dynamic < 0 && *stiffness < 0 && *dissipation < 0) return;

  hfi_xml_print(xml, "%*s<drake:proximity_properties>\n", 2 * depth, "");
  hfi_xml_number_element(xml, depth + 1, "drake:mu_static", mu, 1);
  hfi_xml_number_element(xml, depth + 1, "drake:mu_dynamic", *dynamic >= 0 ? dynamic : mu, 1);
  if (*stiffness >= 0) hfi_xml_number_element(xml, depth + 1, "drake:point_contact_stiffness", stiffness, 1);
  if (*dissipation >= 0) hfi_xml_number_element(xml, depth + 1, "drake:hunt_crossley_dissipation", dissipation, 1);
  hfi_xml_print(xml, "%*s</drake:proximity_properties>\n", 2 * depth, "");
}

// Writes friction and restitution.
static void write_surface(hfiXmlWriter* xml, const hfModel* m, int geom, int depth) {
  const double* mu = hf_model_geom_friction(m) + 3 * geom;
  const double* restitution = hf_model_geom_restitution(m) + geom;

  hfi_xml_print(xml, "%*s<surface>\n%*s<friction>\n%*s<ode>\n", 2 * depth, "", 2 * depth + 2, "", 2 * depth + 4, "");
  hfi_xml_number_element(xml, depth + 3, "mu", mu, 1);
  hfi_xml_number_element(xml, depth + 3, "mu2", mu, 1);
  hfi_xml_print(xml, "%*s</ode>\n%*s</friction>\n", 2 * depth + 4, "", 2 * depth + 2, "");

  if (*restitution > 0) {
    hfi_xml_print(xml, "%*s<bounce>\n", 2 * depth + 2, "");
    hfi_xml_number_element(xml, depth + 2, "restitution_coefficient", restitution, 1);
    hfi_xml_print(xml, "%*s</bounce>\n", 2 * depth + 2, "");
  }

  hfi_xml_print(xml, "%*s</surface>\n", 2 * depth, "");
  write_drake_properties(xml, m, geom, depth);
}

// Writes the colour of a visual.
static void write_colour(hfiXmlWriter* xml, const float rgba[4], int depth) {
  static const char* const lights[2] = {"ambient", "diffuse"};
  hfi_xml_print(xml, "%*s<material>\n", 2 * depth, "");
  for (int i = 0; i < 2; ++i) {
    hfi_xml_print(xml, "%*s<%s>", 2 * depth + 2, "", lights[i]);
    hfi_xml_print_floats(xml, rgba, 4);
    hfi_xml_print(xml, "</%s>\n", lights[i]);
  }
  hfi_xml_print(xml, "%*s</material>\n", 2 * depth, "");
}

// ---- links --------------------------------------------------------------------------------------

// The name of a collision: the name of its geom without what a reader puts before it, or its number.
static const char* collision_name(hfiRobotWriter* r, int geom, int number) {
  const char* last = hf_model_name(r->m, HF_OBJECT_GEOM, geom);
  for (const char* colons = strstr(last, "::"); colons; colons = strstr(last, "::")) last = colons + 2;
  return *last ? last : hfi_robot_format(r, "collision_%d", number);
}

// Writes a geom of a link as a visual (drawn) or a collision. number: of the geom in its body.
static void write_geom(hfiRobotWriter* r, const hfiWrittenLink* link, int geom, int number, int drawn, int depth) {
  const hfModel* m = r->m;
  const char* element = drawn ? "visual" : "collision";

  hfi_xml_begin(&r->xml, depth, element);
  hfi_xml_put_text(&r->xml, "name", drawn ? hfi_robot_format(r, "visual_%d", number) : collision_name(r, geom, number));
  hfi_xml_print(&r->xml, ">\n");

  hfiPlacement X = hfi_robot_in_link(link, hf_model_geom_pos(m) + 3 * geom, hf_model_geom_quat(m) + 4 * geom);
  hfi_sdf_write_pose(&r->xml, depth + 1, X, NULL);
  write_shape(r, geom, drawn, depth + 1);
  if (drawn)
    write_colour(&r->xml, hf_model_geom_rgba(m) + 4 * geom, depth + 1);
  else
    write_surface(&r->xml, m, geom, depth + 1);
  hfi_xml_print(&r->xml, "%*s</%s>\n", 2 * depth, "", element);
}

// Writes all geoms of a link's body.
static void write_geoms(hfiRobotWriter* r, const hfiWrittenLink* link, int depth) {
  const hfModel* m = r->m;
  int first = hf_model_body_geomadr(m)[link->body];
  int count = hf_model_body_geomnum(m)[link->body];
  for (int i = 0; i < count && !r->xml.status; ++i) {
    if (hfi_robot_collides(m, first + i)) write_geom(r, link, first + i, i, 0, depth);
    if (hfi_robot_is_drawn(m, first + i)) write_geom(r, link, first + i, i, 1, depth);
  }
}

// Writes a link with its inertia and its geoms. Its pose is relative to its parent link or, for a root, to the model.
void hfi_sdf_write_link(hfiSdfWriter* w, const hfiWrittenLink* link, int depth) {
  hfiRobotWriter* r = &w->robot;
  const hfiSdfGroup* group = &w->group[link->group];
  int is_root = link->parent < 0;

  hfi_xml_begin(&r->xml, depth, "link");
  hfi_xml_put_text(&r->xml, "name", link->name);
  hfi_xml_print(&r->xml, ">\n");

  hfiPlacement X = link->X_PL;
  if (is_root) X = hfi_placement_mul(hfi_placement_inverse(group->X), link->X_WL);
  hfi_sdf_write_pose(&r->xml, depth + 1, X, is_root ? NULL : r->link[link->parent].name);

  if (hf_model_body_gravcomp(r->m)[link->body] == 1) hfi_xml_text_element(&r->xml, depth + 1, "gravity", "false");
  if (!group->is_static || hf_model_body_mass(r->m)[link->body] > 0) write_inertial(r, link, depth + 1);
  if (link->carries) write_geoms(r, link, depth + 1);
  hfi_xml_print(&r->xml, "%*s</link>\n", 2 * depth, "");
}
