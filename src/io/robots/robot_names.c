// Memory, names and warnings of the writers of SDFormat and URDF.
//
// w: the writer.
#include "io/robots/robot_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Memory for count items of `width` bytes in the pool of the writer, and for one more: the zero byte of a text, or an
// array that is not empty. NULL after a refusal.
void* hfi_robot_take(hfiRobotWriter* w, size_t count, size_t width) {
  void* memory = w->xml.status ? NULL : hfi_pool_copy(&w->pool, NULL, (count + 1) * width);
  if (!memory) hfi_xml_refuse_memory(&w->xml);
  return memory;
}

// A formatted text in the pool of the writer; "" if there is no memory.
const char* hfi_robot_format(hfiRobotWriter* w, const char* format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);

  // hfi_robot_take adds the zero byte
  char* text = length < 0 ? NULL : hfi_robot_take(w, (size_t)length, 1);
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text ? text : "";
}

// A name that nothing else in this space has: `wanted`, or else with the suffix, or else also with a number. Reserves
// it.
const char* hfi_robot_unique(hfiRobotWriter* w, int space, const char* wanted, const char* suffix) {
  const char* name = wanted;
  for (int i = 1; hfi_names_find(&w->names, space, name) >= 0 && !w->xml.status; ++i) {
    if (i == 1)
      name = hfi_robot_format(w, "%s%s", wanted, suffix);
    else
      name = hfi_robot_format(w, "%s%s_%d", wanted, suffix, i);
  }
  if (!w->xml.status && hfi_names_add(&w->names, space, name, 0) != 0) hfi_xml_refuse_memory(&w->xml);
  return name;
}

// The name of an object, or KIND_ID for one without a name.
const char* hfi_robot_name_of(hfiRobotWriter* w, hfObjectKind kind, int id) {
  const char* name = hf_model_name(w->m, kind, id);
  return *name ? name : hfi_robot_format(w, "%s_%d", hf_object_kind_name(kind), id);
}

// Adds a warning to the diagnostics, unless something was refused.
void hfi_robot_warn(hfiRobotWriter* w, const char* format, ...) {
  char message[HF_MESSAGE_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (!w->xml.status) hfi_diagnostics_add(w->diagnostics, HF_WARNING, w->xml.path, 0, message, "");
}

// Warns that `count` things of a kind are not in the file; does nothing for none.
void hfi_robot_left_out(hfiRobotWriter* w, int count, const char* what) {
  if (count) hfi_robot_warn(w, "left out, because %s cannot say it: %s (%d)", w->format, what, count);
}
