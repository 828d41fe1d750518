"""Generates schemas with all words, references and recursion, and values that nearly follow them."""
import random

NAMES = ["a", "b", "c", "ab", "foo", "aé", "longer_name_1", "longer_name_2", "a name of many bytes", ""]
PATTERNS = ["^a", "b$", "o", "^[a-c]+$", "^.{2,}$", "[0-9]", "^(a|b)*$", "é", "^$", "name"]
TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"]
SCALARS = [
    None, True, False, 0, 1, 2, 3, 5, -1, 1.0, 1.5, 0.3, 10, 100, 12345678901234567890, 2**53, "", "a", "b", "ab", "foo", "1", "aé",
    "日本語", "😀", 0.1, -2.5, 1e3, 1e18, -0.0, "a\"b", "a\\b", "\u0000", "longer_name_1",
]
COUNTS = [0, 0, 1, 1, 2, 3]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.words = {
            "type": lambda depth: self.pick([self.pick(TYPES), self.random.sample(TYPES, 2), self.random.sample(TYPES, 3)]),
            "const": lambda depth: self.any_value(2),
            "enum": lambda depth: [self.any_value(1) for _ in range(self.random.randint(1, 4))],
            "minimum": lambda depth: self.pick([0, 1, 2, 1.5, -1, 0.3, 1e18]),
            "maximum": lambda depth: self.pick([0, 1, 2, 1.5, 10, -2.5]),
            "exclusiveMinimum": lambda depth: self.pick([0, 1, 1.5, -1]),
            "exclusiveMaximum": lambda depth: self.pick([1, 2, 100, 0.1]),
            "multipleOf": lambda depth: self.pick([1, 2, 0.5, 3, 10, 1.5]),
            "minLength": lambda depth: self.pick(COUNTS), "maxLength": lambda depth: self.pick(COUNTS),
            "pattern": lambda depth: self.pick(PATTERNS),
            "minItems": lambda depth: self.pick(COUNTS), "maxItems": lambda depth: self.pick(COUNTS),
            "uniqueItems": lambda depth: self.random.random() < 0.9,
            "minProperties": lambda depth: self.pick(COUNTS), "maxProperties": lambda depth: self.pick(COUNTS),
            "required": lambda depth: self.random.sample(NAMES, self.random.randint(0, 2)),
            "items": self.part, "contains": self.part, "properties": self.named, "patternProperties": self.patterned,
            "additionalProperties": self.part, "propertyNames": self.part, "allOf": self.list, "anyOf": self.list, "oneOf": self.list,
            "not": self.part, "if": self.part, "then": self.part, "else": self.part, "$ref": lambda depth: self.reference(),
        }
        self.scalars = [word for word in self.words if self.words[word].__name__ == "<lambda>" and word != "$ref"]
        self.weights = ["properties", "anyOf", "oneOf", "allOf", "if", "$ref", "contains", "type"]
        self.draft = "2020-12"
        self.only2020 = {
            "prefixItems": self.list, "minContains": lambda depth: self.pick([0, 0, 1, 2]), "maxContains": lambda depth: self.pick([0, 1, 2]),
            "dependentRequired": lambda depth: {self.pick(NAMES): self.random.sample(NAMES, self.random.randint(0, 2))},
            "dependentSchemas": self.named,
            "unevaluatedProperties": lambda depth: self.part(depth) if self.random.random() < 0.4 else False,
            "unevaluatedItems": lambda depth: self.part(depth) if self.random.random() < 0.4 else False,
            "$dynamicRef": lambda depth: self.pick(["#node", "#node", "#/$defs/x", "tree#node"]),
        }
        self.only7 = {
            "items": lambda depth: self.pick([self.part, self.list])(depth), "additionalItems": self.part,
            "dependencies": lambda depth: {
                self.pick(NAMES): self.pick([self.part(depth), self.random.sample(NAMES, self.random.randint(0, 2))])},
        }

    def pick(self, list):
        return self.random.choice(list)

    # Schemas

    def schema(self):
        """Returns a schema of either draft, with definitions to which it refers."""
        is7 = self.random.random() < 0.25
        self.draft = "7" if is7 else "2020-12"
        own = {**self.words, **(self.only7 if is7 else self.only2020)}
        self.all = own
        self.choices = list(own) + self.weights + ([] if is7 else ["unevaluatedProperties", "unevaluatedItems"] * 2)
        schema = self.part(self.pick([2, 3, 3, 4]))
        if not isinstance(schema, dict):
            schema = {"allOf": [schema]}
        definitions = "definitions" if is7 else "$defs"
        schema[definitions] = {name: self.part(2) for name in "xyz"}
        if is7:
            schema["$schema"] = "http://json-schema.org/draft-07/schema#"
            schema.pop("$ref", None)
        elif self.random.random() < 0.3:
            # A tree that others extend: dynamic anchors at the root and in an embedded resource.
            schema["$id"] = "https://example.com/root"
            schema["$dynamicAnchor"] = "node"
            tree = self.part(2)
            tree = tree if isinstance(tree, dict) else {"allOf": [tree]}
            schema["$defs"]["tree"] = {**tree, "$id": "tree", "$dynamicAnchor": "node", "properties": {"a": {"$dynamicRef": "#node"}}}
        return self.without_lost_references(schema, schema)

    def without_lost_references(self, schema, root):
        """Removes dynamic references whose anchors the schema does not declare."""
        if isinstance(schema, list):
            return [self.without_lost_references(part, root) for part in schema]
        if not isinstance(schema, dict):
            return schema
        if schema.get("$dynamicRef") in ("#node", "tree#node") and "$dynamicAnchor" not in root:
            schema = {word: value for word, value in schema.items() if word != "$dynamicRef"}
        return {
            word: value if word in ("const", "enum") else self.without_lost_references(value, root) for word, value in schema.items()}

    def reference(self):
        definitions = "definitions" if self.draft == "7" else "$defs"
        return self.pick([f"#/{definitions}/x", f"#/{definitions}/y", f"#/{definitions}/z", "#"])

    def part(self, depth):
        chance = self.random.random()
        if depth <= 0 and chance < 0.5 or chance < 0.06:
            return self.pick([True, False, {}, {"type": self.pick(TYPES)}, {"minLength": 1}, {"minimum": 1}])
        if chance < 0.12:
            return {"$ref": self.reference()}
        schema = {}
        for _ in range(self.random.randint(1, 4)):
            word = self.pick(self.choices if depth > 0 else self.scalars)
            schema[word] = self.all[word](depth - 1)
        if "if" in schema and self.random.random() < 0.7:
            schema.setdefault("then", self.part(depth - 1))
        if self.draft == "7" and "$ref" in schema:
            schema = {"$ref": schema["$ref"]}
        return schema

    def list(self, depth):
        return [self.part(depth) for _ in range(self.random.randint(1, 3))]

    def named(self, depth):
        return {self.pick(NAMES): self.part(depth) for _ in range(self.random.randint(1, 3))}

    def patterned(self, depth):
        return {self.pick(PATTERNS): self.part(depth) for _ in range(self.random.randint(1, 3))}

    # Values

    def any_value(self, depth):
        chance = self.random.random()
        if depth <= 0 or chance < 0.55:
            return self.pick(SCALARS)
        if chance < 0.77:
            return [self.any_value(depth - 1) for _ in range(self.random.randint(0, 4))]
        return {self.pick(NAMES): self.any_value(depth - 1) for _ in range(self.random.randint(0, 4))}

    def value(self, schema):
        """Returns a value that often follows the schema."""
        return self.following(schema, schema, 5) if self.random.random() < 0.8 else self.any_value(3)

    def following(self, schema, root, depth):
        if not isinstance(schema, dict) or depth <= 0 or self.random.random() < 0.07:
            return self.any_value(min(depth, 2))
        if "const" in schema and self.random.random() < 0.8:
            return schema["const"]
        if schema.get("enum") and self.random.random() < 0.8:
            return self.pick(schema["enum"])
        others = [part for word in ("allOf", "anyOf", "oneOf") for part in schema.get(word, [])]
        others += [schema[word] for word in ("then", "else", "if") if word in schema]
        if "$ref" in schema:
            target = root
            for name in schema["$ref"].split("/")[1:]:
                target = target.get(name, {}) if isinstance(target, dict) else {}
            others.append(target)
        if others and self.random.random() < 0.5:
            other = self.following(self.pick(others), root, depth - 1)
            if isinstance(other, dict) and self.random.random() < 0.5:
                other = {**other, **self.members(schema, root, depth)}
            return other
        types = schema.get("type", None) or self.likely_types(schema)
        kind = self.pick(types if isinstance(types, list) else [types])
        if kind == "object":
            return self.members(schema, root, depth)
        if kind == "array":
            return self.elements(schema, root, depth)
        if kind == "string":
            return self.pick([value for value in SCALARS if isinstance(value, str)])
        if kind in ("number", "integer"):
            bound = self.pick([schema[word] for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") if word in schema] or [1])
            return self.pick([bound, bound + 1, bound - 1, bound * 2, 0, 5, -0.0, 2.0])
        return None if kind == "null" else self.pick([True, False])

    def likely_types(self, schema):
        likely = []
        for words, kind in (
            (("properties", "required", "patternProperties", "additionalProperties", "propertyNames", "minProperties", "maxProperties",
              "dependentSchemas", "dependentRequired", "dependencies", "unevaluatedProperties"), "object"),
            (("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems", "additionalItems"), "array"),
            (("minLength", "maxLength", "pattern"), "string"),
            (("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"), "number"),
        ):
            if any(word in schema for word in words):
                likely.append(kind)
        return likely or TYPES

    def members(self, schema, root, depth):
        value = {}
        properties = schema.get("properties", {})
        for name in [*schema.get("required", []), *properties]:
            if self.random.random() < 0.8:
                value[name] = self.following(properties.get(name, {}), root, depth - 1)
        for _ in range(self.pick([0, 0, 1, 2])):
            value[self.pick(NAMES)] = self.following(schema.get("additionalProperties", {}), root, depth - 1)
        return value

    def elements(self, schema, root, depth):
        first = schema.get("prefixItems", schema.get("items") if isinstance(schema.get("items"), list) else [])
        rest = schema.get("items", {})
        value = [self.following(part, root, depth - 1) for part in first]
        for _ in range(self.pick([0, 1, 2, 3])):
            value.append(self.following(self.pick([rest, schema.get("contains", {})]), root, depth - 1))
        if value and self.random.random() < 0.2:
            value.append(self.pick(value))
        return value
