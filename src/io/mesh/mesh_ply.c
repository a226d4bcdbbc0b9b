// PLY, the polygon format of Stanford, as text or binary in either order of bytes:
//
//   ply
//   format ascii|binary_little_endian|binary_big_endian 1.0
//   for each element: element NAME COUNT and its properties, property TYPE NAME or property list TYPE TYPE NAME
//   end_header
//   the elements' values in this order
//
// Used are x, y and z of the element `vertex`, and vertex_indices (or vertex_index) of the element `face`. All else is
// skipped. p: the place in the file that is read, b: the mesh that is built, e: an element.
#include "io/mesh/mesh.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 32, MOST_PROPERTIES = 256, WORD_SIZE = 64 };

typedef enum Format { ASCII, LITTLE_ENDIAN_BYTES, BIG_ENDIAN_BYTES } Format;
typedef enum Kind { SIGNED_INTEGER, UNSIGNED_INTEGER, REAL } Kind;
typedef enum Role { UNUSED, X, Y, Z, CORNERS } Role;

typedef struct Type {
  const char *name, *other_name;
  int size; // [bytes]
  Kind kind;
} Type;

static const Type types[] = {{"char", "int8", 1, SIGNED_INTEGER},  {"uchar", "uint8", 1, UNSIGNED_INTEGER},
                             {"short", "int16", 2, SIGNED_INTEGER}, {"ushort", "uint16", 2, UNSIGNED_INTEGER},
                             {"int", "int32", 4, SIGNED_INTEGER},   {"uint", "uint32", 4, UNSIGNED_INTEGER},
                             {"float", "float32", 4, REAL},         {"double", "float64", 8, REAL}};

typedef struct Property {
  const Type *length, *value; // length: NULL for a single value
  Role role;
} Property;

typedef struct Element {
  long long count;
  int is_vertex, is_face;
  int first, properties; // its properties in PlyScan.property
} Element;

typedef struct PlyScan {
  const char *s, *end, *file;
  Format format;
  Element element[MOST_ELEMENTS];
  Property property[MOST_PROPERTIES];
  int elements, properties;
  hfError* error;
} PlyScan;

static hfStatus refuse(const PlyScan* p, const char* what) {
  return hfi_refuse(p->error, HF_ERROR_PARSE, "%s: %s", p->file, what);
}

// ---- header -----------------------------------------------------------------------------------------

// Copies the next word of the line; "" at its end.
static void next_word(PlyScan* p, char word[WORD_SIZE]) {
  int n = 0;
  while (p->s < p->end && (*p->s == ' ' || *p->s == '\t' || *p->s == '\r')) ++p->s;
  for (; p->s < p->end && !strchr(" \t\r\n", *p->s); ++p->s)
    if (n < WORD_SIZE - 1) word[n++] = *p->s;
  word[n] = 0;
}

// Goes to the beginning of the next line.
static void skip_line(PlyScan* p) {
  while (p->s < p->end && *p->s != '\n') ++p->s;
  if (p->s < p->end) ++p->s;
}

// Reads the name of a type. NULL for an unknown one.
static const Type* read_type(PlyScan* p) {
  char word[WORD_SIZE];
  next_word(p, word);
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (strcmp(word, types[i].name) == 0 || strcmp(word, types[i].other_name) == 0) return &types[i];
  return NULL;
}

// Reads the line `format`.
static hfStatus read_format(PlyScan* p) {
  static const char* const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  char word[WORD_SIZE];
  next_word(p, word);

  for (int i = 0; i < 3; ++i)
    if (strcmp(word, names[i]) == 0) {
      p->format = (Format)i;
      return HF_OK;
    }

  return refuse(p, "the format of PLY must be ascii, binary_little_endian or binary_big_endian");
}

// Reads a line `element`: a name and how many there are.
static hfStatus read_element(PlyScan* p) {
  char name[WORD_SIZE];
  char count[WORD_SIZE];
  char* end = NULL;
  next_word(p, name);
  next_word(p, count);

  long long n = strtoll(count, &end, 10);
  if (!*count || *end || n < 0) return refuse(p, "an element without a count");
  if (p->elements == MOST_ELEMENTS) return refuse(p, "too many elements");
  p->element[p->elements] = (Element){.count = n,
                                      .is_vertex = strcmp(name, "vertex") == 0,
                                      .is_face = strcmp(name, "face") == 0,
                                      .first = p->properties};
  ++p->elements;
  return HF_OK;
}

static int is_coordinate(const char* name) { return name[0] >= 'x' && name[0] <= 'z' && !name[1]; }
static int is_corner_list(const char* name) {
  return strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0;
}

// Reads a line `property` of the last element: "TYPE NAME", or "list TYPE TYPE NAME". `length` is the type of the
// number of items of a list, `value` the type of an item or of the only number. `role` says for what it is used.
static hfStatus read_property(PlyScan* p) {
  char word[WORD_SIZE];
  const char* line = p->s;
  Property property = {0};
  next_word(p, word);

  int is_list = strcmp(word, "list") == 0;
  if (is_list)
    property.length = read_type(p);
  else
    p->s = line; // the word is the type: it is read once more
  property.value = read_type(p);
  next_word(p, word);

  if (!p->elements || !property.value || !*word || (is_list && (!property.length || property.length->kind == REAL)))
    return refuse(p, "a property that makes no sense");
  if (p->properties == MOST_PROPERTIES) return refuse(p, "too many properties");

  Element* e = &p->element[p->elements - 1];
  if (e->is_vertex && !is_list && is_coordinate(word)) property.role = (Role)(X + word[0] - 'x');
  if (e->is_face && is_list && property.value->kind != REAL && is_corner_list(word)) property.role = CORNERS;

  ++e->properties;
  p->property[p->properties] = property;
  ++p->properties;
  return HF_OK;
}

// Reads the lines up to end_header.
static hfStatus read_header(PlyScan* p) {
  char word[WORD_SIZE];
  hfStatus status = HF_OK;
  int has_format = 0;
  next_word(p, word);
  if (strcmp(word, "ply") != 0) return refuse(p, "this is no PLY file");

  for (skip_line(p); p->s < p->end && !status; skip_line(p)) {
    next_word(p, word);
    if (strcmp(word, "format") == 0) {
      status = read_format(p);
      has_format = 1;
    } else if (strcmp(word, "element") == 0) {
      status = read_element(p);
    } else if (strcmp(word, "property") == 0) {
      status = read_property(p);
    } else if (strcmp(word, "end_header") == 0) {
      skip_line(p);
      return has_format ? HF_OK : refuse(p, "the header of PLY has no line format");
    } else if (strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0) {
      status = refuse(p, "an unknown word in the header of PLY");
    }
  }
  return status ? status : refuse(p, "the header of PLY has no line end_header");
}

// ---- values -----------------------------------------------------------------------------------------

// The number of this type with these bits.
static double number_of(uint64_t bits, const Type* type) {
  if (type->kind == REAL && type->size == 4) {
    uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
  }

  if (type->kind == REAL) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
  }

  double range = ldexp(1, 8 * type->size);
  double x = (double)bits;
  return type->kind == SIGNED_INTEGER && x >= 0.5 * range ? x - range : x;
}

// Reads the next value. Returns 0, or -1 if the file ends or has something else there.
static int read_value(PlyScan* p, const Type* type, double* x) {
  if (p->format == ASCII) {
    char* end = NULL;
    *x = strtod(p->s, &end);
    if (end == p->s || (*end && !strchr(" \t\r\n", *end))) return -1;
    p->s = end;
    return 0;
  }

  if (p->end - p->s < type->size) return -1;
  uint64_t bits = 0;
  for (int i = 0; i < type->size; ++i) {
    int place = p->format == LITTLE_ENDIAN_BYTES ? i : type->size - 1 - i;
    bits |= (uint64_t)(unsigned char)p->s[i] << (8 * place);
  }
  p->s += type->size;
  *x = number_of(bits, type);
  return 0;
}

// Reads a list of corners and adds its polygon.
static hfStatus read_corners(PlyScan* p, const Property* property, double length, hfiTriMeshBuilder* b) {
  int32_t corner[HFI_POLYGON_MAX_CORNERS];
  double x = 0;

  if (!(length >= 3 && length <= HFI_POLYGON_MAX_CORNERS))
    return refuse(p, "a face with fewer than 3 or too many corners");
  for (int i = 0; i < (int)length; ++i) {
    if (read_value(p, property->value, &x) != 0) return refuse(p, "the file ends within a face");
    if (!(x >= 0 && x < b->mesh.nvert))
      return hfi_refuse(p->error, HF_ERROR_PARSE, "%s: a face names vertex %g of %d", p->file, x, (int)b->mesh.nvert);
    corner[i] = (int32_t)x;
  }

  if (hfi_trimesh_add_polygon(b, corner, (int)length) == 0) return HF_OK;
  return hfi_refuse(p->error, HF_ERROR_MEMORY, "%s: out of memory, or too many triangles", p->file);
}

// Reads one property of an item: a coordinate into v, or a list of corners into the mesh. Others are skipped.
static hfStatus read_item_property(PlyScan* p, const Property* property, double v[3], hfiTriMeshBuilder* b) {
  double x = 0;
  double length = 1;
  if (property->length && read_value(p, property->length, &length) != 0)
    return refuse(p, "the file ends before its last element");

  if (property->role == CORNERS) return read_corners(p, property, length, b);
  for (double i = 0; i < length; ++i)
    if (read_value(p, property->value, &x) != 0) return refuse(p, "the file ends before its last element");
  if (property->role != UNUSED) v[property->role - X] = x;
  return HF_OK;
}

// Reads all items of an element. Vertices and faces are added to the mesh.
static hfStatus read_items(PlyScan* p, const Element* e, hfiTriMeshBuilder* b) {
  hfStatus status = HF_OK;
  for (long long i = 0; e->properties && i < e->count && !status; ++i) {
    double v[3] = {NAN, NAN, NAN};
    for (int k = 0; k < e->properties && !status; ++k) status = read_item_property(p, &p->property[e->first + k], v, b);

    if (status || !e->is_vertex) continue;
    if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]))
      return hfi_refuse(p->error, HF_ERROR_NONFINITE, "%s: vertex %lld: a coordinate is missing or not finite", p->file,
                        i);
    if (hfi_trimesh_add_vertex(b, v) != 0)
      return hfi_refuse(p->error, HF_ERROR_MEMORY, "%s: out of memory, or too many vertices", p->file);
  }
  return status;
}

// Reads a PLY file. Refuses fewer than four vertices.
hfStatus hfi_trimesh_read_ply(hfiTriMesh* mesh, const char* text, size_t size, const char* file, hfError* error) {
  hfiTriMeshBuilder b = {0};
  PlyScan p = {.s = text, .end = text + size, .file = file, .error = error};
  hfStatus status = read_header(&p);
  for (int i = 0; i < p.elements && !status; ++i) status = read_items(&p, &p.element[i], &b);
  if (!status && b.mesh.nvert < 4)
    status = hfi_refuse(error, HF_ERROR_PARSE, "%s: %d vertices, at least 4 are needed", file, (int)b.mesh.nvert);
  return hfi_trimesh_finish(&b, mesh, status);
}
