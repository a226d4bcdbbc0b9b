// Reads PLY from memory, and computes the hull of a mesh that was accepted.
#include "fuzz_mesh.h"

FUZZ_MESH(hfi_trimesh_read_ply)
