/// Complete answers that the kernel has not taken completely, oldest first. Pipelining may leave several.
struct UnsentAnswers {
    enum Answer {
        case exchange(InboundExchange)
        indirect case direct(DirectAnswer)
    }

    private struct Entry {
        var answer: Answer
        /// The offset in the connection's output where it ends.
        var end: Int64
    }

    // Usually the only one, which needs no array.
    private var first: Entry?
    private var others: [Entry] = []
    private var othersTaken = 0

    var isEmpty: Bool { first == nil }

    mutating func append(_ answer: consuming Answer, end: Int64) {
        let entry = Entry(answer: answer, end: end)
        if first == nil { first = entry } else { others.append(entry) }
    }

    /// Removes the oldest answer if it ends within the first `count` bytes of the connection's output.
    mutating func removeFirst(within count: Int64) -> (answer: Answer, end: Int64)? {
        guard let entry = first, entry.end <= count else { return nil }
        if othersTaken < others.count {
            first = others[othersTaken]
            othersTaken += 1
        } else {
            first = nil
            if othersTaken > 0 {
                others.removeAll(keepingCapacity: othersTaken <= 64)
                othersTaken = 0
            }
        }
        return (entry.answer, entry.end)
    }
}
