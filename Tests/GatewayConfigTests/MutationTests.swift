import Testing

@testable import GatewayConfig

@Suite("Broken files never crash the reader")
struct MutationTests {
    private func read(_ bytes: [UInt8]) -> ConfigReading {
        ConfigReading.read("f", from: BytesSource(bytes: bytes))
    }

    private struct BytesSource: ConfigSource {
        let bytes: [UInt8]

        func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
            path == "f" ? bytes : Array("secret".utf8)
        }

        func paths(matching pattern: String) throws(ConfigSourceError) -> [String] { [] }
        func variable(_ name: String) -> String? { nil }
    }

    /// A document or an error, and each problem inside the file.
    private func check(_ bytes: [UInt8], _ what: @autoclosure () -> String) {
        let reading = read(bytes)
        let hasErrors = reading.problems.contains { $0.severity == .error }
        guard (reading.document == nil) == hasErrors,
            reading.problems.allSatisfy({
                $0.line >= 1 && $0.column >= 1 && $0.line <= 60 && !$0.message.isEmpty
            })
        else {
            Issue.record("\(what()): \(reading.lines)")
            return
        }
    }

    @Test("Every prefix of the examples is read or refused", arguments: ["diary", "profile"])
    func prefixes(name: String) throws {
        let bytes = Array(try Fixture.text("Examples/\(name).yaml").utf8)
        for count in bytes.indices { check(Array(bytes[..<count]), "prefix \(count)") }
    }

    @Test("Every byte of the examples is replaced, removed and doubled", arguments: ["diary", "profile"])
    func bytes(name: String) throws {
        let bytes = Array(try Fixture.text("Examples/\(name).yaml").utf8)
        let others = Array("{}[]:,\"'#&*!|>%@- \n\t$<~0a\u{0}".utf8) + [0x80, 0xC3, 0xFF]
        for index in bytes.indices {
            // Each byte gets one of the others, so that all are tried without a hundred thousand files.
            var changed = bytes
            changed[index] = others[index * 7 % others.count]
            check(changed, "byte \(index) is \(changed[index])")
            check(Array(bytes[..<index] + bytes[(index + 1)...]), "without byte \(index)")
            check(Array(bytes[...index] + bytes[index...]), "twice byte \(index)")
        }
    }
}
