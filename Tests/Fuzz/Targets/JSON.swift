import Foundation
@_spi(Reading) import JSONBytes

// The JSON scanner must not trap or overflow. Its verdict does not depend on the address, and equals
// Foundation's except for the differences listed below. Valid documents stay valid when cut and joined again.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))[...]
    write(bytes)
    let document: JSONFragment
    do throws(JSONError) {
        document = try JSONFragment(validating: bytes)
    } catch {
        compareFailure(error, of: bytes)
        return 0
    }
    compareDocument(document, bytes)

    // Each cut value is a valid document, and its pointer finds it.
    let members = document.members
    for (name, value) in members {
        guard let again = try? JSONFragment(validating: value.bytes), again == value else {
            fatalError("the member \(name) is cut wrong")
        }
        let pointer = JSONPointer(members: [name])
        guard let found = document.value(at: pointer), found == document[member: name],
            let last = members.last(where: { $0.name.utf8.elementsEqual(name.utf8) }), last.value == found
        else { fatalError("the member \(name) is not found by its pointer") }
        guard (try? JSONPointer(pointer.description)) == pointer else {
            fatalError("the pointer \(pointer) does not round-trip")
        }
    }
    for (place, value) in document.elements.enumerated() {
        guard document[element: place] == value,
            document.value(at: JSONPointer(members: ["\(place)"])) == value
        else { fatalError("element \(place) is cut wrong") }
    }
    guard let captured = try? JSONScanner.scan(bytes, capturing: names), captured.document == document else {
        fatalError("valid, but refused while capturing members")
    }
    for (place, name) in ["a", "data", "\u{c624}\u{b298}", "fddDate\"12"].enumerated()
    where captured[place] != document[member: name] {
        fatalError("the member \(name) is captured wrong")
    }

    compose(document)
    shape(document)
    return 0
}

private let names = JSONMemberNames("a", "data", "\u{c624}\u{b298}", "fddDate\"12")

/// A document composed into another one stays valid and byte for byte the same.
private func compose(_ document: JSONFragment) {
    for sharedFragmentLength in [1, 64, .max] {
        var composer = JSONComposer(sharedFragmentLength: sharedFragmentLength)
        composer.beginObject()
        composer.key("a")
        composer.fragment(document)
        composer.key("b\\\u{1f}\"")
        composer.beginArray()
        composer.fragment(document)
        composer.string(document.description)
        composer.endArray()
        composer.endObject()
        let joined = Array(composer.finish().joined())[...]
        // The composer adds two levels.
        guard let whole = try? JSONFragment(validating: joined, limits: JSONLimits(maxDepth: 66)),
            whole[member: "a"] == document, let list = whole[member: "b\\\u{1f}\""], list.elements.count == 2,
            list[element: 0] == document, list[element: 1]?.stringValue == document.description
        else { fatalError("composed wrong") }
    }
}

/// The members that a shape keeps and those that it drops are the object's, each with its value.
private func shape(_ document: JSONFragment) {
    let members = document.members
    guard let name = members.last?.name else { return }
    let quoted = name.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    guard let path = try? JSONMemberPath("['\(quoted)']"), let kept = try? document.keep(path),
        let dropped = try? document.drop(path), let renamed = try? document.rename([path: "\u{1}new"]),
        let joined = try? dropped.join(kept)
    else { fatalError("the member \(name) is refused") }
    func named(_ member: (name: String, value: JSONFragment)) -> Bool {
        member.name.utf8.elementsEqual(name.utf8)
    }
    guard kept.members.map(\.value) == members.filter(named).map(\.value),
        dropped.members.map(\.value) == members.filter({ !named($0) }).map(\.value),
        name == "\u{1}new" || renamed[member: "\u{1}new"] == document[member: name],
        joined.members.map(\.value) == dropped.members.map(\.value) + kept.members.map(\.value)
    else { fatalError("the member \(name) is shaped wrong: \(kept), \(dropped), \(renamed), \(joined)") }
    for shaped in [kept, dropped, renamed, joined] {
        guard (try? JSONFragment(validating: shaped.bytes)) == shaped else {
            fatalError("not JSON: \(shaped)")
        }
    }
}

/// Text and numbers survive a round trip.
private func write(_ bytes: ArraySlice<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
        let fragment = JSONFragment(string: text)
        guard let read = try? JSONFragment(validating: fragment.bytes),
            read.stringValue?.utf8.elementsEqual(text.utf8) == true
        else { fatalError("text does not round-trip: \(fragment)") }
    }
    var bits: UInt64 = 0
    for byte in bytes.prefix(8) { bits = bits << 8 | UInt64(byte) }
    let number = Int(truncatingIfNeeded: bits)
    let double = Double(bitPattern: bits)
    let places = Int(bytes.last ?? 0) % 24
    var composer = JSONComposer()
    composer.beginArray()
    composer.int(number)
    composer.double(double)
    composer.fixed(number, places: places)
    composer.endArray()
    let list = composer.fragment()
    guard (try? JSONFragment(validating: list.bytes)) == list, list[element: 0]?.intValue == number,
        double.isFinite ? list[element: 1]?.doubleValue == double : list[element: 1]?.isNull == true,
        list[element: 2]?.description == decimal(number, places)
    else { fatalError("\(number) and \(double) do not round-trip: \(list)") }
}

private func decimal(_ scaled: Int, _ places: Int) -> String {
    var digits = String(scaled.magnitude)
    digits = String(repeating: "0", count: max(places + 1 - digits.count, 0)) + digits
    let sign = scaled < 0 ? "-" : ""
    return sign + (places == 0 ? digits : digits.dropLast(places) + "." + digits.suffix(places))
}

/// Scans the same bytes at another address, between other bytes, which must not matter.
private func elsewhere(_ bytes: ArraySlice<UInt8>) -> Result<JSONFragment, JSONError> {
    let before = Array(#"[{"a":"\"#.utf8)
    let after = Array(#"0"}],1e5 "#.utf8)
    let around = before + bytes + after
    return Result { () throws(JSONError) in
        try JSONFragment(validating: around[before.count..<around.count - after.count])
    }
}

// Known differences. Foundation accepts input that RFC 8259 forbids: UTF-16 and UTF-32 (detected by byte
// order marks and zeros) and a trailing comma. It exceeds our limits: deeper nesting and numbers of any
// length. It refuses input that the RFC allows: lone surrogates, which we read as U+FFFD, and numbers outside
// the range of Double.

private func compareFailure(_ error: JSONError, of bytes: ArraySlice<UInt8>) {
    guard case .failure(error) = elsewhere(bytes) else { fatalError("another verdict elsewhere: \(error)") }
    guard 0...bytes.count ~= error.offset else { fatalError("error offset outside the document: \(error)") }
    guard !bytes.contains(0), foundationReads(bytes) != nil else { return }
    let isBehindComma = bytes[..<error.offset].last { $0 > 0x20 } == UInt8(ascii: ",")
    switch error.reason {
    case .depthExceeded, .numberTooLong: return
    case .missingValue where isBehindComma && bytes[error.offset] == UInt8(ascii: "]"): return
    case .missingKey where isBehindComma && bytes[error.offset] == UInt8(ascii: "}"): return
    default: fatalError("refused, but Foundation accepts it: \(error)")
    }
}

private func compareDocument(_ document: JSONFragment, _ bytes: ArraySlice<UInt8>) {
    guard case .success(document) = elsewhere(bytes) else { fatalError("another verdict elsewhere") }
    guard String(validating: bytes, as: UTF8.self) != nil else { fatalError("accepted, but not UTF-8") }
    guard !bytes.contains(0), !hasWhatFoundationRefuses(document) else { return }
    guard let theirs = foundationReads(bytes) else { fatalError("accepted, but Foundation refuses it") }
    guard agree(document, theirs) else { fatalError("Foundation reads something else: \(theirs)") }
}

private func foundationReads(_ bytes: ArraySlice<UInt8>) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
}

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

/// Foundation reads long numbers as decimals. The conversion to Double loses one unit in the last place per
/// power of ten.
private func agree(_ ours: Double?, _ theirs: Double?) -> Bool {
    guard let ours, let theirs else { return false }
    return abs(ours - theirs) <= 1024 * max(ours.ulp, theirs.ulp)
}

private func agree(_ ours: [JSONFragment], _ theirs: [Any]?) -> Bool {
    guard let theirs, ours.count == theirs.count else { return false }
    return zip(ours, theirs).allSatisfy { agree($0, $1) }
}

/// If members have canonically equivalent names, Foundation keeps an unspecified one, and we keep the last.
private func agree(_ ours: JSONFragment, _ theirs: [String: Any]?) -> Bool {
    let members = ours.members
    guard let theirs, Set(members.map(\.name)) == Set(theirs.keys) else { return false }
    let counts = Dictionary(members.map { ($0.name, 1) }, uniquingKeysWith: +)
    return members.allSatisfy { name, value in
        guard counts[name] == 1, let their = theirs[name] else { return true }
        return agree(value, their)
    }
}
