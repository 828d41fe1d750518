import EventIO
public import GatewayCore
import Locking

extension MultipartPart {
    /// Writes the body to a new file, readable and writable for its owner alone (mode 0600).
    ///
    /// Memory holds one piece of the body at a time. If reading or writing fails or the task is cancelled,
    /// the file is removed. Nothing of what the client sent is part of the path, unless you put it there.
    ///
    /// - Parameter path: where to create the file.
    /// - Returns: the size of the file in bytes.
    /// - Throws: an error of the system, which is answered with `500 INTERNAL`, if the path exists or the
    ///   disk fails; 503 if too much waits for the disk; what reading the form throws.
    @discardableResult
    public func save(to path: String) async throws -> Int64 {
        let file = try await Self.onFileThread { try NewFile(path: path) }
        do {
            var count: Int64 = 0
            for try await bytes in body {
                try await Self.onFileThread { try file.append(bytes) }
                count += Int64(bytes.count)
            }
            try Task.checkCancellation()
            try await Self.onFileThread { try file.finish() }
            return count
        } catch {
            // If no thread is free, the last reference to the file removes it.
            try? await Self.onFileThread { file.remove() }
            throw error
        }
    }

    /// Writes the body to a new file with a random name, as `save(to:)` does.
    ///
    /// - Parameter folder: the folder of the file.
    /// - Returns: the path of the file.
    /// - Throws: what `save(to:)` throws.
    @discardableResult
    public func save(inFolder folder: String) async throws -> String {
        let name =
            String(UInt64.random(in: 0...UInt64.max), radix: 36)
            + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let path = "\(folder)/\(name)"
        try await save(to: path)
        return path
    }

    /// Runs work that blocks, away from the loop.
    private static func onFileThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let happensBefore = HappensBeforeEdge()
        defer { happensBefore.acquire() }
        return try await withUnsafeThrowingContinuation { continuation in
            let isTaken = FileThreads.submit {
                let result = Result { try work() }
                happensBefore.release()
                continuation.resume(with: result)
            }
            if !isTaken { continuation.resume(throwing: GatewayError.overloaded) }
        }
    }
}
