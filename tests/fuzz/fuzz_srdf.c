// Reads SRDF beside a fixed URDF. The first byte chooses options of the import. If the second byte is '<' the rest is XML; otherwise the bytes are
// instructions for writing well-formed XML (grammar.h).
#include <holdfast/import.h>

#include "fuzz_file.h"
#include "grammar.h"

#define LINK(name) "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial><collision><geometry><sphere radius='1'/></geometry></collision></link>"
#define JOINT(name, type, a, b, more) "<joint name='" name "' type='" type "'><parent link='" a "'/><child link='" b "'/><limit lower='-2' upper='2' effort='9' velocity='1'/>" more "</joint>"
static const char ROBOT[] = "<robot name='r'>" LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") JOINT("j", "revolute", "a", "b", "") JOINT("k", "prismatic", "b", "c", "")
    JOINT("l", "fixed", "c", "d", "") JOINT("m", "floating", "a", "e", "") "<link name='f'/>" JOINT("n", "continuous", "d", "f", "<mimic joint='j' multiplier='-2'/>") "</robot>";

static const char* const elements[] = {"group", "group_state", "group_state", "joint", "joint", "link", "chain", "end_effector", "virtual_joint", "passive_joint",
                                       "disable_collisions", "disable_collisions", "enable_collisions", "disable_default_collisions", NULL};
static const char* const attributes[] = {"name", "name", "group", "value", "value", "link1", "link1", "link2", "link2", "link", "reason", "base_link", "tip_link", NULL};
static const char* const values[] = {"a", "b", "c", "d", "e", "f", "j", "k", "l", "m", "n", "r", "x", "", "0", "0.5", "-1", "1 2 3", "0 0 0 0 0 0 1", "1 2 3 0 0 0 0", "1e300", "nan", "1e999", "world", NULL};

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Grammar grammar = {"robot", elements, attributes, values};
  static char text[XML_SIZE];
  if (size < 2) return 0;
  hfImportConfig config = hf_import_config_default();
  config.merge_fixed_links = data[0] & 1;
  config.floating_base = data[0] >> 1 & 1;
  config.srdf = data[1] == '<' ? write_input(data + 1, size - 1) : write_input((const uint8_t*)text, write_xml(&grammar, data + 1, size - 1, text));
  if (!config.srdf) return 0;
  hfModel* model = NULL;
  hfError error;
  hfDiagnostics* diagnostics = hf_diagnostics_create();
  hf_model_parse(&model, ROBOT, sizeof ROBOT - 1, "fuzz.urdf", "", &config, diagnostics, &error);
  hf_diagnostics_free(diagnostics);
  hf_model_free(model);
  return 0;
}
