import Foundation
import Testing

/// A message and its verdict from a data file under `Vectors`. `Vectors/README.md` describes the format.
struct Vector: Sendable, CustomTestStringConvertible {
    var file: String
    var name: String
    var bytes: [UInt8] = []
    var verdict: [String] = []
    var method = "GET"
    var finishes = false

    var testDescription: String { "\(file): \(name)" }

    static let requests = read("Requests")
    static let responses = read("Responses")

    private static func read(_ folder: String) -> [Vector] {
        guard let root = Bundle.module.resourceURL?.appendingPathComponent("Vectors/\(folder)"),
            let files = try? FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
        else { fatalError("the folder of vectors \(folder) is missing") }
        return files.flatMap { file in
            guard let text = try? String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
            else {
                fatalError("the vectors \(file) are not readable")
            }
            return parse(text, file: file)
        }
    }

    private static func parse(_ text: String, file: String) -> [Vector] {
        var vectors: [Vector] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("-- ") {
                vectors.append(Vector(file: file, name: String(line.dropFirst(3))))
                continue
            }
            guard let last = vectors.indices.last else {
                fatalError("\(file):\(number + 1): a message begins with --")
            }
            switch line.prefix(2) {
            case "> ", ">": vectors[last].bytes += unescape(line.dropFirst(2)) + [0x0d, 0x0a]
            case "+ ": vectors[last].bytes += unescape(line.dropFirst(2))
            case "= ":
                vectors[last].verdict.append(String(decoding: unescapeText(line.dropFirst(2)), as: UTF8.self))
            case "me": vectors[last].method = String(line.dropFirst("method ".count))
            case "fi": vectors[last].finishes = true
            default: fatalError("\(file):\(number + 1): unknown line: \(line)")
            }
        }
        return vectors
    }

    /// Expands repetitions but keeps escapes, to match the escaped text of a transcript.
    private static func unescapeText(_ text: Substring) -> [UInt8] {
        expand(Array(text.utf8)[...], escapes: false)
    }

    private static func unescape(_ text: Substring) -> [UInt8] {
        expand(Array(text.utf8)[...], escapes: true)
    }

    private static func expand(_ text: ArraySlice<UInt8>, escapes: Bool) -> [UInt8] {
        var rest = text
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "{") {
                guard let star = rest.firstIndex(of: UInt8(ascii: "*")),
                    let count = Int(String(decoding: rest[..<star], as: UTF8.self))
                else { fatalError("a { without N*: \(String(decoding: text, as: UTF8.self))") }
                var depth = 1
                let end = rest[star...].firstIndex { byte in
                    depth += byte == UInt8(ascii: "{") ? 1 : byte == UInt8(ascii: "}") ? -1 : 0
                    return depth == 0
                }
                guard let end else { fatalError("a { is not closed") }
                let piece = expand(rest[(star + 1)..<end], escapes: escapes)
                for _ in 0..<count { bytes += piece }
                rest = rest[(end + 1)...]
            } else if escapes, byte == UInt8(ascii: "\\") {
                switch rest.popFirst() {
                case UInt8(ascii: "r"): bytes.append(0x0d)
                case UInt8(ascii: "n"): bytes.append(0x0a)
                case UInt8(ascii: "t"): bytes.append(0x09)
                case UInt8(ascii: "0"): bytes.append(0)
                case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
                case UInt8(ascii: "x"):
                    let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                    guard let value = UInt8(digits, radix: 16) else {
                        fatalError("unknown escape: \\x\(digits)")
                    }
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                case let other: fatalError("unknown escape: \\\(other.map { String($0) } ?? "")")
                }
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

/// Returns the bytes escaped as in the data files.
func escaped(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        switch byte {
        case 0x0d: text += "\\r"
        case 0x0a: text += "\\n"
        case 0x09: text += "\\t"
        case 0: text += "\\0"
        case 0x5c: text += "\\\\"
        case 0x20..<0x7f: text.unicodeScalars.append(Unicode.Scalar(byte))
        default: text += "\\x" + String(format: "%02x", byte)
        }
    }
    return text
}
