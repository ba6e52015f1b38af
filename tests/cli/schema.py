#!/usr/bin/env python3
"""Checks a JSON file against docs/report-schema.json (or --schema FILE).

    tests/cli/schema.py report.json        exit status 0: valid, 1: not valid, 2: could not be checked

Knows the part of JSON Schema 2020-12 that the schema uses, and refuses any other keyword, so that nothing in the schema
is left unchecked silently. Python 3.11, standard library only.
"""
import argparse
import json
import pathlib
import sys

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}
ANNOTATIONS = {"$schema", "$defs", "title", "description"}
BOUNDS = {
    "minimum": (lambda v, bound: v >= bound, "less than"),
    "exclusiveMinimum": (lambda v, bound: v > bound, "not more than"),
    "maximum": (lambda v, bound: v <= bound, "more than"),
}
CHECKED = {"$ref", "type", "enum", "required", "properties", "additionalProperties", "items", *BOUNDS}


class BadSchema(Exception):
    pass


def resolve(root, ref):
    if not ref.startswith("#/"):
        raise BadSchema(f"only references into the schema itself are known, not {ref}")
    node = root
    for part in ref[2:].split("/"):
        if not isinstance(node, dict) or part not in node:
            raise BadSchema(f"{ref} leads nowhere")
        node = node[part]
    return node


def check_schema(root, schema, where="#"):
    """Checks that every keyword is known and every reference leads somewhere, even if no value reaches them."""
    unknown = set(schema) - ANNOTATIONS - CHECKED
    if unknown:
        raise BadSchema(f"{where}: unknown keyword {', '.join(sorted(unknown))}")
    if "$ref" in schema:
        resolve(root, schema["$ref"])
    if schema.get("type", "object") not in TYPES:
        raise BadSchema(f"{where}: unknown type {schema['type']}")
    if schema.get("additionalProperties", False) is not False:
        raise BadSchema(f"{where}: additionalProperties can only be false")
    for name in schema.get("required", []):
        if name not in schema.get("properties", {}):
            raise BadSchema(f"{where}: {name} is required but not described")
    for group in ("properties", "$defs"):
        for name, part in schema.get(group, {}).items():
            check_schema(root, part, f"{where}/{group}/{name}")
    if "items" in schema:
        check_schema(root, schema["items"], f"{where}/items")


def errors(root, schema, value, where="$"):
    if "$ref" in schema:
        yield from errors(root, resolve(root, schema["$ref"]), value, where)
    if "type" in schema and not TYPES[schema["type"]](value):
        yield f"{where}: is {json.dumps(value)[:60]}, not of type {schema['type']}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {json.dumps(value)} is none of {', '.join(map(json.dumps, schema['enum']))}"
    for keyword, (holds, fault) in BOUNDS.items():
        if keyword in schema and TYPES["number"](value) and not holds(value, schema[keyword]):
            yield f"{where}: {value} is {fault} {schema[keyword]}"
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{where}: has no {name}"
        known = schema.get("properties", {})
        for name, part in value.items():
            if name in known:
                yield from errors(root, known[name], part, f"{where}.{name}")
            elif "additionalProperties" in schema:
                yield f"{where}: {name} is not described"
    if isinstance(value, list) and "items" in schema:
        for i, part in enumerate(value):
            yield from errors(root, schema["items"], part, f"{where}[{i}]")


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", help="the JSON file to check, - for standard input")
    parser.add_argument("--schema", default=here.parent.parent / "docs" / "report-schema.json")
    options = parser.parse_args()
    try:
        schema = json.loads(pathlib.Path(options.schema).read_text(encoding="utf-8"))
        check_schema(schema, schema)
    except (OSError, ValueError, BadSchema) as error:
        print(f"{options.schema}: {error}", file=sys.stderr)
        return 2
    try:
        data = sys.stdin.buffer.read() if options.file == "-" else pathlib.Path(options.file).read_bytes()
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=refuse_constant)
    except ValueError as error:
        print(f"{options.file}: no JSON: {error}", file=sys.stderr)
        return 1
    found = list(errors(schema, schema, value))
    for line in found[:20]:
        print(f"{options.file}: {line}", file=sys.stderr)
    if len(found) > 20:
        print(f"{options.file}: ... and {len(found) - 20} more", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
