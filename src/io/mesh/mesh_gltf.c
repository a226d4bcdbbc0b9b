// Reads glTF 2.0, as text (.gltf) or binary (.glb): the triangles of the meshes that the nodes of the scene place. glTF
// is y-up by its specification and is turned to z-up: (x, y, z) -> (x, -z, y).
//
//   buffer      bytes, in the binary file, in a file beside it or in the text itself (base64)
//   bufferView  a part of a buffer
//   accessor    numbers of one type in a bufferView, of which a few may be replaced (sparse)
//
// g: the document.
#include "io/mesh/mesh_scene.h"

#include "base/error.h"
#include "io/mesh/little_endian.h"
#include "io/xml/reader.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Buffer {
  const char* data;
  size_t size;
  char* owned; // to be freed, or NULL
} Buffer;

typedef struct Gltf {
  json_t* root;
  const char* file;
  Buffer binary; // the second part of a .glb
  Buffer* buffer;
  size_t nbuffer;
  hfiTriMeshBuilder mesh;
  int nodes; // number of nodes visited so far
  hfError* error;
  hfStatus status;
} Gltf;

#define REFUSE(g, ...) ((g)->status = hfi_refuse((g)->error, HF_ERROR_PARSE, __VA_ARGS__))

// ---- JSON -------------------------------------------------------------------------------------------

// Element `i` of a list of the document, or NULL.
static json_t* get_item(const Gltf* g, const char* list, json_int_t i) {
  const json_t* array = json_object_get(g->root, list);
  return i >= 0 && (size_t)i < json_array_size(array) ? json_array_get(array, (size_t)i) : NULL;
}

// A whole number of an object; `absent` if it is not given, -1 if it is negative or no number.
static json_int_t get_whole(const json_t* object, const char* key, json_int_t absent) {
  const json_t* value = json_object_get(object, key);
  if (!value) return absent;
  return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value) : -1;
}

// Fills x if the object has an array of `count` numbers with this name. Returns whether it has.
static int get_numbers(const json_t* object, const char* key, int count, double* x) {
  const json_t* array = json_object_get(object, key);
  if (json_array_size(array) != (size_t)count) return 0;
  for (int i = 0; i < count; ++i) x[i] = json_number_value(json_array_get(array, (size_t)i));
  return 1;
}

// ---- buffers ----------------------------------------------------------------------------------------

// The value of a digit of base64; -1 for any other character.
static int base64_digit(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char* digit = c ? strchr(digits, c) : NULL;
  return digit ? (int)(digit - digits) : -1;
}

// Decodes base64 up to the first other character. The bytes come from malloc; none if there is no memory.
static Buffer decode_base64(const char* text) {
  char* bytes = malloc(strlen(text) / 4 * 3 + 3);
  Buffer b = {bytes, 0, bytes};
  unsigned word = 0; // its lowest `bits` bits are not written yet
  int bits = 0;

  for (; bytes && base64_digit(*text) >= 0; ++text) {
    word = (word << 6 | (unsigned)base64_digit(*text)) & 0xffff; // at most 14 bits are needed
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[b.size] = (char)(word >> bits);
    ++b.size;
  }
  return b;
}

// Reads a file beside the document. %XX in its name stands for a byte.
static Buffer read_file_beside(Gltf* g, const char* uri) {
  static const size_t MOST_FILE_BYTES = (size_t)1 << 30;
  char path[4096];
  const char* slash = strrchr(g->file, '/');
  size_t n = (size_t)snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - g->file) + 1 : 0, g->file);

  for (; *uri && n + 1 < sizeof path; ++uri) {
    unsigned byte = 0;
    int is_escaped = *uri == '%' && sscanf(uri + 1, "%2x", &byte) == 1 && uri[1] && uri[2];
    path[n] = is_escaped ? (char)byte : *uri;
    if (is_escaped) uri += 2;
    ++n;
  }
  path[n < sizeof path ? n : sizeof path - 1] = '\0';

  Buffer b = {0};
  b.owned = hfi_slurp(path, MOST_FILE_BYTES, &b.size, g->error);
  b.data = b.owned;
  if (!b.data) g->status = HF_ERROR_FILE;
  return b;
}

// Reads buffer i of the document: the second part of a binary file, base64 in a data URI, or a file beside the
// document.
static Buffer read_buffer(Gltf* g, size_t i) {
  const json_t* object = json_array_get(json_object_get(g->root, "buffers"), i);
  const char* uri = json_string_value(json_object_get(object, "uri"));
  const char* comma = uri ? strchr(uri, ',') : NULL;
  Buffer b = {0};

  if (!uri && i == 0 && g->binary.data) {
    b = g->binary;
  } else if (!uri) {
    REFUSE(g, "%s: buffer %zu has no bytes", g->file, i);
  } else if (strncmp(uri, "data:", 5) == 0) {
    // data:TYPE;base64,BYTES
    if (comma && comma - uri >= 7 && strncmp(comma - 7, ";base64", 7) == 0)
      b = decode_base64(comma + 1);
    else
      REFUSE(g, "%s: buffer %zu: data that are not base64", g->file, i);
  } else {
    b = read_file_beside(g, uri);
  }

  json_int_t size = get_whole(object, "byteLength", -1);
  if (!g->status && (size < 0 || (uint64_t)size > b.size))
    REFUSE(g, "%s: buffer %zu has %zu bytes, not the announced %lld", g->file, i, b.size, (long long)size);
  return b;
}

// Reads all buffers of the document.
static void read_buffers(Gltf* g) {
  g->nbuffer = json_array_size(json_object_get(g->root, "buffers"));
  g->buffer = calloc(g->nbuffer + 1, sizeof *g->buffer);
  if (!g->buffer) g->status = hfi_refuse(g->error, HF_ERROR_MEMORY, "%s: out of memory", g->file);
  for (size_t i = 0; i < g->nbuffer && !g->status; ++i) g->buffer[i] = read_buffer(g, i);
}

// ---- accessors --------------------------------------------------------------------------------------

typedef enum ComponentType { BYTE = 5120, UBYTE, SHORT, USHORT, UINT = 5125, FLOAT } ComponentType;

// Bytes of a number of this type; 0 for an unknown type.
static size_t component_size(json_int_t type) {
  switch (type) {
  case BYTE:
  case UBYTE: return 1;
  case SHORT:
  case USHORT: return 2;
  case UINT:
  case FLOAT: return 4;
  default: return 0;
  }
}

// Reads a number of this type, little-endian, at any address. Normalised integers are fractions of the largest one.
static double read_component(const char* bytes, json_int_t type, int normalized) {
  const unsigned char* b = (const unsigned char*)bytes;
  uint32_t bits = 0;
  for (size_t i = 0; i < component_size(type); ++i) bits |= (uint32_t)b[i] << (8 * i);
  float f = 0;

  switch (type) {
  case BYTE: return normalized ? fmax((int8_t)bits / 127.0, -1) : (int8_t)bits;
  case UBYTE: return normalized ? bits / 255.0 : bits;
  case SHORT: return normalized ? fmax((int16_t)bits / 32767.0, -1) : (int16_t)bits;
  case USHORT: return normalized ? bits / 65535.0 : bits;
  case FLOAT: memcpy(&f, &bits, sizeof f); return (double)f;
  default: return bits;
  }
}

// Elements of `width` components in a bufferView.
typedef struct View {
  const char* data; // first byte of element 0
  size_t stride;
  json_int_t type;
  int width, normalized;
} View;

// Whether a size is so small that the product of two such sizes fits into 64 bits.
static int is_small(json_int_t x) { return x >= 0 && x < (json_int_t)1 << 31; }

// The elements in bufferView number `view` from byte `offset` on. type: of a component, as glTF numbers it; width:
// components of an element. Refuses views that do not hold `count` elements.
static View open_view(Gltf* g, json_int_t view, json_int_t offset, json_int_t type, int width, json_int_t count) {
  const json_t* object = get_item(g, "bufferViews", view);
  json_int_t buffer = get_whole(object, "buffer", -1);
  json_int_t start = get_whole(object, "byteOffset", 0);
  json_int_t length = get_whole(object, "byteLength", -1);
  size_t element = component_size(type) * (size_t)width;
  json_int_t stride = get_whole(object, "byteStride", (json_int_t)element);

  int has_parts = object && element > 0 && buffer >= 0 && (size_t)buffer < g->nbuffer;
  int are_small = is_small(start) && is_small(length) && is_small(offset) && is_small(stride) && is_small(count);
  int is_valid = has_parts && are_small && stride >= (json_int_t)element;
  if (is_valid) {
    json_int_t end = count > 0 ? offset + (count - 1) * stride + (json_int_t)element : 0;
    is_valid = end <= length && (size_t)(start + length) <= g->buffer[buffer].size;
  }

  if (!is_valid) {
    REFUSE(g, "%s: bufferView %lld does not hold %lld elements", g->file, (long long)view, (long long)count);
    return (View){0};
  }
  return (View){g->buffer[buffer].data + start + offset, (size_t)stride, type, width, 0};
}

// Reads the components of element i.
static void copy_element(const View* v, size_t i, double* x) {
  for (int k = 0; k < v->width; ++k)
    x[k] = read_component(v->data + i * v->stride + (size_t)k * component_size(v->type), v->type, v->normalized);
}

// Replaces those of the `count` elements x of an accessor that its sparse part names. whole_view: the accessor's view,
// whose type of numbers the replaced ones have.
static void replace_sparse(Gltf* g, const json_t* sparse, View whole_view, json_int_t count, double* x) {
  const json_t* indices = json_object_get(sparse, "indices");
  const json_t* values = json_object_get(sparse, "values");
  json_int_t n = get_whole(sparse, "count", -1);
  View index = open_view(g, get_whole(indices, "bufferView", -1), get_whole(indices, "byteOffset", 0),
                         get_whole(indices, "componentType", -1), 1, n);
  if (g->status) return;
  View value = open_view(g, get_whole(values, "bufferView", -1), get_whole(values, "byteOffset", 0), whole_view.type,
                         whole_view.width, n);
  value.normalized = whole_view.normalized;

  for (json_int_t i = 0; i < n && !g->status; ++i) {
    double place = 0;
    copy_element(&index, (size_t)i, &place);
    if (place >= 0 && place < (double)count)
      copy_element(&value, (size_t)i, x + (size_t)place * (size_t)value.width);
    else
      REFUSE(g, "%s: a sparse accessor replaces element %g of %lld", g->file, place, (long long)count);
  }
}

// The numbers of accessor i, which must have this type of `width` components. From malloc; NULL after a refusal.
static double* read_accessor(Gltf* g, json_int_t i, const char* type, int width, json_int_t* count) {
  const json_t* a = get_item(g, "accessors", i);
  const json_t* sparse = json_object_get(a, "sparse");
  const char* given = json_string_value(json_object_get(a, "type"));
  // an accessor without a bufferView has zeros, of which its sparse part may replace some
  View view = {NULL, 0, get_whole(a, "componentType", -1), width, json_is_true(json_object_get(a, "normalized"))};
  *count = get_whole(a, "count", -1);
  json_int_t most = HFI_TRIMESH_MAX_TRIANGLES * (json_int_t)3;
  if (!given || strcmp(given, type) != 0 || *count < 0 || *count > most) {
    REFUSE(g, "%s: accessor %lld holds no %s", g->file, (long long)i, type);
    return NULL;
  }

  int normalized = view.normalized;
  if (json_object_get(a, "bufferView"))
    view = open_view(g, get_whole(a, "bufferView", -1), get_whole(a, "byteOffset", 0), view.type, width, *count);
  if (g->status) return NULL;
  view.normalized = normalized;

  double* x = calloc((size_t)*count * (size_t)width + 1, sizeof *x);
  if (!x) {
    g->status = hfi_refuse(g->error, HF_ERROR_MEMORY, "%s: out of memory", g->file);
    return NULL;
  }

  for (json_int_t k = 0; view.data && k < *count; ++k) copy_element(&view, (size_t)k, x + (size_t)k * (size_t)width);
  if (sparse) replace_sparse(g, sparse, view, *count, x);
  return x;
}

// ---- meshes -----------------------------------------------------------------------------------------

// Indices of corners: those of the accessor, or 0, 1, 2, … without one. From malloc; NULL after a refusal.
static int32_t* read_corners(Gltf* g, const json_t* indices, json_int_t npoint, json_int_t* count) {
  json_int_t accessor = json_is_integer(indices) ? json_integer_value(indices) : -1;
  double* x = indices ? read_accessor(g, accessor, "SCALAR", 1, count) : NULL;
  if (!indices) *count = npoint;
  int32_t* corner = g->status ? NULL : malloc(((size_t)*count + 1) * sizeof *corner);
  if (!corner && !g->status) g->status = hfi_refuse(g->error, HF_ERROR_MEMORY, "%s: out of memory", g->file);

  for (json_int_t i = 0; corner && i < *count && !g->status; ++i) {
    double value = x ? x[i] : (double)i;
    if (!(value >= 0 && value < (double)npoint)) {
      REFUSE(g, "%s: index %g, but there are %lld positions", g->file, value, (long long)npoint);
      break;
    }
    corner[i] = (int32_t)value;
  }

  free(x);
  if (!g->status) return corner;
  free(corner);
  return NULL;
}

// Adds a primitive with these corners to the mesh.
static void add_corners(Gltf* g, hfiNodeFrame placement, hfiPrimitive kind, const double* point, json_int_t npoint,
                        const int32_t* corner, json_int_t count) {
  int32_t* index = malloc(((size_t)npoint + 1) * sizeof *index);
  int failed = !index;
  if (index) {
    memset(index, -1, (size_t)npoint * sizeof *index);
    if (count >= 3) failed = hfi_add_primitive(&g->mesh, placement, kind, point, index, corner, (int32_t)count) != 0;
  }

  if (failed) g->status = hfi_refuse(g->error, HF_ERROR_MEMORY, "%s: out of memory, or too large", g->file);
  free(index);
}

// Reads a primitive of a mesh: triangles, a strip or a fan.
static void read_primitive(Gltf* g, const json_t* primitive, hfiNodeFrame placement) {
  enum { MODE_TRIANGLES = 4, MODE_STRIP, MODE_FAN };
  json_int_t mode = get_whole(primitive, "mode", MODE_TRIANGLES);
  json_int_t npoint = 0;
  json_int_t count = 0;
  if (mode < MODE_TRIANGLES || mode > MODE_FAN) return; // Points and lines are left out.
  if (json_object_get(json_object_get(primitive, "extensions"), "KHR_draco_mesh_compression")) {
    g->status = hfi_refuse(g->error, HF_ERROR_UNSUPPORTED, "%s: meshes compressed by Draco are not read", g->file);
    return;
  }

  json_int_t position = get_whole(json_object_get(primitive, "attributes"), "POSITION", -1);
  double* point = read_accessor(g, position, "VEC3", 3, &npoint);
  int32_t* corner = point && !g->status ? read_corners(g, json_object_get(primitive, "indices"), npoint, &count) : NULL;
  if (corner) add_corners(g, placement, (hfiPrimitive)(mode - MODE_TRIANGLES), point, npoint, corner, count);
  free(point);
  free(corner);
}

// ---- nodes ------------------------------------------------------------------------------------------

// The transformation of a node: a matrix, or scale, then rotation, then translation.
static hfiNodeFrame read_transformation(const json_t* node) {
  double columns[16];
  double rows[16];
  if (get_numbers(node, "matrix", 16, columns)) {
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column) rows[4 * row + column] = columns[4 * column + row];
    return hfi_node_frame_from_rows(rows);
  }

  double t[3] = {0, 0, 0};
  double q[4] = {0, 0, 0, 1};
  double s[3] = {1, 1, 1};
  get_numbers(node, "translation", 3, t);
  get_numbers(node, "rotation", 4, q);
  get_numbers(node, "scale", 3, s);
  hfiNodeFrame turn = {m3_from_quat(q_unit((hfQuat){q[3], q[0], q[1], q[2]})), v3_load(t)};
  return hfi_node_frame_chain(turn, hfi_node_frame_scale(v3_load(s)));
}

// Reads the mesh of a node, and the nodes below it.
static void read_node(Gltf* g, json_int_t i, hfiNodeFrame outer, int depth) {
  const json_t* node = get_item(g, "nodes", i);
  if (!node || ++g->nodes > HFI_SCENE_MAX_NODES || depth > HFI_SCENE_MAX_DEPTH) {
    REFUSE(g, "%s: node %lld is not there, or there are more than %d, or more than %d deep", g->file, (long long)i,
           HFI_SCENE_MAX_NODES, HFI_SCENE_MAX_DEPTH);
    return;
  }

  hfiNodeFrame placement = hfi_node_frame_chain(outer, read_transformation(node));

  // a node without a mesh has no primitives
  const json_t* mesh = get_item(g, "meshes", get_whole(node, "mesh", -1));
  const json_t* primitives = json_object_get(mesh, "primitives");
  for (size_t k = 0; k < json_array_size(primitives) && !g->status; ++k)
    read_primitive(g, json_array_get(primitives, k), placement);

  const json_t* children = json_object_get(node, "children");
  for (size_t k = 0; k < json_array_size(children) && !g->status; ++k) {
    const json_t* child = json_array_get(children, k);
    read_node(g, json_is_integer(child) ? json_integer_value(child) : -1, placement, depth + 1);
  }
}

// Reads the nodes of the scene, turned from y-up to z-up.
static void read_scene(Gltf* g) {
  static const double turn[16] = {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1}; // rows
  const json_t* scene = get_item(g, "scenes", get_whole(g->root, "scene", 0));
  if (!scene) REFUSE(g, "%s: no scene", g->file);

  const json_t* nodes = json_object_get(scene, "nodes");
  for (size_t k = 0; k < json_array_size(nodes) && !g->status; ++k) {
    const json_t* node = json_array_get(nodes, k);
    read_node(g, json_is_integer(node) ? json_integer_value(node) : -1, hfi_node_frame_from_rows(turn), 0);
  }
}

// ---- the file ---------------------------------------------------------------------------------------

// Finds the text of the document, and the bytes after it in a binary file. Such a file consists of a head and parts.
// Each part begins with its length and type.
static void find_parts(Gltf* g, const char* text, size_t size, Buffer* document) {
  enum { HEAD_BYTES = 12, PART_HEAD_BYTES = 8, TYPE_JSON = 0x4E4F534A, TYPE_BIN = 0x004E4942 };
  *document = (Buffer){text, size, NULL};
  if (size < HEAD_BYTES || memcmp(text, "glTF", 4) != 0) return;

  *document = (Buffer){0};
  for (size_t start = HEAD_BYTES; start + PART_HEAD_BYTES <= size;) {
    uint32_t length = hfi_get_u32(text + start);
    uint32_t type = hfi_get_u32(text + start + 4);
    if (length > size - start - PART_HEAD_BYTES) {
      REFUSE(g, "%s: cut short", g->file);
      return;
    }

    Buffer part = {text + start + PART_HEAD_BYTES, length, NULL};
    if (type == TYPE_JSON && !document->data) *document = part;
    if (type == TYPE_BIN && !g->binary.data) g->binary = part;
    start += PART_HEAD_BYTES + (size_t)length;
  }
}

// Reads the document and all that its scene places.
static void read_document(Gltf* g, const char* text, size_t size) {
  Buffer document;
  json_error_t error;
  find_parts(g, text, size, &document);
  if (g->status) return;

  g->root = document.data ? json_loadb(document.data, document.size, 0, &error) : NULL;
  if (!document.data)
    REFUSE(g, "%s: no document in the binary file", g->file);
  else if (!g->root)
    REFUSE(g, "%s:%d: %s", g->file, error.line, error.text);
  else if (!json_is_object(g->root))
    REFUSE(g, "%s:1: this is no glTF document", g->file);

  if (!g->status) read_buffers(g);
  if (!g->status) read_scene(g);
  if (!g->status && g->mesh.mesh.ntri == 0) REFUSE(g, "%s: no triangles", g->file);
}

// Reads a glTF file, text or binary, as one mesh.
hfStatus hfi_trimesh_read_gltf(hfiTriMesh* mesh, const char* text, size_t size, const char* file, hfError* error) {
  Gltf g = {.file = file, .error = error};
  read_document(&g, text, size);
  for (size_t i = 0; g.buffer && i < g.nbuffer; ++i) free(g.buffer[i].owned);
  free(g.buffer);
  json_decref(g.root);
  return hfi_trimesh_finish(&g.mesh, mesh, g.status);
}
