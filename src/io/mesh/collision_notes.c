// Notes about the shapes of a model that surprise: meshes that collide as something else than what is drawn, and sizes
// in millimetres.
//
// A mesh collides as its convex hull. With the triangles (a, b, c) of a surface, seen from any point,
//   volume V = sum a.(b x c)/6,   vector area A = sum (b - a) x (c - a)/2,
// where A = 0 if the surface is closed. Otherwise |A| is the area of the opening, if it has one flat edge.
// The hull fills what is hollow: its volume over V says by how much.
//
// m: the model, said: the diagnostics to which notes are added.
#include <holdfast/import.h>

#include "io/xml/reader.h"
#include "math/vec3.h"

#include <stdio.h>

// A hull of at most this many times the volume of its mesh is the mesh for most purposes [-].
static const double CONVEX_VOLUME_RATIO = 1.1;
// A surface is closed if its vector area is at most this share of its area [-]. Published meshes have up to 3e-4, and
// from 0.2 on if they are open.
static const double CLOSED_AREA_SHARE = 0.01;
// Longer shapes are probably written in millimetres: of a body that moves, and of one that does not [m].
static const double LONG_MOVING_SHAPE = 5;
static const double LONG_FIXED_MESH = 20;
// So many objects are named one by one; the others are counted.
enum { NAMED_OBJECTS = 3 };

// ---- the shape of a mesh --------------------------------------------------------------------------

// Volume [m^3] of the convex hull of a mesh. Its faces are polygons, which are cut into triangles from their first
// corner.
static double compute_hull_volume(const hfModel* m, int mesh) {
  const double* vert = hf_model_hull_vert(m) + 3 * hf_model_mesh_vertadr(m)[mesh];
  const int32_t* start = hf_model_hull_facestart(m) + hf_model_mesh_faceadr(m)[mesh] + mesh;
  const int32_t* corner = hf_model_hull_facevert(m) + hf_model_mesh_facevertadr(m)[mesh];
  double volume = 0;

  for (int f = 0; f < hf_model_mesh_facenum(m)[mesh]; ++f)
    for (int k = start[f] + 2; k < start[f + 1]; ++k) {
      hfVec3 a = v3_load(vert + 3 * corner[start[f]]);
      hfVec3 b = v3_load(vert + 3 * corner[k - 1]);
      hfVec3 c = v3_load(vert + 3 * corner[k]);
      volume += v3_dot(a, v3_cross(b, c)) / 6;
    }
  return volume;
}

// Corner k of a triangle of the surface of a mesh [m].
static hfVec3 get_corner(const float* vert, const int32_t* tri, int k) {
  const float* p = vert + 3 * tri[k];
  return v3(p[0], p[1], p[2]);
}

// Sets volume, opening and has_opening of a mesh from the triangles of its surface.
static void measure_surface(const hfModel* m, int mesh, hfMeshShape* shape) {
  const float* vert = hf_model_surf_vert(m) + 3 * hf_model_mesh_surfvertadr(m)[mesh];
  const int32_t* tri = hf_model_surf_tri(m) + 3 * hf_model_mesh_surftriadr(m)[mesh];
  hfVec3 vector_area = v3_zero();
  double area = 0;

  for (int i = 0; i < hf_model_mesh_surftrinum(m)[mesh]; ++i, tri += 3) {
    hfVec3 a = get_corner(vert, tri, 0);
    hfVec3 b = get_corner(vert, tri, 1);
    hfVec3 c = get_corner(vert, tri, 2);
    hfVec3 normal = v3_scale(0.5, v3_cross(v3_sub(b, a), v3_sub(c, a)));
    area += v3_norm(normal);
    vector_area = v3_add(vector_area, normal);
    // a.normal/3 = a.(b x c)/6: normal is (b - a) x (c - a)/2, whose length is the area of the triangle
    shape->volume += v3_dot(a, normal) / 3;
  }

  shape->opening = v3_norm(vector_area);
  shape->has_opening = shape->opening > CLOSED_AREA_SHARE * area;
  shape->volume = fabs(shape->volume); // a surface that is inside out bounds the same solid
}

// Longest side [m] of the box around the hull of a mesh, in the frame of the mesh.
static double compute_longest_side(const hfModel* m, int mesh) {
  const double* vert = hf_model_hull_vert(m) + 3 * hf_model_mesh_vertadr(m)[mesh];
  double longest = 0;

  for (int k = 0; k < 3; ++k) {
    double low = vert[k];
    double high = vert[k];
    for (int i = 1; i < hf_model_mesh_vertnum(m)[mesh]; ++i) {
      low = min2(low, vert[3 * i + k]);
      high = max2(high, vert[3 * i + k]);
    }
    longest = max2(longest, high - low);
  }
  return longest;
}

// Measures a mesh and its hull: volumes, opening, length, and whether the hull differs from the mesh.
hfMeshShape hf_model_mesh_shape(const hfModel* m, int32_t mesh) {
  hfMeshShape shape = {.hull_volume = compute_hull_volume(m, mesh), .longest_side = compute_longest_side(m, mesh)};

  if (hf_model_mesh_surftrinum(m)[mesh] > 0)
    measure_surface(m, mesh, &shape);
  else
    shape.volume = shape.hull_volume; // points without triangles

  shape.volume_ratio = shape.volume > 0 ? shape.hull_volume / shape.volume : INFINITY;
  shape.differs = shape.has_opening || shape.volume_ratio > CONVEX_VOLUME_RATIO;
  return shape;
}

// ---- meshes and their hulls -----------------------------------------------------------------------

// The geom that is nearest to being an object of its own among the colliding geoms of a mesh; -1: no geom with it
// collides.
typedef struct Use {
  int geom;
  int is_object;
} Use;

// Whether a body is part of a mechanism: its tree has joints other than one free joint, or a body that hangs on it
// moves.
static int is_link(const hfModel* m, int body) {
  int tree = hf_model_body_tree(m)[body];

  if (tree >= 0) {
    int joint = hf_model_body_jntadr(m)[hf_model_tree_body(m)[tree]];
    int is_free = joint >= 0 && hf_model_jnt_type(m)[joint] == HF_JOINT_FREE;
    return !is_free || hf_model_tree_dofnum(m)[tree] > 6;
  }

  // fixed: the base of a robot, or an object that lies in the world
  for (int b = body + 1; body > 0 && b < hf_model_body_subtreeend(m)[body]; ++b)
    if (hf_model_body_tree(m)[b] >= 0) return 1;
  return 0;
}

// Finds a colliding geom that uses a mesh, an object of its own before a link.
static Use find_use(const hfModel* m, int mesh) {
  Use use = {.geom = -1};

  for (int g = 0; g < m->ngeom && !use.is_object; ++g) {
    int collides = hf_model_geom_contype(m)[g] || hf_model_geom_conaffinity(m)[g];
    if (hf_model_geom_type(m)[g] != HF_GEOM_MESH || hf_model_geom_mesh(m)[g] != mesh || !collides) continue;
    use.geom = g;
    use.is_object = !is_link(m, hf_model_geom_body(m)[g]);
  }
  return use;
}

// Writes 'mesh "cup" of body "mug"'.
static void print_mesh(const hfModel* m, int mesh, int geom, char* text, size_t size) {
  char mesh_label[HF_LABEL_SIZE];
  char body_label[HF_LABEL_SIZE];
  snprintf(text, size, "mesh \"%.80s\" of body \"%.80s\"", hf_model_label(m, HF_OBJECT_MESH, mesh, mesh_label),
           hf_model_label(m, HF_OBJECT_BODY, hf_model_geom_body(m)[geom], body_label));
}

// Warns of one object that collides as something else than its mesh.
static void warn_of_object(const hfModel* m, int mesh, int geom, const hfMeshShape* shape, const char* file,
                           hfDiagnostics* said) {
  static const char advice[] = "For contact inside, take several convex meshes or primitive shapes "
                               "(CoACD cuts a mesh into convex parts)";
  char name[200];
  char message[HF_MESSAGE_SIZE];

  print_mesh(m, mesh, geom, name, sizeof name);
  if (shape->has_opening)
    snprintf(message, sizeof message,
             "%s collides as its convex hull, and its surface is open (%.3g cm^2): "
             "hollows and holes in it are filled. %s",
             name, 1e4 * shape->opening, advice);
  else
    snprintf(message, sizeof message,
             "%s collides as its convex hull, which has %.3g times its volume: hollows and holes in it are filled. %s",
             name, shape->volume_ratio, advice);
  hfi_diagnostics_add(said, HF_WARNING, file, 0, message, "");
}

// Reports meshes that collide as something else. Objects are warned of one by one. The links of mechanisms are counted
// in one note, because models of robots are made for hulls.
static void note_hulls(const hfModel* m, const char* file, hfDiagnostics* said) {
  char message[HF_MESSAGE_SIZE];
  char name[200];
  double worst_ratio = 0;
  int nobject = 0;
  int nlink = 0;

  for (int i = 0; i < m->nmesh; ++i) {
    Use use = find_use(m, i);
    if (use.geom < 0) continue;
    hfMeshShape shape = hf_model_mesh_shape(m, i);
    if (!shape.differs) continue;

    if (use.is_object) {
      ++nobject;
      if (nobject <= NAMED_OBJECTS) warn_of_object(m, i, use.geom, &shape, file, said);
      continue;
    }

    // use.is_object is 0: only links of mechanisms collide with this mesh
    ++nlink;
    if (shape.volume_ratio > worst_ratio) {
      worst_ratio = shape.volume_ratio;
      print_mesh(m, i, use.geom, name, sizeof name);
    }
  }

  if (nobject > NAMED_OBJECTS) {
    // only so many objects are named; the others are counted
    snprintf(message, sizeof message,
             "%d more meshes of objects collide as their convex hulls and differ from them "
             "(holdfast info lists all meshes)",
             nobject - NAMED_OBJECTS);
    hfi_diagnostics_add(said, HF_WARNING, file, 0, message, "");
  }

  if (nlink > 0) {
    char count[64] = "1 mesh of links collides as convex hull";
    if (nlink > 1) snprintf(count, sizeof count, "%d meshes of links collide as convex hulls", nlink);
    snprintf(message, sizeof message,
             "%s; the hull differs most for %s, with %.3g times its volume (holdfast info lists all meshes)", count,
             name, worst_ratio);
    hfi_diagnostics_add(said, HF_NOTE, file, 0, message, "");
  }
}

// ---- sizes in millimetres -------------------------------------------------------------------------

// Longest side [m] of the box around a geom in its own frame; 0 of planes and height fields, which may be as long as a
// landscape.
static double compute_geom_length(const hfModel* m, int geom) {
  const double* size = hf_model_geom_size(m) + 3 * geom;

  switch (hf_model_geom_type(m)[geom]) {
    case HF_GEOM_PLANE:
    case HF_GEOM_HFIELD: return 0;
    case HF_GEOM_MESH: return compute_longest_side(m, hf_model_geom_mesh(m)[geom]);
    case HF_GEOM_CAPSULE: return 2 * (size[0] + size[1]);
    default: return 2 * max2(size[0], max2(size[1], size[2]));
  }
}

// Notes long shapes. Equal messages become one line that names the first shape (hfi_diagnostics_add).
static void note_lengths(const hfModel* m, const char* file, hfDiagnostics* said) {
  for (int g = 0; g < m->ngeom; ++g) {
    int body = hf_model_geom_body(m)[g];
    int moves = hf_model_body_tree(m)[body] >= 0;
    int is_mesh = hf_model_geom_type(m)[g] == HF_GEOM_MESH;
    if (!moves && !is_mesh) continue;
    double length = compute_geom_length(m, g);
    double bound = moves ? LONG_MOVING_SHAPE : LONG_FIXED_MESH;
    if (length <= bound) continue;

    char label[HF_LABEL_SIZE];
    char first[200];
    snprintf(first, sizeof first, "%.4g m of body \"%.80s\"", length, hf_model_label(m, HF_OBJECT_BODY, body, label));
    const char* message = "a very long shape that moves: lengths are in metres";
    if (is_mesh) message = "a very long mesh: if its file is in millimetres, it needs the scale 0.001 0.001 0.001";
    hfi_diagnostics_add(said, HF_NOTE, file, 0, message, first);
  }
}

// Adds the notes about a model to the diagnostics. file: for the messages.
void hf_model_diagnose(const hfModel* m, const char* file, hfDiagnostics* said) {
  note_hulls(m, file, said);
  note_lengths(m, file, said);
}
