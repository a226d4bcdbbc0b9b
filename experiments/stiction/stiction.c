// experiment stiction: a grasp that holds, untuned, without creep. README.md beside this file tells
// what is measured and why.
#include "stiction/stiction.h"

static int run(const experimentOptions* options, result* r) {
  int (*const parts[])(const experimentOptions*, result*) = {
      stiction_pinch, stiction_critical, stiction_tilt, stiction_shake, stiction_cost};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    int status = parts[i](options, r);
    if (status != CLI_GOOD) return status;
  }
  return CLI_GOOD;
}

const experiment experiment_stiction = {"stiction", "grasps that hold without creep, beside MuJoCo",
                                        run};
