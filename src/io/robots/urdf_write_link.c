// Links of a written URDF file: inertia, collisions and visuals.
//
// w: the writer, m: its model.
#include "io/robots/urdf_write.h"

#include "base/finite.h"
#include "model/shape.h"

#include <stdio.h>

// Writes <origin xyz rpy>, or nothing for the identity.
void hfi_urdf_write_origin(hfiXmlWriter* xml, int depth, hfiPlacement X) {
  double xyz[3];
  double rpy[3];
  v3_store(xyz, X.p);
  hfi_robot_rpy(X.q, rpy);
  if (!hfi_any_nonzero(xyz, 3) && !hfi_any_nonzero(rpy, 3)) return;

  hfi_xml_begin(xml, depth, "origin");
  hfi_xml_put_reals(xml, "xyz", xyz, 3);
  hfi_xml_put_reals(xml, "rpy", rpy, 3);
  hfi_xml_print(xml, "/>\n");
}

// Writes the inertia. A link without mass, inertia and collisions needs none.
static void write_inertial(hfiRobotWriter* w, const hfiWrittenLink* link) {
  static const char* const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static const double upright[4] = {1, 0, 0, 0};
  const hfModel* m = w->m;
  const double* mass = hf_model_body_mass(m) + link->body;
  const double* I = hf_model_body_inertia(m) + 6 * link->body;
  int first = hf_model_body_geomadr(m)[link->body];
  int collides = 0;
  for (int i = 0; i < hf_model_body_geomnum(m)[link->body]; ++i) collides |= hfi_robot_collides(m, first + i);
  int has_inertia = *mass != 0 || hfi_any_nonzero(I, 6);
  if (!link->carries || (!collides && !has_inertia)) return;

  hfi_xml_print(&w->xml, "    <inertial>\n");
  hfi_urdf_write_origin(&w->xml, 3, hfi_robot_in_link(link, hf_model_body_com(m) + 3 * link->body, upright));
  hfi_xml_begin(&w->xml, 3, "mass");
  hfi_xml_put_reals(&w->xml, "value", mass, 1);
  hfi_xml_print(&w->xml, "/>\n");
  hfi_xml_begin(&w->xml, 3, "inertia");
  for (int i = 0; i < 6; ++i) hfi_xml_put_reals(&w->xml, names[i], I + i, 1);
  hfi_xml_print(&w->xml, "/>\n    </inertial>\n");
}

// A shape that URDF has: every reader knows boxes, cylinders, spheres and meshes.
typedef struct UrdfPart {
  int type; // HF_GEOM_ELLIPSOID: the mesh of a ball, scaled
  double size[3];
  hfiPlacement X;
} UrdfPart;

// Divides a geom into parts that URDF has, in the frame of its link: a capsule becomes a cylinder and two balls, any
// other shape itself. Returns the number of parts.
static int divide_geom(const hfModel* m, const hfiWrittenLink* link, int geom, UrdfPart part[3]) {
  const double* size = hf_model_geom_size(m) + 3 * geom;
  int is_capsule = hf_model_geom_type(m)[geom] == HF_GEOM_CAPSULE;
  part[0] = (UrdfPart){hf_model_geom_type(m)[geom], {size[0], size[1], size[2]},
                       hfi_robot_in_link(link, hf_model_geom_pos(m) + 3 * geom, hf_model_geom_quat(m) + 4 * geom)};
  if (!is_capsule) return 1;

  // the ends of the cylinder lie at z = -size[1] and size[1]
  part[0].type = HF_GEOM_CYLINDER;
  const double end[2] = {-size[1], size[1]};
  for (int i = 0; i < 2; ++i) {
    part[1 + i] = part[0];
    part[1 + i].type = HF_GEOM_SPHERE;
    part[1 + i].X.p = v3_add(part[0].X.p, q_rotate(part[0].X.q, v3(0, 0, end[i])));
  }
  return 3;
}

// Writes the attributes and the end of <mesh>: the file of a mesh or, for an ellipsoid, of a ball that is scaled.
static void put_mesh(hfiRobotWriter* w, const UrdfPart* part, int geom, int drawn) {
  if (part->type == HF_GEOM_ELLIPSOID) {
    hfi_xml_put_text(&w->xml, "filename", hfi_robot_ball(w));
    hfi_xml_put_reals(&w->xml, "scale", part->size, 3);
  } else {
    hfi_xml_put_text(&w->xml, "filename", hfi_robot_mesh(w, hf_model_geom_mesh(w->m)[geom], drawn));
  }
  hfi_xml_print(&w->xml, drawn ? "/>\n" : "><drake:declare_convex/></mesh>\n");
}

// Writes the sizes of a shape as attributes.
static void put_sizes(hfiXmlWriter* xml, const hfiUrdfSize* item, const double* size) {
  for (int k = 0; k < 3 && item[k].attribute; ++k) {
    double x[3];
    for (int i = 0; i < item[k].count; ++i) x[i] = size[i] / item[k].factor;
    hfi_xml_put_reals(xml, item[k].attribute, x, item[k].count);
    size += item[k].count;
  }
}

// Writes the shape of a part. drawn: a mesh is written as it is drawn, else as its hull.
static void write_shape(hfiRobotWriter* w, const UrdfPart* part, int geom, int drawn) {
  int is_mesh = part->type == HF_GEOM_MESH || part->type == HF_GEOM_ELLIPSOID;

  hfi_xml_print(&w->xml, "      <geometry>\n        <%s", is_mesh ? "mesh" : hf_geom_type_name(part->type));
  if (is_mesh) {
    put_mesh(w, part, geom, drawn);
  } else {
    put_sizes(&w->xml, hfi_shape_kinds[part->type].urdf, part->size);
    hfi_xml_print(&w->xml, "/>\n");
  }
  hfi_xml_print(&w->xml, "      </geometry>\n");
}

// Writes an element <ELEMENT value="x"/>.
static void write_value(hfiXmlWriter* xml, const char* element, double x) {
  hfi_xml_begin(xml, 4, element);
  hfi_xml_put_reals(xml, "value", &x, 1);
  hfi_xml_print(xml, "/>\n");
}

// Writes friction, stiffness and dissipation as Drake reads them.
static void write_contact(hfiXmlWriter* xml, const hfModel* m, int geom) {
  double mu = hf_model_geom_friction(m)[3 * geom];
  double dynamic = hf_model_geom_friction_dynamic(m)[geom];
  double stiffness = hf_model_geom_stiffness(m)[geom];
  double dissipation = hf_model_geom_dissipation(m)[geom];

  hfi_xml_print(xml, "      <drake:proximity_properties>\n");
  write_value(xml, "drake:mu_static", mu);
  if (dynamic >= 0) write_value(xml, "drake:mu_dynamic", dynamic);
  if (stiffness >= 0) write_value(xml, "drake:point_contact_stiffness", stiffness);
  if (dissipation >= 0) write_value(xml, "drake:hunt_crossley_dissipation", dissipation);
  hfi_xml_print(xml, "      </drake:proximity_properties>\n");
}

// Writes the colour of a visual as a material with the name of its colour, because in URDF materials of one name are
// the same.
static void write_colour(hfiXmlWriter* xml, const float rgba[4]) {
  hfi_xml_print(xml, "      <material name=\"rgba ");
  hfi_xml_print_floats(xml, rgba, 4);
  hfi_xml_print(xml, "\">\n        <color rgba=\"");
  hfi_xml_print_floats(xml, rgba, 4);
  hfi_xml_print(xml, "\"/>\n      </material>\n");
}

// Writes a geom as visuals (drawn) or collisions: one for each part.
static void write_geom(hfiRobotWriter* w, const hfiWrittenLink* link, int geom, int drawn) {
  const hfModel* m = w->m;
  const char* element = drawn ? "visual" : "collision";
  const char* name = hf_model_name(m, HF_OBJECT_GEOM, geom);
  int is_collision_too = hfi_robot_collides(m, geom) && drawn; // Then the collision has the name.

  UrdfPart part[3];
  int count = divide_geom(m, link, geom, part);
  for (int i = 0; i < count; ++i) {
    hfi_xml_begin(&w->xml, 2, element);
    if (*name && !is_collision_too && i == 0) hfi_xml_put_text(&w->xml, "name", name);
    hfi_xml_print(&w->xml, ">\n");
    hfi_urdf_write_origin(&w->xml, 3, part[i].X);
    write_shape(w, &part[i], geom, drawn);
    if (drawn)
      write_colour(&w->xml, hf_model_geom_rgba(m) + 4 * geom);
    else
      write_contact(&w->xml, m, geom);
    hfi_xml_print(&w->xml, "    </%s>\n", element);
  }
}

// Writes the restitution of a link: the largest of its geoms.
static void write_restitution(hfiRobotWriter* w, const hfiWrittenLink* link) {
  int first = hf_model_body_geomadr(w->m)[link->body];
  double restitution = 0;
  for (int i = 0; i < hf_model_body_geomnum(w->m)[link->body]; ++i)
    restitution = max2(restitution, hf_model_geom_restitution(w->m)[first + i]);

  if (restitution == 0) return;
  hfi_xml_print(&w->xml, "    <contact>\n");
  write_value(&w->xml, "restitution", restitution);
  hfi_xml_print(&w->xml, "    </contact>\n");
}

// Writes a link with its inertia, and its geoms except planes and height fields.
void hfi_urdf_write_link(hfiRobotWriter* w, const hfiWrittenLink* link) {
  const hfModel* m = w->m;
  int first = hf_model_body_geomadr(m)[link->body];
  int count = link->carries ? hf_model_body_geomnum(m)[link->body] : 0;

  hfi_xml_begin(&w->xml, 1, "link");
  hfi_xml_put_text(&w->xml, "name", link->name);
  hfi_xml_print(&w->xml, ">\n");

  if (link->body > 0) write_inertial(w, link);
  for (int i = first; i < first + count && !w->xml.status; ++i) {
    int type = hf_model_geom_type(m)[i];
    if (type == HF_GEOM_PLANE || type == HF_GEOM_HFIELD) continue;
    if (hfi_robot_collides(m, i)) write_geom(w, link, i, 0);
    if (hfi_robot_is_drawn(m, i)) write_geom(w, link, i, 1);
  }

  if (count) write_restitution(w, link);
  hfi_xml_print(&w->xml, "  </link>\n");
}
