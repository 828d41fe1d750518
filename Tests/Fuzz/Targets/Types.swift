import Foundation
import JSONBytes
import JSONCoding

// Hostile JSON decoded into every supported kind of type, with each date strategy. Nothing may trap. All
// integer types agree on a number's value, decoded values have a description, and they encode to valid JSON.

/// Runs the target with one input of the fuzzer. Returns 0, as libFuzzer expects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTypes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let document = try? JSONFragment(validating: bytes[...]) else { return 0 }
    for (decoder, encoder) in coders {
        checkIntegers(document, decoder)
        for check in checks { check(document, decoder, encoder) }
    }
    return 0
}

// MARK: - Strategies

private let coders: [(JSONBytesDecoder, JSONBytesEncoder)] = {
    let dates: [(JSONDecoder.DateDecodingStrategy, JSONEncoder.DateEncodingStrategy)] = [
        (.deferredToDate, .deferredToDate), (.secondsSince1970, .secondsSince1970),
        (.millisecondsSince1970, .millisecondsSince1970), (.iso8601, .iso8601),
        (
            .custom { Date(timeIntervalSince1970: Double(try $0.singleValueContainer().decode(Int.self))) },
            .iso8601
        ),
    ]
    return dates.enumerated().map { place, date in
        var decoder = JSONBytesDecoder()
        var encoder = JSONBytesEncoder()
        decoder.dateDecodingStrategy = date.0
        encoder.dateEncodingStrategy = date.1
        if place % 2 == 1 {
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            encoder.keyEncodingStrategy = .convertToSnakeCase
            decoder.dataDecodingStrategy = .deferredToData
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        }
        return (decoder, encoder)
    }
}()

// MARK: - Integers

private func checkIntegers(_ document: JSONFragment, _ decoder: JSONBytesDecoder) {
    let values = document.kind == .array ? document.elements : [document]
    for value in values.prefix(64) where value.kind == .number {
        let signed = try? decoder.decode(Int128.self, from: value)
        let unsigned = try? decoder.decode(UInt128.self, from: value)
        if let signed, signed >= 0, unsigned != UInt128(signed) { fatalError("\(value) has two values") }
        func check<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) {
            let number = try? decoder.decode(type, from: value)
            let expected = signed.flatMap { Number(exactly: $0) } ?? unsigned.flatMap { Number(exactly: $0) }
            guard number == expected else { fatalError("\(value) has another value as \(type)") }
        }
        check(Int.self)
        check(Int8.self)
        check(Int16.self)
        check(Int32.self)
        check(Int64.self)
        check(UInt.self)
        check(UInt8.self)
        check(UInt16.self)
        check(UInt32.self)
        check(UInt64.self)
        // Double is exact below 2^53.
        if let signed, signed.magnitude < 1 << 53, let double = try? decoder.decode(Double.self, from: value),
            double != Double(signed)
        {
            fatalError("\(value) has another value as Double")
        }
    }
}

// MARK: - Types

private typealias Check = @Sendable (JSONFragment, JSONBytesDecoder, JSONBytesEncoder) -> Void

private func check<Model: Codable & SendableMetatype>(_ type: Model.Type) -> Check {
    { document, decoder, encoder in
        guard let value = try? decoder.decode(type, from: document) else { return }
        guard !"\(value)".isEmpty || type == String.self else {
            fatalError("a \(type) without a description")
        }
        guard let text = try? encoder.encode(value) else { return }
        guard (try? JSONFragment(validating: Array(text.bytes)[...])) == text else {
            fatalError("\(type): encoded as invalid JSON")
        }
    }
}

private let checks: [Check] =
    [
        check(Float.self), check(Double.self), check(Decimal.self), check(Bool.self), check(String.self),
        check(Date.self), check(URL.self), check(UUID.self), check(Data.self),
        check([Int?].self), check([[UInt8]].self), check([Double].self), check([Decimal].self),
        check([Date?].self),
        check([URL].self), check([UUID].self), check([Data].self), check([String].self), check(Set<Int>.self),
        check([String: Int128].self), check([Int: Float].self), check([String: [String: Date]].self),
        check([Int: [Decimal?]].self), check(ClosedRange<Int>.self), check(Range<Double>.self),
    ] + [
        check(Scalars.self), check([Scalars].self), check([String: Scalars].self), check(Nested.self),
        check(Choice.self), check([Choice].self), check(Level.self), check([Level].self), check(Tree.self),
        check(Unkeyed.self), check(Child.self), check(Looked.self),
    ]

private struct Scalars: Codable {
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var int128: Int128?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var uint128: UInt128?
    var float: Float?
    var double: Double?
    var decimal: Decimal?
    var bool: Bool?
    var string: String?
    var date: Date?
    var url: URL?
    var uuid: UUID?
    var data: Data?
}

private struct Nested: Codable {
    var first: Scalars
    var list: [Scalars]?
    var map: [String: [Int: Scalars]]?
    var optional: Int??
}

private enum Choice: Codable {
    case int(Int8)
    case pair(UInt64, name: Decimal?)
    case date(Date)
    case none
}

private enum Level: Int16, Codable { case low = -1, middle = 0, high = 32_767 }

private indirect enum Tree: Codable {
    case leaf(Int)
    case branch([Tree])

    init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() {
            var trees: [Tree] = []
            while !list.isAtEnd { trees.append(try list.decode(Tree.self)) }
            self = .branch(trees)
        } else {
            self = .leaf(try decoder.singleValueContainer().decode(Int.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .leaf(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .branch(let trees):
            var container = encoder.unkeyedContainer()
            for tree in trees { try container.encode(tree) }
        }
    }
}

/// Reads elements of any kind through nested containers, then reads past the end.
private struct Unkeyed: Codable {
    var count = 0

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        while !list.isAtEnd {
            if var inner = try? list.nestedUnkeyedContainer() {
                _ = try? inner.decode(UInt64.self)
                _ = try? inner.superDecoder().singleValueContainer().decode(Decimal.self)
            } else if let inner = try? list.nestedContainer(keyedBy: Key.self) {
                for key in inner.allKeys { _ = try? inner.decodeIfPresent(Int32.self, forKey: key) }
            } else if (try? list.decodeNil()) != true, (try? list.decode(Double.self)) == nil {
                _ = try list.superDecoder()
            }
            count += 1
        }
        _ = try? list.decode(Int.self)
        _ = try? list.superDecoder()
    }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(count)
    }
}

private class Parent: Codable {
    var id: UInt32?
}

private final class Child: Parent {
    var at: Date?

    private enum CodingKeys: String, CodingKey { case at }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        at = try container.decodeIfPresent(Date.self, forKey: .at)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(at, forKey: .at)
        try super.encode(to: container.superEncoder())
    }
}

/// Tries to decode each member as many types.
private struct Looked: Codable {
    var found = 0

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for key in container.allKeys.prefix(32) {
            if (try? container.decode(Int128.self, forKey: key)) != nil { found += 1 }
            if (try? container.decode(UInt8.self, forKey: key)) != nil { found += 1 }
            if (try? container.decode(Float.self, forKey: key)) != nil { found += 1 }
            if (try? container.decode(Date.self, forKey: key)) != nil { found += 1 }
            if (try? container.decode(UUID.self, forKey: key)) != nil { found += 1 }
            if (try? container.decode(Level.self, forKey: key)) != nil { found += 1 }
            if let nested = try? container.nestedContainer(keyedBy: Key.self, forKey: key) {
                found += nested.allKeys.count
            }
            if var list = try? container.nestedUnkeyedContainer(forKey: key), !list.isAtEnd {
                found += (try? list.decode(Int16.self)) == nil ? 0 : 1
            }
            _ = try? container.superDecoder(forKey: key).singleValueContainer().decode(Decimal.self)
        }
        _ = try? container.decode(Int.self, forKey: Key("absent"))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(found)
    }
}

private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
