/// The sources of the reference model.
extension ModelWorld {
    func never<Value>() -> Stream<Value> {
        Stream(world: self, isPlain: true) { _ in }
    }

    func just<Value>(_ value: Value) -> Stream<Value> {
        Stream(world: self, isPlain: true) { sink in
            sink.next(value)
            sink.complete()
        }
    }

    func stopped<Value>(_ stop: Stop) -> Stream<Value> {
        Stream(world: self, isPlain: true) { $0.stop(stop) }
    }

    func empty<Value>() -> Stream<Value> {
        stopped(.completed)
    }

    func failed<Value>(_ name: String) -> Stream<Value> {
        stopped(.error(name))
    }

    /// Emits the results of `pull`, one a turn, until it returns nil. `of`, `range` and `generate` use it.
    func sequence(
        _ makePull: @escaping () -> () throws -> Int?
    ) -> Stream<Int> {
        Stream(world: self) { [self] sink in
            let pull = makePull()
            func turn() {
                guard !sink.isOver else { return }
                sink.attempt(pull) { value in
                    guard let value else { return sink.complete() }
                    sink.next(value)
                    enqueueTurn(turn)
                }
            }
            enqueueTurn(turn)
        }
    }

    func of(_ values: [Int]) -> Stream<Int> {
        sequence {
            var rest = values[...]
            return { rest.popFirst() }
        }
    }

    func generate(_ start: Int, below limit: Int, _ advance: Function) -> Stream<Int> {
        sequence {
            var state = start
            var isFirst = true
            return {
                if !isFirst { state = try advance(state) }
                isFirst = false
                return state < limit ? state : nil
            }
        }
    }

    func timer(_ delay: Int) -> Stream<Int> {
        Stream(world: self) { sink in
            sink.timer(delay) {
                sink.next(0)
                sink.complete()
            }
        }
    }

    /// Schedules the next tick before emitting the value.
    func periodic(_ delay: Int, _ period: Int) -> Stream<Int> {
        Stream(world: self) { sink in
            var count = 0
            func tick() {
                sink.timer(period, tick)
                count += 1
                sink.next(count - 1)
            }
            sink.timer(delay, tick)
        }
    }

    func deferred<Value>(_ make: @escaping () throws -> Stream<Value>) -> Stream<Value> {
        Stream(world: self) { sink in
            sink.attempt(make) { $0.subscribe(for: sink, sink.send) }
        }
    }

    /// Emits all events to each subscriber, at their ticks after the subscription.
    func cold(_ id: Int, _ events: [TimedSignal]) -> Stream<Int> {
        Stream(world: self) { [self] sink in
            opened(id, sink)
            for event in events {
                let number = schedule(at: now + event.time) { sink.send(event.signal.note) }
                sink.whenLeft { [self] in cancel(number) }
            }
        }
    }

    /// Emits all events at their ticks to the current subscribers.
    func hot(_ id: Int, _ events: [TimedSignal]) -> Stream<Int> {
        var sinks: [(number: Int, sink: Sink<Int>)] = []
        for event in events {
            schedule(at: event.time) {
                for (_, sink) in sinks { sink.send(event.signal.note) }
            }
        }
        return Stream(world: self) { [self] sink in
            let number = opened(id, sink)
            sinks.append((number, sink))
            sink.whenLeft { sinks.removeAll { $0.number == number } }
        }
    }

    /// Emits all events during the subscription.
    func create(_ id: Int, _ events: [Signal]) -> Stream<Int> {
        Stream(world: self) { [self] sink in
            opened(id, sink)
            for event in events { sink.send(event.note) }
        }
    }

    /// Records the span during which `sink` is subscribed.
    @discardableResult
    func opened<Value>(_ id: Int, _ sink: Sink<Value>) -> Int {
        let place = open(id)
        sink.whenLeft { [self] in close(id, place) }
        return place
    }

    func using(_ id: Int, throws: Bool, _ make: @escaping () -> Stream<Int>) -> Stream<Int> {
        Stream(world: self) { [self] sink in
            let place = open(id)
            if `throws` {
                sink.fail(ClosureError.name)
            } else {
                make().subscribe(for: sink, sink.send)
            }
            sink.whenLeft { [self] in close(id, place) }
        }
    }
}

extension Signal {
    var note: Note<Int> {
        switch self {
        case .next(let value): .next(value)
        case .error(let name): .stop(.error(name))
        case .completed: .stop(.completed)
        }
    }
}
