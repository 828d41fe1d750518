public import JSONBytes
public import Networking

// Declared to be unavailable, so that the compiler names the cure for a part without `.fragment()`.
@available(*, unavailable, message: "add .fragment() to the call")
extension Response: JSONRepresentable {
    /// Not available: the response to a call becomes JSON by `fragment()`.
    public func jsonFragment() throws -> JSONFragment {
        throw EndpointFault("a response is not JSON: add .fragment() to the call")
    }
}
