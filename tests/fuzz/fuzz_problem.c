// Reads a step problem.
#include "fuzz_file.h"

#include <holdfast/step_problem.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hfStepProblem* problem = NULL;
  hfError error;
  const char* path = write_input(data, size);
  if (path && hf_step_problem_read(&problem, path, &error) == HF_OK) hf_step_problem_free(problem);
  return 0;
}
