// Collision filter groups, see filter_group.h.
#include "io/robots/filter_group.h"

#include <string.h>

static const char MEMBER[] = "drake:member";

// The group with this name among the children of `parent`, or NULL.
const hfiElem* hfi_filter_group_find(const hfiElem* parent, const char* name) {
  for (const hfiElem* e = hfi_child(parent, HFI_FILTER_GROUP); e; e = hfi_next(e, HFI_FILTER_GROUP)) {
    const char* group = hfi_attr(e, "name");
    if (group && strcmp(group, name) == 0) return e;
  }
  return NULL;
}

// Excludes contacts between the members of groups a and b, which may be one group. body_of gives the body of a member.
void hfi_filter_groups_exclude(hfiReader* r, const hfiElem* a, const hfiElem* b, hfiMemberBody* body_of,
                               void* context) {
  for (const hfiElem* i = hfi_child(a, MEMBER); i && !r->status; i = hfi_next(i, MEMBER)) {
    int body1 = body_of(context, i);
    for (const hfiElem* k = hfi_child(b, MEMBER); k && !r->status; k = hfi_next(k, MEMBER)) {
      int body2 = body_of(context, k);
      int is_repeated = a == b && body1 > body2; // within one group each pair comes twice
      if (!r->status && body1 != body2 && !is_repeated)
        hfi_keep(r, k, hf_builder_add_exclude(r->builder, body1, body2, &r->scratch));
    }
  }
}
