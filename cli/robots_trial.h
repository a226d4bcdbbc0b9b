// One scene of bench robots: our runs of it, and what the peer makes of it.
#ifndef HF_CLI_ROBOTS_TRIAL_H
#define HF_CLI_ROBOTS_TRIAL_H

#include "common/world.h"
#include "outcome.h"

typedef struct trial {
  world w;
  const char* path;    // path of the scene
  int steps;
  double* ctrl;        // (steps x nu) the controls of each step
  char controls[1024]; // a file with them
  char ours[1024];     // a file with positions and activations of trial_keep_end
  char left_out[128];  // what the reader left out, "": nothing that acts
  char binary[1024];   // a file with MuJoCo's model
  char recipe[1024];   // and with its recipe for grasps: elliptic cones, impratio 100, noslip iterations
} trial;

// folder: an existing one for the files that the two programs exchange. After a refusal the trial has to be closed,
// too.
int trial_open(trial* t, const char* path, const char* folder, hfError* error);
void trial_close(trial* t);

// Makes the sim, anew if there is one. softness: the field mujoco_softness. friction: the hfFrictionLaw, -1: the
// scene's.
int trial_make_sim(trial* t, int softness, int friction, hfError* error);
void trial_begin(trial* t);
// Steps to the end, and keeps the controls that acted. Returns 0, or -1 where a step was refused.
int trial_run(trial* t, hfError* error);
// Keeps the end of the run for PEER_STAYS. Returns 0, or -1 where the file cannot be written.
int trial_keep_end(const trial* t);
// The deepest contact of the start; 0: none [m].
double trial_overlap(trial* t);
// How far the joints of the start are beyond their limits, at most.
outcomeDistance trial_beyond_limits(trial* t);

// Has the script run the scene with our controls: its runs `first` to `last`. Returns 0, or -1 with the reason in
// `why`.
int trial_ask_peer(const trial* t, outcome peer[PEER_RUNS], peerRun first, peerRun last, char* why, size_t size);
// Our run that goes with one of the peer's from PEER_FINE on, with the field mujoco_softness.
int trial_vary(const trial* t, peerRun run, outcome* out, hfError* error);

#endif
