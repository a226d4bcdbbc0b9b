// Commands from outside: what fits is read, everything else is refused.
#include "support/cmocka_all.h"

#include "io/live/command.h"

#include <math.h>
#include <string.h>

static size_t write_command(unsigned char* bytes, uint32_t kind, uint32_t index, const double* x,
                            int n) {
  memcpy(bytes, &kind, 4), memcpy(bytes + 4, &index, 4);
  if (n > 0) memcpy(bytes + 8, x, 8 * (size_t)n); // x may be NULL where there are no numbers
  return 8 + 8 * (size_t)n;
}

static void test_reads_what_fits(void** state) {
  (void)state;
  unsigned char bytes[HFI_COMMAND_BYTES];
  const double x[7] = {1, 2, 3, 4, 5, 6, 7};
  const struct {
    uint32_t kind;
    int numbers;
  } all[] = {{HFI_COMMAND_PLAY, 1},    {HFI_COMMAND_PAUSE, 0}, {HFI_COMMAND_STEP, 0},
             {HFI_COMMAND_RESET, 0},   {HFI_COMMAND_SEEK, 1},  {HFI_COMMAND_CONTROL, 1},
             {HFI_COMMAND_RELEASE, 0}, {HFI_COMMAND_JOINT, 1}, {HFI_COMMAND_DRAG, 7},
             {HFI_COMMAND_DROP, 0},    {HFI_COMMAND_FIELD, 2}, {HFI_COMMAND_SCALE, 1},
             {HFI_COMMAND_OPTION, 1},  {HFI_COMMAND_SAVE, 0},  {HFI_COMMAND_TAKE, 0}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    for (int n = 0; n <= 7; ++n) {
      hfiCommand c;
      hfError error;
      size_t size = write_command(bytes, all[i].kind, 42, x, n);
      hfStatus status = hfi_command_read(&c, bytes, size, &error);
      assert_int_equal(status, n == all[i].numbers ? HF_OK : HF_ERROR_PARSE);
      if (status != HF_OK) continue;
      assert_int_equal(c.kind, all[i].kind);
      assert_int_equal(c.index, 42);
      assert_memory_equal(c.x, x, 8 * (size_t)n);
    }
}

static void test_refuses_the_rest(void** state) {
  (void)state;
  unsigned char bytes[HFI_COMMAND_BYTES] = {0};
  hfiCommand c;
  hfError error;
  for (size_t size = 0; size < 8; ++size)
    assert_below(hfi_command_read(&c, bytes, size, &error), 0);
  assert_below(hfi_command_read(&c, bytes, 8, &error), 0); // kind 0
  write_command(bytes, HFI_COMMAND_KINDS, 0, NULL, 0);
  assert_below(hfi_command_read(&c, bytes, 8, &error), 0);
  const double wrong[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; ++i) {
    size_t size = write_command(bytes, HFI_COMMAND_PLAY, 0, &wrong[i], 1);
    assert_below(hfi_command_read(&c, bytes, size, &error), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_what_fits),
      cmocka_unit_test(test_refuses_the_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
