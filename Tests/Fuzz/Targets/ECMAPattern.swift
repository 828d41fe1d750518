@testable import JSONSchema

// No pattern traps the parser, PCRE2 accepts what it writes, and a pattern matched in one pass matches
// what PCRE2 matches. The input is a pattern, a line feed, and a text.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzECMAPattern(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    guard let source = String(validating: parts[0], as: UTF8.self), source.utf8.count <= 8192 else {
        return 0
    }
    let text = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
    let pattern: ECMAPattern
    do throws(ECMAPatternParser.Failure) {
        pattern = try ECMAPattern(source)
    } catch {
        guard (1...source.unicodeScalars.count + 1).contains(error.character), !error.message.isEmpty else {
            fatalError("a failure has no place: \(error)")
        }
        return 0
    }
    let outcome = match(pattern, text)
    guard pattern.isSimple, outcome != .exceedsLimits else { return 0 }
    // A group makes the same pattern one for PCRE2.
    guard let grouped = try? ECMAPattern("(\(source))") else { fatalError("a group is refused: \(source)") }
    let other = match(grouped, text)
    guard grouped.isSimple || other == .exceedsLimits || other == outcome else {
        fatalError("\(source) \(outcome) \(text), with PCRE2 \(other)")
    }
    return 0
}

private nonisolated(unsafe) var memory: PatternMemory?

private func match(_ pattern: ECMAPattern, _ text: String) -> ECMAPattern.Outcome {
    var budget = PatternBudget(.seconds(1))
    return Array(text.utf8).withUnsafeBytes { pattern.match($0, &memory, &budget) }
}
