import Foundation
import TestSupport
import Testing

@testable import EventIO

@Suite("New files")
struct NewFileTests {
    private let folder = ScratchFolder()

    @Test("A finished file has its content and is for its owner alone")
    func finished() throws {
        let path = folder.file("a")
        let file = try NewFile(path: path)
        try file.append(Array("hello ".utf8)[...])
        try file.append(Array("world".utf8)[...])
        try file.finish()
        file.remove()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "hello world")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A file that is removed or released unfinished is gone", arguments: [true, false])
    func unfinished(isRemoved: Bool) throws {
        let path = folder.file("a")
        do {
            let file = try NewFile(path: path)
            try file.append([1])
            #expect(FileManager.default.fileExists(atPath: path))
            if isRemoved { file.remove() }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("Neither an existing file nor a dangling link is opened, and a path with a NUL is refused")
    func refused() throws {
        try Data("mine".utf8).write(to: URL(filePath: folder.file("a")))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("target"))
        for path in [folder.file("a"), folder.file("link"), folder.file("no/b"), folder.file("x\0y")] {
            #expect(throws: SocketError.self) { try NewFile(path: path) }
        }
        #expect(try String(contentsOfFile: folder.file("a"), encoding: .utf8) == "mine")
        #expect(!FileManager.default.fileExists(atPath: folder.file("target")))
    }
}
