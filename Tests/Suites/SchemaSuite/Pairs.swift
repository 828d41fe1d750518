import Foundation
import JSONBytes
import JSONSchema

/// Judges what another program generates, so that a third one can compare.
enum Pairs {
    /// Reads lines `{"schema": SCHEMA, "data": [VALUE, ...]}`. Answers with a line for each: a letter for
    /// each value, `T` or `F`, or `X` if run and explanation differ; or what is wrong with the schema.
    static func judge(_ options: SchemaOptions) {
        while let line = readLine() {
            defer { fflush(nil) }
            guard let pair = try? JSONFragment(parsing: line, limits: JSONLimits(maxDepth: 128)),
                let text = pair[member: "schema"]?.description
            else {
                print("error: not a pair")
                continue
            }
            do {
                let schema = try JSONSchema(json: text, options: options)
                let letters = (pair[member: "data"]?.elements ?? []).map { value in
                    let accepts = schema.accepts(value)
                    return schema.explanation(of: value).isEmpty == accepts ? accepts ? "T" : "F" : "X"
                }
                print(letters.joined())
            } catch {
                print("error: \(error.problems.first?.message ?? "")")
            }
        }
    }
}
