// Reads a friction problem.
#include "fuzz_file.h"

#include <holdfast/friction.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hfFrictionProblem* problem = NULL;
  hfError error;
  const char* path = write_input(data, size);
  if (path && hf_friction_problem_read(&problem, path, &error) == HF_OK) hf_friction_problem_free(problem);
  return 0;
}
