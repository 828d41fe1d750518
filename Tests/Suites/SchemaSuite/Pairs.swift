import Foundation
import JSONBytes
import JSONSchema

/// Judges what another program generates, so that a third one can compare.
enum Pairs {
    /// Reads lines `{"schema": SCHEMA, "data": [VALUE, ...]}`. Answers with a line for each: a letter for
    /// each value, or what is wrong with the schema.
    ///
    /// The letters: `T` or `F`, `C` if the check costs more than its bound, and `X` if the run and the
    /// explanation, or `accepts` and `faults`, differ.
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
                print((pair[member: "data"]?.elements ?? []).map { letter(of: $0, schema) }.joined())
            } catch {
                print("error: \(error.problems.first?.message ?? "")")
            }
        }
    }

    private static func letter(of value: JSONFragment, _ schema: JSONSchema) -> String {
        let accepts = schema.accepts(value)
        let faults = schema.faults(in: value)
        guard faults.isEmpty == accepts else { return "X" }
        if faults.first?.rule.hasPrefix("a text that takes less work") == true { return "C" }
        if faults.first?.rule.hasPrefix("a value that takes less work") == true {
            // An explanation without a fault of its own may hide that it differs from the run.
            return schema.explanation(of: value).isEmpty ? "X" : "C"
        }
        // The explanation of all values tells the same faults as the one that begins where the run has
        // stopped.
        guard schema.explanation(of: value) == faults else { return "X" }
        return accepts ? "T" : "F"
    }
}
