/// How a stream of the model ends.
enum Stop: Equatable {
    case completed
    case error(String)
}

/// An event of a stream of the model.
enum Note<Value> {
    case next(Value)
    case stop(Stop)
}

/// A stream of the reference model: what it does for each subscriber.
struct Stream<Value> {
    let world: ModelWorld
    /// Whether it sends within `subscribe` without a turn, as `just` does.
    var isPlain = false
    let start: (Sink<Value>) -> Void

    /// Subscribes for `parent`, which leaves the subscription when it ends. A parent that has ended subscribes to nothing.
    ///
    /// - Parameter leavesFirst: whether it is left before that end is passed on, and not after it.
    @discardableResult
    func subscribe<Other>(
        for parent: Sink<Other>, leavesFirst: @escaping (Stop) -> Bool = { _ in false },
        _ receive: @escaping (Note<Value>) -> Void
    ) -> Sink<Value> {
        let sink = Sink(world, leavesFirst: leavesFirst, receive)
        guard !parent.isOver else { return sink }
        parent.whenLeft { sink.leave() }
        subscribe(sink)
        return sink
    }

    /// Subscribes for `parent` and leaves the subscription when `parent` does, or when `receive` says so by what it returns.
    func subscribeUntilTrue<Other>(for parent: Sink<Other>, _ receive: @escaping (Note<Value>) -> Bool) {
        weak var weakSink: Sink<Value>?
        let sink = Sink(world) { if receive($0) { weakSink?.leave() } }
        weakSink = sink
        guard !parent.isOver else { return }
        parent.whenLeft { sink.leave() }
        subscribe(sink)
    }

    func subscribe(_ sink: Sink<Value>) {
        if isPlain { start(sink) } else { world.takingTurns { start(sink) } }
    }

    /// A stream that sends what `makeHandler` makes of the events of this one.
    func lift<Other>(_ makeHandler: @escaping (Sink<Other>) -> (Note<Value>) -> Void) -> Stream<Other> {
        Stream<Other>(world: world) { sink in
            subscribe(for: sink, makeHandler(sink))
        }
    }
}

/// One subscription: passes events on until the first stop event, or until it is left.
final class Sink<Value>: ModelSubscription {
    let world: ModelWorld
    private var receive: ((Note<Value>) -> Void)?
    private var actions: [() -> Void] = []
    private(set) var isOver = false
    /// Whether an event that is raised within a delivery is delivered after it: documented for operators that join streams.
    var isSerial = false
    private var isDelivering = false
    private var parked: [Note<Value>] = []
    private var hasLeft = false

    private let leavesFirst: (Stop) -> Bool

    init(
        _ world: ModelWorld, leavesFirst: @escaping (Stop) -> Bool = { _ in false },
        _ receive: @escaping (Note<Value>) -> Void
    ) {
        self.world = world
        self.leavesFirst = leavesFirst
        self.receive = receive
        world.keep(self)
    }

    func send(_ note: Note<Value>) {
        switch note {
        case .next(let value): next(value)
        case .stop(let stop): self.stop(stop)
        }
    }

    func next(_ value: Value) {
        if isDelivering { return parked.append(.next(value)) }
        guard !isOver, world.step() else { return }
        deliver { receive?(.next(value)) }
    }

    /// Delivers, and then what was parked meanwhile.
    private func deliver(_ action: () -> Void) {
        guard isSerial else { return action() }
        isDelivering = true
        action()
        isDelivering = false
        if !parked.isEmpty { send(parked.removeFirst()) }
    }

    /// The end is passed on first; then the sources are left.
    func stop(_ stop: Stop) {
        if isDelivering { return parked.append(.stop(stop)) }
        guard !isOver else { return }
        isOver = true
        let receive = receive
        self.receive = nil
        if leavesFirst(stop) { leave() }
        if world.step() { receive?(.stop(stop)) }
        leave()
    }

    func complete() {
        stop(.completed)
    }

    func fail(_ name: String) {
        stop(.error(name))
    }

    /// Calls `action` with what `body` returns, or ends with what it throws.
    func attempt<Result>(_ body: () throws -> Result, _ action: (Result) -> Void) {
        let result: Result
        do {
            result = try body()
        } catch {
            return fail(ClosureError.name)
        }
        action(result)
    }

    func leave() {
        isOver = true
        hasLeft = true
        receive = nil
        parked = []
        let actions = actions
        self.actions = []
        for action in actions { action() }
    }

    /// Calls `action` when this subscription is left, at once if it was.
    func whenLeft(_ action: @escaping () -> Void) {
        if hasLeft { action() } else { actions.append(action) }
    }

    /// Calls `action` after `delay`, unless the subscription is left before that. What the clock knows it by.
    @discardableResult
    func timer(_ delay: Int, _ action: @escaping () -> Void) -> Int {
        guard !isOver else { return 0 }
        let number = world.schedule(after: delay, action)
        whenLeft { [world] in world.cancel(number) }
        return number
    }
}

/// Sends to several, and perhaps the last values again to those that come later.
final class ModelSubject<Value> {
    private let replay: Int
    private var kept: [Value] = []
    private var end: Stop?
    private var sinks: [(number: Int, sink: Sink<Value>)] = []
    private var lastNumber = 0

    init(replay: Int = 0) {
        self.replay = replay
    }

    var hasEnded: Bool { end != nil }

    func send(_ note: Note<Value>) {
        guard end == nil else { return }
        let sinks = sinks
        switch note {
        case .next(let value):
            kept = (kept + [value]).suffix(replay)
        case .stop(let stop):
            end = stop
            self.sinks = []
        }
        for (_, sink) in sinks { sink.send(note) }
    }

    func add(_ sink: Sink<Value>) {
        let (kept, end) = (kept, end)
        if end == nil {
            lastNumber += 1
            let number = lastNumber
            sinks.append((number, sink))
            sink.whenLeft { [weak self] in self?.sinks.removeAll { $0.number == number } }
        }
        for value in kept { sink.next(value) }
        if let end { sink.stop(end) }
    }
}
