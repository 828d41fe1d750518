import Foundation
import Glibc
import HTTPModel
import TestWaiting
import Testing

@testable import Networking

@Suite("File body")
struct FileBodyTests {
    @Test(
        "A body path must be a readable file or pipe; otherwise the call fails, and the error omits the path")
    func unreadable() throws {
        let folder = try ScratchFolder()
        for path in [folder.path + "/missing", folder.path, "", "/dev/null", "/etc/passwd\0x"] {
            let error = try Outgoing.refusal(Anything(method: .put, task: .file(path)))
            #expect(error.reason == .requestError)
            #expect(error.underlying is FileBody.Failure)
            #expect(!error.message.contains(folder.path))
        }
    }

    @Test("An open pipe can be read only once, and a writer that is silent for too long fails the reader")
    func silentPipe() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let body = try FileBody(path: path, silence: .milliseconds(10))
        let reader = try body.open()
        let silent = #expect(throws: FileBody.Failure.self) { try reader.read(atMost: 10) }
        #expect(silent?.description == "nothing was written to it for 10 ms")
        let second = #expect(throws: FileBody.Failure.self) { try body.open() }
        #expect(second?.description == "a pipe can be read only once")
    }

    @Test("A pipe is read to its end as its writer fills it, and preparing the call does not open it")
    func pipe() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let call = try Outgoing.call(Anything(method: .put, task: .file(path)))
        #expect(call.body.length == nil)
        // Opening a pipe for writing fails as long as nobody reads it.
        #expect(open(path, O_WRONLY | O_NONBLOCK) == -1)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let written = Signal()
        let writer = Thread {
            let descriptor = open(path, O_WRONLY)
            for start in stride(from: 0, to: bytes.count, by: 7000) {
                let piece = bytes[start..<min(start + 7000, bytes.count)]
                piece.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
            }
            close(descriptor)
            written.fire()
        }
        writer.start()
        #expect(try call.body.collect().elementsEqual(bytes))
        try written.waitBlocking()
    }

    @Test("A file that the kernel makes while it is read has no length, and is read to its end")
    func madeWhileRead() throws {
        let status = try FileBody(path: "/proc/self/status")
        #expect(status.length == nil)
        for _ in 1...2 {
            let text = String(decoding: try RequestBody.stream(status).collect(), as: UTF8.self)
            #expect(text.hasPrefix("Name:") && text.contains("Threads:"))
        }
        // Files of sysfs have a size of 4096, whatever they contain.
        let online = "/sys/devices/system/cpu/online"
        guard access(online, R_OK) == 0 else { return }
        let body = try FileBody(path: online)
        #expect(body.length == nil)
        #expect(try RequestBody.stream(body).collect().count < 4096)
    }

    @Test(
        "Sparse and empty files have the length that they announce", arguments: [0, 1, 4096, 4097, 1 << 20])
    func sparse(size: Int) throws {
        let folder = try ScratchFolder()
        let path = try folder.file("a", [])
        #expect(truncate(path, size) == 0)
        let body = try FileBody(path: path)
        #expect(body.length == Int64(size))
        #expect(try RequestBody.stream(body).collect().count == size)
    }

    @Test("A body file that changes size is an error and is not sent truncated")
    func changed() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("a", repeatElement(1, count: 100))
        let body = try FileBody(path: path)
        #expect(body.length == 100)
        _ = try folder.file("a", repeatElement(1, count: 101))
        #expect(throws: FileBody.Failure.self) { try body.open() }
        _ = try folder.file("a", repeatElement(1, count: 100))
        let reader = try body.open()
        #expect(try reader.read(atMost: 60).count == 60)
        // Truncates in place, so that the descriptor refers to the same file.
        let handle = try #require(fopen(path, "r+"))
        #expect(ftruncate(fileno(handle), 60) == 0)
        fclose(handle)
        #expect(throws: FileBody.Failure.self) { try reader.read(atMost: 60) }
    }

    @Test(
        "A body file that is written to while it is sent is an error, and the next reader reads the new version"
    )
    func rewritten() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("a", repeatElement(1, count: 100))
        // So long ago that every later change gives the file another time.
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: path)
        let body = try FileBody(path: path)
        let reader = try body.open()
        #expect(try reader.read(atMost: 60).count == 60)
        let handle = try #require(fopen(path, "r+"))
        #expect(fputs("new", handle) >= 0)
        fclose(handle)
        #expect(throws: FileBody.Failure.self) { try reader.read(atMost: 60) }
        #expect(try body.open().read(atMost: 3).elementsEqual("new".utf8))
    }

    @Test("Each reader reads the file in pieces from the beginning, and an empty file has no pieces")
    func read() throws {
        let folder = try ScratchFolder()
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let body = try FileBody(path: try folder.file("a.bin", bytes))
        for _ in 1...2 {
            let reader = try body.open()
            var read: [UInt8] = []
            while case let piece = try reader.read(atMost: 4096), !piece.isEmpty {
                #expect(piece.count <= 4096)
                read += piece
            }
            #expect(read == bytes)
        }
        #expect(try RequestBody.stream(FileBody(path: try folder.file("empty", []))).collect().isEmpty)
    }

    @Test("A file is sent with its length and the content type of its extension")
    func sent() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("lunch.JPG", [1, 2, 3])
        let call = try Outgoing.call(Anything(method: .put, task: .file(path)))
        #expect(call.body.length == 3)
        #expect(call.body.inMemory == nil)
        #expect(try call.body.collect() == [1, 2, 3])
        #expect(call.fields[.contentType] == "image/jpeg")
        let typed = try Outgoing.call(Anything(method: .put, task: .file(path, contentType: "x/y")))
        #expect(typed.fields[.contentType] == "x/y")
        let unknown = try Outgoing.call(
            Anything(method: .put, task: .file(try folder.file("a.b/c".replacing("/", with: "-"), []))))
        #expect(unknown.fields[.contentType] == "application/octet-stream")
    }
}
