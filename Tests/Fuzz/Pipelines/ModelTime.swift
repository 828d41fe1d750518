/// The model's timing operators.
extension Stream {
    func take(for duration: Int) -> Stream<Value> {
        lift { sink in
            sink.timer(duration) { sink.complete() }
            return sink.send
        }
    }

    func skip(for duration: Int) -> Stream<Value> {
        lift { sink in
            var isOpen = false
            sink.timer(duration) { isOpen = true }
            return { note in
                if case .next = note, !isOpen { return }
                sink.send(note)
            }
        }
    }

    func debounce(_ dueTime: Int) -> Stream<Value> {
        lift { sink in
            var waiting: Value?
            var timer = 0
            return { note in
                switch note {
                case .next(let value):
                    waiting = value
                    world.cancel(timer)
                    timer = sink.timer(dueTime) {
                        waiting = nil
                        sink.next(value)
                    }
                case .stop(let stop):
                    if stop == .completed, let waiting { sink.next(waiting) }
                    sink.stop(stop)
                }
            }
        }
    }

    func throttle(_ dueTime: Int, latest: Bool) -> Stream<Value> {
        lift { sink in
            var waiting: Value?
            var sentAt: Int?
            var isCompleted = false
            var timer = 0
            func send(_ value: Value) {
                waiting = nil
                sink.next(value)
                sentAt = world.now
            }
            return { note in
                switch note {
                case .next(let value):
                    let rest = sentAt.map { $0 + dueTime - world.now } ?? 0
                    if rest <= 0 { return send(value) }
                    guard latest else { return }
                    if waiting == nil {
                        world.cancel(timer)
                        timer = sink.timer(rest) {
                            if let waiting { send(waiting) }
                            if isCompleted { sink.complete() }
                        }
                    }
                    waiting = value
                case .stop(.completed) where waiting != nil: isCompleted = true
                case .stop(let stop): sink.stop(stop)
                }
            }
        }
    }

    /// Uses one timer, for the oldest pending event. The next one is set after the delivery, for a later
    /// tick.
    func delay(_ dueTime: Int) -> Stream<Value> {
        lift { sink in
            var waiting: [(time: Int, note: Note<Value>)] = []
            func deliver() {
                let first = waiting.removeFirst()
                sink.send(first.note)
                if let next = waiting.first { sink.timer(next.time + dueTime - world.now, deliver) }
            }
            return { note in
                if case .stop(.error) = note { return sink.send(note) }
                waiting.append((world.now, note))
                if waiting.count == 1 { sink.timer(dueTime, deliver) }
            }
        }
    }

    func delaySubscription(_ dueTime: Int) -> Stream<Value> {
        Stream(world: world) { sink in
            sink.timer(dueTime) { subscribe(for: sink, sink.send) }
        }
    }

    /// Delivers one event a tick. An error waits for the values before it.
    func observeLater() -> Stream<Value> {
        lift { sink in
            var waiting: [Note<Value>] = []
            func deliver() {
                sink.send(waiting.removeFirst())
                if !waiting.isEmpty { sink.timer(0, deliver) }
            }
            return { note in
                waiting.append(note)
                if waiting.count == 1 { sink.timer(0, deliver) }
            }
        }
    }

    /// Subscribes a tick later and leaves its source a tick later, even after its end.
    func subscribeLater() -> Stream<Value> {
        Stream(world: world) { sink in
            sink.timer(0) {
                let source = Sink(world, sink.send)
                subscribe(source)
                sink.whenLeft { _ = world.schedule(after: 0) { source.leave() } }
            }
        }
    }

    /// The timer starts before the subscription and restarts after each delivery. `other` starts before the
    /// source is left, as in RxSwift.
    func timeout(_ dueTime: Int, _ other: Stream<Value>) -> Stream<Value> {
        Stream(world: world) { sink in
            var timer = 0
            var source: Sink<Value>?
            var isOver = false
            func arm() {
                timer = sink.timer(dueTime) {
                    isOver = true
                    other.subscribe(for: sink, sink.send)
                    source?.leave()
                }
            }
            arm()
            source = subscribe(for: sink) { note in
                guard !isOver else { return }
                world.cancel(timer)
                sink.send(note)
                if case .next = note { arm() }
            }
        }
    }

    /// Uses one timer for the whole stream. After the deadline, only `other` is subscribed to.
    func timeout(at deadline: Int, _ other: Stream<Value>) -> Stream<Value> {
        Stream(world: world) { sink in
            guard deadline > world.now else { return _ = other.subscribe(for: sink, sink.send) }
            var source: Sink<Value>?
            var isOver = false
            sink.timer(deadline - world.now) {
                isOver = true
                other.subscribe(for: sink, sink.send)
                source?.leave()
            }
            source = subscribe(for: sink) { note in
                guard !isOver else { return }
                sink.send(note)
            }
        }
    }

    func buffer(_ timeSpan: Int, _ count: Int) -> Stream<[Value]> {
        lift { sink in
            var values: [Value] = []
            var timer = 0
            func flush() {
                world.cancel(timer)
                let all = values
                values = []
                sink.next(all)
                timer = sink.timer(timeSpan, flush)
            }
            timer = sink.timer(timeSpan, flush)
            return { note in
                switch note {
                case .next(let value):
                    values.append(value)
                    if values.count == count { flush() }
                case .stop(let stop):
                    if stop == .completed { sink.next(values) }
                    sink.stop(stop)
                }
            }
        }
    }
}
