import ASCIIText
public import FoundationEssentials

/// Encodes a model as `application/x-www-form-urlencoded`, for a body or a query, with the defaults of
/// Alamofire's encoder.
///
///     var encoder = URLEncodedFormEncoder()
///     encoder.keyEncoding = .convertToSnakeCase
///     encoder.dateEncoding = .iso8601
///     try encoder.encode(model)                  // "created_at=2026-11-20T08%3A00%3A00Z&tags%5B%5D=a"
///
/// Nested models use their path as the name: `user[name]=x`. Throws an `EncodingError` with the coding path
/// if the root is not a keyed container or a number is not finite, and the errors of `Encodable` code.
public struct URLEncodedFormEncoder: Sendable {
    /// How a model's keys become names, at every depth, including dictionary keys.
    public struct KeyEncoding: Sendable {
        let encode: @Sendable (String) -> String

        /// Keys unchanged.
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

        /// Converts each key with a closure.
        public static func custom(_ encode: @escaping @Sendable (String) -> String) -> KeyEncoding {
            KeyEncoding(encode: encode)
        }
    }

    /// How dates are written.
    public struct DateEncoding: Sendable {
        /// Nil if `Date` encodes itself.
        let encode: (@Sendable (Date) throws -> ParameterValue)?

        /// As `Date` encodes itself: seconds since 2001-01-01.
        public static let deferredToDate = DateEncoding(encode: nil)
        /// `2026-11-20T08:00:00Z`
        public static let iso8601 = DateEncoding { .text($0.formatted(.iso8601)) }
        /// `1795161600`, with a fraction if there is one.
        public static let secondsSince1970 = DateEncoding { number($0.timeIntervalSince1970) }
        /// `1795161600000`, with a fraction if there is one.
        public static let millisecondsSince1970 = DateEncoding { number($0.timeIntervalSince1970 * 1000) }

        /// Formats dates with a format style. (`DateFormatter` would need all of Foundation.)
        public static func formatted<Style: FormatStyle & Sendable>(_ style: Style) -> DateEncoding
        where Style.FormatInput == Date, Style.FormatOutput == String {
            DateEncoding { .text(style.format($0)) }
        }

        /// Converts dates with a closure. Its error fails the encoding.
        public static func custom(_ encode: @escaping @Sendable (Date) throws -> String) -> DateEncoding {
            DateEncoding { .text(try encode($0)) }
        }

        // Writes whole numbers without a fraction.
        private static func number(_ value: Double) -> ParameterValue {
            Int64(exactly: value).map { .integer($0) } ?? .number(value)
        }
    }

    /// How data is written.
    public struct DataEncoding: Sendable {
        /// Nil if `Data` encodes itself.
        let encode: (@Sendable (Data) throws -> String)?

        /// As `Data` encodes itself: a list of numbers.
        public static let deferredToData = DataEncoding(encode: nil)
        /// Base64 (RFC 4648 4), percent-encoded like any text.
        public static let base64 = DataEncoding { $0.base64EncodedString() }

        /// Converts data with a closure. Its error fails the encoding.
        public static func custom(_ encode: @escaping @Sendable (Data) throws -> String) -> DataEncoding {
            DataEncoding(encode: encode)
        }
    }

    /// How nil is written: in a list, as an explicit nil, or as an optional member.
    public struct NilEncoding: Sendable {
        let encode: @Sendable () -> ParameterValue

        /// Omits name and value.
        public static let dropKey = NilEncoding { .absent }
        /// Keeps the name: `a=`.
        public static let dropValue = NilEncoding { .null }
        /// `a=null`
        public static let null = NilEncoding { .text("null") }

        /// Writes the text that the closure returns; nil omits name and value.
        public static func custom(_ text: @escaping @Sendable () -> String?) -> NilEncoding {
            NilEncoding { text().map { .text($0) } ?? .absent }
        }
    }

    /// Default: brackets.
    public var arrayEncoding = ParameterEncoding.Lists.brackets
    /// Default: `1` and `0`.
    public var boolEncoding = ParameterEncoding.Booleans.numeric
    /// Default: brackets.
    public var keyPathEncoding = ParameterEncoding.Members.brackets
    /// Default: `%20`.
    public var spaceEncoding = ParameterEncoding.Spaces.percentEscaped
    /// Default: unchanged.
    public var keyEncoding = KeyEncoding.useDefaultKeys
    /// Default: as `Date` encodes itself.
    public var dateEncoding = DateEncoding.deferredToDate
    /// Default: Base64.
    public var dataEncoding = DataEncoding.base64
    /// Default: omitted.
    public var nilEncoding = NilEncoding.dropKey
    /// Whether pairs are sorted by name at every depth. Default true, so that the same model always produces
    /// the same text, even with dictionaries in it.
    public var sortsKeys = true

    /// Creates an encoder with Alamofire's defaults.
    public init() {}

    /// Encodes a model as ASCII text: `name=value&name=value`.
    public func encode(_ value: some Encodable) throws -> String {
        String(decoding: try encodeBody(value), as: UTF8.self)
    }
}

extension URLEncodedFormEncoder: RequestEncoder {
    /// `application/x-www-form-urlencoded`.
    public var contentType: String { "application/x-www-form-urlencoded" }

    /// Encodes a model as the bytes of a form.
    public func encodeBody(_ value: some Encodable) throws -> ArraySlice<UInt8> {
        let encoder = ParameterValueEncoder(self)
        try encoder.encode(value)
        guard case .object(let members) = encoder.node.parameterValue else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "the root of a form has to be a model or a dictionary"))
        }
        let rules = PairRules(
            lists: arrayEncoding, booleans: boolEncoding, members: keyPathEncoding, sortsKeys: sortsKeys,
            escaping: Escaping(spaceAsPlus: spaceEncoding.isPlus, keepsSlashes: true))
        do throws(RequestFault) {
            let bytes = try ByteWriter.collect { (writer) throws(RequestFault) in
                var separator: UInt8?
                for member in sortsKeys ? members.sorted(by: { $0.name < $1.name }) : members {
                    try rules.append(member.name, member.value, separator: &separator, to: &writer)
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
    /// Returns the lower-case words of a camel-case name. The last of several capitals begins a word:
    /// `URLName`.
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
