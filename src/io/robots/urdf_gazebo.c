// Extensions of Gazebo that change how a robot moves.
//
//   <gazebo reference="LINK"><turnGravityOff>true</turnGravityOff></gazebo>    gravity does not act on the link
//   <gazebo reference="LINK"><gravity>false</gravity></gazebo>                 the same
//
// The force of gravity compensation acts at the centre of mass of a body, so it takes off the whole weight of a link,
// and no more. Of links that are merged into one body all must be weightless.
//
// u: the robot that is read, g: a <gazebo>, e: an element in it.
#include "io/robots/sdf.h"
#include "io/robots/urdf_model.h"

#include <string.h>

static int is_number_but_zero(const char* text) { return strspn(text, "-+0.") != strlen(text); }

static int is_false(const char* text) { return strcmp(text, "false") == 0 || strcmp(text, "0") == 0; }

// What an extension says about gravity on its link: 1 it acts, 0 it does not, -1 nothing. As in Gazebo, whatever is not
// true is false for turnGravityOff, and whatever is not false is true for gravity.
static int read_gravity(const hfiElem* e) {
  if (!e->text) return -1;
  if (hfi_is(e, "turnGravityOff")) return !hfi_sdf_is_true(e->text);
  if (hfi_is(e, "gravity")) return !is_false(e->text);
  return -1;
}

// Warns of extensions that change the motion in a way that is not read.
static void report_other_motion(hfiUrdf* u, const hfiElem* e) {
  static const char* const effects[][2] = {{"dampingFactor", "velocities do not decay"},
                                           {"springStiffness", "the joint has no spring"}};
  for (size_t i = 0; i < sizeof effects / sizeof *effects; ++i)
    if (hfi_is(e, effects[i][0]) && e->text && is_number_but_zero(e->text))
      hfi_note(u->r, e, HF_WARNING, "<%s> of <gazebo>: %s", e->name, effects[i][1]);
}

// Sets which links are weightless, and reports extensions that would move the robot otherwise. A <gazebo> counts as
// used if it only speaks of gravity.
void hfi_urdf_read_gazebo(hfiUrdf* u) {
  for (hfiElem* g = u->root->child; g && !u->r->status; g = g->next) {
    const char* reference = hfi_is(g, "gazebo") ? hfi_attr(g, "reference") : NULL;
    if (!reference) continue;
    hfiUrdfLink* link = hfi_urdf_find_link(u, reference);
    if (link && g->child) g->used = 1;

    for (hfiElem* e = g->child; e; e = e->next) {
      report_other_motion(u, e);
      int gravity = read_gravity(e);
      if (gravity < 0) { // it says nothing about gravity
        g->used = 0;
        continue;
      }
      if (!link) continue;

      e->used = 1;
      link->weightless = !gravity; // As in Gazebo, the last one counts.
      if (!gravity) u->has_weightless = 1;
    }
  }
}

typedef struct Weights {
  int with, without; // how many links have weight, and how many have none
} Weights;

// Counts the links with mass of a leader's body or, if of_group, of all that fixed joints connect with it.
static Weights count_weights(const hfiUrdf* u, const hfiUrdfLink* leader, int of_group) {
  Weights count = {0, 0};
  for (const hfiUrdfLink* l = u->links; l; l = l->next) {
    int belongs = of_group ? l->group == leader->group : l->leader == leader;
    int has_mass = hfi_child(l->elem, "inertial") || hfi_child(l->elem, "collision");
    if (!belongs || !has_mass) continue;

    if (l->weightless)
      ++count.without;
    else
      ++count.with;
  }
  return count;
}

// Takes the weight off the body of a leader if all of its links are weightless. Warns where Gazebo would differ.
void hfi_urdf_set_weight(hfiUrdf* u, hfiUrdfLink* leader) {
  if (!u->has_weightless) return;
  Weights body = count_weights(u, leader, 0);
  if (!body.without) return;

  if (body.with) {
    hfi_note(u->r, leader->elem, HF_WARNING,
             "turnGravityOff: it is not true of all links of this body: their weight acts");
    return;
  }

  leader->def.gravcomp = 1;
  if (count_weights(u, leader, 1).with)
    hfi_note(u->r, leader->elem, HF_WARNING,
             "turnGravityOff: Gazebo makes links on fixed joints one, and takes the weight off all or none; "
             "here it is taken off this one");
}
