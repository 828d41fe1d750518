/// Sees what a provider does. Called on the call's own loop, inline: be quick, block nothing.
public protocol PluginType: Sendable {
    /// An attempt is about to be sent; the first is 1.
    func willSend(_ call: TransportCall, attempt: Int)

    /// The call ended with a response of whatever status, or without one. Once a call, after all attempts; not
    /// for a call that was disposed.
    func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall)

    /// An answer was read as a failure: by its status, its envelope or its shape. Beside `didReceive`.
    func didFail(_ error: NetworkError, call: TransportCall)
}

extension PluginType {
    public func willSend(_ call: TransportCall, attempt: Int) {}
    public func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {}
    public func didFail(_ error: NetworkError, call: TransportCall) {}
}

/// Hands every failure of a provider's calls, whether of the network, the status or the decoding, to a closure: once each
/// time that it is found.
public struct ErrorRecorder: PluginType {
    private let record: @Sendable (NetworkError) -> Void

    public init(_ record: @escaping @Sendable (NetworkError) -> Void) {
        self.record = record
    }

    public func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {
        if case .failure(let error) = result { record(error) }
    }

    public func didFail(_ error: NetworkError, call: TransportCall) {
        record(error)
    }
}
