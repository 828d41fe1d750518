internal import EventIO
internal import HTTPModel
internal import HTTPWire

/// Bytes of a response that its call has not taken yet, and how far they are read.
struct UnreadBytes {
    var bytes: [UInt8]
    var place: ResponseReader.Place
}

// A response that is not whole in one read, or whose call takes it in pieces.
extension Connection {
    func read(_ bytes: UnsafeRawBufferPointer, from start: ResponseReader.Place = ResponseReader.Place()) {
        var place = start
        while true {
            // Each step calls nobody; what it gives may: the call may pause, or end and this connection with it.
            switch response.next(bytes, &place) {
            case .needMore: return needsMore()
            case .informational(let status):
                state.informationalReceived()
                if status == .continue { upload?.continued() }
            case .head:
                if let failure = headCame() { return fail(failure) }
            case .piece(let piece): call?.bodyReceived(piece)
            case .gathered(let count): call?.bodyGathered(count)
            case .whole(let response): return finish(response)
            case .failed(let reason, let detail): return fail(reason, detail)
            }
            guard !state.isClosed else { return }
            if call?.isPaused == true, response.head != nil { return hold(bytes, place) }
        }
    }

    private func needsMore() {
        guard let call else { return }
        // While its body is on its way the upstream owes nothing.
        if let upload { return upload.socketMoved() }
        call.needsMore()
    }

    private func headCame() -> ResponseReader.Step? {
        guard let call, let head = response.head else { return nil }
        if head.status == .requestTimeout, let ending = state.staleTimeout {
            timedOut(ending)
            return nil
        }
        if head.status == .expectationFailed, mayDropExpectation {
            resendWithoutExpectation()
            return nil
        }
        // RFC 9112 9.3, 9110 10.1.1: what is refused need not be sent. One that is accepted may be answered as it comes.
        if !head.status.isSuccess, upload != nil { dropUpload() }
        guard call.mayStream else { return response.deliver(.gathered, isAskedAbout: false) }
        return response.deliver(call.began(head), isAskedAbout: true)
    }

    private func fail(_ step: ResponseReader.Step) {
        guard case .failed(let reason, let detail) = step else { return }
        fail(reason, detail)
    }

    // MARK: Pauses

    /// Keeps what is left of an input, and reads no more: at most what one read gave.
    private func hold(_ bytes: UnsafeRawBufferPointer, _ place: ResponseReader.Place) {
        let start = min(place.parsed, place.undecoded?.lowerBound ?? place.parsed)
        var rest = place
        rest.parsed -= start
        rest.undecoded = place.undecoded.map { $0.lowerBound - start..<$0.upperBound - start }
        stream?.pauseReading()
        unread = UnreadBytes(bytes: Array(bytes[start...]), place: rest)
        call?.pauseMoved(now: loop.wakeTime)
    }

    /// Its call takes no more for now.
    func callPaused() {
        // Before the head there is no body to be taken.
        guard response.head != nil else { return }
        stream?.pauseReading()
        call?.pauseMoved(now: loop.wakeTime)
    }

    /// Its call takes pieces again.
    func callResumed() {
        guard response.head != nil else { return }
        call?.pauseMoved(now: loop.wakeTime)
        if unread == nil { stream?.resumeReading() } else { loop.defer(self) }
    }
}

extension Connection: DeferredWork {
    /// Reads what is left of the input in which its call paused.
    func runDeferred() {
        guard !state.isClosed, call?.isPaused == false, let held = unread.take() else { return }
        held.bytes.withUnsafeBytes { read($0, from: held.place) }
        if unread == nil, !state.isClosed { stream?.resumeReading() }
    }
}
