// JSON output with jansson.
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t* json_number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

// A JSON string of a text. If the text is not UTF-8, each of its bytes above 127 becomes the replacement character.
// NULL: no memory.
json_t* json_text(const char* text) {
  static const char replacement[] = "\xEF\xBF\xBD"; // U+FFFD in UTF-8
  size_t width = sizeof replacement - 1;
  json_t* string = json_string(text);
  char* readable = string ? NULL : malloc(width * strlen(text) + 1);
  if (!readable) return string; // it is UTF-8, or there is no memory

  size_t n = 0;
  for (; *text; ++text) {
    if ((unsigned char)*text < 0x80) {
      readable[n++] = *text;
    } else {
      memcpy(readable + n, replacement, width);
      n += width;
    }
  }

  string = json_stringn(readable, n);
  free(readable);
  return string;
}

json_t* json_numbers(const double* x, int count) {
  json_t* array = json_array();
  for (int i = 0; i < count; ++i) json_array_append_new(array, json_number(x[i]));
  return array;
}

json_t* json_vec3(hfVec3 a) { return json_numbers((const double[]){a.x, a.y, a.z}, 3); }
json_t* json_quat(hfQuat q) { return json_numbers((const double[]){q.w, q.x, q.y, q.z}, 4); }

json_t* json_name(const hfModel* model, hfObjectKind kind, int id) {
  char buffer[HF_LABEL_SIZE];
  return json_string(hf_model_label(model, kind, id, buffer));
}

// A contact in the world's frame, with the names of what touches.
static json_t* contact_json(const hfModel* model, const hfContact* c) {
  json_t* o = json_object();
  json_object_set_new(o, "geom_a", json_name(model, HF_OBJECT_GEOM, c->geom_a));
  json_object_set_new(o, "geom_b", json_name(model, HF_OBJECT_GEOM, c->geom_b));
  json_object_set_new(o, "body_a", json_name(model, HF_OBJECT_BODY, c->body_a));
  json_object_set_new(o, "body_b", json_name(model, HF_OBJECT_BODY, c->body_b));

  json_object_set_new(o, "pos", json_vec3(c->p_W));
  json_object_set_new(o, "normal", json_vec3(c->n_W));
  json_object_set_new(o, "depth", json_number(c->depth));
  json_object_set_new(o, "fn", json_number(c->fn));
  json_object_set_new(o, "ft", json_vec3(c->ft));
  json_object_set_new(o, "torque", json_vec3(c->torque));
  json_object_set_new(o, "vn", json_number(c->vn));
  json_object_set_new(o, "vt", json_vec3(c->vt));
  json_object_set_new(o, "stick", json_boolean(c->stick));
  return o;
}

// The contacts of the sim's last step.
json_t* json_contacts(const hfSim* sim, const hfModel* model) {
  json_t* array = json_array();
  for (int i = 0; i < hf_sim_contact_count(sim); ++i) {
    hfContact c = hf_sim_contact(sim, i);
    json_array_append_new(array, contact_json(model, &c));
  }
  return array;
}

// The values of the sensors at the sim's last step, by name.
json_t* json_sensors(const hfSim* sim, const hfModel* model) {
  json_t* array = json_array();
  const double* data = hf_sim_sensors(sim);

  for (int i = 0; i < model->nsensor; ++i) {
    const double* value = data + hf_model_sensor_adr(model)[i];
    json_t* o = json_object();
    json_object_set_new(o, "name", json_name(model, HF_OBJECT_SENSOR, i));
    json_object_set_new(o, "value", json_numbers(value, hf_model_sensor_dim(model)[i]));
    json_array_append_new(array, o);
  }
  return array;
}

// Prints a document, and gives it back. Returns the exit status.
int print_json(json_t* document) {
  int failed = json_dumpf(document, stdout, JSON_REAL_PRECISION(17));
  putchar('\n');
  json_decref(document);

  if (failed && !ferror(stdout)) say_error("out of memory"); // main reports an error of standard output itself
  return failed ? CLI_FAILED : CLI_GOOD;
}
