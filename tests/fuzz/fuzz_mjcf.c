// Reads MJCF from memory. The first byte chooses options of the import. If the second byte is '<' the rest is XML; otherwise
// the bytes are instructions for writing well-formed XML (grammar.h). Files are looked for in tests/data/import.
#include <holdfast/import.h>

#include "grammar.h"

static const char* const elements[] = {
    "compiler", "option", "flag", "default", "asset", "mesh", "material", "model", "worldbody", "body", "frame",
    "replicate", "attach", "inertial", "joint", "freejoint", "geom", "site", "contact", "pair", "exclude",
    "equality", "connect", "weld", "tendon", "fixed", "spatial", "actuator", "general", "motor", "position",
    "velocity", "intvelocity", "damper", "cylinder", "muscle", "sensor", "touch", "gyro", "accelerometer",
    "jointpos", "framepos", "actuatorfrc", "keyframe", "key", "custom", "numeric", "text", "include", "light",
    "camera", "worldbody", "body", "body", "geom", "geom", "joint", "joint", "inertial", "asset", "mesh",
    "default", "actuator", NULL};
static const char* const attributes[] = {
    "name", "class", "childclass", "pos", "quat", "euler", "axisangle", "xyaxes", "zaxis", "size", "type",
    "fromto", "mesh", "file", "vertex", "face", "scale", "refpos", "refquat", "inertia", "maxhullvert", "mass",
    "density", "diaginertia", "fullinertia", "range", "limited", "axis", "ref", "springref", "stiffness",
    "damping", "armature", "frictionloss", "springdamper", "contype", "conaffinity", "condim", "priority",
    "friction", "margin", "gap", "solref", "solimp", "group", "joint", "joint1", "joint2", "body", "body1",
    "body2", "geom1", "geom2", "site", "site1", "site2", "anchor", "relpose", "polycoef", "coef", "tendon",
    "actuator", "objtype", "objname", "reftype", "refname", "gear", "ctrlrange", "forcerange", "actrange",
    "ctrllimited", "dyntype", "gaintype", "biastype", "dynprm", "gainprm", "biasprm", "kp", "kv", "dampratio",
    "timeconst", "inheritrange", "area", "bias", "cutoff", "qpos", "qvel", "ctrl", "act", "mpos", "time",
    "data", "angle", "eulerseq", "autolimits", "inertiafromgeom", "boundmass", "boundinertia", "balanceinertia",
    "settotalmass", "fitaabb", "gravity", "timestep", "mocap", "gravcomp", "count", "offset", "sep", "prefix",
    "model", "material", "rgba", "springlength", "delay", "nsample", "interp", "interval", "springyield", NULL};
static const char* const values[] = {
    "a", "b", "main", "1", "-1", "0", "0.5", "1 2 3", "0 0 0", "1 0 0 0", "0 0 0 0", "0.1 0.2 0.3", "1e-300",
    "1e300", "1 2", "-1 1", "1 1 1 0 0 0", "0 0 0 0 0 1", "box", "sphere", "capsule", "cylinder", "ellipsoid",
    "plane", "mesh", "hinge", "slide", "ball", "free", "true", "false", "auto", "ell.obj", "ell.stl",
    "attach_child.xml", "parts/options.xml", "body", "xbody", "geom", "site", "affine", "filter", "integrator",
    "radian", "XYZ", "exact", "convex", "shell", "3", "6", "0 0 0 1 0 0 0 1 0 0 0 1", "0 1 2 0 2 3",
    "hf.stiffness", "hf.signal.a", "hf.method", "sine 1 2 3 4", "1000", "upper", "world", "zoh", "linear", "cubic", NULL};

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Grammar grammar = {"mujoco", elements, attributes, values};
  if (size < 2) return 0;
  hfImportConfig config = hf_import_config_default();
  config.skip_meshes = data[0] & 1;
  import_document(&grammar, "fuzz.xml", &config, data + 1, size - 1);
  return 0;
}
