import ContentCoding

/// How long the event loop stands still while it compresses an answer at the default levels: whole, or in
/// slices.
enum Standstill {
    /// As the gateway's.
    private static let slice = 128 << 10

    /// Returns the most microseconds that a default level takes for 128 KiB of JSON.
    static func measure(_ time: Double) throws -> Double {
        var slowest = 0.0
        print(
            "\nthe event loop stands still for, in us, at the default level, whole and in slices of 128 KiB")
        print("                 gzip                br")
        print("answer    KiB   whole   slice   whole   slice")
        for answer in Answers.large {
            var row = [answer.name.leftAligned(8), "\((answer.bytes.count + 512) >> 10)".aligned(4)]
            for level in Level.defaults {
                let encoder = try level.encoder()
                let whole = try Clock.least(time) {
                    _ = try encode(answer.bytes[...], by: encoder)
                    try encoder.reset()
                }
                if answer.bytes.count <= slice, answer.name != "digits" { slowest = max(slowest, whole) }
                let longest = try longestSlice(answer, encoder, time)
                row += [number(whole, 0).aligned(7), number(longest, 0).aligned(7)]
            }
            print(row.joined(separator: " "))
        }
        return slowest
    }

    /// Returns the microseconds of the longest slice, each being the least of all rounds.
    private static func longestSlice(
        _ answer: Answer, _ encoder: ContentEncoder, _ time: Double
    ) throws -> Double {
        let starts = Array(stride(from: 0, to: answer.bytes.count, by: slice))
        var least = [Double](repeating: .infinity, count: starts.count)
        _ = try Clock.least(time) {
            var output: [UInt8] = []
            for (index, start) in starts.enumerated() {
                output.removeAll(keepingCapacity: true)
                let isLast = index == starts.count - 1
                let began = Clock.now
                try answer.bytes[start...].prefix(slice).withUnsafeBytes {
                    try encoder.encode($0, to: &output, isLast ? .finish : .none)
                }
                least[index] = min(least[index], Clock.now - began)
            }
            try encoder.reset()
        }
        return least.max() ?? 0
    }
}
