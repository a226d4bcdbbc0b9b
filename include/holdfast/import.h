// Worlds from files: MJCF, URDF and SDFormat, chosen by the root element.
#ifndef HOLDFAST_IMPORT_H
#define HOLDFAST_IMPORT_H

#include <holdfast/builder.h>
#include <holdfast/model.h>
#include <holdfast/version.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hfSeverity {
  HF_NOTE,    // something is not used, without effect on the motion, or is used differently than written (solref became a stiffness)
  HF_WARNING, // something is not used, and the motion may differ; the message says how
} hfSeverity;

// A message of a reader about a file that it accepted. hfDiagnostics owns it.
typedef struct hfDiagnostic {
  hfSeverity severity;
  const char* file;
  int32_t line; // 0: the file has no lines, as a saved model
  const char* message;
  int32_t count; // how often this message applies; only the first place is reported
} hfDiagnostic;

typedef struct hfDiagnostics hfDiagnostics;
HF_API hfDiagnostics* hf_diagnostics_create(void);
HF_API void hf_diagnostics_free(hfDiagnostics* diagnostics);
HF_API int hf_diagnostics_count(const hfDiagnostics* diagnostics);
HF_API hfDiagnostic hf_diagnostics_get(const hfDiagnostics* diagnostics, int index);

// What a mesh of a model is beside its convex hull, by which it collides.
typedef struct hfMeshShape {
  double volume;       // of the solid that the surface bounds, by signed tetrahedra [m^3]
  double hull_volume;  // of the convex hull [m^3]
  double volume_ratio; // hull_volume over volume [-]
  double opening;      // area of the opening of a surface with one flat edge, 0 if it is closed: the norm of its vector area [m^2]
  double longest_side; // of the box around the mesh [m]
  int32_t has_opening; // 1: the surface is open, so that `volume` says little
  int32_t differs;     // 1: there is an opening, or volume_ratio is above 1.1
} hfMeshShape;
HF_API hfMeshShape hf_model_mesh_shape(const hfModel* model, int32_t mesh);
// Adds what surprises in the shapes of a model: meshes of objects that collide as convex hulls of another shape (a warning), those of links (one note),
// and sizes that look like millimetres (notes). `file` is the name in the messages. hf_model_load and hf_model_parse do this with their diagnostics;
// call it after hf_builder_finish.
HF_API void hf_model_diagnose(const hfModel* model, const char* file, hfDiagnostics* diagnostics);

// Which actuators a URDF or SDFormat robot gets.
typedef enum hfUrdfActuators {
  HF_URDF_FROM_FILE,       // those of <ros2_control> and <transmission>; in SDFormat a motor for each joint whose effort is not 0 (default)
  HF_URDF_POSITION_SERVOS, // one for every revolute, continuous and prismatic joint that follows no other joint
  HF_URDF_VELOCITY_SERVOS,
  HF_URDF_MOTORS,
  HF_URDF_NONE
} hfUrdfActuators;

typedef struct hfImportConfig {
  const char* const* search_path; // folders for package:// and relative files, after the file's own
  int32_t search_count;
  int32_t merge_fixed_links; // URDF: 1 folds links on fixed joints into their parent (default 0: kept)
  int32_t floating_base;     // URDF: 1 gives the root link a free joint (default 0: welded to the world)
  int32_t fixed_base;        // SDFormat: 1 fixes links that no joint moves in the world (default 0: they float, unless their model is static)
  int32_t skip_meshes;       // 1: a geom whose mesh file is missing, cannot be read or is flat is left out with a warning (default 0: refused,
                         // unless the geom is only drawn)
  int32_t urdf_actuators;    // hfUrdfActuators
  const char* srdf;          // URDF: MoveIt's file beside it, or NULL. Its collision pairs are excluded, and its group states become keyframes.
  double servo_kp, servo_kv; // URDF: gains of servos [N m/rad or N/m, N m s/rad or N s/m]; 0: by the joint's effort
} hfImportConfig;

HF_API hfImportConfig hf_import_config_default(void);

// config and diagnostics may be NULL. On refusal *model is untouched and error says file:line. A file that hf_model_write wrote is
// read too.
HF_API hfStatus hf_model_load(hfModel** model, const char* path, const hfImportConfig* config,
                              hfDiagnostics* diagnostics, hfError* error);
// The same from text in memory, or from the bytes of such a saved file; `name` stands for the file in messages, relative files resolve from `folder`.
HF_API hfStatus hf_model_parse(hfModel** model, const char* text, size_t length, const char* name,
                               const char* folder, const hfImportConfig* config,
                               hfDiagnostics* diagnostics, hfError* error);
// Reads a file into a new builder, so that a program can change it, attach other builders to it (hf_builder_attach) and finish it.
// Free it with hf_builder_free. On refusal *builder is untouched.
HF_API hfStatus hf_builder_load(hfBuilder** builder, const char* path, const hfImportConfig* config,
                                hfDiagnostics* diagnostics, hfError* error);
// The same from text in memory, as hf_model_parse.
HF_API hfStatus hf_builder_parse(hfBuilder** builder, const char* text, size_t length, const char* name, const char* folder,
                                 const hfImportConfig* config, hfDiagnostics* diagnostics, hfError* error);
// Writes the definitions of a builder as one MJCF file, which gives the same model again. Meshes are written into it, and parameters that MJCF lacks
// into <custom>. Refuses what MJCF cannot describe (HF_ERROR_UNSUPPORTED); then an older file stays.
HF_API hfStatus hf_builder_write_mjcf(const hfBuilder* builder, const char* path, hfError* error);
// Writes a model as SDFormat or URDF. Meshes become OBJ files in the folder "PATH.meshes", which are written first. The diagnostics, which may be
// NULL, list what the format cannot describe and the file therefore lacks, with the file and the line 0. SDFormat takes any model. For URDF a model
// is refused (HF_ERROR_UNSUPPORTED) if it is no robot of one tree, or has joints or loops that URDF cannot describe. On a refusal an older file
// stays.
HF_API hfStatus hf_model_write_sdf(const hfModel* model, const char* path, hfDiagnostics* diagnostics, hfError* error);
HF_API hfStatus hf_model_write_urdf(const hfModel* model, const char* path, hfDiagnostics* diagnostics, hfError* error);

// The convex hull of points (nvert x 3), for hfMeshDef: *tri (*ntri x 3) are outward triangles of indices into vert, for
// hf_hull_free. max_vertices, if above 3, limits the vertices of the hull. Refuses points that lie in a plane.
HF_API hfStatus hf_hull_compute(const double* vert, int32_t nvert, int32_t max_vertices, int32_t** tri, int32_t* ntri,
                                hfError* error);
HF_API void hf_hull_free(int32_t* tri);

#ifdef __cplusplus
}
#endif
#endif
