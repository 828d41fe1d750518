import Foundation
import JSONBytes
import JSONCoding
import Testing

/// The same settings for Foundation's coders and ours.
struct Settings: Sendable, CustomStringConvertible {
    var description: String
    var change: @Sendable (JSONDecoder, inout JSONBytesDecoder) -> Void = { _, _ in }
    var changeEncoders: @Sendable (JSONEncoder, inout JSONBytesEncoder) -> Void = { _, _ in }

    static let plain = Settings(description: "plain")

    static let snakeCase = Settings(
        description: "snake case",
        change: { theirs, ours in
            theirs.keyDecodingStrategy = .convertFromSnakeCase
            ours.keyDecodingStrategy = .convertFromSnakeCase
        },
        changeEncoders: { theirs, ours in
            theirs.keyEncodingStrategy = .convertToSnakeCase
            ours.keyEncodingStrategy = .convertToSnakeCase
        })

    /// The converted names depend on the paths, so a path that differs from Foundation's is detected.
    static let customKeys = Settings(
        description: "custom keys",
        change: { theirs, ours in
            let convert: @Sendable ([any CodingKey]) -> any CodingKey = { path in
                AnyKey(String((path.last?.stringValue ?? "").dropLast(path.count % 2)))
            }
            theirs.keyDecodingStrategy = .custom(convert)
            ours.keyDecodingStrategy = .custom(convert)
        },
        changeEncoders: { theirs, ours in
            let convert: @Sendable ([any CodingKey]) -> any CodingKey = { path in
                AnyKey(path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "."))
            }
            theirs.keyEncodingStrategy = .custom(convert)
            ours.keyEncodingStrategy = .custom(convert)
        })

    static let internetDates = Settings(
        description: "ISO 8601 and bytes",
        change: { theirs, ours in
            theirs.dateDecodingStrategy = .iso8601
            ours.dateDecodingStrategy = .iso8601
            theirs.dataDecodingStrategy = .deferredToData
            ours.dataDecodingStrategy = .deferredToData
        },
        changeEncoders: { theirs, ours in
            theirs.dateEncodingStrategy = .iso8601
            ours.dateEncodingStrategy = .iso8601
            theirs.dataEncodingStrategy = .deferredToData
            ours.dataEncodingStrategy = .deferredToData
        })

    static let seconds = Settings(
        description: "seconds and words",
        change: { theirs, ours in
            theirs.dateDecodingStrategy = .secondsSince1970
            ours.dateDecodingStrategy = .secondsSince1970
            theirs.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            ours.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        },
        changeEncoders: { theirs, ours in
            theirs.dateEncodingStrategy = .secondsSince1970
            ours.dateEncodingStrategy = .secondsSince1970
            theirs.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            ours.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        })

    static let milliseconds = Settings(
        description: "milliseconds",
        change: { theirs, ours in
            theirs.dateDecodingStrategy = .millisecondsSince1970
            ours.dateDecodingStrategy = .millisecondsSince1970
        },
        changeEncoders: { theirs, ours in
            theirs.dateEncodingStrategy = .millisecondsSince1970
            ours.dateEncodingStrategy = .millisecondsSince1970
        })

    static let custom = Settings(
        description: "custom dates and data",
        change: { theirs, ours in
            let date: @Sendable (any Decoder) throws -> Date = { decoder in
                var container = try decoder.unkeyedContainer()
                return Date(timeIntervalSince1970: try container.decode(Double.self))
            }
            let data: @Sendable (any Decoder) throws -> Data = { decoder in
                Data(try decoder.singleValueContainer().decode(String.self).utf8)
            }
            theirs.dateDecodingStrategy = .custom(date)
            ours.dateDecodingStrategy = .custom(date)
            theirs.dataDecodingStrategy = .custom(data)
            ours.dataDecodingStrategy = .custom(data)
        },
        changeEncoders: { theirs, ours in
            let date: @Sendable (Date, any Encoder) throws -> Void = { date, encoder in
                var container = encoder.unkeyedContainer()
                try container.encode(date.timeIntervalSince1970)
            }
            let data: @Sendable (Data, any Encoder) throws -> Void = { data, encoder in
                guard !data.isEmpty else { return }
                var container = encoder.singleValueContainer()
                try container.encode(String(decoding: data, as: UTF8.self))
            }
            theirs.dateEncodingStrategy = .custom(date)
            ours.dateEncodingStrategy = .custom(date)
            theirs.dataEncodingStrategy = .custom(data)
            ours.dataEncodingStrategy = .custom(data)
        })
}

/// The result of decoding a document or encoding a value.
enum Outcome: Equatable, CustomStringConvertible {
    case value(String)
    case failure(String)

    var description: String {
        switch self {
        case .value(let text): text
        case .failure(let text): "error: \(text)"
        }
    }

    /// Keeps the kind and the path of an error. The path of corrupted data is dropped, because Foundation
    /// often has none.
    init(_ error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            self = .failure("no key \(key.stringValue) at \(Self.path(context.codingPath))")
        case DecodingError.valueNotFound(let type, let context):
            self = .failure("no value of \(type) at \(Self.path(context.codingPath))")
        case DecodingError.typeMismatch(let type, let context):
            self = .failure("not \(type) at \(Self.path(context.codingPath))")
        case DecodingError.dataCorrupted: self = .failure("corrupted")
        case EncodingError.invalidValue(_, let context):
            self = .failure("invalid at \(Self.path(context.codingPath))")
        default: self = .failure("\(error)")
        }
    }

    private static func path(_ path: [any CodingKey]) -> String {
        path.map { "." + $0.stringValue }.joined()
    }
}

/// A type with documents to start from.
struct Candidate: Sendable, CustomStringConvertible {
    let description: String
    let documents: [String]
    let settings: Settings
    /// Decodes a document with both decoders, then encodes the values with both encoders.
    let outcomes: @Sendable ([UInt8]) -> [(theirs: Outcome, ours: Outcome)]

    init<Model: Codable & Equatable & SendableMetatype>(
        _: Model.Type, _ settings: Settings = .plain, isUnordered: Bool = false, _ documents: String...
    ) {
        description = "\(Model.self), \(settings)"
        self.documents = documents
        self.settings = settings
        outcomes = { bytes in
            let theirs = JSONDecoder()
            var ours = JSONBytesDecoder()
            settings.change(theirs, &ours)
            let theirValue = Result { try theirs.decode(Model.self, from: Data(bytes)) }
            let ourValue = Result { try ours.decode(Model.self, from: bytes) }
            // A known difference: our decoder rejects a date of NaN, which Foundation accepts.
            if case .failure(DecodingError.dataCorrupted(let context)) = ourValue,
                context.debugDescription == "A date cannot be NaN.",
                String(decoding: bytes, as: UTF8.self).contains("\"nan\"")
            {
                return [(.failure("no date"), .failure("no date"))]
            }
            // Foundation decodes dictionaries in random order, so it may report any of several errors.
            if isUnordered, case .failure = theirValue, case .failure = ourValue {
                return [(.failure("some error"), .failure("some error"))]
            }
            guard case .success(let their) = theirValue, case .success(let our) = ourValue else {
                return [(Self.outcome(theirValue), Self.outcome(ourValue))]
            }
            var outcomes: [(theirs: Outcome, ours: Outcome)] = []
            for format in [[.sortedKeys], [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]]
                as [JSONEncoder.OutputFormatting]
            {
                let theirs = JSONEncoder()
                var ours = JSONBytesEncoder()
                settings.changeEncoders(theirs, &ours)
                theirs.outputFormatting = format
                ours.outputFormatting = format
                let theirText = Result { String(decoding: try theirs.encode(their), as: UTF8.self) }
                outcomes.append(
                    (Self.outcome(theirText), Self.outcome(Result { try ours.encode(our).description })))
                // Values with NaN are not equal to themselves, but their texts are.
                let ourText = Result { String(decoding: try theirs.encode(our), as: UTF8.self) }
                outcomes.append(
                    their == our
                        ? (.value("equal"), .value("equal"))
                        : (Self.outcome(theirText), Self.outcome(ourText)))
            }
            return outcomes
        }
    }

    /// Does not describe decoded values, because Foundation cannot print every date.
    private static func outcome<Value>(_ result: Result<Value, any Error>) -> Outcome {
        switch result {
        case .success(let value): .value(value as? String ?? "a value")
        case .failure(let error): Outcome(error)
        }
    }

    static let all = [
        Candidate(
            Models.Envelope<Models.Chart>.self, .plain,
            #"{"code":"OK","message":"success","status":200,"data":{"unit":"kg","points":[{"date":"2026-11-13","am":70.1,"pm":70.9},{"date":"2026-11-14","am":70.0}]}}"#,
            #"{"status":204}"#),
        Candidate(
            Models.Numbers.self, .plain,
            #"{"i":-9223372036854775808,"i8":-128,"i16":32767,"i32":-2147483648,"i64":9223372036854775807,"u":18446744073709551615,"u8":255,"u16":65535,"u32":4294967295,"u64":0,"float":3.4028235e38,"double":1.7976931348623157e308,"decimal":1234567890.0123456789,"isTrue":true}"#,
            #"{"i":1.0,"i8":1e1,"u8":2.5e1,"float":1e-45,"double":5e-324,"decimal":-0.5,"isTrue":false}"#,
            #"{"i":0,"float":0.1,"double":0.30000000000000004,"decimal":0}"#),
        Candidate(
            Models.Wide.self, .plain,
            #"{"signed":-170141183460469231731687303715884105728,"unsigned":340282366920938463463374607431768211455}"#,
            #"{"signed":1e18,"unsigned":12.0}"#),
        Candidate(
            Models.Mixed.self, .plain, isUnordered: true,
            #"{"shapes":[{"circle":{"radius":2.5}},{"line":{"_0":1,"_1":-2}},{"nothing":{}}],"codes":[0,1,1],"byNumber":{"-7":"b"},"byName":{"x":[1,2.5]},"optionals":[1,null,3]}"#
        ),
        Candidate(
            Models.Known.self, .plain,
            #"{"date":700000000.25,"data":"AQID/w==","url":"https://a.example/b?c=d#e","uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","decimal":12.34}"#
        ),
        Candidate(
            Models.Known.self, .internetDates,
            #"{"date":"2026-11-20T08:00:00Z","data":[1,2,255],"url":"x","uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","decimal":1e10}"#,
            #"{"date":"2024-02-29T23:59:59+09:00","data":[],"url":"/x","uuid":"e621e1f8-c36c-495a-93fc-0c247a3e6e5f","decimal":-1}"#
        ),
        Candidate(
            Models.Known.self, .custom,
            #"{"date":[12.5],"data":"체중","url":"x","uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","decimal":1}"#,
            #"{"date":[0,1],"data":"","url":"x","uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","decimal":1}"#),
        Candidate([Date].self, .seconds, "[0,1.5,-1,1e9]"),
        Candidate([Double].self, .seconds, #"["inf","-inf",1.5,-0.0,0.001,1e15,123456789.125]"#),
        Candidate([Date].self, .milliseconds, "[0,1500,-1,1e12]"),
        Candidate(
            Models.Broad.self, .plain,
            "{" + (0..<20).map { "\"\($0 < 10 ? "a" : "b")\($0 % 10)\":\($0)" }.joined(separator: ",") + "}"),
        Candidate(
            Models.Names.self, .plain,
            #"{"measurement":1,"measurementOfTheDay":2,"measurementOfTheNight":3,"오늘의 체중":4,"a\"b\\c/d":5,"":6}"#,
            #"{"\u006deasurement":1,"measurementOfTheD\u0061y":2,"measurementOfTheNight":3,"\uc624늘의 체중":4,"a\u0022b\\c\/d":5}"#
        ),
        Candidate(
            Models.SnakeNames.self, .snakeCase, isUnordered: true,
            #"{"first_name":"a","my_url_thing":1,"_private":2,"nested":{"key_one":1,"keyTwo":2},"inner_value":{"deep_value":3}}"#,
            #"{"firstName":"b","nested":{}}"#),
        Candidate(
            Models.Chart.self, .customKeys,
            #"{"unitX":"kg","pointsX":[{"dateX":"x","amX":1},{"dateX":"y","amX":1}]}"#,
            #"{"unitX":"kg","pointsX":[{"date":"x","am":1},{"date":"y","am":1}]}"#),
        Candidate(
            Models.Tree.self, .plain,
            #"{"node":{"left":{"leaf":{}},"right":{"node":{"left":{"leaf":{}},"right":{"leaf":{}}}}}}"#),
        Candidate(
            Models.List.self, .plain, #"{"value":1,"next":[{"value":2,"next":[]},{"value":3,"next":null}]}"#),
        Candidate(Models.Dog.self, .plain, #"{"barks":3,"super":{"name":"Rex"}}"#, #"{"barks":3}"#),
        Candidate(Models.Cat.self, .plain, #"{"naps":3,"name":"Tom"}"#),
        Candidate(
            Models.Flat.self, .plain,
            #"{"id":1,"address":{"city":"서울","street":"a/b"},"tags":["x","y"],"pair":[[5,6],7,8]}"#,
            #"{"pair":[[5]],"tags":[],"address":{"city":"x"},"id":1}"#),
        Candidate([Models.Either].self, .plain, #"[1,"a",null,[2,["b",[]]],-1.5e3]"#),
        Candidate([Models.Name: Int].self, .plain, isUnordered: true, #"{"a":1}"#),
        Candidate([String: [String: Int?]].self, .plain, isUnordered: true, #"{"a":{"x":1}}"#),
        Candidate(
            [String].self, .plain,
            #"["","a","오늘의 체중 오늘의 체중","\"\\\/\b\f\n\r\t\u0000\u001f\u007f\ud83d\ude00","exactly fifteen","exactly sixteen!"]"#
        ),
        Candidate([[[Int]]].self, .plain, "[[[1,2],[]],[],[[3]]]"),
        Candidate(Int.self, .plain, "5"),
        Candidate(String?.self, .plain, "null", #""x""#),
    ]
}
