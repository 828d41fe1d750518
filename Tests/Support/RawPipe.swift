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
    package func readSome() -> String {
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        return String(decoding: chunk[..<max(0, read(reader, &chunk, chunk.count))], as: UTF8.self)
    }

    /// Reads until the writing end is closed.
    package func readAll() -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while case let count = read(reader, &chunk, chunk.count), count > 0 { text += chunk[..<count] }
        return String(decoding: text, as: UTF8.self)
    }
}
