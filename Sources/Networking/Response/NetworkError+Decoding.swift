import JSONBytes

extension NetworkError {
    /// Decodes the data in the failure's envelope; nil if it is missing or does not match the model.
    public func payload<Payload: Decodable>(
        as type: Payload.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> Payload? {
        payload.flatMap { try? decoder.decode(type, from: $0) }
    }

    /// Decodes the body of the failed response, e.g. as the API's error model. Nil if it is missing or does
    /// not match.
    public func decode<Body: Decodable>(
        _ type: Body.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> Body? {
        guard let response, let body = try? JSONFragment(validating: response.data) else { return nil }
        return try? decoder.decode(type, from: body)
    }
}
