// Drake's collision filter groups in SDFormat (filter_group.h):
//
//   <drake:collision_filter_group name="a">
//     <drake:member>LINK</drake:member>
//     <drake:ignored_collision_filter_group>b</drake:ignored_collision_filter_group>
//   </drake:collision_filter_group>
//
// s: the document that is read, r: its reader.
#include "io/robots/filter_group.h"
#include "io/robots/sdf.h"

// A model, in which the members of groups are links.
typedef struct Model { hfiSdf* s; const hfiSdfEntity* entity; } Model;

// The body of the link that a member of a filter group names; 0 for the world, -1 after a refusal.
static int member_body(void* context, const hfiElem* member) {
  const Model* model = context;
  hfiSdf* s = model->s;
  int world = 0;
  hfiSdfEntity* e = member->text ? hfi_sdf_find(s, model->entity, member->text, &world) : NULL;
  if (!e && !world) hfi_fail(s->r, member, HF_ERROR_MODEL, "there is no link \"%s\"", member->text ? member->text : "");
  const hfiSdfEntity* link = e ? hfi_sdf_link_of(s, e, &world) : NULL;
  if (s->r->status) return -1;
  return link ? link->body : 0;
}

// Excludes contacts of a group with the groups that it ignores.
static void read_group(Model* model, const hfiElem* group) {
  hfiReader* r = model->s->r;
  for (const hfiElem* i = hfi_child(group, HFI_FILTER_IGNORED); i && !r->status; i = hfi_next(i, HFI_FILTER_IGNORED)) {
    const hfiElem* other = i->text ? hfi_filter_group_find(model->entity->elem, i->text) : NULL;
    if (other)
      hfi_filter_groups_exclude(r, group, other, member_body, model);
    else
      hfi_note(r, i, HF_WARNING, "there is no collision filter group \"%.100s\" in this model: these contacts act",
               i->text ? i->text : "");
  }
}

// Excludes contacts by the filter groups of all models.
void hfi_sdf_read_filters(hfiSdf* s) {
  for (int i = 0; i < s->count; ++i) {
    Model model = {s, s->entity[i]};
    if (model.entity->kind != HFI_SDF_MODEL) continue;

    const hfiElem* first = hfi_child(model.entity->elem, HFI_FILTER_GROUP);
    for (const hfiElem* e = first; e && !s->r->status; e = hfi_next(e, HFI_FILTER_GROUP)) {
      hfi_attr(e, "name");
      read_group(&model, e);
    }
  }
}
