// Default classes: a tree of named lists of default elements.
//
// The outermost class is "main"; its <default> section may be repeated. A class inherits those elements of its parent
// that stand in the same <default> section as the class, or in an earlier one. They are applied first.
//
// m: the document, c: a class, e: an element.
#include "io/mjcf/mjcf.h"

#include <string.h>

static hfiClass* find_class(const hfiMjcf* m, const char* name) {
  for (hfiClass* c = m->classes.newest; c; c = c->next)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

// Adds a class to the document, which begins as a copy of its parent (NULL: the outermost one). Returns NULL if there
// is no memory. Of the actuator it has two copies: `actuator` is what the class changes; the chain `outer` keeps the
// specs unchanged, so that a shortcut finds the nearest class of its kind (inherit_parameters in mjcf_force_law.c).
static hfiClass* add_class(hfiMjcf* m, const char* name, hfiClass* parent) {
  // -1: the range decides whether it limits
  hfiActuatorSpec fresh = {.def = hf_actuator_def_default(), .ctrllimited = -1, .forcelimited = -1, .actlimited = -1};
  hfiClass* c = HFI_NEW(m->r, hfiClass, 1);
  if (!c) return NULL;

  c->name = name;
  c->parent = parent;
  c->tail = &c->item;
  c->inherited = parent ? parent->count : 0; // number of elements that the parent has so far

  // a shortcut of an actuator looks for its parameters in the enclosing classes, as they are now
  c->actuator = parent ? parent->actuator : fresh;
  hfiActuatorSpec* outer = parent ? HFI_NEW(m->r, hfiActuatorSpec, 1) : NULL;
  if (outer) *outer = parent->actuator;
  c->actuator.outer = outer;

  c->next = m->classes.newest;
  m->classes.newest = c;
  return c;
}

// Reads a default element: it changes the spec of actuators, or joins the list of its class.
static void read_item(hfiMjcf* m, hfiClass* c, hfiElem* elem) {
  if (m->table->read_default_actuator(m, elem, &c->actuator)) return;

  const hfiMjcfElement* row = m->table->element;
  const hfiMjcfElement* end = row + m->table->count;
  while (row < end && !(row->check && hfi_is(elem, row->name))) ++row;
  if (row == end) return;
  elem->used = 1;
  row->check(m, elem);

  hfiClassItem* item = HFI_NEW(m->r, hfiClassItem, 1);
  if (!item) return;
  item->elem = elem;
  *c->tail = item;
  c->tail = &item->next;
  ++c->count;
}

// Reads a <default> element into its class, and those inside it into classes that inherit.
static void read_class(hfiMjcf* m, hfiElem* elem, hfiClass* c) {
  // The class's own elements are read first, because an inner class inherits all of them, wherever they are in the
  // file.
  for (hfiElem* e = elem->child; e && c && !m->r->status; e = e->next)
    if (!hfi_is(e, "default")) read_item(m, c, e);

  for (hfiElem* e = hfi_child(elem, "default"); e && c && !m->r->status; e = hfi_next(e, "default")) {
    const char* name = hfi_require(m->r, e, "class");
    if (find_class(m, name))
      hfi_fail(m->r, e, HF_ERROR_MODEL, "default class \"%s\" is defined twice", name);
    else
      read_class(m, e, add_class(m, name, c));
  }
}

// Reads all <default> sections of the document. The outermost class is "main".
void hfi_mjcf_read_defaults(hfiMjcf* m) {
  m->classes.main = add_class(m, "main", NULL);
  for (hfiElem* e = hfi_child(m->root, "default"); e && !m->r->status; e = hfi_next(e, "default")) {
    const char* name = hfi_attr(e, "class");
    if (name && strcmp(name, "main") != 0)
      hfi_fail(m->r, e, HF_ERROR_MODEL, "the outermost default class is called \"main\", not \"%s\"", name);
    read_class(m, e, m->classes.main);
  }
}

// The class that an attribute names. NULL if there is no such attribute, or after a refusal.
const hfiClass* hfi_mjcf_find_class(hfiMjcf* m, const hfiElem* elem, const char* attr) {
  const char* name = hfi_attr(elem, attr);
  if (!name) return NULL;
  const hfiClass* c = find_class(m, name);
  if (!c) hfi_fail(m->r, elem, HF_ERROR_MODEL, "%s: there is no default class \"%s\"", attr, name);
  return c;
}

// The class that is active for an element: the one of its attribute `class`, else childclass, else the main class. An
// element that a reader made has an empty one.
const hfiClass* hfi_mjcf_class(hfiMjcf* m, const hfiElem* elem, const hfiClass* childclass) {
  static const hfiClass empty = {.name = ""};
  if (elem->classless) return &empty;

  const hfiClass* named = hfi_mjcf_find_class(m, elem, "class");
  if (named) return named;
  return childclass ? childclass : m->classes.main;
}

// Applies the default elements called `kind`: those that the class inherits, then those among its own first `count`
// elements.
static void apply_chain(hfiMjcf* m, const hfiClass* c, int count, const char* kind, hfiApply apply, void* spec) {
  if (c->parent) apply_chain(m, c->parent, c->inherited, kind, apply, spec);
  for (const hfiClassItem* i = c->item; i && count > 0 && !m->r->status; i = i->next, --count)
    if (hfi_is(i->elem, kind)) apply(m, i->elem, spec);
}

// Applies the default elements called `kind` of the class and its ancestors to the spec, then the element itself.
void hfi_mjcf_apply(hfiMjcf* m, const hfiClass* active, const char* kind, const hfiElem* elem, hfiApply apply,
                    void* spec) {
  apply_chain(m, active, active->count, kind, apply, spec);
  if (!m->r->status) apply(m, elem, spec);
}

// The row of the table of elements for this element in this section, or NULL.
const hfiMjcfElement* hfi_mjcf_find_row(const hfiMjcf* m, const hfiElem* elem, hfiMjcfSection section) {
  for (int i = 0; i < m->table->count; ++i) {
    const hfiMjcfElement* row = &m->table->element[i];
    if (row->section == section && hfi_is(elem, row->name)) return row;
  }
  return NULL;
}
