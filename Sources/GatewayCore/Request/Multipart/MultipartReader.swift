import Locking

/// Reads the parts of a form from the body of a request, one after the other.
final class MultipartReader: Sendable {
    private struct State {
        /// Nil before the first read.
        var parser: MultipartParser?
        /// The number of the current part, from 1.
        var number = 0
        /// Whether the body of the current part has not ended.
        var isWithinPart = false
        /// Whether somebody reads the body of the current part.
        var isClaimed = false
    }

    let limits: MultipartLimits
    private let request: GatewayRequest
    private let body: BodyContent
    private let state = Lock(State())

    init(_ request: GatewayRequest, _ limits: MultipartLimits) {
        self.request = request
        self.limits = limits
        body = BodyContent(request)
    }

    /// Checks the request and begins to read its body.
    func begin() throws {
        try request.checkContent()
        let boundary = try MultipartBoundary.of(request.fields)
        try body.claim()
        state.withLock { $0.parser = MultipartParser(boundary: boundary, limits: limits) }
    }

    /// Returns the next part, after the rest of the current one; nil at the end of the form.
    func nextPart() async throws -> MultipartPart? {
        while true {
            switch try nextEvent() {
            case .needMore: try await receive()
            case .body: break
            case .partEnd: state.withLock { $0.isWithinPart = false }
            case .end: return nil
            case .part(let head):
                let number = state.withLock { state in
                    state.number += 1
                    state.isWithinPart = true
                    state.isClaimed = false
                    return state.number
                }
                return MultipartPart(head, number, self)
            }
        }
    }

    /// Takes the body of a part for one reader.
    func claim(_ number: Int) throws {
        let isFree = state.withLock { state in
            guard state.number == number, !state.isClaimed else { return false }
            state.isClaimed = true
            return true
        }
        guard isFree else {
            throw EndpointFault("the body of a form's part was read twice, or after the next part")
        }
    }

    /// Returns more of the body of a part; nil at its end.
    func nextBytes(of number: Int) async throws -> ArraySlice<UInt8>? {
        while true {
            let isWithin = try state.withLock { state in
                guard state.number == number else {
                    throw EndpointFault("the body of a form's part was read after the next part")
                }
                return state.isWithinPart
            }
            guard isWithin else { return nil }
            switch try nextEvent() {
            case .needMore: try await receive()
            case .body(let bytes): return bytes
            case .partEnd: state.withLock { $0.isWithinPart = false }
            case .part, .end: throw EndpointFault("two tasks read a form at once")
            }
        }
    }

    func collect(_ count: Int) throws(GatewayError) { try body.collect(count) }

    private func nextEvent() throws -> MultipartParser.Event {
        do {
            return try state.withLock { state throws(MultipartFault) in
                guard let event = try state.parser?.next() else { return .end }
                return event
            }
        } catch {
            throw error.error
        }
    }

    private func receive() async throws {
        let bytes = try await body.next()
        state.withLock { state in
            if let bytes { state.parser?.receive(bytes) } else { state.parser?.finish() }
        }
    }
}
