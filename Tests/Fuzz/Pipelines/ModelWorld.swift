/// What can be left.
protocol ModelSubscription {
    func leave()
}

/// Virtual time for the reference model, and the queue in which sequences take turns. One thread, no locks.
final class ModelWorld {
    private struct Work {
        let number: Int
        let time: Int
        let action: () -> Void
    }

    private(set) var now = 0
    /// By time, and at equal times in the order in which it was scheduled.
    private var agenda: [Work] = []
    private var lastNumber = 0
    private var isStopped = false
    private var isTakingTurns = false
    private var turns: [() -> Void] = []
    private var stepsLeft: Int
    private(set) var spans: [Int: [Span]] = [:]
    /// All that there were.
    private var subscriptions: [any ModelSubscription] = []

    /// - Parameter steps: how many events it passes on at most.
    init(steps: Int) {
        stepsLeft = steps
    }

    /// Whether the pipeline had more events than it may have. What came of it is not to be used.
    var isExhausted: Bool { stepsLeft < 0 }

    /// Counts an event. Whether it may be passed on.
    func step() -> Bool {
        stepsLeft -= 1
        return !isExhausted
    }

    func keep(_ subscription: any ModelSubscription) {
        subscriptions.append(subscription)
    }

    // MARK: Time

    /// Runs `action` at `time`, after what is scheduled for then already.
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

    /// Runs what is scheduled until somebody stops it or nothing is left.
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

    /// Ends all subscriptions and drops what is scheduled, so that nothing of the run is kept.
    func clear() {
        for subscription in subscriptions { subscription.leave() }
        subscriptions = []
        agenda = []
        turns = []
    }

    // MARK: Turns

    /// Subscribes, and runs the turns that are asked for meanwhile, unless somebody does already.
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

    /// Writes down that the source `id` has a subscriber from now on. The place of the span among those of the source.
    func open(_ id: Int) -> Int {
        spans[id, default: []].append(Span(from: now, to: nil))
        return spans[id, default: []].count - 1
    }

    func close(_ id: Int, _ place: Int) {
        spans[id]?[place].to = now
    }
}
