// Objects that options name, and names of objects for people.
#include "object.h"

#include "numbers.h"

#include <stdio.h>
#include <string.h>

enum { LISTED = 10, LONGEST = 64 }; // Names that are listed, and characters of each that are compared, at most.

// The number of an object that is named #NUMBER. -1: the name is not of that form, or there is no such object.
static int find_number(const hfModel* model, hfObjectKind kind, const char* name) {
  double number;
  if (*name != '#' || !parse_number(name + 1, &number)) return -1;
  if (!(number >= 0 && number < hf_model_object_count(model, kind))) return -1;
  return number == (int)number ? (int)number : -1;
}

// How many characters have to be put in, left out or replaced to make one name of the other (Levenshtein 1966).
// row[j]: the distance of the first i characters of a from the first j of b
static int name_distance(const char* a, const char* b) {
  int row[LONGEST + 1];
  int n = (int)strnlen(b, LONGEST);
  for (int j = 0; j <= n; ++j) row[j] = j;

  for (int i = 1; i <= LONGEST && a[i - 1]; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= n; ++j) {
      int replaced = diagonal + (a[i - 1] != b[j - 1]);
      int shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = replaced < shorter ? replaced : shorter;
    }
  }
  return row[n];
}

// Prints up to LISTED names of objects of a kind, the nearest to `name` first, and of equally near ones the first in
// the model. Keeps a list in this order while it goes through all objects.
static void list_near(const hfModel* model, hfObjectKind kind, const char* name) {
  char buffer[HF_LABEL_SIZE];
  int id[LISTED], distance[LISTED];
  int count = 0;
  for (int i = 0; i < hf_model_object_count(model, kind); ++i) {
    int d = name_distance(name, hf_model_label(model, kind, i, buffer));

    // farther names move down by one place, and the last of a full list is lost
    int place = count;
    for (; place > 0 && distance[place - 1] > d; --place) {
      if (place >= LISTED) continue;
      id[place] = id[place - 1];
      distance[place] = distance[place - 1];
    }
    if (place < LISTED) {
      id[place] = i;
      distance[place] = d;
    }
    if (count < LISTED) count++;
  }

  for (int k = 0; k < count; ++k) fprintf(stderr, "  %s\n", hf_model_label(model, kind, id[k], buffer));
}

// Finds an object by name or number. Returns its id, or -1 after a message that names those that are near.
int find_object(const char* option, const hfModel* model, hfObjectKind kind, const char* name) {
  int id = hf_model_find(model, kind, name);
  if (id < 0) id = find_number(model, kind, name);
  if (id >= 0) return id;

  int count = hf_model_object_count(model, kind);
  const char* word = kind == HF_OBJECT_KEY ? "keyframe" : hf_object_kind_name(kind);
  const char* others = ", it has none at all";
  if (count > 0) others = "; it has:";
  if (count > LISTED) others = "; the nearest names are:";

  say_error("%s: the model has no %s \"%s\"%s", option, word, name, others);
  list_near(model, kind, name);
  return -1;
}

// ---- names for people ----------------------------------------------------------------------------------

// What several objects of a kind are called.
static const char* plural(hfObjectKind kind) {
  switch (kind) {
  case HF_OBJECT_BODY: return "bodies";
  case HF_OBJECT_SITE: return "sites";
  case HF_OBJECT_JOINT: return "joints";
  default: return "tendons";
  }
}

// Writes the name of an object; of an equality also what it joins. Returns the text.
const char* describe_object(const hfModel* m, hfObjectKind kind, int id, char text[OBJECT_TEXT]) {
  char buffer[HF_LABEL_SIZE], first[HF_LABEL_SIZE], second[HF_LABEL_SIZE];
  const char* name = hf_model_label(m, kind, id, buffer);
  if (kind != HF_OBJECT_EQUALITY) {
    snprintf(text, OBJECT_TEXT, "%s", name);
    return text;
  }

  // an equality is described with the objects that it joins
  int type = hf_model_eq_type(m)[id];
  hfObjectKind joined = (hfObjectKind)hf_model_eq_objkind(m)[id];
  if (type == HF_EQUALITY_JOINT) joined = HF_OBJECT_JOINT;
  if (type == HF_EQUALITY_TENDON) joined = HF_OBJECT_TENDON;

  int a = hf_model_eq_obj1(m)[id];
  int b = hf_model_eq_obj2(m)[id];

  const char* label = hf_model_label(m, joined, a, first);
  if (b < 0)
    snprintf(text, OBJECT_TEXT, "%s of %s %s", name, hf_object_kind_name(joined), label);
  else
    snprintf(text, OBJECT_TEXT, "%s of %s %s and %s", name, plural(joined), label,
             hf_model_label(m, joined, b, second));
  return text;
}
