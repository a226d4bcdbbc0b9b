// Reads a mesh from memory, and computes the hull of a mesh that was accepted. FUZZ_MESH(reader) is a whole fuzz target.
#ifndef HF_FUZZ_MESH_H
#define HF_FUZZ_MESH_H

#include "io/mesh/mesh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef hfStatus meshReader(hfiTriMesh* mesh, const char* text, size_t size, const char* file, hfError* error);

static inline int fuzz_mesh(meshReader* read, const uint8_t* data, size_t size) {
  static const double scale[3] = {-1, 2, 3}, refpos[3] = {1, 2, 3}, refquat[4] = {1, 1, 0, 0};
  hfiTriMesh mesh = {0};
  hfError error;
  char* text = malloc(size + 1); // of its own, so that a step beyond the end is seen
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  if (read(&mesh, text, size, "fuzz", &error) == HF_OK &&
      hfi_trimesh_transform(&mesh, scale, refpos, refquat, "fuzz", &error) == HF_OK)
    hfi_trimesh_hull(&mesh, -1, "fuzz", &error);
  hfi_trimesh_release(&mesh);
  free(text);
  return 0;
}

#define FUZZ_MESH(reader)                                                                                              \
  int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);                                                        \
  int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { return fuzz_mesh(reader, data, size); }

#endif
