extension SocketStream {
    /// Memory that queued bytes hold. The rest of `queuedByteCount` is in a file.
    public var residentByteCount: Int { queue.residentByteCount + (tls?.waiting.residentByteCount ?? 0) }
    /// Queued bytes in memory. The pieces of memory that hold them may be larger.
    public var bufferedByteCount: Int { queue.bufferedByteCount + (tls?.waiting.bufferedByteCount ?? 0) }

    /// Copies the queued bytes in memory, so that a few of them keep no large piece of memory.
    public func compactQueue() {
        queue.compact()
        tls?.waiting.compact()
    }

    /// Moves the queued output for a slow reader that is in memory to an unnamed file in `directory`, which
    /// another thread writes. The socket is served from memory until the file is complete, and then from the
    /// file. Returns the number of bytes the file will hold; 0 if no output is queued in memory or a file is
    /// being written. Of an encrypted stream, the output that is not encrypted yet is moved.
    ///
    /// `completion` is called once, on the loop: with nil when no bytes are left in memory, or with the
    /// reason why they stay there. It is called even if the stream closes meanwhile, because the bytes stay
    /// in memory until then.
    ///
    /// - Parameter place: kept until the file is closed.
    public func spool(
        to directory: String, keeping place: FileDescriptors.Place? = nil,
        then completion: @escaping (SocketError?) -> Void
    ) -> Int {
        guard state == .open, !isSpooling, spooled.bufferedByteCount > 0 else { return 0 }
        isSpooling = true
        let count = spooled.bufferedByteCount
        // Earlier files come first.
        let start = takenOfSpooled &+ Int64(spooled.fileByteCount)
        let continuation = LoopBound(SpoolCompletion(self, completion), loop: loop)
        let loop = loop
        SpoolFile.write(spooled.waiting, in: directory, keeping: place) { result in
            // If the loop has ended, the file is deleted with the result.
            _ = loop.execute { continuation.value.ended(result, from: start) }
        }
        return count
    }

    /// The queue whose bytes move to files.
    private var spooled: WriteQueue {
        get { tls?.waiting ?? queue }
        _modify {
            if let tls { yield &tls.waiting } else { yield &queue }
        }
    }

    /// Bytes that have left that queue, with those that never were in it.
    private var takenOfSpooled: Int64 { tls?.takenOfWaiting ?? taken }

    private final class SpoolCompletion {
        private let stream: SocketStream
        private let completion: (SocketError?) -> Void

        init(_ stream: SocketStream, _ completion: @escaping (SocketError?) -> Void) {
            self.stream = stream
            self.completion = completion
        }

        func ended(_ result: Result<SpoolFile, SocketError>, from start: Int64) {
            stream.isSpooling = false
            switch result {
            case .success(let file):
                // Skip the bytes the socket has taken since.
                if stream.state == .open {
                    let taken = max(0, Int(stream.takenOfSpooled - start))
                    stream.spooled.replaceFront(with: file, taken: taken)
                }
                completion(nil)
            case .failure(let error):
                completion(error)
            }
        }
    }
}
