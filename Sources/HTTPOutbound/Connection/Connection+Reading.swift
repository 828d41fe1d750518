internal import EventIO
internal import HTTPModel
internal import HTTPWire

/// Input that a paused call has not received yet, or that waits for the next turn of the loop, and how far it
/// is read.
struct UnreadBytes {
    var bytes: [UInt8]
    var position: ResponseReader.Position
}

// Responses that do not arrive in one read, or are streamed.
extension Connection {
    func read(
        _ bytes: UnsafeRawBufferPointer, from start: ResponseReader.Position = ResponseReader.Position()
    ) {
        var position = start
        while true {
            // A step never calls back, but its outcome may pause the call, or end it and close this
            // connection.
            switch response.next(bytes, &position) {
            case .needMore: return needsMore()
            case .later:
                keepUnread(bytes, position)
                return loop.defer(self)
            case .informational(let status):
                state.informationalReceived()
                if status == .continue { upload?.continued() }
            case .head:
                if let failure = headReceived() { return fail(failure) }
            case .piece(let piece): call?.bodyReceived(piece)
            case .gathered(let count): call?.bodyGathered(count)
            case .whole(let response): return finish(response)
            case .failed(let reason, let detail): return fail(reason, detail)
            }
            guard !state.isClosed else { return }
            if call?.isPaused == true, response.head != nil { return keepUnread(bytes, position) }
        }
    }

    /// Tells the observer which rules the response breaks.
    @inline(never)
    func noteTolerated(_ faults: ToleratedFaults) {
        shared.observer?.responseTolerated(from: pool.origin, address: address, faults.messages)
    }

    private func needsMore() {
        guard let call else { return }
        // While the request goes out, the upstream need not respond.
        if state.owesRequest, response.head?.status.isSuccess != false { return noteSending() }
        call.needsMore()
    }

    private func headReceived() -> ResponseReader.Step? {
        if !response.tolerated.isEmpty { noteTolerated(response.tolerated) }
        guard let call, let head = response.head else { return nil }
        if head.status == .requestTimeout, state.resendsAfterTimeout {
            resend(.stale)
            return nil
        }
        if head.status == .expectationFailed, mayDropExpectation {
            resendWithoutExpectation()
            return nil
        }
        if let upload, state.owesRequest {
            // RFC 9112 9.5: a body that is refused need not be sent. A success may overlap with its request,
            // also one instead of a 100 (Continue), which many servers do not send.
            if head.status.isSuccess { upload.continuedBySuccess() } else { dropUpload() }
            // The body may have failed at once.
            guard !state.isClosed else { return nil }
        }
        guard call.mayStream else { return response.deliver(.gathered, reportsProgress: false) }
        return response.deliver(call.began(head), reportsProgress: true)
    }

    private func fail(_ step: ResponseReader.Step) {
        guard case .failed(let reason, let detail) = step else { return }
        fail(reason, detail)
    }

    // MARK: Pauses

    /// Keeps the rest of one read and stops reading.
    private func keepUnread(_ bytes: UnsafeRawBufferPointer, _ position: ResponseReader.Position) {
        let start = min(position.parsed, position.undecoded?.lowerBound ?? position.parsed)
        var rest = position
        rest.parsed -= start
        rest.decoded = 0
        rest.undecoded = position.undecoded.map { $0.lowerBound - start..<$0.upperBound - start }
        stream?.pauseReading()
        unread = UnreadBytes(bytes: Array(bytes[start...]), position: rest)
        call?.pauseChanged(now: loop.wakeTime)
    }

    func callPaused() {
        // Only after the head can a body be paused.
        guard response.head != nil else { return }
        stream?.pauseReading()
        call?.pauseChanged(now: loop.wakeTime)
    }

    func callResumed() {
        guard response.head != nil else { return }
        call?.pauseChanged(now: loop.wakeTime)
        if unread == nil { stream?.resumeReading() } else { loop.defer(self) }
    }
}

extension Connection: DeferredWork {
    /// Reads the rest of the input that the call paused in, or that waited for this turn.
    func runDeferred() {
        guard !state.isClosed, call?.isPaused == false, let held = unread.take() else { return }
        held.bytes.withUnsafeBytes { read($0, from: held.position) }
        if unread == nil, !state.isClosed { stream?.resumeReading() }
    }
}
