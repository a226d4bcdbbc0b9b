// Prediction of the row velocities of a body that turns about its contacts.
#ifndef HFI_SOLVE_PREDICT_H
#define HFI_SOLVE_PREDICT_H

#include "solve/island.h"

// Predicts the row velocities I->s1 at the end of the step for an island of one tree that has only contacts and limits. Linearises the laws at I->s1:
// sets I->response to their derivatives there and I->gamma to the impulses of their tangents at I->s. Returns 0 if there is no prediction or if the laws
// are almost linear between I->s and I->s1; I->response, I->gamma and I->s1 are then of no use.
int hfi_predict(hfiIsland* I, int coupling);

#endif
