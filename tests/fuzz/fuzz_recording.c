// Opens a recording and looks at everything in it.
#include "fuzz_file.h"

#include <holdfast/record.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static double look(hfFrame f, const hfModel* m) {
  double sum = f.time + f.head->kinetic;
  for (int i = 0; i < 7 * m->nbody; ++i) sum += (double)f.pose[i];
  for (int i = 0; i < m->nq; ++i) sum += (double)f.q[i];
  for (int i = 0; i < m->nv; ++i) sum += (double)f.v[i];
  for (int i = 0; i < m->nu; ++i) sum += (double)f.ctrl[i] + (double)f.force[i];
  for (int i = 0; i < m->nsensordata; ++i) sum += (double)f.sensor[i];
  for (int i = 0; i < f.ncontact; ++i) sum += (double)f.contact[i].fn;
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hfRecording* r = NULL;
  hfError error;
  const char* path = write_input(data, size);
  if (!path || hf_recording_read(&r, path, &error) != HF_OK) return 0;
  double sum = 0;
  for (int i = 0; i < hf_recording_frame_count(r); ++i) sum += look(hf_recording_frame(r, i), hf_recording_model(r));
  for (int i = 0; i < hf_recording_event_count(r); ++i) sum += hf_recording_event(r, i).time;
  sum += (double)(strlen(hf_recording_scene(r)) + strlen(hf_recording_run(r)) + strlen(hf_recording_figures(r)));
  hf_recording_free(r);
  return sum == 0.1234 ? -1 : 0; // so that the sum is computed; -1 only keeps an input out of the corpus
}
