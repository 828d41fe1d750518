public import FoundationEssentials

/// Writes a model as `application/x-www-form-urlencoded`, for a body or a query (Alamofire's encoder of that name, with its
/// defaults).
///
///     var encoder = URLEncodedFormEncoder()
///     encoder.keyEncoding = .convertToSnakeCase
///     encoder.dateEncoding = .iso8601
///     try encoder.encode(model)                  // "created_at=2026-11-20T08%3A00%3A00Z&tags%5B%5D=a"
///
/// Models within models are written with their path as the name, `user[name]=x`. What cannot be written is an `EncodingError`
/// that names the coding path: a root that is no keyed container, a number that is not finite, what `Encodable` code throws.
public struct URLEncodedFormEncoder: Sendable {
    /// How names are made of the model's keys, at every depth. Dictionaries' keys are keys too.
    public struct KeyEncoding: Sendable {
        let encode: @Sendable (String) -> String

        /// As they are.
        public static let useDefaultKeys = KeyEncoding { $0 }
        /// `oneTwoThree` is `one_two_three`, `myURLProperty` is `my_url_property`.
        public static let convertToSnakeCase = KeyEncoding { words($0, joinedBy: "_") }
        /// `oneTwoThree` is `one-two-three`.
        public static let convertToKebabCase = KeyEncoding { words($0, joinedBy: "-") }
        /// `oneTwoThree` is `OneTwoThree`.
        public static let capitalized = KeyEncoding { $0.prefix(1).uppercased() + $0.dropFirst() }
        /// `oneTwoThree` is `ONETWOTHREE`.
        public static let uppercased = KeyEncoding { $0.uppercased() }
        /// `oneTwoThree` is `onetwothree`.
        public static let lowercased = KeyEncoding { $0.lowercased() }

        /// By a closure, which is given one key at a time.
        public static func custom(_ encode: @escaping @Sendable (String) -> String) -> KeyEncoding {
            KeyEncoding(encode: encode)
        }
    }

    /// How dates are written.
    public struct DateEncoding: Sendable {
        /// Nil: as `Date` encodes itself.
        let encode: (@Sendable (Date) throws -> ParameterValue)?

        /// As `Date` encodes itself: seconds since 2001-01-01.
        public static let deferredToDate = DateEncoding(encode: nil)
        /// `2026-11-20T08:00:00Z`
        public static let iso8601 = DateEncoding { .text($0.formatted(.iso8601)) }
        /// `1795161600`, with a fraction where there is one.
        public static let secondsSince1970 = DateEncoding { number($0.timeIntervalSince1970) }
        /// `1795161600000`, with a fraction where there is one.
        public static let millisecondsSince1970 = DateEncoding { number($0.timeIntervalSince1970 * 1000) }

        /// By a format style, which is what a `DateFormatter` is without the whole of Foundation.
        public static func formatted<Style: FormatStyle & Sendable>(_ style: Style) -> DateEncoding
        where Style.FormatInput == Date, Style.FormatOutput == String {
            DateEncoding { .text(style.format($0)) }
        }

        /// By a closure; what it throws is the encoder's error.
        public static func custom(_ encode: @escaping @Sendable (Date) throws -> String) -> DateEncoding {
            DateEncoding { .text(try encode($0)) }
        }

        // A whole number has no fraction to show.
        private static func number(_ value: Double) -> ParameterValue {
            Int64(exactly: value).map { .integer($0) } ?? .number(value)
        }
    }

    /// How data is written.
    public struct DataEncoding: Sendable {
        /// Nil: as `Data` encodes itself.
        let encode: (@Sendable (Data) throws -> String)?

        /// As `Data` encodes itself: a list of numbers.
        public static let deferredToData = DataEncoding(encode: nil)
        /// RFC 4648 4, percent-encoded as any text.
        public static let base64 = DataEncoding { $0.base64EncodedString() }

        /// By a closure; what it throws is the encoder's error.
        public static func custom(_ encode: @escaping @Sendable (Data) throws -> String) -> DataEncoding {
            DataEncoding(encode: encode)
        }
    }

    /// What becomes of a nil: where it stands in a list, where a model encodes it, and where it leaves one out that may be there.
    public struct NilEncoding: Sendable {
        let encode: @Sendable () -> ParameterValue

        /// Name and value are left out.
        public static let dropKey = NilEncoding { .absent }
        /// The name stays: `a=`.
        public static let dropValue = NilEncoding { .null }
        /// `a=null`
        public static let null = NilEncoding { .text("null") }

        /// A text in its place; nil leaves name and value out.
        public static func custom(_ text: @escaping @Sendable () -> String?) -> NilEncoding {
            NilEncoding { text().map { .text($0) } ?? .absent }
        }
    }

    /// Default with brackets.
    public var arrayEncoding = ParameterEncoding.Lists.brackets
    /// Default `1` and `0`.
    public var boolEncoding = ParameterEncoding.Booleans.numeric
    /// Default with brackets.
    public var keyPathEncoding = ParameterEncoding.Members.brackets
    /// Default `%20`.
    public var spaceEncoding = ParameterEncoding.Spaces.percentEscaped
    /// Default as they are.
    public var keyEncoding = KeyEncoding.useDefaultKeys
    /// Default as `Date` encodes itself.
    public var dateEncoding = DateEncoding.deferredToDate
    /// Default Base64.
    public var dataEncoding = DataEncoding.base64
    /// Default left out.
    public var nilEncoding = NilEncoding.dropKey
    /// Whether the pairs are sorted by name at every depth. Default true: the same model is the same text each time, dictionaries
    /// in it too.
    public var sortsKeys = true

    /// Alamofire's defaults.
    public init() {}

    /// The model as text: ASCII, `name=value&name=value`.
    public func encode(_ value: some Encodable) throws -> String {
        String(decoding: try encodeBody(value), as: UTF8.self)
    }
}

extension URLEncodedFormEncoder: RequestEncoder {
    public var contentType: String { "application/x-www-form-urlencoded" }

    /// The model as the bytes of a form.
    public func encodeBody(_ value: some Encodable) throws -> ArraySlice<UInt8> {
        let encoder = ParameterValueEncoder(self)
        try encoder.encode(value)
        guard case .object(let members) = encoder.node.parameterValue else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "a form is a model or a dictionary, at its root too"))
        }
        let rules = PairRules(
            lists: arrayEncoding, booleans: boolEncoding, members: keyPathEncoding, sortsKeys: sortsKeys,
            escaping: Escaping(spaceAsPlus: spaceEncoding.isPlus, keepsSlashes: true))
        do throws(RequestFault) {
            let bytes = try ByteRoom.write { (room) throws(RequestFault) in
                var separator: UInt8?
                for member in sortsKeys ? members.sorted(by: { $0.name < $1.name }) : members {
                    try rules.append(member.name, member.value, separator: &separator, to: &room)
                }
            }
            return bytes[...]
        } catch {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: error.message))
        }
    }
}

extension URLEncodedFormEncoder.KeyEncoding {
    /// The words of a camel-case name, in lower case. The last capital of several begins the next word: `URLName`.
    private static func words(_ key: String, joinedBy separator: String) -> String {
        var words = ""
        let letters = Array(key)
        for index in letters.indices {
            let letter = letters[index]
            if letter.isUppercase, index > 0, letters[index - 1] != "_" {
                let followsSmall = !letters[index - 1].isUppercase
                let precedesSmall = index + 1 < letters.count && letters[index + 1].isLowercase
                if followsSmall || precedesSmall { words += separator }
            }
            words += letter.lowercased()
        }
        return words
    }
}
