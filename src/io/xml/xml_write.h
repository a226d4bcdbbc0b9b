// Printing XML, for the writers of MJCF, SDFormat and URDF. The numbers that a reader gets are the numbers that were
// written, to the last bit. After a refusal every function below does nothing.
#ifndef HFI_IMPORT_XML_WRITE_H
#define HFI_IMPORT_XML_WRITE_H

#include "base/output.h"

#include <holdfast/status.h>

typedef struct hfiXmlWriter {
  hfiOutput out;
  const char* path;
  hfError* error;
  hfStatus status; // HF_OK until the first refusal
} hfiXmlWriter;

void hfi_xml_print(hfiXmlWriter* w, const char* format, ...) HF_PRINTF(2, 3);
// Prints a text, in which entities replace the characters that XML reserves. A text with characters that XML cannot
// contain is refused.
void hfi_xml_print_text(hfiXmlWriter* w, const char* text);
void hfi_xml_print_numbers(hfiXmlWriter* w, const double* x, int count);
// Like hfi_xml_print_numbers, with as many digits as single precision needs.
void hfi_xml_print_floats(hfiXmlWriter* w, const float* x, int count);
// Begins an element at this depth: "<NAME".
void hfi_xml_begin(hfiXmlWriter* w, int depth, const char* element);
// Write attributes. A number has as many digits as its bits need.
void hfi_xml_put_text(hfiXmlWriter* w, const char* attribute, const char* text);
void hfi_xml_put_reals(hfiXmlWriter* w, const char* attribute, const double* x, int count);
void hfi_xml_put_real(hfiXmlWriter* w, const char* attribute, double x, double unless); // nothing if x is `unless`
void hfi_xml_put_int(hfiXmlWriter* w, const char* attribute, int x, int unless);
void hfi_xml_put_bool(hfiXmlWriter* w, const char* attribute, int x);
// Write whole elements: <NAME>text</NAME>, <NAME>numbers</NAME>.
void hfi_xml_text_element(hfiXmlWriter* w, int depth, const char* element, const char* text);
void hfi_xml_number_element(hfiXmlWriter* w, int depth, const char* element, const double* x, int count);
// Refuse with "path: message" (HF_ERROR_UNSUPPORTED), and because there is no memory.
void hfi_xml_refuse(hfiXmlWriter* w, const char* format, ...) HF_PRINTF(2, 3);
void hfi_xml_refuse_memory(hfiXmlWriter* w);

#endif
