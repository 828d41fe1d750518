import Foundation

/// Typical model types.
enum Models {
    struct Point: Codable, Equatable {
        var date: String
        var am: Double
        var pm: Double?
    }

    struct Pair: Codable, Equatable {
        var a: Int
        var b: String?
    }

    /// Encodes nothing.
    struct Silent: Encodable {
        func encode(to _: any Encoder) {}
    }

    /// Arrays within arrays, at any depth.
    struct Nested: Codable, Equatable {
        var inside: [Nested]

        init(inside: [Nested]) { self.inside = inside }

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            inside = []
            while !list.isAtEnd { inside.append(try list.decode(Nested.self)) }
        }

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            for element in inside { try list.encode(element) }
        }
    }

    struct Chart: Codable, Equatable {
        var unit: String
        var points: [Point]
    }

    struct Envelope<Payload: Codable & Equatable>: Codable, Equatable {
        var code: String?
        var message: String?
        var status: Int
        var data: Payload?
    }

    struct Numbers: Codable, Equatable {
        var i: Int
        var i8: Int8?
        var i16: Int16?
        var i32: Int32?
        var i64: Int64?
        var u: UInt?
        var u8: UInt8?
        var u16: UInt16?
        var u32: UInt32?
        var u64: UInt64?
        var float: Float?
        var double: Double?
        var decimal: Decimal?
        var isTrue: Bool?
    }

    struct Wide: Codable, Equatable {
        var signed: Int128
        var unsigned: UInt128
    }

    enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case line(Double, Double)
        case nothing
    }

    enum Level: String, Codable { case low, high }
    enum Code: Int, Codable { case zero, one }

    struct Mixed: Codable, Equatable {
        var shapes: [Shape]
        var codes: [Code]
        var byNumber: [Int: String]
        var byName: [String: [Double]]
        var optionals: [Int?]
    }

    struct Known: Codable, Equatable {
        var date: Date
        var data: Data
        var url: URL
        var uuid: UUID
        var decimal: Decimal
    }

    /// A model with more members than the decoder compares pairwise.
    struct Broad: Codable, Equatable {
        var a0: Int, a1: Int, a2: Int, a3: Int, a4: Int, a5: Int, a6: Int, a7: Int, a8: Int, a9: Int
        var b0: Int, b1: Int, b2: Int, b3: Int, b4: Int, b5: Int, b6: Int, b7: Int, b8: Int, b9: Int
    }

    /// Names with common prefixes, with more than eight bytes and with non-ASCII characters.
    struct Names: Codable, Equatable {
        enum CodingKeys: String, CodingKey {
            case short = "measurement"
            case long = "measurementOfTheDay"
            case other = "measurementOfTheNight"
            case korean = "오늘의 체중"
            case quoted = "a\"b\\c/d"
            case empty = ""
        }

        var short: Int
        var long: Int
        var other: Int
        var korean: Int
        var quoted: Int
        var empty: Int?
    }

    struct SnakeNames: Codable, Equatable {
        var firstName: String
        var myURLThing: Int?
        var _private: Int?
        var nested: [String: Int]
        var innerValue: Inner?

        struct Inner: Codable, Equatable { var deepValue: Int }
    }

    indirect enum Tree: Codable, Equatable {
        case leaf
        case node(left: Tree, right: Tree)
    }

    struct List: Codable, Equatable {
        var value: Int
        var next: [List]?
    }

    class Animal: Codable {
        var name: String

        init(name: String) { self.name = name }

        private enum CodingKeys: CodingKey { case name }
    }

    /// Encodes its superclass with a super encoder.
    final class Dog: Animal, Equatable {
        var barks: Int

        init(name: String, barks: Int) {
            self.barks = barks
            super.init(name: name)
        }

        private enum CodingKeys: CodingKey { case barks }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            barks = try container.decode(Int.self, forKey: .barks)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(barks, forKey: .barks)
        }

        static func == (left: Dog, right: Dog) -> Bool {
            left.name == right.name && left.barks == right.barks
        }
    }

    /// Shares one object with its superclass.
    final class Cat: Animal, Equatable {
        var naps: Int

        init(name: String, naps: Int) {
            self.naps = naps
            super.init(name: name)
        }

        private enum CodingKeys: CodingKey { case naps }

        required init(from decoder: any Decoder) throws {
            naps = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .naps)
            try super.init(from: decoder)
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: encoder)
            try container.encode(naps, forKey: .naps)
        }

        static func == (left: Cat, right: Cat) -> Bool { left.name == right.name && left.naps == right.naps }
    }

    /// Decodes and encodes nested containers, some of them out of order.
    struct Flat: Codable, Equatable {
        var id: Int
        var city: String
        var street: String?
        var tags: [String]
        var pair: [Int]

        enum Keys: CodingKey { case id, address, tags, pair }
        enum Address: CodingKey { case city, street }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            let address = try container.nestedContainer(keyedBy: Address.self, forKey: .address)
            var tags = try container.nestedUnkeyedContainer(forKey: .tags)
            city = try address.decode(String.self, forKey: .city)
            id = try container.decode(Int.self, forKey: .id)
            self.tags = []
            if !tags.isAtEnd { self.tags.append(try tags.decode(String.self)) }
            street = try address.decodeIfPresent(String.self, forKey: .street)
            while !tags.isAtEnd { self.tags.append(try tags.decode(String.self)) }
            var pairs = try container.nestedUnkeyedContainer(forKey: .pair)
            var ahead = pairs
            _ = try ahead.nestedUnkeyedContainer()
            var pair = try pairs.nestedUnkeyedContainer()
            self.pair = [try pair.decode(Int.self), pair.count ?? -1, pairs.currentIndex]
            while try !pairs.isAtEnd && !pairs.decodeNil() { self.pair.append(try pairs.decode(Int.self)) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var address = container.nestedContainer(keyedBy: Address.self, forKey: .address)
            var tags = container.nestedUnkeyedContainer(forKey: .tags)
            try address.encode(city, forKey: .city)
            try container.encode(id, forKey: .id)
            for tag in tags.count..<self.tags.count { try tags.encode(self.tags[tag]) }
            var again = container.nestedContainer(keyedBy: Address.self, forKey: .address)
            try again.encodeIfPresent(street, forKey: .street)
            var pairs = container.nestedUnkeyedContainer(forKey: .pair)
            var inner = pairs.nestedUnkeyedContainer()
            for number in pair.prefix(1) { try inner.encode(number) }
            for number in pair.dropFirst(3) { try pairs.encode(number) }
            try inner.encode(city)
        }
    }

    /// A value of one of several kinds. Decoding tries each kind in turn.
    enum Either: Codable, Equatable {
        case number(Double)
        case text(String)
        case list([Either])
        case none

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .none
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .list(try container.decode([Either].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            case .list(let list): try container.encode(list)
            case .none: try container.encodeNil()
            }
        }
    }

    struct Name: Codable, Hashable, CodingKeyRepresentable {
        var text: String

        var codingKey: any CodingKey { AnyKey(text) }

        init(text: String) { self.text = text }

        init?<Key: CodingKey>(codingKey: Key) { text = codingKey.stringValue }
    }
}

/// A value that encodes itself with a closure.
struct EncodedBy: Encodable {
    let body: @Sendable (any Encoder) throws -> Void

    init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }

    func encode(to encoder: any Encoder) throws { try body(encoder) }
}

/// A coding key with any name.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) { nil }
}
