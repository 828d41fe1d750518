/// The metaschemas of both drafts, without words that only describe.
///
/// From <https://json-schema.org/draft/2020-12/schema>, its vocabularies, and
/// <http://json-schema.org/draft-07/schema>.
enum Metaschemas {
    /// Returns the metaschema of that URI, which has no fragment.
    static func source(_ uri: String) -> SchemaCatalog.Source? {
        texts[uri].map { .json(Array($0.utf8)[...]) }
    }

    private static let texts = [
        "https://json-schema.org/draft/2020-12/schema": #"""
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://json-schema.org/draft/2020-12/schema",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/core": true,
        "https://json-schema.org/draft/2020-12/vocab/applicator": true,
        "https://json-schema.org/draft/2020-12/vocab/unevaluated": true,
        "https://json-schema.org/draft/2020-12/vocab/validation": true,
        "https://json-schema.org/draft/2020-12/vocab/meta-data": true,
        "https://json-schema.org/draft/2020-12/vocab/format-annotation": true,
        "https://json-schema.org/draft/2020-12/vocab/content": true}, "$dynamicAnchor": "meta",
        "allOf": [{"$ref": "meta/core"}, {"$ref": "meta/applicator"}, {"$ref": "meta/unevaluated"},
        {"$ref": "meta/validation"}, {"$ref": "meta/meta-data"}, {"$ref": "meta/format-annotation"},
        {"$ref": "meta/content"}], "type": ["object", "boolean"],
        "properties": {"definitions": {"$comment": "\"definitions\" has been replaced by \"$defs\".",
        "type": "object", "additionalProperties": {"$dynamicRef": "#meta"}, "deprecated": true,
        "default": {}}, "dependencies": {"type": "object",
        "additionalProperties": {"anyOf": [{"$dynamicRef": "#meta"},
        {"$ref": "meta/validation#/$defs/stringArray"}]}, "deprecated": true},
        "$recursiveAnchor": {"$ref": "meta/core#/$defs/anchorString", "deprecated": true},
        "$recursiveRef": {"$ref": "meta/core#/$defs/uriReferenceString", "deprecated": true}}}
        """#,
        "https://json-schema.org/draft/2020-12/meta/applicator": #"""
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://json-schema.org/draft/2020-12/meta/applicator",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/applicator": true},
        "$dynamicAnchor": "meta", "type": ["object", "boolean"],
        "properties": {"prefixItems": {"$ref": "#/$defs/schemaArray"}, "items": {"$dynamicRef": "#meta"},
        "contains": {"$dynamicRef": "#meta"}, "additionalProperties": {"$dynamicRef": "#meta"},
        "properties": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}, "default": {}},
        "patternProperties": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"},
        "propertyNames": {}}, "dependentSchemas": {"type": "object",
        "additionalProperties": {"$dynamicRef": "#meta"}}, "propertyNames": {"$dynamicRef": "#meta"},
        "if": {"$dynamicRef": "#meta"}, "then": {"$dynamicRef": "#meta"}, "else": {"$dynamicRef": "#meta"},
        "allOf": {"$ref": "#/$defs/schemaArray"}, "anyOf": {"$ref": "#/$defs/schemaArray"},
        "oneOf": {"$ref": "#/$defs/schemaArray"}, "not": {"$dynamicRef": "#meta"}},
        "$defs": {"schemaArray": {"type": "array", "minItems": 1, "items": {"$dynamicRef": "#meta"}}}}
        """#,
        "https://json-schema.org/draft/2020-12/meta/content": #"""
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://json-schema.org/draft/2020-12/meta/content",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/content": true},
        "$dynamicAnchor": "meta", "type": ["object", "boolean"],
        "properties": {"contentEncoding": {"type": "string"}, "contentMediaType": {"type": "string"},
        "contentSchema": {"$dynamicRef": "#meta"}}}
        """#,
        "https://json-schema.org/draft/2020-12/meta/core": #"""
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://json-schema.org/draft/2020-12/meta/core",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/core": true}, "$dynamicAnchor": "meta",
        "type": ["object", "boolean"], "properties": {"$id": {"$ref": "#/$defs/uriReferenceString",
        "pattern": "^[^#]*#?$"}, "$schema": {"$ref": "#/$defs/uriString"},
        "$ref": {"$ref": "#/$defs/uriReferenceString"}, "$anchor": {"$ref": "#/$defs/anchorString"},
        "$dynamicRef": {"$ref": "#/$defs/uriReferenceString"},
        "$dynamicAnchor": {"$ref": "#/$defs/anchorString"}, "$vocabulary": {"type": "object",
        "propertyNames": {"$ref": "#/$defs/uriString"}, "additionalProperties": {"type": "boolean"}},
        "$comment": {"type": "string"}, "$defs": {"type": "object",
        "additionalProperties": {"$dynamicRef": "#meta"}}}, "$defs": {"anchorString": {"type": "string",
        "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"}, "uriString": {"type": "string"},
        "uriReferenceString": {"type": "string"}}}
        """#,
        "https://json-schema.org/draft/2020-12/meta/format-annotation": #"""
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://json-schema.org/draft/2020-12/meta/format-annotation",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/format-annotation": true},
        "$dynamicAnchor": "meta", "type": ["object", "boolean"],
        "properties": {"format": {"type": "string"}}}
        """#,
        "https://json-schema.org/draft/2020-12/meta/format-assertion": #"""
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://json-schema.org/draft/2020-12/meta/format-assertion",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/format-assertion": true},
        "$dynamicAnchor": "meta", "type": ["object", "boolean"],
        "properties": {"format": {"type": "string"}}}
        """#,
        "https://json-schema.org/draft/2020-12/meta/meta-data": #"""
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://json-schema.org/draft/2020-12/meta/meta-data",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/meta-data": true},
        "$dynamicAnchor": "meta", "type": ["object", "boolean"], "properties": {"title": {"type": "string"},
        "description": {"type": "string"}, "default": true, "deprecated": {"type": "boolean"},
        "readOnly": {"type": "boolean"}, "writeOnly": {"type": "boolean"}, "examples": {"type": "array",
        "items": true}}}
        """#,
        "https://json-schema.org/draft/2020-12/meta/unevaluated": #"""
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://json-schema.org/draft/2020-12/meta/unevaluated",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/unevaluated": true},
        "$dynamicAnchor": "meta", "type": ["object", "boolean"],
        "properties": {"unevaluatedItems": {"$dynamicRef": "#meta"},
        "unevaluatedProperties": {"$dynamicRef": "#meta"}}}
        """#,
        "https://json-schema.org/draft/2020-12/meta/validation": #"""
        {"$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://json-schema.org/draft/2020-12/meta/validation",
        "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/validation": true},
        "$dynamicAnchor": "meta", "type": ["object", "boolean"],
        "properties": {"type": {"anyOf": [{"$ref": "#/$defs/simpleTypes"}, {"type": "array",
        "items": {"$ref": "#/$defs/simpleTypes"}, "minItems": 1, "uniqueItems": true}]}, "const": true,
        "enum": {"type": "array", "items": true}, "multipleOf": {"type": "number", "exclusiveMinimum": 0},
        "maximum": {"type": "number"}, "exclusiveMaximum": {"type": "number"},
        "minimum": {"type": "number"}, "exclusiveMinimum": {"type": "number"},
        "maxLength": {"$ref": "#/$defs/nonNegativeInteger"},
        "minLength": {"$ref": "#/$defs/nonNegativeIntegerDefault0"}, "pattern": {"type": "string"},
        "maxItems": {"$ref": "#/$defs/nonNegativeInteger"},
        "minItems": {"$ref": "#/$defs/nonNegativeIntegerDefault0"}, "uniqueItems": {"type": "boolean"},
        "maxContains": {"$ref": "#/$defs/nonNegativeInteger"},
        "minContains": {"$ref": "#/$defs/nonNegativeInteger"},
        "maxProperties": {"$ref": "#/$defs/nonNegativeInteger"},
        "minProperties": {"$ref": "#/$defs/nonNegativeIntegerDefault0"},
        "required": {"$ref": "#/$defs/stringArray"}, "dependentRequired": {"type": "object",
        "additionalProperties": {"$ref": "#/$defs/stringArray"}}},
        "$defs": {"nonNegativeInteger": {"type": "integer", "minimum": 0},
        "nonNegativeIntegerDefault0": {"$ref": "#/$defs/nonNegativeInteger"},
        "simpleTypes": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
        "stringArray": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}}}
        """#,
        "http://json-schema.org/draft-07/schema": #"""
        {"$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "http://json-schema.org/draft-07/schema#", "definitions": {"schemaArray": {"type": "array",
        "minItems": 1, "items": {"$ref": "#"}}, "nonNegativeInteger": {"type": "integer", "minimum": 0},
        "nonNegativeIntegerDefault0": {"allOf": [{"$ref": "#/definitions/nonNegativeInteger"}, {}]},
        "simpleTypes": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
        "stringArray": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}},
        "type": ["object", "boolean"], "properties": {"$id": {"type": "string"},
        "$schema": {"type": "string"}, "$ref": {"type": "string"}, "$comment": {"type": "string"},
        "title": {"type": "string"}, "description": {"type": "string"}, "default": true,
        "readOnly": {"type": "boolean"}, "examples": {"type": "array", "items": true},
        "multipleOf": {"type": "number", "exclusiveMinimum": 0}, "maximum": {"type": "number"},
        "exclusiveMaximum": {"type": "number"}, "minimum": {"type": "number"},
        "exclusiveMinimum": {"type": "number"}, "maxLength": {"$ref": "#/definitions/nonNegativeInteger"},
        "minLength": {"$ref": "#/definitions/nonNegativeIntegerDefault0"}, "pattern": {"type": "string"},
        "additionalItems": {"$ref": "#"}, "items": {"anyOf": [{"$ref": "#"},
        {"$ref": "#/definitions/schemaArray"}]}, "maxItems": {"$ref": "#/definitions/nonNegativeInteger"},
        "minItems": {"$ref": "#/definitions/nonNegativeIntegerDefault0"},
        "uniqueItems": {"type": "boolean"}, "contains": {"$ref": "#"},
        "maxProperties": {"$ref": "#/definitions/nonNegativeInteger"},
        "minProperties": {"$ref": "#/definitions/nonNegativeIntegerDefault0"},
        "required": {"$ref": "#/definitions/stringArray"}, "additionalProperties": {"$ref": "#"},
        "definitions": {"type": "object", "additionalProperties": {"$ref": "#"}, "default": {}},
        "properties": {"type": "object", "additionalProperties": {"$ref": "#"}, "default": {}},
        "patternProperties": {"type": "object", "additionalProperties": {"$ref": "#"}, "propertyNames": {}},
        "dependencies": {"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#"},
        {"$ref": "#/definitions/stringArray"}]}}, "propertyNames": {"$ref": "#"}, "const": true,
        "enum": {"type": "array", "items": true}, "type": {"anyOf": [{"$ref": "#/definitions/simpleTypes"},
        {"type": "array", "items": {"$ref": "#/definitions/simpleTypes"}, "minItems": 1,
        "uniqueItems": true}]}, "format": {"type": "string"}, "contentMediaType": {"type": "string"},
        "contentEncoding": {"type": "string"}, "if": {"$ref": "#"}, "then": {"$ref": "#"},
        "else": {"$ref": "#"}, "allOf": {"$ref": "#/definitions/schemaArray"},
        "anyOf": {"$ref": "#/definitions/schemaArray"}, "oneOf": {"$ref": "#/definitions/schemaArray"},
        "not": {"$ref": "#"}}}
        """#,
    ]
}
