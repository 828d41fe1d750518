import HTTPModel
@_spi(Reading) import JSONBytes

/// The rules that turn a response into data or a failure.
extension Response {
    /// Returns the response if its status is a success: 2xx except an unrequested 206, or accepted by
    /// `filter(statusCodes:)`.
    ///
    /// - Throws: a `NetworkError`, with the upstream's own message if it uses an envelope.
    public func checkStatusCode() throws -> Response {
        if !isPlainSuccess, let error = statusError() { throw reported(error) }
        return self
    }

    /// Returns the response if its status is in `statusCodes`. From there on, the status counts as a success.
    public func filter(statusCodes: some Sequence<Int>) throws -> Response {
        if statusCodes.contains(statusCode) { return accepted() }
        throw reported(statusError() ?? unexpectedStatus())
    }

    /// Returns the response if its status equals `statusCode`.
    public func filter(statusCode: Int) throws -> Response {
        try filter(statusCodes: CollectionOfOne(statusCode))
    }

    /// Returns the response if its status is 2xx.
    public func filterSuccessfulStatusCodes() throws -> Response {
        try filter(statusCodes: 200...299)
    }

    /// Returns the response if its status is 2xx or 3xx.
    public func filterSuccessfulStatusAndRedirectCodes() throws -> Response {
        try filter(statusCodes: 200...399)
    }

    // MARK: - Judging

    /// Returns the data; nil if the response has no content.
    ///
    /// - Parameter allowsNothing: whether missing content is valid even if the target does not allow it.
    func content(allowsNothing: Bool = false) throws(NetworkError) -> JSONFragment? {
        try checkBody()
        if isWithoutContent { return nil }
        let allowsNothing = allowsNothing || call.allowsEmptyBody
        if data.isEmpty, allowsNothing { return nil }
        if let reading = rareParts?.reading { return try content(reading, allowsNothing) }
        let opened: OpenedEnvelope
        do throws(BodyFault) {
            switch call.envelope.form {
            case .none: return try plainContent()
            case .generic: opened = try ResponseEnvelope.openGeneric(data, jsonLimits)
            case .declared(let declared): opened = try ResponseEnvelope.open(data, declared, jsonLimits)
            }
        } catch {
            throw bodyError(error)
        }
        return try unwrapped(opened, allowsNothing)
    }

    private func content(
        _ reading: BodyReading, _ allowsNothing: Bool
    ) throws(NetworkError) -> JSONFragment? {
        switch reading.content {
        case .success(.plain(let value)): return value
        case .success(.enveloped(let opened)): return try unwrapped(opened, allowsNothing)
        case .failure(let fault): throw bodyError(fault)
        }
    }

    var isWithoutContent: Bool { statusCode == 204 || statusCode == 205 }

    /// Throws unless the status is a success and the body is empty or has no registered content coding.
    func checkBody(in envelope: ResponseEnvelope? = nil) throws(NetworkError) {
        if !isPlainSuccess, let error = statusError(envelope) { throw error }
        guard !isWithoutContent, !data.isEmpty, BodyCoding(fields) == .registered else { return }
        throw NetworkError(
            self, kind: .networkFail, reason: .responseContentCoding,
            message: "the body is in a content coding that is not decoded")
    }

    var jsonLimits: JSONLimits { call.settings.policy.json }

    private func plainContent() throws(BodyFault) -> JSONFragment {
        do {
            return try JSONScanner.validate(data, limits: jsonLimits)
        } catch {
            throw .notJSON(error)
        }
    }

    private func unwrapped(
        _ opened: consuming OpenedEnvelope, _ allowsNothing: Bool
    ) throws(NetworkError) -> JSONFragment? {
        guard opened.isSuccess || isAccepted else { throw envelopeFailure(opened) }
        if let data = opened.data { return data }
        if opened.status == 204 || opened.status == 205 || allowsNothing { return nil }
        throw NetworkError(
            self, kind: .pathErr, reason: .missingData, message: "the response has no data", envelope: opened)
    }

    /// Returns the failure for a failing status in the envelope of a 2xx response.
    func envelopeFailure(_ opened: OpenedEnvelope) -> NetworkError {
        NetworkError(
            self, kind: .serverErr, reason: .upstreamStatus,
            message: "the upstream reported a failure in its envelope",
            statusCode: opened.status, envelope: opened)
    }

    func bodyError(_ fault: BodyFault) -> NetworkError {
        switch fault {
        case .notJSON(let error) where !data.isEmpty && BodyCoding(fields) != nil:
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

    /// The common case, in which `statusError` returns nil.
    private var isPlainSuccess: Bool { statusCode == 200 }

    /// Returns the failure that the status alone implies, if any.
    ///
    /// - Parameter envelope: the envelope of the error body. Default nil: the target's.
    func statusError(_ envelope: ResponseEnvelope? = nil) -> NetworkError? {
        guard !isAccepted else { return nil }
        switch statusCode {
        case 206 where !call.fields.contains(.range) && !call.contextFields.contains(.range):
            return unexpectedStatus()
        case 200..<300:
            return nil
        case 400...:
            return NetworkError(
                self, kind: statusCode < 500 ? .requestErr : .serverErr, reason: .upstreamStatus,
                message: "the upstream answered with status \(statusCode)", statusCode: statusCode,
                envelope: opened(by: envelope))
        default:
            return unexpectedStatus()
        }
    }

    private func opened(by envelope: ResponseEnvelope?) -> OpenedEnvelope? {
        if envelope == nil, let reading = rareParts?.reading { return reading.envelope }
        return (try? (envelope ?? call.envelope).open(data, jsonLimits)) ?? nil
    }

    private func unexpectedStatus() -> NetworkError {
        NetworkError(
            self, kind: .pathErr, reason: .unexpectedStatus,
            message: "status \(statusCode) is unexpected for this request")
    }

    /// Reports the error to the plugins and returns it.
    func reported(_ error: NetworkError) -> NetworkError {
        guard call.settings.hasPlugins else { return error }
        CallContext.$current.withValue(call.context ?? .current) {
            for plugin in call.settings.plugins { plugin.didFail(error, call: call) }
        }
        return error
    }
}

extension TransportResponse {
    /// Returns the data of the common plain success, checked exactly as in `Response.fragment()`. Nil in all
    /// other cases; then `Response.fragment()` finds out why.
    ///
    /// - Parameter rareParts: the response's; a large body was read already.
    func plainData(of call: TransportCall, _ rareParts: RareParts?) -> JSONFragment? {
        guard status.code == 200, !fields.contains(.contentEncoding) else { return nil }
        if let reading = rareParts?.reading { return reading.data }
        return call.envelope.plainData(body, call.settings.policy.json)
    }
}
