// Reads COLLADA (DAE): the geometries that the scene's nodes place, in metres by the file's unit. Coordinates are taken
// as they are in the file, whatever its up axis is, as ROS tools do.
//
//   node = transformations in the order written, then geometries, skins, nodes and instances of nodes
//   corners of a primitive = <p>, a run of indices; the one at the offset of the input VERTEX is a position
//
// d: the document, r: the reader of its XML, f: the primitive that is read, placement: of its node in the scene.
#include "io/mesh/mesh_scene.h"

#include "base/error.h"
#include "io/xml/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Named {
  const char* id;
  hfiElem* elem;
} Named;

typedef struct Dae {
  hfiReader reader;
  hfiTriMeshBuilder mesh;
  Named* named; // elements with an id, sorted
  int count;
  int nodes; // number of nodes visited so far
} Dae;

// ---- references ------------------------------------------------------------------------------------

static int compare_names(const void* a, const void* b) { return strcmp(((const Named*)a)->id, ((const Named*)b)->id); }

// Counts the elements with an id, and stores them once there is an array.
static void collect_names(Dae* d, hfiElem* elem) {
  for (; elem; elem = elem->next) {
    const char* id = hfi_attr(elem, "id");
    if (id && d->named) d->named[d->count] = (Named){id, elem};
    if (id) ++d->count;
    collect_names(d, elem->child);
  }
}

// Makes the sorted list of elements with an id.
static void index_names(Dae* d, hfiElem* root) {
  collect_names(d, root);
  d->named = HFI_NEW(&d->reader, Named, d->count + 1);
  if (!d->named) return;
  d->count = 0;
  collect_names(d, root);
  qsort(d->named, (size_t)d->count, sizeof *d->named, compare_names);
}

// The element of this kind to which the attribute refers as "#id"; NULL after a refusal.
static hfiElem* find_referenced(Dae* d, const hfiElem* from, const char* attribute, const char* kind) {
  const char* url = hfi_require(&d->reader, from, attribute);
  Named key = {url + (*url == '#'), NULL};
  const Named* found = bsearch(&key, d->named, (size_t)d->count, sizeof key, compare_names);
  if (found && hfi_is(found->elem, kind)) return found->elem;
  hfi_fail(&d->reader, from, HF_ERROR_PARSE, "there is no <%s> \"%.100s\"", kind, url);
  return NULL;
}

// ---- sources of positions ---------------------------------------------------------------------------

typedef struct Positions {
  const double* point; // (count x 3)
  int32_t count;
} Positions;

// The positions of a <source>, copied to a store of their own. No positions after a refusal.
static Positions read_source(Dae* d, const hfiElem* source) {
  hfiReader* r = &d->reader;
  hfiElem* technique = hfi_child(source, "technique_common");
  hfiElem* accessor = technique ? hfi_child(technique, "accessor") : NULL;
  if (!accessor) {
    hfi_fail(r, source, HF_ERROR_PARSE, "a source of positions needs an <accessor>");
    return (Positions){0};
  }

  // the numbers, and which of them are positions
  int n = 0;
  int count = 0;
  int stride = 1;
  int offset = 0;
  const hfiElem* array = find_referenced(d, accessor, "source", "float_array");
  const char* text = array && array->text ? array->text : "";
  const double* x = array ? hfi_parse_list(r, array, "float_array", text, &n) : NULL;
  hfi_read_int(r, accessor, "count", &count);
  hfi_read_int(r, accessor, "stride", &stride);
  hfi_read_int(r, accessor, "offset", &offset);
  if (r->status) return (Positions){0};

  if (count < 0 || stride < 3 || offset < 0 || (int64_t)offset + (int64_t)stride * count > n) {
    hfi_fail(r, accessor, HF_ERROR_PARSE,
             "%d positions of %d numbers from %d on are not within the %d numbers of the array", count, stride, offset,
             n);
    return (Positions){0};
  }

  // position i begins at x[offset + stride i]
  double* point = HFI_NEW(r, double, 3 * (size_t)count + 1);
  for (int i = 0; point && i < count; ++i)
    memcpy(point + 3 * (size_t)i, x + offset + (size_t)stride * (size_t)i, 3 * sizeof *x);
  return (Positions){point, count};
}

// The <input> of this meaning, or NULL.
static hfiElem* find_input(const hfiElem* elem, const char* semantic) {
  for (hfiElem* input = hfi_child(elem, "input"); input; input = hfi_next(input, "input")) {
    const char* word = hfi_attr(input, "semantic");
    if (word && strcmp(word, semantic) == 0) return input;
  }
  return NULL;
}

// The positions behind the input VERTEX of a primitive, through <vertices>.
static Positions read_positions(Dae* d, const hfiElem* vertex) {
  const hfiElem* vertices = find_referenced(d, vertex, "source", "vertices");
  const hfiElem* position = vertices ? find_input(vertices, "POSITION") : NULL;
  if (vertices && !position) hfi_fail(&d->reader, vertices, HF_ERROR_PARSE, "an input POSITION is missing");
  const hfiElem* source = position ? find_referenced(d, position, "source", "source") : NULL;
  return source ? read_source(d, source) : (Positions){0};
}

// ---- primitives -------------------------------------------------------------------------------------

// A primitive of a mesh, as its element describes it.
typedef struct Primitive {
  Positions positions;
  int32_t* index;     // scratch of hfi_add_primitive
  int offset, stride; // place of the positions' indices in <p>
  hfiNodeFrame placement;
} Primitive;

// The indices of positions in a <p>; NULL after a refusal.
static int32_t* read_corners(Dae* d, const Primitive* f, const hfiElem* p, int32_t* count) {
  hfiReader* r = &d->reader;
  int n = 0;
  const double* x = hfi_parse_list(r, p, "p", p->text ? p->text : "", &n);
  int32_t* corner = HFI_NEW(r, int32_t, n + 1);
  if (r->status) return NULL;

  *count = 0;
  for (int i = f->offset; i < n; i += f->stride) {
    if (!(x[i] >= 0 && x[i] < f->positions.count) || x[i] != floor(x[i])) {
      hfi_fail(r, p, HF_ERROR_PARSE, "index %g, but there are %d positions", x[i], f->positions.count);
      return NULL;
    }
    corner[*count] = (int32_t)x[i];
    ++*count;
  }
  return corner;
}

// Adds a primitive of at least three corners to the mesh. elem: for messages.
static void add_primitive(Dae* d, const Primitive* f, const hfiElem* elem, hfiPrimitive kind, const int32_t* corner,
                          int32_t count) {
  if (count < 3) return;
  if (hfi_add_primitive(&d->mesh, f->placement, kind, f->positions.point, f->index, corner, count) != 0)
    hfi_fail(&d->reader, elem, HF_ERROR_MEMORY, "out of memory, or too large");
}

// Adds the polygons of a <polylist>, which has one <p> for all of them, and their numbers of corners in <vcount>.
static void add_polylist(Dae* d, const Primitive* f, const hfiElem* elem, const hfiElem* p) {
  hfiReader* r = &d->reader;
  const hfiElem* vcount = hfi_child(elem, "vcount");
  int polygons = 0;
  int32_t corners = 0;
  int32_t used = 0;
  const double* n = vcount && vcount->text ? hfi_parse_list(r, vcount, "vcount", vcount->text, &polygons) : NULL;
  const int32_t* corner = read_corners(d, f, p, &corners);

  for (int i = 0; n && corner && i < polygons && !r->status; ++i) {
    if (!(n[i] >= 0 && n[i] <= corners - used)) {
      hfi_fail(r, vcount, HF_ERROR_PARSE, "polygon %d has %g corners, %d are left", i, n[i], (int)(corners - used));
      return;
    }
    add_primitive(d, f, elem, HFI_FAN, corner + used, (int32_t)n[i]);
    used += (int32_t)n[i];
  }
}

// Adds primitives of another kind: each <p> is one of them, or one run of triangles.
static void add_runs(Dae* d, const Primitive* f, const hfiElem* elem, const hfiElem* p, hfiPrimitive kind) {
  for (; p && !d->reader.status; p = hfi_next(p, "p")) {
    int32_t count = 0;
    const int32_t* corner = read_corners(d, f, p, &count);
    if (corner) add_primitive(d, f, elem, kind, corner, count);
  }
}

// Reads a primitive of a mesh: triangles, polygons, strips or fans.
static void read_primitive(Dae* d, hfiElem* elem, hfiNodeFrame placement) {
  enum { MOST_OFFSET = 1000 };
  hfiReader* r = &d->reader;
  hfiElem* p = hfi_child(elem, "p");
  hfiElem* vertex = find_input(elem, "VERTEX");
  if (!p) return; // Some programs write primitives without corners.
  if (!vertex) {
    hfi_fail(r, elem, HF_ERROR_PARSE, "an input VERTEX is missing");
    return;
  }

  // f.stride: indices that each corner has in <p>; f.offset: which of them is the index of its position
  Primitive f = {.stride = 1, .placement = placement};
  for (hfiElem* input = hfi_child(elem, "input"); input; input = hfi_next(input, "input")) {
    int offset = 0;
    hfi_read_int(r, input, "offset", &offset);
    if (offset < 0 || offset > MOST_OFFSET) hfi_fail(r, input, HF_ERROR_PARSE, "offset %d is out of range", offset);
    if (input == vertex) f.offset = offset;
    if (offset + 1 > f.stride) f.stride = offset + 1;
  }

  // f.index: for each position its vertex in the mesh, -1 while it is not there yet
  f.positions = read_positions(d, vertex);
  f.index = HFI_NEW(r, int32_t, f.positions.count + 1);
  if (r->status) return;
  memset(f.index, -1, (size_t)f.positions.count * sizeof *f.index);

  if (hfi_is(elem, "polylist"))
    add_polylist(d, &f, elem, p);
  else if (hfi_is(elem, "triangles"))
    add_runs(d, &f, elem, p, HFI_TRIANGLES);
  else
    add_runs(d, &f, elem, p, hfi_is(elem, "tristrips") ? HFI_STRIP : HFI_FAN);
}

// Reads all primitives of a <geometry>.
static void read_geometry(Dae* d, const hfiElem* geometry, hfiNodeFrame placement) {
  static const char* const kinds[] = {"triangles", "polylist", "polygons", "tristrips", "trifans"};
  hfiElem* mesh = hfi_child(geometry, "mesh");
  for (hfiElem* elem = mesh ? mesh->child : NULL; elem && !d->reader.status; elem = elem->next)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
      if (hfi_is(elem, kinds[i])) read_primitive(d, elem, placement);
}

// ---- nodes ------------------------------------------------------------------------------------------

// The frame of an eye that looks from x[0..2] at x[3..5], with x[6..8] upwards.
static hfiNodeFrame make_look_at(const double x[9]) {
  hfVec3 eye = v3_load(x);
  hfVec3 up = v3_load(x + 6);
  hfVec3 back = v3_unit(v3_sub(eye, v3_load(x + 3)));
  hfVec3 right = v3_unit(v3_cross(up, back));
  hfVec3 top = v3_cross(back, right);
  const double rows[16] = {right.x, top.x, back.x, eye.x, right.y, top.y, back.y, eye.y,
                           right.z, top.z, back.z, eye.z, 0,       0,     0,      1};
  return hfi_node_frame_from_rows(rows);
}

// A rotation by x[3] degrees about x[0..2].
static hfiNodeFrame make_rotation(const double x[4]) {
  hfiNodeFrame t = hfi_node_frame_identity();
  hfVec3 axis = v3_load(x);
  if (v3_norm(axis) > 0) t.A = m3_from_quat(q_from_axis_angle(v3_unit(axis), x[3] * (M_PI / 180)));
  return t;
}

// The transformation that the element describes; the identity for other elements.
static hfiNodeFrame read_transformation(Dae* d, const hfiElem* elem) {
  hfiReader* r = &d->reader;
  double x[16] = {0};
  hfiNodeFrame t = hfi_node_frame_identity();

  if (hfi_is(elem, "matrix")) {
    if (hfi_text_reals(r, elem, 16, 16, x)) t = hfi_node_frame_from_rows(x);
  } else if (hfi_is(elem, "translate")) {
    if (hfi_text_reals(r, elem, 3, 3, x)) t.b = v3_load(x);
  } else if (hfi_is(elem, "rotate")) {
    // an axis and an angle in degrees
    if (hfi_text_reals(r, elem, 4, 4, x)) t = make_rotation(x);
  } else if (hfi_is(elem, "scale")) {
    if (hfi_text_reals(r, elem, 3, 3, x)) t = hfi_node_frame_scale(v3_load(x));
  } else if (hfi_is(elem, "lookat")) {
    // the eye, the point that it looks at, and the direction upward
    if (hfi_text_reals(r, elem, 9, 9, x)) t = make_look_at(x);
  } else if (hfi_is(elem, "skew")) {
    hfi_fail(r, elem, HF_ERROR_UNSUPPORTED, "a skew is not read; write the node's transformation as a <matrix>");
  }

  return t;
}

// Reads the geometry of a skin or a morph, in its bind pose.
static void read_controller(Dae* d, const hfiElem* instance, hfiNodeFrame placement) {
  hfiElem* controller = find_referenced(d, instance, "url", "controller");
  hfiElem* body = controller ? hfi_child(controller, "skin") : NULL;
  if (controller && !body) body = hfi_child(controller, "morph");
  if (!body) return;

  hfiElem* shape = hfi_child(body, "bind_shape_matrix");
  if (shape) {
    double x[16];
    int has_matrix = hfi_text_reals(&d->reader, shape, 16, 16, x);
    if (has_matrix) placement = hfi_node_frame_chain(placement, hfi_node_frame_from_rows(x));
  }

  const hfiElem* geometry = find_referenced(d, body, "source", "geometry");
  if (geometry) read_geometry(d, geometry, placement);
}

// Reads the children of a node in their order: transformations, geometries, and further nodes. placement: frame of the
// node in the scene, in metres; a transformation changes it for the children after it.
static void read_node(Dae* d, const hfiElem* node, hfiNodeFrame placement, int depth) {
  if (++d->nodes > HFI_SCENE_MAX_NODES || depth > HFI_SCENE_MAX_DEPTH) {
    hfi_fail(&d->reader, node, HF_ERROR_PARSE, "more than %d nodes, or more than %d deep (does a node contain itself?)",
             HFI_SCENE_MAX_NODES, HFI_SCENE_MAX_DEPTH);
    return;
  }

  for (hfiElem* elem = node->child; elem && !d->reader.status; elem = elem->next) {
    if (hfi_is(elem, "node")) {
      read_node(d, elem, placement, depth + 1);
    } else if (hfi_is(elem, "instance_geometry")) {
      const hfiElem* geometry = find_referenced(d, elem, "url", "geometry");
      if (geometry) read_geometry(d, geometry, placement);
    } else if (hfi_is(elem, "instance_node")) {
      const hfiElem* target = find_referenced(d, elem, "url", "node");
      if (target) read_node(d, target, placement, depth + 1);
    } else if (hfi_is(elem, "instance_controller")) {
      read_controller(d, elem, placement);
    } else {
      // a transformation; any other element gives the identity
      placement = hfi_node_frame_chain(placement, read_transformation(d, elem));
    }
  }
}

// ---- the file ---------------------------------------------------------------------------------------

// Reads the scene of a document, in metres.
static void read_document(Dae* d, hfiElem* root) {
  double unit = 1;
  hfiElem* asset = hfi_child(root, "asset");
  hfiElem* scale = asset ? hfi_child(asset, "unit") : NULL;
  hfiElem* scene = hfi_child(root, "scene");
  if (scale) hfi_read_real(&d->reader, scale, "meter", &unit);
  hfiNodeFrame placement = hfi_node_frame_scale((hfVec3){unit, unit, unit});

  index_names(d, root);
  hfiElem* instance = scene ? hfi_child(scene, "instance_visual_scene") : NULL;
  if (instance && !d->reader.status) {
    const hfiElem* visual = find_referenced(d, instance, "url", "visual_scene");
    if (visual) read_node(d, visual, placement, 0);
    return;
  }

  // if a file has no scene, all its geometries are read
  hfiElem* library = hfi_child(root, "library_geometries");
  hfiElem* first = library ? hfi_child(library, "geometry") : NULL;
  for (hfiElem* g = first; g && !d->reader.status; g = hfi_next(g, "geometry")) read_geometry(d, g, placement);
}

// Reads a COLLADA file as one mesh.
hfStatus hfi_trimesh_read_dae(hfiTriMesh* mesh, const char* text, size_t size, const char* file, hfError* error) {
  Dae d = {.reader = {.error = error, .folder = ""}};
  hfiElem* root = hfi_xml_parse(&d.reader, file, text, size);
  if (root && !hfi_is(root, "COLLADA")) hfi_fail(&d.reader, root, HF_ERROR_PARSE, "this is no COLLADA file");
  if (root && !d.reader.status) read_document(&d, root);
  if (!d.reader.status && d.mesh.mesh.ntri == 0)
    d.reader.status = hfi_refuse(error, HF_ERROR_PARSE, "%s: no triangles", file);

  hfStatus status = hfi_trimesh_finish(&d.mesh, mesh, d.reader.status);
  hfi_store_release(&d.reader.store);
  return status;
}
