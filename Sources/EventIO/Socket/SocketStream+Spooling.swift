// What waits for a reader who is slow can wait on disk instead of in memory.
extension SocketStream {
    /// Bytes that wait for the socket in memory; the others of `queuedByteCount` wait in a file.
    public var residentByteCount: Int { queue.residentByteCount + (tls?.waiting.residentByteCount ?? 0) }

    /// Moves what is queued to a file without a name in `directory`. It is written on another thread; the socket is
    /// served meanwhile from memory, and from the file once that is complete.
    ///
    /// - Parameter tell: called from the loop, once, when nothing of it is in memory any more, or with the reason why it
    ///   stays there. Also where the stream is closed meanwhile: until then the bytes are in memory for the writing.
    /// - Returns: how many bytes the file will hold; 0, and nothing happens, where there is a file already, nothing
    ///   waits, or the stream is encrypted.
    public func spool(to directory: String, then tell: @escaping (SocketError?) -> Void) -> Int {
        guard state == .open, tls == nil, !isSpooling, !queue.hasFile, !queue.isEmpty else { return 0 }
        isSpooling = true
        let count = queue.byteCount
        let start = taken
        let continuation = LoopBound(Spooling(self, tell), loop: loop)
        let loop = loop
        SpoolFile.write(queue.waiting, in: directory) { result in
            // Where the loop has ended nobody waits, and the file goes with the result.
            _ = loop.execute { continuation.value.ended(result, from: start) }
        }
        return count
    }

    /// What goes on when the file is written.
    private final class Spooling {
        private let stream: SocketStream
        private let tell: (SocketError?) -> Void

        init(_ stream: SocketStream, _ tell: @escaping (SocketError?) -> Void) {
            self.stream = stream
            self.tell = tell
        }

        func ended(_ result: Result<SpoolFile, SocketError>, from start: Int64) {
            stream.isSpooling = false
            switch result {
            case .success(let file):
                // What the socket has taken since is taken of the file too.
                if stream.state == .open { stream.queue.exchange(file, at: Int(stream.taken - start)) }
                tell(nil)
            case .failure(let error):
                tell(error)
            }
        }
    }
}
