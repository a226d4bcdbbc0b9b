// A file consists of whole pieces, or there is an error that names the file: full disks, missing folders, interrupted
// reports.
#include "support/cmocka_all.h"

#include "base/output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/holdfast-output-XXXXXX";

static const char* path_of(const char* name) {
  static char path[512];
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
  assert_string_equal(content("rows"), "(no file)");
  assert_int_equal(hfi_output_flush(&out, NULL), HF_OK);
  assert_string_equal(content("rows"), "1,one\n");
  hfi_output_print(&out, "%0*d\n", 300, 2); // longer than the first buffer
  assert_int_equal(hfi_output_close(&out, NULL), HF_OK);
  assert_int_equal(strlen(content("rows")), 6 + 301);
  remove(path_of("rows"));
}

static void write_old(const char* name) {
  FILE* old = fopen(path_of(name), "w");
  fputs("old", old);
  fclose(old);
}

// An older file stays until there is a row to replace it with.
static void test_first_row_replaces_an_older_file(void** state) {
  (void)state;
  hfiOutput out;
  write_old("rows");
  assert_int_equal(hfi_output_open(&out, path_of("rows"), HFI_OUTPUT_ROWS, NULL), HF_OK);
  hfi_output_print(&out, "head\n");
  assert_string_equal(content("rows"), "old");
  hfi_output_discard(&out);
  assert_string_equal(content("rows"), "old");
  assert_int_equal(hfi_output_open(&out, path_of("rows"), HFI_OUTPUT_ROWS, NULL), HF_OK);
  hfi_output_print(&out, "head\n1\n");
  assert_int_equal(hfi_output_flush(&out, NULL), HF_OK);
  assert_string_equal(content("rows"), "head\n1\n");
  assert_int_equal(hfi_output_close(&out, NULL), HF_OK);
  assert_int_equal(count_files(), 1);
  remove(path_of("rows"));
}

// A killed process leaves the older file, or the new one with whole rows, and nothing else.
static void test_killed_writer_leaves_old_or_new(void** state) {
  (void)state;
  for (int mode = HFI_OUTPUT_ROWS; mode <= HFI_OUTPUT_WHOLE; ++mode)
    for (int flushed = 0; flushed < 2; ++flushed) {
      write_old("killed");
      pid_t child = fork();
      if (child == 0) {
        hfiOutput out;
        hfi_output_open(&out, path_of("killed"), (hfiOutputMode)mode, NULL);
        hfi_output_print(&out, "new");
        if (flushed) hfi_output_flush(&out, NULL);
        raise(SIGKILL);
      }
      assert_int_equal(waitpid(child, NULL, 0), child);
      assert_string_equal(content("killed"), mode == HFI_OUTPUT_ROWS && flushed ? "new" : "old");
      assert_int_equal(count_files(), 1);
    }
  remove(path_of("killed"));
}

// A full disk leaves an older file as it was, whether the caller gives the new one up or closes it.
static void test_full_disk_keeps_an_older_file(void** state) {
  (void)state;
  struct rlimit before, small;
  getrlimit(RLIMIT_FSIZE, &before);
  small = before, small.rlim_cur = 2;
  signal(SIGXFSZ, SIG_IGN);
  for (int trial = 0; trial < 4; ++trial) {
    int mode = trial / 2 == 0 ? HFI_OUTPUT_ROWS : HFI_OUTPUT_WHOLE, closed = trial % 2;
    hfiOutput out;
    write_old("full");
    assert_int_equal(hfi_output_open(&out, path_of("full"), (hfiOutputMode)mode, NULL), HF_OK);
    hfi_output_print(&out, "new");
    setrlimit(RLIMIT_FSIZE, &small);
    hfStatus status = hfi_output_flush(&out, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, HF_ERROR_FILE);
    if (closed) assert_int_equal(hfi_output_close(&out, NULL), HF_ERROR_FILE);
    else hfi_output_discard(&out);
    assert_string_equal(content("full"), "old");
    assert_int_equal(count_files(), 1);
  }
  remove(path_of("full"));
}

// The file behind a symbolic link is replaced, not the link, and it keeps its permissions.
static void test_links_and_permissions_stay(void** state) {
  (void)state;
  struct stat info;
  char file[512];
  write_old("file");
  snprintf(file, sizeof file, "%s", path_of("file"));
  assert_int_equal(chmod(file, 0640), 0);
  assert_int_equal(symlink(file, path_of("link")), 0);
  assert_int_equal(hfi_write_file(path_of("link"), "new", 3, NULL), HF_OK);
  assert_string_equal(content("file"), "new");
  assert_int_equal(lstat(path_of("link"), &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  assert_int_equal(stat(file, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  remove(path_of("link")), remove(path_of("file"));
}

// A link to a file that does not exist yet leads to the place of that file, as for a shell's ">": it was replaced by the file. Links may lead to
// links, from one folder to another.
static void test_links_lead_to_new_files(void** state) {
  (void)state;
  struct stat info;
  assert_int_equal(mkdir(path_of("inner"), 0700), 0);
  assert_int_equal(symlink("inner/second", path_of("first")), 0);
  assert_int_equal(symlink("../new", path_of("inner/second")), 0);
  for (int mode = HFI_OUTPUT_ROWS; mode <= HFI_OUTPUT_WHOLE; ++mode) {
    hfiOutput out;
    assert_int_equal(hfi_output_open(&out, path_of("first"), (hfiOutputMode)mode, NULL), HF_OK);
    hfi_output_print(&out, "new");
    assert_int_equal(hfi_output_close(&out, NULL), HF_OK);
    assert_int_equal(lstat(path_of("new"), &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_string_equal(content("first"), "new");
    assert_int_equal(lstat(path_of("first"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(path_of("inner/second"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(remove(path_of("new")), 0);
  }
  hfError error;
  assert_int_equal(symlink("nowhere/new", path_of("lost")), 0);
  assert_int_equal(hfi_write_file(path_of("lost"), "new", 3, &error), HF_ERROR_FILE);
  assert_non_null(strstr(error.message, "lost: cannot write: No such file or directory"));
  remove(path_of("lost")), remove(path_of("inner/second")), remove(path_of("inner")), remove(path_of("first"));
}

static void test_whole_file_appears_at_the_end(void** state) {
  (void)state;
  hfiOutput out;
  write_old("whole");
  assert_int_equal(hfi_output_open(&out, path_of("whole"), HFI_OUTPUT_WHOLE, NULL), HF_OK);
  hfi_output_print(&out, "new");
  assert_int_equal(hfi_output_flush(&out, NULL), HF_OK);
  assert_string_equal(content("whole"), "old");
  assert_int_equal(hfi_output_close(&out, NULL), HF_OK);
  assert_string_equal(content("whole"), "new");
  assert_int_equal(count_files(), 1);
  remove(path_of("whole"));
}

// Rows that went to a file which somebody removed, or put another one in the place of, are lost: closing says so.
static void test_removed_file_is_reported(void** state) {
  (void)state;
  for (int replaced = 0; replaced < 2; ++replaced) {
    hfiOutput out;
    hfError error = {HF_OK, ""};
    char expected[600];
    assert_int_equal(hfi_output_open(&out, path_of("rows"), HFI_OUTPUT_ROWS, NULL), HF_OK);
    hfi_output_print(&out, "1\n");
    assert_int_equal(hfi_output_flush(&out, NULL), HF_OK);
    if (replaced) assert_int_equal(hfi_write_file(path_of("rows"), "other", 5, NULL), HF_OK);
    else assert_int_equal(remove(path_of("rows")), 0);
    hfi_output_print(&out, "2\n");
    assert_int_equal(hfi_output_close(&out, &error), HF_ERROR_FILE);
    snprintf(expected, sizeof expected, "%s: the file was removed or replaced while it was being written", path_of("rows"));
    assert_string_equal(error.message, expected);
  }
  assert_string_equal(content("rows"), "other");
  remove(path_of("rows"));
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

// A name that no file can have is refused before anything is written, not when a long run is over.
static void test_impossible_names_are_refused_at_once(void** state) {
  (void)state;
  char name[301] = "";
  memset(name, 'x', sizeof name - 1);
  assert_int_equal(symlink("circle", path_of("circle")), 0);
  for (int mode = HFI_OUTPUT_ROWS; mode <= HFI_OUTPUT_WHOLE; ++mode) {
    hfiOutput out;
    hfError error = {HF_OK, ""};
    assert_int_equal(hfi_output_open(&out, path_of(name), (hfiOutputMode)mode, &error), HF_ERROR_FILE);
    assert_int_equal(hfi_output_open(&out, "", (hfiOutputMode)mode, &error), HF_ERROR_FILE);
    assert_string_equal(error.message, "\"\": cannot write: No such file or directory");
    assert_int_equal(hfi_output_open(&out, path_of("circle"), (hfiOutputMode)mode, &error), HF_ERROR_FILE);
  }
  remove(path_of("circle"));
}

// The longest name that a file can have leaves no room for more letters behind it: an older file of that name is replaced all the same.
static void test_the_longest_name(void** state) {
  (void)state;
  char name[256];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  write_old(name);
  assert_int_equal(hfi_write_file(path_of(name), "new", 3, NULL), HF_OK);
  assert_string_equal(content(name), "new");
  assert_int_equal(count_files(), 1);
  remove(path_of(name));
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

static void write_to_descriptor(const char* path, const char* text) {
  hfiOutput out;
  assert_int_equal(hfi_output_open(&out, path, HFI_OUTPUT_ROWS, NULL), HF_OK);
  hfi_output_print(&out, "%s", text);
  assert_int_equal(hfi_output_flush(&out, NULL), HF_OK);
  hfi_output_print(&out, "%s", text);
  assert_int_equal(hfi_output_close(&out, NULL), HF_OK);
}

// A shell gives its programs descriptors: of pipes, and of files to which others write, too.
static void test_open_descriptors_are_added_to(void** state) {
  (void)state;
  static const char* const folders[] = {"/dev/fd", "/proc/self/fd"};
  char name[64], text[16] = "", link[512];
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
  write_to_descriptor(name, "1\n");
  assert_int_equal(read(ends[0], text, sizeof text - 1), 4);
  assert_string_equal(text, "1\n1\n");
  close(ends[0]), close(ends[1]);
  write_old("shared");
  snprintf(link, sizeof link, "%s", path_of("link"));
  for (int i = 0; i < 2; ++i) {
    int fd = open(path_of("shared"), O_WRONLY | O_APPEND);
    snprintf(name, sizeof name, "%s/%d", folders[i], fd);
    assert_int_equal(symlink(name, link), 0);
    write_to_descriptor(i ? link : name, "2");
    assert_int_equal(write(fd, ".", 1), 1); // It is still open.
    close(fd), unlink(link);
  }
  assert_string_equal(content("shared"), "old22.22.");
  assert_int_equal(count_files(), 1);
  remove(path_of("shared"));
}

static void test_closed_descriptor_is_refused_by_name(void** state) {
  (void)state;
  hfiOutput out;
  hfError error = {HF_OK, ""};
  assert_int_equal(hfi_output_open(&out, "/dev/fd/987", HFI_OUTPUT_ROWS, &error), HF_ERROR_FILE);
  assert_string_equal(error.message, "/dev/fd/987: cannot write: Bad file descriptor");
  assert_int_equal(hfi_output_descriptor("/dev/stdout"), 1);
  assert_int_equal(hfi_output_descriptor("/dev/stderr"), 2);
  assert_int_equal(hfi_output_descriptor("/dev/fd/3x"), -1);
  assert_int_equal(hfi_output_descriptor("/dev/fd/"), -1);
  assert_int_equal(hfi_output_descriptor("/dev/fd/12345678901"), -1);
  assert_int_equal(hfi_output_descriptor(path_of("3")), -1);
}

static int make_folder(void** state) { return (void)state, mkdtemp(folder) ? 0 : -1; }
static int remove_folder(void** state) { return (void)state, rmdir(folder); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_appear_at_once),
      cmocka_unit_test(test_first_row_replaces_an_older_file),
      cmocka_unit_test(test_killed_writer_leaves_old_or_new),
      cmocka_unit_test(test_full_disk_keeps_an_older_file),
      cmocka_unit_test(test_links_and_permissions_stay),
      cmocka_unit_test(test_links_lead_to_new_files),
      cmocka_unit_test(test_whole_file_appears_at_the_end),
      cmocka_unit_test(test_abandoned_file_leaves_nothing),
      cmocka_unit_test(test_removed_file_is_reported),
      cmocka_unit_test(test_missing_folder_is_refused_by_name),
      cmocka_unit_test(test_impossible_names_are_refused_at_once),
      cmocka_unit_test(test_the_longest_name),
      cmocka_unit_test(test_full_device_is_refused_by_name),
      cmocka_unit_test(test_half_a_row_is_cut_off),
      cmocka_unit_test(test_open_descriptors_are_added_to),
      cmocka_unit_test(test_closed_descriptor_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
