/// The model's operators that subscribe to inner streams.
extension Stream {
    func join<Other>(
        _ joining: Joining, _ select: @escaping (Value) throws -> Stream<Other>
    ) -> Stream<Other> {
        switch joining {
        case .merge: limited(.max, isLazy: false, select)
        case .latest: one(isLatest: true, select)
        case .first: one(isLatest: false, select)
        case .concat: limited(1, isLazy: false, select)
        case .limited(let count): limited(count, isLazy: false, select)
        case .lazilyLimited(let count): limited(count, isLazy: true, select)
        }
    }

    /// Runs at most `limit` at a time and queues the others. The selector is called when a value arrives or,
    /// if `isLazy`, when its turn comes.
    private func limited<Other>(
        _ limit: Int, isLazy: Bool, _ select: @escaping (Value) throws -> Stream<Other>
    ) -> Stream<Other> {
        Stream<Other>(world: world) { sink in
            sink.isSerial = true
            var waiting: [() throws -> Stream<Other>] = []
            var active = 0
            var isOuterDone = false
            var isStarting = false
            // With a limit, streams that become due during a subscription start after it.
            func startNext() {
                guard !isStarting || limit == .max else { return }
                isStarting = true
                while active < limit, !waiting.isEmpty, !sink.isOver {
                    active += 1
                    sink.attempt(waiting.removeFirst()) { start($0) }
                }
                isStarting = false
                if isOuterDone, active == 0, waiting.isEmpty { sink.complete() }
            }
            func start(_ stream: Stream<Other>) {
                stream.subscribe(for: sink, leavesFirst: { $0 == .completed }) { note in
                    guard case .stop(.completed) = note else { return sink.send(note) }
                    active -= 1
                    startNext()
                }
            }
            subscribe(for: sink) { note in
                switch note {
                case .next(let value):
                    if isLazy {
                        waiting.append { try select(value) }
                    } else {
                        sink.attempt({ try select(value) }) { stream in
                            waiting.append { stream }
                        }
                    }
                    startNext()
                case .stop(.completed):
                    isOuterDone = true
                    startNext()
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }

    /// Runs one at a time: the latest, or the first until it has ended. The selector is not called for
    /// dropped values.
    private func one<Other>(
        isLatest: Bool, _ select: @escaping (Value) throws -> Stream<Other>
    ) -> Stream<Other> {
        Stream<Other>(world: world) { sink in
            sink.isSerial = true
            var current: Sink<Other>?
            var number = 0
            var isBusy = false
            var isOuterDone = false
            func start(_ stream: Stream<Other>) {
                number += 1
                let mine = number
                isBusy = true
                current?.leave()
                let inner = stream.subscribe(for: sink) { note in
                    guard mine == number else { return }
                    guard case .stop(.completed) = note else { return sink.send(note) }
                    isBusy = false
                    if isOuterDone { sink.complete() }
                }
                if mine == number { current = inner } else { inner.leave() }
            }
            subscribe(for: sink) { note in
                switch note {
                case .next(let value):
                    if !isLatest, isBusy { return }
                    sink.attempt({ try select(value) }, start)
                case .stop(.completed):
                    isOuterDone = true
                    if !isBusy { sink.complete() }
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }

    /// Windows and groups keep the source subscribed while one of them is subscribed to.
    private func held<Outer>(
        _ body: @escaping (Sink<Outer>, Holding) -> (Note<Value>) -> Void
    ) -> Stream<Outer> {
        Stream<Outer>(world: world) { sink in
            let holding = Holding(Sink(world) { _ in })
            sink.whenLeft { holding.release() }
            subscribe(for: holding.source, body(sink, holding))
        }
    }

    func window(_ timeSpan: Int, _ count: Int) -> Stream<Stream<Value>> {
        held { sink, holding in
            var subject = ModelSubject<Value>()
            var seen = 0
            var timer = 0
            func open() {
                sink.next(holding.stream(world, subject))
                timer = holding.source.timer(timeSpan, openNext)
            }
            func openNext() {
                world.cancel(timer)
                let old = subject
                subject = ModelSubject()
                seen = 0
                old.send(.stop(.completed))
                open()
            }
            open()
            return { note in
                subject.send(note)
                switch note {
                case .next:
                    seen += 1
                    if seen == count { openNext() }
                case .stop(let stop):
                    sink.stop(stop)
                    holding.source.leave()
                }
            }
        }
    }

    func group<Key: Hashable>(
        by key: @escaping (Value) throws -> Key
    ) -> Stream<Stream<Value>> {
        held { sink, holding in
            var groups: [(key: Key, subject: ModelSubject<Value>)] = []
            func end(_ stop: Stop) {
                for group in groups { group.subject.send(.stop(stop)) }
                sink.stop(stop)
                holding.source.leave()
            }
            return { note in
                guard case .next(let value) = note else {
                    if case .stop(let stop) = note { end(stop) }
                    return
                }
                guard let key = try? key(value) else { return end(.error(ClosureError.name)) }
                if let group = groups.first(where: { $0.key == key }) { return group.subject.send(note) }
                let subject = ModelSubject<Value>()
                groups.append((key, subject))
                sink.next(holding.stream(world, subject))
                subject.send(note)
            }
        }
    }
}

/// Counts the subscriptions that need a source: the operator's own, and those to the streams it emits.
final class Holding {
    /// The subscription to the source.
    let source: Sink<Void>
    private var count = 1

    init(_ source: Sink<Void>) {
        self.source = source
    }

    func release() {
        count -= 1
        if count == 0 { source.leave() }
    }

    func stream<Value>(_ world: ModelWorld, _ subject: ModelSubject<Value>) -> Stream<Value> {
        Stream(world: world) { [self] sink in
            if count > 0 {
                count += 1
                sink.whenLeft { [self] in release() }
            }
            subject.subscribe(for: sink)
        }
    }
}

extension ModelSubject {
    func subscribe(for sink: Sink<Value>) {
        guard !sink.isOver else { return }
        let inner = Sink(sink.world, sink.send)
        sink.whenLeft { inner.leave() }
        add(inner)
    }
}
