/// Operators of the reference model by which one subscription feeds several, and `retry(when:)`.
extension Stream {
    /// A connection begins with the first subscriber and ends with the last one, or with the source, which it leaves before it
    /// passes the end on.
    ///
    /// - Parameter forever: whether one subject serves all connections; else each has its own.
    func share(replay: Int, forever: Bool) -> Stream<Value> {
        var subject = ModelSubject<Value>(replay: replay)
        var connection: Sink<Value>?
        var count = 0
        func forget() {
            connection = nil
            count = 0
            if !forever { subject = ModelSubject(replay: replay) }
        }
        return Stream(world: world) { sink in
            if connection == nil, subject.hasEnded { return subject.subscribe(for: sink) }
            let mine: Sink<Value>
            let isFirst = connection == nil
            if let connection {
                mine = connection
            } else {
                let connected = subject
                weak var weakMine: Sink<Value>?
                mine = Sink(world, leavesFirst: { _ in true }) { note in
                    // Those who subscribe because of the end begin a new connection, unless the subject stays.
                    if case .stop = note, connection === weakMine { forget() }
                    connected.send(note)
                }
                weakMine = mine
                connection = mine
            }
            count += 1
            sink.whenLeft {
                guard connection === mine else { return }
                count -= 1
                guard count == 0 else { return }
                forget()
                mine.leave()
            }
            subject.subscribe(for: sink)
            if isFirst, !mine.isOver { subscribe(mine) }
        }
    }

    /// `body` of a stream that stands for one subscription to this one, which begins after that to the result.
    func multicast<Other>(replay: Int, _ body: @escaping (Stream<Value>) -> Stream<Other>) -> Stream<Other> {
        Stream<Other>(world: world) { sink in
            let subject = ModelSubject<Value>(replay: replay)
            let shared = Stream(world: world, isPlain: true) { subject.subscribe(for: $0) }
            body(shared).subscribe(for: sink, sink.send)
            subscribe(for: sink, subject.send)
        }
    }

    /// Asks the trigger, which is subscribed to first, after each failed attempt, which is left before. A value that comes while
    /// an attempt runs is dropped; an end that comes then counts at the next failure.
    func retry(when handler: @escaping (Stream<String>) -> Stream<Int>) -> Stream<Value> {
        Stream(world: world) { sink in
            let errors = ModelSubject<String>()
            var isAwaited = false
            var end: Stop?
            var isStarting = false
            var isDue = false
            /// One that is asked for while another begins starts after that.
            func attempt() {
                isDue = true
                guard !isStarting else { return }
                isStarting = true
                while isDue {
                    isDue = false
                    start()
                }
                isStarting = false
            }
            func start() {
                subscribe(for: sink, leavesFirst: { $0 != .completed }) { note in
                    guard case .stop(.error(let name)) = note else { return sink.send(note) }
                    if let end { return sink.stop(end) }
                    isAwaited = true
                    errors.send(.next(name))
                }
            }
            handler(Stream<String>(world: world, isPlain: true) { errors.subscribe(for: $0) })
                .subscribe(for: sink) { note in
                    switch note {
                    case .next:
                        guard isAwaited else { return }
                        isAwaited = false
                        attempt()
                    case .stop(let stop):
                        end = stop
                        if isAwaited { sink.stop(stop) }
                    }
                }
            attempt()
        }
    }
}
