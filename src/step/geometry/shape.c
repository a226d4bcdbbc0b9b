// The table of shapes, and shapes and hulls as the model stores them.
#include "step/geometry/shape_table.h"

const hfiShapeFunctions* const hfi_shape_functions[HFI_SHAPES] = {
    [HF_GEOM_PLANE] = &hfi_plane,         [HF_GEOM_SPHERE] = &hfi_sphere,     [HF_GEOM_CAPSULE] = &hfi_capsule,
    [HF_GEOM_ELLIPSOID] = &hfi_ellipsoid, [HF_GEOM_CYLINDER] = &hfi_cylinder, [HF_GEOM_BOX] = &hfi_box,
    [HF_GEOM_MESH] = &hfi_mesh,           [HF_GEOM_HFIELD] = &hfi_hfield,
};

hfiAabb hfi_shape_aabb(const hfiShape* s, const hfPose* X_WG) { return hfi_functions(s)->bounds(s, X_WG); }

hfiNearest hfi_nearest(const hfiShape* s, hfVec3 p) { return hfi_functions(s)->nearest(s, p); }

int hfi_pair_points(int type_a, int type_b) {
  if (type_a == HF_GEOM_HFIELD || type_b == HF_GEOM_HFIELD) return HFI_MAX_POINTS;
  return imin2(hfi_shape_functions[type_a]->max_points, hfi_shape_functions[type_b]->max_points);
}

hfiHull hfi_model_hull(const hfModel* m, int mesh) {
  int vert = hf_model_mesh_vertadr(m)[mesh], face = hf_model_mesh_faceadr(m)[mesh];
  hfiHull h;
  h.nvert = hf_model_mesh_vertnum(m)[mesh];
  h.nface = hf_model_mesh_facenum(m)[mesh];
  h.vert = hf_model_hull_vert(m) + 3 * vert;
  h.face_start = hf_model_hull_facestart(m) + face + mesh;
  h.face_vert = hf_model_hull_facevert(m) + hf_model_mesh_facevertadr(m)[mesh];
  h.face_plane = hf_model_hull_faceplane(m) + 4 * face;
  h.edge_start = hf_model_hull_edgestart(m) + vert + mesh;
  h.edge_vert = hf_model_hull_edgevert(m) + hf_model_mesh_edgeadr(m)[mesh];
  h.index = NULL;
  return h;
}

hfiShape hfi_model_shape(const hfModel* m, int geom, const hfiHull* hull, const hfiHeightField* field) {
  const double* size = hf_model_geom_size(m) + 3 * geom;
  hfiShape shape = {hf_model_geom_type(m)[geom], {size[0], size[1], size[2]}, hull, field};
  return shape;
}
