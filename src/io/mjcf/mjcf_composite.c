// Cables: <composite type="cable"> becomes a chain of bodies before the tree is read, as MuJoCo 3 unfolds it. MuJoCo 4
// has no composites.
//
// A cable is a curve through n points. Edge i, from point i to point i + 1, is a body with its x axis along the edge.
// Its frame is that of the body before it, turned about the normal of the bend between them, so that a straight cable
// has no twist:
//
//   x_i = edge i/|edge i|,  y_i = R(x_{i-1} -> x_i) y_{i-1},  z_i = x_i x y_i,  z_0 = x_0 x x_1/|x_0 x x_1|
//
// If the first two edges are in line, z_0 has no direction, and x_i alone gives the frames. Bodies are joined by ball
// joints. Their geoms, joints and sites have the attributes of the elements in <composite>, and no default class
// applies to them. Neighbours do not collide.
//
// c: the cable, e: an element that is made.
#include "io/mjcf/mjcf.h"
#include "math/elementary.h"
#include "math/sine.h"

#include <math.h>
#include <string.h>

// Largest number of bodies of a cable. It is bounded because each body is read inside of the call that reads its
// parent.
enum { MOST_EDGES = 1000 };

// Two points of a cable that are closer than this are one [m].
static const double LEAST_EDGE_LENGTH = 1e-10;
// A vector of the curve shorter than this has no direction, as in MuJoCo [-].
static const double SHORTEST_CURVE_DIRECTION = 1e-14;

// How a coordinate of the curve depends on the position along it.
typedef enum Shape { SHAPE_ZERO, SHAPE_LINE, SHAPE_COS, SHAPE_SIN } Shape;
// The joint of the first body.
typedef enum Initial { INITIAL_NONE, INITIAL_BALL, INITIAL_FREE } Initial;

typedef struct Cable {
  hfiMjcf* m;
  hfiElem* elem;
  const char* prefix;
  int initial;   // Initial
  int edges;     // how many bodies it has
  double* point; // (edges + 1, 3) [m]
  const hfiElem *geom, *joint, *site; // elements that are copied, or NULL
  hfiElem* plugin;                    // element that is copied, or NULL
  int geom_type;
} Cable;

// ---- elements -----------------------------------------------------------------------------------

// Appends a new element to `parent`, to which no default class applies. NULL if there is no memory.
static hfiElem* add_element(const Cable* c, hfiElem* parent, const char* name) {
  hfiElem* e = HFI_NEW(c->m->r, hfiElem, 1);
  if (!e) return NULL;
  *e = (hfiElem){.name = name, .file = c->elem->file, .line = c->elem->line, .parent = parent, .classless = 1};

  if (parent->last)
    parent->last->next = e;
  else
    parent->child = e;
  parent->last = e;
  return e;
}

// Sets an attribute, or replaces it.
static void set_attribute(const Cable* c, hfiElem* elem, const char* name, const char* value) {
  hfiAttr** link = &elem->attr;
  while (*link && strcmp((*link)->name, name) != 0) link = &(*link)->next;
  if (!*link) *link = HFI_NEW(c->m->r, hfiAttr, 1);
  if (!*link) return;
  (*link)->name = name;
  (*link)->value = value;
}

// Sets an attribute to numbers, with all their digits.
static void set_numbers(const Cable* c, hfiElem* elem, const char* name, const double* x, int count) {
  const char* text = "";
  for (int i = 0; i < count; ++i) text = hfi_format(c->m->r, "%s %.17g", text, x[i]);
  set_attribute(c, elem, name, text);
}

// Copies the attributes of an element of the composite, which count as used there: what nobody uses is reported of the
// copy.
static void copy_attributes(const Cable* c, const hfiElem* from, hfiElem* to) {
  for (hfiAttr* a = from ? from->attr : NULL; a; a = a->next) {
    a->used = 1;
    if (strcmp(a->name, "kind") != 0) set_attribute(c, to, a->name, a->value);
  }
}

// ---- the curve ----------------------------------------------------------------------------------

// Reads the words of `curve`, at most three. Coordinates without a word keep their shape.
static void read_shapes(const Cable* c, Shape shape[3]) {
  enum { WORDS = 4 };
  static const struct {
    const char* word;
    Shape shape;
  } words[WORDS] = {{"s", SHAPE_LINE}, {"cos(s)", SHAPE_COS}, {"sin(s)", SHAPE_SIN}, {"0", SHAPE_ZERO}};
  static const char blanks[] = " \t\r\n";

  const char* text = hfi_attr(c->elem, "curve");
  if (!text) return;
  text += strspn(text, blanks);

  for (int k = 0; *text; ++k) {
    size_t length = strcspn(text, blanks);
    int i = 0;
    while (i < WORDS && (strlen(words[i].word) != length || strncmp(words[i].word, text, length) != 0)) ++i;

    if (k == 3 || i == WORDS) {
      hfi_fail(c->m->r, c->elem, HF_ERROR_MODEL, "curve: want three of s, cos(s), sin(s) and 0");
      return;
    }
    shape[k] = words[i].shape;
    text += length + strspn(text + length, blanks);
  }
}

// A coordinate [m] of point i of a curve. size: its length and radius [m] and its angle as a multiple of pi [-].
static double compute_coordinate(Shape shape, int i, int edges, const double size[3]) {
  double angle = HFI_PI * i * size[2] / edges;
  switch (shape) {
  case SHAPE_LINE: return i * size[0] / edges;
  case SHAPE_COS: return size[1] * hfi_sine(angle).cos;
  case SHAPE_SIN: return size[1] * hfi_sine(angle).sin;
  default: return 0;
  }
}

// Fills edges and points from the attributes count, curve and size.
static void make_curve(Cable* c, const int count[3]) {
  hfiReader* r = c->m->r;
  double size[3] = {1, 0, 0};
  Shape shape[3] = {SHAPE_ZERO, SHAPE_ZERO, SHAPE_ZERO};
  read_shapes(c, shape);
  hfi_read_reals(r, c->elem, "size", 1, 3, size);

  if (count[0] < 2 || count[0] > MOST_EDGES + 1 || count[1] != 1 || count[2] != 1)
    hfi_fail(r, c->elem, HF_ERROR_MODEL, "count: a cable has 2 to %d points, and 1 in the other directions",
             MOST_EDGES + 1);

  c->edges = r->status ? 0 : count[0] - 1;
  c->point = HFI_NEW(r, double, 3 * (c->edges + 1));
  for (int i = 0; !r->status && i < 3 * (c->edges + 1); ++i)
    c->point[i] = compute_coordinate(shape[i % 3], i / 3, c->edges, size);
}

// Sets edges and points to the numbers of the attribute vertex.
static void set_vertices(Cable* c, double* vertex, int numbers, const int count[3]) {
  if (count[0] > 1) hfi_fail(c->m->r, c->elem, HF_ERROR_MODEL, "both vertex and count are given");
  if (numbers % 3 || numbers < 6 || numbers > 3 * (MOST_EDGES + 1))
    hfi_fail(c->m->r, c->elem, HF_ERROR_MODEL, "vertex: want 2 to %d points of three numbers, not %d numbers",
             MOST_EDGES + 1, numbers);
  c->edges = numbers / 3 - 1;
  c->point = vertex;
}

// Rounds a point to single precision, in which MuJoCo keeps it.
static void round_point(double* p) {
  for (int k = 0; k < 3; ++k) p[k] = (double)(float)p[k];
}

// Fills c->point and c->edges, turned by the attribute quat. Refuses points that are one.
static void read_points(Cable* c) {
  hfiReader* r = c->m->r;
  int count[3] = {1, 1, 1};
  int numbers = 0;
  double quat[4] = {1, 0, 0, 0};
  hfi_read_ints(r, c->elem, "count", 1, 3, count);
  double* vertex = hfi_read_list(r, c->elem, "vertex", &numbers);
  if (vertex)
    set_vertices(c, vertex, numbers, count);
  else
    make_curve(c, count);

  hfi_read_reals(r, c->elem, "quat", 4, 4, quat);
  for (int i = 0; !r->status && i <= c->edges; ++i) {
    double* p = c->point + 3 * i;
    // round_point: to single precision, in which MuJoCo keeps points, before and after the turn
    round_point(p);
    v3_store(p, q_rotate(q_unit(q_load(quat)), v3_load(p)));
    round_point(p);

    if (i && !(v3_norm(v3_sub(v3_load(p), v3_load(p - 3))) > LEAST_EDGE_LENGTH))
      hfi_fail(r, c->elem, HF_ERROR_MODEL,
               "points %d and %d of the cable are one: give a curve, and a size that is not zero", i - 1, i);
  }
}

// The vector from point i to point i + 1, rounded to single precision as the points are.
static hfVec3 edge_of(const Cable* c, int i) {
  double edge[3];
  v3_store(edge, v3_sub(v3_load(c->point + 3 * i + 3), v3_load(c->point + 3 * i)));
  round_point(edge);
  return v3_load(edge);
}

// a/|a|, or zero if a has no direction.
static hfVec3 direction_of(hfVec3 a) {
  double length = v3_norm(a);
  return length > SHORTEST_CURVE_DIRECTION ? v3_scale(1 / length, a) : v3_zero();
}

// The frame that MuJoCo gives to a straight cable, of which only the x axis is known. Both formulas turn (1, 0, 0) into
// x. `forward` has no direction for x = (-1, 0, 0), `backward` has none for x = (1, 0, 0).
static hfQuat frame_along(hfVec3 x) {
  hfQuat forward = {1 + x.x, 0, -x.z, x.y};
  hfQuat backward = {x.y, x.z, 0, 1 - x.x};
  return q_unit(x.x > 0 ? forward : backward);
}

// The frame of edge i. *normal is the y axis of edge i - 1, and then of edge i; it is zero in a straight cable.
static hfQuat update_frame(const Cable* c, int i, hfVec3* normal) {
  hfVec3 x = direction_of(edge_of(c, i));
  hfVec3 z = v3_zero();

  if (i == 0) {
    if (c->edges > 1) z = direction_of(v3_cross(x, direction_of(edge_of(c, 1))));
    *normal = direction_of(v3_cross(z, x));
  } else {
    hfVec3 before = direction_of(edge_of(c, i - 1));
    hfVec3 bend = v3_cross(before, x);
    hfQuat turn = q_from_axis_angle(direction_of(bend), hfi_atan2(v3_norm(bend), v3_dot(before, x)));
    *normal = direction_of(q_rotate(turn, *normal));
    z = direction_of(v3_cross(x, *normal));
  }

  return v3_norm2(*normal) > 0 ? q_from_m3(m3_from_cols(x, *normal, z)) : frame_along(x);
}

// ---- bodies -------------------------------------------------------------------------------------

// The name of a part of edge i: PREFIX KIND_first, PREFIX KIND_1, …, PREFIX KIND_last.
static const char* name_part(const Cable* c, const char* kind, int i) {
  hfiReader* r = c->m->r;
  if (i == 0) return hfi_format(r, "%s%s_first", c->prefix, kind);
  if (i == c->edges - 1) return hfi_format(r, "%s%s_last", c->prefix, kind);
  return hfi_format(r, "%s%s_%d", c->prefix, kind, i);
}

// Adds the geom of edge i: from end to end, or a box of its length.
static void add_geom(const Cable* c, hfiElem* body, int i, double length) {
  hfiElem* e = add_element(c, body, "geom");
  if (!e) return;
  copy_attributes(c, c->geom, e);
  set_attribute(c, e, "name", hfi_format(c->m->r, "%sG%d", c->prefix, i));

  if (c->geom_type != HF_GEOM_BOX) {
    set_numbers(c, e, "fromto", (double[]){0, 0, 0, length, 0, 0}, 6);
    return;
  }

  double size[3] = {0};
  hfi_read_reals(c->m->r, c->geom, "size", 3, 3, size);
  size[0] = 0.5 * length;
  set_numbers(c, e, "size", size, 3);
  set_numbers(c, e, "pos", (double[]){0.5 * length, 0, 0}, 3);
}

// Adds the joint at the beginning of edge i.
static void add_joint(const Cable* c, hfiElem* body, int i) {
  hfiElem* e = add_element(c, body, "joint");
  if (!e) return;
  copy_attributes(c, c->joint, e);
  set_attribute(c, e, "name", name_part(c, "J", i));

  int is_free = i == 0 && c->initial == INITIAL_FREE;
  set_attribute(c, e, "type", is_free ? "free" : "ball");
  if (is_free) {
    set_attribute(c, e, "damping", "0");
    set_attribute(c, e, "armature", "0");
    set_attribute(c, e, "frictionloss", "0");
  }
}

// Adds the site at an end of the cable.
static void add_site(const Cable* c, hfiElem* body, int i, double length) {
  hfiElem* e = add_element(c, body, "site");
  if (!e) return;
  copy_attributes(c, c->site, e);
  set_attribute(c, e, "name", name_part(c, "S", i));
  set_numbers(c, e, "pos", (double[]){i == c->edges - 1 ? length : 0, 0, 0}, 3);
}

// Adds the plugin of cables to a body. The plugins of all bodies share the children of the plugin in the composite, so
// that they have one configuration.
static void add_plugin(const Cable* c, hfiElem* body) {
  hfiElem* e = c->plugin ? add_element(c, body, "plugin") : NULL;
  if (!e) return;
  copy_attributes(c, c->plugin, e);
  e->child = c->plugin->child;
}

// Adds the pair of edges i and i + 1 to those that do not collide.
static void add_exclude(const Cable* c, hfiElem* section, int i) {
  hfiElem* e = add_element(c, section, "exclude");
  if (!e) return;
  set_attribute(c, e, "body1", name_part(c, "B", i));
  set_attribute(c, e, "body2", name_part(c, "B", i + 1));
}

// Adds the bodies, each inside the one before it. The first becomes the next sibling of the composite.
static void add_bodies(const Cable* c) {
  hfiReader* r = c->m->r;
  double offset[3] = {0, 0, 0};
  hfi_read_reals(r, c->elem, "offset", 3, 3, offset);
  hfiElem* contact = add_element(c, c->m->root, "contact");
  hfiElem holder = {0}; // parent of the first body until it has its place
  hfiElem* body = &holder;

  // of the edge before this one; the first body is placed in the parent of the composite
  hfVec3 normal = v3_zero();
  hfQuat frame_before = q_identity();
  double length_before = 0;

  for (int i = 0; contact && i < c->edges && !r->status; ++i) {
    double length = v3_norm(edge_of(c, i));
    hfQuat frame = update_frame(c, i, &normal);
    body = add_element(c, body, "body");
    if (!body) return;

    double quat[4];
    double pos[3] = {length_before, 0, 0};
    if (i == 0) v3_store(pos, v3_add(v3_load(offset), v3_load(c->point)));
    q_store(quat, q_mul(q_conj(frame_before), frame));
    set_attribute(c, body, "name", name_part(c, "B", i));
    set_numbers(c, body, "pos", pos, 3);
    set_numbers(c, body, "quat", quat, 4);

    add_plugin(c, body);
    add_geom(c, body, i, length);
    if (i > 0 || c->initial != INITIAL_NONE) add_joint(c, body, i);
    if (i == 0 || i == c->edges - 1) add_site(c, body, i, length);
    if (i < c->edges - 1) add_exclude(c, contact, i);

    frame_before = frame;
    length_before = length;
  }
  if (r->status || !holder.child) return;

  // the first body behind the composite
  hfiElem* first = holder.child;
  hfiElem* parent = c->elem->parent;
  first->parent = parent;
  first->next = c->elem->next;
  c->elem->next = first;
  if (parent->last == c->elem) parent->last = first;
}

// ---- the composite ------------------------------------------------------------------------------

// Replaces a composite by the bodies of its cable.
static void unfold_cable(hfiMjcf* m, hfiElem* elem) {
  static const hfiKeyword initials[] = {{"none", INITIAL_NONE}, {"ball", INITIAL_BALL}, {"free", INITIAL_FREE},
                                        {NULL, 0}};
  static const hfiKeyword types[] = {{"capsule", HF_GEOM_CAPSULE}, {"cylinder", HF_GEOM_CYLINDER}, {"box", HF_GEOM_BOX},
                                     {NULL, 0}};
  Cable c = {.m = m, .elem = elem, .initial = INITIAL_BALL};
  const char* prefix = hfi_attr(elem, "prefix");
  c.prefix = prefix ? prefix : "";
  elem->used = 1;

  hfi_read_keyword(m->r, elem, "initial", initials, &c.initial);
  c.geom = hfi_child(elem, "geom");
  c.joint = hfi_child(elem, "joint");
  c.site = hfi_child(elem, "site");
  if (!c.geom || !hfi_read_keyword(m->r, c.geom, "type", types, &c.geom_type))
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "a cable has a <geom> of type capsule, cylinder or box");

  for (hfiElem* e = elem->child; e; e = e->next) {
    if (!hfi_mjcf_is_plugin(e, HFI_CABLE_PLUGIN)) continue;
    c.plugin = e;
    e->used = 1;
  }
  if (!m->r->status) read_points(&c);
  if (!m->r->status) add_bodies(&c);
}

// Puts the bodies of every cable below an element behind its composite, and their excludes into the document.
void hfi_mjcf_unfold_composites(hfiMjcf* m, hfiElem* elem) {
  for (hfiElem* e = elem->child; e && !m->r->status; e = e->next) {
    const char* type = hfi_is(e, "composite") ? hfi_attr(e, "type") : NULL;
    if (type && strcmp(type, "cable") == 0)
      unfold_cable(m, e);
    else
      hfi_mjcf_unfold_composites(m, e);
  }
}
