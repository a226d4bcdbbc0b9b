// The same bits from every build: final states of fixed runs, hashed and compared with what another
// build of the same sources had.
//
// gcc and clang, -O1 and -O3, with and without sanitizers must agree: no flag of ours changes
// values, sums have one order, and elementary functions are our own. So does the build for arm64 with a release build on x86-64 (docs/guide/install.md#processors).
//
// The first build that runs writes its hashes to build/bits/DIGEST.txt, where DIGEST is that of the sources, and
// compares them with a second run of its own. Every later build compares with that file. ./check runs release, then
// dev.
#define _XOPEN_SOURCE 700 // nftw
#include "scenes/bits.h"
#include "support/cmocka_all.h"

#include <errno.h>
#include <ftw.h>
#include <holdfast/holdfast.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t run_and_hash(const fixedRun* run) {
  hfModel* model = NULL;
  hfError error = {HF_OK, ""};
  char path[512];
  snprintf(path, sizeof path, "%s/%s", HF_SOURCE_DIR, run->scene);
  if (hf_model_load(&model, path, NULL, NULL, &error) < 0) fail_msg("%s: %s", path, error.message);
  uint64_t hash = hash_run(run, model);
  hf_model_free(model);
  return hash;
}

// ---- digest of the sources
// --------------------------------------------------------------------------

static uint64_t digest; // nftw hands nothing to its callback

// Sums the hashes of paths and contents, so that the order of the walk does not count.
static int add_file(const char* path, const struct stat* info, int type, struct FTW* at) {
  (void)info, (void)at;
  if (type != FTW_F) return 0;
  FILE* file = fopen(path, "rb");
  if (!file) return -1;
  uint64_t hash = hash_bytes(first_hash, path, strlen(path));
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
    hash = hash_bytes(hash, buffer, n);
  fclose(file);
  digest += hash;
  return 0;
}

static uint64_t digest_sources(void) {
  const char* folders[] = {HF_SOURCE_DIR "/src", HF_SOURCE_DIR "/include", HF_SOURCE_DIR "/models",
                           HF_SOURCE_DIR "/tests/scenes"};
  digest = 0;
  for (int i = 0; i < 4; ++i) assert_int_equal(nftw(folders[i], add_file, 16, 0), 0);
  return digest;
}

// ---- comparison
// ------------------------------------------------------------------------------------

static void write_record(const char* path, const uint64_t* hash) {
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out, "%s\n", HF_BINARY_DIR);
  for (int i = 0; i < RUNS; ++i) fprintf(out, "%016llx\n", (unsigned long long)hash[i]);
  assert_int_equal(fclose(out), 0);
}

static void compare_record(FILE* in, const uint64_t* hash) {
  char other[1024];
  assert_int_equal(fscanf(in, "%1023s", other), 1);
  if (strcmp(other, HF_BINARY_DIR) == 0) print_message("the record is of this very build\n");
  int differ = 0;
  for (int i = 0; i < RUNS; ++i) {
    unsigned long long want;
    assert_int_equal(fscanf(in, "%llx", &want), 1);
    if (hash[i] == want) continue;
    print_message("%s, %s, %s, %d steps: %016llx, not %016llx\n", runs[i].scene, runs[i].method,
                  runs[i].friction, runs[i].steps, (unsigned long long)hash[i], want);
    differ++;
  }
  if (differ)
    fail_msg("%d of %d states differ from those of %s (if one of the two builds is older than its "
             "sources, remove build/bits)",
             differ, RUNS, other);
}

static void test_same_bits(void** state) {
  (void)state;
  uint64_t hash[RUNS];
  char path[1024];
  for (int i = 0; i < RUNS; ++i) hash[i] = run_and_hash(&runs[i]);
  mkdir(HF_SOURCE_DIR "/build", 0777);
  if (mkdir(HF_SOURCE_DIR "/build/bits", 0777) != 0) assert_int_equal(errno, EEXIST);
  snprintf(path, sizeof path, "%s/build/bits/%016llx.txt", HF_SOURCE_DIR,
           (unsigned long long)digest_sources());
  FILE* in = fopen(path, "r");
  if (!in) {
    write_record(path, hash);
    print_message("the first build of these sources: compared with a second run of this build\n");
    for (int i = 0; i < RUNS; ++i) hash[i] = run_and_hash(&runs[i]);
    in = fopen(path, "r");
    assert_non_null(in);
  }
  compare_record(in, hash);
  fclose(in);
}

// The same run twice in one program, with other work in between.
static void test_same_bits_again(void** state) {
  (void)state;
  uint64_t once = run_and_hash(&runs[0]);
  run_and_hash(&runs[RUNS - 1]);
  assert_true(run_and_hash(&runs[0]) == once);
}

// What the comparison rests on: the hash sees the last bit.
static void test_hash_sees_one_bit(void** state) {
  (void)state;
  double a[2] = {1.5, 2.5}, b[2] = {1.5, 2.5000000000000004};
  assert_true(hash_bytes(1, a, sizeof a) != hash_bytes(1, b, sizeof b));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),
                                     cmocka_unit_test(test_same_bits_again),
                                     cmocka_unit_test(test_hash_sees_one_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
