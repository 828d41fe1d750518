import ContentCoding
import Foundation
import Glibc

/// Measures the encoders of gzip and br with answers like a gateway's:
///
/// - streams: for each level, the memory of an encoder, and the encoded size when each KiB is flushed;
/// - whole answers: for each level, the encoded size and the time, from which the default levels follow;
/// - how long the default levels hold the event loop.
///
/// Times are CPU time of this thread, and the least of all rounds, so other load changes them little.
///
///     CompressionBench [MILLISECONDS per measurement, default 60] [--most MICROSECONDS]
///
/// With `--most` it exits with 1 if a default level takes longer than that for an answer of 128 KiB.
@main
enum CompressionBench {
    /// Microseconds that a byte takes at 100 Mbit/s.
    static let transferPerByte = 0.08

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let time = (arguments.first.flatMap(Double.init) ?? 60) * 1000
        let most = arguments.firstIndex(of: "--most").flatMap { arguments[($0 + 1)...].first }
        // First, while no freed memory hides what the encoders take.
        try Streams.measure(time)
        for answer in Answers.usual { try compareLevels(answer, time) }
        let slowest = try Standstill.measure(time)
        if let most = most.flatMap(Double.init), slowest > most {
            print("128 KiB take longer than \(most) us")
            exit(1)
        }
    }

    private static func compareLevels(_ answer: Answer, _ time: Double) throws {
        print("\n\(answer.name), \(answer.bytes.count) bytes")
        print("encoder    bytes    of it    us new  us reset    MB/s  us with transfer")
        for level in Level.candidates {
            let encoder = try level.encoder()
            var size = 0
            let reset = try Clock.least(time) {
                size = try encode(answer.bytes[...], by: encoder).count
                try encoder.reset()
            }
            let new = try Clock.least(time) { _ = try encode(answer.bytes[...], by: level.encoder()) }
            print(
                level.name.leftAligned(7), "\(size)".aligned(8),
                (number(100 * Double(size) / Double(answer.bytes.count)) + " %").aligned(8),
                number(new).aligned(9), number(reset).aligned(9),
                number(Double(answer.bytes.count) / reset, 0).aligned(7),
                number(reset + Double(size) * transferPerByte, 0).aligned(17))
        }
    }
}

/// A coding and its level; nil for the default.
struct Level {
    let coding: ContentCoding
    let level: Int?

    static let candidates =
        (1...6).map { Level(coding: .gzip, level: $0) } + (0...5).map { Level(coding: .brotli, level: $0) }
    static let defaults = [Level(coding: .gzip, level: nil), Level(coding: .brotli, level: nil)]

    var name: String { "\(coding) \(level.map(String.init) ?? "")" }

    func encoder() throws -> ContentEncoder { try ContentEncoder(coding, level: level) }
}

/// Encodes a whole answer into a new array, as a server does.
func encode(_ bytes: ArraySlice<UInt8>, by encoder: ContentEncoder) throws -> [UInt8] {
    var output: [UInt8] = []
    try bytes.withUnsafeBytes { try encoder.encode($0, to: &output, .finish) }
    return output
}
