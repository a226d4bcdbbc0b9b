// A refusal has a status and a message, and works for a caller who passes NULL.
#include "support/cmocka_all.h"

#include "base/error.h"

static void test_refusal_is_formatted(void** state) {
  (void)state;
  hfError error = {HF_OK, ""};
  assert_int_equal(hfi_refuse(&error, HF_ERROR_MODEL, "body \"%s\": mass %g", "cup", -1.0), HF_ERROR_MODEL);
  assert_int_equal(error.status, HF_ERROR_MODEL);
  assert_string_equal(error.message, "body \"cup\": mass -1");
  assert_int_equal(hfi_refuse(NULL, HF_ERROR_MEMORY, "x"), HF_ERROR_MEMORY);
}

static void test_every_status_has_a_name(void** state) {
  (void)state;
  for (int s = HF_ERROR_VERSION; s <= HF_STEP_TOO_SMALL; ++s)
    assert_string_not_equal(hf_status_name((hfStatus)s), "unknown status");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refusal_is_formatted),
      cmocka_unit_test(test_every_status_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
