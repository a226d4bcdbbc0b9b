// Models of a written SDFormat file. Trees of links belong to one model if a loop or a coupling connects them, or if
// their names begin with the same "model::".
//
// w: the writer, r: its part that both formats share. Until groups have numbers, hfiWrittenLink.group is another link
// of the group, or the link itself if it is the first one, which stands for the group (its leader).
#include "io/robots/sdf_write.h"

#include <string.h>

// ---- groups -------------------------------------------------------------------------------------

// The link that stands for the group of a link.
static int find_leader(const hfiRobotWriter* r, int link) {
  while (r->link[link].group != link) link = r->link[link].group;
  return link;
}

// Joins the groups of two links, which may be -1. The first link of both stands for the new group.
static void join_groups(hfiRobotWriter* r, int a, int b) {
  if (a < 0 || b < 0) return;
  int leader_a = find_leader(r, a);
  int leader_b = find_leader(r, b);
  if (leader_a < leader_b)
    r->link[leader_b].group = leader_a;
  else
    r->link[leader_a].group = leader_b;
}

// The link that a joint moves, or -1.
static int link_of_joint(const hfiRobotWriter* r, int joint) {
  int i = 0;
  while (i < r->nlink && r->link[i].joint != joint) ++i;
  return i < r->nlink ? i : -1;
}

// Length of "model::" at the beginning of a name, or 0.
static size_t prefix_length(const char* name) {
  const char* end = strstr(name, "::");
  return end && end > name ? (size_t)(end - name) + 2 : 0;
}

// Joins the links of each model.
static void join_links(hfiRobotWriter* r) {
  for (int i = 0; i < r->nlink; ++i) r->link[i].group = i;

  // joints, loops and couplings
  for (int i = 0; i < r->nlink; ++i) join_groups(r, i, r->link[i].parent);
  for (int i = 0; i < r->nloop; ++i) join_groups(r, r->loop[i].parent, r->loop[i].child);
  for (int j = 0; j < r->m->njnt; ++j)
    if (r->mimic[j].leader >= 0) join_groups(r, link_of_joint(r, j), link_of_joint(r, r->mimic[j].leader));

  // roots whose names begin alike
  for (int i = 0; i < r->nlink; ++i) {
    size_t length = prefix_length(r->link[i].name);
    if (!length || r->link[i].parent >= 0) continue;
    for (int k = 0; k < i; ++k)
      if (strncmp(r->link[i].name, r->link[k].name, length) == 0) join_groups(r, i, k);
  }
}

// Gives numbers to the groups, fills w->group, and sets the group of each link to its number. The leader of a group
// comes before its other links.
static void number_groups(hfiSdfWriter* w) {
  hfiRobotWriter* r = &w->robot;
  int* number = hfi_robot_take(r, (size_t)r->nlink, sizeof *number);

  for (int i = 0; i < r->nlink && !r->xml.status; ++i) {
    int leader = find_leader(r, i);
    const hfiWrittenLink* link = &r->link[i];
    if (leader == i) {
      number[i] = w->ngroup;
      ++w->ngroup;
      const char* name = link->carries ? link->name : hfi_robot_name_of(r, HF_OBJECT_BODY, link->body);
      w->group[number[i]] = (hfiSdfGroup){.is_static = 1, .X = link->X_WL, .name = name, .prefix = prefix_length(name)};
    }

    number[i] = number[leader];
    hfiSdfGroup* group = &w->group[number[i]];
    ++group->links;
    // a group is static while none of its links moves, and has a prefix while all names begin with it
    if (hf_model_body_lastdof(r->m)[link->body] >= 0) group->is_static = 0;
    if (strncmp(link->name, group->name, group->prefix) != 0) group->prefix = 0;
  }

  for (int i = 0; i < r->nlink && !r->xml.status; ++i) r->link[i].group = number[i];
}

// Fills w->member and first of each group: a counting sort of the links by their groups.
static void list_members(hfiSdfWriter* w) {
  hfiRobotWriter* r = &w->robot;
  int* listed = hfi_robot_take(r, (size_t)w->ngroup, sizeof *listed); // how many links of each group are listed
  w->member = hfi_robot_take(r, (size_t)r->nlink, sizeof *w->member);
  if (r->xml.status) return;

  for (int g = 1; g < w->ngroup; ++g) w->group[g].first = w->group[g - 1].first + w->group[g - 1].links;
  for (int i = 0; i < r->nlink; ++i) {
    int g = r->link[i].group;
    w->member[w->group[g].first + listed[g]] = i;
    ++listed[g];
  }
}

// ---- names --------------------------------------------------------------------------------------

// A name without its first `prefix` characters, without "::", and not one of the names that SDFormat reserves.
const char* hfi_sdf_clean_name(hfiRobotWriter* r, const char* name, size_t prefix) {
  char* clean = hfi_robot_take(r, strlen(name) + 1, 1);
  if (!clean) return "";
  strcpy(clean, strlen(name) > prefix ? name + prefix : name);
  for (char* c = strstr(clean, "::"); c; c = strstr(c, "::")) memset(c, '_', 2);

  // "world", and names that begin and end with "__", are reserved
  size_t length = strlen(clean);
  int is_in_underscores = length > 4 && strncmp(clean, "__", 2) == 0 && strcmp(clean + length - 2, "__") == 0;
  int is_reserved = is_in_underscores || strcmp(clean, "world") == 0;
  return is_reserved ? strcat(clean, "_") : clean;
}

// The name of a joint without the prefix of its model.
static const char* clean_joint_name(hfiRobotWriter* r, const hfiSdfGroup* group, int joint) {
  const char* name = hfi_robot_name_of(r, HF_OBJECT_JOINT, joint);
  const char* prefix = group->name;
  int has_prefix = prefix_length(name) == group->prefix && strncmp(name, prefix, strlen(prefix)) == 0;
  return hfi_sdf_clean_name(r, name, has_prefix ? group->prefix : 0);
}

// Gives names. Models and other elements of a world share the space 0 of names; the members of group i share the space
// i + 1.
static void name_all(hfiSdfWriter* w) {
  hfiRobotWriter* r = &w->robot;

  for (int i = 0; i < w->ngroup; ++i) {
    hfiSdfGroup* group = &w->group[i];
    const char* name = group->name;
    if (group->prefix) name = hfi_robot_format(r, "%.*s", (int)group->prefix - 2, group->name); // without "::"
    group->name = hfi_robot_unique(r, 0, hfi_sdf_clean_name(r, name, 0), "_model");
  }

  for (int i = 0; i < r->nlink; ++i) {
    hfiWrittenLink* link = &r->link[i];
    const char* name = hfi_sdf_clean_name(r, link->name, w->group[link->group].prefix);
    link->name = hfi_robot_unique(r, link->group + 1, name, "_link");
  }

  for (int i = 0; i < r->nlink; ++i) {
    hfiWrittenLink* link = &r->link[i];
    const char* name = hfi_robot_format(r, "%s_fixed", link->name);
    if (link->joint >= 0) name = clean_joint_name(r, &w->group[link->group], link->joint);
    link->joint_name = hfi_robot_unique(r, link->group + 1, name, "_joint");
  }
}

// Divides the links into groups, and gives names to groups, links and joints. Decides whether the file has a <world>.
void hfi_sdf_make_groups(hfiSdfWriter* w) {
  w->group = hfi_robot_take(&w->robot, (size_t)w->robot.nlink, sizeof *w->group);
  if (w->robot.xml.status) return;
  if (w->robot.nlink && w->robot.link[0].body == 0) w->robot.link[0].name = "environment"; // "world" is reserved

  join_links(&w->robot);
  number_groups(w);
  list_members(w);

  if (w->robot.xml.status) return;
  w->is_world = w->ngroup != 1 || w->group[0].prefix > 0;
  name_all(w);
}
