/// The model's sharing operators, and `retry(when:)`.
extension Stream {
    /// Connects with the first subscriber. The connection ends with the last subscriber or with the source,
    /// which is left before its end is passed on.
    ///
    /// - Parameter forever: Whether one subject serves all connections. Otherwise each has its own.
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
                    // A subscriber that reacts to the end starts a new connection, unless the subject is
                    // permanent.
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

    /// Returns the result of `body` for a shared stream. This stream is subscribed to once, after the result.
    func multicast<Other>(replay: Int, _ body: @escaping (Stream<Value>) -> Stream<Other>) -> Stream<Other> {
        Stream<Other>(world: world) { sink in
            let subject = ModelSubject<Value>(replay: replay)
            let shared = Stream(world: world, isPlain: true) { subject.subscribe(for: $0) }
            body(shared).subscribe(for: sink, sink.send)
            subscribe(for: sink, subject.send)
        }
    }

    /// Subscribes to the trigger first, and notifies it after leaving each failed attempt. A value that
    /// arrives while an attempt is running is dropped. A terminal event that arrives then takes effect at the
    /// next failure.
    func retry(when handler: @escaping (Stream<String>) -> Stream<Int>) -> Stream<Value> {
        Stream(world: world) { sink in
            let errors = ModelSubject<String>()
            var isAwaited = false
            var end: Stop?
            var isStarting = false
            var isDue = false
            // An attempt requested while another one is starting begins after it.
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
