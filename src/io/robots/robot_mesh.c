// Meshes as OBJ files and height fields as images, in a folder beside the written file. They replace older files only
// when everything is written, just before the file that refers to them. So a refusal leaves all older files as they
// were, and a process that is killed hardly ever leaves some of them replaced.
//
// w: the writer, m: its model, out: the file that is written.
#include "io/robots/robot_write.h"

#include "base/error.h"
#include "io/mesh/png.h"
#include "math/sine.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Prints the convex hull of a mesh: its vertices, and its faces divided into triangles. The lists of a mesh have one
// entry more than it has faces, so the list of mesh number i begins i entries later.
static void print_hull(hfiXmlWriter* out, const hfModel* m, int mesh) {
  int faces = hf_model_mesh_facenum(m)[mesh];
  const double* vert = hf_model_hull_vert(m) + 3 * hf_model_mesh_vertadr(m)[mesh];
  const int32_t* start = hf_model_hull_facestart(m) + hf_model_mesh_faceadr(m)[mesh] + mesh;
  const int32_t* corner = hf_model_hull_facevert(m) + hf_model_mesh_facevertadr(m)[mesh];

  for (int i = 0; i < hf_model_mesh_vertnum(m)[mesh]; ++i) {
    hfi_xml_print(out, "v ");
    hfi_xml_print_numbers(out, vert + 3 * i, 3);
    hfi_xml_print(out, "\n");
  }

  for (int f = 0; f < faces; ++f)
    for (int k = start[f] + 2; k < start[f + 1]; ++k)
      hfi_xml_print(out, "f %d %d %d\n", corner[start[f]] + 1, corner[k - 1] + 1, corner[k] + 1);
}

// Prints the surface of a mesh, as it is drawn.
static void print_surface(hfiXmlWriter* out, const hfModel* m, int mesh) {
  const float* vert = hf_model_surf_vert(m) + 3 * hf_model_mesh_surfvertadr(m)[mesh];
  const int32_t* tri = hf_model_surf_tri(m) + 3 * hf_model_mesh_surftriadr(m)[mesh];

  for (int i = 0; i < hf_model_mesh_surfvertnum(m)[mesh]; ++i) {
    hfi_xml_print(out, "v ");
    hfi_xml_print_floats(out, vert + 3 * i, 3);
    hfi_xml_print(out, "\n");
  }

  for (int i = 0; i < hf_model_mesh_surftrinum(m)[mesh]; ++i)
    hfi_xml_print(out, "f %d %d %d\n", tri[3 * i] + 1, tri[3 * i + 1] + 1, tri[3 * i + 2] + 1);
}

// ---- files --------------------------------------------------------------------------------------

enum { SPACE_FILES = -2 }; // the space of names of these files

// At most this many files stay open, since the system allows a process 256 or more. If a robot has more files, these
// get their names early.
enum { MOST_UNNAMED = 128 };

// Gives the files their names. After a refusal it drops them, and the folder if it was made and is empty.
void hfi_robot_name_files(hfiRobotWriter* w) {
  for (int i = 0; i < w->files.nunnamed; ++i) {
    if (w->xml.status)
      hfi_output_discard(&w->files.unnamed[i]);
    else
      w->xml.status = hfi_output_close(&w->files.unnamed[i], w->xml.error);
  }
  w->files.nunnamed = 0;
  if (w->xml.status && w->files.folder) rmdir(w->files.folder); // This fails if the folder is not empty.
}

// Opens a file, which has no name yet. Returns 0 after a refusal.
static int open_file(hfiRobotWriter* w, hfiXmlWriter* out) {
  if (w->files.nunnamed == MOST_UNNAMED) hfi_robot_name_files(w);
  if (!w->files.unnamed) w->files.unnamed = hfi_robot_take(w, MOST_UNNAMED, sizeof *w->files.unnamed);
  if (!w->xml.status) w->xml.status = hfi_output_open(&out->out, out->path, HFI_OUTPUT_WHOLE, w->xml.error);
  return !w->xml.status;
}

// Writes the buffered contents of a file. It gets its name with the others.
static void finish_file(hfiRobotWriter* w, hfiXmlWriter* out) {
  if (!w->xml.status) w->xml.status = hfi_output_flush(&out->out, w->xml.error);
  w->files.unnamed[w->files.nunnamed] = out->out;
  ++w->files.nunnamed;
}

// A name for a file of the folder: letters, digits and "-_." of the object's name.
static const char* file_name(hfiRobotWriter* w, hfObjectKind kind, int id, const char* suffix) {
  const char* given = hfi_robot_name_of(w, kind, id);
  char* name = hfi_robot_take(w, strlen(given), 1);
  if (!name) return "";

  for (size_t i = 0; given[i]; ++i) {
    int is_allowed = isalnum((unsigned char)given[i]) || strchr("-_.", given[i]);
    name[i] = is_allowed ? given[i] : '_';
  }

  if (name[0] == '.') name[0] = '_';
  return hfi_robot_unique(w, SPACE_FILES, hfi_robot_format(w, "%s%s", name, suffix), "_");
}

// Makes the folder and returns the path of a file in it.
static const char* path_in_folder(hfiRobotWriter* w, const char* name) {
  const char* folder = hfi_robot_format(w, "%s.meshes", w->xml.path);
  if (!w->xml.status && mkdir(folder, 0777) == 0)
    w->files.folder = folder;
  else if (!w->xml.status && errno != EEXIST)
    w->xml.status = hfi_refuse(w->xml.error, HF_ERROR_FILE, "%s: cannot make the folder: %s", folder, strerror(errno));
  return hfi_robot_format(w, "%s/%s", folder, name);
}

// The name by which the written file refers to a file in the folder.
static const char* relative_name(hfiRobotWriter* w, const char* name) {
  return hfi_robot_format(w, "%s.meshes/%s", hfi_base_name(w->xml.path), name);
}

// Writes a mesh as an OBJ file: its surface if `drawn`, else its hull.
static void write_mesh(hfiRobotWriter* w, int mesh, int drawn, const char* path) {
  hfiXmlWriter out = {.path = path, .error = w->xml.error};
  if (!open_file(w, &out)) return;
  if (drawn)
    print_surface(&out, w->m, mesh);
  else
    print_hull(&out, w->m, mesh);
  finish_file(w, &out);
}

// The name by which the robot's file refers to a mesh, which the first call writes. A mesh without a surface is written
// as its hull.
const char* hfi_robot_mesh(hfiRobotWriter* w, int mesh, int drawn) {
  if (hf_model_mesh_surftrinum(w->m)[mesh] == 0) drawn = 0;
  const char** file = &w->files.mesh_file[drawn][mesh];
  if (*file || w->xml.status) return *file ? *file : "";

  const char* name = hfi_robot_format(w, "%s.obj", file_name(w, HF_OBJECT_MESH, mesh, drawn ? "" : "_hull"));
  write_mesh(w, mesh, drawn, path_in_folder(w, name));
  *file = relative_name(w, name);
  return *file;
}

// ---- a ball -------------------------------------------------------------------------------------

enum { RINGS = 24, SEGMENTS = 48 }; // Numbers of equal angles from pole to pole, and around the axis.

// Prints a ball of radius 1. Vertex 1 is the lower pole, then come the rings, the last is the upper pole.
static void print_ball(hfiXmlWriter* out) {
  int upper_pole = 2 + (RINGS - 1) * SEGMENTS;
  for (int i = 0; i <= RINGS; ++i) {
    int count = i == 0 || i == RINGS ? 1 : SEGMENTS;
    for (int k = 0; k < count; ++k) {
      double polar = HFI_PI * i / RINGS;
      double turn = 2 * HFI_PI * k / SEGMENTS;
      double radius = hfi_sine(polar).sin;
      const double p[3] = {radius * hfi_sine(turn).cos, radius * hfi_sine(turn).sin, -hfi_sine(polar).cos};
      hfi_xml_print(out, "v ");
      hfi_xml_print_numbers(out, p, 3);
      hfi_xml_print(out, "\n");
    }
  }

  // segment by segment: the triangles at both poles, then two between each ring and the next one
  for (int k = 0; k < SEGMENTS; ++k) {
    // a, b: vertices of the lowest ring at both sides of the segment; last_ring: from there to the highest ring
    int a = 2 + k;
    int b = 2 + (k + 1) % SEGMENTS;
    int last_ring = (RINGS - 2) * SEGMENTS;
    hfi_xml_print(out, "f 1 %d %d\nf %d %d %d\n", b, a, upper_pole, a + last_ring, b + last_ring);
    for (int i = 0; i < last_ring; i += SEGMENTS) {
      hfi_xml_print(out, "f %d %d %d\n", a + i, b + i, b + i + SEGMENTS);
      hfi_xml_print(out, "f %d %d %d\n", a + i, b + i + SEGMENTS, a + i + SEGMENTS);
    }
  }
}

// The name by which the robot's file refers to a ball of radius 1, which the first call writes.
const char* hfi_robot_ball(hfiRobotWriter* w) {
  if (w->files.ball_file || w->xml.status) return w->files.ball_file ? w->files.ball_file : "";

  const char* name = hfi_robot_format(w, "%s.obj", hfi_robot_unique(w, SPACE_FILES, "ball", "_"));
  const char* path = path_in_folder(w, name);
  hfiXmlWriter out = {.path = path, .error = w->xml.error};
  if (!open_file(w, &out)) return "";
  print_ball(&out);
  finish_file(w, &out);
  w->files.ball_file = relative_name(w, name);
  return w->files.ball_file;
}

// ---- height fields ------------------------------------------------------------------------------

// Makes the image of a height field: grey values from 0 for the lowest to 255 for the highest height. The first line of
// an image is at +y.
static uint8_t* make_image(hfiRobotWriter* w, int hfield, int nrow, int ncol) {
  const double* height = hf_model_hfield_height(w->m) + hf_model_hfield_adr(w->m)[hfield];
  const double* range = hf_model_hfield_range(w->m) + 2 * hfield;
  double scale = range[1] > range[0] ? 255 / (range[1] - range[0]) : 0;
  uint8_t* grey = hfi_robot_take(w, (size_t)nrow * (size_t)ncol, 1);

  for (int r = 0; grey && r < nrow; ++r) {
    uint8_t* line = grey + (size_t)(nrow - 1 - r) * (size_t)ncol;
    for (int c = 0; c < ncol; ++c) line[c] = (uint8_t)(0.5 + scale * (height[r * ncol + c] - range[0]));
  }
  return grey;
}

// The name by which the robot's file refers to the image of a height field, which the first call writes.
const char* hfi_robot_height_image(hfiRobotWriter* w, int hfield) {
  const char** file = &w->files.image_file[hfield];
  int nrow = hf_model_hfield_nrow(w->m)[hfield];
  int ncol = hf_model_hfield_ncol(w->m)[hfield];
  if (*file || w->xml.status) return *file ? *file : "";

  const char* name = hfi_robot_format(w, "%s.png", file_name(w, HF_OBJECT_HFIELD, hfield, ""));
  const char* path = path_in_folder(w, name);
  uint8_t* grey = make_image(w, hfield, nrow, ncol);
  hfiXmlWriter out = {.path = path, .error = w->xml.error};
  if (!open_file(w, &out)) return "";
  w->xml.status = hfi_png_write(&out.out, grey, ncol, nrow, w->xml.error);
  finish_file(w, &out);
  *file = relative_name(w, name);
  return *file;
}
