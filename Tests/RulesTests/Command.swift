import Foundation

/// A program that a test runs to its end.
struct Command {
    let status: Int32
    /// What it printed on standard output and standard error.
    let output: String

    /// - Parameters:
    ///   - words: A path from the folder, or the name of a program on the PATH, and its arguments.
    ///   - environment: Variables that replace this process's.
    init(_ words: [String], in folder: URL, environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }
}

/// A folder for one test.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file that may be executed, and creates the folders in its path.
    func write(_ path: String, _ text: String) throws {
        let file = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    /// Copies files or folders of the package, given their paths from its root.
    func copy(_ paths: String...) throws {
        for path in paths {
            let file = url.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: SourceTree.root.appendingPathComponent(path), to: file)
        }
    }
}
