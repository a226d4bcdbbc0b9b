// Wavefront OBJ: "v x y z" and "f a b c …", where a corner is i, i/t, i//n or i/t/n. The index i counts from 1, or
// backwards from the last vertex when it is negative. "o name" and "g name" begin another object. The reader notes
// where the first object that has faces ends, because MuJoCo takes only this one. All other statements concern the
// appearance and are skipped.
//
// p: the place in the text that is read, b: the mesh that is built.
#include "io/mesh/mesh.h"

#include "base/error.h"

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
  return hfi_refuse(p->error, HF_ERROR_MEMORY, "%s:%d: out of memory, or more than %d vertices or %d triangles",
                    p->file, p->line, HFI_TRIMESH_MAX_VERTICES, HFI_TRIMESH_MAX_TRIANGLES);
}

// Reads the three numbers behind "v".
static hfStatus read_vertex(ObjScan* p, hfiTriMeshBuilder* b) {
  double v[3];
  for (int i = 0; i < 3; ++i) {
    p->s = skip_spaces(p->s);
    // strtod alone would skip the end of the line and read a number of the next line
    char* end = NULL;
    double x = NAN;
    if (!ends_line(*p->s)) x = strtod(p->s, &end);

    if (!end || end == p->s || !ends_word(*end))
      return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: a vertex needs three numbers", p->file, p->line);
    if (!isfinite(x))
      return hfi_refuse(p->error, HF_ERROR_NONFINITE, "%s:%d: a coordinate is not finite", p->file, p->line);

    v[i] = x;
    p->s = end;
  }
  return hfi_trimesh_add_vertex(b, v) == 0 ? HF_OK : refuse_growth(p);
}

// Length of the word that a message shows.
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
    return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: \"%.*s\" is not a vertex index", p->file, p->line,
                      word_length(p->s), p->s);

  long from_zero = i > 0 ? i - 1 : nvert + i;
  if (i == 0 || from_zero < 0 || from_zero >= nvert)
    return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: vertex %ld of %d", p->file, p->line, i, (int)nvert);

  while (!ends_word(*end)) ++end;
  p->s = end;
  *index = (int32_t)from_zero;
  return HF_OK;
}

// Reads the corners behind "f" and adds the polygon.
static hfStatus read_face(ObjScan* p, hfiTriMeshBuilder* b) {
  int32_t corner[HFI_POLYGON_MAX_CORNERS];
  int n = 0;

  for (p->s = skip_spaces(p->s); !ends_line(*p->s); p->s = skip_spaces(p->s)) {
    if (n == HFI_POLYGON_MAX_CORNERS)
      return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: a face of more than %d corners", p->file, p->line,
                        HFI_POLYGON_MAX_CORNERS);
    hfStatus status = read_corner(p, b->mesh.nvert, &corner[n]);
    if (status) return status;
    ++n;
  }

  if (n == 2) return HF_OK; // Some tools write edges as faces of two corners. They have no area.
  if (n < 3) return hfi_refuse(p->error, HF_ERROR_PARSE, "%s:%d: a face needs three corners", p->file, p->line);
  return hfi_trimesh_add_polygon(b, corner, n) == 0 ? HF_OK : refuse_growth(p);
}

// Reads all lines, and notes where the first object with faces ends.
static hfStatus read_lines(ObjScan* p, hfiTriMeshBuilder* b) {
  for (; *p->s; ++p->line) {
    p->s = skip_spaces(p->s);
    hfStatus status = HF_OK;
    // the letter of a statement of one letter, 0 for any other
    int statement = p->s[0] && (p->s[1] == ' ' || p->s[1] == '\t') ? p->s[0] : 0;

    if (statement == 'v') {
      ++p->s;
      status = read_vertex(p, b);
    } else if (statement == 'f') {
      ++p->s;
      status = read_face(p, b);
    } else if ((statement == 'o' || statement == 'g') && b->mesh.nfirst == 0) {
      // nfirst: number of triangles of the first object; 0 while it has none
      b->mesh.nfirst = b->mesh.ntri;
    }

    if (status) return status;

    // to the next line
    while (*p->s && *p->s != '\n') ++p->s;
    if (*p->s) ++p->s;
  }
  if (b->mesh.nfirst == 0) b->mesh.nfirst = b->mesh.ntri;
  return HF_OK;
}

// Reads an OBJ file. Refuses fewer than four vertices.
hfStatus hfi_trimesh_read_obj(hfiTriMesh* mesh, const char* text, size_t size, const char* file, hfError* error) {
  if (memchr(text, 0, size)) return hfi_refuse(error, HF_ERROR_PARSE, "%s: holds a zero byte, not OBJ text", file);

  hfiTriMeshBuilder b = {0};
  ObjScan p = {text, file, 1, error};
  hfStatus status = read_lines(&p, &b);
  if (!status && b.mesh.nvert < 4)
    status = hfi_refuse(error, HF_ERROR_PARSE, "%s: %d vertices, at least 4 are needed", file, (int)b.mesh.nvert);
  return hfi_trimesh_finish(&b, mesh, status);
}
