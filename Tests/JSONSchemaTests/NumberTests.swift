@_spi(Reading) import JSONBytes
import Testing

@testable import JSONSchema

@Suite("Numbers, exactly")
struct NumberTests {
    private func order(_ left: String, _ right: String) -> Int {
        let bound = DecimalBound(Array(right.utf8))
        return Array(left.utf8).withUnsafeBytes { bytes in
            SchemaRun.reading(bytes) { reader in
                var index = 0
                let value = Decimal(reader, at: &index)
                precondition(index == bytes.count, "not read to the end")
                return value.compare(with: bound, in: reader).signum()
            }
        }
    }

    @Test(
        "Numbers are compared by all of their digits",
        arguments: [
            ("1", "1.0", 0), ("1e2", "100", 0), ("0.00", "-0", 0), ("-1", "1", -1), ("-2", "-1", -1),
            ("1e400", "1e399", 1), ("123456789012345678901234567890", "123456789012345678901234567891", -1),
            ("0.1234567890123456789012345", "0.12345678901234567890123450", 0), ("1.5", "1.49999", 1),
            ("-1e-400", "0", -1), ("9007199254740993", "9007199254740992", 1), ("12e-1", "1.2", 0),
            ("1e1000000000000000000000000", "1e5", 1), ("1e-1000000000000000000000000", "1e-5", -1),
            ("1234567890123456789.5", "1234567890123456789", 1), ("100000000000000000000", "1e20", 0),
        ])
    func comparison(left: String, right: String, expected: Int) {
        #expect(order(left, right) == expected)
        #expect(order(right, left) == -expected)
    }

    @Test(
        "A multiple is found without rounding, however large the exponents are",
        arguments: [
            ("0.3", "0.1", true), ("1e400", "3", false), ("3e400", "3", true), ("7.5", "2.5", true),
            ("7.4", "2.5", false),
            ("1e1000000000000000000000", "1024", true), ("1e-1000000000000000000000", "0.001", false),
            ("0", "7", true),
            ("123456789012345678901234567890", "123456789012345678", false), ("-9", "3", true),
            ("-9.5", "3", false),
            ("246913578024691356000000000000", "123456789012345678", true), ("0.0075", "0.0001", true),
            ("12345678901234567890123456789012345678901234567890", "10", true),
            ("1e18", "999999999999999999", false),
            ("30", "1e1", true), ("31", "1e1", false), ("500", "0.25", true),
        ])
    func multiples(value: String, divisor: String, expected: Bool) throws {
        #expect(try accepts(#"{"multipleOf":\#(divisor)}"#, value) == expected, "\(value) by \(divisor)")
    }

    @Test(
        "An integer has no fraction, however it is written",
        arguments: [
            ("1.0", true), ("1e400", true), ("10e-1", true), ("1e-1", false), ("0.0e-9", true),
            ("1.01", false),
        ])
    func integers(value: String, expected: Bool) throws {
        #expect(try accepts(#"{"type":"integer"}"#, value) == expected)
    }

    @Test(
        "Formats of OpenAPI bound numbers",
        arguments: [
            ("int32", "2147483647", true), ("int32", "2147483648", false), ("int32", "-2147483648.0", true),
            ("int32", "0.5", false), ("int64", "9223372036854775807", true),
            ("int64", "9223372036854775808", false),
            ("int64", "-9223372036854775808", true), ("float", "3.4e38", true), ("float", "3.5e38", false),
            ("double", "1.7e308", true), ("double", "1.8e308", false), ("double", "1e-400", true),
            ("int32", "\"a\"", true),
        ])
    func formats(format: String, value: String, expected: Bool) throws {
        #expect(try accepts(#"{"format":"\#(format)"}"#, value) == expected)
    }

    @Test(
        "A bound between a number and the integer below it is compared exactly",
        arguments: [
            (#"{"minimum":0.5}"#, "0.4", false), (#"{"minimum":0.5}"#, "0.50", true),
            (#"{"minimum":0.5}"#, "0.6", true), (#"{"exclusiveMinimum":0}"#, "0.01", true),
            (#"{"exclusiveMinimum":0}"#, "0.00", false), (#"{"minimum":0}"#, "-0.5", false),
            (#"{"minimum":-0.5}"#, "-0.5", true), (#"{"maximum":2}"#, "1.9", true),
            (#"{"maximum":2}"#, "2.00", true), (#"{"maximum":2}"#, "2.01", false),
            (#"{"exclusiveMaximum":2}"#, "1.99", true), (#"{"exclusiveMaximum":2}"#, "2.0", false),
            (#"{"maximum":-2}"#, "-2.5", true), (#"{"maximum":-2}"#, "-1.5", false),
            (#"{"exclusiveMaximum":-2}"#, "-2.0", false), (#"{"type":"integer"}"#, "12.50", false),
            (#"{"type":"integer"}"#, "12.00", true), (#"{"type":"number","multipleOf":0.5}"#, "1.5", true),
            (#"{"minimum":999999999999999999}"#, "999999999999999998.5", false),
            (#"{"maximum":999999999999999999}"#, "1000000000000000000.0", false),
            (#"{"minimum":1}"#, "-0.0", false), (#"{"maximum":0}"#, "-0.0", true),
        ])
    func fractions(schema: String, value: String, expected: Bool) throws {
        #expect(try accepts(schema, value) == expected)
        // Side by side with another node, too.
        #expect(try accepts(#"{"anyOf":[\#(schema),{"const":"a"}]}"#, value) == expected)
    }

    @Test("Bounds next to the least and the greatest value of 64 bits hold")
    func ends() throws {
        let schema = #"{"minimum":-9223372036854775808,"maximum":9223372036854775807}"#
        for value in ["-9223372036854775809", "9223372036854775808", "-1e19", "1e19"] {
            #expect(try !accepts(schema, value), "\(value)")
        }
        for value in ["-9223372036854775808", "9223372036854775807", "0"] {
            #expect(try accepts(schema, value), "\(value)")
        }
        #expect(try !accepts(#"{"minimum":99999999999999999999}"#, "999999999999999999"))
        #expect(try accepts(#"{"maximum":99999999999999999999}"#, "999999999999999999"))
        #expect(try accepts(#"{"exclusiveMinimum":1.5,"exclusiveMaximum":2.5}"#, "2"))
        #expect(try !accepts(#"{"exclusiveMinimum":1.5,"exclusiveMaximum":2.5}"#, "1"))
        #expect(try !accepts(#"{"minimum":-1.5}"#, "-2"))
        #expect(try accepts(#"{"minimum":-1.5}"#, "-1"))
    }
}

@Suite("Digests of values")
struct DigestTests {
    private func digest(_ text: String) -> ValueDigest {
        Array(text.utf8).withUnsafeBytes { bytes in
            SchemaRun.reading(bytes) { reader in
                var digester = DigestReader(cursor: ValidCursor(reader), work: .max, members: [], decoded: [])
                return digester.digest()
            }
        }
    }

    @Test(
        "Different values have different digests",
        arguments: [
            ("1", "\"1\""), ("true", "1"), ("null", "false"), ("[]", "{}"), ("[1,2]", "[2,1]"),
            ("[[1],2]", "[[1,2]]"),
            (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"b":1}"#), ("0.1", "1"), ("\"\"", "[]"),
            ("\"a\"", "\"a\\u0000\""),
            ("12345678901234567890123", "12345678901234567890124"), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
            (#"["ab","c"]"#, #"["a","bc"]"#),
        ])
    func differ(left: String, right: String) { #expect(digest(left) != digest(right)) }

    @Test(
        "Equal values have equal digests",
        arguments: [
            ("1", "1.0"), ("100", "1e2"), (#""\u0061""#, #""a""#),
            (#"{"a":1,"b":[2]}"#, #"{ "b" : [2.0], "a":1}"#),
            (#"{"a":1,"a":1}"#, #"{"a":1}"#), ("-0", "0"),
            ("12345678901234567890123", "1.2345678901234567890123e22"),
        ])
    func equal(left: String, right: String) { #expect(digest(left) == digest(right)) }

    @Test("A table counts different digests, and stops at the first that are equal")
    func table() {
        var table = DigestTable()
        for count in [0, 1, 2, 15, 16, 17, 1000] {
            let list = (0..<count).map { ValueDigest(high: UInt64($0 % 7), low: UInt64($0 % 700)) }
            list.withUnsafeBufferPointer { digests in
                #expect(table.distinct(digests, stopsAtEqual: false) == Set(list).count)
                #expect((table.distinct(digests, stopsAtEqual: true) == count) == (Set(list).count == count))
            }
        }
    }

    @Test("A sort in place puts any digests in order")
    func sorting() {
        var generator = SystemRandomNumberGenerator()
        for count in [0, 1, 2, 15, 16, 17, 40, 1000] {
            var list = (0..<count).map { _ in Int.random(in: 0..<max(1, count / 2), using: &generator) }
            let expected = list.sorted()
            list.withUnsafeMutableBufferPointer { DigestOrder.sort($0, by: <) }
            #expect(list == expected)
        }
        var same = [Int](repeating: 7, count: 5000)
        same.withUnsafeMutableBufferPointer { DigestOrder.sort($0, by: <) }
        #expect(same.allSatisfy { $0 == 7 })
    }
}
