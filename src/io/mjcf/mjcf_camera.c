// <camera>: its lens, its pose, and the body that it looks at.
//
// m: the document, r: its reader, s: the spec of a camera.
#include "io/mjcf/mjcf.h"

const hfiKeyword hfi_mjcf_camera_modes[] = {{"fixed", HF_CAMERA_FIXED},         {"track", HF_CAMERA_TRACK},
                                            {"trackcom", HF_CAMERA_TRACK_COM},  {"targetbody", HF_CAMERA_TARGET},
                                            {"targetbodycom", HF_CAMERA_TARGET_COM}, {NULL, 0}};

typedef struct CameraSpec {
  hfCameraDef def;
  hfiPoseSpec pose;
  double fovy;                             // [deg]; [m] for an orthographic camera
  double focalpixel[2], principalpixel[2]; // 0: not given
} CameraSpec;

static CameraSpec default_camera(void) {
  CameraSpec s = {.def = hf_camera_def_default(), .pose = {{0, 0, 0}, {1, 0, 0, 0}}, .fovy = 45};
  return s;
}

// Reads the attributes of one element into a CameraSpec.
static void apply_camera(hfiMjcf* m, const hfiElem* elem, void* data) {
  static const hfiKeyword projections[] = {{"perspective", 0}, {"orthographic", 1}, {NULL, 0}};
  hfiReader* r = m->r;
  CameraSpec* s = data;

  hfi_mjcf_read_pose(m, elem, &s->pose);
  hfi_read_keyword(r, elem, "mode", hfi_mjcf_camera_modes, &s->def.mode);
  hfi_read_keyword(r, elem, "projection", projections, &s->def.orthographic);
  hfi_read_bool(r, elem, "orthographic", &s->def.orthographic);

  // the lens
  hfi_read_real(r, elem, "fovy", &s->fovy);
  hfi_read_ints(r, elem, "resolution", 2, 2, s->def.resolution);
  hfi_read_reals(r, elem, "sensorsize", 2, 2, s->def.sensorsize);
  hfi_read_reals(r, elem, "focal", 2, 2, s->def.focal);
  hfi_read_reals(r, elem, "principal", 2, 2, s->def.principal);
  hfi_read_reals(r, elem, "focalpixel", 2, 2, s->focalpixel);
  hfi_read_reals(r, elem, "principalpixel", 2, 2, s->principalpixel);
}

void hfi_mjcf_check_camera(hfiMjcf* m, hfiElem* elem) {
  CameraSpec s = default_camera();
  apply_camera(m, elem, &s);
}

// Converts lengths in pixels to metres by the size of the chip.
static void measure_chip(CameraSpec* s) {
  for (int k = 0; k < 2; ++k) {
    double pixel = s->def.sensorsize[k] / s->def.resolution[k];
    if (s->focalpixel[k] != 0) s->def.focal[k] = s->focalpixel[k] * pixel;
    if (s->principalpixel[k] != 0) s->def.principal[k] = s->principalpixel[k] * pixel;
  }
}

// Reads a camera and adds it to the builder. One that looks at a body is fixed at first and listed, because the body
// may come later.
void hfi_mjcf_read_camera(hfiMjcf* m, const hfiScope* scope, hfiElem* elem) {
  hfiReader* r = m->r;
  CameraSpec s = default_camera();
  hfi_mjcf_apply(m, hfi_mjcf_class(m, elem, scope->childclass), "camera", elem, apply_camera, &s);

  if (hfi_attr(elem, "target") && s.def.mode < HF_CAMERA_TARGET)
    hfi_note(r, elem, HF_NOTE, "target: only the modes targetbody and targetbodycom look at it");
  if (r->status) return;

  if (s.def.resolution[0] > 0 && s.def.resolution[1] > 0) measure_chip(&s);
  // the definition has an angle in radians; of parallel rays it has the height of the picture [m]
  s.def.fovy = s.def.orthographic ? s.fovy : s.fovy * HFI_PI / 180;

  s.def.name = hfi_mjcf_name(m, elem);
  s.def.where = hfi_where(r, elem);
  s.def.body = scope->body;
  hfi_mjcf_place(scope, &s.pose, s.def.pos, s.def.quat);

  // fixed until its target is known
  int mode = s.def.mode;
  if (mode >= HF_CAMERA_TARGET) s.def.mode = HF_CAMERA_FIXED;
  int id = hfi_keep(r, elem, hf_builder_add_camera(r->builder, &s.def, &r->scratch));
  hfiAim* aim = mode >= HF_CAMERA_TARGET && !r->status ? HFI_NEW(r, hfiAim, 1) : NULL;
  if (!aim) return;
  *aim = (hfiAim){id, mode, elem, m->suffix, m->aims};
  m->aims = aim;
}

// Gives the listed cameras their targets. The tree of the document must have been read.
void hfi_mjcf_aim_cameras(hfiMjcf* m) {
  const char* suffix = m->suffix;
  for (const hfiAim* aim = m->aims; aim && !m->r->status; aim = aim->next) {
    m->suffix = aim->suffix;
    int target = hfi_mjcf_find(m, aim->elem, "target", HF_OBJECT_BODY);
    if (target < 0 && !m->r->status)
      hfi_note(m->r, aim->elem, HF_WARNING, "the camera does not turn: it has no target, or that was left out");
    if (target < 0) continue;

    hfCameraDef d = *hf_builder_camera(m->r->builder, aim->camera);
    d.mode = aim->mode;
    d.target = target;
    hfi_keep(m->r, aim->elem, (int)hf_builder_set_camera(m->r->builder, aim->camera, &d, &m->r->scratch));
  }
  m->suffix = suffix;
  m->aims = NULL;
}
