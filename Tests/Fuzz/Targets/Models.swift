import Foundation
import JSONBytes
import JSONCoding

// Models decode, or fail to decode, as with Foundation's decoder, except for the documented differences.
// Decoded models survive a round trip through JSON.

private struct Point: Codable, Equatable {
    var date: String
    var am: Double
    var pm: Float?
    var a: [Point]?
}

private struct Numbers: Codable, Equatable {
    var a: Int
    var b: UInt8?
    var data: [Int64]?
    var c: Decimal?
    var d: Bool?
}

private struct Known: Codable, Equatable {
    var a: Date?
    var b: Data?
    var c: URL?
    var d: UUID?
}

private enum Choice: Codable, Equatable {
    case a(Int, b: String?)
    case data([Choice])
}

private indirect enum Anything: Codable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([Anything])
    case object([String: Anything])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([Anything].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: Anything].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzModels(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    // The attempts of `Anything` grow as two to the power of the depth.
    guard (try? JSONFragment(validating: bytes[...], limits: JSONLimits(maxDepth: 12))) != nil else {
        return 0
    }
    for strategy in 0..<2 {
        var ours = JSONBytesDecoder()
        let theirs = JSONDecoder()
        if strategy == 1 {
            ours.keyDecodingStrategy = .convertFromSnakeCase
            theirs.keyDecodingStrategy = .convertFromSnakeCase
            ours.dateDecodingStrategy = .iso8601
            theirs.dateDecodingStrategy = .iso8601
        }
        check(Point.self, bytes, ours, theirs)
        check([Numbers].self, bytes, ours, theirs)
        check(Numbers.self, bytes, ours, theirs)
        check(Known.self, bytes, ours, theirs)
        check(Choice.self, bytes, ours, theirs)
        check([String: [Int]].self, bytes, ours, theirs)
        check(Anything.self, bytes, ours, theirs)
    }
    return 0
}

private func check<Model: Codable & Equatable>(
    _ type: Model.Type, _ bytes: [UInt8], _ ours: JSONBytesDecoder, _ theirs: JSONDecoder
) {
    let our = try? ours.decode(type, from: bytes)
    // Known differences: canonically equivalent text, lone surrogates, fractions that Double cannot
    // represent, and `0e3`.
    let isPlain =
        bytes.allSatisfy { $0 < 0x80 && $0 != 0 } && !bytes.contains(UInt8(ascii: "\\"))
        && !hasLostFraction(bytes)
    if isPlain {
        let their = try? theirs.decode(type, from: Data(bytes))
        let isKnown = our != nil && type == [String: [Int]].self && hasRepeatedName(bytes)
        guard (our == nil) == (their == nil) || type == Anything.self || isKnown else {
            fatalError("\(type): only ours \(our == nil ? "refuses" : "accepts") it")
        }
        if let our, let their, type != Anything.self {
            guard our == their else { fatalError("\(type): Foundation decodes something else") }
        }
    }
    guard let our else { return }
    var encoder = JSONBytesEncoder()
    encoder.outputFormatting = bytes.count % 2 == 0 ? [.sortedKeys] : [.prettyPrinted]
    // Dates that are not finite cannot be encoded.
    guard let text = try? encoder.encode(our) else { return }
    guard let valid = try? JSONFragment(validating: Array(text.bytes)[...]), valid == text else {
        fatalError("\(type): encoded as invalid JSON")
    }
    guard let again = try? JSONBytesDecoder().decode(type, from: text), again == our else {
        fatalError("\(type): does not round-trip")
    }
}

/// Whether an object repeats a name, possibly through a key strategy. Foundation decodes both values into a
/// dictionary.
private func hasRepeatedName(_ bytes: [UInt8]) -> Bool {
    guard let object = try? JSONFragment(validating: bytes[...]) else { return false }
    let names = object.members.map { $0.name.lowercased().filter { $0 != "_" } }
    return Set(names).count < names.count
}

/// Whether a fraction, or text that looks like one, has too many digits for Double, underflows to zero, or is
/// a zero with an exponent: Foundation refuses `0e3` as a Double.
private func hasLostFraction(_ bytes: [UInt8]) -> Bool {
    bytes.split(whereSeparator: { !"0123456789+-.eE".utf8.contains($0) }).contains { number in
        guard number.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) else {
            return false
        }
        let isNothing = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy { !(0x31...0x39 ~= $0) }
        if isNothing, number.contains(where: { $0 | 0x20 == 0x65 }) { return true }
        return number.count > 15 || !isNothing && Double(String(decoding: number, as: UTF8.self)) == 0
    }
}
