// The order of the sources, read from the sources themselves:
//   a folder of src/ includes only itself and folders before it in the list of CMakeLists.txt, also
//   through public headers, and a public header belongs to the folder that implements it;
//   no file of src/ names a function or a table that a later folder defines;
//   a header inside.h is included only by files of its own folder;
//   no struct of src/ has more than 30 members;
//   no two files of src/ need each other;
//   no type name of src/, of the command and of its experiments is defined twice;
//   no function is longer than 60 lines of code;
//   the root of the repository holds nothing but what is listed here.
// Every check also runs on made examples, in which it has to find what is wrong.
#include "library/sources.h"

#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FOLDERS = 64, MOST_CODE_LINES = 60, MOST_MEMBERS = 30 };

// ---- folders and headers -------------------------------------------------------------------------

typedef struct folderOrder {
  int count, core; // all folders; those that link nothing but libm and threads
  char name[MOST_FOLDERS][NAME_SIZE];
} folderOrder;

// Appends the words of set(LIST ...) in the text of a CMakeLists.txt.
static void append_folders(folderOrder* order, const char* text, const char* list) {
  char begin[NAME_SIZE];
  snprintf(begin, sizeof begin, "set(%s ", list);
  const char* at = strstr(text, begin);
  assert_non_null(at);
  at += strlen(begin);
  for (int n; *at != ')'; at += n + (int)strspn(at + n, " \n")) {
    n = (int)strcspn(at, " \n)");
    assert_true(order->count < MOST_FOLDERS);
    snprintf(order->name[order->count++], NAME_SIZE, "%.*s", n, at);
  }
}

static folderOrder read_order(const char* root) {
  char path[1024];
  folderOrder order = {0};
  snprintf(path, sizeof path, "%s/CMakeLists.txt", root);
  char* text = read_text(path);
  append_folders(&order, text, "core_folders");
  order.core = order.count;
  append_folders(&order, text, "outer_folders");
  free(text);
  return order;
}

// Position of the folder that a path lies in, or -1: of the listed folders the longest that the path begins with.
static int rank_of(const folderOrder* order, const char* path) {
  int rank = -1;
  size_t longest = 0;

  for (int i = 0; i < order->count; ++i) {
    size_t length = strlen(order->name[i]);
    if (length <= longest || strncmp(order->name[i], path, length) != 0 || path[length] != '/') continue;
    rank = i;
    longest = length;
  }
  return rank;
}

static const char* in_src(const sourceSet* set, int file) {
  return strncmp(set->file[file].path, "src/", 4) == 0 ? set->file[file].path + 4 : NULL;
}

// The folder that defines a public function, or -1.
static int find_implementer(const sourceSet* set, const folderOrder* order, const char* name) {
  for (int i = 0; i < set->ndefinition; ++i) {
    const definition* d = &set->definition[i];
    if (d->kind == DEFINES_FUNCTION && in_src(set, d->file) && strcmp(d->name, name) == 0)
      return rank_of(order, in_src(set, d->file));
  }
  return -1;
}

static int ends_in(const char* name, const char* end) {
  return strlen(name) >= strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0;
}

// The folder that a public header belongs to: the first one that defines a function of it. 0, the first folder of all,
// if it declares plain structs and their defaults alone, or is made by the build.
static int header_rank(const sourceSet* set, const folderOrder* order, const char* header) {
  char path[512];
  int rank = order->count;
  snprintf(path, sizeof path, "include/holdfast/%s", header);
  for (int i = 0; i < set->nfile; ++i) {
    if (strcmp(set->file[i].path, path) != 0) continue;
    for (const char* at = set->file[i].code; (at = strstr(at, "HF_API"));) {
      char name[NAME_SIZE];
      const char* open = strchr(at, '(');
      if (!open) break;
      name_before(at, open, name);
      int found = ends_in(name, "_default") ? -1 : find_implementer(set, order, name);
      if (found >= 0 && found < rank) rank = found;
      at = open;
    }
  }
  return rank == order->count ? 0 : rank;
}

// ---- includes ------------------------------------------------------------------------------------

// The next include line from `at` on: its target and whether it is a public header. NULL at the end.
static const char* next_include(const char* at, char* target, int* is_public) {
  while ((at = strstr(at, "#include"))) {
    at += strlen("#include");
    if (sscanf(at, " \"%127[^\"]\"", target) == 1) return *is_public = 0, at;
    if (sscanf(at, " <holdfast/%127[^>]>", target) == 1) return *is_public = 1, at;
  }
  return NULL;
}

// Rank of the folder that a file belongs to, public headers included; -1 for other files.
static int file_rank(const sourceSet* set, const folderOrder* order, int file) {
  const char* path = set->file[file].path;
  if (in_src(set, file)) return rank_of(order, in_src(set, file));
  if (strncmp(path, "include/holdfast/", 17) != 0 || strcmp(path + 17, "holdfast.h") == 0) return -1;
  return header_rank(set, order, path + 17);
}

static int count_upward_includes(const char* root) {
  sourceSet* set = read_sources(root, "src include");
  folderOrder order = read_order(root);
  int wrong = 0, is_public;
  for (int i = 0; i < set->nfile; ++i) {
    int from = file_rank(set, &order, i);
    char target[NAME_SIZE];
    if (from < 0 && !in_src(set, i)) continue;
    for (const char* at = set->file[i].text; (at = next_include(at, target, &is_public));) {
      int to = is_public ? header_rank(set, &order, target) : rank_of(&order, target);
      if (to >= 0 && to <= from) continue;
      print_message("%s includes %s of a later folder\n", set->file[i].path, target);
      ++wrong;
    }
  }
  free_sources(set);
  return wrong;
}

// Counts the includes of a header inside.h by files of another folder.
static int count_foreign_insides(const char* root) {
  sourceSet* set = read_sources(root, "src");
  int wrong = 0;
  int is_public;
  for (int i = 0; i < set->nfile; ++i) {
    const char* path = in_src(set, i);
    char target[NAME_SIZE];
    for (const char* at = set->file[i].text; (at = next_include(at, target, &is_public));) {
      const char* name = strrchr(target, '/');
      if (is_public || !name || strcmp(name, "/inside.h") != 0) continue;

      size_t folder_length = (size_t)(name - target);
      if (strncmp(path, target, folder_length) == 0 && strrchr(path, '/') == path + folder_length) continue;
      print_message("%s includes %s of another folder\n", set->file[i].path, target);
      ++wrong;
    }
  }
  free_sources(set);
  return wrong;
}

// ---- files that need each other ------------------------------------------------------------------

static int defines_symbol(const definition* d, const sourceSet* set) {
  const char* path = set->file[d->file].path;
  return d->kind != DEFINES_TYPE && !d->is_static && path[strlen(path) - 1] == 'c';
}

static int compare_names(const void* a, const void* b) {
  return strcmp((*(const definition* const*)a)->name, (*(const definition* const*)b)->name);
}

// The definitions of symbols, sorted by name.
typedef struct symbolTable {
  const definition** symbol;
  size_t count;
} symbolTable;

static symbolTable find_symbols(const sourceSet* set) {
  symbolTable table = {calloc(MOST_DEFINITIONS, sizeof *table.symbol), 0};
  for (int k = 0; k < set->ndefinition; ++k)
    if (defines_symbol(&set->definition[k], set)) table.symbol[table.count++] = &set->definition[k];
  qsort(table.symbol, table.count, sizeof *table.symbol, compare_names);
  return table;
}

// The next symbol of the table that the code names from *at on, which then is behind it; NULL at the end.
static const definition* next_symbol(const symbolTable* table, const char** at) {
  for (const char* s = *at; *s;) {
    size_t n = 0;
    while (is_name_char(s[n])) ++n;
    definition key;
    const definition* wanted = &key;
    const definition** found = NULL;
    snprintf(key.name, NAME_SIZE, "%.*s", (int)n, s);
    if (n > 0 && n < NAME_SIZE) found = bsearch(&wanted, table->symbol, table->count, sizeof *table->symbol, compare_names);
    s += n > 0 ? n : 1;
    *at = s;
    if (found) return *found;
  }
  return NULL;
}

// Marks reach[a][b] for every symbol that file a names and file b defines.
static void find_needs(const sourceSet* set, char* reach) {
  symbolTable table = find_symbols(set);
  for (int i = 0; i < set->nfile; ++i) {
    const definition* needed;
    for (const char* at = set->file[i].code; (needed = next_symbol(&table, &at));)
      reach[i * set->nfile + needed->file] = 1;
  }
  free(table.symbol);
}

// Counts the names of functions and tables that files of earlier folders use and later ones define. Only names with our prefix: others are
// members and variables.
static int count_upward_names(const char* root) {
  sourceSet* set = read_sources(root, "src");
  folderOrder order = read_order(root);
  symbolTable table = find_symbols(set);
  int wrong = 0;
  for (int i = 0; i < set->nfile; ++i) {
    int from = rank_of(&order, in_src(set, i));
    const definition* needed;
    for (const char* at = set->file[i].code; from >= 0 && (needed = next_symbol(&table, &at));) {
      if (strncmp(needed->name, "hf", 2) != 0 || rank_of(&order, in_src(set, needed->file)) <= from) continue;
      print_message("%s names %s of a later folder, %s\n", set->file[i].path, needed->name, set->file[needed->file].path);
      ++wrong;
    }
  }
  free(table.symbol);
  free_sources(set);
  return wrong;
}

static int count_cycles(const char* root) {
  sourceSet* set = read_sources(root, "src");
  int n = set->nfile, pairs = 0;
  char* reach = calloc((size_t)(n * n), 1);
  find_needs(set, reach);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; reach[i * n + k] && j < n; ++j) reach[i * n + j] |= reach[k * n + j];
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      if (reach[i * n + j] && reach[j * n + i]) {
        print_message("%s and %s need each other\n", set->file[i].path, set->file[j].path);
        ++pairs;
      }
  free(reach);
  free_sources(set);
  return pairs;
}

// ---- members of structs --------------------------------------------------------------------------

// Members between the braces of a struct: names that a comma or a semicolon ends outside of inner brackets. A struct inside is one member.
static int count_members(const char* open) {
  int depth = 0;
  int members = 0;
  for (const char* at = open; *at; ++at) {
    if (strchr("{([", *at)) ++depth;
    if (strchr("})]", *at)) --depth;
    if (depth == 0) break;
    members += depth == 1 && (*at == ',' || *at == ';');
  }
  return members;
}

static int count_large_structs(const char* root, const char* folders) {
  sourceSet* set = read_sources(root, folders);
  int large = 0;
  for (int i = 0; i < set->nfile; ++i)
    for (const char* at = set->file[i].code; (at = strstr(at, "struct "));) {
      char name[NAME_SIZE];
      int length = 0;
      at += strlen("struct ");
      if (sscanf(at, "%127[A-Za-z0-9_] {%n", name, &length) != 1 || length == 0) continue;

      int members = count_members(at + length - 1);
      if (members <= MOST_MEMBERS) continue;
      print_message("%s: %s has %d members\n", set->file[i].path, name, members);
      ++large;
    }
  free_sources(set);
  return large;
}

// ---- names, lengths, root ------------------------------------------------------------------------

static int count_repeated_types(const char* root, const char* folders) {
  sourceSet* set = read_sources(root, folders);
  int repeated = 0;
  for (int i = 0; i < set->ndefinition; ++i)
    for (int j = 0; j < i; ++j) {
      const definition *a = &set->definition[i], *b = &set->definition[j];
      if (a->kind != DEFINES_TYPE || b->kind != DEFINES_TYPE || strcmp(a->name, b->name) != 0) continue;
      print_message("%s is defined in %s and in %s\n", a->name, set->file[b->file].path, set->file[a->file].path);
      ++repeated;
    }
  free_sources(set);
  return repeated;
}

static int count_long_functions(const char* root, const char* folders) {
  sourceSet* set = read_sources(root, folders);
  int longer = 0, functions = 0;
  for (int i = 0; i < set->ndefinition; ++i) {
    const definition* d = &set->definition[i];
    functions += d->kind == DEFINES_FUNCTION;
    if (d->kind != DEFINES_FUNCTION || d->code_lines <= MOST_CODE_LINES) continue;
    print_message("%s:%d: %s has %d lines of code\n", set->file[d->file].path, d->line, d->name, d->code_lines);
    ++longer;
  }
  print_message("%d functions\n", functions);
  free_sources(set);
  return longer;
}

// Counts the names in a list, one in each line, that do not belong into the root.
static int count_strays(FILE* list) {
  static const char* const known[] = {
      ".ci",         ".clang-format", ".github", ".gitignore",   "CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CMakePresets.json",
      "CONTRIBUTING.md", "LICENSE",  "README.md", "bench",        "check",        "cli",          "cmake",          "demo", "release", "examples",
      "docs",        "experiments",   "include", "models",       "packages",     "pyproject.toml", "python",       "src",
      "studies", "tests",       "viewer"};
  char name[1024];
  int strays = 0;
  while (fscanf(list, "%1023s", name) == 1) {
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i], name) != 0) ++i;
    if (i < sizeof known / sizeof *known) continue;
    print_message("%s does not belong into the root\n", name);
    ++strays;
  }
  return strays;
}

// ---- the repository ------------------------------------------------------------------------------

static void test_no_upward_include(void** state) {
  (void)state;
  assert_int_equal(count_upward_includes(HF_SOURCE_DIR), 0);
}

static void test_no_upward_name(void** state) {
  (void)state;
  assert_int_equal(count_upward_names(HF_SOURCE_DIR), 0);
}

static void test_no_foreign_inside(void** state) {
  (void)state;
  assert_int_equal(count_foreign_insides(HF_SOURCE_DIR), 0);
}

static void test_no_large_struct(void** state) {
  (void)state;
  assert_int_equal(count_large_structs(HF_SOURCE_DIR, "src"), 0);
}

static void test_no_cycle(void** state) {
  (void)state;
  assert_int_equal(count_cycles(HF_SOURCE_DIR), 0);
}

static void test_no_type_name_twice(void** state) {
  (void)state;
  assert_int_equal(count_repeated_types(HF_SOURCE_DIR, "src cli experiments"), 0);
}

static void test_no_long_function(void** state) {
  (void)state;
  assert_int_equal(count_long_functions(HF_SOURCE_DIR, "src cli experiments bench python/src viewer/core"), 0);
}

static void test_no_stray_file(void** state) {
  (void)state;
  FILE* list = popen("cd '" HF_SOURCE_DIR "' && git ls-files 2>/dev/null | sed 's,/.*,,' | sort -u", "r");
  assert_non_null(list);
  assert_int_equal(count_strays(list), 0);
  pclose(list);
}

// ---- made examples -------------------------------------------------------------------------------

static char folder[] = "/tmp/holdfast-order-XXXXXX";

static void write_source(const char* name, const char* text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

// A repository of two folders, low before high, and an outer one, in good order.
static int make_example(void** state) {
  static const char* const folders[] = {"", "/src", "/src/low", "/src/high", "/src/outer", "/include", "/include/holdfast"};
  (void)state;
  strcpy(strrchr(folder, '-'), "-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  for (size_t i = 1; i < sizeof folders / sizeof *folders; ++i) {
    char path[1024];
    snprintf(path, sizeof path, "%s%s", folder, folders[i]);
    if (mkdir(path, 0700) != 0) return -1;
  }
  write_source("CMakeLists.txt", "set(core_folders low\n    high)\nset(outer_folders outer)\n");
  write_source("include/holdfast/low.h", "HF_API int hf_low(void);\n");
  write_source("include/holdfast/high.h", "#include <holdfast/low.h>\nHF_API int hf_high(void);\n");
  write_source("src/low/low.c", "#include <holdfast/low.h>\nint hf_low(void) { return 1; }\n");
  write_source("src/high/high.c", "#include \"low/low.h\"\n#include <holdfast/high.h>\n"
                                  "typedef struct pair { int a, b; } pair;\n"
                                  "int hf_high(void) { return hf_low(); } // } a brace in a comment\n");
  return 0;
}

static int remove_example(void** state) {
  (void)state;
  char command[1024];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

static void test_example_is_in_order(void** state) {
  (void)state;
  assert_int_equal(count_upward_includes(folder), 0);
  assert_int_equal(count_upward_names(folder), 0);
  assert_int_equal(count_foreign_insides(folder), 0);
  assert_int_equal(count_large_structs(folder, "src"), 0);
  assert_int_equal(count_cycles(folder), 0);
  assert_int_equal(count_repeated_types(folder, "src"), 0);
  assert_int_equal(count_long_functions(folder, "src"), 0);
}

static void test_finds_upward_includes(void** state) {
  (void)state;
  write_source("src/low/direct.c", "#include \"high/high.h\"\n");
  write_source("src/low/public.c", "#include <holdfast/high.h>\n");
  write_source("src/high/outer.c", "#include \"outer/outer.h\"\n");
  write_source("src/high/unknown.c", "#include \"unheard_of/file.h\"\n");
  assert_int_equal(count_upward_includes(folder), 4);
  write_source("include/holdfast/low.h", "#include <holdfast/high.h>\nHF_API int hf_low(void);\n");
  assert_int_equal(count_upward_includes(folder), 5);
}

static void test_finds_upward_names(void** state) {
  (void)state;
  write_source("src/low/calls.c", "int hf_high(void);\nint hfi_calls(void) { return hf_high(); }\n");
  assert_int_equal(count_upward_names(folder), 2);
  write_source("src/low/calls.c", "extern const int hfi_table[];\n");
  write_source("src/high/table.c", "const int hfi_table[] = {1};\n");
  assert_int_equal(count_upward_names(folder), 1);
  write_source("src/low/calls.c", "int hfi_calls(void) { return hf_low(); } // hf_high\n");
  assert_int_equal(count_upward_names(folder), 0);
}

static void test_finds_foreign_insides(void** state) {
  (void)state;
  write_source("src/low/inside.h", "int hfi_inside(void);\n");
  write_source("src/low/own.c", "#include \"low/inside.h\"\n");
  assert_int_equal(count_foreign_insides(folder), 0);
  write_source("src/high/foreign.c", "#include \"low/inside.h\"\n");
  assert_int_equal(count_foreign_insides(folder), 1);
}

static void test_finds_large_structs(void** state) {
  (void)state;
  char text[4096] = "typedef struct large { struct { int x, y; } z; int a[2][3]; int (*f)(int p, int q);";
  for (int i = 3; i < MOST_MEMBERS; ++i) strcat(text, i % 2 ? " int b;" : " double *b;");
  strcat(text, "} large;\n");
  write_source("src/low/large.c", text);
  assert_int_equal(count_large_structs(folder, "src"), 0);
  strcpy(strstr(text, "} large;"), " int c, d; } large;\n");
  write_source("src/low/large.c", text);
  assert_int_equal(count_large_structs(folder, "src"), 1);
}

static void test_finds_cycles(void** state) {
  (void)state;
  write_source("src/low/a.c", "int hfi_a(void) { return hfi_b(); }\n");
  write_source("src/low/b.c", "int hfi_b(void) { return hfi_table[0]; }\n");
  write_source("src/low/c.c", "const int hfi_table[] = {1};\nstatic int hfi_b(void);\n");
  assert_int_equal(count_cycles(folder), 1); // b needs c, and c names b
  write_source("src/low/c.c", "const int hfi_table[] = {1};\nint hfi_c(void) { return hfi_a(); }\n");
  assert_int_equal(count_cycles(folder), 3); // a, b and c in a ring: three pairs
  write_source("src/low/c.c", "const int hfi_table[] = {1}; // hfi_a is named in a comment only\n");
  assert_int_equal(count_cycles(folder), 0);
}

static void test_finds_repeated_types(void** state) {
  (void)state;
  write_source("src/low/types.c", "struct pair { int a; };\nenum { A, B };\nstatic int pairs[] = {1};\n");
  assert_int_equal(count_repeated_types(folder, "src"), 1);
  write_source("src/low/types.c", "typedef struct { int a; } pair;\n");
  assert_int_equal(count_repeated_types(folder, "src"), 1);
  write_source("src/low/types.c", "void take(struct pair* p) { (void)p; }\n");
  assert_int_equal(count_repeated_types(folder, "src"), 0);
}

// A body of n lines of code between its braces, with comments and blank lines that do not count.
static void write_function(int n) {
  char text[8192] = "#define BRACE {\nint f(int x)\n{\n";
  for (int i = 0; i < n; ++i) strcat(text, "  x += '{'; // code\n  // comment\n\n");
  strcat(text, "}\n");
  write_source("src/low/f.c", text);
}

static void test_finds_long_functions(void** state) {
  (void)state;
  write_function(MOST_CODE_LINES - 2); // and two braces
  assert_int_equal(count_long_functions(folder, "src"), 0);
  write_function(MOST_CODE_LINES - 1);
  assert_int_equal(count_long_functions(folder, "src"), 1);
}

static void test_finds_stray_files(void** state) {
  (void)state;
  char path[1024];
  write_source("list", "src\nREADME.md\nstdout.txt\nMUJOCO_LOG.TXT\n");
  snprintf(path, sizeof path, "%s/list", folder);
  FILE* list = fopen(path, "r");
  assert_non_null(list);
  assert_int_equal(count_strays(list), 2);
  fclose(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_upward_include),
      cmocka_unit_test(test_no_upward_name),
      cmocka_unit_test(test_no_foreign_inside),
      cmocka_unit_test(test_no_large_struct),
      cmocka_unit_test(test_no_cycle),
      cmocka_unit_test(test_no_type_name_twice),
      cmocka_unit_test(test_no_long_function),
      cmocka_unit_test(test_no_stray_file),
      cmocka_unit_test_setup_teardown(test_example_is_in_order, make_example, remove_example),
      cmocka_unit_test_setup_teardown(test_finds_upward_includes, make_example, remove_example),
      cmocka_unit_test_setup_teardown(test_finds_upward_names, make_example, remove_example),
      cmocka_unit_test_setup_teardown(test_finds_foreign_insides, make_example, remove_example),
      cmocka_unit_test_setup_teardown(test_finds_large_structs, make_example, remove_example),
      cmocka_unit_test_setup_teardown(test_finds_cycles, make_example, remove_example),
      cmocka_unit_test_setup_teardown(test_finds_repeated_types, make_example, remove_example),
      cmocka_unit_test_setup_teardown(test_finds_long_functions, make_example, remove_example),
      cmocka_unit_test_setup_teardown(test_finds_stray_files, make_example, remove_example),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
