// Cameras: their definitions, and the poses at qpos0 of those that track something.
#include "build/finish.h"

#include "base/error.h"
#include "model/derive.h"

#include <stdlib.h>
#include <string.h>

static void fill_camera(hfiFinish* f, int i) {
  hfModel* m = f->m;
  const hfCameraDef* d = &f->b->camera.data[f->order.camera_of[i]];
  hfi_set_cam_body(m)[i] = f->order.new_body[d->body];
  hfi_set_cam_mode(m)[i] = d->mode;
  hfi_set_cam_target(m)[i] = hfi_order_map(&f->order, HF_OBJECT_BODY, d->target);
  hfi_set_cam_orthographic(m)[i] = d->orthographic != 0;
  memcpy(hfi_set_cam_resolution(m) + 2 * i, d->resolution, sizeof d->resolution);
  memcpy(hfi_set_cam_pos(m) + 3 * i, d->pos, sizeof d->pos);
  memcpy(hfi_set_cam_quat(m) + 4 * i, d->quat, sizeof d->quat);
  hfi_set_cam_fovy(m)[i] = d->fovy;
  memcpy(hfi_set_cam_sensorsize(m) + 2 * i, d->sensorsize, sizeof d->sensorsize);
  memcpy(hfi_set_cam_focal(m) + 2 * i, d->focal, sizeof d->focal);
  memcpy(hfi_set_cam_principal(m) + 2 * i, d->principal, sizeof d->principal);
}

// Computes offset and axes of a tracking camera in the world, with the bodies at X_WB. The centre of a subtree without mass is the origin of its
// body.
static void fill_tracking(hfModel* m, int i, const hfPose* X_WB, const hfiInertia* composite) {
  int body = hf_model_cam_body(m)[i];
  const hfiInertia* subtree = &composite[body];
  hfPose X_WC = pose_mul(X_WB[body], pose_from(v3_load(hf_model_cam_pos(m) + 3 * i), q_load(hf_model_cam_quat(m) + 4 * i)));
  int by_mass = hf_model_cam_mode(m)[i] == HF_CAMERA_TRACK_COM && subtree->m > 0;
  hfVec3 followed = by_mass ? v3_scale(1 / subtree->m, subtree->h) : X_WB[body].p;
  v3_store(hfi_set_cam_offset(m) + 3 * i, v3_sub(X_WC.p, followed));
  q_store(hfi_set_cam_axes(m) + 4 * i, q_from_m3(X_WC.R));
}

hfStatus hfi_finish_cameras(hfiFinish* f, hfError* error) {
  hfModel* m = f->m;
  if (m->ncam == 0) return HF_OK;
  hfPose* X_WB = malloc(sizeof *X_WB * (size_t)m->nbody);
  hfiInertia* composite = malloc(sizeof *composite * (size_t)m->nbody);
  hfStatus status = HF_OK;
  if (X_WB && composite) {
    hfi_reference_poses(m, X_WB);
    hfi_reference_composites(m, X_WB, composite);
    for (int i = 0; i < m->ncam; ++i) {
      fill_camera(f, i);
      fill_tracking(m, i, X_WB, composite);
    }
  } else {
    status = hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  }
  free(X_WB);
  free(composite);
  return status;
}
