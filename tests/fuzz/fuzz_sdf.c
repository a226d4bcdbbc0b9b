// Reads SDFormat from memory. The first byte chooses options of the import. If the second byte is '<' the rest is XML; otherwise
// the bytes are instructions for writing well-formed XML (grammar.h). Files are looked for in tests/data/import.
#include <holdfast/import.h>

#include "grammar.h"

static const char* const elements[] = {
    "model", "link", "link", "joint", "joint", "frame", "include", "world", "pose", "pose", "inertial", "mass", "inertia", "ixx",
    "collision", "visual", "geometry", "box", "size", "sphere", "radius", "cylinder", "length", "plane", "normal", "mesh", "uri", "scale",
    "ellipsoid", "radii", "parent", "child", "axis", "axis2", "xyz", "limit", "lower", "upper", "effort", "dynamics", "damping", "mimic",
    "multiplier", "static", "surface", "friction", "ode", "mu", "drake:proximity_properties", "drake:mu_dynamic", NULL};
static const char* const attributes[] = {"name", "name", "type", "relative_to", "attached_to", "expressed_in", "canonical_link", "joint",
                                         "rotation_format", "degrees", "placement_frame", NULL};
static const char* const values[] = {
    "a", "b", "c", "a::b", "__model__", "world", "1", "-1", "0", "0.5", "1 2 3", "0 0 0 0 0 0", "1 2 3 0.1 0.2 0.3", "0 0 1", "true",
    "revolute", "continuous", "prismatic", "fixed", "ball", "universal", "ell.obj", "model://x", "quat_xyzw", NULL};

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Grammar grammar = {"sdf", elements, attributes, values};
  if (size < 2) return 0;
  hfImportConfig config = hf_import_config_default();
  config.fixed_base = data[0] & 1;
  config.skip_meshes = data[0] >> 1 & 1;
  config.urdf_actuators = data[0] >> 2 & 3;
  import_document(&grammar, "fuzz.sdf", &config, data + 1, size - 1);
  return 0;
}
