import JSONBytes

extension Response {
    /// What became of a call whose upstream speaks GenericResponse, whether its target declares that or not, with the envelope as a
    /// model: the status of HTTP and the one inside are told apart, and a failing one inside a success is no success.
    ///
    /// - `success`: both statuses are 2xx. `data` may be missing: that is for the reader to say.
    /// - `noContent`: 204 or 205, or nothing in the body where the target allows that.
    /// - `requestErr`, `serverErr`: the status is 4xx or 5xx, or a failing one inside a success (`serverErr`); code, message and data of
    ///   the envelope are in the error.
    /// - `pathErr`: the body is no such envelope, or its data has not the expected shape.
    public func judge<Payload: Decodable>(
        _ type: Payload.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> NetworkResult<GenericResponse<Payload>> {
        do throws(NetworkError) {
            try checkBody(in: .genericResponse)
            if isWithoutContent || (data.isEmpty && call.allowsEmptyBody) { return .noContent }
            let opened: OpenedEnvelope
            let body: JSONFragment
            do {
                opened = try ResponseEnvelope.openGeneric(data, jsonLimits)
                body = try JSONFragment(validating: data, limits: jsonLimits)
            } catch let fault as BodyFault {
                throw bodyError(fault)
            } catch {
                throw bodyError(.shape("the body cannot be read"))
            }
            guard opened.isSuccess || isAccepted else { throw innerFailure(opened) }
            return .success(try model(GenericResponse<Payload>.self, from: body, decoder))
        } catch {
            return NetworkResult(reported(error))
        }
    }
}
