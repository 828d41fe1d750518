/// Why a request could not be built. Nothing was sent.
struct RequestFault: Error, Sendable {
    let message: String
    let underlying: (any Error)?

    init(_ message: String, underlying: (any Error)? = nil) {
        self.message = message
        self.underlying = underlying
    }
}
