// Names of objects: the prefixes of attached models, the suffixes of replicas, and the names that were left out.
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
  replica->group = m->group;
  *m->replica_tail = replica;
  m->replica_tail = &replica->next;
}

const char* hfi_mjcf_name(hfiMjcf* m, const hfiElem* elem) {
  const char* name = hfi_attr(elem, "name");
  if (!name || !name[0]) return NULL;
  if (m->suffix[0] && m->group_count > 0) remember_replica(m, name);
  return decorate(m, name);
}

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

int hfi_mjcf_find(hfiMjcf* m, const hfiElem* elem, const char* attr, hfObjectKind kind) {
  const char* name = m->r->status ? NULL : hfi_attr(elem, attr);
  if (!name) return -1;
  hfObjectKind lookup = kind == HF_OBJECT_INERTIAL ? HF_OBJECT_BODY : kind;
  if (lookup == HF_OBJECT_BODY && strcmp(name, "world") == 0) return 0;

  const char* full = decorate(m, name);
  int id = hf_builder_find(m->r->builder, lookup, full);
  if (id < 0 && m->suffix[0]) { // A replica may refer to something outside.
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

// Whether an element or one below it has an attribute with this value.
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

int hfi_mjcf_first_group(hfiMjcf* m, const hfiElem* elem, int count) {
  for (const hfiReplicate* i = m->replicates; i; i = i->next)
    if (i->elem == elem) return i->first_group;

  if (count > 10 * HFI_MOST_REPLICAS - m->group_count)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "more than %d replicas", 10 * HFI_MOST_REPLICAS);
  hfiReplicate* item = HFI_NEW(m->r, hfiReplicate, 1);
  if (!item) return 0;
  item->elem = elem;
  item->first_group = m->group_count;
  item->next = m->replicates;
  m->replicates = item;

  m->group_count += count;
  return item->first_group;
}

void hfi_mjcf_number_groups(hfiMjcf* m, const hfiElem* elem) {
  for (const hfiElem* e = elem->child; e && !m->r->status; e = e->next) {
    int is_replicate = hfi_is(e, "replicate");
    int count = 1;
    int has_count = is_replicate && hfi_read_int(m->r, e, "count", &count);
    if (is_replicate && (!has_count || count < 1 || count > HFI_MOST_REPLICAS)) continue; // refused when it is read

    if (is_replicate || hfi_is(e, "attach"))
      hfi_mjcf_first_group(m, e, count);
    else
      hfi_mjcf_number_groups(m, e);
  }
}
