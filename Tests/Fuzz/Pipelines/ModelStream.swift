/// A terminal event of a model stream.
enum Stop: Equatable {
    case completed
    case error(String)
}

/// An event of a model stream.
enum Note<Value> {
    case next(Value)
    case stop(Stop)
}

/// A stream of the reference model: the work it does for each subscriber.
struct Stream<Value> {
    let world: ModelWorld
    /// Whether it emits inside `subscribe` without taking a turn, like `just`.
    var isPlain = false
    let start: (Sink<Value>) -> Void

    /// Subscribes on behalf of `parent`, which leaves the subscription when it ends. Has no effect if
    /// `parent` has already ended.
    ///
    /// - Parameter leavesFirst: Whether the source is left before the given terminal event is passed on,
    ///   rather than after.
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

    /// Subscribes on behalf of `parent`. The subscription is left when `parent` is, or when `receive` returns
    /// true.
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

    /// Returns a stream that handles the events of this one with the result of `makeHandler`.
    func lift<Other>(_ makeHandler: @escaping (Sink<Other>) -> (Note<Value>) -> Void) -> Stream<Other> {
        Stream<Other>(world: world) { sink in
            subscribe(for: sink, makeHandler(sink))
        }
    }
}

/// A subscription. It passes events on until the first terminal event or until it is left.
final class Sink<Value>: ModelSubscription {
    let world: ModelWorld
    private var receive: ((Note<Value>) -> Void)?
    private var actions: [() -> Void] = []
    private(set) var isOver = false
    /// Whether an event sent during a delivery is delivered after it, as documented for operators that
    /// combine streams.
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

    /// Performs a delivery, then the deliveries that were parked meanwhile.
    private func deliver(_ action: () -> Void) {
        guard isSerial else { return action() }
        isDelivering = true
        action()
        isDelivering = false
        if !parked.isEmpty { send(parked.removeFirst()) }
    }

    /// Passes the end on and then leaves the sources, or the other way round if `leavesFirst` returns true.
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

    /// Calls `action` with the result of `body`, or fails if `body` throws.
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

    /// Calls `action` when this subscription is left, or at once if it already was.
    func whenLeft(_ action: @escaping () -> Void) {
        if hasLeft { action() } else { actions.append(action) }
    }

    /// Calls `action` after `delay`, unless the subscription is left before. Returns the number that cancels
    /// it.
    @discardableResult
    func timer(_ delay: Int, _ action: @escaping () -> Void) -> Int {
        guard !isOver else { return 0 }
        let number = world.schedule(after: delay, action)
        whenLeft { [world] in world.cancel(number) }
        return number
    }
}

/// A subject, which may replay its last values to later subscribers.
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
