import HTTPModel
import JSONBytes

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

    /// The response if its status is this one.
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

    // MARK: - Judging

    /// The data; nil where the answer is that there is none.
    ///
    /// - Parameter allowsNothing: whether nothing is an answer where the target does not say so.
    func content(allowsNothing: Bool = false) throws(NetworkError) -> JSONFragment? {
        try checkBody()
        if isWithoutContent { return nil }
        let allowsNothing = allowsNothing || call.allowsEmptyBody
        if data.isEmpty, allowsNothing { return nil }
        do {
            switch call.envelope.form {
            case .none: return try plainContent()
            case .generic: return try unwrapped(ResponseEnvelope.openGeneric(data, jsonLimits), allowsNothing)
            case .declared(let declared):
                return try unwrapped(ResponseEnvelope.open(data, declared, jsonLimits), allowsNothing)
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

    /// 204 and 205 say that there is nothing.
    var isWithoutContent: Bool { statusCode == 204 || statusCode == 205 }

    /// Fails unless the status is a success and the body in no registered content coding.
    func checkBody(in envelope: ResponseEnvelope? = nil) throws(NetworkError) {
        if !isPlainSuccess, let error = statusError(envelope) { throw error }
        guard !isWithoutContent, BodyCoding(fields) == .registered else { return }
        throw NetworkError(
            self, kind: .networkFail, reason: .responseContentCoding,
            message: "the body is in a content coding that is not undone")
    }

    var jsonLimits: JSONLimits { call.settings.policy.json }

    private func plainContent() throws -> JSONFragment {
        do {
            return try JSONScanner.validate(data, limits: jsonLimits)
        } catch {
            throw BodyFault.notJSON(error)
        }
    }

    private func unwrapped(
        _ opened: consuming OpenedEnvelope, _ allowsNothing: Bool
    ) throws(NetworkError) -> JSONFragment? {
        guard opened.isSuccess || isAccepted else { throw innerFailure(opened) }
        if let data = opened.data { return data }
        if opened.status == 204 || opened.status == 205 || allowsNothing { return nil }
        throw NetworkError(
            self, kind: .pathErr, reason: .missingData, message: "the answer has no data", envelope: opened)
    }

    /// A failing status within the envelope of a success.
    func innerFailure(_ opened: OpenedEnvelope) -> NetworkError {
        NetworkError(
            self, kind: .serverErr, reason: .upstreamStatus,
            message: "it reports a failure inside its answer",
            statusCode: opened.status, envelope: opened)
    }

    func bodyError(_ fault: BodyFault) -> NetworkError {
        switch fault {
        case .notJSON(let error) where BodyCoding(fields) != nil:
            NetworkError(
                self, kind: .networkFail, reason: .responseContentCoding,
                message: "the body is not JSON, and its content coding is unknown", underlying: error)
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
    ///
    /// - Parameter envelope: what the failure's body is read in; nil: the target's.
    func statusError(_ envelope: ResponseEnvelope? = nil) -> NetworkError? {
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
                envelope: (try? (envelope ?? call.envelope).open(data, jsonLimits)) ?? nil)
        default:
            return unexpectedStatus()
        }
    }

    private func unexpectedStatus() -> NetworkError {
        NetworkError(
            self, kind: .pathErr, reason: .unexpectedStatus,
            message: "status \(statusCode) is no answer to this request")
    }

    func reported(_ error: NetworkError) -> NetworkError {
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
