// Cameras: their definitions, and the poses at qpos0 of those that track something.
#include "build/inside.h"

#include "base/error.h"
#include "model/derive.h"

#include <stdlib.h>
#include <string.h>

// Copies the definition of camera i of the model.
static void fill_camera(hfiFinish* f, int i) {
  hfModel* m = f->m;
  const hfCameraDef* d = hfi_finish_def(f, HF_OBJECT_CAMERA, i);
  hfi_set_cam_body(m)[i] = hfi_order_new(&f->order, HF_OBJECT_BODY, d->body);
  hfi_set_cam_mode(m)[i] = d->mode;
  hfi_set_cam_target(m)[i] = hfi_order_new(&f->order, HF_OBJECT_BODY, d->target);
  hfi_set_cam_orthographic(m)[i] = d->orthographic != 0;
  memcpy(hfi_set_cam_resolution(m) + 2 * i, d->resolution, sizeof d->resolution);
  memcpy(hfi_set_cam_pos(m) + 3 * i, d->pos, sizeof d->pos);
  memcpy(hfi_set_cam_quat(m) + 4 * i, d->quat, sizeof d->quat);

  // the lens
  hfi_set_cam_fovy(m)[i] = d->fovy;
  memcpy(hfi_set_cam_sensorsize(m) + 2 * i, d->sensorsize, sizeof d->sensorsize);
  memcpy(hfi_set_cam_focal(m) + 2 * i, d->focal, sizeof d->focal);
  memcpy(hfi_set_cam_principal(m) + 2 * i, d->principal, sizeof d->principal);
}

// Computes offset and axes of a tracking camera in the world, with the bodies at X_WB and their subtrees' inertias
// `composite`. The centre of a subtree without mass is the origin of its body.
static void fill_tracking(hfModel* m, int i, const hfPose* X_WB, const hfiInertia* composite) {
  int body = hf_model_cam_body(m)[i];
  const hfiInertia* subtree = &composite[body];
  hfPose X_BC = pose_from(v3_load(hf_model_cam_pos(m) + 3 * i), q_load(hf_model_cam_quat(m) + 4 * i));
  hfPose X_WC = pose_mul(X_WB[body], X_BC);

  int by_mass = hf_model_cam_mode(m)[i] == HF_CAMERA_TRACK_COM && subtree->m > 0;
  hfVec3 followed = by_mass ? v3_scale(1 / subtree->m, subtree->h) : X_WB[body].p;
  v3_store(hfi_set_cam_offset(m) + 3 * i, v3_sub(X_WC.p, followed));
  q_store(hfi_set_cam_axes(m) + 4 * i, q_from_m3(X_WC.R));
}

// Fills cameras with the bodies at qpos0, where tracking ones get their offsets.
hfStatus hfi_finish_cameras(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  if (m->ncam == 0) return HF_OK;

  hfPose* X_WB = malloc(sizeof *X_WB * (size_t)m->nbody);
  hfiInertia* composite = malloc(sizeof *composite * (size_t)m->nbody);
  hfStatus status = X_WB && composite ? HF_OK : hfi_refuse_memory(error);

  if (status == HF_OK) {
    hfi_reference_poses(m, X_WB);
    hfi_reference_composites(m, X_WB, composite);
    for (int i = 0; i < m->ncam; ++i) {
      fill_camera(f, i);
      fill_tracking(m, i, X_WB, composite);
    }
  }

  free(X_WB);
  free(composite);
  return status;
}
