// Wavefront OBJ: "v x y z" and "f a b c …", where a corner is i, i/t, i//n or i/t/n. The index i counts from 1,
// or backwards from the last vertex when it is negative. All other statements concern the appearance and are skipped.
//
// A quadrilateral is divided along its shorter diagonal, as in MuJoCo, whose numbers are floats; where both are equally long, along that
// which does not touch the first corner. Of a larger polygon ears are cut off one after the other: triangles of three successive
// corners that bulge outwards and contain no other corner. Without this the triangles of a concave polygon would overlap.
#include "import/mesh.h"

#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ObjScan {
  const char *s, *file;
  int line;
  hfError* error;
} ObjScan;

static const char* skip_spaces(const char* s) {
  while (*s == ' ' || *s == '\t') ++s;
  return s;
}
static int ends_line(char c) { return c == 0 || c == '\n' || c == '\r'; }
static int ends_word(char c) { return ends_line(c) || c == ' ' || c == '\t'; }

static hfStatus refuse_growth(const ObjScan* p) {
  return hfi_refuse(p->error, HF_ERROR_MEMORY,
                    "%s:%d: out of memory, or more than %d vertices or %d triangles", p->file,
                    p->line, HFI_TRIMESH_MAX_VERTICES, HFI_TRIMESH_MAX_TRIANGLES);
}

static hfStatus read_vertex(ObjScan* p, hfiTriMeshBuilder* b) {
  double v[3];
  for (int i = 0; i < 3; ++i) {
    p->s = skip_spaces(p->s);
    char* end = NULL;
    // strtod alone would skip the end of the line and read a number of the next line
    double x = ends_line(*p->s) ? NAN : strtod(p->s, &end);
    if (!end || end == p->s || !ends_word(*end))
      return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: a vertex needs three numbers", p->file,
                        p->line);
    if (!isfinite(x))
      return hfi_refuse(p->error, HF_ERROR_NONFINITE, "%s:%d: a coordinate is not finite", p->file,
                        p->line);
    v[i] = x;
    p->s = end;
  }
  return hfi_trimesh_add_vertex(b, v) == 0 ? HF_OK : refuse_growth(p);
}

static int word_length(const char* s) {
  int length = 0;
  while (!ends_word(s[length]) && length < 20) ++length;
  return length;
}

// Reads the vertex index of a corner. The indices of texture and normal, which follow slashes, are skipped.
static hfStatus read_corner(ObjScan* p, int32_t nvert, int32_t* index) {
  char* end = NULL;
  long i = strtol(p->s, &end, 10);
  if (end == p->s || !(ends_word(*end) || *end == '/'))
    return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: \"%.*s\" is not a vertex index", p->file,
                      p->line, word_length(p->s), p->s);
  long from_zero = i > 0 ? i - 1 : nvert + i;
  if (i == 0 || from_zero < 0 || from_zero >= nvert)
    return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: vertex %ld of %d", p->file, p->line, i,
                      (int)nvert);
  while (!ends_word(*end)) ++end;
  p->s = end;
  *index = (int32_t)from_zero;
  return HF_OK;
}

// ---- polygons -----------------------------------------------------------------------------------

enum { MOST_CORNERS = 4096 };

static hfStatus add_triangle(ObjScan* p, hfiTriMeshBuilder* b, int32_t i, int32_t j, int32_t k) {
  if (i == j || j == k || k == i) return HF_OK;
  return hfi_trimesh_add_triangle(b, i, j, k) == 0 ? HF_OK : refuse_growth(p);
}

static float squared_length(const double* a, const double* b) {
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
    float d = (float)b[k] - (float)a[k];
    sum += d * d;
  }
  return sum;
}

static hfStatus divide_quad(ObjScan* p, hfiTriMeshBuilder* b, const int32_t* c) {
  const double* v = b->mesh.vert;
  int from = squared_length(v + 3 * c[0], v + 3 * c[2]) < squared_length(v + 3 * c[1], v + 3 * c[3]) ? 0 : 1;
  hfStatus status = add_triangle(p, b, c[0], c[1], c[from ? 3 : 2]);
  return status ? status : add_triangle(p, b, c[from], c[2], c[3]);
}

// Twice the vector area of the polygon: sum v_i x v_(i+1).
static hfVec3 polygon_normal(const double* v, const int32_t* c, int n) {
  hfVec3 sum = v3_zero(), origin = v3_load(v + 3 * c[0]);
  for (int i = 1; i + 1 < n; ++i)
    sum = v3_add(sum, v3_cross(v3_sub(v3_load(v + 3 * c[i]), origin), v3_sub(v3_load(v + 3 * c[i + 1]), origin)));
  return sum;
}

static double turn(const double* v, hfVec3 normal, int32_t i, int32_t j, int32_t k) {
  hfVec3 a = v3_load(v + 3 * i), b = v3_load(v + 3 * j), c = v3_load(v + 3 * k);
  return v3_dot(normal, v3_cross(v3_sub(b, a), v3_sub(c, a)));
}

// Whether corner i of n and its neighbours make an ear.
static int is_ear(const double* v, hfVec3 normal, const int32_t* c, int n, int i) {
  int32_t a = c[(i + n - 1) % n], b = c[i], d = c[(i + 1) % n];
  if (turn(v, normal, a, b, d) < 0) return 0;
  for (int k = 0; k < n; ++k) {
    int32_t x = c[k];
    if (x == a || x == b || x == d) continue;
    if (turn(v, normal, a, b, x) >= 0 && turn(v, normal, b, d, x) >= 0 && turn(v, normal, d, a, x) >= 0) return 0;
  }
  return 1;
}

// A polygon without an ear crosses itself: then its first corner is cut off.
static hfStatus divide_polygon(ObjScan* p, hfiTriMeshBuilder* b, int32_t* c, int n) {
  hfVec3 normal = polygon_normal(b->mesh.vert, c, n);
  for (; n > 3; --n) {
    int i = 1;
    while (i < n && !is_ear(b->mesh.vert, normal, c, n, i)) ++i;
    if (i == n) i = 1;
    hfStatus status = add_triangle(p, b, c[i - 1], c[i], c[(i + 1) % n]);
    if (status) return status;
    memmove(c + i, c + i + 1, (size_t)(n - i - 1) * sizeof *c);
  }
  return add_triangle(p, b, c[0], c[1], c[2]);
}

static hfStatus read_face(ObjScan* p, hfiTriMeshBuilder* b) {
  int32_t c[MOST_CORNERS];
  int n = 0;
  for (p->s = skip_spaces(p->s); !ends_line(*p->s); p->s = skip_spaces(p->s), ++n) {
    if (n == MOST_CORNERS)
      return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: a face of more than %d corners", p->file, p->line, MOST_CORNERS);
    hfStatus status = read_corner(p, b->mesh.nvert, &c[n]);
    if (status) return status;
  }
  if (n < 3)
    return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: a face needs three corners", p->file, p->line);
  return n == 4 ? divide_quad(p, b, c) : divide_polygon(p, b, c, n);
}

static hfStatus read_lines(ObjScan* p, hfiTriMeshBuilder* b) {
  for (; *p->s; ++p->line) {
    p->s = skip_spaces(p->s);
    hfStatus status = HF_OK;
    int statement = p->s[0] && (p->s[1] == ' ' || p->s[1] == '\t') ? p->s[0] : 0;
    if (statement == 'v') {
      ++p->s;
      status = read_vertex(p, b);
    } else if (statement == 'f') {
      ++p->s;
      status = read_face(p, b);
    }
    if (status) return status;
    while (*p->s && *p->s != '\n') ++p->s;
    if (*p->s) ++p->s;
  }
  return HF_OK;
}

hfStatus hfi_trimesh_read_obj(hfiTriMesh* mesh, const char* text, size_t size, const char* file,
                              hfError* error) {
  if (memchr(text, 0, size))
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: holds a zero byte, not OBJ text", file);
  hfiTriMeshBuilder b = {0};
  ObjScan p = {text, file, 1, error};
  hfStatus status = read_lines(&p, &b);
  if (!status && b.mesh.nvert < 4)
    status = hfi_refuse(error, HF_ERROR_PARSE, "%s: %d vertices, at least 4 are needed", file,
                        (int)b.mesh.nvert);
  return hfi_trimesh_finish(&b, mesh, status);
}
