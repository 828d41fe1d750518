/// A subscription that can be left.
protocol ModelSubscription {
    func leave()
}

/// The virtual time of the reference model and the queue for sequences that take turns. Single-threaded.
final class ModelWorld {
    private struct Work {
        let number: Int
        let time: Int
        let action: () -> Void
    }

    private(set) var now = 0
    /// Ordered by time and then by order of scheduling.
    private var agenda: [Work] = []
    private var lastNumber = 0
    private var isStopped = false
    private var isTakingTurns = false
    private var turns: [() -> Void] = []
    private var stepsLeft: Int
    private(set) var spans: [Int: [Span]] = [:]
    /// All subscriptions ever made.
    private var subscriptions: [any ModelSubscription] = []

    /// - Parameter steps: The maximum number of events that are passed on.
    init(steps: Int) {
        stepsLeft = steps
    }

    /// Whether the pipeline exceeded the maximum number of events. Its outcome is then meaningless.
    var isExhausted: Bool { stepsLeft < 0 }

    /// Counts an event. Returns whether it may be passed on.
    func step() -> Bool {
        stepsLeft -= 1
        return !isExhausted
    }

    func keep(_ subscription: any ModelSubscription) {
        subscriptions.append(subscription)
    }

    // MARK: Time

    /// Runs `action` at `time`, after the work that is already scheduled for that time.
    @discardableResult
    func schedule(at time: Int, _ action: @escaping () -> Void) -> Int {
        lastNumber += 1
        var place = agenda.count
        while place > 0, agenda[place - 1].time > time { place -= 1 }
        agenda.insert(Work(number: lastNumber, time: time, action: action), at: place)
        return lastNumber
    }

    /// Runs `action` after `delay`, in the next tick at the earliest.
    func schedule(after delay: Int, _ action: @escaping () -> Void) -> Int {
        schedule(at: now + max(delay, 1), action)
    }

    func cancel(_ number: Int) {
        agenda.removeAll { $0.number == number }
    }

    /// Runs scheduled work until `stop()` is called or none is left.
    func run() {
        isStopped = false
        while !isStopped, !isExhausted, !agenda.isEmpty {
            let work = agenda.removeFirst()
            now = max(now, work.time)
            work.action()
        }
    }

    func stop() {
        isStopped = true
    }

    /// Leaves all subscriptions and drops scheduled work, so that nothing of the run is retained.
    func clear() {
        for subscription in subscriptions { subscription.leave() }
        subscriptions = []
        agenda = []
        turns = []
    }

    // MARK: Turns

    /// Subscribes, then runs the turns requested meanwhile, unless an outer call already does.
    func takingTurns(_ subscribe: () -> Void) {
        guard !isTakingTurns else { return subscribe() }
        isTakingTurns = true
        subscribe()
        while !turns.isEmpty, !isExhausted { turns.removeFirst()() }
        isTakingTurns = false
    }

    func enqueueTurn(_ turn: @escaping () -> Void) {
        turns.append(turn)
    }

    // MARK: Spans

    /// Records that the source `id` has a subscriber from now on. Returns the index of the span.
    func open(_ id: Int) -> Int {
        spans[id, default: []].append(Span(from: now, to: nil))
        return spans[id, default: []].count - 1
    }

    func close(_ id: Int, _ place: Int) {
        spans[id]?[place].to = now
    }
}
