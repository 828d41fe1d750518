package import JSONSchema

/// A schema of `schemas`.
package struct NamedSchema: Sendable {
    package var name: Located<String>
    package var schema: Schema

    package init(_ name: Located<String>, _ schema: Schema) {
        self.name = name
        self.schema = schema
    }
}

/// What a JSON value must be.
package struct Schema: Sendable {
    package var check: JSONSchema
    package var place: ConfigPlace

    package init(_ check: JSONSchema, at place: ConfigPlace = .code) {
        self.check = check
        self.place = place
    }
}
