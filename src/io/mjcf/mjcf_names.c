// Names of objects: the prefixes of attached models, the suffixes of replicas, and the names that were left out.
//
// m: the document.
#include "io/mjcf/mjcf.h"

#include <string.h>

// The name with the prefix and the suffix that are now in force.
static const char* decorate(hfiMjcf* m, const char* name) {
  if (!m->prefix[0] && !m->suffix[0]) return name;
  return hfi_format(m->r, "%s%s%s", m->prefix, name, m->suffix);
}

// Remembers a name inside a replicate without its suffix: elements outside that refer to this name are replicated, too.
static void remember_replica(hfiMjcf* m, const char* name) {
  hfiReplica* replica = HFI_NEW(m->r, hfiReplica, 1);
  if (!replica) return;
  replica->name = name;
  replica->suffix = m->suffix;
  replica->group = m->replicas.group;
  *m->replicas.tail = replica;
  m->replicas.tail = &replica->next;
}

// The name of an object: the attribute `name` with prefix and suffix, or NULL. Remembers names inside replicates.
const char* hfi_mjcf_name(hfiMjcf* m, const hfiElem* elem) {
  const char* name = hfi_attr(elem, "name");
  if (!name || !name[0]) return NULL;
  if (m->suffix[0] && m->replicas.group_count > 0) remember_replica(m, name);
  return decorate(m, name);
}

// Lists the name of an object that is left out, so that elements that refer to it are left out, too.
void hfi_mjcf_leave_out(hfiMjcf* m, hfObjectKind kind, const hfiElem* elem) {
  const char* name = hfi_attr(elem, "name");
  hfiLeftOut* item = name ? HFI_NEW(m->r, hfiLeftOut, 1) : NULL;
  if (!item) return;
  item->kind = kind;
  item->name = decorate(m, name);
  item->next = m->left_out;
  m->left_out = item;
}

static int was_left_out(const hfiMjcf* m, int kind, const char* name) {
  for (const hfiLeftOut* i = m->left_out; i; i = i->next)
    if (i->kind == kind && strcmp(i->name, name) == 0) return 1;
  return 0;
}

// The id of the object that an attribute names; -1 if there is no such attribute; HFI_LEFT_OUT if that object was left
// out, or if it is unknown, which is refused.
int hfi_mjcf_find(hfiMjcf* m, const hfiElem* elem, const char* attr, hfObjectKind kind) {
  const char* name = m->r->status ? NULL : hfi_attr(elem, attr);
  if (!name) return -1;
  hfObjectKind lookup = kind == HF_OBJECT_INERTIAL ? HF_OBJECT_BODY : kind;
  if (lookup == HF_OBJECT_BODY && strcmp(name, "world") == 0) return 0;

  // in the same replica, or else outside of it
  const char* full = decorate(m, name);
  int id = hf_builder_find(m->r->builder, lookup, full);
  if (id < 0 && m->suffix[0]) {
    full = hfi_format(m->r, "%s%s", m->prefix, name);
    id = hf_builder_find(m->r->builder, lookup, full);
  }

  if (id >= 0) return id;
  if (m->attached || was_left_out(m, (int)lookup, full)) return HFI_LEFT_OUT;

  hfi_fail(m->r, elem, HF_ERROR_MODEL, "%s: there is no %s \"%s\"", attr, hf_object_kind_name(lookup), full);
  return HFI_LEFT_OUT;
}

int hfi_mjcf_find_required(hfiMjcf* m, const hfiElem* elem, const char* attr, hfObjectKind kind) {
  hfi_require(m->r, elem, attr);
  return hfi_mjcf_find(m, elem, attr, kind);
}

// ---- replicas -----------------------------------------------------------------------------------

// Whether an element or one below it has an attribute with this value, other than its own name and class.
static int refers_to(const hfiElem* elem, const char* name) {
  for (const hfiAttr* a = elem->attr; a; a = a->next)
    if (strcmp(a->name, "name") != 0 && strcmp(a->name, "class") != 0 && strcmp(a->value, name) == 0) return 1;
  for (const hfiElem* c = elem->child; c; c = c->next)
    if (refers_to(c, name)) return 1;
  return 0;
}

const hfiReplica* hfi_mjcf_find_replica(const hfiReplica* i, const hfiElem* elem) {
  while (i && !refers_to(elem, i->name)) i = i->next;
  return i;
}

// The number of the first group of an outermost replicate with `count` replicas, or of an attached model (count 1).
// Numbers groups in the order of the calls; an element that has its groups already keeps them.
int hfi_mjcf_first_group(hfiMjcf* m, const hfiElem* elem, int count) {
  for (const hfiReplicate* i = m->replicas.replicates; i; i = i->next)
    if (i->elem == elem) return i->first_group;

  enum { MOST_GROUPS = 10 * HFI_MOST_REPLICAS };
  if (count > MOST_GROUPS - m->replicas.group_count)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "more than %d replicas", MOST_GROUPS);

  hfiReplicate* item = HFI_NEW(m->r, hfiReplicate, 1);
  if (!item) return 0;
  item->elem = elem;
  item->first_group = m->replicas.group_count;
  item->next = m->replicas.replicates;
  m->replicas.replicates = item;

  m->replicas.group_count += count;
  return item->first_group;
}

// Gives groups to the outermost replicates and the attached models below an element, in the order of the tree.
void hfi_mjcf_number_groups(hfiMjcf* m, const hfiElem* elem) {
  for (const hfiElem* e = elem->child; e && !m->r->status; e = e->next) {
    if (hfi_is(e, "replicate")) {
      int count = 0;
      hfi_read_int(m->r, e, "count", &count);
      int is_valid = count >= 1 && count <= HFI_MOST_REPLICAS; // Others are refused when they are read.
      if (is_valid) hfi_mjcf_first_group(m, e, count);
    } else if (hfi_is(e, "attach")) {
      hfi_mjcf_first_group(m, e, 1);
    } else {
      hfi_mjcf_number_groups(m, e);
    }
  }
}
