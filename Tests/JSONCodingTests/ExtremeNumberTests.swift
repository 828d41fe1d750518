import Foundation
import JSONBytes
import JSONCoding
import Testing

/// Decodes hostile numbers, dates and strings to every type. None may stop the program.
@Suite("Extreme numbers")
struct ExtremeNumberTests {
    /// Exponents at and beyond the limits of the integer types that a parser may use.
    static let exponents = [
        "0", "00", "1", "-1", "38", "39", "40", "-40", "127", "128", "-128", "-129", "308", "309", "-324",
        "-325",
        "999999", "1000000", "1000001", "-999999", "-1000000", "-1000001", "32767", "32768", "-32769",
        "2147483647", "2147483648", "-2147483648", "-2147483649", "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775807", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "+9223372036854775807", "99999999999999999999999999999999", "-99999999999999999999999999999999",
        "-0000000000000000000000000000000000001",
    ]

    static let mantissas = [
        "0", "-0", "1", "-1", "0.0", "-0.0", "1.5", "10.00", "9007199254740993", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "18446744073709551615", "18446744073709551616",
        "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728",
        "340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
        String(repeating: "9", count: 250), "0." + String(repeating: "0", count: 240) + "1",
        "1" + String(repeating: "0", count: 240), "-" + String(repeating: "1", count: 200) + ".5",
    ]

    static let numbers =
        mantissas
        + mantissas.flatMap { mantissa in
            exponents.flatMap { ["\(mantissa)e\($0)", "\(mantissa)E\($0)"] }.filter { $0.utf8.count <= 256 }
        }

    private static let largest = "\(UInt128.max)"

    /// Computes a number's integer value from its text, as digits without leading zeros. Returns nil for a
    /// fraction and for more than 39 digits.
    private static func integer(_ number: String) -> String? {
        let parts = number.lowercased().split(separator: "e")
        let isNegative = parts[0].hasPrefix("-")
        let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        var digits = String((mantissa[0] + fraction).drop { $0 == "0" })
        guard !digits.isEmpty else { return "0" }
        let zeros = digits.reversed().prefix { $0 == "0" }.count
        digits.removeLast(zeros)
        // Only the sign of an exponent with more than six digits matters.
        let written = parts.count > 1 ? parts[1].filter { $0 != "+" && $0 != "-" }.drop { $0 == "0" } : ""
        let magnitude = written.count > 6 ? 1_000_000 : Int(written) ?? 0
        let exponent =
            (parts.count > 1 && parts[1].hasPrefix("-") ? -magnitude : magnitude) - fraction.count + zeros
        guard exponent >= 0, digits.count + exponent <= largest.count else { return nil }
        return (isNegative ? "-" : "") + digits + String(repeating: "0", count: exponent)
    }

    private func check<Value: FixedWidthInteger & Decodable & Sendable>(_ type: Value.Type) {
        let decoder = JSONBytesDecoder()
        for number in Self.numbers {
            let expected = Self.integer(number).flatMap { Value($0) }
            let direct = try? decoder.decode(Value.self, from: Array(number.utf8))
            #expect(direct == expected, "\(number)")
            let keyed = try? decoder.decode([String: Value].self, from: Array("{\"a\":\(number)}".utf8))
            #expect(keyed?["a"] == expected, "\(number)")
            let listed = try? decoder.decode([Value].self, from: Array("[\(number) ]".utf8))
            #expect(listed?.first == expected, "\(number)")
        }
    }

    @Test("A number with any exponent is either decoded exactly to an integer type or rejected")
    func integers() {
        check(Int.self)
        check(Int8.self)
        check(Int16.self)
        check(Int32.self)
        check(Int64.self)
        check(Int128.self)
        check(UInt.self)
        check(UInt8.self)
        check(UInt16.self)
        check(UInt32.self)
        check(UInt64.self)
        check(UInt128.self)
    }

    @Test("An exponent of Int.min is rejected unless the mantissa is zero")
    func leastExponent() throws {
        let decoder = JSONBytesDecoder()
        #expect(throws: DecodingError.self) {
            try decoder.decode([String: Int].self, from: Array(#"{"a":1e-9223372036854775808}"#.utf8))
        }
        #expect(try decoder.decode(Int.self, from: Array("0e-9223372036854775808".utf8)) == 0)
        #expect(try decoder.decode(Int128.self, from: Array("-0.0E-9223372036854775808".utf8)) == 0)
    }

    @Test("A number of any size is either decoded to a floating-point type as Swift parses it or rejected")
    func floatingPoint() {
        let decoder = JSONBytesDecoder()
        for number in Self.numbers {
            let bytes = Array(number.utf8)
            if let double = try? decoder.decode(Double.self, from: bytes) {
                #expect(double == Double(number))
            }
            if let float = try? decoder.decode(Float.self, from: bytes) { #expect(float == Float(number)) }
        }
        #expect((try? decoder.decode(Double.self, from: Array("1e-9223372036854775808".utf8))) == nil)
        #expect((try? decoder.decode(Double.self, from: Array("0e9223372036854775808".utf8))) == 0)
    }

    @Test(
        "Extreme numbers and texts are either decoded to Foundation values that can be printed or rejected"
    )
    func foundationTypes() {
        let years = ["0000", "0001", "1582", "9999", "10000", "-9999", "2147483648", "9223372036854775807"]
        let dates = years.flatMap { year in
            ["00-00T00:00:00", "02-30T24:60:61", "12-31T23:59:59", "99-99T99:99:99"].flatMap { rest in
                ["Z", "+99:99", "-9223372036854775808", ".999999999999999999999999Z"].map {
                    "\"\(year)-\(rest)\($0)\""
                }
            }
        }
        let texts = [
            "\"\"", "\"=\"", "\"\\u0000\"", "\"http://[::\"", "\"http://h:99999999999999999999\"", "\"NaN\"",
            "\"inf\"",
        ]
        let strategies: [JSONDecoder.DateDecodingStrategy] = [
            .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601,
        ]
        for strategy in strategies {
            var decoder = JSONBytesDecoder()
            decoder.dateDecodingStrategy = strategy
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "NaN")
            for text in Self.numbers + dates + texts {
                let bytes = Array(text.utf8)
                if let date = try? decoder.decode(Date.self, from: bytes) {
                    #expect(!date.description.isEmpty && !date.timeIntervalSince1970.isNaN)
                    var encoder = JSONBytesEncoder()
                    for encoding in [
                        JSONEncoder.DateEncodingStrategy.iso8601, .secondsSince1970, .millisecondsSince1970,
                    ] {
                        encoder.dateEncodingStrategy = encoding
                        _ = try? encoder.encode(date)
                    }
                }
                if let decimal = try? decoder.decode(Decimal.self, from: bytes) {
                    #expect(!decimal.description.isEmpty)
                }
                if let url = try? decoder.decode(URL.self, from: bytes) {
                    #expect(url.absoluteString.utf8.count >= 0 && (url.port ?? 0) >= 0)
                }
                _ = try? decoder.decode(UUID.self, from: bytes)
                _ = try? decoder.decode(Data.self, from: bytes)
                _ = try? decoder.decode(Bool.self, from: bytes)
                _ = try? decoder.decode(String.self, from: bytes)
            }
        }
    }

    @Test("Every numeric date strategy rejects NaN")
    func notANumber() {
        var decoder = JSONBytesDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "NaN")
        for strategy in [
            JSONDecoder.DateDecodingStrategy.deferredToDate, .secondsSince1970, .millisecondsSince1970,
        ] {
            decoder.dateDecodingStrategy = strategy
            #expect(throws: DecodingError.self) { try decoder.decode(Date.self, from: Array("\"NaN\"".utf8)) }
        }
    }
}
