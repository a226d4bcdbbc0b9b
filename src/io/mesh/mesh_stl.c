// STL, binary and ASCII.
//
//   binary: 80 bytes of any content, uint32 n, n records of 50 bytes (normal and 3 vertices as float32, uint16);
//           little-endian
//   ASCII:  solid NAME { facet normal x y z  outer loop  { vertex x y z } x 3  endloop  endfacet } endsolid
//
// A binary file may begin with "solid" too. It is binary if n fits the size of the file.
//
// b: the mesh that is built, p: the place in a text that is read.
#include "io/mesh/mesh.h"

#include "base/error.h"
#include "io/mesh/little_endian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 84, COUNT_OFFSET = 80, RECORD_BYTES = 50, NORMAL_BYTES = 12 };

// Adds a triangle unless two of its corners are the same point.
static int add_triangle(hfiTriMeshBuilder* b, const double v[9]) {
  int32_t i[3];
  for (int k = 0; k < 3; ++k) {
    i[k] = hfi_trimesh_join_vertex(b, v + 3 * k);
    if (i[k] < 0) return -1;
  }
  if (i[0] == i[1] || i[1] == i[2] || i[0] == i[2]) return 0;
  return hfi_trimesh_add_triangle(b, i[0], i[1], i[2]);
}

static hfStatus refuse_growth(const hfiTriMeshBuilder* b, const char* file, hfError* error) {
  if (b->mesh.nvert >= HFI_TRIMESH_MAX_VERTICES || b->mesh.ntri >= HFI_TRIMESH_MAX_TRIANGLES)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: more than %d vertices or %d triangles", file,
                      HFI_TRIMESH_MAX_VERTICES, HFI_TRIMESH_MAX_TRIANGLES);
  return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", file);
}

// Reads the records of a binary file.
static hfStatus read_binary(hfiTriMeshBuilder* b, const char* text, uint32_t count, const char* file, hfError* error) {
  for (uint32_t i = 0; i < count; ++i) {
    const char* corners = text + HEADER_BYTES + (size_t)RECORD_BYTES * i + NORMAL_BYTES;
    double v[9];
    for (int k = 0; k < 9; ++k) {
      v[k] = hfi_get_float(corners + 4 * k);
      if (!isfinite(v[k]))
        return hfi_refuse(error, HF_ERROR_NONFINITE, "%s: triangle %u: a coordinate is not finite", file, i);
    }

    if (add_triangle(b, v) != 0) return refuse_growth(b, file, error);
  }
  return HF_OK;
}

// ---- ASCII --------------------------------------------------------------------------------------

typedef struct StlScan {
  const char* s;
  int line;
} StlScan;

// Goes to the next word, and counts lines.
static void skip_blanks(StlScan* p) {
  for (; *p->s && (unsigned char)*p->s <= ' '; ++p->s)
    if (*p->s == '\n') ++p->line;
}

// Goes behind the next word if it is this one, in small or capital letters. Returns whether it is.
static int take_word(StlScan* p, const char* word) {
  skip_blanks(p);
  size_t n = 0;
  while (word[n] && ((p->s[n] | 32) == word[n])) ++n; // 32 makes ASCII letters small
  if (word[n] || (unsigned char)p->s[n] > ' ') return 0;
  p->s += n;
  return 1;
}

// Reads a number. Returns 0 if the next word is not a finite one.
static int take_number(StlScan* p, double* x) {
  skip_blanks(p);
  char* end = NULL;
  *x = strtod(p->s, &end);
  if (end == p->s || (unsigned char)*end > ' ' || !isfinite(*x)) return 0;
  p->s = end;
  return 1;
}

// Length of the word that a message shows.
static int word_length(const StlScan* p) {
  int length = 0;
  while ((unsigned char)p->s[length] > ' ' && length < 20) ++length;
  return length;
}

static void skip_line(StlScan* p) {
  while (*p->s && *p->s != '\n') ++p->s;
}

// Reads what stands between `facet` and the next one.
static hfStatus read_facet(hfiTriMeshBuilder* b, StlScan* p, const char* file, hfError* error) {
  double v[9];
  double normal[3];

  // The normal follows from the vertices. Some programs write NaN for the normal of a very thin triangle, so the three
  // numbers are skipped as words.
  int ok = take_word(p, "normal");
  for (int k = 0; ok && k < 3; ++k)
    if (!take_number(p, &normal[k])) {
      skip_blanks(p);
      while ((unsigned char)*p->s > ' ') ++p->s;
    }

  ok = ok && take_word(p, "outer") && take_word(p, "loop");
  for (int k = 0; ok && k < 3; ++k) {
    ok = take_word(p, "vertex");
    for (int i = 0; ok && i < 3; ++i) ok = take_number(p, &v[3 * k + i]);
  }
  ok = ok && take_word(p, "endloop") && take_word(p, "endfacet");

  skip_blanks(p);
  if (!ok)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s:%d: malformed facet at \"%.*s\"", file, p->line, word_length(p), p->s);
  return add_triangle(b, v) == 0 ? HF_OK : refuse_growth(b, file, error);
}

// Reads the facets of all solids of a file.
static hfStatus read_ascii(hfiTriMeshBuilder* b, const char* text, const char* file, hfError* error) {
  StlScan p = {text, 1};
  while (take_word(&p, "solid")) {
    skip_line(&p);
    while (take_word(&p, "facet")) {
      hfStatus status = read_facet(b, &p, file, error);
      if (status) return status;
    }
    if (!take_word(&p, "endsolid"))
      return hfi_refuse(error, HF_ERROR_PARSE, "%s:%d: \"facet\" or \"endsolid\" expected at \"%.*s\"", file, p.line,
                        word_length(&p), p.s);
    skip_line(&p);
  }

  skip_blanks(&p);
  if (*p.s)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s:%d: \"solid\" expected at \"%.*s\"", file, p.line, word_length(&p),
                      p.s);
  return HF_OK;
}

// Reads an STL file, binary or ASCII.
hfStatus hfi_trimesh_read_stl(hfiTriMesh* mesh, const char* text, size_t size, const char* file, hfError* error) {
  hfiTriMeshBuilder b = {0};
  // number of triangles and size of the file if it is binary
  uint32_t count = size >= HEADER_BYTES ? hfi_get_u32(text + COUNT_OFFSET) : 0;
  size_t wanted = HEADER_BYTES + (size_t)RECORD_BYTES * count;
  int fits_binary = size >= HEADER_BYTES && wanted == size;
  int is_ascii = size >= 5 && memcmp(text, "solid", 5) == 0 && !fits_binary;

  hfStatus status = HF_OK;
  if (is_ascii)
    status = read_ascii(&b, text, file, error);
  else if (size < HEADER_BYTES)
    status = hfi_refuse(error, HF_ERROR_PARSE, "%s: %zu bytes are too few for an STL file", file, size);
  else if (wanted > size)
    status = hfi_refuse(error, HF_ERROR_PARSE, "%s: %u triangles announced, but only %zu are there", file, count,
                        (size - HEADER_BYTES) / RECORD_BYTES);
  else
    status = read_binary(&b, text, count, file, error);

  if (!status && b.mesh.ntri == 0) status = hfi_refuse(error, HF_ERROR_PARSE, "%s: no triangles", file);
  return hfi_trimesh_finish(&b, mesh, status);
}
