// Writing a robot from beginning to end: memory, the file, and the locale of its numbers.
//
// w: the writer.
#include "io/robots/robot_write.h"

#include "base/error.h"
#include "base/locale.h"

// Makes links, joints and the pairs that do not touch, writes the document, and warns of what it lacks.
static void make_and_write(hfiRobotWriter* w, void (*write_document)(hfiRobotWriter* w)) {
  for (int i = 0; i < 2; ++i)
    w->files.mesh_file[i] = hfi_robot_take(w, (size_t)w->m->nmesh, sizeof *w->files.mesh_file[i]);
  w->files.image_file = hfi_robot_take(w, (size_t)w->m->nhfield, sizeof *w->files.image_file);

  hfi_robot_make_links(w);
  if (!w->xml.status) hfi_robot_make_joints(w);
  if (!w->xml.status) hfi_robot_make_apart(w);
  if (!w->xml.status) write_document(w);

  if (!w->xml.status) w->xml.status = hfi_output_flush(&w->xml.out, w->xml.error);
  hfi_robot_name_files(w);
  hfi_robot_warn_left_out(w);
}

// Writes a file by `write_document`, which prints into w->xml. After a refusal older files stay as they were.
hfStatus hfi_robot_write(hfiRobotWriter* w, void (*write_document)(hfiRobotWriter* w)) {
  hfi_clear_error(w->xml.error);
  hfStatus status = hfi_output_open(&w->xml.out, w->xml.path, HFI_OUTPUT_WHOLE, w->xml.error);
  if (status != HF_OK) return status;

  locale_t outer = hfi_enter_c_locale();
  make_and_write(w, write_document);
  hfi_leave_c_locale(outer);
  hfi_names_release(&w->names);
  hfi_pool_release(&w->pool);

  if (w->xml.status) {
    hfi_output_discard(&w->xml.out);
    return w->xml.status;
  }
  return hfi_output_close(&w->xml.out, w->xml.error);
}
