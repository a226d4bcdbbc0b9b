// Attributes of <compiler>, <option> and <flag> that are not used, with what this means: rows of the tables of MJCF and
// of URDF, which has these elements in <mujoco>. An attribute that neither stands here nor is read is unknown, so that
// a slip in `timestep` or `gravity` is a warning.
#ifndef HFI_IMPORT_MJCF_SETTINGS_H
#define HFI_IMPORT_MJCF_SETTINGS_H

#define HFI_NO_EFFECT "no effect on the motion"
#define HFI_SOLVER_SETTING "a setting of MuJoCo's solver: Holdfast's own applies"

#define HFI_COMPILER_MEANINGS                                                                      \
  {"compiler", "texturedir", 1, NULL},                                                             \
  {"compiler", "discardvisual", 1, "geoms that are only drawn are kept: no effect on the motion"}, \
  {"compiler", "fusestatic", 1, "static bodies are kept: the motion is the same"},                 \
  {"compiler", "usethread", 1, HFI_NO_EFFECT},                                                     \
  {"compiler", "saveinertial", 1, HFI_NO_EFFECT},                                                  \
  {"compiler", "savecompiled", 1, HFI_NO_EFFECT},                                                  \
  {"compiler", "savecanonical", 1, HFI_NO_EFFECT},                                                 \
  {"compiler", "passthrough", 1, HFI_NO_EFFECT},                                                   \
  {"compiler", "convexhull", 1, "meshes always have a convex hull"},                               \
  {"compiler", "exactmeshinertia", 0, "an attribute of old versions: use inertia of <mesh>"}

#define HFI_OPTION_MEANINGS                                                    \
  {"option", "integrator", 1, "Holdfast's own method applies: see hf.method"}, \
  {"option", "apirate", 1, HFI_SOLVER_SETTING},                                \
  {"option", "ccd_iterations", 1, HFI_SOLVER_SETTING},                         \
  {"option", "ccd_tolerance", 1, HFI_SOLVER_SETTING},                          \
  {"option", "collision", 1, HFI_SOLVER_SETTING},                              \
  {"option", "iterations", 1, HFI_SOLVER_SETTING},                             \
  {"option", "jacobian", 1, HFI_SOLVER_SETTING},                               \
  {"option", "ls_iterations", 1, HFI_SOLVER_SETTING},                          \
  {"option", "ls_tolerance", 1, HFI_SOLVER_SETTING},                           \
  {"option", "mpr_iterations", 1, HFI_SOLVER_SETTING},                         \
  {"option", "mpr_tolerance", 1, HFI_SOLVER_SETTING},                          \
  {"option", "noslip_iterations", 1, HFI_SOLVER_SETTING},                      \
  {"option", "noslip_tolerance", 1, HFI_SOLVER_SETTING},                       \
  {"option", "sdf_initpoints", 1, HFI_SOLVER_SETTING},                         \
  {"option", "sdf_iterations", 1, HFI_SOLVER_SETTING},                         \
  {"option", "solver", 1, HFI_SOLVER_SETTING},                                 \
  {"option", "tolerance", 1, HFI_SOLVER_SETTING},                              \
  {"flag", "autoreset", 1, HFI_SOLVER_SETTING},                                \
  {"flag", "diagexact", 1, HFI_SOLVER_SETTING},                                \
  {"flag", "energy", 1, HFI_SOLVER_SETTING},                                   \
  {"flag", "eulerdamp", 1, HFI_SOLVER_SETTING},                                \
  {"flag", "fwdinv", 1, HFI_SOLVER_SETTING},                                   \
  {"flag", "invdiscrete", 1, HFI_SOLVER_SETTING},                              \
  {"flag", "ipc", 1, HFI_SOLVER_SETTING},                                      \
  {"flag", "island", 1, HFI_SOLVER_SETTING},                                   \
  {"flag", "midphase", 1, HFI_SOLVER_SETTING},                                 \
  {"flag", "multiccd", 1, HFI_SOLVER_SETTING},                                 \
  {"flag", "nativeccd", 1, HFI_SOLVER_SETTING},                                \
  {"flag", "refsafe", 1, HFI_SOLVER_SETTING},                                  \
  {"flag", "speculative", 1, HFI_SOLVER_SETTING},                              \
  {"flag", "warmstart", 1, HFI_SOLVER_SETTING},                                \
  {"flag", "sensor", 1, "sensors are measured whenever they are read"}

#endif
