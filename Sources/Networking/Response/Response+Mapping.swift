public import JSONBytes

/// What a success holds, as bytes, text and models. All of these judge the response first: a status that is no success is their
/// failure, unless `filter(statusCodes:)` let it pass.
extension Response {
    /// The data of a success as the bytes it came in: judged, unwrapped, validated in one pass, sliced and not
    /// copied. `null` for 204, 205 and, where the target allows it, for nothing.
    ///
    /// - Parameters:
    ///   - pointer: where in the data; nothing there is `missing_data`.
    ///   - kind: what has to be there; something else is `decode_error`.
    public func fragment(at pointer: JSONPointer = .root, as kind: JSONFragment.Kind? = nil) throws
        -> JSONFragment
    {
        try reporting {
            guard let data = try content() else { return .null }
            let found = try value(at: pointer, in: data)
            guard kind == nil || found.kind == kind else {
                throw NetworkError(
                    self, kind: .pathErr, reason: .decodeError,
                    message: "the answer is of another kind than expected")
            }
            return found
        }
    }

    /// The whole body as JSON, its envelope too (Moya's `mapJSON`): a `JSONFragment`, which is validated, `Sendable`, and read by
    /// member, element, pointer and value without being decoded.
    ///
    /// - Parameter failsOnEmptyData: whether a body of no bytes, and 204 and 205, are a failure; else they are `null`.
    public func mapJSON(failsOnEmptyData: Bool = true) throws -> JSONFragment {
        try reporting {
            guard let content = try content(allowsNothing: !failsOnEmptyData) else {
                guard !failsOnEmptyData else { throw nothing() }
                return data.isEmpty ? .null : try whole()
            }
            if case .none = call.envelope.form { return content }
            return try whole()
        }
    }

    /// The whole body as text, UTF-8 (Moya's `mapString`); empty where there is no body. With a key path, the JSON string that
    /// stands there in the data.
    public func mapString(atKeyPath keyPath: String? = nil) throws -> String {
        if let keyPath { return try map(String.self, atKeyPath: keyPath) }
        return try reporting {
            try checkBody()
            if case .none = call.envelope.form {} else { _ = try content(allowsNothing: true) }
            guard let text = String(validating: data, as: UTF8.self) else {
                throw NetworkError(
                    self, kind: .pathErr, reason: .decodeError, message: "the body is not UTF-8",
                    underlying: StringMappingError())
            }
            return text
        }
    }

    /// The data of a success, decoded.
    ///
    /// - Parameters:
    ///   - type: what the data is decoded as.
    ///   - keyPath: names and places in lists parted by dots, as in Moya: `"items.0.name"`; nil for all of the data.
    ///   - decoder: default `Response.decoder`.
    ///   - failsOnEmptyData: whether it is a failure that there is nothing: no body, 204, 205, an envelope without data. Where it
    ///     is none, the model is decoded from `{}`, or else from `[]`.
    /// - Throws: `NetworkError`; of the kind `noContent` where there is nothing to decode.
    public func map<Model: Decodable>(
        _ type: Model.Type, atKeyPath keyPath: String? = nil,
        using decoder: any ResponseDecoder = Response.decoder, failsOnEmptyData: Bool = true
    ) throws -> Model {
        try reporting {
            if let model = try decoded(type, keyPath, decoder, allowsNothing: !failsOnEmptyData) {
                return model
            }
            guard !failsOnEmptyData, let model = Response.emptyModel(type, decoder) else { throw nothing() }
            return model
        }
    }

    /// The data of a success, decoded; nil for 204, 205 and, where the target allows it, for nothing.
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

    /// A model out of a part of the body.
    func model<Model: Decodable>(
        _ type: Model.Type, from fragment: JSONFragment, _ decoder: any ResponseDecoder
    ) throws(NetworkError) -> Model {
        do {
            return try decoder.decode(type, from: fragment)
        } catch {
            throw NetworkError(
                self, kind: .pathErr, reason: .decodeError, message: "the answer has not the expected shape",
                underlying: error)
        }
    }

    private func value(at pointer: JSONPointer, in data: JSONFragment) throws(NetworkError) -> JSONFragment {
        if let found = data.value(at: pointer) { return found }
        throw NetworkError(
            self, kind: .pathErr, reason: .missingData, message: "the answer has nothing at \(pointer)")
    }

    private func whole() throws(NetworkError) -> JSONFragment {
        do {
            return try JSONFragment(validating: data, limits: jsonLimits)
        } catch {
            throw bodyError(.notJSON(error))
        }
    }

    private func nothing() -> NetworkError {
        NetworkError(
            self, kind: .noContent, reason: .missingData, message: "the answer is that there is nothing")
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

    /// What `work` gives; its failure is told to the plugins.
    private func reporting<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as NetworkError {
            throw reported(error)
        }
    }
}

/// The body of a response is no text: not UTF-8.
public struct StringMappingError: Error, Sendable {}

extension JSONPointer {
    fileprivate init(keyPath: String) {
        self.init(members: keyPath.split(separator: ".").map(String.init))
    }
}
