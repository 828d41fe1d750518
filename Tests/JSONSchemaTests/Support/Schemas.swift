import JSONBytes

@testable import JSONSchema

/// A schema and values, as tests write them.
func accepts(_ schema: String, _ value: String, _ options: SchemaOptions = SchemaOptions()) throws -> Bool {
    let schema = try JSONSchema(json: schema, options: options)
    let value = try JSONFragment(parsing: value, limits: JSONLimits(maxDepth: 1000, maxNumberLength: 1000))
    let accepts = schema.accepts(value)
    // The explanation reads the schemas and not the plan.
    precondition(schema.explanation(of: value).isEmpty == accepts, "run and explanation differ")
    return accepts
}

/// The faults of a value: `/lines/0/count minimum`.
func faults(_ schema: String, _ value: String) throws -> [String] {
    try JSONSchema(json: schema).faults(in: try JSONFragment(parsing: value)).map {
        "\($0.instance) \($0.keyword)"
    }
}

/// The problems of a schema, one line each; empty if it is a schema.
func problems(
    _ schema: String, documents: [String: String] = [:], _ options: SchemaOptions = SchemaOptions()
) -> [String] {
    do throws(JSONSchemaError) {
        _ = try JSONSchema(json: schema, documents: documents, options: options)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// What a bound says beyond it, and the measured work.
func measured(
    _ schema: String, _ value: String, bounds: SchemaBounds = SchemaBounds(), depth: Int = 64
) throws -> (verdict: SchemaRun.Verdict, work: Int, windows: Int, stop: Int) {
    var options = SchemaOptions()
    options.bounds = bounds
    let schema = try JSONSchema(json: schema, options: options)
    let value = try JSONFragment(parsing: value, limits: JSONLimits(maxDepth: depth))
    return schema.measured(value)
}
