// Reads URDF from memory. The first byte chooses options of the import. If the second byte is '<' the rest is XML; otherwise
// the bytes are instructions for writing well-formed XML (grammar.h). Files are looked for in tests/data/import.
#include <holdfast/import.h>

#include "grammar.h"

static const char* const elements[] = {
    "link", "link", "link", "joint", "joint", "joint", "inertial", "mass", "inertia", "origin", "origin",
    "collision", "collision", "visual", "geometry", "geometry", "box", "sphere", "cylinder", "capsule", "mesh",
    "drake:ellipsoid", "parent", "parent", "child", "child", "axis", "limit", "dynamics", "mimic", "material",
    "color", "gazebo", "mu1", "mu2", "transmission", "frame", "drake:proximity_properties", "drake:mu_static",
    "drake:mu_dynamic", "drake:point_contact_stiffness", "drake:hunt_crossley_dissipation",
    "drake:collision_filter_group", "drake:member", "drake:ignored_collision_filter_group", "mujoco",
    "compiler", "option", "safety_controller", NULL};
static const char* const attributes[] = {
    "name", "name", "link", "link", "type", "xyz", "rpy", "value", "ixx", "iyy", "izz", "ixy", "ixz", "iyz",
    "size", "radius", "length", "a", "b", "c", "filename", "scale", "lower", "upper", "effort", "velocity",
    "damping", "friction", "joint", "multiplier", "offset", "rgba", "reference", "meshdir", "strippath",
    "balanceinertia", "boundmass", "inertiafromgeom", "discardvisual", "timestep", NULL};
static const char* const values[] = {
    "a", "b", "c", "world", "1", "-1", "0", "0.5", "1 2 3", "0 0 0", "1 0 0", "0 1 1", "1e-300", "1e300",
    "revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical", "ell.obj", "ell.stl",
    "package://import/ell.obj", "package://x/y.stl", "true", "false", "0.1", "0.2", "1 1 1", "-1 1 1", NULL};

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Grammar grammar = {"robot", elements, attributes, values};
  if (size < 2) return 0;
  hfImportConfig config = hf_import_config_default();
  config.merge_fixed_links = data[0] & 1;
  config.floating_base = data[0] >> 1 & 1;
  config.skip_meshes = data[0] >> 2 & 1;
  import_document(&grammar, "fuzz.xml", &config, data + 1, size - 1);
  return 0;
}
