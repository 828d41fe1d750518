import Foundation
import JSONBytes
import Testing

/// Compares our validation with Foundation's `JSONSerialization`.
///
/// Known differences: Foundation accepts UTF-16, UTF-32 and a comma after the last element or member, which
/// RFC 8259 does not allow. It has wider limits: 512 levels of nesting, and numbers of any length. It rejects
/// lone surrogate escapes and numbers beyond `Double`, which the RFC allows. Its numbers with many digits may
/// be off by a few units in the last place. The generator makes no byte order marks, no NUL bytes and no deep
/// nesting. The tests recognize each of the other differences.
@Suite("Comparison with Foundation")
struct DifferentialTests {
    private func foundationAccepts(_ bytes: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    }

    /// Whether the results differ for one of the reasons above.
    private func isKnownDifference(_ bytes: [UInt8], _ ours: JSONError?) throws -> Bool {
        if let ours {
            let isAfterComma = bytes[..<ours.offset].last { $0 > 0x20 } == UInt8(ascii: ",")
            switch ours.reason {
            case .missingValue: return isAfterComma && bytes[ours.offset] == UInt8(ascii: "]")
            case .missingKey: return isAfterComma && bytes[ours.offset] == UInt8(ascii: "}")
            default: return false
            }
        }
        return hasValueThatFoundationRejects(try JSONFragment(validating: bytes[...]))
    }

    /// Whether there is a number beyond `Double`, or a lone surrogate, which we decode as U+FFFD.
    private func hasValueThatFoundationRejects(_ value: JSONFragment) -> Bool {
        switch value.kind {
        case .null, .bool: false
        case .number: value.doubleValue == nil
        case .string: value.stringValue?.unicodeScalars.contains("\u{FFFD}") == true
        case .array: value.elements.contains(where: hasValueThatFoundationRejects)
        case .object:
            value.members.contains {
                $0.name.unicodeScalars.contains("\u{FFFD}") || hasValueThatFoundationRejects($0.value)
            }
        }
    }

    @Test("Both parsers accept and reject the same damaged documents", arguments: 0..<8)
    func damagedDocuments(_ seed: Int) throws {
        var generator = DocumentGenerator(seed: UInt64(seed))
        var rejected = 0
        for _ in 0..<2500 {
            let bytes = generator.damagedDocument()
            let ours = ValidationTests.error(bytes[...])
            if ours != nil { rejected += 1 }
            guard (ours == nil) != foundationAccepts(bytes) else { continue }
            let isKnown = try isKnownDifference(bytes, ours)
            #expect(isKnown, "\(String(decoding: bytes, as: UTF8.self)): \(String(describing: ours))")
        }
        #expect(rejected > 1000 && rejected < 2400, "the generator damaged too few or too many documents")
    }

    @Test("Both parsers read the same values from a document", arguments: 0..<4)
    func documentsMeanTheSame(_ seed: Int) throws {
        var generator = DocumentGenerator(seed: UInt64(1000 + seed))
        for _ in 0..<1000 {
            let bytes = generator.document()
            let fragment = try JSONFragment(validating: bytes[...])
            let theirs = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            #expect(agree(fragment, theirs), "\(fragment)")
        }
    }

    private func agree(_ ours: JSONFragment, _ theirs: Any) -> Bool {
        switch ours.kind {
        case .null: theirs is NSNull
        case .bool: ours.boolValue == theirs as? Bool
        case .number: agree(ours.doubleValue, (theirs as? NSNumber)?.doubleValue)
        case .string: ours.stringValue == theirs as? String
        case .array: agree(ours.elements, theirs as? [Any])
        case .object: agree(ours, theirs as? [String: Any])
        }
    }

    private func agree(_ ours: Double?, _ theirs: Double?) -> Bool {
        guard let ours, let theirs else { return false }
        return abs(ours - theirs) <= 8 * max(ours.ulp, theirs.ulp)
    }

    private func agree(_ ours: [JSONFragment], _ theirs: [Any]?) -> Bool {
        guard let theirs, ours.count == theirs.count else { return false }
        return zip(ours, theirs).allSatisfy { agree($0, $1) }
    }

    private func agree(_ ours: JSONFragment, _ theirs: [String: Any]?) -> Bool {
        guard let theirs, Set(ours.members.map(\.name)) == Set(theirs.keys) else { return false }
        return theirs.allSatisfy { name, value in
            let pointer = JSONPointer(members: [name])
            // Foundation does not document which member it keeps if a name is repeated. We keep the last.
            guard ours.members.filter({ $0.name == name }).count == 1 else { return true }
            guard let member = ours[member: name], member == ours.value(at: pointer) else { return false }
            return agree(member, value)
        }
    }
}
