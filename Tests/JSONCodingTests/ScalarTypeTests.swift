import Foundation
import JSONBytes
import JSONCoding
import Testing

/// Tests each type for which containers have their own methods, in each kind of container.
@Suite("Scalar types")
struct ScalarTypeTests {
    struct Members: Codable, Equatable {
        var bool: Bool, string: String, double: Double, float: Float
        var int: Int, int8: Int8, int16: Int16, int32: Int32, int64: Int64, int128: Int128
        var uint: UInt, uint8: UInt8, uint16: UInt16, uint32: UInt32, uint64: UInt64, uint128: UInt128
    }

    struct OptionalMembers: Codable, Equatable {
        var bool: Bool?, string: String?, double: Double?, float: Float?
        var int: Int?, int8: Int8?, int16: Int16?, int32: Int32?, int64: Int64?, int128: Int128?
        var uint: UInt?, uint8: UInt8?, uint16: UInt16?, uint32: UInt32?, uint64: UInt64?, uint128: UInt128?
    }

    /// Writes all values twice into an array, so that reading a value twice is detected.
    struct Elements: Codable {
        var members: Members

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            var rounds: [Members] = []
            while !list.isAtEnd {
                #expect(list.currentIndex == rounds.count * 16)
                rounds.append(
                    Members(
                        bool: try list.decode(Bool.self), string: try list.decode(String.self),
                        double: try list.decode(Double.self), float: try list.decode(Float.self),
                        int: try list.decode(Int.self), int8: try list.decode(Int8.self),
                        int16: try list.decode(Int16.self), int32: try list.decode(Int32.self),
                        int64: try list.decode(Int64.self), int128: try list.decode(Int128.self),
                        uint: try list.decode(UInt.self), uint8: try list.decode(UInt8.self),
                        uint16: try list.decode(UInt16.self), uint32: try list.decode(UInt32.self),
                        uint64: try list.decode(UInt64.self), uint128: try list.decode(UInt128.self)))
            }
            #expect(rounds.count == 2 && rounds.first == rounds.last)
            members = try #require(rounds.first)
        }

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            for round in 1...2 {
                try list.encode(members.bool)
                try list.encode(members.string)
                try list.encode(members.double)
                try list.encode(members.float)
                try list.encode(members.int)
                try list.encode(members.int8)
                try list.encode(members.int16)
                try list.encode(members.int32)
                try list.encode(members.int64)
                try list.encode(members.int128)
                try list.encode(members.uint)
                try list.encode(members.uint8)
                try list.encode(members.uint16)
                try list.encode(members.uint32)
                try list.encode(members.uint64)
                try list.encode(members.uint128)
                #expect(list.count == round * 16)
            }
        }
    }

    private static let names = [
        "bool", "string", "double", "float", "int", "int8", "int16", "int32", "int64", "int128", "uint",
        "uint8", "uint16", "uint32", "uint64", "uint128",
    ]

    /// The JSON of values at both ends of the types' ranges.
    private static let values = [
        [
            "true", "\"a\"", "0.25", "-1.5", "-9223372036854775808", "-128", "-32768", "-2147483648",
            "-9223372036854775808", "-170141183460469231731687303715884105728", "0", "0", "0", "0", "0", "0",
        ],
        [
            "false", "\"\"", "-1e-300", "3.4028235e+38", "9223372036854775807", "127", "32767", "2147483647",
            "9223372036854775807", "170141183460469231731687303715884105727", "18446744073709551615", "255",
            "65535", "4294967295", "18446744073709551615", "340282366920938463463374607431768211455",
        ],
    ]

    private static func object(_ values: [String]) -> String {
        "{" + zip(names, values).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    @Test(
        "Each type works as a member, an optional member, an element and a top-level value", arguments: values
    )
    func eachType(_ values: [String]) throws {
        let (decoder, encoder) = (JSONBytesDecoder(), JSONBytesEncoder())
        let object = Array(Self.object(values).utf8)
        let members = try decoder.decode(Members.self, from: object)
        #expect(try encoder.encode(members).bytes == object[...])
        let optional = try decoder.decode(OptionalMembers.self, from: object)
        #expect(try encoder.encode(optional).bytes == object[...])

        let list = Array("[\((values + values).joined(separator: ","))]".utf8)
        let elements = try decoder.decode(Elements.self, from: list)
        #expect(elements.members == members)
        #expect(try encoder.encode(elements).bytes == list[...])

        func check<Value: Codable & Equatable>(_ value: Value, _ text: String) throws {
            let array = Array("[\(text),\(text)]".utf8)
            #expect(try decoder.decode([Value].self, from: array) == [value, value])
            #expect(try encoder.encode([value, value]).bytes == array[...])
            #expect(try encoder.encode(value).description == text)
            #expect(try encoder.encode([value, nil]).description == "[\(text),null]")
        }
        try check(members.bool, values[0])
        try check(members.string, values[1])
        try check(members.double, values[2])
        try check(members.float, values[3])
        try check(members.int, values[4])
        try check(members.int8, values[5])
        try check(members.int16, values[6])
        try check(members.int32, values[7])
        try check(members.int64, values[8])
        try check(members.int128, values[9])
        try check(members.uint, values[10])
        try check(members.uint8, values[11])
        try check(members.uint16, values[12])
        try check(members.uint32, values[13])
        try check(members.uint64, values[14])
        try check(members.uint128, values[15])
    }

    @Test("A null or missing optional member of any type is nil")
    func nullMembers() throws {
        let decoder = JSONBytesDecoder()
        let nulls = Self.object(Self.names.map { _ in "null" })
        let empty = OptionalMembers()
        #expect(try decoder.decode(OptionalMembers.self, from: Array(nulls.utf8)) == empty)
        #expect(try decoder.decode(OptionalMembers.self, from: Array("{}".utf8)) == empty)
        #expect(try JSONBytesEncoder().encode(empty).description == "{}")
    }

    @Test("Decoding a value beyond the range of its type fails with an error that names the member")
    func beyondTheRange() throws {
        for (place, text) in [
            (5, "128"), (5, "-129"), (6, "32768"), (7, "2147483648"), (8, "9223372036854775808"),
            (9, "170141183460469231731687303715884105728"), (10, "-1"), (11, "256"), (12, "65536"),
            (13, "4294967296"), (14, "18446744073709551616"),
            (15, "340282366920938463463374607431768211456"), (15, "-1"), (3, "1e39"), (2, "1e309"),
        ] {
            var values = Self.values[0]
            values[place] = text
            let object = Array(Self.object(values).utf8)
            #expect {
                _ = try JSONBytesDecoder().decode(Members.self, from: object)
            } throws: { error in
                guard case DecodingError.dataCorrupted(let context) = error else { return false }
                return context.codingPath.map(\.stringValue) == [Self.names[place]]
                    && context.debugDescription.hasPrefix("The number \(text) does not fit in ")
            }
        }
    }
}
