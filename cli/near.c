// Names that are like a wrong one: of options and verbs, by the words of other programs and by the edit distance.
#include "near.h"

#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 32 }; // Names that are longer are compared with none.

// What other programs call an option or a verb, and what it is called here.
typedef struct otherWord {
  const char *theirs, *ours;
} otherWord;

static const otherWord option_words[] = {{"duration", "time"}, {"t", "time"},           {"T", "time"},
                                         {"end", "time"},      {"dt", "step"},          {"timestep", "step"},
                                         {"key", "keyframe"},  {"k", "keyframe"},       {"output", "out"},
                                         {"fps", "rate"},      {"controls", "ctrl"},    {"seconds", "time"},
                                         {"integrator", "method"}};
static const otherWord verb_words[] = {{"simulate", "run"}, {"sim", "run"},     {"play", "view"},
                                       {"replay", "view"},  {"show", "view"},   {"viewer", "view"},
                                       {"open", "view"},    {"test", "check"},  {"validate", "check"},
                                       {"lint", "check"},   {"draw", "render"}, {"picture", "render"},
                                       {"video", "render"}, {"export", "convert"}, {"compile", "convert"},
                                       {"benchmark", "bench"}};

// The word of ours for one of others, or NULL.
static const char* find_word(const otherWord* words, size_t count, const char* name) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(words[i].theirs, name) == 0) return words[i].ours;
  return NULL;
}

// The smaller of two numbers.
static int least(int a, int b) { return a < b ? a : b; }

// Number of letters to change, add or take out so that a becomes b; LONGEST_NAME for long names.
static int count_edits(const char* a, const char* b) {
  int m = (int)strlen(a);
  int n = (int)strlen(b);
  if (m >= LONGEST_NAME || n >= LONGEST_NAME) return LONGEST_NAME;

  // row[j]: edits from the first i letters of a to the first j letters of b
  int row[LONGEST_NAME];
  for (int j = 0; j <= n; ++j) row[j] = j;

  for (int i = 1; i <= m; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= n; ++j) {
      int replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = least(replaced, 1 + least(row[j], row[j - 1]));
    }
  }
  return row[n];
}

// Is the number of edits so small that the name may be a slip of the other?
static int is_slip(int edits, const char* name) { return edits <= 2 && 3 * edits <= (int)strlen(name) + 1; }

// The verb that a wrong one is most like or that other programs call so, or NULL.
const char* near_verb(const char* name, const char* const* verbs, int count) {
  const char* word = find_word(verb_words, sizeof verb_words / sizeof *verb_words, name);
  if (word) return word;

  const char* best = NULL;
  int fewest = LONGEST_NAME;
  for (int i = 0; i < count; ++i) {
    int edits = count_edits(name, verbs[i]);
    if (edits < fewest && is_slip(edits, name)) {
      fewest = edits;
      best = verbs[i];
    }
  }
  return best;
}

// What is known about the name of an option.
typedef struct optionSearch {
  const char* name; // without dashes
  int length; // of the name, up to =
  const char* word; // the option that other programs call so, or NULL
  int is_known; // 1: the verb has the option, or one that begins so
  const char* best; // the option that the name is most like, or NULL
  int fewest; // edits to it
} optionSearch;

// Looks for the name among the options of a parser and of its children.
static void search_options(const struct argp* argp, optionSearch* s) {
  char given[LONGEST_NAME];
  snprintf(given, sizeof given, "%.*s", s->length, s->name);

  for (const struct argp_option* o = argp->options; o && (o->name || o->key || o->doc); ++o) {
    if (s->length == 1 && o->key == given[0]) s->is_known = 1;
    if (!o->name) continue;
    if (s->length > 1 && strncmp(o->name, s->name, (size_t)s->length) == 0) s->is_known = 1;

    int edits = count_edits(given, o->name);
    // s->word: the option that other programs call so; it is as near as can be
    if (s->word && strcmp(s->word, o->name) == 0) edits = 0;
    if (edits < s->fewest && (edits == 0 || is_slip(edits, given))) {
      s->fewest = edits;
      s->best = o->name;
    }
  }

  for (const struct argp_child* c = argp->children; c && c->argp; ++c) search_options(c->argp, s);
}

// Says what a wrong option may have meant.
static void hint_at_option(const struct argp* argp, const char* argument) {
  optionSearch s = {.name = argument + strspn(argument, "-"), .fewest = LONGEST_NAME};
  s.length = (int)strcspn(s.name, "=");
  int dashes = (int)(s.name - argument);
  // what looks like a negative number is no option
  int is_option = (dashes == 2 && s.length > 1) || (dashes == 1 && s.length == 1 && strspn(s.name, "0123456789.") == 0);
  if (!is_option || s.length >= LONGEST_NAME) return;

  char name[LONGEST_NAME];
  snprintf(name, sizeof name, "%.*s", s.length, s.name);
  s.word = find_word(option_words, sizeof option_words / sizeof *option_words, name);
  search_options(argp, &s);

  if (!s.is_known && s.best && strncmp("help", name, strlen(name)) != 0)
    say_error("there is no option %s%s; perhaps --%s", dashes == 2 ? "--" : "-", name, s.best);
}

// Parses the arguments of a verb as argp_parse does, which refuses an option that the verb does not have. Before that
// it says which option was perhaps meant.
void parse_arguments(const struct argp* argp, int argc, char** argv, void* input) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
    if (argv[i][0] == '-') hint_at_option(argp, argv[i]);
  argp_parse(argp, argc, argv, 0, NULL, input);
}
