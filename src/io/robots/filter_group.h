// Drake's collision filter groups, which URDF and SDFormat share: the links of a group do not touch those of the groups
// that it ignores.
#ifndef HFI_IMPORT_FILTER_GROUP_H
#define HFI_IMPORT_FILTER_GROUP_H

#include "io/xml/reader.h"

static const char HFI_FILTER_GROUP[] = "drake:collision_filter_group";
static const char HFI_FILTER_IGNORED[] = "drake:ignored_collision_filter_group";

// The body that a <drake:member> names: 0 for the world, -1 after a refusal.
typedef int hfiMemberBody(void* context, const hfiElem* member);

// The group of that name among the children of `parent`, or NULL.
const hfiElem* hfi_filter_group_find(const hfiElem* parent, const char* name);
// Excludes contacts between every member of one group and every member of the other, each pair of bodies once.
void hfi_filter_groups_exclude(hfiReader* reader, const hfiElem* a, const hfiElem* b, hfiMemberBody* body_of,
                               void* context);

#endif
