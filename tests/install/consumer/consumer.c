// A program of someone else: lets a ball fall with the installed library, from a builder and from
// text.
#include <holdfast/holdfast.h>
#include <stdio.h>
#include <string.h>

static const char scene[] = "<mujoco><worldbody><body pos='0 0 1'><freejoint/>"
                            "<geom size='0.05' mass='0.25'/></body></worldbody></mujoco>";

static hfModel* build(hfError* error) {
  hfBuilder* builder = hf_builder_create();
  hfModel* model = NULL;
  hfBodyDef body = hf_body_def_default();
  body.pos[2] = 1;
  hfJointDef joint = hf_joint_def_default();
  joint.type = HF_JOINT_FREE;
  hfGeomDef geom = hf_geom_def_default();
  geom.type = HF_GEOM_SPHERE, geom.size[0] = 0.05, geom.mass = 0.25;
  if (builder && (joint.body = geom.body = hf_builder_add_body(builder, &body, error)) >= 0 &&
      hf_builder_add_joint(builder, &joint, error) >= 0 &&
      hf_builder_add_geom(builder, &geom, error) >= 0)
    hf_builder_finish(builder, &model, error);
  hf_builder_free(builder);
  return model;
}

static double fall(const hfModel* model, double time, hfError* error) {
  hfSim* sim = NULL;
  hfState* state = hf_state_create(model);
  hfSimConfig config = hf_sim_config_default();
  double height = -1;
  if (state && hf_sim_create(&sim, model, &config, error) == HF_OK) {
    while (state->time < time && hf_sim_step(sim, state, NULL, NULL, error) == HF_OK) {}
    height = hf_state_q(state)[2];
  }
  hf_sim_free(sim);
  hf_state_free(state);
  return height;
}

int main(void) {
  hfError error = {HF_OK, ""};
  hfModel *built = build(&error), *read = NULL;
  hf_model_parse(&read, scene, strlen(scene), "scene", ".", NULL, NULL, &error);
  int good = built && read && strcmp(hf_version(), HF_VERSION) == 0;
  if (good) {
    double a = fall(built, 0.1, &error), b = fall(read, 0.1, &error);
    good = a > 0.9 && a < 1 && a == b;
    printf("holdfast %s: mass %g, fell to %g\n", hf_version(), hf_model_body_mass(read)[1], a);
  }
  if (*error.message) fprintf(stderr, "%s\n", error.message);
  hf_model_free(built);
  hf_model_free(read);
  return good ? 0 : 1;
}
