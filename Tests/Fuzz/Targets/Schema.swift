import JSONBytes

@testable import JSONSchema

// No schema traps or hangs the reader, and no value the check. The run over the plan has the verdict of the
// explanation, which reads the schemas word by word. The input is a schema, a line feed, and a value.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSchema(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    guard let text = String(validating: parts[0], as: UTF8.self) else { return 0 }
    let schema: JSONSchema
    do {
        schema = try JSONSchema(json: text)
    } catch {
        for problem in error.problems {
            guard problem.place.line >= 1, problem.place.column >= 1, !problem.message.isEmpty else {
                fatalError("a problem has no place: \(problem)")
            }
        }
        return 0
    }
    guard parts.count > 1, let value = try? JSONFragment(validating: parts[1]) else { return 0 }
    check(schema, value)
    // The memory of a check serves the next one, which has the same verdict.
    check(schema, value)
    return 0
}

private func check(_ schema: JSONSchema, _ value: JSONFragment) {
    let verdict = schema.verdict(on: value)
    let faults = schema.faults(in: value)
    guard faults.count <= 20, (verdict == .accepted) == faults.isEmpty else {
        fatalError("\(verdict) with \(faults.count) faults")
    }
    guard verdict == .accepted || verdict == .refused else { return }
    let told = schema.explanation(of: value)
    guard (verdict == .accepted) == told.isEmpty else { fatalError("\(verdict), but told \(told)") }
    // Told of the values that the run has not passed, and of all values.
    guard faults == told else { fatalError("\(faults), but \(told)") }
    for fault in told {
        guard let pointer = try? JSONPointer(fault.instance), value.value(at: pointer) != nil else {
            fatalError("no value is at \(fault.instance)")
        }
    }
}
