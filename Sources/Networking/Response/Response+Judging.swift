public import FoundationEssentials
import HTTPModel
public import JSONBytes

/// What a response means: the table of outcomes in one place.
extension Response {
    /// The response if its status is a success: 2xx but an unasked 206, or one that `filter(statusCodes:)` let pass. 204 is one.
    ///
    /// Otherwise throws a `NetworkError` with the upstream's own words where it speaks an envelope.
    public func checkStatusCode() throws -> Response {
        if !isPlainSuccess, let error = statusError() { throw reported(error) }
        return self
    }

    /// The response if its status is among `statusCodes`; it counts as a success from there on.
    public func filter(statusCodes: some Sequence<Int>) throws -> Response {
        if statusCodes.contains(statusCode) { return accepted() }
        throw reported(statusError() ?? unexpectedStatus())
    }

    public func filter(statusCode: Int) throws -> Response {
        try filter(statusCodes: CollectionOfOne(statusCode))
    }

    /// The response if its status is 2xx.
    public func filterSuccessfulStatusCodes() throws -> Response {
        try filter(statusCodes: 200...299)
    }

    /// The response if its status is 2xx or 3xx.
    public func filterSuccessfulStatusAndRedirectCodes() throws -> Response {
        try filter(statusCodes: 200...399)
    }

    /// The data of a success as the bytes it came in: judged, unwrapped, validated in one pass, sliced and not
    /// copied. `null` for 204, 205 and, where the target allows it, for nothing.
    ///
    /// - Parameters:
    ///   - pointer: where in the data; nothing there is `missing_data`.
    ///   - kind: what has to be there; something else is `decode_error`.
    public func fragment(at pointer: JSONPointer = .root, as kind: JSONFragment.Kind? = nil) throws
        -> JSONFragment
    {
        do {
            guard let data = try content() else { return .null }
            guard let found = data.value(at: pointer) else {
                throw NetworkError(
                    self, kind: .pathErr, reason: .missingData,
                    message: "the answer has nothing at \(pointer)")
            }
            guard kind == nil || found.kind == kind else {
                throw NetworkError(
                    self, kind: .pathErr, reason: .decodeError,
                    message: "the answer is of another kind than expected")
            }
            return found
        } catch let error as NetworkError {
            throw reported(error)
        }
    }

    /// The data of a success, decoded.
    ///
    /// - Parameters:
    ///   - keyPath: names parted by dots, as in Moya: `"items.first"`; nil for all of the data.
    ///   - decoder: default `JSONDecoder()`.
    /// - Throws: `NetworkError`; of the kind `noContent` where there is nothing to decode.
    public func map<Model: Decodable>(
        _ type: Model.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = Response.decoder
    ) throws -> Model {
        guard let model = try decoded(type, keyPath, decoder) else {
            throw reported(
                NetworkError(
                    self, kind: .noContent, reason: .missingData,
                    message: "the answer is that there is nothing"))
        }
        return model
    }

    /// The data of a success, decoded; nil for 204, 205 and, where the target allows it, for nothing.
    public func map<Model: Decodable>(
        _ type: Model?.Type, atKeyPath keyPath: String? = nil, using decoder: JSONDecoder = Response.decoder
    ) throws -> Model? {
        try decoded(Model.self, keyPath, decoder)
    }

    /// The text of a JSON string in the data of a success.
    public func mapString(atKeyPath keyPath: String? = nil) throws -> String {
        try map(String.self, atKeyPath: keyPath)
    }

    public static let decoder = JSONDecoder()

    private func decoded<Model: Decodable>(
        _ type: Model.Type, _ keyPath: String?, _ decoder: JSONDecoder
    ) throws -> Model? {
        do {
            guard let data = try content() else { return nil }
            let pointer = keyPath.map(JSONPointer.init(keyPath:)) ?? .root
            guard let found = data.value(at: pointer) else {
                throw NetworkError(
                    self, kind: .pathErr, reason: .missingData,
                    message: "the answer has nothing at \(pointer)")
            }
            do {
                return try decoder.decode(type, from: Data(found.bytes))
            } catch {
                throw NetworkError(
                    self, kind: .pathErr, reason: .decodeError,
                    message: "the answer has not the expected shape",
                    underlying: error)
            }
        } catch let error as NetworkError {
            throw reported(error)
        }
    }

    // MARK: - Judging

    /// The data; nil where the answer is that there is none.
    private func content() throws(NetworkError) -> JSONFragment? {
        if !isPlainSuccess, let error = statusError() { throw error }
        if statusCode == 204 || statusCode == 205 { return nil }
        if let coding = fields.firstValueBytes(.contentEncoding), !coding.elementsEqual("identity".utf8) {
            throw NetworkError(
                self, kind: .networkFail, reason: .responseContentCoding,
                message: "the body is in a content coding that was not asked for")
        }
        if data.isEmpty, call.allowsEmptyBody { return nil }
        do {
            switch call.envelope.form {
            case .none: return try plainContent()
            case .generic: return try unwrapped(ResponseEnvelope.openGeneric(data, jsonLimits))
            case .declared(let declared):
                return try unwrapped(ResponseEnvelope.open(data, declared, jsonLimits))
            }
        } catch let fault as BodyFault {
            throw bodyError(fault)
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(
                self, kind: .pathErr, reason: .decodeError, message: "the body cannot be read",
                underlying: error)
        }
    }

    private var jsonLimits: JSONLimits { call.settings.policy.json }

    private func plainContent() throws -> JSONFragment {
        do {
            return try JSONScanner.validate(data, limits: jsonLimits)
        } catch {
            throw BodyFault.notJSON(error)
        }
    }

    private func unwrapped(_ opened: consuming OpenedEnvelope) throws(NetworkError) -> JSONFragment? {
        guard opened.isSuccess || isAccepted else {
            throw NetworkError(
                self, kind: .serverErr, reason: .upstreamStatus,
                message: "it reports a failure inside its answer",
                statusCode: opened.status, envelope: opened)
        }
        if let data = opened.data { return data }
        if opened.status == 204 || opened.status == 205 || call.allowsEmptyBody { return nil }
        throw NetworkError(
            self, kind: .pathErr, reason: .missingData, message: "the answer has no data", envelope: opened)
    }

    private func bodyError(_ fault: BodyFault) -> NetworkError {
        switch fault {
        case .notJSON(let error):
            NetworkError(
                self, kind: .pathErr, reason: .decodeError,
                message: data.isEmpty ? "the body is empty" : "the body is not JSON: \(error)",
                underlying: error)
        case .shape(let text):
            NetworkError(self, kind: .pathErr, reason: .decodeError, message: text)
        }
    }

    /// The usual case of what `statusError` finds nothing wrong with.
    private var isPlainSuccess: Bool { statusCode == 200 }

    /// Why the status alone says that this is no success; nil when it does not.
    private func statusError() -> NetworkError? {
        guard !isAccepted else { return nil }
        switch statusCode {
        case 206 where !call.fields.contains(.range) && !call.contextFields.contains(.range):
            return unexpectedStatus()
        case 200..<300:
            return nil
        case 400..<600:
            return NetworkError(
                self, kind: statusCode < 500 ? .requestErr : .serverErr, reason: .upstreamStatus,
                message: "it answered with status \(statusCode)", statusCode: statusCode,
                envelope: (try? call.envelope.open(data, jsonLimits)) ?? nil)
        default:
            return unexpectedStatus()
        }
    }

    private func unexpectedStatus() -> NetworkError {
        NetworkError(
            self, kind: .pathErr, reason: .unexpectedStatus,
            message: "status \(statusCode) is no answer to this request")
    }

    /// How long the upstream asks to wait, by the field that came with this response.
    var retryAfter: Duration? {
        RetryAfter.delay(in: fields, now: receivedAt)
    }

    private func reported(_ error: NetworkError) -> NetworkError {
        guard call.settings.hasPlugins else { return error }
        CallContext.$current.withValue(call.context ?? .current) {
            for plugin in call.settings.plugins { plugin.didFail(error, call: call) }
        }
        return error
    }
}

extension TransportResponse {
    /// The data where this is the plain success that nearly every response is, judged as `Response.fragment()` judges it. Nil
    /// is for that one to explain.
    func plainData(of call: TransportCall) -> JSONFragment? {
        guard status.code == 200, !fields.contains(.contentEncoding) else { return nil }
        return call.envelope.plainData(body, call.settings.policy.json)
    }
}

extension JSONPointer {
    fileprivate init(keyPath: String) {
        self.init(members: keyPath.split(separator: ".").map(String.init))
    }
}
