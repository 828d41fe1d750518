import Foundation
import Glibc
import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Files beneath a folder", .timeLimit(.minutes(1)))
struct RootFolderTests {
    private let scratch = ScratchFolder()
    private var root: String { scratch.file("root") }

    init() throws {
        for folder in ["root/a/b", "outside"] {
            try FileManager.default.createDirectory(
                atPath: scratch.file(folder), withIntermediateDirectories: true)
        }
        for file in ["root/file", "root/a/file", "root/a/b/file", "outside/secret"] {
            try Data(file.utf8).write(to: URL(fileURLWithPath: scratch.file(file)))
        }
    }

    private func text(_ root: RootFolder, _ name: String) throws -> String {
        let file = try root.open(name)
        return String(decoding: try file.read(at: 0, atMost: Int(file.byteCount) + 1), as: UTF8.self)
    }

    private func link(_ name: String, to target: String) {
        #expect(symlink(target, scratch.file("root/" + name)) == 0)
    }

    @Test(
        "A root that is missing or not a folder is reported with its path",
        arguments: [nil, .atOnce, .stepwise] as [RootFolder.Walk?])
    func noFolder(walk: RootFolder.Walk?) throws {
        for (path, message) in [
            (scratch.file("none"), "No such file or directory"),
            (scratch.file("root/file"), "Not a directory"),
        ] {
            let error = #expect(throws: SocketError.self) { try RootFolder(path: path, walk: walk) }
            #expect(error?.description == "file \(path): \(message)")
        }
    }

    @Test("This kernel resolves paths with openat2")
    func atOnce() throws {
        #expect(try RootFolder(path: root).walk == .atOnce)
    }

    @Test(
        "A path that is malformed or leads outside opens nothing",
        arguments: [.atOnce, .stepwise] as [RootFolder.Walk])
    func noPath(walk: RootFolder.Walk) throws {
        let folder = try RootFolder(path: root, walk: walk)
        for name in [
            "", "/", "/file", "file/", ".", "./file", "..", "../outside/secret", "a/../file",
            "a/../../outside/secret",
            "a//file", "a/", "a/.", "file\0", "a\0/file", scratch.file("outside/secret"), "none", "none/file",
            "file/file",
            "a/none", String(repeating: "n", count: 300), String(repeating: "a/", count: 4000) + "file",
        ] {
            let error = #expect(throws: SocketError.self, "\(name)") { try folder.open(name) }
            #expect(error?.isMissing == true, "\(name): \(String(describing: error))")
            #expect(throws: SocketError.self, "\(name)") { try folder.openCached(name) }
        }
    }

    @Test(
        "Links are followed neither in the middle nor at the end of a path",
        arguments: [.atOnce, .stepwise] as [RootFolder.Walk])
    func links(walk: RootFolder.Walk) throws {
        link("out", to: "../outside")
        link("secret", to: "../outside/secret")
        link("absolute", to: scratch.file("outside/secret"))
        link("in", to: "a")
        link("same", to: "file")
        link("a/up", to: "..")
        link("self", to: "self")
        link("magic", to: "/proc/self/root")
        let folder = try RootFolder(path: root, walk: walk)
        for name in [
            "out/secret", "secret", "absolute", "in/file", "in/b/file", "same", "a/up/file", "self",
            "magic/etc/passwd",
        ] {
            let error = #expect(throws: SocketError.self, "\(name)") { try folder.open(name) }
            #expect(error?.isMissing == true, "\(name): \(String(describing: error))")
        }
    }

    @Test(
        "Only regular files are opened, and a pipe does not block",
        arguments: [.atOnce, .stepwise] as [RootFolder.Walk])
    func kinds(walk: RootFolder.Walk) throws {
        #expect(mkfifo(root + "/pipe", 0o600) == 0)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        let address = try SocketAddress(unixPath: root + "/socket")
        #expect(address.withUnsafeSockaddr { bind(descriptor, $0, $1) } == 0)
        let folder = try RootFolder(path: root, walk: walk)
        for name in ["a", "pipe", "socket"] {
            let error = #expect(throws: SocketError.self, "\(name)") { try folder.open(name) }
            #expect(error?.isMissing == true, "\(name): \(String(describing: error))")
        }
    }

    @Test(
        "An opened file reports its size and time, and can be read",
        arguments: [.atOnce, .stepwise] as [RootFolder.Walk])
    func opened(walk: RootFolder.Walk) throws {
        let folder = try RootFolder(path: root, walk: walk)
        for name in ["file", "a/file", "a/b/file"] {
            #expect(try text(folder, name) == "root/" + name)
        }
        var times = [
            timespec(tv_sec: 784_111_777, tv_nsec: 0), timespec(tv_sec: 784_111_777, tv_nsec: 123_456_789),
        ]
        #expect(utimensat(AT_FDCWD, root + "/file", &times, 0) == 0)
        let file = try folder.open("file")
        #expect(file.byteCount == 9)
        #expect(file.modified == (784_111_777, 123_456_789))
        #expect(try file.read(at: 5, atMost: 100) == Array("file".utf8))
        #expect(try file.read(at: 9, atMost: 100) == [])
    }

    @Test("What the kernel has in memory is opened and read without a wait")
    func cached() throws {
        let folder = try RootFolder(path: root)
        _ = try text(folder, "a/file")
        let file = try folder.openCached("a/file")
        let bytes = try #require(file.readCached(5..<11))
        #expect(String(decoding: bytes, as: UTF8.self) == "a/file")
        try file.checkUnchanged()
        #expect(file.readCached(5..<12) == nil, "a byte behind the end")
    }

    @Test("What is not in memory, not local or not regular is left to a call that may wait")
    func uncached() throws {
        link("out", to: "../outside")
        link("same", to: "file")
        #expect(mkfifo(root + "/pipe", 0o600) == 0)
        let folder = try RootFolder(path: root)
        for name in ["same", "out/secret", "pipe", "a"] {
            _ = try? folder.open(name)
            let error = #expect(throws: SocketError.self, "\(name)") { try folder.openCached(name) }
            #expect(error?.code != ENOENT, "\(name): \(String(describing: error))")
        }
        let missing = #expect(throws: SocketError.self) {
            _ = try? folder.open("none")
            _ = try folder.openCached("none")
        }
        #expect(missing?.code == ENOENT)
        let processes = try RootFolder(path: "/proc/self")
        _ = try processes.open("status")
        let error = #expect(throws: SocketError.self) { try processes.openCached("status") }
        #expect(error?.code == EAGAIN)
        // A file that was opened with a wait is not known to be local.
        #expect(try folder.open("file").readCached(0..<4) == nil)
    }

    @Test(
        "A link to the folder is resolved once, and the open folder stays the same after it is renamed",
        arguments: [.atOnce, .stepwise] as [RootFolder.Walk])
    func renamed(walk: RootFolder.Walk) throws {
        #expect(symlink(root, scratch.file("current")) == 0)
        let folder = try RootFolder(path: scratch.file("current"), walk: walk)
        #expect(unlink(scratch.file("current")) == 0)
        #expect(rename(root, scratch.file("moved")) == 0)
        #expect(symlink(scratch.file("outside"), root) == 0)
        #expect(try text(folder, "a/file") == "root/a/file")
        #expect(throws: SocketError.self) { try folder.open("secret") }
    }

    @Test(
        "A folder that is swapped for a link never leads outside",
        arguments: [.atOnce, .stepwise] as [RootFolder.Walk])
    func swapped(walk: RootFolder.Walk) async throws {
        // A folder, and a link to an outside folder with a file of the same name, are swapped over and over.
        try Data("outside".utf8).write(to: URL(fileURLWithPath: scratch.file("outside/file")))
        link("link", to: "../outside")
        let isOver = Lock(false)
        let ended = Signal()
        let (folderPath, linkPath, third) = (root + "/a", root + "/link", root + "/third")
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                rename(folderPath, third)
                rename(linkPath, folderPath)
                rename(third, linkPath)
                // Swap back.
                rename(folderPath, third)
                rename(linkPath, folderPath)
                rename(third, linkPath)
            }
            ended.fire()
        }
        let folder = try RootFolder(path: root, walk: walk)
        var opened = 0
        var refused = 0
        // Both outcomes must occur, and often.
        while opened < 500 || refused < 500 {
            do {
                #expect(try text(folder, "a/file") == "root/a/file")
                opened += 1
            } catch let error as SocketError {
                #expect(error.isMissing || error.code == EAGAIN, "\(error)")
                refused += 1
            }
        }
        isOver.withLock { $0 = true }
        try await ended.wait()
    }

    @Test("A range is read in pieces, and reading fails if the file has become too short")
    func ranges() async throws {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        try Data(bytes).write(to: URL(fileURLWithPath: root + "/large"))
        let file = try RootFolder(path: root).open("large")
        let reader = file.reader(of: 1000..<250_000)
        var read: [UInt8] = []
        while true {
            let piece = try reader.read(atMost: 65_536)
            if piece.isEmpty { break }
            read += piece
        }
        #expect(read == Array(bytes[1000..<250_000]))
        let late = file.reader(of: 0..<300_000)
        _ = try late.read(atMost: 65_536)
        #expect(truncate(root + "/large", 65_536) == 0)
        let error = #expect(throws: SocketError.self) { try late.read(atMost: 65_536) }
        #expect(error?.kind == .fileShortened)
    }

    @Test("Reading a range fails once the file has been written to, and not when it has lost its name")
    func changes() async throws {
        let path = root + "/changing"
        func write(_ text: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            var times = [
                timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0),
            ]
            #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        }
        try write("first version")
        let file = try RootFolder(path: root).open("changing")
        let reader = file.reader(of: 0..<13)
        #expect(try reader.read(atMost: 5).elementsEqual("first".utf8))
        try file.checkUnchanged()
        let other = try #require(FileHandle(forWritingAtPath: path))
        try other.write(contentsOf: Data("other".utf8))
        try other.close()
        let error = #expect(throws: SocketError.self) { try reader.read(atMost: 8) }
        #expect(error?.kind == .fileChanged)

        try write("another version")
        let unnamed = try RootFolder(path: root).open("changing")
        let rest = unnamed.reader(of: 0..<15)
        #expect(try rest.read(atMost: 8).elementsEqual("another ".utf8))
        #expect(unlink(path) == 0)
        #expect(try rest.read(atMost: 7).elementsEqual("version".utf8))
    }
}
