import Glibc

/// A pipe that is read only on demand.
package struct RawPipe {
    package let reader: Int32
    package let writer: Int32

    package init() {
        var ends: [Int32] = [0, 0]
        // Closed on exec, so that a program started by another test does not keep an end open.
        precondition(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reader, writer) = (ends[0], ends[1])
    }

    /// Reads the available bytes; waits for the first byte.
    ///
    /// - Throws: `WaitedTooLong`.
    package func readSome(file: String = #fileID, line: Int = #line) throws -> String {
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        guard isReadable() else {
            throw WaitedTooLong(Patience.limit, file: file, line: line, state: "the pipe is empty")
        }
        return String(decoding: chunk[..<max(0, read(reader, &chunk, chunk.count))], as: UTF8.self)
    }

    /// Reads until the writing end is closed, or has been silent for too long.
    package func readAll() -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while isReadable(), case let count = read(reader, &chunk, chunk.count), count > 0 {
            text += chunk[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Waits until there are bytes or the writing end is closed; false if neither comes in time.
    private func isReadable() -> Bool {
        var state = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&state, 1, Int32(Patience.limit / .milliseconds(1))) == 1
    }
}
