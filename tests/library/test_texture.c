// What makes the body of a function hard to read, counted in src, cli and python/src.
//
//   blank        share of blank lines inside functions [%]; paragraphs need them
//   unbroken     functions of more than 12 lines without a blank line
//   commas       statements that are joined by commas, but for `for`
//   conditions   ?: inside of another ?:
//   mixed        declarations of variables and pointers in one statement
//   wide         lines of more than 120 columns, also outside of functions
//   bare         functions of more than 4 lines without a comment directly above
//
// The counts are a place to look, not the aim: a reader has to understand the function. Each has a bound that may only fall. A function is read as
// the compiler reads it, without comments and strings, so that a line that only looks like one of these does not count. Every count also runs on
// made examples, in which it has to find what is there.
//
// The subject of a commit has at most 72 characters and begins with its area.
#include "library/sources.h"

// ---- the bounds --------------------------------------------------------------------------------------

enum { LONG_BODY = 12, SHORT_BODY = 4, MOST_COLUMNS = 120, MOST_SUBJECT = 72 };

typedef struct texture {
  int functions, lines, blank;
  int unbroken, commas, conditions, mixed, wide, bare;
} texture;

// What a count has found, and where; it is printed if the count is above its bound.
typedef enum findingKind { UNBROKEN, COMMAS, CONDITIONS, MIXED, WIDE, BARE } findingKind;

typedef struct finding {
  findingKind kind;
  const sourceFile* file;
  int line;
} finding;

enum { MOST_FINDINGS = 4000 };

typedef struct findingList {
  int count;
  finding list[MOST_FINDINGS];
} findingList;

// A file that is read, and what was found in it and in others. found: may be NULL.
typedef struct reading {
  const sourceFile* file;
  texture* t;
  findingList* found;
} reading;

static int line_of(const char* code, const char* s) {
  int line = 1;
  for (; code < s; ++code) line += *code == '\n';
  return line;
}

static void add_finding(const reading* r, findingKind kind, int line) {
  if (r->found && r->found->count < MOST_FINDINGS) r->found->list[r->found->count++] = (finding){kind, r->file, line};
}

// Each may only fall; `blank` is a share [%] that may only rise.
static const texture BOUNDS = {.blank = 10, .unbroken = 0, .commas = 0, .conditions = 0, .mixed = 0, .wide = 0, .bare = 0};

// ---- statements --------------------------------------------------------------------------------------

static const char* skip_blanks(const char* s, const char* end) {
  while (s < end && isspace((unsigned char)*s)) ++s;
  return s;
}

// The end of the word at s.
static const char* skip_word(const char* s, const char* end) {
  while (s < end && is_name_char(*s)) ++s;
  return s;
}

static int is_word_of(const char* s, const char* end, const char* list) {
  char word[NAME_SIZE + 2];
  snprintf(word, sizeof word, " %.*s ", (int)(end - s < NAME_SIZE ? end - s : NAME_SIZE - 1), s);
  return strstr(list, word) != NULL;
}

// Whether a statement declares variables: words, then the name of the first one. `first` is the end of the type.
static int is_declaration(const char* s, const char* end, const char** first) {
  int words = 0;
  for (s = skip_blanks(s, end); s < end && is_name_char(*s); s = skip_blanks(s, end)) {
    const char* after = skip_word(s, end);
    if (is_word_of(s, after, " return goto case else do if while for switch sizeof ")) return 0;
    if (isdigit((unsigned char)*s)) return 0;

    // the last word is the name of the first variable
    const char* next = skip_blanks(after, end);
    if (words > 0 && (next == end || strchr("=,[;", *next))) {
      *first = s;
      return 1;
    }
    ++words;
    s = after;
    if (next < end && *next == '*') {
      const char* star = next;
      while (next < end && (*next == '*' || isspace((unsigned char)*next))) ++next;
      if (next == end || !is_name_char(*next)) return 0;
      const char* name_end = skip_blanks(skip_word(next, end), end);
      if (name_end < end && !strchr("=,[", *name_end) && !is_word_of(next, skip_word(next, end), " const restrict ")) return 0;
      if (is_word_of(next, skip_word(next, end), " const restrict ")) {
        s = skip_word(next, end);
        continue;
      }
      *first = star;
      return 1;
    }
  }
  return 0;
}

enum { MOST_DEPTH = 64 };

// Reads the statement [start, end) of the code of a file and adds what it shows.
static void read_statement(const reading* r, const char* start, const char* end) {
  const char* first = NULL;
  int declares = is_declaration(start, end, &first) || has_word(start, end, "enum");
  int depth = 0;
  int open[MOST_DEPTH] = {0}; // 1: a condition at this depth has not ended
  int commas = 0, nested = 0, pointers = 0, values = 0;
  if (first) {
    if (*first == '*') ++pointers;
    else ++values;
  }

  for (const char* s = start; s < end; ++s) {
    if (strchr("([{", *s) && depth + 1 < MOST_DEPTH) open[++depth] = 0;
    else if (strchr(")]}", *s) && depth > 0) --depth;
    else if (*s == '?') {
      int inside = 0;
      for (int d = 0; d <= depth; ++d) inside |= open[d];
      nested += inside;
      open[depth] = 1;
    } else if (*s == ',') {
      open[depth] = 0;
      if (depth > 0) continue;
      ++commas;
      const char* next = skip_blanks(s + 1, end);
      if (next < end && *next == '*') ++pointers;
      else ++values;
    }
  }

  int line = line_of(r->file->code, skip_blanks(start, end));
  if (nested) add_finding(r, CONDITIONS, line);
  r->t->conditions += nested;
  if (!declares && commas > 0) {
    add_finding(r, COMMAS, line);
    r->t->commas++;
  }
  if (declares && pointers > 0 && values > 0) {
    add_finding(r, MIXED, line);
    r->t->mixed++;
  }
}

// Whether a brace at s begins an initialiser, a compound literal or the values of an enum, by what stands before it.
static int is_initialiser(const char* body, const char* s) {
  while (s > body && isspace((unsigned char)s[-1])) --s;
  if (s == body) return 0;
  if (strchr("=,(", s[-1])) return 1;
  if (is_name_char(s[-1])) {
    const char* line = s;
    while (line > body && !strchr(";{}", line[-1])) --line;
    return has_word(line, s, "enum");
  }
  if (s[-1] != ')') return 0;

  // (type){...}: the parentheses hold a type, and before them stands no word of control
  int depth = 0;
  const char* open = s;
  do {
    --open;
    depth += *open == ')';
    depth -= *open == '(';
  } while (open > body && depth > 0);
  const char* before = open;
  while (before > body && isspace((unsigned char)before[-1])) --before;
  if (before > body && is_name_char(before[-1])) {
    const char* word = before;
    while (word > body && is_name_char(word[-1])) --word;
    return is_word_of(word, before, " return ");
  }
  return before > body && strchr("=,(?:&|<>+-*", before[-1]) != NULL;
}

// Reads the statements of a body, which is code without comments and strings.
static void read_body(const reading* r, const char* body, const char* end) {
  const char* start = body;
  int depth = 0; // of parentheses, brackets and initialisers
  int initialisers = 0;

  for (const char* s = body; s < end; ++s) {
    if (*s == '{' && (initialisers > 0 || is_initialiser(body, s))) {
      ++depth;
      ++initialisers;
    } else if (*s == '}' && initialisers > 0) {
      --depth;
      --initialisers;
    } else if (*s == '(' || *s == '[') {
      ++depth;
    } else if (*s == ')' || *s == ']') {
      --depth;
      if (depth > 0 || *s == ']') continue;

      // what follows if (...), for (...) and while (...) is a statement of its own
      const char* word = skip_blanks(start, s);
      if (is_word_of(word, skip_word(word, s), " if for while switch ")) {
        if (!is_word_of(word, skip_word(word, s), " for ")) read_statement(r, start, s + 1);
        start = s + 1;
      }
    } else if (depth == 0 && strchr(";{}", *s)) {
      const char* word = skip_blanks(start, s);
      if (is_word_of(word, skip_word(word, s), " else do ")) start = skip_word(word, s);
      read_statement(r, start, s);
      start = s + 1;
    }
  }
}

// ---- functions ---------------------------------------------------------------------------------------

static const char* line_start(const char* text, int line) {
  for (int i = 1; i < line && text; ++i) {
    text = strchr(text, '\n');
    if (text) ++text;
  }
  return text;
}

static int is_blank_line(const char* s) { return s[strspn(s, " \t")] == '\n'; }

static int is_comment_line(const char* s) {
  s += strspn(s, " \t");
  return strncmp(s, "//", 2) == 0 || strncmp(s, "/*", 2) == 0 || *s == '*';
}

// Adds the function whose brace is on a line. head: the line on which its definition begins.
static void read_function(const reading* r, int head, int line) {
  const sourceFile* file = r->file;
  texture* t = r->t;
  const char* text = line_start(file->text, line + 1);
  const char* code = line_start(file->code, line + 1);
  int lines = 0;
  int blank_lines = 0;
  if (!text || !code) return;

  while (*text && *text != '}') {
    ++lines;
    blank_lines += is_blank_line(text);
    text = line_start(text, 2);
  }
  const char* end = line_start(code, lines + 1);
  if (lines == 0 || !end) return;

  t->functions++;
  t->lines += lines;
  t->blank += blank_lines;
  if (lines > LONG_BODY && blank_lines == 0) {
    add_finding(r, UNBROKEN, head);
    t->unbroken++;
  }
  if (lines > SHORT_BODY && (head < 2 || !is_comment_line(line_start(file->text, head - 1)))) {
    add_finding(r, BARE, head);
    t->bare++;
  }
  read_body(r, code, end);
}

static void count_wide_lines(const reading* r) {
  int line = 1;
  int columns = 0;
  for (const char* text = r->file->text; *text; ++text) {
    if (*text == '\n') {
      if (columns > MOST_COLUMNS) {
        add_finding(r, WIDE, line);
        r->t->wide++;
      }
      columns = 0;
      ++line;
    } else {
      columns += ((unsigned char)*text & 0xc0) != 0x80; // not a later byte of a character
    }
  }
}

// The line on which the definition begins whose brace is on `line`.
static int find_head(const sourceFile* file, int line) {
  while (line > 1) {
    const char* s = line_start(file->code, line);
    if (isalpha((unsigned char)*s) && memchr(s, '(', strcspn(s, "\n"))) return line;
    --line;
  }
  return line;
}

static texture read_texture(const sourceSet* set, findingList* found) {
  texture t = {0};
  for (int i = 0; i < set->ndefinition; ++i) {
    const definition* d = &set->definition[i];
    if (d->kind != DEFINES_FUNCTION) continue;

    const sourceFile* file = &set->file[d->file];
    const char* s = line_start(file->code, d->line);
    if (memchr(s, '}', strcspn(s, "\n"))) continue; // a function on one line
    reading r = {file, &t, found};
    read_function(&r, find_head(file, d->line), d->line);
  }

  for (int i = 0; i < set->nfile; ++i) {
    reading r = {&set->file[i], &t, found};
    count_wide_lines(&r);
  }
  return t;
}

// ---- tests -------------------------------------------------------------------------------------------

// A set of one made file.
static sourceSet* make_source(const char* text) {
  sourceSet* set = calloc(1, sizeof *set);
  set->nfile = 1;
  snprintf(set->file[0].path, sizeof set->file[0].path, "made.c");
  set->file[0].text = malloc(strlen(text) + 1);
  strcpy(set->file[0].text, text);
  set->file[0].code = strip_non_code(text);
  find_definitions(set, 0);
  return set;
}

static texture read_made(const char* body) {
  char text[4096];
  snprintf(text, sizeof text, "static int f(int a) {\n%s}\n", body);
  sourceSet* set = make_source(text);
  texture t = read_texture(set, NULL);
  free_sources(set);
  return t;
}

static void test_made_examples(void** state) {
  (void)state;
  static const struct {
    const char* body;
    int commas, conditions, mixed;
  } cases[] = {
      {"  a = 1, b = 2;\n", 1, 0, 0},
      {"  if (a) b(), c();\n", 1, 0, 0},
      {"  else a = 1, b = 2;\n", 1, 0, 0},
      {"  for (i = 0, j = 1; i < j; ++i, --j) f(i, j);\n", 0, 0, 0},
      {"  int a = 1, b = f(1, 2), c[2] = {1, 2};\n", 0, 0, 0},
      {"  hfVec3 a = {1, 2}, b;\n", 0, 0, 0},
      {"  double *a = x, b = 1;\n", 0, 0, 1},
      {"  double a = 1, *b = x;\n", 0, 0, 1},
      {"  const double* a = x;\n  double* const b = y;\n", 0, 0, 0},
      {"  const double *a = x, *b = y;\n", 0, 0, 0},
      {"  g((hfVec3){1, 2}, 3);\n", 0, 0, 0},
      {"  return (pair){1, 2};\n", 0, 0, 0},
      {"  *x = (pair){.a = 1, .b = 2};\n", 0, 0, 0},
      {"  return a ? b : c;\n", 0, 0, 0},
      {"  return a ? b : c ? d : e;\n", 0, 1, 0},
      {"  return a ? b ? c : d : e;\n", 0, 1, 0},
      {"  return a ? f(b ? c : d) : e;\n", 0, 1, 0},
      {"  f(a ? b : c, d ? e : g);\n", 0, 0, 0},
      {"  // a = 1, b = 2;\n  say(\"a ? b : c ? d : e, f\");\n", 0, 0, 0},
      {"  while (a) {\n    a = 1, b = 2;\n  }\n", 1, 0, 0},
      {"  x->y = 1, ++z;\n", 1, 0, 0},
      {"  enum { A = 1, B = 2 };\n", 0, 0, 0},
      {"  return (frame){{{m[0], m[1]}}, {m[3], m[7]}};\n", 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    texture t = read_made(cases[i].body);
    if (t.commas == cases[i].commas && t.conditions == cases[i].conditions && t.mixed == cases[i].mixed) continue;
    fail_msg("%s  commas %d, nested conditions %d, mixed %d", cases[i].body, t.commas, t.conditions, t.mixed);
  }
}

static void test_made_functions(void** state) {
  (void)state;
  char body[512] = "";
  for (int i = 0; i <= LONG_BODY; ++i) strcat(body, "  a = 1;\n");
  texture t = read_made(body);
  assert_int_equal(t.unbroken, 1);
  assert_int_equal(t.bare, 1);
  strcat(body, "\n  a = 1;\n");
  t = read_made(body);
  assert_int_equal(t.unbroken, 0);
  assert_int_equal(t.blank, 1);

  sourceSet* set = make_source("// A word.\nint\nf(int a,\n  int b) {\n  a = 1;\n  a = 1;\n  a = 1;\n  a = 1;\n  a = 1;\n}\n");
  set->definition[0].line = 4;
  t = read_texture(set, NULL);
  free_sources(set);
  assert_int_equal(t.lines, 5);

  char wide[200] = "//";
  memset(wide + 2, 'x', 119);
  strcpy(wide + 121, "\n");
  set = make_source(wide);
  assert_int_equal(read_texture(set, NULL).wide, 1);
  free_sources(set);
  set = make_source(wide + 1);
  assert_int_equal(read_texture(set, NULL).wide, 0);
  free_sources(set);
}

// Prints where a kind was found, if there are more than the bound. Returns whether there are.
static int is_above(const char* what, int count, int bound, const findingList* found, findingKind kind) {
  if (count < bound) print_message("%s: %d; the bound %d can fall\n", what, count, bound);
  if (count <= bound) return 0;

  print_error("%s: %d, at most %d\n", what, count, bound);
  for (int i = 0; i < found->count; ++i)
    if (found->list[i].kind == kind) print_error("  %s:%d\n", found->list[i].file->path, found->list[i].line);
  return 1;
}

static void test_bodies(void** state) {
  (void)state;
  sourceSet* set = read_sources(HF_SOURCE_DIR, "src cli python/src");
  findingList* found = calloc(1, sizeof *found);
  texture t = read_texture(set, found);
  double share = 100.0 * t.blank / t.lines;
  print_message("%d functions, %d lines, %.1f %% of them blank\n", t.functions, t.lines, share);

  assert_true(t.functions > 4000); // The reader has found them.
  int above = share < BOUNDS.blank;
  if (above) print_error("blank lines: %.1f %%, at least %d %%\n", share, BOUNDS.blank);
  above += is_above("functions of more than 12 lines without a blank line", t.unbroken, BOUNDS.unbroken, found, UNBROKEN);
  above += is_above("statements joined by commas", t.commas, BOUNDS.commas, found, COMMAS);
  above += is_above("conditions inside of conditions", t.conditions, BOUNDS.conditions, found, CONDITIONS);
  above += is_above("declarations of variables and pointers", t.mixed, BOUNDS.mixed, found, MIXED);
  above += is_above("lines of more than 120 columns", t.wide, BOUNDS.wide, found, WIDE);
  above += is_above("functions of more than 4 lines without a word above", t.bare, BOUNDS.bare, found, BARE);
  free(found);
  free_sources(set);
  assert_int_equal(above, 0);
}

// The rule of subjects holds for commits after this moment.
#define SINCE "2026-11-20T00:00:00Z"

static void test_subjects_of_commits(void** state) {
  (void)state;
  char line[1024];
  FILE* log = popen("cd '" HF_SOURCE_DIR "' && git log --no-merges --since=" SINCE " --format=%s 2>/dev/null", "r");
  int commits = 0;
  assert_non_null(log);

  while (fgets(line, sizeof line, log)) {
    line[strcspn(line, "\n")] = '\0';
    ++commits;
    const char* colon = strstr(line, ": ");
    if (!colon || colon == line) fail_msg("a commit does not begin with its area: %s", line);
    if (strlen(line) > MOST_SUBJECT) fail_msg("%zu characters, at most %d: %s", strlen(line), MOST_SUBJECT, line);
  }
  int status = pclose(log);
  if (status != 0 || commits == 0) skip(); // not a clone, or a shallow one
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_made_examples),
      cmocka_unit_test(test_made_functions),
      cmocka_unit_test(test_bodies),
      cmocka_unit_test(test_subjects_of_commits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
