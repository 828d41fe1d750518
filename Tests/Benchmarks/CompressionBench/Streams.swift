import ContentCoding
import Foundation

/// Content that comes in small pieces, each of which is flushed.
enum Streams {
    private static let count = 32

    static func measure(_ time: Double) throws {
        let answer = Answers.feed(64 << 10)
        print("\(answer.name), \(answer.bytes.count) bytes, flushed after each KiB")
        print("encoder    bytes    of it   us a KiB    KiB resident")
        var kept: [ContentEncoder] = []
        // The first encoders load the libraries.
        for level in Level.candidates { kept.append(try open(level, answer).encoder) }
        for level in Level.candidates {
            // Kept, so that the next level finds no freed memory.
            let before = residentKibibytes
            for _ in 0..<count { kept.append(try open(level, answer).encoder) }
            let memory = (residentKibibytes - before) / count
            var size = 0
            let duration = try Clock.least(time) { size = try open(level, answer).size }
            print(
                level.name.leftAligned(7), "\(size)".aligned(8),
                (number(100 * Double(size) / Double(answer.bytes.count)) + " %").aligned(8),
                number(duration * 1024 / Double(answer.bytes.count)).aligned(10), "\(memory)".aligned(15))
        }
    }

    /// Encodes the answer but for its end.
    private static func open(_ level: Level, _ answer: Answer) throws -> (encoder: ContentEncoder, size: Int)
    {
        let encoder = try level.encoder()
        var output: [UInt8] = []
        var size = 0
        for start in stride(from: 0, to: answer.bytes.count, by: 1024) {
            output.removeAll(keepingCapacity: true)
            try answer.bytes[start...].prefix(1024).withUnsafeBytes {
                try encoder.encode($0, to: &output, .flush)
            }
            size += output.count
        }
        return (encoder, size)
    }

    private static var residentKibibytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
