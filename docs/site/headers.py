"""Makes a page of a public header: its comment, then every declaration with the comment before it, under the header's own sections."""

import re

SECTION = re.compile(r"^// -+ (.+?) -+$")
NAME = re.compile(r"\b(hf_[a-z0-9_]+|HF_[A-Z0-9_]+|hf[A-Z]\w*)\b")
PLUMBING = re.compile(r"^#(ifndef|define HOLDFAST|ifdef __cplusplus|endif|include|else|if )|^extern \"C\"|^}$")


def name_of(code):
    """What a declaration declares: the last word of a typedef, the function before the first parenthesis."""
    if code.startswith("typedef") and (last := re.search(r"}\s*(\w+)\s*;", code)):
        return last.group(1)
    if code.startswith("typedef") and (last := re.search(r"(\w+)\s*;", code)):
        return last.group(1)
    if code.startswith("#define"):
        return code.split()[1].split("(")[0]
    names = NAME.findall(code.split("(")[0])
    return names[-1] if names else None


def is_complete(code):
    """Whether the lines are a whole declaration: braces are closed, and it ends."""
    text = re.sub(r"//.*|/\*.*?\*/", "", "\n".join(code))
    if code[0].startswith("#define"):
        return not code[-1].endswith("\\")
    depth = text.count("{") - text.count("}")
    return depth <= 0 and text.rstrip().endswith((";", "}"))


def blocks_of(lines):
    """Yields ("section", title), ("text", [lines]) and ("code", [lines]) in the order of the header."""
    i = 0
    while i < len(lines):
        line = lines[i]
        if match := SECTION.match(line):
            yield "section", match.group(1)
            i += 1
        elif line.startswith("//"):
            start = i
            while i < len(lines) and lines[i].startswith("//") and not SECTION.match(lines[i]):
                i += 1
            yield "text", [text[2:].removeprefix(" ") for text in lines[start:i]]
        elif not line.strip() or (PLUMBING.match(line) and not line.startswith("#define HF_")):
            yield "gap", None
            i += 1
        else:
            start = i
            i += 1
            while i < len(lines) and not is_complete(lines[start:i]):
                i += 1
            yield "code", lines[start:i]


def prose(lines):
    """Comment lines as Markdown: indented lines are drawings or algebra and stay as they are."""
    out, drawing = [], False
    for line in lines:
        if line.startswith("  ") != drawing and (line.strip() or drawing):
            out.append("")
            drawing = line.startswith("  ")
        out.append("    " + line.strip("\n") if drawing else line.replace("<", "&lt;").replace("*", "\\*"))
    return "\n".join(out)


def page_of(header):
    text = header.read_text().replace("HF_API ", "")
    text = re.sub(r"^#ifndef HF_LIBRARY\n.*?^#endif\n", "", text, flags=re.M | re.S)  # the check of versions around a function
    blocks = list(blocks_of(text.splitlines()))
    out = [f"# holdfast/{header.name}", ""]
    waiting, opened = None, False
    for kind, content in blocks + [("gap", None)]:
        if kind == "text":
            waiting = content
            continue
        if kind == "section":
            out += ["", f"## {content[0].upper()}{content[1:]}", ""]
        elif kind == "code":
            name = name_of("\n".join(content))
            if name and (waiting or not opened):
                out += ["", f"### `{name}`", ""]
            if waiting:
                out += [prose(waiting), ""]
            out += ["```c", *content, "```", ""]
            waiting, opened = None, True
            continue
        elif waiting:
            out += [prose(waiting), ""]
        waiting, opened = None, False
    return "\n".join(out) + "\n"
