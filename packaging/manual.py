#!/usr/bin/env python3
"""Manual pages and the shells' completions, from what the tool says of its verbs and options (einkorn --describe), from
the one table of the runtime's environment variables, and from the machine models' names:

  packaging/manual.py --tool build/bin/einkorn --variables src/runtime/settings/config.def --machines share/machines OUT

Writes OUT/man/man1/einkorn*.1.gz, OUT/bash-completion/completions/einkorn, OUT/zsh/site-functions/_einkorn and
OUT/fish/vendor_completions.d/einkorn.fish. Nothing in them depends on when or where they are made."""
import argparse
import gzip
import json
import pathlib
import re
import subprocess

STATUSES = [("0", "done; of run and record, what the program returned"), ("125", "bad option or input, or output that cannot be written"),
            ("126", "the program exists but cannot be run, or not on Einkorn"), ("127", "there is no such program")]
RUNS_A_PROGRAM = {"run", "record"}
# How what stands for a value is completed; all others are left to the user.
FILES = {"FILE", "OUT", "RECORDING", "OTHER", "BEFORE", "AFTER", "MORE"}
FOLDERS = {"FOLDER", "DIR"}
WORDS = {}  # "machines", "schedules": names that are known


def described(tool):
    verbs = json.loads(subprocess.run([tool, "--describe"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    for verb in verbs["verbs"]:
        for option in verb["options"] + verb["arguments"]:
            # What CLI11 adds of its checks: N:INT in [1 - 65535], FOLDER:DIR, FORMAT:{csv,otf2}
            option["value"] = re.sub(r":(?:\{.*|U?INT\b.*|FLOAT\b.*|NUMBER\b.*|POSITIVE\b.*|DIR|FILE)$", "", option["value"])
    return verbs


def variables(path):
    """[(name, default, what it does)]"""
    found = re.findall(r'^EK_VARIABLE\("([^"]+)", [^,]+, [^,]+, "([^"]*)", "([^"]*)"\)$', path.read_text(), re.M)
    count = path.read_text().count("\nEK_VARIABLE(")
    if len(found) != count:
        raise SystemExit(f"{path}: {count} variables, {len(found)} of them in a form that is known here")
    return found


# ---- manual pages ----


def roff(text):
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return "\n".join(r"\&" + line if line[:1] in ".'" else line for line in text.split("\n"))


def head(name, version, about):
    return f'.TH {name.upper()} 1 "" "{version}" "Einkorn"\n.SH NAME\n{roff(name)} \\- {roff(about)}\n'


def sentence(text):
    return text if text[-1:] in ".:" else text + "."


def tagged(names, value, text):
    tag = ", ".join(rf"\fB{roff(name)}\fR" for name in names)
    if value:
        tag += ("=" if names and names[-1].startswith("--") else " " if names else "") + rf"\fI{roff(value)}\fR"
    return f".TP\n{tag}\n{roff(sentence(text))}\n"


def examples(footer):
    """(what is said, the examples' lines)"""
    said, _, shown = footer.partition("Example: ")
    return said.strip(), [line.strip() for line in shown.split("\n") if line.strip()]


def verb_page(verb, version):
    name = f"einkorn-{verb['name']}"
    arguments = " ".join(f"\\fI{roff(a['value'])}\\fR" if a["needed"] else f"[\\fI{roff(a['value'])}\\fR]" for a in verb["arguments"])
    program = r" \fB\-\-\fR \fIPROGRAM\fR [\fIARGUMENT\fR ...]" if verb["name"] in RUNS_A_PROGRAM else ""
    page = head(name, version, verb["about"]) + f".SH SYNOPSIS\n\\fBeinkorn {verb['name']}\\fR [\\fIOPTION\\fR ...] {arguments}{program}\n"
    said, shown = examples(verb["footer"])
    if said:
        page += f".SH DESCRIPTION\n{roff(said)}\n"
    if verb["arguments"]:
        page += ".SH ARGUMENTS\n" + "".join(tagged([], a["value"], a["about"]) for a in verb["arguments"])
    page += ".SH OPTIONS\n" + "".join(tagged(o["names"], o["value"], o["about"]) for o in verb["options"])
    if shown:
        page += ".SH EXAMPLES\n.nf\n" + "".join(f"{roff(line)}\n" for line in shown) + ".fi\n"
    return page + ".SH SEE ALSO\n.BR einkorn (1)\n"


def main_page(tool, known):
    version = tool["version"]
    page = head("einkorn", version, "OpenMP programs where their data is, every grain shown")
    page += ".SH SYNOPSIS\n\\fBeinkorn\\fR \\fIVERB\\fR [\\fIOPTION\\fR ...] [\\fIARGUMENT\\fR ...]\n"
    page += f".SH DESCRIPTION\n{roff(tool['about'])}\nEach verb has a page of its own, and says its options with \\fB\\-\\-help\\fR.\n"
    page += ".SH VERBS\n" + "".join(f".TP\n.BR einkorn\\-{v['name']} (1)\n{roff(sentence(v['about']))}\n" for v in tool["verbs"])
    page += ".SH EXIT STATUS\n" + "".join(tagged([number], "", what) for number, what in STATUSES)
    page += ".SH ENVIRONMENT\nThe runtime library reads these, however it was loaded.\n"
    for name, default, what in known:
        page += f".TP\n\\fB{roff(name)}\\fR (default: {roff(default)})\n{roff(sentence(what))}\n"
    page += ".TP\n\\fBEINKORN_HOME\\fR\nThe folder that has bin, lib and share, where they are not found from the program's own.\n"
    page += ".TP\n\\fBEINKORN_MACHINES\\fR\nFolders with machine models of your own, separated by colons.\n"
    names = ", ".join(rf"\fBeinkorn\-{v['name']}\fR(1)" for v in tool["verbs"])
    return page + f".SH SEE ALSO\n{names}\n"


# ---- completions ----


def kind(option):
    """("words", [...]), ("files", ), ("folders", ) or ("any", )"""
    if option["choices"]:
        return "words", option["choices"]
    if "--machine" in option["names"]:
        return "words", WORDS["machines"]
    if "--schedule" in option["names"]:
        return "words", WORDS["schedules"]
    if option["value"] in FOLDERS:
        return ("folders",)
    return ("files",) if option["value"] in FILES else ("any",)


def bash(tool):
    verbs = " ".join(v["name"] for v in tool["verbs"])
    out = "# einkorn: completion for bash. Made by packaging/manual.py.\n"
    out += "_einkorn() {\n  local cur prev verb word i\n  cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}\n"
    out += "  COMPREPLY=()\n"
    out += f'  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W "{verbs} --help --version" -- "$cur"))\n    return\n  fi\n'
    out += "  for ((i = 2; i < COMP_CWORD; i++)); do\n    [[ ${COMP_WORDS[i]} == -- ]] || continue\n"
    out += "    if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); else COMPREPLY=($(compgen -A command -A file -- \"$cur\")); fi\n"
    out += "    return\n  done\n  case $verb,$prev in\n"
    for v in tool["verbs"]:
        for o in v["options"]:
            if not o["value"]:
                continue
            pattern = " | ".join(f"{v['name']},{name}" for name in o["names"])
            how = kind(o)
            reply = {"words": lambda: f'COMPREPLY=($(compgen -W "{" ".join(how[1])}" -- "$cur"))',
                     "files": lambda: "compopt -o default 2>/dev/null",
                     "folders": lambda: 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur"))',
                     "any": lambda: ":"}[how[0]]()
            out += f"    {pattern}) {reply}; return ;;\n"
    out += "  esac\n  if [[ $cur != -* ]]; then\n    compopt -o default 2>/dev/null\n    return\n  fi\n  case $verb in\n"
    for v in tool["verbs"]:
        names = " ".join(name for o in v["options"] for name in o["names"]) + (" --" if v["name"] in RUNS_A_PROGRAM else "")
        out += f'    {v["name"]}) COMPREPLY=($(compgen -W "{names}" -- "$cur")) ;;\n'
    return out + "  esac\n}\ncomplete -F _einkorn einkorn\n"


def zsh_text(text):
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh(tool):
    out = "#compdef einkorn\n# Made by packaging/manual.py.\n_einkorn() {\n  local -a verbs\n  verbs=(\n"
    out += "".join(f"    '{v['name']}:{zsh_text(v['about'])}'\n" for v in tool["verbs"]) + "  )\n"
    out += "  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n"
    out += "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n"
    for v in tool["verbs"]:
        out += f"    {v['name']})\n      _arguments -s"
        for o in v["options"]:
            how = kind(o)
            action = {"words": lambda: "(" + " ".join(how[1]) + ")", "files": lambda: "_files", "folders": lambda: "_files -/",
                      "any": lambda: " "}[how[0]]()
            value = f":{zsh_text(o['value'])}:{action}" if o["value"] else ""
            for name in o["names"]:
                equals = "=" if name.startswith("--") and value else ""
                out += f" \\\n        '{'*' if o['repeats'] else ''}{name}{equals}[{zsh_text(o['about'])}]{value}'"
        if v["name"] in RUNS_A_PROGRAM:
            out += " \\\n        '*::program:_normal'"
        elif v["arguments"]:
            out += " \\\n        '*:file:_files'"
        out += "\n      ;;\n"
    return out + '  esac\n}\n_einkorn "$@"\n'


def fish_text(text):
    return text.replace("\\", "\\\\").replace("'", "\\'")


def fish(tool):
    out = "# einkorn: completion for fish. Made by packaging/manual.py.\n"
    out += "complete -c einkorn -n __fish_use_subcommand -f\n"
    for v in tool["verbs"]:
        out += f"complete -c einkorn -n __fish_use_subcommand -a {v['name']} -d '{fish_text(v['about'])}'\n"
        for o in v["options"]:
            how = kind(o)
            names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in o["names"])
            value = ""
            if o["value"]:
                value = {"words": lambda: f" -x -a '{' '.join(how[1])}'", "files": lambda: " -r", "folders": lambda: " -x -a '(__fish_complete_directories)'",
                         "any": lambda: " -x"}[how[0]]()
            out += f"complete -c einkorn -n '__fish_seen_subcommand_from {v['name']}' {names}{value} -d '{fish_text(o['about'])}'\n"
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="einkorn itself")
    parser.add_argument("--variables", required=True, type=pathlib.Path, help="config.def")
    parser.add_argument("--machines", required=True, type=pathlib.Path, help="folder of machine models")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    tool, known = described(options.tool), variables(options.variables)
    WORDS["machines"] = sorted(path.stem for path in options.machines.glob("*.json"))
    WORDS["schedules"] = tool["schedules"]
    pages = {"man/man1/einkorn.1.gz": main_page(tool, known),
             "bash-completion/completions/einkorn": bash(tool),
             "zsh/site-functions/_einkorn": zsh(tool),
             "fish/vendor_completions.d/einkorn.fish": fish(tool)}
    for verb in tool["verbs"]:
        pages[f"man/man1/einkorn-{verb['name']}.1.gz"] = verb_page(verb, tool["version"])
    for name, text in pages.items():
        path = options.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # mtime=0: the same page is the same file.
        path.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())


if __name__ == "__main__":
    main()
