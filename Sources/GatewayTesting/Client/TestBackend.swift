import HTTPModel
import Rx

/// A request of a test client.
struct TestRequest: Sendable {
    var method: HTTPMethod
    /// Path and query, percent-encoded.
    var target: String
    var fields: HTTPFields
    var body: ArraySlice<UInt8>
}

/// The world of a test client.
protocol TestBackend: AnyObject, Sendable {
    /// Sends a request and reports its end once, unless disposed earlier: then the client leaves.
    func send(_ request: TestRequest, _ ended: @escaping @Sendable (Result<TestResponse, any Error>) -> Void)
        -> any Disposable

    /// Sends a request and reports its response as it arrives, unless disposed earlier.
    func stream(_ request: TestRequest, to stream: ResponseBuffer) -> any Disposable

    /// The clock by which the gateway checks tokens, in seconds since 1970.
    var unixTime: Int { get }

    /// Calls `work` once, `delay` from now.
    func wait(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable
}
