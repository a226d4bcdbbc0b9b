// <heightmap> of SDFormat: a grey image over a rectangle.
//
//   z(x, y) = size_z v(x, y)/max v     v: grey values over the image, which spans size_x by size_y, its top at +y
//
// as in Gazebo: black is z = 0, the brightest value is z = size_z. With <sampling> n > 1 there are n - 1 vertices
// between two pixels, with heights linear between them. <pos> shifts the field in the frame of its geom.
//
// s: the document that is read, r: its reader, q: what a <heightmap> asks for, n: its sampling.
#include "base/error.h"
#include "io/mesh/height_map.h"
#include "io/robots/sdf.h"
#include "model/height_field.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// What a <heightmap> asks for.
typedef struct Request {
  const char* path;
  double size[3]; // [m]
  int sampling;
} Request;

// Reads what a <heightmap> asks for. link: the link that contains it.
static hfStatus read_request(hfiSdf* s, const hfiSdfEntity* link, const hfiElem* elem, Request* out) {
  enum { MOST_SAMPLING = 64 };
  hfiReader* r = s->r;
  const hfiElem* uri = hfi_child(elem, "uri");
  const hfiElem* size = hfi_child(elem, "size");
  double sampling = 1;
  *out = (Request){.size = {1, 1, 1}};

  if (!uri || !uri->text) return hfi_fail(r, elem, HF_ERROR_PARSE, "<uri> is missing");
  if (size) hfi_text_reals(r, size, 3, 3, out->size);
  hfi_sdf_number(s, elem, "sampling", &sampling);
  if (r->status) return r->status;

  for (int i = 0; i < 3; ++i)
    if (!(out->size[i] > 0))
      return hfi_fail(r, size, HF_ERROR_MODEL, "size: number %d must be positive, is %g", i + 1, out->size[i]);
  if (!(sampling >= 1 && sampling <= MOST_SAMPLING) || sampling != (int)sampling)
    return hfi_fail(r, elem, HF_ERROR_MODEL, "sampling must be a whole number from 1 to %d, is %g", MOST_SAMPLING,
                    sampling);

  out->sampling = (int)sampling;
  out->path = hfi_sdf_file(s, link, uri->text);
  return r->status;
}

// The value between the pixels at a row and column, which count samples, n for each pixel. It is linear in both.
static double interpolate_value(const hfiHeightMap* map, int n, int row, int column) {
  int r = row / n;
  int c = column / n;
  int next_row = r + (row % n > 0);
  int next_column = c + (column % n > 0);
  double y = row % n / (double)n;
  double x = column % n / (double)n;

  const float* low = map->value + (size_t)r * (size_t)map->ncol;
  const float* high = map->value + (size_t)next_row * (size_t)map->ncol;
  return (1 - y) * ((1 - x) * low[c] + x * low[next_column]) + y * ((1 - x) * high[c] + x * high[next_column]);
}

// The largest grey value of an image.
static float find_brightest(const hfiHeightMap* map) {
  float brightest = 0;
  for (int i = 0; i < map->nrow * map->ncol; ++i)
    if (map->value[i] > brightest) brightest = map->value[i];
  return brightest;
}

// Adds the height field of an image. Returns its id, or a status < 0.
static int add_field(hfiSdf* s, const hfiElem* elem, const Request* q, const hfiHeightMap* map) {
  hfiReader* r = s->r;
  int n = q->sampling;
  long nrow = (map->nrow - 1L) * n + 1;
  long ncol = (map->ncol - 1L) * n + 1;
  if (nrow > HFI_MOST_HEIGHTS / ncol)
    return hfi_fail(r, elem, HF_ERROR_MODEL, "sampling %d makes %ld x %ld heights, more than %d", n, nrow, ncol,
                    HFI_MOST_HEIGHTS);

  double brightest = (double)find_brightest(map);
  double scale = brightest > 0 ? q->size[2] / brightest : 0;
  double* height = HFI_NEW(r, double, (size_t)nrow * (size_t)ncol);
  if (!height) return r->status;
  for (int row = 0; row < nrow; ++row)
    for (int column = 0; column < ncol; ++column)
      height[row * ncol + column] = scale * interpolate_value(map, n, row, column);

  hfHeightFieldDef d = hf_height_field_def_default();
  d.where = hfi_where(r, elem);
  d.nrow = (int)nrow;
  d.ncol = (int)ncol;
  d.half_size[0] = 0.5 * q->size[0];
  d.half_size[1] = 0.5 * q->size[1];
  d.height = height;

  // in Gazebo it has no bottom; this base is so deep that nothing comes out below
  d.base = 0.5 * max2(q->size[0], q->size[1]);
  return hf_builder_add_height_field(r->builder, &d, &r->scratch);
}

// Reads the image and adds the field. Returns its id, or a status < 0 with the message in reader->scratch.
static int make_field(hfiSdf* s, const hfiElem* elem, const Request* q) {
  hfiReader* r = s->r;
  hfiHeightMap map = {0};
  if (strcasecmp(hfi_extension(q->path), "png") != 0)
    return hfi_refuse(&r->scratch, HF_ERROR_UNSUPPORTED,
                      "%s: heightmaps are read from PNG images, not from elevation models (.dem, .tif) or other "
                      "images; gdal_translate -of PNG -ot Byte -scale converts them",
                      q->path);

  hfStatus status = hfi_height_map_load(&map, q->path, 1, &r->scratch);
  int id = status == HF_OK ? add_field(s, elem, q, &map) : (int)status;
  free(map.value);
  return id;
}

// The id of the height field of a <heightmap>, which is made once for each size. Shifts *X by <pos>.
int hfi_sdf_load_heightmap(hfiSdf* s, const hfiSdfEntity* link, const hfiElem* elem, hfiPlacement* X) {
  hfiReader* r = s->r;
  Request q;
  double pos[3] = {0, 0, 0};
  const hfiElem* shift = hfi_child(elem, "pos");
  if (shift) hfi_text_reals(r, shift, 3, 3, pos);

  if (read_request(s, link, elem, &q) != HF_OK) return r->status;
  X->p = v3_add(X->p, q_rotate(X->q, v3_load(pos)));

  for (const hfiSdfHeightmap* i = s->heightmaps; i; i = i->next)
    if (strcmp(i->path, q.path) == 0 && memcmp(i->size, q.size, sizeof q.size) == 0 && i->sampling == q.sampling)
      return i->id;

  int id = make_field(s, elem, &q);
  hfiSdfHeightmap* item = id >= 0 ? HFI_NEW(r, hfiSdfHeightmap, 1) : NULL;
  if (!item) return id;
  *item = (hfiSdfHeightmap){q.path, {q.size[0], q.size[1], q.size[2]}, q.sampling, id, s->heightmaps};
  s->heightmaps = item;
  return id;
}
