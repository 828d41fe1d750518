import ASCIIText

/// A media type (RFC 9110 8.3.1), `type/subtype` with parameters. Type, subtype and parameter names are
/// lowercase.
public struct MediaType: Sendable, Hashable {
    /// The type in lower case: `application`.
    public let type: String
    /// The subtype in lower case: `json`.
    public let subtype: String
    /// The parameters in their order.
    public let parameters: [Parameter]

    /// A parameter: `charset=utf-8`.
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public let name: String
        /// The value without quotes.
        public let value: String

        /// Creates a parameter.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a media type. Type and subtype are put in lower case.
    public init(type: String, subtype: String, parameters: [Parameter] = []) {
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters
    }

    /// Returns nil if the text is not a media type.
    public init?(_ text: some StringProtocol) {
        self.init(bytes: Array(text.utf8)[...])
    }

    /// Returns nil if the bytes are not a media type.
    public init?(bytes: ArraySlice<UInt8>) {
        var scanner = ParameterScanner(bytes)
        guard let type = scanner.token(), scanner.skip(Byte.slash), let subtype = scanner.token() else {
            return nil
        }
        var parameters: [Parameter] = []
        while scanner.skipSemicolon() {
            // RFC 9110 5.6.6: a parameter may be empty.
            guard let name = scanner.token() else { continue }
            guard scanner.skip(Byte.equals), let value = scanner.tokenOrQuoted() else { return nil }
            parameters.append(Parameter(name: name.lowercased(), value: value))
        }
        guard scanner.isAtEnd else { return nil }
        self.init(type: type, subtype: subtype, parameters: parameters)
    }

    /// Returns the value of the first parameter with this name in lower case; nil without one.
    public func parameter(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Whether type and subtype are equal. Parameters are ignored.
    public func isSameType(as other: MediaType) -> Bool {
        type == other.type && subtype == other.subtype
    }

    /// Whether a body of this type is JSON: `application/json` or a subtype with the suffix `+json` (RFC
    /// 6839 3.1).
    public var isJSON: Bool {
        type == "application" && (subtype == "json" || subtype.hasSuffix("+json"))
    }

    /// Whether a body of this type is a form of names and values: `application/x-www-form-urlencoded`.
    package var isForm: Bool { type == "application" && subtype == "x-www-form-urlencoded" }

    /// `application/json`.
    public static var json: MediaType { MediaType(type: "application", subtype: "json") }
    /// `application/problem+json` (RFC 9457).
    public static var problemJSON: MediaType { MediaType(type: "application", subtype: "problem+json") }
}

extension MediaType: CustomStringConvertible {
    /// The value as text, for logs and messages.
    public var description: String {
        parameters.reduce("\(type)/\(subtype)") { text, parameter in
            let plain = !parameter.value.isEmpty && parameter.value.utf8.allSatisfy(ASCII.isTokenByte)
            if plain { return text + "; \(parameter.name)=\(parameter.value)" }
            let escaped = parameter.value.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
            return text + "; \(parameter.name)=\"\(String(escaped))\""
        }
    }
}
