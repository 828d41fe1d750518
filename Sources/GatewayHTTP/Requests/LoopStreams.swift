/// The streams of a loop that end when the server stops accepting connections. Confined to the loop.
final class LoopStreams {
    private var pumps: [ObjectIdentifier: AnswerPump] = [:]
    private var hasEnded = false

    /// Ends a stream later, or at once if the others have ended.
    func add(_ pump: AnswerPump) {
        guard !hasEnded else { return pump.leave() }
        pumps[ObjectIdentifier(pump)] = pump
    }

    func remove(_ pump: AnswerPump) { pumps[ObjectIdentifier(pump)] = nil }

    func end() {
        hasEnded = true
        for pump in Array(pumps.values) { pump.leave() }
    }
}
