// Parts of experiment stiction: each measures one claim and writes its lines into the result.
#ifndef EXPERIMENTS_STICTION_H
#define EXPERIMENTS_STICTION_H

#include "common/figure.h"
#include "common/world.h"

int stiction_pinch(const experimentOptions* options, result* r);    // creep beside MuJoCo
int stiction_critical(const experimentOptions* options, result* r); // where it starts to slide
int stiction_tilt(const experimentOptions* options, result* r);     // box and tripod on a tilting table
int stiction_shake(const experimentOptions* options, result* r);    // lift, shake and turn
int stiction_cost(const experimentOptions* options, result* r);     // time beside regularised friction

#endif
