// Meshes as OBJ files in a folder beside the written file. Each is written whole, and before the file that refers to it.
#include "import/robot_write.h"

#include "base/error.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void print_hull(hfiXmlWriter* out, const hfModel* m, int mesh) {
  int faces = hf_model_mesh_facenum(m)[mesh];
  const double* vert = hf_model_hull_vert(m) + 3 * hf_model_mesh_vertadr(m)[mesh];
  const int32_t *start = hf_model_hull_facestart(m) + hf_model_mesh_faceadr(m)[mesh] + mesh,
                *corner = hf_model_hull_facevert(m) + hf_model_mesh_facevertadr(m)[mesh];
  for (int i = 0; i < hf_model_mesh_vertnum(m)[mesh]; ++i) {
    hfi_xml_print(out, "v ");
    hfi_xml_print_numbers(out, vert + 3 * i, 3);
    hfi_xml_print(out, "\n");
  }
  for (int f = 0; f < faces; ++f)
    for (int k = start[f] + 2; k < start[f + 1]; ++k)
      hfi_xml_print(out, "f %d %d %d\n", corner[start[f]] + 1, corner[k - 1] + 1, corner[k] + 1);
}

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

// A name for a file: letters, digits and "-_." of the mesh's name.
static const char* file_name(hfiRobotWriter* w, int mesh, int drawn) {
  enum { FILES = -2 }; // the space of their names
  const char* given = hfi_robot_name_of(w, HF_OBJECT_MESH, mesh);
  char* name = hfi_robot_take(w, strlen(given), 1);
  if (!name) return "";
  for (size_t i = 0; given[i]; ++i) name[i] = (char)(isalnum((unsigned char)given[i]) || strchr("-_.", given[i]) ? given[i] : '_');
  if (name[0] == '.') name[0] = '_';
  return hfi_robot_unique(w, FILES, drawn ? name : hfi_robot_format(w, "%s_hull", name), "_");
}

static void write_mesh(hfiRobotWriter* w, int mesh, int drawn, const char* path) {
  hfiXmlWriter out = {.path = path, .error = w->xml.error};
  w->xml.status = hfi_output_open(&out.out, path, HFI_OUTPUT_WHOLE, w->xml.error);
  if (w->xml.status) return;
  if (drawn) print_surface(&out, w->m, mesh);
  else print_hull(&out, w->m, mesh);
  w->xml.status = hfi_output_close(&out.out, w->xml.error);
}

const char* hfi_robot_mesh(hfiRobotWriter* w, int mesh, int drawn) {
  if (hf_model_mesh_surftrinum(w->m)[mesh] == 0) drawn = 0;
  const char** file = &w->mesh_file[drawn][mesh];
  if (*file || w->xml.status) return *file ? *file : "";
  const char *folder = hfi_robot_format(w, "%s.meshes", w->xml.path), *name = file_name(w, mesh, drawn);
  if (!w->xml.status && mkdir(folder, 0777) != 0 && errno != EEXIST)
    w->xml.status = hfi_refuse(w->xml.error, HF_ERROR_FILE, "%s: cannot make the folder: %s", folder, strerror(errno));
  const char* path = hfi_robot_format(w, "%s/%s.obj", folder, name);
  if (!w->xml.status) write_mesh(w, mesh, drawn, path);
  *file = hfi_robot_format(w, "%s/%s.obj", hfi_base_name(folder), name);
  return *file;
}
