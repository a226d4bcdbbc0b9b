// The small model to which states, saved models and tables of controls of the fuzzers belong: some of everything.
#ifndef HF_FUZZ_SCENE_H
#define HF_FUZZ_SCENE_H

#include <holdfast/holdfast.h>
#include <stdlib.h>

static const char SCENE[] =
    "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='ball' pos='0 0 0.1'><freejoint/><geom size='0.1' mass='2'/><geom type='mesh' mesh='m'/></body>"
    "<body name='arm' pos='0 1 0.5'><joint name='rail' type='slide' axis='1 0 0' range='-1 1'/><geom type='box' size='0.1 0.1 0.1'/>"
    "<site name='tip'/><body pos='0 0 0.3'><joint name='turn' axis='0 1 0' frictionloss='1'/><geom type='capsule' size='0.02 0.1'/></body>"
    "</body></worldbody><tendon><fixed name='t'><joint joint='rail' coef='1'/><joint joint='turn' coef='2'/></fixed></tendon>"
    "<equality><connect body1='ball' body2='arm' anchor='0 0 0'/></equality>"
    "<actuator><motor name='push' joint='rail'/><position name='servo' tendon='t' kp='10'/></actuator>"
    "<sensor><jointpos joint='rail'/></sensor><keyframe><key ctrl='1 0'/></keyframe></mujoco>";

// Without a model the fuzzer ends, because it would test nothing.
static inline hfModel* parse_scene(void) {
  hfModel* model = NULL;
  hfError error;
  if (hf_model_parse(&model, SCENE, sizeof SCENE - 1, "fuzz", ".", NULL, NULL, &error) < 0) abort();
  return model;
}

#endif
