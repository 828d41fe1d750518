internal import EventIO

/// Reads the body of a request whose handler decided `BodyDecision.stream`, piece by piece, as it arrives.
/// Used on the server's loop only.
///
/// The connection reads ahead of the reader by `InboundLimits.unreadBody`, then it leaves further bytes in
/// the kernel until the reader has taken the first ones. If the body fails, the exchange still has to be
/// answered; the connection closes after the answer, as it does after an answer that comes before the end of
/// the body.
public final class InboundBodyReader {
    /// What a read returns.
    public enum Piece {
        /// Some of the body, never empty: at most 64 KiB.
        case bytes(ArraySlice<UInt8>)
        /// The body is complete. Further reads give the same.
        case end
        /// The rest of the body will not arrive. Further reads give the same.
        case failed(Failure)
    }

    /// Why a body ended before it was complete.
    public enum Failure: Error, Sendable {
        /// The body is malformed (400), too slow (408), longer than its limit (413) or beyond the memory for
        /// bodies (503). The answer should be this error.
        case refused(InboundError)
        /// The request is over: the client has left, the server has shut down or, for `completed`, the answer
        /// was sent.
        case over(InboundOutcome)
    }

    private enum Rest {
        /// More may arrive.
        case open
        case complete
        case failed(Failure)
    }

    /// Nil once the request is over.
    private var connection: InboundConnection?
    private var unread: [UInt8] = []
    /// Behind `unread`, in blocks that are passed on as they are.
    private var further: [[UInt8]] = []
    private var rest = Rest.open
    /// Bytes of the latest piece, which are in use until the next one is requested.
    private var lent = 0
    private var receiver: ((Piece) -> Void)?

    /// Counts what is collected of the pieces.
    public let memory: BodyMemory

    init(_ connection: InboundConnection) {
        self.connection = connection
        memory = BodyMemory(budget: connection.server.bodies)
    }

    /// Requests the next piece; one request at a time. The memory of the piece before counts until then.
    /// `receive` is called once, unless `cancel` comes first: inside this call if a piece has arrived. If the
    /// client expects a 100 (Continue), the first read that has to wait sends it.
    public func read(_ receive: @escaping (Piece) -> Void) {
        precondition(receiver == nil, "the previous piece of the body has not arrived yet")
        receiver = receive
        if lent > 0 {
            connection?.bodyUsed(lent)
            lent = 0
        }
        if let connection { connection.bodyIsWanted(hasPiece: hasPiece) } else { deliver() }
    }

    /// Forgets the pending read. Further reads are possible.
    public func cancel() {
        guard receiver.take() != nil else { return }
        connection?.bodyIsUnwanted()
    }

    // MARK: For the connection

    /// Why the body cannot be read; nil unless the server refused it.
    var refusal: InboundError? {
        if case .failed(.refused(let error)) = rest { error } else { nil }
    }

    private var hasPiece: Bool {
        guard unread.isEmpty else { return true }
        return if case .open = rest { false } else { true }
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard further.isEmpty, unread.count + bytes.count <= BlockSize.read else {
            return appendFurther(bytes)
        }
        Self.append(bytes, to: &unread)
    }

    private func appendFurther(_ bytes: UnsafeRawBufferPointer) {
        if further.isEmpty || further[further.count - 1].count + bytes.count > BlockSize.read {
            further.append([])
        }
        Self.append(bytes, to: &further[further.count - 1])
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, to block: inout [UInt8]) {
        let count = block.count + bytes.count
        if count > BlockSize.smallest, count > block.capacity {
            // Chunks arrive in pieces of any size, so a block has room for a whole read.
            block.reserveCapacity(BlockSize.read)
        }
        block.append(contentsOf: bytes)
    }

    func complete() { rest = .complete }

    func fail(_ error: InboundError) { rest = .failed(.refused(error)) }

    /// Passes on what has arrived, if a read is pending.
    func deliver() {
        guard hasPiece, let receive = receiver.take() else { return }
        receive(takePiece())
    }

    private func takePiece() -> Piece {
        guard unread.isEmpty else {
            var bytes: [UInt8] = []
            swap(&bytes, &unread)
            if !further.isEmpty { unread = further.removeFirst() }
            lent = bytes.count
            connection?.bodyTaken(bytes.count)
            return .bytes(bytes[...])
        }
        switch rest {
        case .complete: return .end
        case .failed(let failure): return .failed(failure)
        case .open: preconditionFailure("an empty piece of a body was delivered")
        }
    }

    /// Ends the reader with the request. Returns how many bytes count no longer.
    func close(_ outcome: InboundOutcome) -> Int {
        let left = further.reduce(unread.count) { $0 + $1.count }
        unread = []
        further = []
        connection = nil
        switch rest {
        case .complete where left == 0, .failed: break
        case .complete, .open: rest = .failed(.over(outcome))
        }
        let used = lent
        lent = 0
        deliver()
        return left + used
    }
}
