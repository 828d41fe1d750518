import Foundation
import JSONBytes
import JSONCoding
import Testing

/// Tests the messages of decoding errors. They are the same as Foundation's if Foundation has one.
@Suite("Decoding errors")
struct DecodingErrorTests {
    private func message<Value: Decodable>(
        _ type: Value.Type, _ text: String, _ change: (inout JSONBytesDecoder) -> Void = { _ in }
    ) -> String? {
        var decoder = JSONBytesDecoder()
        change(&decoder)
        do {
            _ = try decoder.decode(type, from: Array(text.utf8))
            return nil
        } catch DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context)
        {
            return context.debugDescription
        } catch {
            return "\(error)"
        }
    }

    @Test("Decoding a value of another kind fails with an error that names both kinds")
    func otherKinds() {
        let kinds = [
            ("{}", "a dictionary"), ("[]", "an array"), ("\"a\"", "a string"), ("true", "bool"),
            ("false", "bool"), ("1", "number"), ("-1", "number"),
        ]
        for (text, kind) in kinds {
            func check<Value: Decodable>(_ type: Value.Type, _ name: String, _ own: String) {
                let expected = "Expected to decode \(name) but found \(kind) instead."
                #expect(message(type, text) == (kind == own ? nil : expected), "\(text)")
            }
            check(Bool.self, "Bool", "bool")
            check(String.self, "String", "a string")
            check(Int.self, "Int", "number")
            check(Int128.self, "Int128", "number")
            check(Double.self, "Double", "number")
            check(Float.self, "Float", "number")
            check(Decimal.self, "Decimal", "number")
            check(Date.self, "Double", "number")
            check([Int].self, "Array<Any>", "an array")
            check([String: Int].self, "Dictionary<String, Any>", "a dictionary")
            if kind != "a string" {
                check(Data.self, "String", "")
                check(URL.self, "String", "")
            }
        }
    }

    @Test("Decoding null fails with an error that names the type")
    func nulls() {
        func expected(_ name: String) -> String {
            "Cannot get value of type \(name) -- found null value instead"
        }
        #expect(message(Bool.self, "null") == expected("Bool"))
        #expect(message([String].self, "[null]") == expected("String"))
        #expect(message(Int.self, "null") == expected("Int"))
        #expect(message(Double.self, "null") == expected("Double"))
        #expect(message(Date.self, "null") == expected("Date"))
        #expect(message(Data.self, "null") == expected("Data"))
        #expect(message(URL.self, "null") == expected("URL"))
        #expect(message(Decimal.self, "null") == expected("Decimal"))
        #expect(
            message([Int].self, "null")
                == "Cannot get unkeyed decoding container -- found null value instead")
        #expect(
            message(Models.Pair.self, "null")
                == "Cannot get keyed decoding container -- found null value instead")
    }

    @Test("Decoding an invalid date, data, URL or decimal fails with a message for that type")
    func texts() {
        #expect(
            message(Date.self, #""yesterday""#) { $0.dateDecodingStrategy = .iso8601 }
                == "Expected date string to be ISO8601-formatted.")
        #expect(message(Data.self, #""AQI""#) == "Encountered Data is not valid Base64.")
        #expect(message(URL.self, #""http://[""#) == "Invalid URL string.")
        #expect(message(Decimal.self, "1e400") == "The number 1e400 does not fit in Decimal.")
        #expect(
            message(Date.self, #""NaN""#) {
                $0.nonConformingFloatDecodingStrategy = .convertFromString(
                    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "NaN")
            } == "A date cannot be NaN.")
    }

    @Test("Decoding a missing member fails with an error that names its key")
    func missingMembers() {
        #expect(
            message(Models.Pair.self, "{}")
                == #"No value associated with key CodingKeys(stringValue: "a", intValue: nil) ("a")."#)
        struct Reader: Decodable {
            init(from decoder: any Decoder) throws {
                let object = try decoder.container(keyedBy: Models.Flat.Keys.self)
                #expect(try object.decodeNil(forKey: .id))
                #expect(try !object.decodeNil(forKey: .tags))
                #expect(throws: DecodingError.self) { try object.decodeNil(forKey: .pair) }
            }
        }
        #expect(message(Reader.self, #"{"id":null,"tags":0}"#) == nil)
    }

    @Test("Decoding beyond the end of an array fails with an error that has the requested type")
    func endOfAnArray() {
        struct Reader: Decodable {
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                _ = try list.decode(Int8.self)
            }
        }
        #expect(message(Reader.self, "[]") == "Unkeyed container is at end.")
        #expect {
            _ = try JSONBytesDecoder().decode(Reader.self, from: Array("[ ]".utf8))
        } throws: { error in
            guard case DecodingError.valueNotFound(let type, let context) = error else { return false }
            return type == Int8.self && context.codingPath.map(\.stringValue) == ["Index 0"]
        }
    }
}
