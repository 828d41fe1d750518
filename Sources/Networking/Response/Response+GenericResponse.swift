import JSONBytes

extension Response {
    /// Returns the outcome of a call to an API that uses `GenericResponse`, with the decoded envelope, even
    /// if the target does not declare it. A failing status in the envelope is a failure, whatever the HTTP
    /// status.
    ///
    /// - `success`: both statuses are 2xx. `data` may be missing.
    /// - `noContent`: 204 or 205, or an empty body if the target allows one.
    /// - `requestErr`, `serverErr`: the HTTP status is 4xx or 5xx, or the inner status fails (`serverErr`).
    ///   The error has the envelope's code, message and data.
    /// - `pathErr`: the body is not such an envelope, or its data has another shape.
    public func judge<Payload: Decodable>(
        _ type: Payload.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> NetworkResult<GenericResponse<Payload>> {
        do throws(NetworkError) {
            try checkBody(in: .genericResponse)
            if isWithoutContent || (data.isEmpty && call.allowsEmptyBody) { return .noContent }
            let opened: OpenedEnvelope
            do throws(BodyFault) {
                opened = try ResponseEnvelope.openGeneric(data, jsonLimits)
            } catch {
                throw bodyError(error)
            }
            guard opened.isSuccess || isAccepted else { throw envelopeFailure(opened) }
            return .success(try model(GenericResponse<Payload>.self, from: wholeBody(), decoder))
        } catch {
            return NetworkResult(reported(error))
        }
    }
}
