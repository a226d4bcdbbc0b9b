// A folder of src/ includes only itself and folders before it in the list; the core includes
// nothing of the folders that link other libraries.
#include "support/cmocka_all.h"

#include <stdio.h>
#include <string.h>

static const char* const folders[] = {"base",     "math",     "linalg",    "model",        "import", "dynamics",
                                      "geometry", "contact",  "actuation", "lcp",          "solve",  "ode",
                                      "world",    "continuous", "switching", "discrete",   "control", "sim",
                                      "manipulation", "batch", "record"};
enum { FOLDERS = sizeof folders / sizeof *folders };

static int rank(const char* folder) {
  for (int i = 0; i < FOLDERS; ++i)
    if (strcmp(folders[i], folder) == 0) return i;
  return -1;
}

// Whether a file of folder `from` may include a file of folder `to`.
static int may_include(const char* from, const char* to) {
  if (rank(from) < 0 || rank(to) < 0 || rank(to) > rank(from)) return 0;
  return strcmp(to, "import") != 0 || strcmp(from, "import") == 0 || strcmp(from, "record") == 0;
}

static void test_order(void** state) {
  (void)state;
  assert_true(may_include("solve", "linalg") && may_include("solve", "solve"));
  assert_false(may_include("linalg", "solve"));
  assert_false(may_include("sim", "import"));
  assert_false(may_include("sim", "unheard_of"));
}

static void test_sources_keep_the_order(void** state) {
  (void)state;
  FILE* includes = popen("cd " HF_SOURCE_DIR
                         "/src && grep -rHE '^ *# *include *\"' --include=*.c --include=*.h .",
                         "r");
  assert_non_null(includes);
  char line[1024], from[256], to[256];
  int seen = 0, wrong = 0;
  while (fgets(line, sizeof line, includes)) {
    const char* quote = strchr(line, '"');
    if (sscanf(line, "./%255[^/]/", from) == 1 && sscanf(quote, "\"%255[^/\"]/", to) == 1 &&
        may_include(from, to)) {
      ++seen;
      continue;
    }
    print_error("%s", line);
    ++wrong;
  }
  assert_int_equal(pclose(includes), 0);
  assert_int_equal(wrong, 0);
  assert_true(seen > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_sources_keep_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
