// A file consists of whole pieces, or there is an error that names the file: full disks, missing folders, interrupted
// reports.
#include "support/cmocka_all.h"

#include "record/output.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[] = "/tmp/holdfast-output-XXXXXX";

static const char* path_of(const char* name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static const char* content(const char* name) {
  static char text[4096];
  FILE* file = fopen(path_of(name), "r");
  if (!file) return "(no file)";
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

static int count_files(void) {
  char command[300];
  int count = 0;
  snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
  FILE* pipe = popen(command, "r");
  assert_int_equal(fscanf(pipe, "%d", &count), 1);
  pclose(pipe);
  return count;
}

static void test_rows_appear_at_once(void** state) {
  (void)state;
  hfiOutput out;
  assert_int_equal(hfi_output_open(&out, path_of("rows"), HFI_OUTPUT_ROWS, NULL), HF_OK);
  hfi_output_print(&out, "%d,%s\n", 1, "one");
  assert_string_equal(content("rows"), "");
  assert_int_equal(hfi_output_flush(&out, NULL), HF_OK);
  assert_string_equal(content("rows"), "1,one\n");
  hfi_output_print(&out, "%0*d\n", 300, 2); // longer than the first buffer
  assert_int_equal(hfi_output_close(&out, NULL), HF_OK);
  assert_int_equal(strlen(content("rows")), 6 + 301);
  remove(path_of("rows"));
}

static void test_whole_file_appears_at_the_end(void** state) {
  (void)state;
  hfiOutput out;
  FILE* old = fopen(path_of("whole"), "w");
  fputs("old", old);
  fclose(old);
  assert_int_equal(hfi_output_open(&out, path_of("whole"), HFI_OUTPUT_WHOLE, NULL), HF_OK);
  hfi_output_print(&out, "new");
  assert_int_equal(hfi_output_flush(&out, NULL), HF_OK);
  assert_string_equal(content("whole"), "old");
  assert_int_equal(hfi_output_close(&out, NULL), HF_OK);
  assert_string_equal(content("whole"), "new");
  assert_int_equal(count_files(), 1);
  remove(path_of("whole"));
}

static void test_abandoned_file_leaves_nothing(void** state) {
  (void)state;
  hfStatus status;
  hfiOutput* out = hfi_output_create(sizeof *out, path_of("x"), HFI_OUTPUT_WHOLE, &status, NULL);
  assert_non_null(out);
  hfi_output_print(out, "text");
  hfi_output_abandon(out);
  assert_int_equal(count_files(), 0);
}

static void test_missing_folder_is_refused_by_name(void** state) {
  (void)state;
  for (int mode = HFI_OUTPUT_ROWS; mode <= HFI_OUTPUT_WHOLE; ++mode) {
    hfiOutput out;
    hfError error = {HF_OK, ""};
    assert_int_equal(hfi_output_open(&out, "/no/such/folder/x", (hfiOutputMode)mode, &error),
                     HF_ERROR_FILE);
    assert_string_equal(error.message,
                        "/no/such/folder/x: cannot write: No such file or directory");
  }
}

static void test_full_device_is_refused_by_name(void** state) {
  (void)state;
  for (int mode = HFI_OUTPUT_ROWS; mode <= HFI_OUTPUT_WHOLE; ++mode) {
    hfiOutput out;
    hfError error = {HF_OK, ""};
    assert_int_equal(hfi_output_open(&out, "/dev/full", (hfiOutputMode)mode, &error), HF_OK);
    hfi_output_print(&out, "row\n");
    assert_int_equal(hfi_output_close(&out, &error), HF_ERROR_FILE);
    assert_string_equal(error.message, "/dev/full: cannot write: No space left on device");
  }
}

// A limit on the size of files stands for a disk that becomes full in the middle of a row.
static void test_half_a_row_is_cut_off(void** state) {
  (void)state;
  struct rlimit before, small;
  getrlimit(RLIMIT_FSIZE, &before);
  small = before, small.rlim_cur = 20;
  signal(SIGXFSZ, SIG_IGN);
  hfiOutput out;
  hfError error = {HF_OK, ""};
  assert_int_equal(hfi_output_open(&out, path_of("limited"), HFI_OUTPUT_ROWS, NULL), HF_OK);
  setrlimit(RLIMIT_FSIZE, &small);
  int rows = 0;
  hfStatus status = HF_OK;
  for (; status == HF_OK && rows < 10; ++rows) {
    hfi_output_print(&out, "%07d\n", rows);
    status = hfi_output_flush(&out, &error);
  }
  hfStatus closed = hfi_output_close(&out, NULL);
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(status, HF_ERROR_FILE);
  assert_int_equal(rows, 3); // 16 of 20 bytes hold two rows, the third does not fit
  assert_int_equal(closed, HF_OK);
  assert_string_equal(content("limited"), "0000000\n0000001\n");
  remove(path_of("limited"));
}

static int make_folder(void** state) { return (void)state, mkdtemp(folder) ? 0 : -1; }
static int remove_folder(void** state) { return (void)state, rmdir(folder); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_appear_at_once),
      cmocka_unit_test(test_whole_file_appears_at_the_end),
      cmocka_unit_test(test_abandoned_file_leaves_nothing),
      cmocka_unit_test(test_missing_folder_is_refused_by_name),
      cmocka_unit_test(test_full_device_is_refused_by_name),
      cmocka_unit_test(test_half_a_row_is_cut_off),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
