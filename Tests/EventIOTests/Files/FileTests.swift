import Dispatch
import Foundation
import Glibc
import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Reading and writing files", .timeLimit(.minutes(1)))
struct FileTests {
    /// Reads a source piece by piece to its end.
    private final class Reading: Sendable {
        struct State {
            var bytes: [UInt8] = []
            var largest = 0
            var failure: String?
        }

        let state = Lock(State())
        let ended = Signal()

        func next(_ ahead: LoopBound<ReadAhead>) {
            ahead.value.next { [self] piece in
                switch piece {
                case .success(let bytes) where bytes.isEmpty: ended.fire()
                case .success(let bytes):
                    state.withLock { state in
                        state.bytes += bytes
                        state.largest = max(state.largest, bytes.count)
                    }
                    ahead.loop.execute { self.next(ahead) }
                case .failure(let error):
                    state.withLock { $0.failure = "\(error)" }
                    ended.fire()
                }
            }
        }
    }

    /// Blocks until the test lets the disk answer.
    private final class Silent: BlockingReader, Sendable {
        private let reading: Signal
        private let disk: Signal
        private let gone: Signal

        init(_ reading: Signal, _ disk: Signal, _ gone: Signal) {
            (self.reading, self.disk, self.gone) = (reading, disk, gone)
        }

        deinit { gone.fire() }

        func read(atMost count: Int) -> ArraySlice<UInt8> {
            reading.fire()
            do { try disk.waitBlocking() } catch { Issue.record(error) }
            return [0]
        }
    }

    /// Signals each read, and never ends.
    private final class Endless: BlockingReader, Sendable {
        let asked: Signal
        let gone: Signal

        init(_ asked: Signal, _ gone: Signal) { (self.asked, self.gone) = (asked, gone) }

        deinit { gone.fire() }

        func read(atMost count: Int) -> ArraySlice<UInt8> {
            asked.fire()
            return [UInt8](repeating: 1, count: count)[...]
        }
    }

    static func names(_ folder: ScratchFolder) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// Writes the pieces, each when there is room for it, and finishes.
    static func write(
        _ pieces: [[UInt8]], to path: String, on loop: EventLoop, synchronizes: Bool = false
    ) async throws -> SocketError? {
        let result = Lock<SocketError?>(nil)
        let ended = Signal()
        try await loop.perform {
            let sink = FileSink(path: path, on: loop, synchronizes: synchronizes)
            var rest = pieces[...]
            let finish: (SocketError?) -> Void = { error in
                result.withLock { $0 = error }
                ended.fire()
            }
            sink.failed = finish
            sink.hasRoom = {
                while let piece = rest.popFirst() {
                    guard piece.withUnsafeBytes({ sink.write($0) }) else { return }
                }
                sink.finish(finish)
            }
            sink.hasRoom?()
            // If the last piece filled the buffer, it finishes when there is room again.
        }
        try await ended.wait()
        return result.withLock { $0 }
    }

    @Test("If a missing file, a folder or a pipe is read ahead, the error names the name")
    func unreadable() async throws {
        let scratch = ScratchFolder()
        mkdir(scratch.file("folder"), 0o700)
        mkfifo(scratch.file("pipe"), 0o600)
        try await withLoop { loop in
            for (name, message) in [
                ("none", "No such file or directory"), ("folder", "Is a directory"),
                ("pipe", "No such device or address"),
            ] {
                let reading = Reading()
                try await loop.perform {
                    reading.next(
                        LoopBound(ReadAhead(on: loop) { try Self.reader(name, in: scratch) }, loop: loop))
                }
                try await reading.ended.wait()
                #expect(reading.state.withLock { $0.failure } == "file \(name): \(message)")
            }
        }
    }

    private static func reader(_ name: String, in folder: ScratchFolder) throws -> any BlockingReader {
        let file = try RootFolder(path: folder.path).open(name)
        return file.reader(of: 0..<file.byteCount)
    }

    @Test("Every function that takes a path rejects a path with a NUL")
    func nul() async throws {
        let scratch = ScratchFolder()
        let there = scratch.file("there")
        try Data("old".utf8).write(to: URL(fileURLWithPath: there))
        let path = there + "\0.png"
        let error = SocketError(.badPath, .file, subject: there)
        #expect(error.description == "file \(there): the path contains a NUL")
        #expect(throws: error) { try RootFolder(path: path) }
        #expect(throws: SocketError(.badPath, .spool, subject: scratch.path)) {
            try SpoolFile.check(scratch.path + "\0x")
        }
        let tls = #expect(throws: TLSError.self) {
            var configuration = TLSConfiguration()
            configuration.trust = .authorities(.file(path))
            _ = try TLSContext(configuration)
        }
        #expect(
            tls?.description == "TLS configuration: trusted certificates \(there): the path contains a NUL")
        try await withLoop { loop in
            let written = try await Self.write([testBytes(10)], to: path, on: loop)
            #expect(written == error)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: there)) == Data("old".utf8))
        #expect(Self.names(scratch) == ["there"])
    }

    @Test(
        "A file name may be as long as the file system allows, and a longer name fails at once",
        arguments: [1, 250, 255, 256])
    func longName(count: Int) async throws {
        let scratch = ScratchFolder()
        let name = String(repeating: "n", count: count)
        try await withLoop { loop in
            let error = try await Self.write([testBytes(100_000)], to: scratch.file(name), on: loop)
            #expect(error?.code == (count > 255 ? ENAMETOOLONG : nil))
        }
        #expect(Self.names(scratch) == (count > 255 ? [] : [name]))
    }

    @Test(
        "A file is read completely, in pieces of at most 64 KiB",
        arguments: [0, 1, 65_536, 65_537, 1_000_000])
    func reading(count: Int) async throws {
        let scratch = ScratchFolder()
        try Data(testBytes(count)).write(to: URL(fileURLWithPath: scratch.file("a")))
        try await withLoop { loop in
            let reading = Reading()
            try await loop.perform {
                reading.next(
                    LoopBound(ReadAhead(on: loop) { try Self.reader("a", in: scratch) }, loop: loop))
            }
            try await reading.ended.wait()
            #expect(reading.state.withLock { $0.bytes } == testBytes(count))
            #expect(reading.state.withLock { $0.largest } <= 65_536)
        }
    }

    @Test("A large piece of a file fills its block, so that it takes no more memory than it counts")
    func blocks() async throws {
        // The array's header is part of the block.
        #expect(BlockSize.capacity(for: ReadAhead.pieceSize) == ReadAhead.pieceSize)
        let scratch = ScratchFolder()
        try Data(testBytes(200_000)).write(to: URL(fileURLWithPath: scratch.file("a")))
        try await withLoop { loop in
            let capacities = Lock<[Int]>([])
            let read = Signal()
            let ahead = try await loop.perform {
                LoopBound(ReadAhead(on: loop) { try Self.reader("a", in: scratch) }, loop: loop)
            }
            for count in 1...3 {
                try await loop.perform {
                    ahead.value.next { piece in
                        if case .success(let bytes) = piece {
                            capacities.withLock { $0.append(bytes.capacity) }
                        }
                        read.fire()
                    }
                }
                try await read.wait(count: count)
            }
            try await loop.perform { ahead.value.close() }
            // An allocator may give a few bytes more.
            let block = ReadAhead.pieceSize..<ReadAhead.pieceSize + 64
            #expect(capacities.withLock { $0.map { block.contains($0) } } == [true, true, true])
        }
    }

    @Test("A silent disk or busy threads do not block closing")
    func silentDisk() async throws {
        let (reading, gone) = (Signal(), Signal())
        let disk = Signal()
        let threads = HelperThreads(name: "silent", limit: 1, waitingLimit: 0)
        try await withLoop { loop in
            let ahead = try await loop.perform {
                LoopBound(ReadAhead(on: loop, threads: threads) { Silent(reading, disk, gone) }, loop: loop)
            }
            try await reading.wait()
            #expect(!threads.submit {})
            let closed = Lock(false)
            loop.execute {
                ahead.value.close()
                closed.withLock { $0 = true }
            }
            defer { disk.fire() }
            try spin(while: !closed.withLock { $0 }, within: .seconds(10)) { "closing is blocked" }
            #expect(gone.count == 0)
        }
        try await gone.wait()
    }

    @Test("At most two pieces are read ahead, and closing releases the reader")
    func ahead() async throws {
        let (asked, gone) = (Signal(), Signal())
        try await withLoop { loop in
            let ahead = try await loop.perform {
                LoopBound(ReadAhead(on: loop) { Endless(asked, gone) }, loop: loop)
            }
            try await asked.wait(count: 2)
            let taken = Signal()
            try await loop.perform {
                ahead.value.next { _ in taken.fire() }
            }
            try await taken.wait()
            try await asked.wait(count: 3)
            // Give the loop and the helper threads time to read a fourth piece.
            for _ in 0..<20 { try await loop.perform {} }
            #expect(asked.count == 3)
            try await loop.perform { ahead.value.close() }
            try await gone.wait()
            #expect(asked.count == 3)
        }
    }

    @Test(
        "Writing to a path that cannot be a file fails with the system's reason and leaves nothing",
        arguments: [true, false])
    func unwritable(isFolderMissing: Bool) async throws {
        let scratch = ScratchFolder()
        let path = scratch.file(isFolderMissing ? "none/a" : "folder")
        if !isFolderMissing { mkdir(path, 0o755) }
        try await withLoop { loop in
            let error = try await Self.write([testBytes(200_000), testBytes(10)], to: path, on: loop)
            #expect(error?.operation == .file)
            #expect(error?.code == (isFolderMissing ? ENOENT : EISDIR))
            #expect(error?.subject == path)
        }
        #expect(Self.names(scratch) == (isFolderMissing ? [] : ["folder"]))
    }

    @Test(
        "A finished file has its final name and all its bytes", arguments: [0, 10, 65_536, 3_000_000],
        [true, false])
    func writing(count: Int, synchronizes: Bool) async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("a")
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        try await withLoop { loop in
            let pieces = stride(from: 0, to: count, by: 50_000).map {
                testBytes(min(50_000, count - $0), from: $0)
            }
            let error = try await Self.write(pieces, to: path, on: loop, synchronizes: synchronizes)
            #expect(error == nil)
        }
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == testBytes(count))
        #expect(Self.names(scratch) == ["a"])
    }

    @Test(
        "If the disk misses the deadline of finish, the write fails, and no file is left once the disk answers"
    )
    func lateDisk() async throws {
        let scratch = ScratchFolder()
        let disk = Signal()
        let threads = HelperThreads(name: "late", limit: 1, waitingLimit: 8)
        #expect(threads.submit { try? disk.waitBlocking() })
        try await withLoop { loop in
            let result = Lock<SocketError?>(nil)
            let (ended, gone) = (Signal(), Signal())
            try await loop.perform {
                let sink = FileSink(
                    path: scratch.file("a"), on: loop, synchronizes: false, threads: threads,
                    finishTimeout: .milliseconds(20))
                _ = testBytes(10).withUnsafeBytes { sink.write($0) }
                sink.finish { error in
                    result.withLock { $0 = error }
                    ended.fire()
                }
            }
            try await ended.wait()
            #expect(
                result.withLock { $0 }?.description == "file \(scratch.file("a")): disk timed out")
            disk.fire()
            // The thread runs its work in order, so this item runs after the sink's work.
            #expect(threads.submit { gone.fire() })
            try await gone.wait()
        }
        #expect(Self.names(scratch) == [])
    }

    @Test(
        "A file that is renamed in time counts as written, even if the loop learns of it after the deadline")
    func lateLoop() async throws {
        let scratch = ScratchFolder()
        let threads = HelperThreads(name: "named", limit: 1, waitingLimit: 8)
        try await withLoop { loop in
            let result = Lock<[SocketError?]>([])
            let ended = Signal()
            try await loop.perform {
                let sink = FileSink(
                    path: scratch.file("a"), on: loop, synchronizes: false, threads: threads,
                    finishTimeout: .milliseconds(1))
                sink.finish { error in
                    result.withLock { $0.append(error) }
                    ended.fire()
                }
                // The thread runs its work in order: when this item runs, the file has been renamed, but the
                // loop does not know it yet.
                let named = Signal()
                #expect(threads.submit { named.fire() })
                try named.waitBlocking()
                let late = ContinuousClock.now + .milliseconds(20)
                while ContinuousClock.now < late {}
            }
            try await ended.wait()
            #expect(result.withLock { $0 } == [nil])
            #expect(await timerCount(of: loop) == 0)
        }
        #expect(Self.names(scratch) == ["a"])
    }

    @Test(
        "A cancelled or released sink leaves no new file, and an existing file stays",
        arguments: [true, false])
    func givenUp(isCancelled: Bool) async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("a")
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        try await withLoop { loop in
            let hasRoom = Signal()
            let sink = try await loop.perform {
                let sink = FileSink(path: path, on: loop)
                sink.hasRoom = { hasRoom.fire() }
                for _ in 0..<4 { _ = testBytes(65_536).withUnsafeBytes { sink.write($0) } }
                return LoopBound(sink, loop: loop)
            }
            try await hasRoom.wait()
            #expect(Self.names(scratch).count == 2)
            if isCancelled { try await loop.perform { sink.value.cancel() } }
        }
        // A sink that was not cancelled is released with the loop.
        try await poll(while: Self.names(scratch).count > 1) { "files \(Self.names(scratch))" }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
    }
}
