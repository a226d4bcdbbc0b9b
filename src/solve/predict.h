// Prediction of the row velocities of a body that turns about its contacts.
#ifndef HFI_SOLVE_PREDICT_H
#define HFI_SOLVE_PREDICT_H

#include "solve/island.h"

// Linearises the laws of an island of one tree, with contacts and limits alone, at the row velocities that are predicted for the end of the step, I->s1: sets
// I->response, and I->gamma to what the tangents of the laws have at I->s. Returns 0, with nothing of use in these, where nothing is predicted or where the
// laws are as good as linear between I->s and I->s1.
int hfi_predict(hfiIsland* I, int coupling);

#endif
