import Foundation
import Glibc
import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("What a new file replaces", .timeLimit(.minutes(1)))
struct FilePlaceTests {
    /// What may lie at a path that a file does not replace.
    enum Obstacle: CaseIterable {
        case pipe, device, socket, danglingLink, linkToPipe, linkToFolder

        func make(in scratch: ScratchFolder) throws -> (path: String, refusal: String) {
            let path = scratch.file("a")
            let other = scratch.file("other")
            switch self {
            case .pipe: try #require(mkfifo(path, 0o600) == 0)
            case .device:
                // Only root makes devices, so this is a link to one.
                try #require(symlink("/dev/null", path) == 0)
            case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
            case .danglingLink:
                try #require(symlink(other, path) == 0)
                return (path, "a symbolic link to a missing file")
            case .linkToPipe:
                try #require(mkfifo(other, 0o600) == 0 && symlink(other, path) == 0)
            case .linkToFolder:
                try #require(mkdir(other, 0o700) == 0 && symlink(other, path) == 0)
                return (path, "Is a directory")
            }
            return (path, "not a regular file")
        }
    }

    private static func kind(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("What is not a regular file is not replaced", arguments: Obstacle.allCases)
    func obstacle(_ obstacle: Obstacle) async throws {
        let scratch = ScratchFolder()
        let (path, refusal) = try obstacle.make(in: scratch)
        let before = (FileTests.names(scratch), Self.kind(path))
        try await withLoop { loop in
            let error = try await FileTests.write([testBytes(10)], to: path, on: loop)
            #expect(error?.description == "file \(path): \(refusal)")
        }
        #expect(FileTests.names(scratch) == before.0)
        #expect(Self.kind(path) == before.1)
    }

    @Test("What takes the name while a file is written is not replaced unless it is a regular file")
    func lateObstacle() async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("a")
        try await withLoop { loop in
            let result = Lock<SocketError?>(nil)
            let (hasRoom, ended) = (Signal(), Signal())
            let sink = try await loop.perform {
                let sink = FileSink(path: path, on: loop)
                sink.hasRoom = { hasRoom.fire() }
                for _ in 0..<4 { _ = testBytes(FileSink.bufferSize).withUnsafeBytes { sink.write($0) } }
                return LoopBound(sink, loop: loop)
            }
            try await hasRoom.wait()
            try #require(mkfifo(path, 0o600) == 0)
            try await loop.perform {
                sink.value.finish { error in
                    result.withLock { $0 = error }
                    ended.fire()
                }
            }
            try await ended.wait()
            #expect(result.withLock { $0 }?.kind == .notRegularFile)
        }
        #expect(FileTests.names(scratch) == ["a"])
        #expect(Self.kind(path) == S_IFIFO)
    }

    @Test(
        "A file that is replaced passes on its permissions", arguments: [0o600, 0o640, 0o755, 0o4711, 0o444])
    func permissions(mode: Int) async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("a")
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        try #require(chmod(path, mode_t(mode)) == 0)
        try await withLoop { loop in
            let error = try await FileTests.write([testBytes(10)], to: path, on: loop)
            #expect(error == nil)
        }
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == testBytes(10))
        #expect(Self.mode(path) == mode_t(mode) & 0o777)
    }

    @Test("A file that is replaced passes on its owner and group", .enabled(if: geteuid() == 0))
    func owner() async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("a")
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        try #require(chown(path, 1234, 5678) == 0 && chmod(path, 0o640) == 0)
        try await withLoop { loop in
            let error = try await FileTests.write([testBytes(10)], to: path, on: loop)
            #expect(error == nil)
        }
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect((status.st_uid, status.st_gid) == (1234, 5678))
        #expect(Self.mode(path) == 0o640)
    }

    @Test("A link stays, and the file behind it is replaced in its own folder")
    func link() async throws {
        let scratch = ScratchFolder()
        try #require(mkdir(scratch.file("folder"), 0o700) == 0)
        let file = scratch.file("folder/file")
        try Data("old".utf8).write(to: URL(fileURLWithPath: file))
        try #require(chmod(file, 0o600) == 0)
        try #require(symlink("folder/file", scratch.file("first")) == 0)
        try #require(symlink("first", scratch.file("second")) == 0)
        try await withLoop { loop in
            let written = try await FileTests.write(
                [testBytes(10)], to: scratch.file("second"), on: loop, synchronizes: true)
            #expect(written == nil)
        }
        #expect(Self.kind(scratch.file("first")) == S_IFLNK)
        #expect(Self.kind(scratch.file("second")) == S_IFLNK)
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: file))) == testBytes(10))
        #expect(Self.mode(file) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.file("folder")) == ["file"])
    }
}
