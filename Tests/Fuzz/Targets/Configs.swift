// Files of gateways. Nothing may trap. A file is accepted or has an error, and each problem lies inside the
// file. An accepted file has the same values when it is written as JSON, which leaves nothing to YAML's
// styles, anchors and merges, and nothing to variables. Its plan and its OpenAPI description are the same,
// too, unless variables hide something there, and `listen` read alone equals the whole file's.
// sources: Tests/Fuzz/Configs
// seeds: docker/examples Tests/GatewayConfigTests/Complaints Tests/GatewayConfigTests/Examples

import EndpointPlans
import JSONBytes

@testable import GatewayConfig

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfigs(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let source = OneFile(bytes: bytes)
    let reading = ConfigReading.read("f", from: source)
    check(reading.problems, bytes)
    guard (reading.document == nil) == reading.problems.contains(where: { $0.severity == .error }) else {
        fatalError("neither accepted nor refused: \(reading.problems)")
    }
    let unread = ConfigReading.read("f", from: source, mode: .staticCheck)
    check(unread.problems, bytes)
    guard let document = reading.document else { return 0 }
    guard let same = unread.document else { fatalError("accepted only with variables: \(unread)") }
    let hasVariables = !document.variableTexts.isEmpty
    guard hasVariables || ValueText(same) == ValueText(document) else {
        fatalError("without variables there is nothing to leave unread: \(unread)")
    }
    checkOutput(document, bytes, source)
    return 0
}

private struct OneFile: ConfigSource {
    let bytes: [UInt8]

    func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
        switch path {
        case "f": return bytes
        case "/secret": return Array("80\n".utf8)
        default: throw ConfigSourceError("no such file")
        }
    }

    func paths(matching pattern: String) throws(ConfigSourceError) -> [String] { [] }

    func variable(_ name: String) -> String? { name == "PORT" ? "81" : nil }
}

// MARK: - Problems

private func check(_ problems: [ConfigProblem], _ bytes: [UInt8]) {
    guard !problems.isEmpty else { return }
    let isText = String(validating: bytes, as: UTF8.self) != nil
    let lengths = lineLengths(bytes)
    for problem in problems {
        guard !problem.message.isEmpty, !problem.message.contains("\n"), problem.file == "f",
            1...lengths.count ~= problem.line, problem.column >= 1,
            !isText || problem.column <= lengths[problem.line - 1] + 1
        else { fatalError("outside of the file: \(problem)") }
    }
}

/// The characters of each line. YAML 1.1, which libyaml reads, has five line breaks.
private func lineLengths(_ bytes: [UInt8]) -> [Int] {
    var lengths = [0]
    var previous: Unicode.Scalar?
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    for scalar in String(decoding: hasMark ? bytes.dropFirst(3) : bytes[...], as: UTF8.self).unicodeScalars {
        if scalar == "\n", previous == "\r" {
            // The end of the same line break.
        } else if ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar) {
            lengths.append(0)
        } else {
            lengths[lengths.count - 1] += 1
        }
        previous = scalar
    }
    return lengths
}

// MARK: - Values

private func checkOutput(_ document: ConfigDocument, _ bytes: [UInt8], _ source: OneFile) {
    let (plan, openAPI) = output(document)
    guard let plain = PlainFile.text(of: bytes, source) else { return }
    let again = ConfigReading.read("f", from: OneFile(bytes: Array(plain.utf8)))
    guard let written = again.document else { fatalError("refused as JSON: \(again.problems)\n\(plain)") }
    var expected = document
    expected.variableTexts = [:]
    // The bytes are others.
    expected.hash = written.hash
    guard ValueText(written) == ValueText(expected) else {
        fatalError("other values as JSON:\n\(plain)\n\(ValueText(expected).text)\n\(ValueText(written).text)")
    }
    guard document.variableTexts.isEmpty else { return }
    guard output(written) == (plan, openAPI) else {
        fatalError("another plan or description as JSON:\n\(plain)")
    }
}

private func output(_ document: ConfigDocument) -> (plan: String, openAPI: String) {
    guard let plans = try? EndpointReport.plans(of: document),
        plans.count == document.endpoints.count + document.proxies.count
    else {
        fatalError("not every endpoint has a plan")
    }
    let openAPI = OpenAPIText.make(document)
    for text in [String(decoding: EndpointReport.json(plans), as: UTF8.self), openAPI] {
        if (try? JSONFragment(parsing: text)) == nil { fatalError("no JSON: \(text)") }
    }
    // The lines are other ones in JSON.
    let plan = plans.map { plan in
        switch plan {
        case .calls(let plan):
            "\(plan.parts)\(plan.steps)\(plan.chain)\(plan.worst)\(plan.slowest)\(plan.calls)"
        case .proxy(let plan):
            "\(plan.upstream)\(plan.upstreamPath)\(plan.rows)\(plan.firstByte)\(plan.deadline)\(plan.calls)"
        }
    }
    return (plan.joined(separator: "\n"), openAPI)
}
