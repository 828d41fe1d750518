public import HTTPModel
public import Rx

/// A whole HTTP response to a call (Moya's `Response`). Whether it is a success is for `checkStatusCode()` and the
/// operators that read it to say.
public final class Response: Sendable {
    public let statusCode: Int
    public let fields: HTTPFields
    /// The body as it came, a slice of the buffer that it was received in.
    public let data: ArraySlice<UInt8>
    /// The call that this answers.
    public let call: TransportCall
    /// Attempts made, this one included.
    public let attempts: Int
    /// From the subscription to this response, earlier attempts and waits included.
    public let elapsed: Duration
    /// When it was whole, on the clock of the transport's scheduler.
    public let receivedAt: RxTime
    /// Whether `filter(statusCodes:)` let this status pass, so that it is read as a success from there on.
    let isAccepted: Bool

    init(
        _ response: TransportResponse, call: TransportCall, attempts: Int, elapsed: Duration, at now: RxTime
    ) {
        statusCode = response.status.code
        fields = response.fields
        data = response.body
        self.call = call
        self.attempts = attempts
        self.elapsed = elapsed
        receivedAt = now
        isAccepted = false
    }

    private init(accepting response: Response) {
        statusCode = response.statusCode
        fields = response.fields
        data = response.data
        call = response.call
        attempts = response.attempts
        elapsed = response.elapsed
        receivedAt = response.receivedAt
        isAccepted = true
    }

    func accepted() -> Response {
        isAccepted || (200..<300).contains(statusCode) ? self : Response(accepting: self)
    }
}

extension Response: CustomStringConvertible {
    /// Without query, fields and body, which may hold what no log should.
    public var description: String {
        "\(statusCode) from \(call.upstream.name): \(call.method.rawValue) \(call.path), \(data.count) bytes"
    }
}
