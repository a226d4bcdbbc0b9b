// Drake's collision filter groups in SDFormat: the links of a group do not touch those of the groups that it ignores.
//
//   <drake:collision_filter_group name="a">
//     <drake:member>LINK</drake:member>
//     <drake:ignored_collision_filter_group>b</drake:ignored_collision_filter_group>
//   </drake:collision_filter_group>
#include "import/sdf.h"

#include <string.h>

static const char GROUP[] = "drake:collision_filter_group", MEMBER[] = "drake:member", IGNORED[] = "drake:ignored_collision_filter_group";

static const hfiElem* find_group(const hfiElem* model, const char* name) {
  for (const hfiElem* e = hfi_child(model, GROUP); e; e = hfi_next(e, GROUP)) {
    const char* own = hfi_attr(e, "name");
    if (own && strcmp(own, name) == 0) return e;
  }
  return NULL;
}

// The body of a member: 0 for the world, -1 after a refusal.
static int member_body(hfiSdf* s, const hfiSdfEntity* model, const hfiElem* member) {
  int world = 0;
  hfiSdfEntity* e = member->text ? hfi_sdf_find(s, model, member->text, &world) : NULL;
  if (!e && !world) hfi_fail(s->r, member, HF_ERROR_MODEL, "there is no link \"%s\"", member->text ? member->text : "");
  const hfiSdfEntity* link = e ? hfi_sdf_link_of(s, e, &world) : NULL;
  return s->r->status ? -1 : link ? link->body : 0;
}

// Excludes contacts between every member of one group and every member of the other, each pair of bodies once.
static void exclude_groups(hfiSdf* s, const hfiSdfEntity* model, const hfiElem* a, const hfiElem* b) {
  hfiReader* r = s->r;
  for (const hfiElem* i = hfi_child(a, MEMBER); i && !r->status; i = hfi_next(i, MEMBER)) {
    int body1 = member_body(s, model, i);
    for (const hfiElem* k = hfi_child(b, MEMBER); k && !r->status; k = hfi_next(k, MEMBER)) {
      int body2 = member_body(s, model, k);
      if (!r->status && body1 != body2 && (a != b || body1 < body2))
        hfi_keep(r, k, hf_builder_add_exclude(r->builder, body1, body2, &r->scratch));
    }
  }
}

static void read_group(hfiSdf* s, const hfiSdfEntity* model, const hfiElem* group) {
  for (const hfiElem* i = hfi_child(group, IGNORED); i && !s->r->status; i = hfi_next(i, IGNORED)) {
    const hfiElem* other = i->text ? find_group(model->elem, i->text) : NULL;
    if (other)
      exclude_groups(s, model, group, other);
    else
      hfi_note(s->r, i, HF_WARNING, "there is no collision filter group \"%.100s\" in this model: these contacts act", i->text ? i->text : "");
  }
}

void hfi_sdf_read_filters(hfiSdf* s) {
  for (int i = 0; i < s->count; ++i) {
    const hfiSdfEntity* model = s->entity[i];
    if (model->kind != HFI_SDF_MODEL) continue;
    for (const hfiElem* e = hfi_child(model->elem, GROUP); e && !s->r->status; e = hfi_next(e, GROUP)) {
      hfi_attr(e, "name");
      read_group(s, model, e);
    }
  }
}
