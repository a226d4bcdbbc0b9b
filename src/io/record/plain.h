// The report of a library that was built without the browser page: a table and four plots.
#ifndef HFI_RECORD_PLAIN_H
#define HFI_RECORD_PLAIN_H

#include "base/output.h"
#include "io/record/plot.h"

#include <holdfast/record.h>

enum { KINETIC, POTENTIAL, TOTAL, NORMAL, FRICTION, CONTACTS, STICKING, ITERATIONS, HFI_PLAIN_SERIES };

typedef struct hfiPlain {
  hfiSeries series[HFI_PLAIN_SERIES];
} hfiPlain;

void hfi_plain_init(hfiPlain* plain);
// Adds the numbers of a step to the series. It must be called after each step. d: scratch for the energies.
void hfi_plain_add(hfiPlain* plain, hfDynamics* d, const hfSim* sim, const hfState* state,
                   const hfInput* input, const hfStepReport* step);
void hfi_plain_write(const hfiPlain* plain, hfiOutput* out, const char* title,
                     const hfReportLine* lines, int count);

// Writes text inside of an HTML element.
void hfi_put_text(hfiOutput* out, const char* text);

#endif
