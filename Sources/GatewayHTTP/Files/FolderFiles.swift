import EventIO
import Glibc
import HTTPModel

/// The files of a folder, asked for on the helper threads: everything here blocks.
final class FolderFiles: Sendable {
    /// Files up to this size are read at once, and answered whole.
    static let wholeBytes = 256 << 10

    /// What is asked.
    struct Query: Sendable {
        let path: FilePath
        let fields: HTTPFields
        let isHead: Bool
        /// Nothing else matters than whether there is such a file.
        let isOfExistence: Bool
        /// Seconds since 1970.
        let now: Int64
    }

    enum Finding: Sendable {
        case missing
        case there
        case answer(FileFacts, FileResponsePlan, Content)
        case failed(SocketError)
    }

    /// The body of an answer.
    enum Content: Sendable {
        /// None is sent, to HEAD, or the whole of it is empty.
        case nothing
        case bytes([UInt8])
        case stream(OpenFile, Range<Int64>)
    }

    private let root: RootFolder

    init(_ root: RootFolder) {
        self.root = root
    }

    func find(_ query: Query) -> Finding {
        do throws(SocketError) {
            // A file that becomes shorter as it is read is looked at anew.
            for _ in 0..<3 {
                if let finding = try look(query) { return finding }
            }
            return .failed(SocketError(.file, EIO, subject: query.path.text))
        } catch {
            return error.isMissing ? .missing : .failed(error)
        }
    }

    /// Nil where the file has become shorter meanwhile.
    private func look(_ query: Query) throws(SocketError) -> Finding? {
        let plain = try root.open(query.path.text)
        if query.isOfExistence { return .there }
        let compressed = try compressed(query.path, plain)
        let facts = FileFacts(
            plain: .init(byteCount: plain.byteCount, tag: Self.tag(of: plain)),
            compressed: compressed.map { .init(byteCount: $0.byteCount, tag: Self.tag(of: $0, "-gz")) },
            modified: plain.modified.seconds)
        let plan = FileResponsePlan(query.fields, isHead: query.isHead, facts, now: query.now)
        let range = plan.body(of: facts)
        guard !query.isHead, !range.isEmpty else { return .answer(facts, plan, .nothing) }
        let file = plan.isCompressed ? compressed ?? plain : plain
        guard range.count <= Self.wholeBytes else { return .answer(facts, plan, .stream(file, range)) }
        let bytes = try Self.read(range, of: file)
        return bytes.count == range.count ? .answer(facts, plan, .bytes(bytes)) : nil
    }

    /// The file beside it, unless it is older: it is of an earlier state then.
    private func compressed(_ path: FilePath, _ plain: OpenFile) throws(SocketError) -> OpenFile? {
        let file: OpenFile
        do {
            file = try root.open(path.text + ".gz")
        } catch {
            guard error.isMissing else { throw error }
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

    /// Another one whenever the file was written to, as far as its clock and its length tell.
    private static func tag(of file: OpenFile, _ suffix: String = "") -> EntityTag {
        let (seconds, nanoseconds) = file.modified
        let parts = [UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds), UInt64(file.byteCount)]
        return .of(parts.map { String($0, radix: 16) }.joined(separator: "-") + suffix)
    }
}
