// The table of shapes, and shapes and hulls as the model stores them.
#include "step/geometry/shape_table.h"

const hfiShapeFunctions* const hfi_shape_functions[HFI_SHAPES] = {
    [HF_GEOM_PLANE] = &hfi_plane,         [HF_GEOM_SPHERE] = &hfi_sphere,     [HF_GEOM_CAPSULE] = &hfi_capsule,
    [HF_GEOM_ELLIPSOID] = &hfi_ellipsoid, [HF_GEOM_CYLINDER] = &hfi_cylinder, [HF_GEOM_BOX] = &hfi_box,
    [HF_GEOM_MESH] = &hfi_mesh,           [HF_GEOM_HFIELD] = &hfi_hfield,
};

hfiAabb hfi_shape_aabb(const hfiShape* s, const hfPose* X_WG) { return hfi_functions(s)->bounds(s, X_WG); }

hfiNearest hfi_nearest(const hfiShape* s, hfVec3 p) { return hfi_functions(s)->nearest(s, p); }

// Returns the largest number of points in which shapes of two types touch.
int hfi_pair_points(int type_a, int type_b) {
  if (type_a == HF_GEOM_HFIELD || type_b == HF_GEOM_HFIELD) return HFI_MAX_POINTS;
  return imin2(hfi_shape_functions[type_a]->max_points, hfi_shape_functions[type_b]->max_points);
}

// Returns a view of the hull of a mesh. Start lists have one entry more than the mesh has faces or vertices, so that
// each mesh shifts those behind it by one.
hfiHull hfi_model_hull(const hfModel* m, int mesh) {
  int first_vertex = hf_model_mesh_vertadr(m)[mesh];
  int first_face = hf_model_mesh_faceadr(m)[mesh];
  return (hfiHull){.nvert = hf_model_mesh_vertnum(m)[mesh],
                   .nface = hf_model_mesh_facenum(m)[mesh],
                   .vert = hf_model_hull_vert(m) + 3 * first_vertex,
                   .face_start = hf_model_hull_facestart(m) + first_face + mesh,
                   .face_vert = hf_model_hull_facevert(m) + hf_model_mesh_facevertadr(m)[mesh],
                   .face_plane = hf_model_hull_faceplane(m) + 4 * first_face,
                   .edge_start = hf_model_hull_edgestart(m) + first_vertex + mesh,
                   .edge_vert = hf_model_hull_edgevert(m) + hf_model_mesh_edgeadr(m)[mesh],
                   .index = NULL};
}

hfiShape hfi_model_shape(const hfModel* m, int geom, const hfiHull* hull, const hfiHeightField* field) {
  const double* size = hf_model_geom_size(m) + 3 * geom;
  return (hfiShape){hf_model_geom_type(m)[geom], {size[0], size[1], size[2]}, hull, field};
}
