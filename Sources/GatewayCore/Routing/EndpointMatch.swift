/// The endpoint that a request's method and path match, with the values of its path parameters.
package final class EndpointMatch: Sendable {
    let endpoint: Endpoint
    /// The decoded segments that the template's parameters match, in the order of the template.
    let parameters: [ArraySlice<UInt8>]

    init(_ endpoint: Endpoint, _ parameters: [ArraySlice<UInt8>] = []) {
        self.endpoint = endpoint
        self.parameters = parameters
    }

    /// In bytes.
    package var bodyLimit: Int { endpoint.settings.bodyLimit }

    /// Returns the match with these values; `self`, without an allocation, if there are none.
    func with(_ parameters: [ArraySlice<UInt8>]) -> EndpointMatch {
        parameters.isEmpty ? self : EndpointMatch(endpoint, parameters)
    }
}
