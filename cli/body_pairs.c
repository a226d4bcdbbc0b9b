// Contact forces between pairs of bodies, see body_pairs.h.
#include "body_pairs.h"

#include <stdlib.h>

static int lower_body(const bodyPair* p) { return p->body_a < p->body_b ? p->body_a : p->body_b; }
static int higher_body(const bodyPair* p) { return p->body_a < p->body_b ? p->body_b : p->body_a; }

// Orders pairs by their first contact.
static int compare_first(const void* a, const void* b) {
  return ((const bodyPair*)a)->first - ((const bodyPair*)b)->first;
}

// Orders pairs by their bodies, and those of the same bodies by their first contact.
static int compare_bodies(const void* a, const void* b) {
  int lower = lower_body(a) - lower_body(b);
  int higher = higher_body(a) - higher_body(b);
  if (lower) return lower;
  return higher ? higher : compare_first(a, b);
}

// to += scale a
static void add_scaled(hfVec3* to, double scale, hfVec3 a) {
  to->x += scale * a.x;
  to->y += scale * a.y;
  to->z += scale * a.z;
}

// Adds a contact, as a pair of its own, to the pair of the same bodies.
static void join_pair(bodyPair* to, const bodyPair* contact) {
  double sign = contact->body_a == to->body_a ? 1 : -1;
  add_scaled(&to->normal, sign, contact->normal);
  add_scaled(&to->friction, sign, contact->friction);
  to->contacts += contact->contacts;
  to->stick += contact->stick;
}

// Finds all pairs of bodies that touch, in the order of their first contacts, with the sums of the forces of their
// contacts. A pair has the body A and B of its first contact, and the forces on this A. The caller frees the pairs.
bodyPair* find_body_pairs(const hfSim* sim, int* count) {
  int n = hf_sim_contact_count(sim);
  bodyPair* pairs = n ? calloc((size_t)n, sizeof *pairs) : NULL;
  *count = 0;
  if (!pairs) return NULL;

  // each contact is a pair at first
  for (int i = 0; i < n; ++i) {
    hfContact c = hf_sim_contact(sim, i);
    bodyPair* p = &pairs[i];
    *p = (bodyPair){.body_a = c.body_a,
                    .body_b = c.body_b,
                    .first = i,
                    .contacts = 1,
                    .stick = c.stick,
                    .friction = c.ft};
    add_scaled(&p->normal, c.fn, c.n_W);
  }

  // pairs of the same bodies stand side by side, and are joined
  qsort(pairs, (size_t)n, sizeof *pairs, compare_bodies);
  bodyPair* last = pairs;
  for (int i = 1; i < n; ++i) {
    if (lower_body(&pairs[i]) == lower_body(last) && higher_body(&pairs[i]) == higher_body(last))
      join_pair(last, &pairs[i]);
    else
      *++last = pairs[i];
  }

  *count = (int)(last - pairs) + 1;
  qsort(pairs, (size_t)*count, sizeof *pairs, compare_first);
  return pairs;
}
