// Joints of one body that move it in the same way are refused with their place and names; others are not.
#include "support/cmocka_all.h"

#include <holdfast/import.h>
#include <stdio.h>
#include <string.h>

// Loads a body with these joints. Returns the status, with the message in error.
static hfStatus load_with(const char* joints, hfError* error) {
  char xml[1024];
  hfModel* model = NULL;
  snprintf(xml, sizeof xml, "<mujoco>\n<worldbody>\n<body name='arm'>\n%s\n<geom size='.1'/></body></worldbody></mujoco>", joints);
  hfStatus status = hf_model_parse(&model, xml, strlen(xml), "scene.xml", ".", NULL, NULL, error);
  if (status == HF_OK) hf_model_free(model);
  return status;
}

static void test_dependent_joints_are_refused(void** state) {
  (void)state;
  static const char* const dependent[] = {
      "<joint name='a'/>\n<joint name='b' type='ball'/>",                               // a hinge and a ball at one anchor
      "<joint name='a' axis='1 2 3' pos='.1 0 0'/>\n<joint name='b' axis='-1 -2 -3' pos='.2 .2 .3'/>", // one line, twice
      "<joint name='a' type='slide'/>\n<joint name='b' type='slide'/>",                 // parallel slides
  };
  for (size_t i = 0; i < sizeof dependent / sizeof *dependent; ++i) {
    hfError error;
    assert_int_equal(load_with(dependent[i], &error), HF_ERROR_MODEL);
    assert_non_null(strstr(error.message, "scene.xml:5"));
    assert_non_null(strstr(error.message, "\"b\""));
    assert_non_null(strstr(error.message, "\"arm\""));
    assert_non_null(strstr(error.message, "\"a\""));
    assert_non_null(strstr(error.message, "singular"));
  }
}

static void test_other_joints_are_not(void** state) {
  (void)state;
  static const char* const good[] = {
      "<joint axis='1 0 0'/>\n<joint axis='0 1 0'/>\n<joint axis='0 0 1'/>",
      "<joint axis='0 0 1'/>\n<joint axis='0 1 0'/>\n<joint axis='0 0 1'/>", // a gimbal that is locked at the reference alone
      "<joint axis='0 0 1'/>\n<joint axis='0 0 1' pos='.1 0 0'/>",           // parallel, not on one line
      "<joint type='slide' axis='1 0 0'/>\n<joint type='slide' axis='0 1 0'/>\n<joint axis='0 0 1'/>",
      "<joint name='a'/>\n<joint name='b' type='ball' armature='.1'/>", // armature makes M regular
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    hfError error;
    if (load_with(good[i], &error) != HF_OK) fail_msg("%s: %s", good[i], error.message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_dependent_joints_are_refused), cmocka_unit_test(test_other_joints_are_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
