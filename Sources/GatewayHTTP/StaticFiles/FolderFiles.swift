import EventIO
import Glibc
import HTTPModel

/// The files of a folder. Everything here but `findCached` blocks and runs on helper threads.
final class FolderFiles: Sendable {
    /// Files up to this size are read and answered in one piece.
    static let wholeBytes = 256 << 10

    struct Query: Sendable {
        let path: FilePath
        let fields: HTTPFields
        let isHead: Bool
        /// Whether only the file's existence matters.
        let isExistenceCheck: Bool
        /// Seconds since 1970.
        let now: Int64
        let client: AddressPrefix
    }

    enum Finding: Sendable {
        case missing
        case exists
        case answer(FileFacts, FileSelection, Content)
        /// The file is large, and its client has its share of descriptors.
        case refused
        case failed(SocketError)
    }

    enum Content: Sendable {
        /// For HEAD, and for empty bodies.
        case none
        case bytes([UInt8])
        case stream(OpenFile, Range<Int64>)
    }

    private let root: RootFolder

    init(_ root: RootFolder) {
        self.root = root
    }

    /// - Parameter descriptors: a file that is sent in pieces takes one. Others are closed here.
    func find(_ query: Query, taking descriptors: FileDescriptors) -> Finding {
        do throws(SocketError) {
            // A file that changes while it is read is read again.
            for _ in 0..<3 {
                if let finding = try attempt(query, descriptors, .disk) { return finding }
            }
            return .failed(SocketError(.fileChanged, .file, subject: query.path.text))
        } catch {
            return error.isMissing ? .missing : .failed(error)
        }
    }

    /// Finds a file without blocking, for a loop; nil if only `find` can tell, as when the disk has to be
    /// read.
    func findCached(_ query: Query, taking descriptors: FileDescriptors) -> Finding? {
        do throws(SocketError) {
            return try attempt(query, descriptors, .memory)
        } catch {
            return error.code == ENOENT ? .missing : nil
        }
    }

    /// What may be asked for a file.
    private enum Reach {
        case memory
        case disk
    }

    private func open(_ path: String, _ reach: Reach) throws(SocketError) -> OpenFile {
        switch reach {
        case .memory: try root.openCached(path)
        case .disk: try root.open(path)
        }
    }

    /// Returns nil if the file has changed while it was read, or is not in memory.
    private func attempt(
        _ query: Query, _ descriptors: FileDescriptors, _ reach: Reach
    ) throws(SocketError) -> Finding? {
        let plain = try open(query.path.text, reach)
        if query.isExistenceCheck { return .exists }
        let acceptsCodings = query.fields.contains(.acceptEncoding)
        let compressed = acceptsCodings ? try compressed(query.path, plain, reach) : nil
        let facts = FileFacts(
            plain: .init(byteCount: plain.byteCount, tag: Self.tag(of: plain)),
            compressed: compressed.map { .init(byteCount: $0.byteCount, tag: Self.tag(of: $0, "-gz")) },
            mayHaveCompressed: !acceptsCodings, modified: plain.modified.seconds)
        let plan = FileSelection(query.fields, isHead: query.isHead, facts, now: query.now)
        let range = plan.body(of: facts)
        guard !query.isHead, !range.isEmpty else { return .answer(facts, plan, .none) }
        let file = plan.isCompressed ? compressed ?? plain : plain
        guard range.count <= Self.wholeBytes else {
            guard let place = descriptors.take(for: query.client) else { return .refused }
            file.keep(place)
            return .answer(facts, plan, .stream(file, range))
        }
        let bytes = reach == .memory ? file.readCached(range) : try Self.read(range, of: file)
        guard let bytes, bytes.count == range.count, (try? file.checkUnchanged()) != nil else { return nil }
        return .answer(facts, plan, .bytes(bytes))
    }

    /// Returns the compressed file next to a file; nil if it is missing or outdated.
    private func compressed(
        _ path: FilePath, _ plain: OpenFile, _ reach: Reach
    ) throws(SocketError) -> OpenFile? {
        let file: OpenFile
        do {
            file = try open(path.text + ".gz", reach)
        } catch {
            guard reach == .memory ? error.code == ENOENT : error.isMissing else { throw error }
            return nil
        }
        return file.modified >= plain.modified ? file : nil
    }

    private static func read(_ range: Range<Int64>, of file: OpenFile) throws(SocketError) -> [UInt8] {
        var bytes = try file.read(at: range.lowerBound, atMost: range.count)
        while bytes.count < range.count {
            let more = try file.read(
                at: range.lowerBound + Int64(bytes.count), atMost: range.count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// Made of modification time and length, so that it changes when the file is written.
    private static func tag(of file: OpenFile, _ suffix: StaticString = "") -> EntityTag {
        let (seconds, nanoseconds) = file.modified
        return EntityTag(
            UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds), UInt64(file.byteCount), suffix)
    }
}
