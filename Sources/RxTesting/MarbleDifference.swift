/// A readable difference between two marble streams.
///
///     the streams differ, first in frame 5:
///     expected  -a-b-c   -|
///     received  -a-b-{12}-|
///                    ^^^^
struct MarbleDifference: CustomStringConvertible {
    private let expected: [(frame: Int, text: String)]
    private let received: [(frame: Int, text: String)]
    private let frame: Int

    /// `nil` if the streams are equal.
    init?(expected: [(frame: Int, text: String)], received: [(frame: Int, text: String)]) {
        let pairs = zip(expected, received)
        let common = pairs.prefix { $0.0 == $0.1 }.count
        let rest = [expected.dropFirst(common).first?.frame, received.dropFirst(common).first?.frame]
        guard let frame = rest.compactMap({ $0 }).min() else { return nil }
        self.expected = expected
        self.received = received
        self.frame = frame
    }

    var description: String {
        var lines = (expected: "expected  ", received: "received  ", marks: "          ")
        let expected = Dictionary(uniqueKeysWithValues: self.expected.map { ($0.frame, $0.text) })
        let received = Dictionary(uniqueKeysWithValues: self.received.map { ($0.frame, $0.text) })
        var next = 0
        for frame in Set(expected.keys).union(received.keys).sorted() {
            let gap = Marbles.gap(frame - next)
            next = frame + 1
            let (one, other) = (expected[frame] ?? "-", received[frame] ?? "-")
            let width = max(one.count, other.count)
            lines.expected += gap + MarbleDifference.pad(one, width)
            lines.received += gap + MarbleDifference.pad(other, width)
            let mark = one == other ? " " : "^"
            lines.marks +=
                String(repeating: " ", count: gap.count) + String(repeating: mark, count: width)
        }
        while lines.marks.last == " " { lines.marks.removeLast() }
        return """
            the streams differ, first in frame \(frame):
            \(lines.expected)
            \(lines.received)
            \(lines.marks)
            """
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}
