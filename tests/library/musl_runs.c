// Runs the fixed runs of scenes/bits.h from blocks of models, and prints a hash of each last state. musl.sh builds it with the core alone.
#include "scenes/bits.h"

int main(int count, char** argument) {
  if (count != 2) return 2;
  for (int i = 0; i < RUNS; ++i) {
    char path[1024];
    hfModel* model = NULL;
    hfError error = {HF_OK, ""};
    snprintf(path, sizeof path, "%s/%d.hfm", argument[1], i);
    if (hf_model_read(&model, path, &error) < 0) stop(&runs[i], &error);
    printf("%s %s %s %016llx\n", runs[i].scene, runs[i].method, runs[i].friction, (unsigned long long)hash_run(&runs[i], model));
    hf_model_free(model);
  }
  return 0;
}
