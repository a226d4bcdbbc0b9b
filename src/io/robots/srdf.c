// Reading SRDF, MoveIt's file beside a URDF: pairs of links that must not touch. Its group states are in srdf_state.c.
//
// <disable_collisions link1 link2> switches a pair off, <disable_default_collisions link> all pairs of a link, of which
// <enable_collisions link1 link2> switches one on again. A model excludes pairs of bodies. Where links were merged into
// one body, two bodies are excluded only if all pairs of their links with collision geometry are off.
//
// u: the robot that is read, p: the pairs of its links, e: an element; a, b: numbers of links or of bodies.
#include "io/robots/urdf_model.h"

#include <string.h>

// ---- pairs of links -----------------------------------------------------------------------------

typedef struct Pairs {
  hfiUrdf* u;
  size_t n;           // number of links
  unsigned char* off; // (n x n) 1: the two links must not touch
} Pairs;

// The number of the link that an attribute names, or -1.
static int find_number(const Pairs* p, const hfiElem* e, const char* attr) {
  hfiReader* r = p->u->r;
  const char* name = hfi_require(r, e, attr);
  int number = r->status ? -1 : hfi_names_find(&p->u->names, HF_OBJECT_BODY, name);
  if (number < 0 && !r->status)
    hfi_note_first(r, e, HF_WARNING,
                   "a pair that must not touch names a link that the URDF does not have: it is not used",
                   hfi_format(r, "\"%.100s\"", name));
  return number;
}

// Switches the pairs of all elements of this name on or off.
static void set_pairs(const Pairs* p, const hfiElem* root, const char* element, unsigned char off) {
  for (const hfiElem* e = hfi_child(root, element); e && !p->u->r->status; e = hfi_next(e, element)) {
    int a = find_number(p, e, "link1");
    int b = find_number(p, e, "link2");
    hfi_attr(e, "reason");
    if (a < 0 || b < 0) continue;
    p->off[(size_t)a * p->n + (size_t)b] = off;
    p->off[(size_t)b * p->n + (size_t)a] = off;
  }
}

// Switches off all pairs of the links that <disable_default_collisions> names.
static void switch_links_off(const Pairs* p, const hfiElem* root) {
  static const char element[] = "disable_default_collisions";
  for (const hfiElem* e = hfi_child(root, element); e && !p->u->r->status; e = hfi_next(e, element)) {
    int a = find_number(p, e, "link");
    for (size_t b = 0; a >= 0 && b < p->n; ++b) {
      p->off[(size_t)a * p->n + b] = 1;
      p->off[b * p->n + (size_t)a] = 1;
    }
  }
}

// ---- pairs of bodies ----------------------------------------------------------------------------

// Bits of a pair of bodies: whether some of its pairs of links must not touch, and whether some may.
enum { SOME_OFF = 1, SOME_ON = 2 };

static int has_collision(const hfiUrdfLink* link) { return hfi_child(link->elem, "collision") != NULL; }

// Excludes pairs of bodies of which all pairs of links are off. Warns of pairs of which only some are.
static void exclude_bodies(const Pairs* p, const hfiElem* root) {
  hfiReader* r = p->u->r;
  size_t n = (size_t)hf_builder_count(r->builder, HF_OBJECT_BODY);
  // bodies[a n + b], a < b: SOME_OFF and SOME_ON of the pairs of their links
  unsigned char* bodies = HFI_NEW(r, unsigned char, n * n);

  // what holds for the links of each pair of bodies
  for (size_t i = 0; bodies && i < p->n; ++i) {
    const hfiUrdfLink* a = p->u->link_of[i];
    if (!has_collision(a)) continue;
    for (size_t k = 0; k < p->n; ++k) {
      const hfiUrdfLink* b = p->u->link_of[k];
      if (a->body >= b->body || !has_collision(b)) continue;
      bodies[(size_t)a->body * n + (size_t)b->body] |= p->off[i * p->n + k] ? SOME_OFF : SOME_ON;
    }
  }

  for (size_t i = 0; i < n * n && !r->status; ++i) {
    int a = (int)(i / n);
    int b = (int)(i % n);
    if (bodies[i] == SOME_OFF) hfi_keep(r, root, hf_builder_add_exclude(r->builder, a, b, &r->scratch));
    if (bodies[i] == (SOME_OFF | SOME_ON))
      hfi_note(r, root, HF_WARNING,
               "bodies of merged links touch, though some of their links must not: "
               "read the model without merge_fixed_links (--merge-fixed)");
  }
}

// Reads which pairs of links must not touch. Later elements have priority over earlier ones.
static void read_pairs(hfiUrdf* u, const hfiElem* root) {
  size_t n = (size_t)u->link_count;
  Pairs p = {u, n, HFI_NEW(u->r, unsigned char, n * n)};
  if (!p.off) return;
  switch_links_off(&p, root);
  set_pairs(&p, root, "enable_collisions", 0);
  set_pairs(&p, root, "disable_collisions", 1);
  if (!u->r->status) exclude_bodies(&p, root);
}

// ---- document -----------------------------------------------------------------------------------

// Elements that are not used: what a planner needs and the motion does not has no text, so it is not reported.
static const hfiMeaning meanings[] = {
    {"group", NULL, 1, NULL},
    {"end_effector", NULL, 1, NULL},
    {"virtual_joint", NULL, 1, NULL},
    {"virtual_joint", "*", 1, NULL},
    {"passive_joint", NULL, 1, NULL},
    {"joint_property", NULL, 1, NULL},
    {"link_sphere_approximation", NULL, 1, NULL},
    {"robot", "*", 1, NULL},
    {"*", NULL, 1, "not part of SRDF: not used"},
    {NULL, NULL, 0, NULL},
};

// Reads the SRDF that the options name, after the URDF: pairs of links that must not touch, and group states.
void hfi_srdf_read(hfiUrdf* u) {
  hfiReader* r = u->r;
  hfiElem* root = hfi_xml_load(r, hfi_resolve(r, "", r->config.srdf), NULL);
  if (!root) return;
  const char* name = hfi_attr(root, "name");
  const char* robot = hfi_attr(u->root, "name");

  root->used = 1;
  hfi_urdf_refuse_macros(r, root);
  if (!r->status && (!hfi_is(root, "robot") || hfi_child(root, "link")))
    hfi_fail(r, root, HF_ERROR_UNSUPPORTED, "this is no SRDF: that is a <robot> without links, which the URDF has");
  if (!r->status && name && robot && strcmp(name, robot) != 0)
    hfi_note(r, root, HF_NOTE, "the SRDF is for a robot called \"%.60s\", the URDF has \"%.60s\"", name, robot);

  if (!r->status) read_pairs(u, root);
  if (!r->status) hfi_srdf_read_states(u, root);
  if (!r->status) hfi_xml_report(r, root, meanings);
}
