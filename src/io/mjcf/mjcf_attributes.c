// Attributes that several elements have: limits, lists of words, polynomials, solref and solimp, gains of servos, and
// plugins.
//
// m: the document.
#include "io/mjcf/mjcf.h"

#include <string.h>

// ---- limits -------------------------------------------------------------------------------------

void hfi_mjcf_read_limited(hfiMjcf* m, const hfiElem* elem, const char* attr, int* limited) {
  static const hfiKeyword words[] = {{"false", 0}, {"true", 1}, {"auto", -1}, {NULL, 0}};
  hfi_read_keyword(m->r, elem, attr, words, limited);
}

// Whether a range limits. limited: 0, 1, or -1 if the range decides. attr: the attribute that says so, for messages.
// Refuses a limit without a range.
int hfi_mjcf_limited(hfiMjcf* m, const hfiElem* elem, const char* attr, int limited, const double range[2]) {
  int has_range = range[0] != 0 || range[1] != 0;
  int is_empty = range[0] >= range[1];
  if (range[0] == -HFI_NO_END && range[1] == HFI_NO_END) return 0;

  if (limited == 1 && is_empty)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "%s, but its range [%g, %g] is empty", attr, range[0], range[1]);
  if (limited != -1) return limited;

  // the range decides
  if (has_range && !m->compiler.autolimits)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "a range is given but %s is not, and the compiler's autolimits is off", attr);
  if (has_range && is_empty)
    hfi_note(m->r, elem, HF_WARNING, "range [%g, %g] is empty: it does not limit", range[0], range[1]);
  return range[0] < range[1];
}

// ---- words and numbers --------------------------------------------------------------------------

// Reads words separated by blanks, and sets bit i of *bits for words[i]. They must come in the order of `words`, which
// ends with NULL. Returns 0 if there is no such attribute, or after a refusal.
int hfi_mjcf_read_words(hfiMjcf* m, const hfiElem* elem, const char* attr, const char* const* words, int* bits) {
  enum { MOST_SHOWN = 40 }; // characters of an unknown word in the message
  static const char blanks[] = " \t\r\n";
  const char* text = hfi_attr(elem, attr);
  int next = 0; // the first word that may still come
  if (!text) return 0;

  for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
    size_t length = strcspn(text, blanks);
    while (words[next] && (strlen(words[next]) != length || strncmp(words[next], text, length) != 0)) ++next;
    if (!words[next]) {
      int shown = length < MOST_SHOWN ? (int)length : MOST_SHOWN;
      hfi_fail(m->r, elem, HF_ERROR_MODEL, "%s: \"%.*s\" is unknown or not in order", attr, shown, text);
      return 0;
    }
    *bits |= 1 << next;
    ++next;
    text += length;
  }
  return 1;
}

// Reads one to three coefficients: the linear one, then those of the square and the cube. Those not given stay.
void hfi_mjcf_read_polynomial(hfiMjcf* m, const hfiElem* elem, const char* attr, double* linear, double poly[2]) {
  double c[3] = {*linear, poly[0], poly[1]};
  if (!hfi_read_reals(m->r, elem, attr, 1, 3, c)) return;
  *linear = c[0];
  poly[0] = c[1];
  poly[1] = c[2];
}

// Reads solref and solimp. If only one is given, the other gets the value of its class, or else MuJoCo's default.
// Returns whether one of them is given.
int hfi_mjcf_read_solver(hfiMjcf* m, const hfiElem* elem, const char* ref_name, const char* imp_name, double solref[2],
                         double solimp[5]) {
  double ref[2] = {0.02, 1};
  double imp[5] = {0.9, 0.95, 0.001, 0.5, 2};
  int has_class_values = solref[0] != 0;
  if (has_class_values) {
    memcpy(ref, solref, sizeof ref);
    memcpy(imp, solimp, sizeof imp);
  }

  int given = hfi_read_reals(m->r, elem, ref_name, 1, 2, ref);
  given += hfi_read_reals(m->r, elem, imp_name, 1, 5, imp);
  if (!given) return 0;
  memcpy(solref, ref, sizeof ref);
  memcpy(solimp, imp, sizeof imp);
  return 1;
}

// Reads kv or dampratio of a servo into biasprm[2]: -kv, or the damping ratio as a positive number, as MuJoCo writes
// it. So a <general> of the class can replace it. If neither is given, the value of the class stays.
void hfi_mjcf_read_servo_damping(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  double kv = 0;
  double ratio = 0;
  int has_kv = hfi_read_real(m->r, elem, "kv", &kv);
  int has_ratio = hfi_read_real(m->r, elem, "dampratio", &ratio);

  if (has_kv && has_ratio) hfi_fail(m->r, elem, HF_ERROR_MODEL, "both kv and dampratio are given");
  if (kv < 0 || ratio < 0) hfi_fail(m->r, elem, HF_ERROR_MODEL, "kv and dampratio cannot be negative");
  if (has_kv) d->biasprm[2] = -kv;
  if (has_ratio) d->biasprm[2] = ratio;
}

// ---- plugins ------------------------------------------------------------------------------------

// Whether an element is a <plugin> of this kind. Marks nothing as used.
int hfi_mjcf_is_plugin(const hfiElem* elem, const char* plugin) {
  if (!hfi_is(elem, "plugin")) return 0;
  for (const hfiAttr* a = elem->attr; a; a = a->next)
    if (strcmp(a->name, "plugin") == 0) return strcmp(a->value, plugin) == 0;
  return 0;
}

// The <instance> of a plugin in <extension>, or NULL. Marks the plugin, its section and the names it reads as used.
hfiElem* hfi_mjcf_find_instance(hfiMjcf* m, const char* plugin, const char* name) {
  for (hfiElem* extension = m->root->child; extension; extension = extension->next) {
    if (!hfi_is(extension, "extension")) continue;

    for (hfiElem* p = extension->child; p; p = p->next) {
      if (!hfi_mjcf_is_plugin(p, plugin)) continue;
      hfi_attr(p, "plugin");
      extension->used = 1;
      p->used = 1;
      for (hfiElem* i = hfi_child(p, "instance"); i; i = hfi_next(i, "instance")) {
        const char* instance = hfi_attr(i, "name");
        if (instance && strcmp(instance, name) == 0) return i;
      }
    }
  }
  return NULL;
}
