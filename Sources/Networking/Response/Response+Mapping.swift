import FoundationEssentials
import HTTPModel
public import JSONBytes

/// A success as bytes, text and models. A failing status throws unless `filter(statusCodes:)` accepted it.
extension Response {
    /// Returns the data of a success: checked, unwrapped and validated in one pass, as a slice without a
    /// copy. `null` for 204, 205 and, if the target allows it, an empty body.
    ///
    /// - Parameters:
    ///   - pointer: a location in the data. If nothing is there, the call fails with `missing_data`.
    ///   - kind: the required kind of value. Other kinds fail with `decode_error`.
    public func fragment(at pointer: JSONPointer = .root, as kind: JSONFragment.Kind? = nil) throws
        -> JSONFragment
    {
        try reporting {
            guard let data = try content() else { return .null }
            let found = try value(at: pointer, in: data)
            guard kind == nil || found.kind == kind else {
                throw NetworkError(
                    self, kind: .pathErr, reason: .decodeError,
                    message: "the data has an unexpected JSON type")
            }
            return found
        }
    }

    /// Returns the complete body as JSON, including its envelope (Moya's `mapJSON`). A `JSONFragment` is
    /// validated, `Sendable`, and gives access to members, elements and values without decoding.
    ///
    /// - Parameter failsOnEmptyData: whether an empty body, 204 and 205 are failures. Otherwise they are
    ///   `null`.
    public func mapJSON(failsOnEmptyData: Bool = true) throws -> JSONFragment {
        try reporting {
            guard let content = try content(allowsNothing: !failsOnEmptyData) else {
                guard !failsOnEmptyData else { throw noContentError() }
                return data.isEmpty ? .null : try wholeBody()
            }
            if case .none = call.envelope.form { return content }
            return try wholeBody()
        }
    }

    /// Returns the complete body as text (Moya's `mapString`), or the JSON string at a key path in the data.
    ///
    /// The text is read in the `charset` of `Content-Type`, by default in UTF-8. Known are the names of the
    /// IANA registry for UTF-8, UTF-16, UTF-32, US-ASCII, ISO-8859-1 and macintosh; in a program that imports
    /// Foundation also those for ISO-8859-2, windows-1250 to windows-1254 and Shift_JIS. In any other
    /// `charset`, such as EUC-KR, only UTF-8 is read.
    ///
    /// - Throws: `NetworkError` of kind `pathErr` and reason `decode_error` with a `StringMappingError`, if
    ///   the body is neither text in its `charset` nor in UTF-8.
    public func mapString(atKeyPath keyPath: String? = nil) throws -> String {
        if let keyPath { return try map(String.self, atKeyPath: keyPath) }
        return try reporting {
            try checkBody()
            if case .none = call.envelope.form {} else { _ = try content(allowsNothing: true) }
            let charset = charset
            if let charset, let text = Response.text(data, charset) { return text }
            guard let text = String(validating: data, as: UTF8.self) else {
                throw NetworkError(
                    self, kind: .pathErr, reason: .decodeError,
                    message: charset == nil
                        ? "the body is not UTF-8" : "the body is neither text in its charset nor UTF-8",
                    underlying: StringMappingError())
            }
            return text
        }
    }

    /// The `charset` of `Content-Type`; nil if it is missing or UTF-8.
    private var charset: String? {
        guard let type = fields.firstValueBytes(.contentType),
            let charset = MediaType(bytes: type)?.parameter("charset"), charset.lowercased() != "utf-8"
        else { return nil }
        return charset
    }

    /// Returns nil if the encoding is not known, or the bytes are not text in it.
    private static func text(_ bytes: ArraySlice<UInt8>, _ charset: String) -> String? {
        String.Encoding(ianaName: charset).flatMap { String(bytes: bytes, encoding: $0) }
    }

    /// Decodes the data of a success.
    ///
    /// - Parameters:
    ///   - type: the model.
    ///   - keyPath: names and list indices separated by dots, as in Moya: `"items.0.name"`. Nil for all of
    ///     the data.
    ///   - decoder: default `Response.decoder`.
    ///   - failsOnEmptyData: whether missing content (an empty body, 204, 205, an envelope without data) is a
    ///     failure. Otherwise the model is decoded from `{}` or, if that fails, from `[]`.
    /// - Throws: `NetworkError`, of kind `noContent` if there is nothing to decode.
    public func map<Model: Decodable>(
        _ type: Model.Type, atKeyPath keyPath: String? = nil,
        using decoder: any ResponseDecoder = Response.decoder, failsOnEmptyData: Bool = true
    ) throws -> Model {
        try reporting {
            if let model = try decoded(type, keyPath, decoder, allowsNothing: !failsOnEmptyData) {
                return model
            }
            guard !failsOnEmptyData, let model = Response.emptyModel(type, decoder) else {
                throw noContentError()
            }
            return model
        }
    }

    /// Decodes the data of a success; nil for 204, 205 and, if the target allows it, an empty body.
    public func map<Model: Decodable>(
        _ type: Model?.Type, atKeyPath keyPath: String? = nil,
        using decoder: any ResponseDecoder = Response.decoder
    ) throws -> Model? {
        try reporting { try decoded(Model.self, keyPath, decoder) }
    }

    private func decoded<Model: Decodable>(
        _ type: Model.Type, _ keyPath: String?, _ decoder: any ResponseDecoder, allowsNothing: Bool = false
    ) throws(NetworkError) -> Model? {
        guard let data = try content(allowsNothing: allowsNothing) else { return nil }
        return try model(
            type, from: try value(at: keyPath.map(JSONPointer.init(keyPath:)) ?? .root, in: data), decoder)
    }

    func model<Model: Decodable>(
        _ type: Model.Type, from fragment: JSONFragment, _ decoder: any ResponseDecoder
    ) throws(NetworkError) -> Model {
        do {
            return try decoder.decode(type, from: fragment)
        } catch {
            throw NetworkError(
                self, kind: .pathErr, reason: .decodeError,
                message: "the data does not match the expected model",
                underlying: error)
        }
    }

    private func value(at pointer: JSONPointer, in data: JSONFragment) throws(NetworkError) -> JSONFragment {
        if let found = rareParts?.reading?.value(at: pointer) ?? data.value(at: pointer) { return found }
        throw NetworkError(
            self, kind: .pathErr, reason: .missingData, message: "the data has nothing at \(pointer)")
    }

    /// Returns the body as JSON, including its envelope.
    func wholeBody() throws(NetworkError) -> JSONFragment {
        do {
            return try JSONFragment(validating: data, limits: jsonLimits)
        } catch {
            throw bodyError(.notJSON(error))
        }
    }

    private func noContentError() -> NetworkError {
        NetworkError(
            self, kind: .noContent, reason: .missingData, message: "the response has no content")
    }

    private static func emptyModel<Model: Decodable>(
        _ type: Model.Type, _ decoder: any ResponseDecoder
    ) -> Model? {
        for text in ["{}", "[]"] {
            if let empty = try? JSONFragment(validating: Array(text.utf8)[...]),
                let model = try? decoder.decode(type, from: empty)
            {
                return model
            }
        }
        return nil
    }

    /// Runs `work` and reports its failure to the plugins.
    private func reporting<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as NetworkError {
            throw reported(error)
        }
    }
}

/// The body is neither text in its `charset` nor UTF-8.
public struct StringMappingError: Error, Sendable {}

extension JSONPointer {
    fileprivate init(keyPath: String) {
        self.init(members: keyPath.split(separator: ".").map(String.init))
    }
}
