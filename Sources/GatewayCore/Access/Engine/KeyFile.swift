#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads a file of keys that a gateway in Swift names.
enum KeyFile {
    /// Why a file has no keys, in words that follow its name.
    enum Fault: Error, CustomStringConvertible {
        case unreadable
        case tooLarge(most: Int)

        var description: String {
            switch self {
            case .unreadable: "cannot be read"
            case .tooLarge(let most): "is larger than \(most / 1024) KiB"
            }
        }
    }

    /// Returns the bytes of a file, of which it reads no more than one piece beyond the limit, whatever the
    /// file is.
    ///
    /// - Parameter most: the most bytes that the file may have.
    static func contents(of path: String, atMost most: Int) throws(Fault) -> [UInt8] {
        // Without O_NONBLOCK, a pipe would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw .unreadable }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= most else { throw .tooLarge(most: most) }
        }
    }
}
