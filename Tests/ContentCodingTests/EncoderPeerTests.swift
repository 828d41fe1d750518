import ContentCoding
import Foundation
import Glibc
import TestTools
import Testing

/// Decodes what our encoders write with the programs of others.
@Suite("Encoded content in other programs", .timeLimit(.minutes(1)))
struct EncoderPeerTests {
    static let gzip = PeerProcess.find("gzip")
    static let python = PeerProcess.find("python3")
    /// The first Python that has the brotli module: the system's, or the first on the PATH.
    static let pythonWithBrotli: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let onPath: String? = folders.map { "\($0)/python3" }.first { access($0, X_OK) == 0 }
        return [python, onPath].compactMap(\.self).first {
            (try? run($0, ["-c", "import brotli"]))?.status == 0
        }
    }()

    struct Outcome {
        var status: Int32
        var output: [UInt8]
    }

    /// Runs a program that reads `input`, from a file, and writes its output to another.
    static func run(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> Outcome {
        let folder = ScratchFolder()
        let (inputPath, outputPath) = (folder.file("input"), folder.file("output"))
        try Data(input).write(to: URL(fileURLWithPath: inputPath))
        try Data().write(to: URL(fileURLWithPath: outputPath))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputPath))
        let target = try FileHandle(forWritingTo: URL(fileURLWithPath: outputPath))
        process.standardInput = source
        process.standardOutput = target
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitForEnd()
        try source.close()
        try target.close()
        return Outcome(
            status: process.terminationStatus,
            output: Array(try Data(contentsOf: URL(fileURLWithPath: outputPath))))
    }

    /// Content in one piece, in flushed pieces, and none.
    static func samples(_ coding: ContentCoding) throws -> [(plain: [UInt8], coded: [UInt8])] {
        let encoder = try ContentEncoder(coding)
        var flushed: [UInt8] = []
        for start in stride(from: 0, to: Encoded.lines.count, by: 700) {
            try encoder.encode(Encoded.lines[start...].prefix(700), to: &flushed, .flush)
        }
        try encoder.encode([], to: &flushed, .finish)
        let noise = LargeEncodingTests.contents["noise"] ?? []
        return [
            (Encoded.lines, try encode(Encoded.lines, coding)), (Encoded.lines, flushed),
            ([], try encode([], coding)), (noise, try encode(noise, coding)),
        ]
    }

    @Test("gzip decodes our gzip and finds no fault", .enabled(if: gzip != nil, "gzip is not installed"))
    func gzipDecodes() throws {
        let gzip = try #require(Self.gzip)
        for (plain, coded) in try Self.samples(.gzip) {
            #expect(try Self.run(gzip, ["-t"], input: coded).status == 0)
            #expect(try Self.run(gzip, ["-dc"], input: coded).output == plain)
            #expect(try Self.run(gzip, ["-t"], input: coded.dropLast()).status != 0)
        }
    }

    @Test(
        "Python's zlib decodes our gzip",
        .enabled(if: python != nil, "python3 is not installed: make setup"))
    func pythonDecodesGzip() throws {
        let script = """
            import sys, zlib
            decoder = zlib.decompressobj(31)
            sys.stdout.buffer.write(decoder.decompress(sys.stdin.buffer.read()))
            sys.exit(0 if decoder.eof and not decoder.unused_data else 1)
            """
        for (plain, coded) in try Self.samples(.gzip) {
            let outcome = try Self.run(try #require(Self.python), ["-c", script], input: coded)
            #expect(outcome.status == 0)
            #expect(outcome.output == plain)
        }
    }

    @Test(
        "Google's brotli decodes our br, in Python",
        .enabled(if: pythonWithBrotli != nil, "Python's brotli is not installed: make setup"))
    func pythonDecodesBrotli() throws {
        let script =
            "import sys, brotli; sys.stdout.buffer.write(brotli.decompress(sys.stdin.buffer.read()))"
        let python = try #require(Self.pythonWithBrotli)
        for (plain, coded) in try Self.samples(.brotli) {
            let outcome = try Self.run(python, ["-c", script], input: coded)
            #expect(outcome.status == 0)
            #expect(outcome.output == plain)
            #expect(try Self.run(python, ["-c", script], input: coded.dropLast()).status != 0)
        }
    }
}
