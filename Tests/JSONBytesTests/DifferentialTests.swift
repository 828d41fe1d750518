import Foundation
import JSONBytes
import Testing

/// Our verdict beside that of Foundation's `JSONSerialization`.
///
/// Known differences. Foundation takes what RFC 8259 does not: UTF-16 and UTF-32, a comma
/// behind the last element or member. It takes more than our limits: 512 levels of nesting, numbers of any length.
/// It refuses what the RFC has: lone surrogate escapes, numbers that no `Double` holds. It reads numbers of many
/// digits as decimals whose way to a `Double` is some units in the last place off. The generator makes no
/// marks, no NUL bytes and no such nesting; the others are told apart below, one by one.
@Suite("Beside Foundation")
struct DifferentialTests {
    private func foundationAccepts(_ bytes: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    }

    /// Whether the verdicts differ for a reason of the list above.
    private func isKnownDifference(_ bytes: [UInt8], _ ours: JSONError?) throws -> Bool {
        if let ours {
            let isBehindComma = bytes[..<ours.offset].last { $0 > 0x20 } == UInt8(ascii: ",")
            switch ours.reason {
            case .missingValue: return isBehindComma && bytes[ours.offset] == UInt8(ascii: "]")
            case .missingKey: return isBehindComma && bytes[ours.offset] == UInt8(ascii: "}")
            default: return false
            }
        }
        return hasWhatFoundationRefuses(try JSONFragment(validating: bytes[...]))
    }

    /// A number beyond `Double`, or half a surrogate pair, which we read as U+FFFD.
    private func hasWhatFoundationRefuses(_ value: JSONFragment) -> Bool {
        switch value.kind {
        case .null, .bool: false
        case .number: value.doubleValue == nil
        case .string: value.stringValue?.unicodeScalars.contains("\u{FFFD}") == true
        case .array: value.elements.contains(where: hasWhatFoundationRefuses)
        case .object:
            value.members.contains {
                $0.name.unicodeScalars.contains("\u{FFFD}") || hasWhatFoundationRefuses($0.value)
            }
        }
    }

    @Test("Damaged documents are refused and accepted alike", arguments: 0..<8)
    func damagedDocumentsAreRefusedAndAcceptedAlike(_ seed: Int) throws {
        var generator = DocumentGenerator(seed: UInt64(seed))
        var refused = 0
        for _ in 0..<2500 {
            let bytes = generator.damagedDocument()
            let ours = ValidationTests.error(bytes[...])
            if ours != nil { refused += 1 }
            guard (ours == nil) != foundationAccepts(bytes) else { continue }
            let isKnown = try isKnownDifference(bytes, ours)
            #expect(isKnown, "\(String(decoding: bytes, as: UTF8.self)): \(String(describing: ours))")
        }
        #expect(refused > 1000 && refused < 2400, "the damage must be neither hopeless nor harmless")
    }

    @Test("Documents mean the same, value by value", arguments: 0..<4)
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
            // Of several members with one name Foundation keeps one it does not name; ours is the last.
            guard ours.members.filter({ $0.name == name }).count == 1 else { return true }
            guard let member = ours[member: name], member == ours.value(at: pointer) else { return false }
            return agree(member, value)
        }
    }
}
