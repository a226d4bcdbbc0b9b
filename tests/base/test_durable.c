// A file that is called written survives a loss of power.
//
// The oracle is a disk that forgets. The linker leads the calls fsync, linkat, rename and ftruncate of the library to the functions below (--wrap). They
// keep, beside the real file system, what a disk would have after a loss of power at that moment, by the weakest promises of POSIX:
//   the content of a file is what it was at its last fsync (nothing before the first one);
//   a name leads to the file that it led to when its folder was last synchronised.
// A name that the disk does not have yet may have reached it all the same. So at each moment both are possible: the old and the new file of a name.
// What the test asks for: whichever of them is there, it is complete.
#define _GNU_SOURCE
#include "support/cmocka_all.h"

#include "base/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int __real_fsync(int fd);
int __real_linkat(int a, const char* from, int b, const char* to, int flags);
int __real_rename(const char* from, const char* to);
int __wrap_fsync(int fd);
int __wrap_linkat(int a, const char* from, int b, const char* to, int flags);
int __wrap_rename(const char* from, const char* to);

static char folder[] = "/tmp/holdfast-durable-XXXXXX";

// ---- the disk that forgets ----------------------------------------------------------------------------

enum { MOST_FILES = 16, MOST_TEXT = 256 };

static struct {
  ino_t file[MOST_FILES];              // files that were synchronised
  char content[MOST_FILES][MOST_TEXT]; // their content at that time
  int files;
  ino_t named;    // the file to which the name `watched` leads in the file system
  ino_t durable;  // the file to which it leads on the disk
  int has_named;  // 1: the name has been given since the folder was last synchronised
  int torn;       // how often a loss of power would have left an incomplete file under the name
  int syncs;      // calls of fsync
  const char* watched;
  const char* complete; // the content of the new file when it is complete; the old one has "old"
} disk;

static const char* content_on_disk(ino_t file) {
  for (int i = 0; i < disk.files; ++i)
    if (disk.file[i] == file) return disk.content[i];
  return "";
}

static int is_complete(ino_t file) {
  const char* text = content_on_disk(file);
  return strcmp(text, "old") == 0 || strncmp(text, disk.complete, strlen(text)) == 0 ? *text != '\0' : 0;
}

// The power is lost now: is the file of the name complete, whichever of its files the disk has?
static void lose_power(void) {
  if (disk.durable && !is_complete(disk.durable)) disk.torn++;
  if (disk.has_named && !is_complete(disk.named)) disk.torn++;
}

static void note_name(const char* name) {
  struct stat file;
  if (strcmp(name, disk.watched) != 0 || stat(name, &file) != 0) return;
  disk.named = file.st_ino;
  disk.has_named = 1;
}

int __wrap_fsync(int fd) {
  struct stat file;
  assert_int_equal(fstat(fd, &file), 0);
  disk.syncs++;

  if (S_ISDIR(file.st_mode)) {
    if (disk.has_named) disk.durable = disk.named;
    disk.has_named = 0;
  } else {
    int i = 0;
    while (i < disk.files && disk.file[i] != file.st_ino) ++i;
    assert_in_range(i, 0, MOST_FILES - 1);
    if (i == disk.files) disk.files++;

    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    FILE* copy = fopen(link, "r");
    assert_non_null(copy);
    size_t size = fread(disk.content[i], 1, MOST_TEXT - 1, copy);
    fclose(copy);
    disk.content[i][size] = '\0';
    disk.file[i] = file.st_ino;
  }
  lose_power();
  return __real_fsync(fd);
}

int __wrap_linkat(int a, const char* from, int b, const char* to, int flags) {
  lose_power();
  int result = __real_linkat(a, from, b, to, flags);
  if (result == 0) note_name(to);
  lose_power();
  return result;
}

int __wrap_rename(const char* from, const char* to) {
  lose_power();
  int result = __real_rename(from, to);
  if (result == 0) note_name(to);
  lose_power();
  return result;
}

// Begins with an older file that is on the disk, if has_old, under the name that is returned.
static const char* begin(int has_old, const char* complete) {
  static char path[512];
  snprintf(path, sizeof path, "%s/file", folder);
  unlink(path);
  memset(&disk, 0, sizeof disk);
  disk.watched = path;
  disk.complete = complete;

  if (has_old) {
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0666);
    assert_int_equal(write(fd, "old", 3), 3);
    __wrap_fsync(fd);
    close(fd);
    note_name(path);
    disk.durable = disk.named;
    disk.has_named = 0;
    disk.syncs = 0;
  }
  return path;
}

// The file is called written: the disk has all of it, under its name.
static void assert_survives(void) {
  lose_power();
  assert_int_equal(disk.torn, 0);
  assert_int_equal(disk.has_named, 0);
  assert_string_equal(content_on_disk(disk.durable), disk.complete);
}

// ---- tests --------------------------------------------------------------------------------------------

static void test_whole_files_survive(void** state) {
  (void)state;
  for (int has_old = 0; has_old < 2; ++has_old) {
    const char* path = begin(has_old, "all of it");
    assert_int_equal(hfi_write_file(path, "all of it", 9, NULL), HF_OK);
    assert_survives();
    assert_int_equal(disk.syncs, 2); // the file and its folder, once each
  }
}

static void test_files_of_rows_survive(void** state) {
  (void)state;
  for (int has_old = 0; has_old < 2; ++has_old) {
    const char* path = begin(has_old, "1\n2\n3\n");
    hfiOutput out;
    assert_int_equal(hfi_output_open(&out, path, HFI_OUTPUT_ROWS, NULL), HF_OK);
    for (int row = 1; row <= 3; ++row) {
      hfi_output_print(&out, "%d\n", row);
      assert_int_equal(hfi_output_flush(&out, NULL), HF_OK);
    }
    assert_int_equal(disk.syncs, 2); // at the first row; later rows do not wait for the disk
    assert_int_equal(hfi_output_close(&out, NULL), HF_OK);
    assert_survives();
  }
}

static void test_the_user_can_choose_speed(void** state) {
  (void)state;
  const char* path = begin(1, "all of it");
  setenv("HOLDFAST_FSYNC", "off", 1);
  assert_int_equal(hfi_write_file(path, "all of it", 9, NULL), HF_OK);
  unsetenv("HOLDFAST_FSYNC");
  assert_int_equal(disk.syncs, 0);
  assert_above(disk.torn, 0); // the disk that forgets notices files that are not synchronised
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_files_survive),
      cmocka_unit_test(test_files_of_rows_survive),
      cmocka_unit_test(test_the_user_can_choose_speed),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);

  char command[300];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) != 0 || failed;
}
