// A program of someone else: builds a falling ball with the installed library and prints its mass.
#include <holdfast/holdfast.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  if (strcmp(hf_version(), HF_VERSION) != 0) return 1;
  hfError error = {HF_OK, ""};
  hfBuilder* builder = hf_builder_create();
  hfBodyDef body = hf_body_def_default();
  body.name = "ball";
  int id = hf_builder_add_body(builder, &body, &error);
  hfJointDef joint = hf_joint_def_default();
  joint.body = id, joint.type = HF_JOINT_FREE;
  hf_builder_add_joint(builder, &joint, &error);
  hfGeomDef geom = hf_geom_def_default();
  geom.body = id, geom.type = HF_GEOM_SPHERE, geom.size[0] = 0.05, geom.mass = 0.25;
  hf_builder_add_geom(builder, &geom, &error);
  hfModel* model = NULL;
  if (hf_builder_finish(builder, &model, &error) != HF_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("holdfast %s: nq %d, mass %g\n", hf_version(), model->nq, hf_model_body_mass(model)[id]);
  hf_model_free(model);
  hf_builder_free(builder);
  return 0;
}
