import Foundation
import Testing

@testable import GatewayConfig

@Suite("Files and variables of the system")
struct SystemConfigSourceTests {
    private let source = SystemConfigSource(variables: { $0 == "A" ? "1" : nil })

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func message(_ path: String, limit: Int = 100) -> String? {
        do throws(ConfigSourceError) {
            _ = try source.read(path, limit: limit)
            return nil
        } catch {
            return error.message
        }
    }

    @Test("A file is read up to the limit")
    func read() throws {
        try withFolder { folder in
            try Data("12345".utf8).write(to: URL(fileURLWithPath: "\(folder)/a"))
            #expect(try source.read("\(folder)/a", limit: 5) == Array("12345".utf8))
            #expect(message("\(folder)/a", limit: 4) == "more than 0 KiB")
            #expect(message("\(folder)/none") == "no such file")
            #expect(message(folder) == "not a regular file")
            #expect(message("\(folder)/a\0b") == "the path has a NUL character")
        }
    }

    @Test("A relative path starts at the working directory")
    func absolute() {
        #expect(source.absolute("/etc/a") == "/etc/a")
        #expect(source.absolute("a/b") == "\(FileManager.default.currentDirectoryPath)/a/b")
    }

    @Test("A pipe is refused without waiting for its other end")
    func pipe() throws {
        try withFolder { folder in
            try #require(mkfifo("\(folder)/pipe", 0o600) == 0)
            #expect(message("\(folder)/pipe") == "not a regular file")
        }
    }

    @Test("A file of /proc is read, though its size is 0")
    func proc() throws {
        #expect(try source.read("/proc/self/status", limit: 1 << 20).starts(with: Array("Name:".utf8)))
    }

    @Test("A pattern finds paths in the order of their bytes")
    func glob() throws {
        try withFolder { folder in
            for name in ["b.yaml", "a.yaml", "B.yaml", ".c.yaml", "d.txt"] {
                try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            let names = try source.paths(matching: "\(folder)/*.yaml").map { $0.dropFirst(folder.count + 1) }
            #expect(names == ["B.yaml", "a.yaml", "b.yaml"])
            #expect(try source.paths(matching: "\(folder)/x*").isEmpty)
        }
    }

    @Test("Variables come from the closure, by default from the environment")
    func variables() {
        #expect(source.variable("A") == "1")
        #expect(source.variable("B") == nil)
        #expect(SystemConfigSource().variable("PATH") == ProcessInfo.processInfo.environment["PATH"])
    }
}
